"""What an export holds: entities, then what passages state of them, a page at a time and in a fixed order.

All entities come by their mentions and key, those of a neighbourhood by key; statements by chunk id. Only what queries
may see is stated, each with its evidence. Memory is that of a page, and of a neighbourhood's at most `MAX_ENTITIES`.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable, Mapping, Sequence

import msgspec

from trivium.batches import batches
from trivium.domain.chunks import Chunk
from trivium.domain.documents import Document
from trivium.domain.edits import SHARE_PREFIX, RelationKey, is_share_of_edit
from trivium.domain.graph import Entity, MentionRole, Relation
from trivium.domain.ids import digest
from trivium.domain.retrieval import RowFilter
from trivium.ports.graph import GraphReader, GraphRow
from trivium.ports.keywords import KeywordReader

PAGE = 500
MAX_ENTITIES = 5_000  # of a neighbourhood
EDGES_PER_ENTITY = 200  # followed from one to the next
STATEMENTS_PER_ENTITY = 1_000  # of a neighbourhood

Records = Callable[[Sequence[str]], Awaitable[Mapping[str, Document]]]
"""document id -> its record; unknown ones are absent."""


class Statement(msgspec.Struct, frozen=True):
    """A relation between two entities (their ids) as one passage states it. `id` is the same in every export.

    Where an edit states it, `document_id` and `document` are "".
    """

    id: str
    source: str
    target: str
    type: str
    confidence: float
    document_id: str
    document: str
    chunk_id: str
    snippet: str
    operation: str


Part = Entity | Statement
_EDIT = Document("", "", "", "")  # stands where an edit says something, and no document


class Stores(msgspec.Struct, frozen=True):
    """Where one tenant's graph is read; `hidden` as in `trivium.domain.edits.Decisions`."""

    graph: GraphReader
    keywords: KeywordReader
    records: Records
    hidden: Mapping[RelationKey, str] = {}


async def whole(stores: Stores, dataset: str = "") -> AsyncGenerator[list[Part]]:
    """Everything of a tenant, or what one dataset says."""
    cursor, more = "", True
    while more:
        page = await stores.graph.entities(limit=PAGE, cursor=cursor)
        cursor = page.cursor
        more = bool(cursor)
        yield await _named_within(stores, page.entities, dataset)
    after = ""
    while rows := await stores.graph.shares(after, PAGE, dataset):
        after = rows[-1].share.chunk_id
        known = await stores.records(sorted({row.document_id for row in rows}))
        seen = [row for row in rows if is_share_of_edit(row.share.chunk_id) or _sees(known, row)]
        documents = {row.share.chunk_id: known.get(row.document_id, _EDIT) for row in seen}
        yield list(await _statements(stores, [r for row in seen for r in row.share.relations], documents))
        if len(rows) < PAGE:
            break


async def neighbourhood(stores: Stores, start: Entity, depth: int, dataset: str = "") -> AsyncGenerator[list[Part]]:
    """An entity, those at most `depth` steps from it, and what is stated between them; perhaps of one dataset."""
    reached = await _reached(stores.graph, start, depth)
    for page in batches(sorted(reached), PAGE):
        yield await _named_within(stores, [reached[key] for key in page], dataset)
    for page in batches(sorted(reached), PAGE // 10):
        evidence = await asyncio.gather(*(stores.graph.evidence(key, STATEMENTS_PER_ENTITY) for key in page))
        relations = [relation for _, stated in evidence for relation in stated]
        chunks = await stores.keywords.chunks(sorted({relation.chunk_id for relation in relations}))
        known = await stores.records(sorted({chunk.document_id for chunk in chunks.values()}))
        documents = {
            key: known[chunk.document_id]
            for key, chunk in chunks.items()
            if _sees(known, chunk) and dataset in ("", known[chunk.document_id].dataset)
        }
        if not dataset:
            documents |= {one.chunk_id: _EDIT for one in relations if is_share_of_edit(one.chunk_id)}
        ids = {entity.id: entity.key for entity in reached.values()}
        found = await _statements(stores, relations, documents)
        own = set(page)  # each statement comes with the first of its two ends
        yield [one for one in found if one.target in ids and min(ids.get(one.source, ""), ids[one.target]) in own]


async def _reached(graph: GraphReader, start: Entity, depth: int) -> dict[str, Entity]:
    """By key; the strongest edges are followed first, until `MAX_ENTITIES` are reached."""
    reached, border = {start.key: start}, [start.key]
    for _ in range(depth):
        beyond: dict[str, None] = {}
        for page in batches(border, PAGE):
            edges = await graph.edges(page, EDGES_PER_ENTITY)
            ends = (end for key in page for edge in edges.get(key, []) for end in (edge.source_key, edge.target_key))
            beyond |= dict.fromkeys(end for end in ends if end not in reached)
        new = list(beyond)[: MAX_ENTITIES - len(reached)]
        entities: dict[str, Entity] = {}
        for page in batches(new, PAGE):
            entities |= await graph.named(page)
        reached |= {entity.key: entity for entity in entities.values()}
        border = sorted({entity.key for entity in entities.values()})
    return reached


async def _named_within(stores: Stores, entities: Sequence[Entity], dataset: str) -> list[Part]:
    """Those that stand in a passage of the dataset."""
    if not dataset or not entities:
        return list(entities)
    keys = [entity.key for entity in entities]
    where = RowFilter(dataset=dataset)
    named = await asyncio.gather(*(stores.graph.mentioned_by(keys, 1, role, where) for role in MentionRole))
    present = {key for found in named for key in found}
    return [entity for entity in entities if entity.key in present]


async def _statements(
    stores: Stores, relations: Sequence[Relation], documents: Mapping[str, Document]
) -> Iterable[Statement]:
    """Each once, by chunk, place and ends; without those of chunks that have no document, or not between entities."""
    keys = sorted({end for one in relations for end in (one.source_key, one.target_key)})
    entities: dict[str, Entity] = {}
    for some in batches(keys, PAGE):
        entities |= await stores.graph.named(some)
    hidden = await _hidden(stores) if stores.hidden else {}
    found: dict[str, Statement] = {}
    for one in sorted(relations, key=lambda r: (r.chunk_id, r.span.start, r.source_key, r.target_key, r.type)):
        source, target, document = (
            entities.get(one.source_key),
            entities.get(one.target_key),
            documents.get(one.chunk_id),
        )
        if source is None or target is None or document is None or source.id == target.id:
            continue
        if not _is_hidden(one.chunk_id, hidden.get((source.id, target.id, one.type))):
            place = (str(one.span.start), str(one.span.end))
            identity = digest("statement", one.chunk_id, source.id, target.id, one.type, *place)
            found[identity] = Statement(
                identity,
                source.id,
                target.id,
                one.type,
                one.confidence,
                document.id,
                document.source,
                one.chunk_id,
                one.snippet,
                one.operation,
            )
    return found.values()


async def _hidden(stores: Stores) -> dict[tuple[str, str, str], str]:
    """From which mark on edits state a relation (ids of its ends, type) that passages do not any more."""
    keys = sorted({end for one in stores.hidden for end in (one.source_key, one.target_key)})
    named = await stores.graph.named(keys)
    ends = [
        (named.get(one.source_key), named.get(one.target_key), one.type, stores.hidden[one]) for one in stores.hidden
    ]
    return {(source.id, target.id, kind): mark for source, target, kind, mark in ends if source and target}


def _is_hidden(chunk_id: str, mark: str | None) -> bool:
    if mark is None:
        return False
    return not is_share_of_edit(chunk_id) or chunk_id.removeprefix(SHARE_PREFIX) < mark


def _sees(known: Mapping[str, Document], row: GraphRow | Chunk) -> bool:
    document = known.get(row.document_id)
    return document is not None and document.active_version == row.version
