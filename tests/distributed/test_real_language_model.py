"""A small real language model behind vLLM: it copies names wrongly and ignores formats, and nothing breaks by that.

What it said is printed (`pytest -s`): a machine without its package skips this.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator

import msgspec
import pytest
from real_models import SMOLLM2, real_model
from vllm_server import SERVER, VllmServer, vllm_server
from waiting import wait_until

from trivium.config import load_settings
from trivium.domain.answers import Verdict
from trivium.domain.chunks import Chunk
from trivium.domain.documents import DocumentState
from trivium.domain.scope import DEFAULT_TENANT
from trivium.ports.intake import NewSource
from trivium.ports.parser import Blob
from trivium_embedded.wiring import assembled
from trivium_query.answering import PipelineAnswerer
from trivium_query.requests import AskRequest, Services

pytestmark = [pytest.mark.models, pytest.mark.slow, pytest.mark.timeout(900)]  # a minute to start

PATIENCE_S = 400.0  # for a model on a busy processor
ANSWER_S = 120.0  # what is late by then is extracted instead, and says so
TOKENS_READ = "vllm:prompt_tokens_total"  # of requests that nobody waited for, too
NOTE = (
    "The fish ladder at Corrin Gorge was built in 2016 by the engineer Ilse Brandt. It has 34 pools.\n\n"
    "Maren Tuck designed the bridge of Solway Reach. The bridge opened in 1897 and carries the railway.\n\n"
    "Before the bridge was there, a ferry crossed the reach twice a day. Its last master was Oswin Hale."
)
QUESTIONS = (
    "Who designed the bridge that ended the ferry of Oswin Hale, and when did it open?",
    "Who painted the ceiling of the town hall?",
)


@pytest.fixture(scope="module")
def vllm() -> Iterator[VllmServer]:
    with vllm_server(real_model(SMOLLM2)) as server:
        yield server


@pytest.fixture(scope="module")
def product(vllm: VllmServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Services]:
    """Everything that can ask a language model asks this one."""
    named = {
        "TRIVIUM_LLM": "vllm",
        "TRIVIUM_LLM_URL": SERVER,
        "TRIVIUM_LLM_MODEL": SMOLLM2,
        "TRIVIUM_LLM_TIMEOUT_S": str(PATIENCE_S),
        "TRIVIUM_RERANK": "llm",
        "TRIVIUM_CHUNK_SIZE": "120",
        "TRIVIUM_CHUNK_OVERLAP": "0",
    }
    folder = tmp_path_factory.mktemp("data") / "data"
    with assembled(msgspec.structs.replace(load_settings(named), data_dir=folder)) as services:
        yield services


@pytest.fixture(scope="module")
def chunks(vllm: VllmServer, product: Services) -> list[Chunk]:
    """A note, read with a context for each passage and a graph by the model."""
    before = vllm.count(TOKENS_READ)
    accepted = product.intake.for_tenant(DEFAULT_TENANT).accept(NewSource(Blob("reach.md", NOTE.encode())))
    registry = product.registry.for_tenant(DEFAULT_TENANT)
    wait_until(lambda: registry.get(accepted.id).state.terminal, "the note is read", limit_s=PATIENCE_S)
    document = registry.get(accepted.id)
    assert document.state is DocumentState.READY, document.failure
    reader = product.keywords.reader(DEFAULT_TENANT)
    found = asyncio.run(reader.document_chunks(document.id, document.version))
    print(f"{len(found)} passages, warnings: {document.warnings}")
    assert len(found) > 1
    assert vllm.count(TOKENS_READ) - before > sum(len(chunk.text.split()) for chunk in found), "the model read them"
    return found


async def test_passages_stay_exact_whatever_the_model_says_beside_them(chunks: list[Chunk]) -> None:
    for chunk in chunks:
        print(f"context of chunk {chunk.ordinal}: {chunk.context!r}")
        assert chunk.span.of(NOTE) == chunk.text
        assert "\0" not in chunk.context


async def test_the_graph_holds_only_names_that_stand_in_the_text(product: Services, chunks: list[Chunk]) -> None:
    reader = product.graphs.reader(DEFAULT_TENANT)
    entities = (await reader.entities(limit=100)).entities
    print(f"entities: {[(entity.name, entity.type) for entity in entities]}")
    assert {"Ilse Brandt", "Maren Tuck"} <= {entity.name for entity in entities}
    assert all(entity.name in NOTE for entity in entities)


@pytest.fixture
async def answerer(product: Services) -> AsyncIterator[PipelineAnswerer]:
    assert isinstance(product.answerer, PipelineAnswerer)
    assert product.answerer.llm
    yield product.answerer
    await product.answerer.llm.close()  # its connections are of the test's event loop


async def test_an_answer_cites_what_is_there_or_says_why_not(
    vllm: VllmServer, answerer: PipelineAnswerer, chunks: list[Chunk]
) -> None:
    for question in QUESTIONS:
        before = vllm.count(TOKENS_READ)
        given = await answerer.answer(DEFAULT_TENANT, AskRequest(question=question, timeout_s=ANSWER_S))
        print(f"{question}\n  {given.engine}, {given.verdict}, found: {given.found}: {given.text!r}")
        print(f"  sub-questions: {given.sub_questions}\n  notes: {given.notes}\n  degraded: {given.degraded}")
        assert vllm.count(TOKENS_READ) > before, "it was asked"
        assert given.verdict in Verdict
        assert given.text.strip()
        assert given.engine in (f"vllm:{SMOLLM2}", "extractive")
        assert {citation.chunk_id for citation in given.citations} <= {chunk.id for chunk in chunks}
        assert all(citation.quote in NOTE for citation in given.citations)
        assert all(lost.reason for lost in given.degraded)
        assert given.engine != "extractive" or given.notes, "and says that the model's answer was not taken"
