"""Reading a tenant's graph: a few set-wise statements per call, aliases resolved on the way."""

from __future__ import annotations

import base64
import binascii
import heapq
import json
import sqlite3
from collections.abc import Iterable, Sequence
from sys import intern

import msgspec

from trivium.adapters.embedded.graph_match import similar_names
from trivium.adapters.embedded.graph_within import Groups, about_within, mentioned_within, restricts
from trivium.adapters.embedded.recent import RecentRows
from trivium.adapters.embedded.sqlite import Database, ReadThreads
from trivium.adapters.graph_rules import in_text_order, no_such_entity
from trivium.domain.errors import Refused
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
from trivium.domain.retrieval import EVERYWHERE, RowFilter, Scored
from trivium.ports.graph import EntityPage
from trivium.text.names import fold_name

_MAX_PAGE = 1000
_MAX_RECENT = 200_000  # places or mentions: 150 to 300 bytes each
_NOWHERE = Mentioning(0)
_AFTER_ANY = "\U0010ffff"  # sorts after every other character


class _Mentions(msgspec.Struct):
    """Of a stored share, what a search reads."""

    mentions: tuple[Mention, ...] = ()


_decode = msgspec.msgpack.Decoder(ChunkGraph).decode
_decode_mentions = msgspec.msgpack.Decoder(_Mentions).decode
# Python's driver gives up and takes back the interpreter lock at every row, and waits for it each time while another
# thread computes. Where rows are many they come as one JSON text.
_pairs = msgspec.json.Decoder(list[tuple[str, str]]).decode
_totals = msgspec.json.Decoder(list[tuple[str, int, str]]).decode
_places = msgspec.json.Decoder(list[tuple[str, str, int]]).decode


_Asked = tuple[str, int, str]  # role, limit, key


def groups_of(db: sqlite3.Connection, keys: Iterable[str]) -> Groups:
    """The entities behind `keys`; a name that is no entity stands for itself."""
    root_of = {key: key for key in keys}
    (known,) = db.execute(
        "SELECT json_group_array(json_array(key, root)) FROM name"
        " WHERE root <> key AND key IN (SELECT value FROM json_each(?))",
        (json.dumps(list(root_of)),),
    ).fetchone()
    root_of.update(_pairs(known))
    members: dict[str, list[str]] = {root: [root] for root in root_of.values()}
    (others,) = db.execute(
        "SELECT json_group_array(json_array(root, key)) FROM name"
        " WHERE root <> key AND root IN (SELECT value FROM json_each(?))",
        (json.dumps(list(members)),),
    ).fetchone()
    for root, key in sorted(_pairs(others)):
        members[root].append(key)
    return Groups(root_of, members)


class Recent:
    """What one tenant's readers asked lately. A name that leads nowhere is kept too: most parts of names do."""

    def __init__(self) -> None:
        self.about: RecentRows[str, list[Scored]] = RecentRows(_length, _MAX_RECENT)
        self.mentions: RecentRows[str, list[Mention]] = RecentRows(_length, _MAX_RECENT)
        self.mentioned: RecentRows[_Asked, Mentioning] = RecentRows(_length_of_places, _MAX_RECENT)


class SqliteGraphReader:
    """One tenant's reads; see `trivium.ports.graph.GraphReader`."""

    def __init__(self, database: Database, threads: ReadThreads, recent: Recent) -> None:
        self._database = database
        self._threads = threads
        self._recent = recent

    async def about(self, keys: Sequence[str], where: RowFilter = EVERYWHERE) -> dict[str, list[Scored]]:
        """Chunks by the names they are about, the surest first."""
        if not keys:
            return {}

        def query(db: sqlite3.Connection) -> dict[str, list[Scored]]:
            if restricts(where):
                return {key: rows for key, rows in _about(db, keys, where).items() if rows}
            known = self._recent.about.at(_stamp(db), keys, lambda missing: _about(db, missing))
            return {key: list(rows) for key, rows in known.items() if rows}

        return await self._threads.run(self._database, query)

    async def mentions_in(self, chunk_ids: Sequence[str]) -> dict[str, list[Mention]]:
        """The mentions of each chunk, in text order."""
        if not chunk_ids:
            return {}

        def query(db: sqlite3.Connection) -> dict[str, list[Mention]]:
            known = self._recent.mentions.at(_stamp(db), chunk_ids, lambda missing: _mentions_in(db, missing))
            return {key: list(rows) for key, rows in known.items()}

        return await self._threads.run(self._database, query)

    async def beside(self, chunk_ids: Sequence[str]) -> dict[str, list[Step]]:
        """What each chunk has, and what has it."""
        if not chunk_ids:
            return {}
        return await self._threads.run(self._database, lambda db: _beside(db, chunk_ids))

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
        if restricts(where):
            return await self._threads.run(
                self._database, lambda db: mentioned_within(db, groups_of(db, keys), limit, role, where)
            )
        named = role.value
        wanted = [(named, limit, key) for key in keys]

        def query(db: sqlite3.Connection) -> dict[str, Mentioning]:
            def read(missing: Sequence[_Asked]) -> dict[_Asked, Mentioning]:
                found = _mentioned_by(db, [key for _, _, key in missing], limit, named)
                return {asked: found.get(asked[2], _NOWHERE) for asked in missing}

            known = self._recent.mentioned.at(_stamp(db), wanted, read)
            return {key: row for (_, _, key), row in known.items() if row.total}

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
                name: [(entities[root], score) for root, score in matches if root in entities]
                for name, matches in found.items()
                if matches
            }

        return await self._threads.run(self._database, query)

    async def edges(self, keys: Sequence[str], limit: int = 50) -> dict[str, list[Edge]]:
        """The strongest edges of each entity, between entities."""
        if not keys:
            return {}
        return await self._threads.run(self._database, lambda db: _edges(db, keys, limit))

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
        after = _decode_cursor(cursor) if cursor else None
        size = max(1, min(limit, _MAX_PAGE))

        def query(db: sqlite3.Connection) -> EntityPage:
            rows = _listed(db, fold_name(prefix), kind, size + 1, after)
            by_key = {entity.key: entity for entity in _entities(db, [key for key, _ in rows[:size]])}
            page = tuple(by_key[key] for key, _ in rows[:size])
            return EntityPage(page, _encode_cursor(*rows[size - 1]) if len(rows) > size else "")

        return await self._threads.run(self._database, query)

    async def evidence(self, key: str, limit: int = 20) -> tuple[list[Mention], list[Relation]]:
        """The mentions and relations of an entity, each at most `limit`."""
        return await self._threads.run(self._database, lambda db: _evidence(db, key, limit))


def _stamp(db: sqlite3.Connection) -> tuple[bytes, int, int]:
    stamp: tuple[bytes, int, int] = db.execute("SELECT epoch, added, removed FROM state").fetchone()
    return stamp


def _length(rows: Sequence[object]) -> int:
    return len(rows) + 1


def _length_of_places(mentioning: Mentioning) -> int:
    return len(mentioning.places) + 1


def _mentions_in(db: sqlite3.Connection, chunk_ids: Sequence[str]) -> dict[str, list[Mention]]:
    rows = db.execute(
        "SELECT chunk, body FROM share WHERE chunk IN (SELECT value FROM json_each(?))", (json.dumps(chunk_ids),)
    )
    return {
        chunk: [_sharing(mention, chunk) for mention in in_text_order(_decode_mentions(body).mentions)]
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


def _about(db: sqlite3.Connection, keys: Sequence[str], where: RowFilter = EVERYWHERE) -> dict[str, list[Scored]]:
    groups = groups_of(db, keys)
    rows = about_within(db, groups.names(), where) if restricts(where) else _about_anywhere(db, groups.names())
    by_name: dict[str, dict[str, float]] = {}
    for key, chunk, confidence in rows:
        by_name.setdefault(key, {})[chunk] = confidence
    found: dict[str, list[Scored]] = {}
    for key, root in groups.root_of.items():
        best: dict[str, float] = {}
        for member in groups.members[root]:
            for chunk, confidence in by_name.get(member, {}).items():
                best[chunk] = max(confidence, best.get(chunk, 0.0))
        found[key] = [Scored(c, s) for c, s in sorted(best.items(), key=lambda item: (-item[1], item[0]))]
    return found


def _about_anywhere(db: sqlite3.Connection, names: Sequence[str]) -> Iterable[tuple[str, str, float]]:
    return db.execute(
        "SELECT key, chunk, confidence FROM named WHERE role = 'title' AND key IN (SELECT value FROM json_each(?))",
        (json.dumps(names),),
    )


# The chunk at which the first `limit` of a name end bounds the second statement, so that a hub costs no more.
_TOTALS = """
    SELECT json_group_array(json_array(s.key, s.n,
        CASE WHEN s.n <= ?3 THEN ?4
        ELSE (SELECT chunk FROM named WHERE key = s.key AND role = ?2 ORDER BY chunk LIMIT 1 OFFSET ?3) END))
    FROM json_each(?1) k JOIN spread s ON s.key = k.value AND s.role = ?2
"""
_PLACES = """
    SELECT json_group_array(json_array(n.key, n.chunk, n.sentence)) FROM json_each(?1) k
    JOIN named n ON n.key = k.value ->> 0 AND n.role = ?2 AND n.chunk <= k.value ->> 1
"""


def _mentioned_by(db: sqlite3.Connection, keys: Sequence[str], limit: int, role: str) -> dict[str, Mentioning]:
    groups = groups_of(db, keys)
    last = max(limit - 1, 0)
    (found_totals,) = db.execute(_TOTALS, (json.dumps(groups.names()), role, last, _AFTER_ANY)).fetchone()
    totals = _totals(found_totals)
    present = [(key, bound) for key, total, bound in totals if total]
    counts = {key: total for key, total, _ in totals if total}
    places: dict[str, list[tuple[str, int]]] = {key: [] for key in counts}
    if limit > 0:
        (found_places,) = db.execute(_PLACES, (json.dumps(present), role)).fetchone()
        for key, chunk, sentence in _places(found_places):
            places[key].append((intern(chunk), sentence))  # the same few chunks, in the places of many names
    found: dict[str, Mentioning] = {}
    for key, root in groups.root_of.items():
        members = [member for member in groups.members[root] if member in counts]
        if len(members) == 1:
            found[key] = Mentioning(counts[members[0]], tuple(places[members[0]]))
        elif members:
            found[key] = _merged(db, members, places, limit, role)
    return found


def _merged(
    db: sqlite3.Connection, members: list[str], places: dict[str, list[tuple[str, int]]], limit: int, role: str
) -> Mentioning:
    total = db.execute(
        "SELECT count(DISTINCT chunk) FROM named WHERE role = ? AND key IN (SELECT value FROM json_each(?))",
        (role, json.dumps(members)),
    ).fetchone()[0]
    first: dict[str, int] = {}
    for member in members:
        for chunk, sentence in places[member]:
            first[chunk] = min(sentence, first.get(chunk, sentence))
    return Mentioning(total, tuple(sorted(first.items())[:limit]))


Statement = tuple[str, str, str, float, int]  # source, target, type, confidence, evidence

_EDGES_OF = """
    SELECT k.value, e.source, e.target, e.type, e.confidence, e.evidence FROM json_each(?1) k
    JOIN edge e ON e.source = k.value
    UNION
    SELECT k.value, e.source, e.target, e.type, e.confidence, e.evidence FROM json_each(?1) k
    JOIN edge e ON e.target = k.value
"""


def _edges(db: sqlite3.Connection, keys: Sequence[str], limit: int) -> dict[str, list[Edge]]:
    groups = groups_of(db, keys)
    rows = db.execute(_EDGES_OF, (json.dumps(groups.names()),)).fetchall()
    roots = groups_of_ends(db, rows)
    root_of_member = {name: root for root, names in groups.members.items() for name in names}
    edges: dict[str, dict[tuple[str, str, str], Edge]] = {root: {} for root in groups.members}
    rows_of: dict[str, set[Statement]] = {root: set() for root in groups.members}
    for near, *statement in rows:  # a row between two names of one group came twice
        rows_of[root_of_member[near]].add(tuple(statement))
    for root, statements in rows_of.items():
        for source, target, kind, confidence, evidence in statements:
            ends = (roots.get(source, source), roots.get(target, target), kind)
            known = edges[root].get(ends)
            if known is None and ends[0] != ends[1]:
                edges[root][ends] = Edge(*ends, confidence=confidence, evidence=evidence)
            elif known is not None:
                strength = max(confidence, known.confidence)
                edges[root][ends] = Edge(*ends, confidence=strength, evidence=evidence + known.evidence)
    strongest = {root: heapq.nsmallest(limit, found.values(), key=_by_weight) for root, found in edges.items()}
    return {key: strongest[root] for key, root in groups.root_of.items() if strongest[root]}


def groups_of_ends(db: sqlite3.Connection, rows: Iterable[tuple[str, str, str, str, float, int]]) -> dict[str, str]:
    """The roots of the names at the ends of `rows` that are aliases."""
    names = {name for row in rows for name in row[1:3]}
    found = db.execute(
        "SELECT key, root FROM name WHERE root <> key AND key IN (SELECT value FROM json_each(?))",
        (json.dumps(list(names)),),
    )
    return dict(found.fetchall())


def _by_weight(edge: Edge) -> tuple[float, int, str, str, str]:
    return -edge.confidence, -edge.evidence, edge.source_key, edge.target_key, edge.type


def _entities(db: sqlite3.Connection, roots: Iterable[str]) -> list[Entity]:
    """The entities with these roots, in any order; roots that are none are absent."""
    wanted = list(roots)
    groups = groups_of(db, wanted)
    rows = db.execute(
        "SELECT key, id, surface, type, chunks, (SELECT n FROM degree WHERE root = key) FROM name"
        " WHERE key IN (SELECT value FROM json_each(?))",
        (json.dumps(groups.names()),),
    ).fetchall()
    surfaces = {row[0]: row[2] for row in rows}
    return [
        Entity(
            id=identity,
            key=key,
            name=surface,
            type=EntityType(kind),
            aliases=tuple(sorted({surfaces[name] for name in groups.members[key] if name in surfaces} - {surface})),
            mentions=chunks,
            degree=degree or 0,
        )
        for key, identity, surface, kind, chunks, degree in rows
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


def _encode_cursor(key: str, chunks: int) -> str:
    return base64.urlsafe_b64encode(json.dumps([chunks, key]).encode()).decode()


def _decode_cursor(cursor: str) -> tuple[int, str]:
    try:
        return msgspec.json.decode(base64.urlsafe_b64decode(cursor), type=tuple[int, str])
    except (binascii.Error, ValueError, msgspec.DecodeError) as error:
        raise Refused("bad_cursor", "The cursor is not one of this listing.", "Start again without one.") from error


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
        "SELECT DISTINCT s.chunk, s.body FROM (SELECT chunk, confidence FROM stated"
        " WHERE source IN (SELECT value FROM json_each(?1)) UNION SELECT t.chunk, t.confidence FROM edge e"
        " JOIN stated t ON t.source = e.source AND t.target = e.target AND t.type = e.type"
        " WHERE e.target IN (SELECT value FROM json_each(?1)) ORDER BY confidence DESC, chunk LIMIT ?2) r"
        " JOIN share s ON s.chunk = r.chunk",
        (listed, limit),
    )
    relations = [
        relation
        for _, body in statements
        for relation in _decode(body).relations
        if relation.source_key in wanted or relation.target_key in wanted
    ]
    relations.sort(key=lambda r: (-r.confidence, r.chunk_id, r.span.start, r.source_key, r.target_key, r.type))
    return mentions[:limit], relations[:limit]
