"""A relation of a hub is found, and keeps its evidence, however many others the hub takes part in."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path

import pytest
from folder_stores import FolderStores

from trivium.api import Edited
from trivium.domain.chunks import Chunk, Span
from trivium.domain.documents import Document
from trivium.domain.edits import Actor
from trivium.domain.errors import NotFound, Refused
from trivium.domain.graph import ChunkGraph, Mention, Relation
from trivium.domain.retrieval import Mode, SearchResult
from trivium.domain.scope import DEFAULT_TENANT, Scope
from trivium.edits.curation import Curation, curation_of
from trivium.graph_tools import existing_relation
from trivium.graph_tools.desk import Desk, Sources
from trivium.graph_tools.tools import TOOLS
from trivium.ports.graph import GraphRow
from trivium.ports.keywords import keyword_rows
from trivium.text.names import fold_name

SCOPE = Scope(DEFAULT_TENANT, "default")
USES = {"source": "Acme", "type": "USES", "target": "Zeta"}


@pytest.fixture
def stores(tmp_path: Path) -> Iterator[FolderStores]:
    with closing(FolderStores(tmp_path)) as opened:
        yield opened


def say(stores: FolderStores, document: str, kind: str, pairs: Sequence[tuple[str, str]], confidence: float) -> None:
    """A document with a passage for each pair."""
    stores.registry.for_tenant(DEFAULT_TENANT).accept(Document(document, DEFAULT_TENANT.name, f"{document}.txt", "v"))
    chunks, rows = [], []
    for at, (source, target) in enumerate(pairs):
        text = f"{source} {kind} {target}."
        span, keys = Span(0, len(text)), (fold_name(source), fold_name(target))
        chunk = Chunk(f"{document}-{at:04}", document, "v", at, text, span, f"{document}.txt", (span,))
        mentions = (Mention(keys[0], chunk.id, 0, span, source), Mention(keys[1], chunk.id, 0, span, target))
        stated = Relation(*keys, kind, confidence, chunk.id, span, text, "test")
        chunks.append(chunk)
        rows.append(GraphRow(ChunkGraph(chunk.id, mentions, (stated,)), document, "v", SCOPE))
    stores.keywords.writer(DEFAULT_TENANT).upsert(keyword_rows(chunks, SCOPE))
    stores.graphs.writer(DEFAULT_TENANT).upsert(rows)


async def run(stores: FolderStores, curation: Curation, tool: str, **arguments: object) -> Edited:
    async def search(question: str, mode: Mode, top_k: int) -> SearchResult:
        raise NotImplementedError

    graph, keywords = stores.graphs.reader(DEFAULT_TENANT), stores.keywords.reader(DEFAULT_TENANT)
    sources = Sources(graph, keywords, stores.registry.for_tenant(DEFAULT_TENANT), search)
    wanted = TOOLS[tool]
    edited = await wanted.run(Desk(SCOPE, Actor(name="anna"), sources, curation), wanted.arguments(**arguments))
    assert isinstance(edited, Edited)
    return edited


async def of_zeta(stores: FolderStores) -> list[str]:
    edges = await stores.graphs.reader(DEFAULT_TENANT).edges(["zeta"])
    return [f"{edge.source_key} {edge.type} {edge.target_key}" for edge in edges.get("zeta", [])]


def hub(name: str, size: int) -> list[tuple[str, str]]:
    return [(name, f"{name} Person {n}") for n in range(size)]


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("update_relation", {**USES, "new_type": "BUILDS_ON"}),
        ("merge_relation", {"source": "Acme", "target": "Zeta", "types": ("USES",), "into": "BUILDS_ON"}),
    ],
)
async def test_a_hubs_relation_keeps_its_passages_and_goes_with_its_documents(
    stores: FolderStores, tool: str, arguments: dict[str, object]
) -> None:
    say(stores, "weak", "USES", [("Acme", "Zeta")], 0.6)
    say(stores, "strong", "EMPLOYS", hub("Acme", existing_relation.MAX_STATEMENTS + 50), 0.9)
    curation = curation_of(stores)
    [edit] = (await run(stores, curation, tool, **arguments)).edits
    assert [(quote.chunk_id, quote.snippet) for quote in edit.evidence] == [("weak-0000", "Acme USES Zeta.")]
    assert await of_zeta(stores) == ["acme BUILDS_ON zeta"]
    stores.graphs.writer(DEFAULT_TENANT).delete("weak")
    stores.registry.for_tenant(DEFAULT_TENANT).delete("weak")
    curation.document_changed(DEFAULT_TENANT, "weak")
    assert await of_zeta(stores) == []


@pytest.mark.parametrize("hubs", [("Acme",), ("Zeta",), ("Acme", "Zeta")])
async def test_a_relation_is_found_behind_all_others_of_a_hub_at_either_end(
    stores: FolderStores, monkeypatch: pytest.MonkeyPatch, hubs: Sequence[str]
) -> None:
    monkeypatch.setattr(existing_relation, "EDGES_AT_ONCE", 4)
    for name in hubs:
        say(stores, f"of-{name}", "EMPLOYS", hub(name, 11), 0.9)
    say(stores, "weak", "USES", [("Acme", "Zeta")], 0.6)
    curation = curation_of(stores)
    with pytest.raises(NotFound) as refused:
        await run(stores, curation, "delete_relation", **{**USES, "type": "OWNS"})
    assert refused.value.action == "Between the two there is: acme USES zeta."
    await run(stores, curation, "delete_relation", **USES)
    assert "acme USES zeta" not in await of_zeta(stores)
    with pytest.raises(NotFound) as refused:
        await run(stores, curation, "delete_relation", **USES)
    assert refused.value.action == "Between the two there is no relation."


TYPED = {"type": "CO_OCCURS_WITH", "new_type": "WORKS_FOR", "confidence": 0.9}
MERGED = {"types": ("CO_OCCURS_WITH", "USES"), "into": "WORKS_FOR"}


@pytest.mark.parametrize(("source", "target"), [("Zeta", "Acme"), ("Acme", "Zeta")])
@pytest.mark.parametrize(("tool", "arguments"), [("update_relation", TYPED), ("merge_relation", MERGED)])
async def test_a_co_occurrence_points_as_it_is_named_once_it_is_of_a_type(
    stores: FolderStores, tool: str, arguments: dict[str, object], source: str, target: str
) -> None:
    say(stores, "both", "CO_OCCURS_WITH", [("Acme", "Zeta"), ("Zeta", "Acme")], 0.5)
    if tool == "merge_relation":
        say(stores, "uses", "USES", [(source, target)], 0.7)
    curation = curation_of(stores)
    await run(stores, curation, tool, source=source, target=target, **arguments)
    assert await of_zeta(stores) == [f"{source.lower()} WORKS_FOR {target.lower()}"]


async def test_a_turned_co_occurrence_points_the_other_way_only_with_a_type(stores: FolderStores) -> None:
    say(stores, "both", "CO_OCCURS_WITH", [("Acme", "Zeta")], 0.7)
    curation = curation_of(stores)
    named = {"source": "Zeta", "type": "CO_OCCURS_WITH", "target": "Acme", "turned": True}
    with pytest.raises(Refused) as refused:
        await run(stores, curation, "update_relation", **named)
    assert refused.value.code == "nothing_to_change"
    await run(stores, curation, "update_relation", **named, confidence=0.9)
    assert await of_zeta(stores) == ["acme CO_OCCURS_WITH zeta"]
    await run(stores, curation, "update_relation", **named, new_type="USES")
    assert await of_zeta(stores) == ["acme USES zeta"]


async def test_what_is_merged_of_co_occurrences_alone_is_too_unsure_for_a_type(stores: FolderStores) -> None:
    say(stores, "both", "CO_OCCURS_WITH", [("Acme", "Zeta")], 0.5)
    curation = curation_of(stores)
    alone = {"source": "Zeta", "target": "Acme", "types": ("CO_OCCURS_WITH",), "into": "WORKS_FOR"}
    with pytest.raises(Refused) as refused:
        await run(stores, curation, "merge_relation", **alone)
    assert refused.value.code == "low_confidence"
    assert await of_zeta(stores) == ["acme CO_OCCURS_WITH zeta"]
