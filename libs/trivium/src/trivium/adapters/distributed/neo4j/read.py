"""Reading a tenant's graph: one statement per call, two where several names of one entity or entities are told."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated, Any, LiteralString

import msgspec

from trivium.adapters.distributed.neo4j import read_statements as cypher
from trivium.adapters.distributed.neo4j import shelf_statements as shelf_cypher
from trivium.adapters.distributed.neo4j import tie_statements as tie_cypher
from trivium.adapters.distributed.neo4j.places import PlacesFound, RolePlaces, first_places
from trivium.adapters.distributed.neo4j.schema import START_CHARS
from trivium.adapters.distributed.neo4j.server import Neo4jServer, Rows
from trivium.adapters.distributed.neo4j.shelf import verdict, verdicts_of
from trivium.adapters.distributed.neo4j.similar_names import CANDIDATES, MAX_CANDIDATES, similar, words_query
from trivium.adapters.distributed.neo4j.ties import places_behind
from trivium.adapters.graph_rules import (
    in_text_order,
    no_such_entity,
    nodes_of,
    of_few,
    relations_between,
    stored_row,
    surest_first,
)
from trivium.adapters.resolved_names import MAX_PAGE, page_of, read_place
from trivium.domain.cursors import cursor_at, place_of
from trivium.domain.graph import (
    ChunkGraph,
    Edge,
    Entity,
    EntityType,
    Mention,
    Mentioning,
    MentionRole,
    Relation,
    Step,
    StepType,
)
from trivium.domain.ids import digest, entity_id
from trivium.domain.retrieval import EVERYWHERE, Places, RowFilter, Scored
from trivium.domain.scope import Tenant
from trivium.domain.verdicts import Verdict, VerdictPage
from trivium.ports.graph import BATCH_CHUNKS, EntityPage, GraphRow
from trivium.text.names import fold_name

_MAX_PAGE = 1000
_MOST = 2**62  # more mentions than any entity has
_Mentions = Annotated[int, msgspec.Meta(ge=0, le=_MOST)]

_decode = msgspec.msgpack.Decoder(ChunkGraph).decode


class Neo4jGraphReader:
    """One tenant's reads; see `trivium.ports.graph.GraphReader`. `space` is the tenant as its nodes carry it."""

    def __init__(self, server: Neo4jServer, tenant: Tenant, space: str) -> None:
        self._server = server
        self._tenant = tenant
        self._space = space

    async def about(self, keys: Sequence[str], where: RowFilter = EVERYWHERE) -> dict[str, list[Scored]]:
        """Chunks by the names they are about, the surest first."""
        by_id = self._by_id(keys)
        within = _within(where)
        rows = await self._ask_list(cypher.ABOUT_WITHIN if within else cypher.ABOUT, ids=list(by_id), **within)
        return {by_id[id_]: [Scored(chunk, confidence) for chunk, confidence in chunks] for id_, chunks in rows}

    async def mentions_in(self, chunk_ids: Sequence[str]) -> dict[str, list[Mention]]:
        """The mentions of each chunk, in text order."""
        rows = await self._ask_list(cypher.MENTIONS_IN, ids=list(dict.fromkeys(chunk_ids)))
        return {
            chunk: [mention for mention in in_text_order(_decode(share).mentions) if mention.key not in removed]
            for chunk, share, removed in rows
        }

    async def said(self, chunk_ids: Sequence[str]) -> dict[str, ChunkGraph]:
        """The shares."""
        rows = await self._ask_list(cypher.SHARES_OF, ids=list(dict.fromkeys(chunk_ids)))
        return {chunk: _decode(share) for chunk, share in rows}

    async def beside(self, chunk_ids: Sequence[str]) -> dict[str, list[Step]]:
        """What each chunk has, and what has it."""
        rows = await self._ask_list(cypher.BESIDE, ids=list(dict.fromkeys(chunk_ids)))
        return {chunk: [Step(StepType(kind), other) for kind, other in steps] for chunk, steps in rows}

    async def evidence_of(
        self, hypernodes: Sequence[str], limit: int, where: RowFilter = EVERYWHERE
    ) -> dict[str, list[str]]:
        """The chunks within each."""
        within = _conditions(where)
        rows = await self._ask(cypher.EVIDENCE_OF, ids=list(dict.fromkeys(hypernodes)), limit=max(limit, 0), **within)
        return {node: list(chunks) for node, chunks in rows}

    async def hypernodes_of(self, chunk_ids: Sequence[str]) -> dict[str, tuple[str, ...]]:
        """What each chunk is within."""
        rows = await self._ask(cypher.HYPERNODES_OF, ids=list(dict.fromkeys(chunk_ids)))
        return {chunk: nodes_of(stored) for chunk, stored in rows}

    async def mentioned_by(
        self,
        keys: Sequence[str],
        limit: int,
        role: MentionRole = MentionRole.MENTION,
        where: RowFilter = EVERYWHERE,
    ) -> dict[str, Mentioning]:
        """Totals and first places by name."""
        by_id = self._by_id(keys)
        if within := _within(where):
            statement = cypher.MENTIONED_WITHIN[role]
            within_rows = await self._ask_list(statement, ids=list(by_id), limit=max(limit, 0), **within)
            return {by_id[id_]: Mentioning(total, first_places(found, limit)) for id_, total, found in within_rows}
        rows = await self._ask_list(cypher.MENTIONED_BY[role], ids=list(by_id), limit=max(limit, 1))
        found: defaultdict[str, RolePlaces] = defaultdict(RolePlaces)
        for id_, total, listed in rows:  # one row per name of an entity
            found[id_].add(total, listed)
        return await self._mentioning(found, by_id, limit, role)

    async def places(
        self, titles: Sequence[str], names: Sequence[str], limit: int, where: RowFilter = EVERYWHERE
    ) -> Places:
        """One statement, three side by side where `where` restricts."""
        if _within(where):
            about, headings, mentioned = await asyncio.gather(
                self.about(titles, where),
                self.mentioned_by(titles, limit, MentionRole.HEADING, where),
                self.mentioned_by(names, limit, where=where),
            )
            return Places(about, of_few(headings, limit), of_few(mentioned, limit))
        titled, named = self._by_id(titles), self._by_id(names)
        asked = [[id_, id_ in titled, id_ in named] for id_ in titled | named]
        found = PlacesFound(await self._ask_list(cypher.PLACES, asked=asked, limit=limit))
        by_id = titled | named
        headings = await self._mentioning(found.headings, by_id, limit, MentionRole.HEADING)
        mentioned = await self._mentioning(found.mentions, by_id, limit, MentionRole.MENTION)
        return Places(
            {by_id[id_]: rows for id_, rows in found.about()}, of_few(headings, limit), of_few(mentioned, limit)
        )

    async def match(self, names: Sequence[str], limit: int = 10) -> dict[str, list[tuple[Entity, float]]]:
        """Entities with a name like each name; a name without any is absent."""
        keys = {name: fold_name(name) for name in names}
        asked = [{"key": key, "words": words_query(key, self._space)} for key in sorted(set(keys.values())) if key]
        rows = await self._ask(CANDIDATES, asked=asked, candidates=MAX_CANDIDATES)
        found = {key: similar(key, candidates, limit) for key, candidates in rows}
        entities = await self._entities({root for matches in found.values() for root, _ in matches})
        return {
            name: seen
            for name, key in keys.items()
            if (seen := [(entities[root], score) for root, score in found.get(key, ()) if root in entities])
        }

    async def edges(self, keys: Sequence[str], limit: int = 50, after: Edge | None = None) -> dict[str, list[Edge]]:
        """The strongest edges of each entity, between entities."""
        by_id = self._by_id(keys)
        behind = msgspec.structs.asdict(after) if after else None
        rows = await self._ask(
            tie_cypher.EDGES, ids=list(by_id), limit=max(limit, 0), after=behind, places=places_behind(after)
        )
        return {by_id[id_]: [Edge(*edge) for edge in edges] for id_, edges in rows}

    async def entity(self, entity_id: str) -> Entity:
        """The entity, also by the id of one of its aliases."""
        rows = await self._ask_list(cypher.ENTITY_OF, ids=[entity_id])
        if not rows:
            raise no_such_entity(entity_id)
        return _entity(rows[0])

    async def entities(self, prefix: str = "", kind: str = "", limit: int = 50, cursor: str = "") -> EntityPage:
        """One page, most mentioned first."""
        size = max(1, min(limit, _MAX_PAGE))
        start = fold_name(prefix)
        most, after = place_of(cursor, tuple[_Mentions, str]) if cursor else (_MOST, "")
        rows = await self._list(
            cypher.BEGINNING if start else cypher.LISTED,
            prefix=start,
            start=start[:START_CHARS],
            type=kind,
            most=most,
            after=after,
            limit=size + 1,
        )
        page = tuple(_entity(row) for row in rows[:size])
        return EntityPage(page, cursor_at((page[-1].mentions, page[-1].key)) if len(rows) > size else "")

    async def evidence(self, key: str, limit: int = 20) -> tuple[list[Mention], list[Relation]]:
        """The mentions and relations of an entity, each at most `limit`."""
        ids = list(self._by_id([key]))
        names, named, stated = await asyncio.gather(
            self._ask(cypher.NAMES, ids=ids),
            self._ask(cypher.NAMED_IN, ids=ids, limit=limit),
            self._ask(cypher.STATED_IN, ids=ids, limit=limit),
        )
        wanted = {name for (name,) in names}
        mentions = [m for _, share in sorted(named) for m in in_text_order(_decode(share).mentions) if m.key in wanted]
        relations = [
            relation
            for _, share in stated
            for relation in _decode(share).relations
            if relation.source_key in wanted or relation.target_key in wanted
        ]
        return mentions[:limit], surest_first(relations)[:limit]

    async def stated_between(self, key: str, other: str, types: Sequence[str], limit: int = 20) -> list[Relation]:
        """What is said of the two; the server walks what one of them takes part in, and reads no other share."""
        ends = [list(self._by_id([end])) for end in (key, other)]
        one, another = await asyncio.gather(*(self._ask(cypher.NAMES, ids=ids) for ids in ends))
        names = ({name for (name,) in one}, {name for (name,) in another})
        ids, others = (list(self._by_id(sorted(each))) for each in names)
        stated = await self._ask(cypher.STATED_BETWEEN, ids=ids, others=others, types=list(types), limit=limit)
        return relations_between([_decode(share) for _, share in stated], names, types)[:limit]

    async def named(self, keys: Sequence[str]) -> dict[str, Entity]:
        """Entities by any of their names."""
        by_id = self._by_id(keys)
        rows = await self._ask_list(cypher.NAMED, ids=list(by_id))
        return {by_id[id_]: entity for ids, *row in rows for entity in [_entity(row)] for id_ in ids}

    async def verdicts(self, keys: Sequence[str]) -> dict[str, list[Verdict]]:
        """What rules decided about names."""
        return verdicts_of(await self._ask(shelf_cypher.VERDICTS, ids=sorted(self._by_id(keys))))

    async def asked(self, limit: int = 50, cursor: str = "") -> VerdictPage:
        """What a person is to decide."""
        size = max(1, min(limit, MAX_PAGE))
        score, key, other = read_place(cursor)
        place = {"score": score, "key": key, "other": other}
        return page_of([*map(verdict, await self._rows(shelf_cypher.ASKED, limit=size + 1, **place))], size)

    async def shares(self, after: str = "", limit: int = BATCH_CHUNKS, dataset: str = "") -> list[GraphRow]:
        """One page of shares, by chunk id."""
        rows = await self._list(cypher.SHARES, after=after, limit=max(limit, 0), dataset=dataset)
        return [stored_row(self._tenant, _decode(share), *fields) for *fields, share in rows]

    async def stamp(self) -> str:
        """A digest of the counters; "" while there are none."""
        counted = await self._rows(cypher.STAMP)
        return digest(*(f"{epoch} {n}" for epoch, n in counted)) if counted else ""

    async def _mentioning(
        self, found: Mapping[str, RolePlaces], by_id: Mapping[str, str], limit: int, role: MentionRole
    ) -> dict[str, Mentioning]:
        """By name; chunks that several names share and that were not all listed are counted by the server."""
        uncounted = sorted(id_ for id_, one in found.items() if one.is_uncounted)
        counted = {id_: total for id_, total in await self._ask(cypher.COUNT_CHUNKS[role], ids=uncounted)}
        return {by_id[id_]: one.mentioning(limit, counted.get(id_)) for id_, one in found.items()}

    async def _entities(self, roots: Iterable[str]) -> dict[str, Entity]:
        rows = await self._ask_list(cypher.ENTITIES, ids=sorted(self._by_id(roots)))
        return {entity.key: entity for entity in map(_entity, rows)}

    def _by_id(self, keys: Iterable[str]) -> dict[str, str]:
        return {entity_id(self._tenant, key): key for key in keys}

    async def _ask(self, statement: LiteralString, **parameters: Any) -> Rows:
        """The rows of a statement, unless the list that it walks, which comes first, is empty."""
        return await self._rows(statement, **parameters) if next(iter(parameters.values())) else []

    async def _ask_list(self, statement: LiteralString, **parameters: Any) -> Rows:
        """The same of a statement that tells its rows as one list."""
        return await self._list(statement, **parameters) if next(iter(parameters.values())) else []

    async def _list(self, statement: LiteralString, **parameters: Any) -> Rows:
        ((rows,),) = await self._rows(statement, **parameters)
        return list(rows)

    async def _rows(self, statement: LiteralString, **parameters: Any) -> Rows:
        return await self._server.rows(statement, tenant=self._space, **parameters)


def _within(where: RowFilter) -> dict[str, Any]:
    """The parameters of a filter; none where it does not restrict."""
    return {} if where == EVERYWHERE else _conditions(where)


def _conditions(where: RowFilter) -> dict[str, Any]:
    period = where.period
    return {
        "dataset": where.dataset,
        "documents": None if where.document_ids is None else list(where.document_ids),
        "run": where.run,
        "kinds": list(where.kinds) or None,
        "of": period.of.value if period else "",
        "start": period.start if period else None,
        "end": period.end if period else None,
    }


def _entity(row: list[Any]) -> Entity:
    identity, key, name, kind, aliases, mentions, degree = row
    return Entity(
        id=identity,
        key=key,
        name=name,
        type=EntityType(kind),
        aliases=tuple(sorted(set(aliases) - {name})),
        mentions=mentions,
        degree=degree,
    )
