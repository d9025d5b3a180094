"""What every provider's client promises, over real HTTP; see `trivium.ports.llm`."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Annotated

import msgspec
import pytest
from openai_peer import OpenAiPeer, Reply

from trivium.domain.errors import NeverWill, TryLater
from trivium.llm.connect import PROVIDERS, connect_llm
from trivium.llm.transport import LlmLimits
from trivium.ports.llm import Llm, Message

HELLO = [Message("system", "Be brief."), Message("user", "Hello?")]
QUICK = LlmLimits(backoff_s=0.01, max_backoff_s=0.02)
SECRET = "sk-secret-7c1f"
LATE = Reply("late", delay_s=30)


class City(msgspec.Struct, frozen=True):
    """A city."""

    name: str
    people: Annotated[int, msgspec.Meta(ge=0, description="How many live there.")]


async def complete(llm: Llm, timeout_s: float = 20.0) -> object:
    return await llm.complete(HELLO, timeout_s=timeout_s)


async def complete_json(llm: Llm, timeout_s: float = 20.0) -> object:
    return await llm.complete_json(HELLO, City, timeout_s=timeout_s)


async def stream(llm: Llm, timeout_s: float = 20.0) -> object:
    return [delta async for delta in llm.stream(HELLO, timeout_s=timeout_s)]


Call = Callable[..., Awaitable[object]]


@pytest.fixture(params=PROVIDERS)
def provider(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(params=[complete, complete_json, stream], ids=lambda call: call.__name__)
def call(request: pytest.FixtureRequest) -> Call:
    found: Call = request.param
    return found


@asynccontextmanager
async def served(provider: str, *script: Reply, limits: LlmLimits = QUICK) -> AsyncIterator[tuple[Llm, OpenAiPeer]]:
    """The provider's client, and the server that answers it."""
    with OpenAiPeer(script) as peer:
        llm = connect_llm(provider, model="m-1", base_url=peer.url, api_key=SECRET, limits=limits)
        yield llm, peer
        await llm.close()


async def test_a_completion_is_the_text_with_its_tokens_counted(provider: str) -> None:
    async with served(provider, Reply("Hello there")) as (llm, peer):
        done = await llm.complete(HELLO)
    assert (done.text, done.input_tokens, done.output_tokens, done.truncated) == ("Hello there", 11, 7, False)
    assert llm.name == f"{provider}:m-1"
    assert "Be brief." in peer.seen[0].prompt


async def test_order_a_stream_is_its_pieces_as_they_come_and_then_the_whole(provider: str) -> None:
    async with served(provider, Reply("One two three")) as (llm, _):
        deltas = [delta async for delta in llm.stream(HELLO)]
    assert "".join(delta.text for delta in deltas) == "One two three"
    assert len(deltas) > 3
    assert [delta.final is None for delta in deltas] == [True] * (len(deltas) - 1) + [False]
    final = deltas[-1].final
    assert final is not None
    assert (final.text, final.output_tokens, deltas[-1].text) == ("One two three", 7, "")


async def test_json_is_of_the_shape_asked_for(provider: str) -> None:
    async with served(provider, Reply('{"name": "Oslo", "people": 700000}')) as (llm, peer):
        city, done = await llm.complete_json(HELLO, City)
    assert city == City("Oslo", 700000)
    assert done.output_tokens == 7
    assert "How many live there." in msgspec.json.encode(peer.seen[0].body).decode()


@pytest.mark.parametrize("broken", ['{"name": "Oslo"', '{"name": "Oslo", "people": -1}', "Oslo has many people.", ""])
async def test_broken_json_is_shown_to_the_model_and_repaired(provider: str, broken: str) -> None:
    async with served(provider, Reply(broken), Reply('```json\n{"name": "Oslo", "people": 1}\n```')) as (llm, peer):
        city, done = await llm.complete_json(HELLO, City)
    assert city == City("Oslo", 1)
    assert done.input_tokens == 22
    assert "not valid" in peer.seen[1].prompt


async def test_json_broken_twice_never_will(provider: str) -> None:
    async with served(provider, Reply("no")) as (llm, peer):
        with pytest.raises(NeverWill) as caught:
            await llm.complete_json(HELLO, City)
    assert caught.value.code == "bad_json"
    assert len(peer.seen) == 2


async def test_a_failing_server_is_given_up_after_its_attempts(provider: str, call: Call) -> None:
    async with served(provider, Reply("oops", status=503)) as (llm, peer):
        with pytest.raises(TryLater) as caught:
            await call(llm)
    assert caught.value.code == "llm_failing"
    assert len(peer.seen) == QUICK.attempts


@pytest.mark.parametrize(
    ("status", "said", "code"),
    [
        (401, "bad key", "llm_unauthorized"),
        (403, "not yours", "llm_unauthorized"),
        (404, "The model `m-1` does not exist", "llm_not_found"),
        (400, "This model's maximum context length is 4096 tokens", "llm_too_long"),
        (400, "prompt is too long: 300000 tokens", "llm_too_long"),
        (413, "", "llm_too_long"),
        (429, "insufficient_quota", "llm_quota"),
        (422, "no", "llm_refused"),
    ],
)
async def test_what_cannot_succeed_is_not_tried_again(provider: str, status: int, said: str, code: str) -> None:
    async with served(provider, Reply(f"{said} {SECRET}", status=status)) as (llm, peer):
        with pytest.raises(NeverWill) as caught:
            await llm.complete(HELLO)
    assert caught.value.code == code
    assert caught.value.action
    assert len(peer.seen) == 1
    assert SECRET not in str(caught.value)


async def test_a_server_busy_for_longer_than_the_time_limit_is_asked_once(provider: str, call: Call) -> None:
    async with served(provider, Reply(status=429, headers={"retry-after": "600"})) as (llm, peer):
        with pytest.raises(TryLater) as caught:
            await call(llm)
    assert caught.value.code == "llm_busy"
    assert len(peer.seen) == 1


async def test_a_slow_server_costs_no_more_than_the_time_limit(provider: str, call: Call) -> None:
    async with served(provider, LATE) as (llm, _):
        with pytest.raises(TryLater) as caught:
            await call(llm, timeout_s=0.2)
    assert caught.value.code == "llm_slow"


async def test_the_time_limit_holds_for_all_attempts_together(provider: str) -> None:
    """Each attempt alone would be in time."""
    async with served(provider, Reply(status=503, delay_s=0.15), limits=LlmLimits(attempts=99)) as (llm, peer):
        with pytest.raises(TryLater):
            await llm.complete(HELLO, timeout_s=0.4)
    assert 1 <= len(peer.seen) <= 3


async def test_a_server_that_is_not_there_is_a_passing_fault(provider: str, call: Call) -> None:
    llm = connect_llm(provider, model="m", base_url="http://127.0.0.1:9", api_key=SECRET, limits=QUICK)
    with pytest.raises(TryLater) as caught:
        await call(llm)
    await llm.close()
    assert caught.value.code == "llm_unreachable"
    assert "127.0.0.1:9" in str(caught.value)


@pytest.mark.parametrize("cut", ["abort", "early"])
async def test_half_done_a_stream_cut_in_the_middle_is_no_answer_and_not_begun_again(provider: str, cut: str) -> None:
    reply = Reply("One two three four", cut_after=2, cut="abort" if cut == "abort" else "early", pause_s=0.01)
    async with served(provider, reply) as (llm, peer):
        with pytest.raises(TryLater) as caught:
            await stream(llm)
    assert caught.value.code == "stream_cut"
    assert len(peer.seen) == 1


async def test_a_page_that_is_no_answer_is_named_as_such(provider: str) -> None:
    async with served(provider, Reply(raw=b"<html>welcome</html>")) as (llm, _):
        with pytest.raises(NeverWill) as caught:
            await llm.complete(HELLO)
    assert caught.value.code == "llm_not_understood"
