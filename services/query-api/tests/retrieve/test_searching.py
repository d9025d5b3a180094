"""What one question costs the registry."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import msgspec
import pytest

from trivium.adapters.embedded.graph import SqliteGraphs
from trivium.adapters.embedded.keywords import SqliteKeywords
from trivium.adapters.embedded.objects import LocalObjects
from trivium.adapters.embedded.registry import SqliteRegistry
from trivium.adapters.embedded.vectors import SqliteVectors
from trivium.domain.chunks import Chunk, Span
from trivium.domain.documents import Document, DocumentState
from trivium.domain.retrieval import Mode, SearchFilter
from trivium.domain.scope import DEFAULT_TENANT, Scope, Tenant
from trivium.ports.keywords import keyword_rows
from trivium.ports.registry import Registry
from trivium_query.question_vectors import QuestionVectors
from trivium_query.retrieve.budgeted_reads import Budgets
from trivium_query.retrieve.texts import PublishedChunks
from trivium_query.searching import PipelineSearcher

DOCUMENTS = 12


class CountedReads:
    """A registry that counts what is asked of it."""

    def __init__(self, registry: SqliteRegistry) -> None:
        self._registry = registry
        self.asked = Counter[str]()

    def for_tenant(self, tenant: Tenant) -> Any:
        inner = self._registry.for_tenant(tenant)

        class Counted:
            def __getattr__(_, name: str) -> Callable[..., Any]:  # noqa: N805
                self.asked[name] += 1
                return cast("Callable[..., Any]", getattr(inner, name))

        return Counted()


@pytest.fixture
def registry(tmp_path: Path) -> Iterator[CountedReads]:
    held = SqliteRegistry(tmp_path)
    for number in range(DOCUMENTS):
        taken = held.for_tenant(DEFAULT_TENANT).accept(
            Document(f"{number:032x}", "default", f"{number}.txt", "v1", dataset="odd" if number % 2 else "even")
        )
        ready = msgspec.structs.replace(taken, state=DocumentState.READY, active_version="v1")
        held.for_tenant(DEFAULT_TENANT).save(ready)
    yield CountedReads(held)
    held.close()


@pytest.mark.parametrize("dataset", ["", "odd"])
async def test_one_question_reads_the_registry_once(registry: CountedReads, tmp_path: Path, dataset: str) -> None:
    keywords = SqliteKeywords(tmp_path)
    text = "The heron stands in the reeds."
    for n in range(DOCUMENTS):
        chunk = Chunk(f"c{n}", f"{n:032x}", "v1", 0, text, Span(0, len(text)), f"{n}.txt")
        keywords.writer(DEFAULT_TENANT).upsert(keyword_rows([chunk], Scope(DEFAULT_TENANT, "odd" if n % 2 else "even")))
    vectors = SqliteVectors(tmp_path)
    searcher = PipelineSearcher(
        vectors,
        keywords,
        SqliteGraphs(tmp_path),
        cast("Registry", registry),
        PublishedChunks(LocalObjects(tmp_path)),
        cast("QuestionVectors", SimpleNamespace(embed=None)),
        Budgets(30, 30, 30),
        vectors,
    )
    found = await searcher.search(DEFAULT_TENANT, "heron", Mode.KEYWORD, DOCUMENTS, SearchFilter(dataset=dataset))
    assert len(found.hits) == (DOCUMENTS // 2 if dataset else DOCUMENTS)
    assert registry.asked.total() == 1, registry.asked
