"""A real vLLM behind Trivium's own client: the model's words are noise, the protocol is not."""

from __future__ import annotations

import asyncio
import secrets
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import closing
from pathlib import Path
from typing import Annotated, Literal

import msgspec
import pytest
from folder_stores import FolderStores
from local_services import SERVICES_DIR
from tiny_model import CONTEXT_TOKENS, write_tiny_model
from vllm_server import SERVER, VllmServer, vllm_server
from waiting import wait_until

from trivium.config import load_settings
from trivium.domain.answers import TextPiece, TextWithdrawn
from trivium.domain.answers import Verdict as JudgedAs
from trivium.domain.chunks import Chunk
from trivium.domain.errors import NeverWill, TryLater
from trivium.domain.graph import MentionRole
from trivium.domain.parsed import ParsedDocument, Unit, UnitKind
from trivium.domain.retrieval import Hit
from trivium.domain.scope import DEFAULT_TENANT
from trivium.llm.address import LlmAddress
from trivium.llm.connect import llm_address
from trivium.ports.llm import Completion, Llm, Message, Tool
from trivium_graph import build
from trivium_graph.agent.limits import Limits, Turns
from trivium_graph.agent.read_document import read_document
from trivium_graph.agent.record import Readings
from trivium_graph.checks import checked
from trivium_graph.llm_extract import refine
from trivium_ingest.chunk.build import ChunkOptions, chunk_document
from trivium_ingest.enrich.build import enrich
from trivium_query.answer.citations import Draft, Shelf
from trivium_query.answer.llm_answer import MAX_ANSWER_TOKENS, Generated, generate
from trivium_query.answer.rerank import SOURCE, rerank_with_llm
from trivium_query.answer.verify import judge_with_llm

pytestmark = [pytest.mark.models, pytest.mark.slow, pytest.mark.timeout(900)]  # its server takes a minute to start

MODEL = "tiny"
LONG_ANSWER_TOKENS = CONTEXT_TOKENS - 192  # many seconds of work
CONCURRENCY = 3
HELLO = [Message("user", "Who built the bridge?")]


class Verdict(msgspec.Struct, frozen=True):
    """A shape that noise fills too: no free text in it."""

    verdict: Literal["SUPPORTED", "PARTIALLY_SUPPORTED", "UNSUPPORTED"]
    certain: bool
    sources: Annotated[list[Literal["first", "second"]], msgspec.Meta(max_length=3)]


@pytest.fixture(scope="module")
def vllm() -> Iterator[VllmServer]:
    """Started for this module alone, with a model that it writes first."""
    folder = SERVICES_DIR.resolve() / "vllm" / MODEL
    write_tiny_model(folder)
    with vllm_server(folder, http_first=True) as server:
        yield server


@pytest.fixture
def address(vllm: VllmServer) -> LlmAddress:
    """The client as the product makes it, from the settings."""
    settings = load_settings(
        {
            "TRIVIUM_LLM": "vllm",
            "TRIVIUM_LLM_URL": SERVER,
            "TRIVIUM_LLM_MODEL": MODEL,
            "TRIVIUM_LLM_CONCURRENCY": str(CONCURRENCY),
        }
    )
    found = llm_address(settings)
    assert found is not None
    return found


@pytest.fixture
async def llm(address: LlmAddress) -> AsyncIterator[Llm]:
    client = address.connect()
    yield client
    await client.close()


async def test_a_completion_counts_the_tokens_that_the_server_counted(vllm: VllmServer, llm: Llm) -> None:
    read, written = vllm.count("vllm:prompt_tokens_total"), vllm.written
    done = await llm.complete(HELLO, max_tokens=40)
    assert done.text
    assert done.truncated
    assert done.input_tokens == vllm.count("vllm:prompt_tokens_total") - read
    assert done.output_tokens == vllm.written - written == 40


async def test_a_stream_comes_in_pieces_and_ends_with_the_whole_and_its_tokens(llm: Llm) -> None:
    deltas = [delta async for delta in llm.stream(HELLO, max_tokens=40)]
    whole = deltas[-1].final
    assert isinstance(whole, Completion)
    assert len(deltas) > 10
    assert "".join(delta.text for delta in deltas[:-1]) == whole.text
    assert whole.output_tokens == 40
    assert whole == await llm.complete(HELLO, max_tokens=40)


async def test_a_shape_is_obeyed_even_by_a_model_that_knows_no_words(vllm: VllmServer, llm: Llm) -> None:
    prompts = vllm.count("vllm:request_prompt_tokens_count")
    verdict, spent = await llm.complete_json(HELLO, Verdict, max_tokens=200)
    assert isinstance(verdict, Verdict)
    assert not spent.truncated
    assert spent.output_tokens > 0
    assert vllm.count("vllm:request_prompt_tokens_count") - prompts == 1, "no repair was needed"


async def test_no_more_requests_are_open_than_the_settings_allow(vllm: VllmServer, llm: Llm) -> None:
    """By Little's law: the seconds of all requests on the server, by the seconds that passed."""
    before, began = vllm.served_s, time.monotonic()
    calls = await asyncio.gather(*(llm.complete(HELLO, max_tokens=400) for _ in range(4 * CONCURRENCY)))
    open_at_once = (vllm.served_s - before) / (time.monotonic() - began)
    assert [done.output_tokens for done in calls] == [400] * len(calls)
    assert 1 < open_at_once <= CONCURRENCY


async def test_a_time_limit_ends_the_work_on_the_server_too(vllm: VllmServer, llm: Llm) -> None:
    before = vllm.written
    with pytest.raises(TryLater) as slow:
        await llm.complete(HELLO, max_tokens=LONG_ANSWER_TOKENS, timeout_s=0.5)
    assert slow.value.code == "llm_slow"
    await asyncio.to_thread(wait_until, lambda: vllm.in_flight == 0, "no request is open")
    assert vllm.written - before < LONG_ANSWER_TOKENS


async def test_a_reader_who_leaves_a_stream_ends_the_work_on_the_server_too(vllm: VllmServer, llm: Llm) -> None:
    before = vllm.written
    begun = asyncio.Event()

    async def read() -> None:
        async for _ in llm.stream(HELLO, max_tokens=LONG_ANSWER_TOKENS):
            begun.set()

    reading = asyncio.create_task(read())
    await asyncio.wait_for(begun.wait(), 60)
    reading.cancel()
    with pytest.raises(asyncio.CancelledError):
        await reading
    await asyncio.to_thread(wait_until, lambda: vllm.in_flight == 0, "no request is open")
    assert vllm.written - before < LONG_ANSWER_TOKENS


async def test_a_prompt_beyond_the_window_is_refused_for_good_with_a_remedy(llm: Llm) -> None:
    with pytest.raises(NeverWill) as refusal:
        await llm.complete([Message("user", "bridge " * 3 * CONTEXT_TOKENS)])
    assert refusal.value.code == "llm_too_long"
    assert str(CONTEXT_TOKENS) in refusal.value.message
    assert "longer context" in refusal.value.action


async def test_a_model_that_is_not_served_is_refused_for_good(vllm: VllmServer) -> None:
    other = llm_address(
        load_settings({"TRIVIUM_LLM": "vllm", "TRIVIUM_LLM_URL": SERVER, "TRIVIUM_LLM_MODEL": "another"})
    )
    assert other is not None
    client = other.connect()
    with pytest.raises(NeverWill) as refusal:
        await client.complete(HELLO)
    assert refusal.value.code == "llm_not_found"
    await client.close()


@pytest.fixture
def passages() -> tuple[list[Chunk], ParsedDocument]:
    """About 250 tokens in three chunks."""
    text = (
        "Maren Tuck designed the bridge of Solway Reach. It opened in 1897 and carries the railway. "
        "Ilse Brandt runs the Harrow Observatory in Kelmore. The observatory uses a spectrograph. "
    )
    document = ParsedDocument("text/plain", (Unit(UnitKind.TEXT, text * 2),), title="Works of the Reach")
    chunks = chunk_document(document, "d", "v", "notes.txt", ChunkOptions(size=150, overlap=0))
    assert len(chunks) >= 3
    return chunks, document


def test_enrichment_situates_every_chunk_and_its_prompts_share_their_beginning(
    vllm: VllmServer, address: LlmAddress, passages: tuple[list[Chunk], ParsedDocument]
) -> None:
    chunks, document = passages
    asked, cached = vllm.count("vllm:request_prompt_tokens_count"), vllm.count("vllm:prefix_cache_hits_total")
    found, warnings = enrich(chunks, document, address)
    assert vllm.count("vllm:request_prompt_tokens_count") - asked == len(chunks)
    assert [chunk.id for chunk in found] == [chunk.id for chunk in chunks]
    assert all(chunk.context for chunk in found)
    assert warnings == ()
    assert vllm.count("vllm:prefix_cache_hits_total") > cached


def test_extraction_keeps_only_what_stands_in_the_text(
    vllm: VllmServer, address: LlmAddress, passages: tuple[list[Chunk], ParsedDocument]
) -> None:
    chunks, _ = passages
    by_rules = build.extract(chunks)
    asked = vllm.count("vllm:request_prompt_tokens_count")
    refined = address.run(lambda client: refine(client, chunks, by_rules))
    assert vllm.count("vllm:request_prompt_tokens_count") > asked
    for chunk, share in zip(chunks, refined.shares, strict=True):
        named = [mention for mention in share.mentions if mention.role is MentionRole.MENTION]
        assert named, "the rules' names stay as readings"
        assert all(mention.span.of(chunk.text) == mention.surface for mention in named)
    unchanged = sum(share == rules for share, rules in zip(refined.shares, by_rules, strict=True))
    assert refined.unread <= unchanged, "what the model could not read keeps everything of the rules"
    assert bool(refined.unread) == bool(refined.reason)


class Colour(msgspec.Struct, frozen=True):
    """Arguments that noise fills too: no free text in them."""

    colour: Literal["red", "green"]
    sure: bool


async def test_a_call_of_a_tool_is_forced_by_its_schema_even_of_a_model_that_knows_no_words(
    vllm: VllmServer, llm: Llm
) -> None:
    asked = vllm.count("vllm:request_prompt_tokens_count")
    tools = [Tool("paint", "Paint it.", Colour), Tool("mix", "Mix it.", Colour)]
    turn = await llm.complete_with_tools(HELLO, tools, must_call=True, max_tokens=2000)
    assert turn.calls
    assert {call.name for call in turn.calls} <= {"paint", "mix"}
    assert all(msgspec.convert(call.arguments, Colour) for call in turn.calls)
    assert vllm.count("vllm:request_prompt_tokens_count") - asked == 1, "no repair was needed"


def test_the_reading_agent_ends_and_writes_only_what_stands_in_the_text(
    vllm: VllmServer, address: LlmAddress, passages: tuple[list[Chunk], ParsedDocument], tmp_path: Path
) -> None:
    """Calls of noise: each round is forced to call a tool, and whatever it calls passes the checks or is refused."""
    chunks, _ = passages
    by_rules = build.extract(chunks)
    asked = vllm.count("vllm:request_prompt_tokens_count")
    with closing(FolderStores(tmp_path)) as stores:
        kept = Readings(stores.objects.for_tenant(DEFAULT_TENANT), "d", "v", "noise")
        graph = stores.graphs.reader(DEFAULT_TENANT)
        limits, turns = Limits(1_000_000, 3), Turns(lambda _: None, time.monotonic() + 600)
        read = address.run(lambda client: read_document(client, chunks, by_rules, graph, kept, limits, turns))
    assert 0 < vllm.count("vllm:request_prompt_tokens_count") - asked <= 2 * 3 * len(chunks)
    for chunk, share, rules in zip(chunks, read.shares, by_rules, strict=True):
        assert checked(chunk, share) == share
        assert {mention.key for mention in share.mentions} <= {mention.key for mention in rules.mentions}
    assert bool(read.unread) == bool(read.reason)


QUESTION = "Who designed the bridge of Solway Reach?"


@pytest.fixture
def hits(passages: tuple[list[Chunk], ParsedDocument]) -> tuple[Hit, ...]:
    return tuple(Hit(chunk, rank, 1.0 / rank) for rank, chunk in enumerate(passages[0], 1))


async def test_reranking_orders_every_passage_once_in_one_request(
    vllm: VllmServer, llm: Llm, hits: tuple[Hit, ...]
) -> None:
    asked = vllm.count("vllm:request_prompt_tokens_count")
    ordered, spent = await rerank_with_llm(QUESTION, hits, llm, 60)
    assert vllm.count("vllm:request_prompt_tokens_count") - asked == 1, "no repair was needed"
    assert not spent.truncated
    assert sorted(hit.chunk.id for hit in ordered) == sorted(hit.chunk.id for hit in hits)
    assert [hit.rank for hit in ordered] == list(range(1, len(hits) + 1))
    assert all(hit.sources[-1].source == SOURCE for hit in ordered)


async def test_a_generated_answer_comes_in_pieces_and_cites_only_what_it_was_given(
    llm: Llm, hits: tuple[Hit, ...]
) -> None:
    pieces = [piece async for piece in generate(QUESTION, hits, llm, 60)]
    whole = pieces[-1]
    assert isinstance(whole, Generated)
    withdrawn = [at for at, piece in enumerate(pieces) if isinstance(piece, TextWithdrawn)]
    shown = pieces[withdrawn[-1] :] if withdrawn else pieces
    assert "".join(piece.text for piece in shown if isinstance(piece, TextPiece)).strip() == whole.draft.text
    assert whole.completion.output_tokens == MAX_ANSWER_TOKENS * whole.calls
    assert "The answer was cut off at its length limit." in whole.draft.notes
    assert {citation.chunk_id for citation in whole.draft.citations} <= {hit.chunk.id for hit in hits}


async def test_the_judge_of_an_answer_gives_one_of_the_three_verdicts(
    vllm: VllmServer, llm: Llm, hits: tuple[Hit, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    # a fence that is new each time is another prompt, at some of which a model of random weights never ends a string
    monkeypatch.setattr(secrets, "token_hex", lambda size: "7c" * size)
    asked = vllm.count("vllm:request_prompt_tokens_count")
    shelf = Shelf(hits)
    draft = Draft(
        f"Maren Tuck designed it {shelf.marker(hits[0])}.", found=True, citations=(shelf.cite(hits[0], "Maren Tuck"),)
    )
    judgement, spent = await judge_with_llm(QUESTION, draft, hits, llm, 60)
    assert vllm.count("vllm:request_prompt_tokens_count") - asked == 1, "no repair was needed"
    assert judgement.verdict in JudgedAs
    assert spent.output_tokens > 0
