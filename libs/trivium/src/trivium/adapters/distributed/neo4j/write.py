"""Writing a tenant's graph: shares in and out, and what they add up to brought along, in one transaction per batch.

A transaction locks the chunks, then the names that it touches, then the entities of those; what it reads of them it
may count on. Counters change by differences, so a hub costs no more than any other name.
"""

from __future__ import annotations

import random
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, LiteralString
from uuid import uuid4

import msgspec
from neo4j import ManagedTransaction

from trivium.adapters.distributed.neo4j import shelf_statements as shelf_cypher
from trivium.adapters.distributed.neo4j import similar_names
from trivium.adapters.distributed.neo4j import tie_statements as tie_cypher
from trivium.adapters.distributed.neo4j import write_statements as cypher
from trivium.adapters.distributed.neo4j.changes import Changes
from trivium.adapters.distributed.neo4j.decisions import Call, Decided, Differences
from trivium.adapters.distributed.neo4j.names import Name, Names, written
from trivium.adapters.distributed.neo4j.schema import CHANGE_SHARDS, DROPS, SCHEMA, START_CHARS, VERSION
from trivium.adapters.distributed.neo4j.server import WRITE_TIMEOUT_S, Neo4jServer, of_one_parameter
from trivium.adapters.distributed.neo4j.shelf import Neo4jShelf
from trivium.adapters.distributed.neo4j.ties import Ties
from trivium.adapters.graph_rules import MIN_ENTITY_CONFIDENCE, fields_of, is_as_stored, nodes_of
from trivium.batches import batches
from trivium.domain.edits import Decisions, RelationKey
from trivium.domain.errors import TryLater
from trivium.domain.graph import ChunkGraph
from trivium.domain.ids import entity_id
from trivium.domain.scope import Tenant
from trivium.ports.graph import BATCH_CHUNKS, NAMES_AT_ONCE, GraphRow
from trivium.resolution.record import MAX_NEIGHBOURS
from trivium.resolution.settle import settle

DOCUMENTS_PER_QUESTION = 500
_FIELDS = ("document", "version", "dataset", "run", "kinds", "uploaded", "dated", "within")
EARLIER_WRITES_S = WRITE_TIMEOUT_S + 5.0  # the server looks every two seconds which transactions are out of time
PAUSE_S = 0.1
_OPEN: LiteralString = "SHOW TRANSACTIONS YIELD transactionId"
DECISIONS_AT_ONCE = 1000  # in one transaction: what one call decides is no more, and seen as a whole

_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(ChunkGraph).decode


class Neo4jGraphWriter:
    """One tenant's writes; see `trivium.ports.graph.GraphWriter`. `space` is the tenant as its nodes carry it."""

    def __init__(self, server: Neo4jServer, tenant: Tenant, space: str) -> None:
        self._server = server
        self._tenant = tenant
        self._space = space

    def upsert(self, rows: Sequence[GraphRow]) -> None:
        """Add or replace the shares of some chunks."""
        newest = {row.share.chunk_id: row for row in rows}
        stored = [(chunk, newest[chunk], _encode(newest[chunk].share)) for chunk in sorted(newest)]
        for batch in batches(stored, BATCH_CHUNKS):
            self._written(lambda graph, batch=batch: graph.put(batch))  # type: ignore[misc]

    def relabel(self, rows: Sequence[GraphRow]) -> None:
        """Write what stands beside the shares."""
        told = [
            {"id": row.share.chunk_id, "fields": dict(zip(_FIELDS, fields_of(row), strict=True))}
            for row in sorted(rows, key=lambda row: row.share.chunk_id)
        ]
        for batch in batches(told, BATCH_CHUNKS):
            self._written(lambda graph, batch=batch: graph.relabel(batch))  # type: ignore[misc]

    def delete(self, document_id: str) -> None:
        """Remove the document's shares."""
        self.delete_others({document_id: ""})

    def delete_others(self, kept: Mapping[str, str]) -> None:
        """Remove all but the version that each document keeps."""
        while self._write(lambda graph: graph.take(kept)) == BATCH_CHUNKS:
            pass

    def decide(self, decisions: Decisions, since: Decisions | None = None) -> None:
        """Bring the graph to these decisions by what differs; where nothing does, nothing is written.

        It is compared as a whole: several processes write, in more than one transaction.
        """
        for batch in Decided.of(decisions).changes(self._decided(), DECISIONS_AT_ONCE):
            self._written(lambda graph, batch=batch: graph.decide(batch))  # type: ignore[misc]

    def resolve(self, most: int = NAMES_AT_ONCE) -> int:
        """Settle some names, in one transaction."""
        if not self._server.run(shelf_cypher.ANY_UNRESOLVED, tenant=self._space):
            return 0
        return self._write(lambda graph: graph.resolve(most))

    def undecided(self, decisions: Decisions) -> int:
        """How many decisions differ."""
        return sum(len(batch) for batch in Decided.of(decisions).changes(self._decided(), DECISIONS_AT_ONCE))

    def _decided(self) -> Decided:
        names, invalid, shares = (
            self._server.run(statement, tenant=self._space)
            for statement in (cypher.DECIDED, cypher.INVALID, cypher.SHARES_OF_EDITS)
        )
        return Decided(
            {chunk: _decode(share) for chunk, share in shares},
            {key: Call(*row) for key, *row in names},
            {RelationKey(source, target, kind): mark for source, target, kind, mark in invalid},
        )

    def ids(self, versions: Mapping[str, str]) -> dict[str, set[str]]:
        """The chunks that have a share, for one version of each document."""
        found: dict[str, set[str]] = {document: set() for document in versions}
        for batch in batches(versions.items(), DOCUMENTS_PER_QUESTION):
            rows = self._server.run(
                """
                UNWIND $versions AS asked
                MATCH (c:Chunk {tenant: $tenant, document: asked[0], version: asked[1]})
                WITH c WHERE c.share IS NOT NULL
                RETURN c.document, collect(c.id)
                """,
                tenant=self._space,
                versions=batch,
            )
            found.update({document: set(chunks) for document, chunks in rows})
        return found

    def versions(self) -> Iterator[tuple[str, str]]:
        """Every (document id, version) that has rows."""
        rows = self._server.run(
            """
            MATCH (c:Chunk) WHERE c.tenant = $tenant AND c.document > '' AND c.version IS NOT NULL
            RETURN DISTINCT c.document, c.version
            """,
            tenant=self._space,
        )
        return ((document, version) for document, version in rows)

    def unlike(self, rows: Sequence[GraphRow]) -> set[str]:
        """The chunks whose share is another."""
        wanted = {row.share.chunk_id: row for row in rows}
        stored = self._server.run(
            """
            UNWIND $ids AS id
            MATCH (c:Chunk {tenant: $tenant, id: id})
            RETURN id, c.document, c.version, c.dataset, c.run, c.kinds, c.uploaded, c.dated, c.within, c.share
            """,
            tenant=self._space,
            ids=list(wanted),
        )
        return set(wanted) - {chunk for chunk, *row in stored if is_as_stored(wanted[chunk], row)}

    def _written(self, work: Callable[[_GraphTransaction], int]) -> None:
        """What counts how many rows it wrote, and writes none on a server without our schema."""
        if self._write(work):
            return
        create_schema(self._server)
        if not self._write(work):
            raise TryLater(
                "graph_schema",
                "The graph's schema was changed by another version of Trivium in that moment.",
                "It is tried again; end the processes of the other version.",
            )

    def _write(self, work: Callable[[_GraphTransaction], int]) -> int:
        return self._server.write(lambda transaction: work(_GraphTransaction(transaction, self._tenant, self._space)))


def create_schema(server: Neo4jServer) -> None:
    """Create what is not there; several processes may do so at once. Raises `TryLater` (`store_newer`)."""
    server.look_again()
    for statement in SCHEMA:
        server.create(statement, version=VERSION)
    for version, statement in DROPS:
        if version <= VERSION:
            server.create(statement)
    unfilled, unmarked = server.run(tie_cypher.UNFILLED), server.run(similar_names.UNMARKED)
    if unfilled or unmarked:
        _let_earlier_writes_end(server)
    if unfilled:  # by a version before 5
        _fill(server, _GraphTransaction.fill_ties)
        server.run(tie_cypher.FILLED)
    if unmarked:
        _fill(server, _GraphTransaction.mark_words)
        server.run(similar_names.MARKED)


def _let_earlier_writes_end(server: Neo4jServer) -> None:
    """Wait for each transaction that may have begun before our version stood there: `_fill` would not see its names."""
    last_look = time.monotonic() + EARLIER_WRITES_S
    earlier = _open_transactions(server)
    while (earlier := earlier & _open_transactions(server)) and time.monotonic() < last_look:
        time.sleep(PAUSE_S)


def _open_transactions(server: Neo4jServer) -> set[str]:
    return {transaction for (transaction,) in server.run(_OPEN)}


def _fill(server: Neo4jServer, step: Callable[[_GraphTransaction, str], str | None]) -> None:
    """What an earlier version did not write, while others may write: what they see of it is right or not there.

    `step` does the next names behind an id, and answers the last one's; None behind the last.
    """
    for (space,) in server.run(tie_cypher.SPACES):
        after: str | None = ""
        tenant = Tenant(space.partition(":")[2])
        while after is not None:
            start = after
            after = server.write(lambda transaction: step(_GraphTransaction(transaction, tenant, space), start))  # noqa: B023


class _GraphTransaction:
    """The steps of one transaction."""

    def __init__(self, transaction: ManagedTransaction, tenant: Tenant, space: str) -> None:
        self._transaction = transaction
        self._tenant = tenant
        self._space = space
        self._ids: dict[str, str] = {}

    def put(self, batch: Sequence[tuple[str, GraphRow, bytes]]) -> int:
        """Add or replace shares. Returns how many; none on a server without our schema."""
        rows = [
            {
                **dict(zip(_FIELDS, fields_of(row), strict=True)),
                "id": chunk,
                "share": encoded,
            }
            for chunk, row, encoded in batch
        ]
        found = self._run(cypher.PUT_CHUNKS, rows=rows, version=VERSION)
        if not found:
            return 0
        before = {chunk: share for chunk, share, _ in found}
        self._put_evidence({row["id"]: row["within"] for row in rows})
        changes = Changes()
        for chunk, row, encoded in batch:
            known = before[chunk]
            if known is not None and known != encoded:
                changes.remove(_decode(known))
            if known != encoded:
                changes.add(row.share)
        self._apply(changes)
        now = {chunk: (encoded, fields_of(row)) for chunk, row, encoded in batch}
        if any(now[chunk] != (share, fields) for chunk, share, fields in found):
            self._count_change()
        return len(batch)

    def relabel(self, told: Sequence[Mapping[str, Any]]) -> int:
        """Write what stands beside shares. Returns 0 on a server without our schema."""
        if not self._run(cypher.SCHEMA_THERE, version=VERSION):
            return 0
        before = self._run_some(cypher.RELABEL_CHUNKS, rows=list(told))
        self._put_evidence({row["id"]: row["fields"]["within"] for row in told})
        now = {row["id"]: [row["fields"][name] for name in _FIELDS] for row in told}
        if any(now[chunk] != fields for chunk, fields in before):
            self._count_change()
        return len(told)

    def _put_evidence(self, within: Mapping[str, str]) -> None:
        """Have each chunk be evidence of exactly its HyperNodes."""
        self._run_some(cypher.DROP_EVIDENCE, chunks=list(within))
        rows = [{"chunk": chunk, "node": node} for chunk, stored in within.items() for node in nodes_of(stored)]
        self._run_some(cypher.ADD_EVIDENCE, rows=sorted(rows, key=lambda row: (row["node"], row["chunk"])))

    def take(self, kept: Mapping[str, str]) -> int:
        """Remove the next shares of other versions than these documents keep. Returns how many."""
        rows = [{"document": document, "version": version} for document, version in sorted(kept.items())]
        found = self._run(cypher.TAKE_CHUNKS, rows=rows, limit=BATCH_CHUNKS)
        changes = Changes()
        for _, share in found:
            if share is not None:  # a step led to it, and its own share never came
                changes.remove(_decode(share))
        self._apply(changes)
        self._run_some(cypher.DROP_EVIDENCE, chunks=[chunk for chunk, _ in found])
        self._run_some(cypher.DROP_CHUNKS, ids=[chunk for chunk, _ in found])
        if found:
            self._count_change()
        return len(found)

    def _count_change(self) -> None:
        self._run(cypher.COUNT_CHANGE, shard=random.randrange(CHANGE_SHARDS))  # noqa: S311 - no secret

    def decide(self, batch: Differences) -> int:
        """Write some decisions and what follows from them. Returns 0 on a server without our schema."""
        if not self._run(cypher.SCHEMA_THERE, version=VERSION):
            return 0
        changes = Changes()
        before = dict(self._run_some(cypher.LOCK_CHUNKS, ids=sorted(batch.shares)))
        for chunk, share in sorted(batch.shares.items()):
            if before.get(chunk) is not None:
                changes.remove(_decode(before[chunk]))
            if share is not None:
                changes.add(share)
        self._put_shares_of_edits(batch)
        self._put_overrides(batch)
        changes.decided = set(batch.calls)
        changes.veiled = {key for key, (stored, now) in batch.calls.items() if stored.removed != now.removed}
        changes.marked = {(it.source_key, it.target_key, it.type) for it in batch.marks}
        changes.keys |= changes.decided | changes.veiled | {key for ends in changes.marked for key in ends[:2]}
        self._apply(changes)
        self._run_some(cypher.DROP_CHUNKS, ids=[chunk for chunk, share in batch.shares.items() if share is None])
        self._count_change()
        return len(batch)

    def resolve(self, limit: int) -> int:
        """Decide about some names that were touched. Returns how many."""
        self._run(shelf_cypher.LOCK_RESOLVER)
        found = self._run(shelf_cypher.UNRESOLVED, limit=limit)
        shelf = Neo4jShelf(self._run, self._id)
        settle(shelf, [key for _, key, _ in found])
        changes = Changes()
        for moved in shelf.moved:
            changes.claim_by_rule(*moved)
        if shelf.moved:
            self._apply(changes, touched="")
            self._count_change()
        self._run_some(shelf_cypher.SETTLED, rows=[[id_, touched] for id_, _, touched in sorted(found)])
        self._run_some(cypher.DROP_UNUSED_NAMES, ids=sorted(id_ for id_, *_ in found))
        return len(found)

    def fill_ties(self, after: str) -> str | None:
        """Count the ties of the next names behind an id anew. Returns the last one's; None behind the last."""
        found = self._run(tie_cypher.NAMES_BEHIND, after=after, limit=BATCH_CHUNKS)
        Ties(self._run_some, self._id).recount_of([id_ for (id_,) in found])
        return str(found[-1][0]) if found else None

    def mark_words(self, after: str) -> str | None:
        """Write the words of the next names behind an id. Returns the last one's; None behind the last."""
        mark = similar_names.mark_of(self._space)
        found = self._run(similar_names.MARK_BEHIND, after=after, limit=similar_names.MARKED_AT_ONCE, mark=mark)
        return str(found[-1][0]) if found else None

    def _put_shares_of_edits(self, batch: Differences) -> None:
        rows = [
            {"id": chunk, "document": "", "version": chunk, "dataset": "", "run": "", "share": _encode(share)}
            for chunk, share in sorted(batch.shares.items())
            if share is not None
        ]
        self._run_some(cypher.PUT_CHUNKS, rows=rows, version=VERSION)

    def _put_overrides(self, batch: Differences) -> None:
        calls = [{**self._named("", key), **now.row()} for key, (_, now) in batch.calls.items()]
        self._run_some(cypher.PUT_DECIDED, rows=sorted(calls, key=lambda row: str(row["id"])))
        marks = [
            {
                **self._named("source", it.source_key),
                **self._named("target", it.target_key),
                "type": it.type,
                "mark": mark,
            }
            for it, mark in batch.marks.items()
        ]
        self._run_some(cypher.PUT_INVALID, rows=sorted(marks, key=lambda row: (row["source"], row["target"])))

    def _named(self, end: str, key: str) -> dict[str, str]:
        prefix = f"{end}_" if end else ""
        return {end or "id": self._id(key), f"{prefix}key": key, f"{prefix}start": key[:START_CHARS]}

    def _apply(self, changes: Changes, touched: str | None = None) -> None:
        """`touched` marks the names that are to be resolved anew; "" where nothing is known otherwise about them."""
        changes.settle()
        touched = uuid4().hex if touched is None else touched
        names = self._locked(changes, touched)
        self._rewrite_relations(changes)
        veiled = {key for key, name in names.items() if name.veil} | changes.veiled
        unsettled = names.roots(veiled)
        self._run_some(cypher.TOUCH_ANEW, ids=self._sorted_ids(names.retold(changes)), touched=touched)
        dirty = names.roots(names.count_spellings(changes))
        moved = self._settle_claims(names, changes) if changes.claims else {}
        regrouped = {root for roots in moved.values() for root in roots}
        unsettled |= names.roots(veiled) | {after for before, after in moved.values() if before in unsettled}
        dirty |= names.roots(name for key, canonical, _ in changes.claims for name in (key, canonical)) | regrouped
        dirty |= names.roots(changes.decided)
        dirty |= names.count_mentions(changes)
        described = [
            {**row, "id": self._id(row["key"]), "words": similar_names.marked(row["key"], self._space)}
            for row in names.described(dirty)
        ]
        self._run_some(cypher.DESCRIBE_NAMES, rows=described)
        self._count_neighbours(names.neighbours(changes, but=regrouped | unsettled))
        self._settle_relations(changes, names, moved, unsettled)
        if changes.emptied or changes.decided or changes.veiled or changes.marked:
            self._run_some(cypher.DROP_UNUSED_NAMES, ids=self._sorted_ids(names))

    def _settle_relations(
        self, changes: Changes, names: Names, moved: Mapping[str, tuple[str, str]], unsettled: set[str]
    ) -> None:
        """Which relations are hidden, who is whose neighbour and what joins them.

        Of entities that moved or were removed all relations are walked; of the others that are `unsettled` those alone
        that changed: one invalid relation of a hub is no reason to count it anew at every write.
        """
        regrouped = {root for roots in moved.values() for root in roots}
        walked = unsettled & (regrouped | names.roots(changes.veiled))
        stated = changes.weakened | changes.strengthened.keys()
        anew = changes.marked | {each for each in stated if names.roots(each[:2]) & unsettled}
        pairs = sorted(self._sorted_ids(pair) for pair in names.pairs(anew, but=walked))
        self._run_some(cypher.SETTLE_VEILS, roots=self._sorted_ids(walked))
        self._run_some(cypher.SETTLE_VEILS_BETWEEN, pairs=pairs)
        self._recount(names, regrouped | walked)
        self._run_some(cypher.RECOUNT_NEIGHBOURS_BETWEEN, pairs=pairs)
        of_walked = [key for key, name in names.items() if name.root in walked]
        Ties(self._run_some, self._id).settle(changes, names, moved, of_walked, anew)

    def _locked(self, changes: Changes, touched: str) -> Names:
        """Every name that `changes` touch, and every other name of the same entities."""
        if changes.claims:
            self._run(cypher.LOCK_TENANT)
        names = Names()
        self._lock_names(names, changes.others(), touched)
        claimed = {key for key, _, _ in changes.claims}
        more = {canonical for key in claimed for canonical in names[key].claims} - names.keys()
        self._lock_names(names, dict.fromkeys(more), "")
        grouped = {name.root for name in names.values() if name.grouped}
        for row in self._run_some(cypher.LOCK_GROUPS, ids=self._sorted_ids(grouped)):
            names[row[0]] = Name.of(row)
        return names

    def _lock_names(self, names: Names, others: Mapping[str, list[str] | None], touched: str) -> None:
        rows: list[dict[str, Any]] = [
            {"id": self._id(key), "key": key, "start": key[:START_CHARS], "others": changed}
            for key, changed in others.items()
        ]
        rows.sort(key=lambda row: row["id"])
        for row in self._run_some(cypher.LOCK_NAMES, rows=rows, touched=touched, most=MAX_NEIGHBOURS):
            names[row[0]] = Name.of(row)

    def _rewrite_relations(self, changes: Changes) -> None:
        self._run_some(cypher.DROP_PLACES, chunks=changes.emptied)
        self._run_some(cypher.DROP_STATEMENTS, chunks=changes.emptied)
        self._run_some(cypher.DROP_STEPS, chunks=changes.emptied)
        for role, places in changes.places.items():
            rows = [
                {"name": self._id(p.key), "chunk": p.chunk, "sentence": p.sentence, "confidence": p.confidence}
                for p in places
            ]
            self._run_some(cypher.ADD_PLACES[role], rows=rows)
        for kind, steps in changes.steps.items():
            self._run_some(cypher.ADD_STEPS[kind], rows=[{"chunk": here, "target": there} for here, there in steps])
        self._run_some(
            cypher.ADD_STATEMENTS,
            rows=[
                {**msgspec.structs.asdict(s), "source": self._id(s.source), "target": self._id(s.target)}
                for s in changes.statements
            ],
        )

    def _settle_claims(self, names: Names, changes: Changes) -> dict[str, tuple[str, str]]:
        """Returns the names that belong to another entity now, with the root before and after."""
        rows = []
        for key, canonical in sorted(names.count_claims(changes)):
            said = written(names[key].claims.get(canonical, Counter()))
            rows.append({"name": self._id(key), "canonical": self._id(canonical), "spellings": said})
        self._run_some(cypher.PUT_CLAIMS, rows=rows)
        moved = names.regroup()
        self._run_some(
            cypher.MOVE_NAMES,
            rows=[{"name": self._id(key), "root": self._id(root)} for key, (_, root) in sorted(moved.items())],
        )
        return moved

    def _count_neighbours(self, pairs: Mapping[tuple[str, str], int]) -> None:
        ends = sorted((*self._sorted_ids(pair), n) for pair, n in pairs.items())
        self._run_some(
            cypher.COUNT_NEIGHBOURS, rows=[{"left": left, "right": right, "n": n} for left, right, n in ends]
        )

    def _recount(self, names: Names, regrouped: set[str]) -> None:
        present = self._sorted_ids(root for root in regrouped if names[root].root == root)
        self._run_some(cypher.RECOUNT_MENTIONS, roots=present, sure=MIN_ENTITY_CONFIDENCE)
        self._run_some(cypher.DROP_NEIGHBOURS, roots=self._sorted_ids(regrouped))
        self._run_some(cypher.RECOUNT_NEIGHBOURS, roots=present)

    def _id(self, key: str) -> str:
        known = self._ids.get(key)
        if known is None:
            known = self._ids[key] = entity_id(self._tenant, key)
        return known

    def _sorted_ids(self, keys: Iterable[str]) -> list[str]:
        return sorted(self._id(key) for key in keys)

    def _run(self, statement: LiteralString, **parameters: Any) -> list[list[Any]]:
        given = {**parameters, "tenant": self._space}
        return self._transaction.run(of_one_parameter(statement), given=given).values()

    def _run_some(self, statement: LiteralString, **parameters: Any) -> list[list[Any]]:
        """Run the statement unless the list that it walks is empty."""
        walked = next(value for value in parameters.values() if isinstance(value, list))
        return self._run(statement, **parameters) if walked else []
