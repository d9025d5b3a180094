"""What an export holds: entities, then what passages state of them, a page at a time and in a fixed order.

All entities come by their mentions and key, those of a neighbourhood by key; statements by the passage or edit that
states them, a dataset's edits behind its passages. Only what queries may see is stated, each with its evidence. Memory
is that of a page, of a neighbourhood's at most `MAX_ENTITIES`, and of what edits state in a dataset.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable, Mapping, Sequence, Set

import msgspec

from trivium.batches import batches
from trivium.domain.chunks import Chunk
from trivium.domain.documents import Document
from trivium.domain.edits import SHARE_PREFIX, RelationKey, is_share_of_edit, stated_by
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
    """A relation between two entities (their ids) as one passage or edit states it. `id` is the same in every export.

    An edit's is told with the passage that it rests on; without one, or when that is published no more, `document_id`,
    `document` and `snippet` are "".
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
    """Everything of a tenant, or what one dataset says: its passages, and edits of what they name, as `_resting_on`."""
    edited = await _of_edits(stores, dataset) if dataset else []
    ends = _ends(edited)
    cursor, more = "", True
    while more:
        page = await stores.graph.entities(limit=PAGE, cursor=cursor)
        cursor = page.cursor
        more = bool(cursor)
        yield await _named_within(stores, page.entities, dataset, ends)
    after = ""
    while rows := await stores.graph.shares(after, PAGE, dataset):
        after = rows[-1].share.chunk_id
        known = await stores.records(sorted({row.document_id for row in rows}))
        seen = [row for row in rows if not is_share_of_edit(row.share.chunk_id) and _sees(known, row)]
        by_edits = [r for row in rows if is_share_of_edit(row.share.chunk_id) for r in row.share.relations]
        documents = {row.share.chunk_id: known[row.document_id] for row in seen}
        documents |= await _resting_on(stores, by_edits, dataset)
        by_passages = (relation for row in seen for relation in row.share.relations)
        yield list(await _statements(stores, [*by_passages, *by_edits], documents))
        if len(rows) < PAGE:
            break
    for some in batches(edited, PAGE):
        yield list(some)


async def neighbourhood(stores: Stores, start: Entity, depth: int, dataset: str = "") -> AsyncGenerator[list[Part]]:
    """An entity, those at most `depth` steps from it, and what is stated between them; perhaps of one dataset."""
    reached = await _reached(stores.graph, start, depth)
    ends = _ends(await _of_edits(stores, dataset)) if dataset else set()
    for page in batches(sorted(reached), PAGE):
        yield await _named_within(stores, [reached[key] for key in page], dataset, ends)
    keys = {entity.id: entity.key for entity in reached.values()}

    def first_end(one: Statement) -> str:
        """With whose page it comes; "" where one of its ends was not reached."""
        return min(keys.get(one.source, ""), keys.get(one.target, ""))

    full: set[str] = set()  # of these perhaps more is stated than was read: the other end may have it
    told: set[str] = set()  # statements that come first with one of them
    for page in batches(sorted(reached), PAGE // 10):
        evidence = await asyncio.gather(*(stores.graph.evidence(key, STATEMENTS_PER_ENTITY) for key in page))
        relations = [relation for _, stated in evidence for relation in stated]
        found = await _statements(stores, relations, await _resting_on(stores, relations, dataset))
        own = set(page)
        full |= {key for key, (_, stated) in zip(page, evidence, strict=True) if len(stated) >= STATEMENTS_PER_ENTITY}
        late = {one.id for one in found if first_end(one) in full} - told
        yield [one for one in found if first_end(one) in own or one.id in late]
        told |= late


async def _of_edits(stores: Stores, dataset: str) -> list[Statement]:
    """What edits state that concern the dataset; their shares are of no dataset."""
    found: list[Statement] = []
    after = SHARE_PREFIX
    while after:
        rows = await stores.graph.shares(after, PAGE)
        shares = [row.share for row in rows if is_share_of_edit(row.share.chunk_id)]
        relations = [relation for share in shares for relation in share.relations]
        found += await _statements(stores, relations, await _resting_on(stores, relations, dataset))
        after = shares[-1].chunk_id if len(shares) == PAGE else ""
    return found


async def _resting_on(stores: Stores, relations: Sequence[Relation], dataset: str) -> dict[str, Document]:
    """By the share that states it, the document of each relation's passage, as far as that is seen, and of the dataset.

    An edit that rests on no passage that is seen states its relation by itself: of a dataset, where one of the ends is
    named there.
    """
    wanted = sorted({one.chunk_id for one in relations if not is_share_of_edit(one.chunk_id)})
    chunks = await stores.keywords.chunks(wanted) if wanted else {}
    known = await stores.records(sorted({chunk.document_id for chunk in chunks.values()})) if chunks else {}
    seen = {key: known[chunk.document_id] for key, chunk in chunks.items() if _sees(known, chunk)}
    alone = [one for one in relations if is_share_of_edit(stated_by(one)) and one.chunk_id not in seen]
    if dataset:
        there = await _named_in(stores, {end for one in alone for end in (one.source_key, one.target_key)}, dataset)
        alone = [one for one in alone if {one.source_key, one.target_key} & there]
    within = {key for key, document in seen.items() if dataset in ("", document.dataset)}
    by_itself = {stated_by(one): _EDIT for one in alone}
    return by_itself | {stated_by(one): seen[one.chunk_id] for one in relations if one.chunk_id in within}


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


def _ends(stated: Iterable[Statement]) -> set[str]:
    return {end for one in stated for end in (one.source, one.target)}


async def _named_within(stores: Stores, entities: Sequence[Entity], dataset: str, ends: Set[str]) -> list[Part]:
    """Those that stand in a passage of the dataset, and the `ends` (ids) of what edits state there."""
    if not dataset:
        return list(entities)
    present = await _named_in(stores, {entity.key for entity in entities}, dataset)
    return [entity for entity in entities if entity.key in present or entity.id in ends]


async def _named_in(stores: Stores, keys: Set[str], dataset: str) -> set[str]:
    """Those of the names whose entity stands in a passage of the dataset."""
    if not keys:
        return set()
    asked, where = sorted(keys), RowFilter(dataset=dataset)
    named = await asyncio.gather(*(stores.graph.mentioned_by(asked, 1, role, where) for role in MentionRole))
    return {key for found in named for key in found}


async def _statements(
    stores: Stores, relations: Sequence[Relation], documents: Mapping[str, Document]
) -> Iterable[Statement]:
    """Each once, by share, place and ends; without those whose share has no document, or not between entities."""
    keys = sorted({end for one in relations for end in (one.source_key, one.target_key)})
    entities: dict[str, Entity] = {}
    for some in batches(keys, PAGE):
        entities |= await stores.graph.named(some)
    hidden = await _hidden(stores) if stores.hidden else {}
    found: dict[str, Statement] = {}
    for one in sorted(relations, key=lambda r: (stated_by(r), r.span.start, r.source_key, r.target_key, r.type)):
        share = stated_by(one)
        source, target, document = entities.get(one.source_key), entities.get(one.target_key), documents.get(share)
        if source is None or target is None or document is None or source.id == target.id:
            continue
        if not _is_hidden(share, hidden.get((source.id, target.id, one.type))):
            place = (str(one.span.start), str(one.span.end))
            identity = digest("statement", share, source.id, target.id, one.type, *place)
            found[identity] = Statement(
                identity,
                source.id,
                target.id,
                one.type,
                one.confidence,
                document.id,
                document.source,
                share if document is _EDIT else one.chunk_id,
                "" if document is _EDIT else one.snippet,
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


def _is_hidden(share: str, mark: str | None) -> bool:
    if mark is None:
        return False
    return not is_share_of_edit(share) or share.removeprefix(SHARE_PREFIX) < mark


def _sees(known: Mapping[str, Document], row: GraphRow | Chunk) -> bool:
    document = known.get(row.document_id)
    return document is not None and document.active_version == row.version
