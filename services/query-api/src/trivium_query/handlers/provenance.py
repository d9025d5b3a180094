"""Why the graph is as it is: what passages and edits say of a name, a relation, a passage or a document."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain

import msgspec

from trivium import api
from trivium.domain.chunks import Chunk
from trivium.domain.edits import Actor, Edit
from trivium.domain.errors import NotFound
from trivium.domain.graph import Mention, MentionRole, Relation
from trivium.domain.scope import Tenant
from trivium.edits.curation import Curated
from trivium.graph_tools.desk import checked_type
from trivium_query.handlers.curation import WantedEdits, desk, log
from trivium_query.handlers.duplicates import joined
from trivium_query.handlers.graph import entities_of
from trivium_query.requests import Services

MAX_STATEMENTS = 1000  # looked at
MAX_PASSAGES = 1000  # of a document


class Wanted(msgspec.Struct, frozen=True):
    """What is asked about; "" does not restrict. `relation` is a type, `other` the entity at its other end.

    `operation` and `actor` are parts of what found it and of who decided. Times are Unix seconds.
    """

    entity: str = ""
    relation: str = ""
    other: str = ""
    document: str = ""
    chunk: str = ""
    operation: str = ""
    actor: str = ""
    since: float = 0.0
    until: float = float("inf")


async def provenance(services: Services, tenant: Tenant, wanted: Wanted, limit: int) -> api.Provenance:
    """Raises `NotFound` (`unknown_entity`). Of an entity that was removed the edits tell why."""
    curated = await asyncio.to_thread(services.curation.now, tenant)
    wanted = msgspec.structs.replace(wanted, relation=checked_type(wanted.relation) if wanted.relation else "")
    edits, _ = await log(services, tenant, _edits(wanted), limit)
    notes: tuple[str, ...] = ()
    by_rules: tuple[api.Likeness, ...] = ()
    try:
        by_rules = await joined(services, tenant, wanted.entity) if wanted.entity and not wanted.relation else ()
        said = await _Statements(services, tenant, curated).find(wanted)
    except NotFound as error:
        if error.code != "removed_entity":
            raise
        said, notes = [], (str(error),)
    return api.Provenance(tuple(said[:limit]), edits, notes, by_rules)


def _edits(wanted: Wanted) -> WantedEdits:
    return WantedEdits(
        entity=wanted.entity,
        relation=wanted.relation,
        document=wanted.document,
        chunk=wanted.chunk,
        actor=wanted.actor,
        since=wanted.since,
        until=wanted.until,
    )


class _Statements:
    """Finds what is said, of one tenant and at one time."""

    def __init__(self, services: Services, tenant: Tenant, curated: Curated) -> None:
        self._services = services
        self._tenant = tenant
        self._graph = services.graphs.reader(tenant)
        self._keywords = services.keywords.reader(tenant)
        self._edits = {f"edit:{edit.id}": edit for edit in curated.edits}
        self._created = curated.folded.created
        self._hidden = curated.folded.hidden
        self._roots: dict[str, str] = {}

    async def find(self, wanted: Wanted) -> list[api.Said]:
        """The surest first."""
        names, relations = await self._stated(wanted)
        if wanted.relation or wanted.other:
            names = []
        await self._resolve(chain.from_iterable((r.source_key, r.target_key) for r in relations))
        await self._resolve(chain.from_iterable((r.source_key, r.target_key) for r in self._hidden))
        if wanted.other:
            other = (await desk(self._services, self._tenant, Actor()).entity(wanted.other)).key
            relations = [r for r in relations if other in (self._root(r.source_key), self._root(r.target_key))]
        if wanted.relation:
            relations = [r for r in relations if r.type == wanted.relation]
        chunks = await self._keywords.chunks(sorted({m.chunk_id for m in names} | {r.chunk_id for r in relations}))
        read_at = await self._read_at(chunks.values())
        said = [self._of_relation(r, chunks, read_at) for r in relations]
        said += [self._of_name(m, chunks, read_at) for m in names]
        fitting = {
            (each.source_key, each.type, each.target_key, each.place, each.snippet, each.operation): each
            for each in reversed(said)
            if _fits(each, wanted, self._edits.get(each.operation))
        }
        return sorted(
            reversed(fitting.values()), key=lambda each: (not each.type, bool(each.invalid_by), -each.confidence)
        )

    async def _stated(self, wanted: Wanted) -> tuple[Sequence[Mention], Sequence[Relation]]:
        if wanted.entity:
            entity = await desk(self._services, self._tenant, Actor()).entity(wanted.entity)
            return await self._graph.evidence(entity.key, MAX_STATEMENTS)
        chunks = [wanted.chunk] if wanted.chunk else await self._passages(wanted.document)
        shares = (await self._graph.said(chunks)).values()
        names = [mention for share in shares for mention in share.mentions]
        return names, [relation for share in shares for relation in share.relations]

    async def _passages(self, document_id: str) -> list[str]:
        if not document_id:
            return []
        registry = self._services.registry.for_tenant(self._tenant)
        document = await asyncio.to_thread(registry.get, document_id)
        chunks = await self._keywords.document_chunks(document_id, document.active_version, 0, MAX_PASSAGES)
        return [chunk.id for chunk in chunks]

    async def _read_at(self, chunks: Iterable[Chunk]) -> dict[str, float]:
        registry = self._services.registry.for_tenant(self._tenant)
        documents = await asyncio.to_thread(registry.get_many, sorted({chunk.document_id for chunk in chunks}))
        return {id_: document.updated_at for id_, document in documents.items()}

    async def _resolve(self, keys: Iterable[str]) -> None:
        found = await entities_of(self._graph, self._tenant, set(keys) - self._roots.keys())
        self._roots |= {key: entity.key for key, entity in found.items()}

    def _root(self, key: str) -> str:
        return self._roots.get(key, key)

    def _invalid_by(self, relation: Relation) -> str:
        ends = self._root(relation.source_key), self._root(relation.target_key), relation.type
        stated_by = self._edits.get(relation.operation)
        for key, edit in self._hidden.items():
            if (self._root(key.source_key), self._root(key.target_key), key.type) == ends and (
                stated_by is None or stated_by.mark < edit.mark
            ):
                return edit.id
        return ""

    def _of_relation(self, stated: Relation, chunks: Mapping[str, Chunk], read_at: Mapping[str, float]) -> api.Said:
        edit = self._edits.get(stated.operation)
        chunk = chunks.get(stated.chunk_id)
        return api.Said(
            stated.source_key,
            stated.type,
            stated.target_key,
            _place(chunk),
            stated.span.start,
            stated.span.end,
            stated.snippet,
            stated.confidence,
            stated.operation,
            edit.at if edit else read_at.get(chunk.document_id, 0.0) if chunk else 0.0,
            self._invalid_by(stated),
        )

    def _of_name(self, named: Mention, chunks: Mapping[str, Chunk], read_at: Mapping[str, float]) -> api.Said:
        chunk = chunks.get(named.chunk_id)
        edit = self._created.get(named.key) if named.role is MentionRole.CREATED else None
        return api.Said(
            named.key,
            "",
            "",
            _place(chunk),
            named.span.start,
            named.span.end,
            _sentence(chunk, named) or named.surface,
            named.confidence,
            f"edit:{edit.id}" if edit else f"name:{named.role.value}",
            edit.at if edit else read_at.get(chunk.document_id, 0.0) if chunk else 0.0,
            "",
        )


def _fits(said: api.Said, wanted: Wanted, edit: Edit | None) -> bool:
    place = said.place
    here = (not wanted.document or (place is not None and place.document_id == wanted.document)) and (
        not wanted.chunk or (place is not None and place.chunk_id == wanted.chunk)
    )
    by = not wanted.actor or (edit is not None and wanted.actor.casefold() in str(edit.actor).casefold())
    return here and by and wanted.operation in said.operation and wanted.since <= said.at <= wanted.until


def _place(chunk: Chunk | None) -> api.Place | None:
    return api.Place(chunk.id, chunk.document_id, chunk.source, chunk.number) if chunk else None


def _sentence(chunk: Chunk | None, named: Mention) -> str:
    if chunk is None or not named.span.end:
        return ""
    return chunk.sentence(named.sentence) if named.sentence < len(chunk.sentences) else named.span.of(chunk.text)
