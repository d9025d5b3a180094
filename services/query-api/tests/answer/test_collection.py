"""Questions about the documents themselves: what is counted is exact, or said not to be; only what is seen is told."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
import pytest

from trivium.adapters.embedded.keywords import SqliteKeywords
from trivium.adapters.embedded.registry import SqliteRegistry
from trivium.domain.answers import Verdict
from trivium.domain.chunks import Chunk, Span
from trivium.domain.documents import Document, DocumentState
from trivium.domain.parsed import UnitKind
from trivium.domain.retrieval import SearchFilter
from trivium.domain.scope import DEFAULT_TENANT, Scope
from trivium.ports.inference import Vector
from trivium.ports.keywords import keyword_rows
from trivium.text.sentences import split_sentences
from trivium_query import published_documents
from trivium_query.answer.answer import answer
from trivium_query.answer.answerers.collection import answer_of_collection
from trivium_query.published_documents import PublishedDocuments
from trivium_query.requests import AskRequest

if TYPE_CHECKING:
    from conftest import Library

Ask = Callable[..., AskRequest]
Open = Callable[..., PublishedDocuments]
FILES = 5
TEXT = "The heron was counted at the weir by volunteers last summer. They counted before the tide every morning."
ROWS = "Bird: heron; Seen: 4"


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[Open]:
    """Five files of a text each; the last has a table behind it."""
    registry, keywords = SqliteRegistry(tmp_path), SqliteKeywords(tmp_path)
    for number in range(FILES):
        key, source = f"{number:032x}", f"{number}.txt"
        taken = registry.for_tenant(DEFAULT_TENANT).accept(Document(key, "default", source, "v1"))
        passages = 2 if number == FILES - 1 else 1
        ready = msgspec.structs.replace(taken, state=DocumentState.READY, active_version="v1", chunks=passages)
        registry.for_tenant(DEFAULT_TENANT).save(ready)
        chunks = [Chunk(f"{key}a", key, "v1", 0, TEXT, Span(0, len(TEXT)), source, split_sentences(TEXT))]
        if number == FILES - 1:
            whole = Span(0, len(ROWS))
            chunks.append(Chunk(f"{key}b", key, "v1", 1, ROWS, whole, source, (whole,), UnitKind.TABLE))
        keywords.writer(DEFAULT_TENANT).upsert(keyword_rows(chunks, Scope(DEFAULT_TENANT, "default")))

    def build(*kinds: str) -> PublishedDocuments:
        seen = SearchFilter(kinds=kinds)
        return PublishedDocuments(registry.for_tenant(DEFAULT_TENANT), keywords.reader(DEFAULT_TENANT), seen)

    yield build
    registry.close()


async def test_documents_are_counted_exactly(opened: Open) -> None:
    told = await answer_of_collection("How many documents are there?", opened())
    assert told.draft.text.startswith("There are 5 documents:\n")
    assert (told.draft.short, told.verdict) == ("5", Verdict.SUPPORTED)


async def test_more_documents_than_are_listed_are_not_counted_as_all(
    opened: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(published_documents, "PAGE", 2)
    monkeypatch.setattr(published_documents, "MAX_DOCUMENTS", 4)
    told = await answer_of_collection("How many documents are there?", opened())
    assert told.draft.text.startswith("There are at least 4 documents:\n")
    assert (told.draft.short, told.verdict) == ("at least 4", Verdict.PARTIALLY_SUPPORTED)
    none = await answer_of_collection("How many PDFs are there?", opened())
    assert none.draft.text == "There is no such document among the newest."
    monkeypatch.setattr(published_documents, "MAX_DOCUMENTS", 6)
    told = await answer_of_collection("How many documents are there?", opened())
    assert (told.draft.short, told.verdict) == ("5", Verdict.SUPPORTED)


async def test_only_passages_of_the_kinds_asked_for_are_told(opened: Open) -> None:
    tables = opened("table")
    documents = await tables.documents()
    assert [hit.chunk.text for hit in (await tables.first_passages(documents)).hits] == [ROWS]
    read = [await tables.passages(each.id, each.active_version) for each in documents.found]
    passages = [[chunk.text for chunk in chunks] for chunks in read]
    assert sorted(passages) == [[]] * (FILES - 1) + [[ROWS]]
    told = await answer_of_collection("Which documents are there?", tables)
    assert [citation.quote for citation in told.draft.citations] == [ROWS]
    texts = opened("text")
    assert len((await texts.first_passages(documents)).hits) == FILES


async def test_only_documents_with_passages_of_the_kinds_asked_for_are_counted(
    opened: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    question = "How many documents are there?"
    told = await answer_of_collection(question, opened("table"))
    assert told.draft.text.startswith("There is 1 document:\n")
    assert (told.draft.short, told.verdict) == ("1", Verdict.SUPPORTED)
    assert (await answer_of_collection(question, opened("text", "table"))).draft.short == str(FILES)
    none = await answer_of_collection(question, opened("image"))
    assert (none.draft.found, none.draft.text) == (False, "There is no such document.")
    monkeypatch.setattr(published_documents, "MAX_LOOKED_AT", 3)  # of the files
    told = await answer_of_collection(question, opened("text"))
    assert (told.draft.short, told.verdict) == ("at least 3", Verdict.PARTIALLY_SUPPORTED)
    monkeypatch.undo()
    monkeypatch.setattr(published_documents, "MAX_PASSAGES_OF_ONE", 1)  # and the table is its second
    none = await answer_of_collection(question, opened("table"))
    assert none.draft.text == "There is no such document among the newest."


async def test_a_document_that_is_not_read_in_time_leaves_time_for_what_was_found(
    library: Library, ask: Ask, opened: Open
) -> None:
    asked = 0

    async def hanging_at_first(chunk_ids: Sequence[str]) -> Mapping[str, Vector]:
        nonlocal asked
        asked += 1
        await asyncio.sleep(60 * (asked == 1))
        return await library.sentence_vectors(chunk_ids)

    dependencies = msgspec.structs.replace(
        library.dependencies(), sentence_vectors=hanging_at_first, collection=opened()
    )
    given = await answer(ask("Summarise 4.txt", timeout_s=1.0), dependencies)
    assert asked == 2
    assert [lost.source for lost in given.degraded] == ["collection"]
