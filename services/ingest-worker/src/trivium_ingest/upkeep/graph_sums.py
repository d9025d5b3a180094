"""What the graph adds up from its rows (names, mentions, relations, steps), against a graph that is made anew.

The other graph is written from the artifacts into a scratch file; then both are asked the same questions, a page of
names or chunks at a time. It costs about what writing the graph costs. While documents are being ingested the two
differ rightly, so then nothing is compared.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import suppress
from typing import Any

from trivium.batches import batches
from trivium.concurrent_calls import map_concurrent
from trivium.domain.documents import DocumentState
from trivium.domain.drift import Drift, Store
from trivium.domain.errors import NotFound
from trivium.domain.graph import ChunkGraph, Entity, MentionRole
from trivium.domain.scope import Tenant
from trivium.edits.curation import curation_of
from trivium.flow.graph_rows import graph_rows
from trivium.flow.resolving import resolve_all
from trivium.flow.stage import Job
from trivium.hypernodes.sections import all_of
from trivium.ports.graph import GraphReader, GraphRow, Graphs
from trivium.ports.stores import Stores
from trivium_ingest.upkeep.published import jobs_of, pages_of_published
from trivium_ingest.upkeep.rows import ROWS_COMPARED, write_rows

NAMES_PER_PAGE = 200
PLACES = 50  # of a name that are compared, besides their number
EDGES = 200
NAMES_TOLD = 5


def graph_sums(stores: Stores, made: Graphs, tenant: Tenant, *, repair: bool) -> Iterator[Drift]:
    """One drift for all names that differ; `made` is an empty graph. Repaired, the tenant's graph is written anew."""
    if _is_busy(stores, tenant):
        return
    for rows in _shares(stores, tenant):
        made.writer(tenant).upsert(rows)
    made.writer(tenant).decide(curation_of(stores).now(tenant).folded.decisions)
    for graphs in (stores.graphs, made):
        resolve_all(graphs, tenant)
    names = sorted(asyncio.run(_differing(stores, made, tenant)))
    if not names or _is_busy(stores, tenant):
        return
    if repair:
        write_graph_anew(stores, tenant)
    told = ", ".join(names[:NAMES_TOLD]) + (", ..." if len(names) > NAMES_TOLD else "")
    found = f"{len(names)} names, relations or steps are not what the passages and the edits say: {told}"
    yield Drift(tenant.name, "", "", "", Store.GRAPH, changed=len(names), found=found, repaired=repair)


def _shares(stores: Stores, tenant: Tenant) -> Iterator[list[GraphRow]]:
    """What the graph should hold, some hundred passages or one document at a time."""
    for documents in pages_of_published(stores, tenant):
        for some in batches(jobs_of(stores, documents), ROWS_COMPARED, lambda job: job.document.chunks):
            yield [row for rows in map_concurrent(_rows, some) for row in rows]


def _rows(job: Job) -> list[GraphRow]:
    try:
        return graph_rows(job)
    except NotFound:  # told of as the document's own fault
        return []


def _is_busy(stores: Stores, tenant: Tenant) -> bool:
    counts = stores.registry.for_tenant(tenant).counts().by_state
    return any(counts.get(state) for state in (DocumentState.PENDING, DocumentState.RUNNING))


def write_graph_anew(stores: Stores, tenant: Tenant) -> None:
    """From the artifacts and the log of edits; while it is, questions find less there."""
    stores.graphs.drop(tenant)
    for documents in pages_of_published(stores, tenant):
        for job in jobs_of(stores, documents):
            write_rows(stores, [Store.GRAPH], tenant, [job])
    curation_of(stores).project(tenant)
    resolve_all(stores.graphs, tenant)


async def _differing(stores: Stores, made: Graphs, tenant: Tenant) -> set[str]:
    kept, anew = stores.graphs.reader(tenant), made.reader(tenant)
    names = await _entities(kept, anew)
    for rows in _shares(stores, tenant):
        names |= await _answers(kept, anew, [row.share for row in rows])
    return names


async def _entities(kept: GraphReader, anew: GraphReader) -> set[str]:
    """The names of entities that only one knows, or that the two describe differently."""
    differing: set[str] = set()
    here, there = _listed(kept), _listed(anew)
    while any(pair := (await anext(here, None), await anext(there, None))):
        for entity in pair if pair[0] != pair[1] else ():
            if entity and await _entity(kept, entity.id) != await _entity(anew, entity.id):
                differing.add(entity.name)
    return differing


async def _listed(reader: GraphReader) -> AsyncIterator[Entity]:
    cursor = ""
    while True:
        page = await reader.entities(limit=NAMES_PER_PAGE, cursor=cursor)
        for entity in page.entities:
            yield entity
        cursor = page.cursor
        if not cursor:
            return


async def _entity(reader: GraphReader, entity_id: str) -> Entity | None:
    with suppress(NotFound):
        return await reader.entity(entity_id)
    return None


async def _answers(kept: GraphReader, anew: GraphReader, shares: Sequence[ChunkGraph]) -> set[str]:
    """The names in these shares, and the chunks, of which the two tell different things."""
    relations = [relation for share in shares for relation in share.relations]
    ends = {end for relation in relations for end in (relation.source_key, relation.target_key)}
    keys = sorted(ends | {mention.key for share in shares for mention in share.mentions})
    chunks = [share.chunk_id for share in shares]
    differing: set[str] = set()
    for start in range(0, max(len(keys), len(chunks)), NAMES_PER_PAGE):
        some = slice(start, start + NAMES_PER_PAGE)
        told, expected = [await _told(reader, keys[some], chunks[some]) for reader in (kept, anew)]
        for here, there in zip(told, expected, strict=True):
            differing |= {name for name in here.keys() | there.keys() if here.get(name) != there.get(name)}
    return differing


async def _told(reader: GraphReader, keys: Sequence[str], chunks: Sequence[str]) -> list[dict[str, Any]]:
    within = await reader.hypernodes_of(chunks)
    return [
        *[await reader.mentioned_by(keys, PLACES, role) for role in MentionRole],
        await reader.about(keys),
        await reader.edges(keys, EDGES),
        await reader.beside(chunks),
        await reader.verdicts(keys),
        within,
        await reader.evidence_of(sorted(all_of(within)), PLACES),
    ]
