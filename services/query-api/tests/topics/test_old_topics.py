"""Old topics are told as long as new ones are in the making, and whoever asks hears of it."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import msgspec
import numpy as np
import pytest
from openai_peer import OpenAiPeer, Reply, Seen

from trivium.adapters.embedded.graph import SqliteGraphs
from trivium.adapters.embedded.keywords import SqliteKeywords
from trivium.adapters.embedded.objects import LocalObjects
from trivium.adapters.embedded.registry import SqliteRegistry
from trivium.adapters.embedded.vectors import SqliteVectors
from trivium.domain.chunks import Chunk, Span
from trivium.domain.documents import Document, DocumentState
from trivium.domain.errors import TryLater
from trivium.domain.retrieval import Mode, SearchFilter, SearchResult
from trivium.domain.scope import DEFAULT_TENANT, Scope, Tenant
from trivium.domain.topics import Topic, Topics
from trivium.llm.connect import connect_llm
from trivium.llm.transport import LlmLimits
from trivium.ports.keywords import keyword_rows
from trivium.text.sentences import split_sentences
from trivium_query.answer.answer import Dependencies, answer
from trivium_query.collection_themes import CollectionThemes
from trivium_query.question_vectors import QuestionVectors
from trivium_query.requests import AskRequest
from trivium_query.retrieve.budgeted_reads import Budgets
from trivium_query.retrieve.texts import PublishedChunks
from trivium_query.retrieve.topics import similarities
from trivium_query.searching import PipelineSearcher
from trivium_query.topics.kept import Current

SAID = "Documents came since these topics were made; new ones are being made."
QUESTION = "What are the main themes of these documents?"
TEXT = "The old weir was mended with elm boards before the flood."
DOCUMENTS = {f"{number:032x}": "v1" for number in range(2)}
OLD = Topics("old", 1.0, DOCUMENTS, (Topic("t", 0, "", "Weirs", (), (), ("c0",), 3, 1, 1),))


class InTheMaking:
    """Topics whose making takes longer than anybody waits."""

    async def of(self, tenant: Tenant, dataset: str, wait_s: float) -> Current:
        await asyncio.sleep(wait_s)
        return Current(OLD, stale=True)

    def close(self) -> None: ...


def written(seen: Seen) -> Reply:
    """As a language model that is sure of its answer."""
    return Reply(f"{TEXT} [1]" if seen.body.get("stream") else '{"verdict": "SUPPORTED", "sub_questions": []}')


@pytest.fixture
def registry(tmp_path: Path) -> Iterator[SqliteRegistry]:
    held = SqliteRegistry(tmp_path)
    for key, version in DOCUMENTS.items():
        taken = held.for_tenant(DEFAULT_TENANT).accept(Document(key, "default", f"{key}.txt", version))
        ready = msgspec.structs.replace(taken, state=DocumentState.READY, active_version=version)
        held.for_tenant(DEFAULT_TENANT).save(ready)
    yield held
    held.close()


@pytest.fixture
def keywords(tmp_path: Path) -> SqliteKeywords:
    held = SqliteKeywords(tmp_path)
    chunks = [
        Chunk(f"c{n}", key, version, 0, TEXT, Span(0, len(TEXT)), f"{key}.txt", split_sentences(TEXT))
        for n, (key, version) in enumerate(DOCUMENTS.items())
    ]
    held.writer(DEFAULT_TENANT).upsert(keyword_rows(chunks, Scope(DEFAULT_TENANT, "default")))
    return held


async def test_a_search_by_topics_has_the_old_ones(
    registry: SqliteRegistry, keywords: SqliteKeywords, tmp_path: Path
) -> None:
    vectors = SqliteVectors(tmp_path)
    searcher = PipelineSearcher(
        vectors,
        keywords,
        SqliteGraphs(tmp_path),
        registry,
        PublishedChunks(LocalObjects(tmp_path)),
        cast("QuestionVectors", SimpleNamespace(embed=None)),
        Budgets(30, 30, 30, topics_s=2.0),
        vectors,
        topics=InTheMaking(),
    )
    found = await searcher.search(DEFAULT_TENANT, QUESTION, Mode.TOPICS, 5, SearchFilter())
    assert [(hit.chunk.id, hit.topic) for hit in found.hits] == [("c0", "Weirs")]
    assert found.degraded == ()
    assert found.notes == (SAID,)

    async def retrieve(question: str, depth: int) -> SearchResult:
        return found

    async def no_vectors(*_: Any) -> Any:
        raise TryLater("no_vectors", "The vectors are away.")

    given = await answer(AskRequest(question="Who mended the weir?"), Dependencies(retrieve, no_vectors, no_vectors))
    assert SAID in given.notes


async def test_an_answer_with_less_time_than_the_making_takes_tells_the_old_ones_and_says_so(
    registry: SqliteRegistry, keywords: SqliteKeywords
) -> None:
    async def never(*_: Any) -> Any:
        raise AssertionError

    themes = CollectionThemes(
        DEFAULT_TENANT,
        InTheMaking(),
        keywords.reader(DEFAULT_TENANT),
        registry.for_tenant(DEFAULT_TENANT),
        SearchFilter(),
    )
    asked = AskRequest(question=QUESTION, timeout_s=4.0)
    given = await answer(asked, Dependencies(never, never, never, collected=themes))
    assert TEXT in given.text
    assert given.notes == (SAID,)
    assert given.degraded == ()
    with OpenAiPeer(written) as peer:
        llm = connect_llm("openai", model="m-1", base_url=peer.url, api_key="k", limits=LlmLimits())
        told = await answer(asked, Dependencies(never, never, never, llm=llm, collected=themes))
        await llm.close()
    assert (told.engine, told.notes) == ("openai:m-1", (SAID,))


def test_passages_of_another_model_are_not_compared() -> None:
    asked = np.array([1, 0], np.float32)
    assert similarities(asked, {"old": np.ones(3, np.float32), "new": asked}) == {"new": 1.0}
