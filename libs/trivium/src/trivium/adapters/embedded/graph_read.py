"""Reading a tenant's graph: a few set-wise statements per call, aliases resolved on the way."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Sequence
from sys import intern

import msgspec

from trivium.adapters.embedded.graph_evidence import evidence_of, hypernodes_of
from trivium.adapters.embedded.graph_match import similar_names
from trivium.adapters.embedded.graph_names import Resolved
from trivium.adapters.embedded.graph_places import REMOVED, NamesFound, groups_of, names_found
from trivium.adapters.embedded.graph_shelf import asked, verdicts_of
from trivium.adapters.embedded.graph_ties import strongest
from trivium.adapters.embedded.graph_within import about_within, mentioned_within, restricts
from trivium.adapters.embedded.mirror import stamp_of
from trivium.adapters.embedded.recent import RecentRows
from trivium.adapters.embedded.sqlite import Database, ReadThreads
from trivium.adapters.graph_rules import (
    in_text_order,
    no_such_entity,
    of_few,
    relations_between,
    stored_row,
    surest_first,
)
from trivium.adapters.resolved_names import MAX_PAGE
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
from trivium.domain.retrieval import EVERYWHERE, Places, RowFilter, Scored
from trivium.domain.scope import Tenant
from trivium.domain.verdicts import Verdict, VerdictPage
from trivium.ports.graph import BATCH_CHUNKS, EntityPage, GraphRow
from trivium.text.names import fold_name

_MAX_PAGE = 1000
_MAX_RECENT = 50_000  # places or mentions: 150 to 300 bytes each
_AFTER_ANY = "\U0010ffff"  # sorts after every other character


class _Mentions(msgspec.Struct):
    """Of a stored share, what a search reads."""

    mentions: tuple[Mention, ...] = ()


_decode = msgspec.msgpack.Decoder(ChunkGraph).decode
_decode_mentions = msgspec.msgpack.Decoder(_Mentions).decode


Titled = tuple[list[Scored], Mentioning]
"""Chunks that are about a name, and those with it in a heading."""


class Recent:
    """What one tenant's readers asked lately. A name that leads nowhere is kept too: most parts of names do."""

    def __init__(self) -> None:
        self.mentions: RecentRows[str, list[Mention]] = RecentRows(_length, _MAX_RECENT)
        self.titles: RecentRows[str, Titled] = RecentRows(_length_of_titled, _MAX_RECENT)
        self.names: RecentRows[str, Mentioning] = RecentRows(_length_of_places, _MAX_RECENT)

    def resolved(self, resolved: Resolved) -> None:
        """Rules gave some names to others: what was read of all others is still true."""
        self.titles.carry_over(resolved.before, resolved.after, resolved.names)
        self.names.carry_over(resolved.before, resolved.after, resolved.names)
        if not resolved.hides:
            self.mentions.carry_over(resolved.before, resolved.after, ())


class SqliteGraphReader:
    """One tenant's reads; see `trivium.ports.graph.GraphReader`."""

    def __init__(self, database: Database, tenant: Tenant, threads: ReadThreads, recent: Recent) -> None:
        self._database = database
        self._tenant = tenant
        self._threads = threads
        self._recent = recent

    async def about(self, keys: Sequence[str], where: RowFilter = EVERYWHERE) -> dict[str, list[Scored]]:
        """Chunks by the names they are about, the surest first."""
        if not keys:
            return {}

        def query(db: sqlite3.Connection) -> dict[str, list[Scored]]:
            if restricts(where):
                return _about_within(db, keys, where)
            found = names_found(db, {MentionRole.TITLE: keys}, limit=1)
            return {key: rows for key in keys if (rows := found.about(key))}

        return await self._threads.run(self._database, query)

    async def mentions_in(self, chunk_ids: Sequence[str]) -> dict[str, list[Mention]]:
        """The mentions of each chunk, in text order."""
        if not chunk_ids:
            return {}

        def query(db: sqlite3.Connection) -> dict[str, list[Mention]]:
            known = self._recent.mentions.at(stamp_of(db), chunk_ids, lambda missing: _mentions_in(db, missing))
            return {key: list(rows) for key, rows in known.items()}

        return await self._threads.run(self._database, query)

    async def said(self, chunk_ids: Sequence[str]) -> dict[str, ChunkGraph]:
        """The shares."""
        if not chunk_ids:
            return {}

        def query(db: sqlite3.Connection) -> dict[str, ChunkGraph]:
            rows = db.execute(
                "SELECT chunk, body FROM share WHERE document <> '' AND chunk IN (SELECT value FROM json_each(?))",
                (json.dumps(list(chunk_ids)),),
            )
            return {chunk: _decode(body) for chunk, body in rows}

        return await self._threads.run(self._database, query)

    async def beside(self, chunk_ids: Sequence[str]) -> dict[str, list[Step]]:
        """What each chunk has, and what has it."""
        if not chunk_ids:
            return {}
        return await self._threads.run(self._database, lambda db: _beside(db, chunk_ids))

    async def evidence_of(
        self, hypernodes: Sequence[str], limit: int, where: RowFilter = EVERYWHERE
    ) -> dict[str, list[str]]:
        """The chunks within each."""
        if not hypernodes:
            return {}
        return await self._threads.run(self._database, lambda db: evidence_of(db, hypernodes, limit, where))

    async def hypernodes_of(self, chunk_ids: Sequence[str]) -> dict[str, tuple[str, ...]]:
        """What each chunk is within."""
        if not chunk_ids:
            return {}
        return await self._threads.run(self._database, lambda db: hypernodes_of(db, chunk_ids))

    async def mentioned_by(
        self,
        keys: Sequence[str],
        limit: int,
        role: MentionRole = MentionRole.MENTION,
        where: RowFilter = EVERYWHERE,
    ) -> dict[str, Mentioning]:
        """Totals and first places by name."""
        if not keys:
            return {}

        def query(db: sqlite3.Connection) -> dict[str, Mentioning]:
            if restricts(where):
                return mentioned_within(db, groups_of(db, keys), limit, role, where)
            found = names_found(db, {role: keys}, limit)
            return {key: row for key in keys if (row := found.mentioning(db, key, role, limit)).total}

        return await self._threads.run(self._database, query)

    async def places(
        self, titles: Sequence[str], names: Sequence[str], limit: int, where: RowFilter = EVERYWHERE
    ) -> Places:
        """All that a step over names asks, in one read; lately asked names are remembered."""
        if restricts(where):
            return await self._threads.run(self._database, lambda db: _places_within(db, titles, names, limit, where))

        def query(db: sqlite3.Connection) -> Places:
            stamp = (*stamp_of(db), limit)
            titled, no_titles = self._recent.titles.known(stamp, titles)
            named, no_names = self._recent.names.known(stamp, names)
            if no_titles or no_names:
                asked = {MentionRole.TITLE: no_titles, MentionRole.HEADING: no_titles, MentionRole.MENTION: no_names}
                found = names_found(db, asked, limit)

                def few(key: str, role: MentionRole) -> Mentioning:
                    return found.mentioning(db, key, role, limit).of_few(limit)

                fresh = {key: (found.about(key), few(key, MentionRole.HEADING)) for key in no_titles}
                others = {key: few(key, MentionRole.MENTION) for key in no_names}
                self._recent.titles.keep(stamp, fresh)
                self._recent.names.keep(stamp, others)
                titled, named = titled | fresh, named | others
            return Places(
                {key: list(about) for key, (about, _) in titled.items() if about},
                {key: heading for key, (_, heading) in titled.items() if heading.total},
                {key: mentioning for key, mentioning in named.items() if mentioning.total},
            )

        return await self._threads.run(self._database, query)

    async def match(self, names: Sequence[str], limit: int = 10) -> dict[str, list[tuple[Entity, float]]]:
        """Entities with a name like each name; a name without any is absent."""
        if not names:
            return {}

        def query(db: sqlite3.Connection) -> dict[str, list[tuple[Entity, float]]]:
            found = {name: similar_names(db, fold_name(name), limit) for name in names}
            roots = {root for matches in found.values() for root, _ in matches}
            entities = {entity.key: entity for entity in _entities(db, roots)}
            return {
                name: seen
                for name, matches in found.items()
                if (seen := [(entities[root], score) for root, score in matches if root in entities])
            }

        return await self._threads.run(self._database, query)

    async def edges(self, keys: Sequence[str], limit: int = 50, after: Edge | None = None) -> dict[str, list[Edge]]:
        """The strongest edges of each entity, between entities."""
        if not keys:
            return {}
        return await self._threads.run(self._database, lambda db: _edges(db, keys, limit, after))

    async def entity(self, entity_id: str) -> Entity:
        """The entity, also by the id of one of its aliases."""

        def query(db: sqlite3.Connection) -> list[Entity]:
            row = db.execute("SELECT root FROM name WHERE id = ?", (entity_id,)).fetchone()
            return _entities(db, row) if row else []

        found = await self._threads.run(self._database, query)
        if not found:
            raise no_such_entity(entity_id)
        return found[0]

    async def entities(self, prefix: str = "", kind: str = "", limit: int = 50, cursor: str = "") -> EntityPage:
        """One page, most mentioned first."""
        after = place_of(cursor, tuple[int, str]) if cursor else None
        size = max(1, min(limit, _MAX_PAGE))

        def query(db: sqlite3.Connection) -> EntityPage:
            rows = _listed(db, fold_name(prefix), kind, size + 1, after)
            by_key = {entity.key: entity for entity in _entities(db, [key for key, _ in rows[:size]])}
            page = tuple(by_key[key] for key, _ in rows[:size])
            return EntityPage(page, cursor_at((rows[size - 1][1], rows[size - 1][0])) if len(rows) > size else "")

        return await self._threads.run(self._database, query)

    async def evidence(self, key: str, limit: int = 20) -> tuple[list[Mention], list[Relation]]:
        """The mentions and relations of an entity, each at most `limit`."""
        return await self._threads.run(self._database, lambda db: _evidence(db, key, limit))

    async def stated_between(self, key: str, other: str, types: Sequence[str], limit: int = 20) -> list[Relation]:
        """What is said of the two, by the key of `stated`."""
        return await self._threads.run(self._database, lambda db: _stated_between(db, (key, other), types, limit))

    async def named(self, keys: Sequence[str]) -> dict[str, Entity]:
        """Entities by any of their names."""
        if not keys:
            return {}

        def query(db: sqlite3.Connection) -> dict[str, Entity]:
            roots = groups_of(db, keys).root_of
            entities = {entity.key: entity for entity in _entities(db, set(roots.values()))}
            return {key: entities[root] for key, root in roots.items() if root in entities}

        return await self._threads.run(self._database, query)

    async def verdicts(self, keys: Sequence[str]) -> dict[str, list[Verdict]]:
        """What rules decided about names."""
        return await self._threads.run(self._database, lambda db: verdicts_of(db, keys))

    async def asked(self, limit: int = 50, cursor: str = "") -> VerdictPage:
        """What a person is to decide."""
        size = max(1, min(limit, MAX_PAGE))
        return await self._threads.run(self._database, lambda db: asked(db, size, cursor))

    async def shares(self, after: str = "", limit: int = BATCH_CHUNKS, dataset: str = "") -> list[GraphRow]:
        """One page of shares, by chunk id."""

        def query(db: sqlite3.Connection) -> list[GraphRow]:
            asked = {"after": after, "limit": limit, "dataset": dataset}
            return [stored_row(self._tenant, _decode(body), *fields) for *fields, body in db.execute(_SHARES, asked)]

        return await self._threads.run(self._database, query)

    async def stamp(self) -> str:
        """The file's counters; "" while there is none."""

        def query(db: sqlite3.Connection) -> str:
            epoch, added, removed = stamp_of(db)
            return f"{epoch.hex()}-{added}-{removed}" if self._database.path.exists() else ""

        return await self._threads.run(self._database, query)


_SHARES = """
    SELECT document, version, dataset, run, kinds, uploaded, dated, within, body FROM share
    WHERE chunk > :after AND (:dataset = '' OR dataset = :dataset) ORDER BY chunk LIMIT :limit
"""


def _length(rows: Sequence[object]) -> int:
    return len(rows) + 1


def _length_of_places(mentioning: Mentioning) -> int:
    return len(mentioning.places) + 1


def _length_of_titled(titled: Titled) -> int:
    about, heading = titled
    return len(about) + _length_of_places(heading)


def _places_within(
    db: sqlite3.Connection, titles: Sequence[str], names: Sequence[str], limit: int, where: RowFilter
) -> Places:
    return Places(
        _about_within(db, titles, where),
        of_few(mentioned_within(db, groups_of(db, titles), limit, MentionRole.HEADING, where), limit),
        of_few(mentioned_within(db, groups_of(db, names), limit, MentionRole.MENTION, where), limit),
    )


def _mentions_in(db: sqlite3.Connection, chunk_ids: Sequence[str]) -> dict[str, list[Mention]]:
    rows = db.execute(
        "SELECT chunk, body FROM share WHERE chunk IN (SELECT value FROM json_each(?))", (json.dumps(chunk_ids),)
    )
    removed = {
        key
        for (key,) in db.execute(
            f"SELECT key FROM name WHERE root <> key AND root IN ({REMOVED}) UNION ALL {REMOVED}"  # noqa: S608
        )
    }
    return {
        chunk: [
            _sharing(mention, chunk)
            for mention in in_text_order(_decode_mentions(body).mentions)
            if mention.key not in removed
        ]
        for chunk, body in rows
    }


def _sharing(mention: Mention, chunk: str) -> Mention:
    """The mention as it is kept: its strings are those of others of the same chunk or name."""
    return Mention(
        intern(mention.key),
        chunk,
        mention.sentence,
        mention.span,
        intern(mention.surface),
        mention.role,
        mention.type,
        mention.confidence,
    )


_BESIDE = """
    SELECT k.value AS chunk, s.type, s.target AS other FROM json_each(?1) k
    JOIN step s ON s.chunk = k.value JOIN share t ON t.chunk = s.target WHERE s.type LIKE 'HAS%'
    UNION
    SELECT k.value, s.type, s.chunk FROM json_each(?1) k
    JOIN step s ON s.target = k.value WHERE s.type LIKE 'HAS%'
    ORDER BY 1, 2, 3
"""


def _beside(db: sqlite3.Connection, chunk_ids: Sequence[str]) -> dict[str, list[Step]]:
    found: dict[str, list[Step]] = {}
    for chunk, kind, other in db.execute(_BESIDE, (json.dumps(list(dict.fromkeys(chunk_ids))),)):
        found.setdefault(chunk, []).append(Step(StepType(kind), other))
    return found


def _about_within(db: sqlite3.Connection, keys: Sequence[str], where: RowFilter) -> dict[str, list[Scored]]:
    groups = groups_of(db, keys)
    places: dict[tuple[str, str], list[tuple[str, int, float]]] = {}
    for key, chunk, confidence in about_within(db, groups.names(), where):
        places.setdefault((key, MentionRole.TITLE), []).append((chunk, 0, confidence))
    found = NamesFound(groups, {}, places)
    return {key: rows for key in groups.root_of if (rows := found.about(key))}


def _edges(db: sqlite3.Connection, keys: Sequence[str], limit: int, after: Edge | None) -> dict[str, list[Edge]]:
    root_of = groups_of(db, keys).root_of
    found = {root: strongest(db, root, limit, after) for root in set(root_of.values())}
    return {key: list(found[root]) for key, root in root_of.items() if found[root]}


def _entities(db: sqlite3.Connection, roots: Iterable[str]) -> list[Entity]:
    """The entities with these roots, in any order; roots that are none are absent."""
    wanted = list(roots)
    groups = groups_of(db, wanted)
    rows = db.execute(
        "SELECT key, id, surface, type, chunks, (SELECT n FROM degree WHERE root = key),"
        " (SELECT value FROM decided d WHERE d.kind = 'name' AND d.key = name.key) FROM name"
        " WHERE key IN (SELECT value FROM json_each(?))",
        (json.dumps(groups.names()),),
    ).fetchall()
    surfaces = {row[0]: row[2] for row in rows}
    return [
        Entity(
            id=identity,
            key=key,
            name=called or surface,
            type=EntityType(kind),
            aliases=tuple(
                sorted({surfaces[name] for name in groups.members[key] if name in surfaces} - {called or surface})
            ),
            mentions=chunks,
            degree=degree or 0,
        )
        for key, identity, surface, kind, chunks, degree, called in rows
        if key in groups.members
    ]


def _listed(
    db: sqlite3.Connection, prefix: str, kind: str, size: int, after: tuple[int, str] | None
) -> list[tuple[str, int]]:
    conditions, parameters = ["root = key", "chunks > 0"], []
    if prefix:
        conditions.append("key IN (SELECT root FROM name WHERE key >= ? AND key < ?)")
        parameters += [prefix, prefix + _AFTER_ANY]
    if kind:
        conditions.append("type = ?")
        parameters.append(kind)
    if after is not None:
        conditions.append("(chunks < ? OR (chunks = ? AND key > ?))")
        parameters += [str(after[0]), str(after[0]), after[1]]
    query = f"SELECT key, chunks FROM name WHERE {' AND '.join(conditions)} ORDER BY chunks DESC, key LIMIT ?"  # noqa: S608
    return db.execute(query, (*parameters, size)).fetchall()


def _evidence(db: sqlite3.Connection, key: str, limit: int) -> tuple[list[Mention], list[Relation]]:
    groups = groups_of(db, [key])
    names = groups.members[groups.root_of[key]]
    wanted, listed = set(names), json.dumps(names)
    places = db.execute(
        "SELECT DISTINCT s.chunk, s.body FROM named n JOIN share s ON s.chunk = n.chunk"
        " WHERE n.key IN (SELECT value FROM json_each(?)) ORDER BY s.chunk LIMIT ?",
        (listed, limit),
    )
    mentions = [m for _, body in places for m in in_text_order(_decode(body).mentions) if m.key in wanted]
    statements = db.execute(
        "SELECT DISTINCT s.chunk, s.body FROM (SELECT DISTINCT chunk, confidence FROM ("
        "SELECT * FROM (SELECT DISTINCT chunk, confidence FROM stated WHERE source IN (SELECT value FROM json_each(?1))"
        " ORDER BY confidence DESC, chunk LIMIT ?2)"
        " UNION ALL SELECT * FROM (SELECT DISTINCT t.chunk, t.confidence FROM edge e"
        " JOIN stated t ON t.source = e.source AND t.target = e.target AND t.type = e.type"
        " WHERE e.target IN (SELECT value FROM json_each(?1)) ORDER BY t.confidence DESC, t.chunk LIMIT ?2)"
        ") ORDER BY confidence DESC, chunk LIMIT ?2) r JOIN share s ON s.chunk = r.chunk",
        (listed, limit),
    )
    relations = [
        relation
        for _, body in statements
        for relation in _decode(body).relations
        if relation.source_key in wanted or relation.target_key in wanted
    ]
    return mentions[:limit], surest_first(relations)[:limit]


_STATED_ONE_WAY = (
    "SELECT chunk, confidence FROM stated WHERE source IN (SELECT value FROM json_each({}))"
    " AND target IN (SELECT value FROM json_each({})) AND type IN (SELECT value FROM json_each(?3))"
)
_STATED_BETWEEN = (
    f"SELECT DISTINCT s.chunk, s.body FROM ({_STATED_ONE_WAY.format('?1', '?2')}"  # noqa: S608 - no value is put in
    f" UNION {_STATED_ONE_WAY.format('?2', '?1')} ORDER BY confidence DESC, chunk LIMIT ?4) r"
    " JOIN share s ON s.chunk = r.chunk"
)


def _stated_between(db: sqlite3.Connection, ends: tuple[str, str], types: Sequence[str], limit: int) -> list[Relation]:
    groups = groups_of(db, ends)
    one, other = (groups.members[groups.root_of[key]] for key in ends)
    asked = (json.dumps(one), json.dumps(other), json.dumps(list(types)), limit)
    shares = [_decode(body) for _, body in db.execute(_STATED_BETWEEN, asked)]
    return relations_between(shares, (one, other), types)[:limit]
