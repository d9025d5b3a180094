"""What is kept of documents that were asked about is bounded by the memory that it takes, not by their number."""

import gc
import tracemalloc
from collections.abc import Callable

import pytest

from trivium.adapters.embedded.objects import LocalObjects
from trivium.domain.chunks import Chunk, SourceSpan, Span
from trivium.domain.parsed import ParsedDocument, Position, Unit, UnitKind
from trivium.domain.scope import DEFAULT_TENANT
from trivium.flow import artifacts
from trivium_query.answer.tables.published_tables import PublishedTables
from trivium_query.retrieve.texts import PublishedChunks

DOCUMENTS = 24
ROWS = 1_000
LIMIT = 2 * 1024 * 1024  # bytes; a third of what the documents' tables take, or their chunks

Reader = Callable[[str], object]
Opened = Callable[[LocalObjects, int], Reader]


@pytest.fixture(scope="module")
def objects(tmp_path_factory: pytest.TempPathFactory) -> LocalObjects:
    objects = LocalObjects(tmp_path_factory.mktemp("objects"))
    for number in range(DOCUMENTS):
        _publish(objects, f"d{number}")
    return objects


def _publish(objects: LocalObjects, document_id: str) -> None:
    birds = [f"{document_id} coot {at}" for at in range(ROWS)]
    lines = [f"Bird: {bird}; Eggs: {at:04}" for at, bird in enumerate(birds)]
    text = "\n".join(lines)
    starts = [text.index(line) for line in lines]
    spans = tuple(Span(start, start + len(line)) for start, line in zip(starts, lines, strict=True))
    places = tuple(SourceSpan(span, Position(rows=(at, at))) for at, span in enumerate(spans))
    whole = Span(0, len(text))
    chunk = Chunk(f"{document_id}c", document_id, "v", 0, text, whole, "nests.csv", spans, places=places)
    cells = "".join(f"<tr><td>{bird}</td><td>{at}</td></tr>" for at, bird in enumerate(birds))
    table = Unit(UnitKind.TABLE, text, html=f"<table><tr><th>Bird</th><th>Eggs</th></tr>{cells}</table>")
    store, prefix = objects.for_tenant(DEFAULT_TENANT), artifacts.artifact_prefix(document_id, "v")
    made_of = {stage: f"{prefix}{stage}-1" for stage in ("parse", "enrich")}
    artifacts.save(store, made_of["parse"], ParsedDocument("text/csv", (table,)))
    artifacts.save(store, made_of["enrich"], [chunk])
    artifacts.save(store, f"{prefix}publish-1", artifacts.Published(made_of, 1))


def _chunks(objects: LocalObjects, limit: int) -> Reader:
    published = PublishedChunks(objects, limit)
    return lambda document_id: published.of(DEFAULT_TENANT, document_id, "v")


def _tables(objects: LocalObjects, limit: int) -> Reader:
    published = PublishedTables(objects, limit)
    return lambda document_id: published.of(DEFAULT_TENANT, document_id, "v")


@pytest.mark.parametrize("reader", [_chunks, _tables])
def test_the_memory_kept_is_what_was_allowed(objects: LocalObjects, reader: Opened) -> None:
    read = reader(objects, LIMIT)
    read("none")  # imports, caches of code
    gc.collect()
    tracemalloc.start()
    try:
        for number in range(DOCUMENTS):
            assert read(f"d{number}")
        gc.collect()
        kept = tracemalloc.get_traced_memory()[0]
    finally:
        tracemalloc.stop()
    assert LIMIT / 2 <= kept <= LIMIT * 1.25


@pytest.mark.parametrize("reader", [_chunks, _tables])
def test_a_document_larger_than_all_that_is_kept_is_read(objects: LocalObjects, reader: Opened) -> None:
    assert reader(objects, 1)("d0")
