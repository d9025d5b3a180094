"""The client for event loops, against the real HTTP application."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from trivium import api
from trivium.async_client import AsyncTriviumClient
from trivium.client import TriviumClient
from trivium.domain.access import Role
from trivium.domain.crawl import Fate
from trivium.domain.errors import NotFound, TryLater

from .conftest import World


@pytest.fixture
async def calling(client: TriviumClient) -> AsyncIterator[AsyncTriviumClient]:
    async with AsyncTriviumClient(client.url) as made:
        yield made


async def test_a_file_goes_in_and_is_found_asked_about_and_deleted(calling: AsyncTriviumClient, tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("Ada wrote the first program.")
    told: list[int] = []
    source = await calling.submit_file(str(path), progress=lambda sent, _: told.append(sent))
    assert told[-1] == path.stat().st_size
    [ready] = await calling.wait([source.id])
    assert ready.chunks == 1
    assert [chunk.text async for chunk in calling.chunks(source.id)] == ["Ada wrote the first program."]
    assert (await calling.search("program")).hits[0].chunk.source == "a.txt"
    assert (await calling.ask("program")).citations
    events = [event async for event in calling.ask_stream("program")]
    assert isinstance(events[-1], api.Answer)
    assert [kept.name async for kept in calling.all_sources()] == ["a.txt"]
    await calling.delete(source.id)
    with pytest.raises(NotFound):
        await calling.source(source.id)


async def test_a_busy_server_is_asked_again(calling: AsyncTriviumClient, world: World) -> None:
    world.busy = 1
    assert (await calling.submit_text("b.txt", "Ada.")).name == "b.txt"


async def test_who_does_not_answer_is_told_so() -> None:
    async with AsyncTriviumClient("http://127.0.0.1:1") as nobody:
        with pytest.raises(TryLater) as failure:
            await nobody.status()
    assert failure.value.code == "server_unreachable"


async def test_keys_edits_topics_and_schemas_are_reached(calling: AsyncTriviumClient) -> None:
    made = await calling.create_key("a colleague", Role.READER)
    assert [key.id for key in (await calling.keys()).keys] == [made.key.id]
    assert (await calling.revoke_key(made.key.id)).ended_at
    assert (await calling.edits()).edits == ()
    assert {tool.name for tool in (await calling.tools()).tools} >= {"search_kg", "merge_entity"}
    assert (await calling.schema()).types == ()
    conversation = await calling.create_conversation("Ada")
    await calling.delete_conversation(conversation.id)
    with pytest.raises(NotFound):
        await calling.conversation(conversation.id)


async def test_a_site_is_crawled_page_by_page_and_what_it_brought_is_deleted(calling: AsyncTriviumClient) -> None:
    pages = [page async for page in calling.crawl("https://a.org/", depth=1, max_pages=9, run="crawl-1")]
    assert [page.fate for page in pages][:2] == [Fate.TAKEN, Fate.TAKEN]
    assert sum([told.deleted async for told in calling.delete_sources(run="crawl-1")]) == 2
