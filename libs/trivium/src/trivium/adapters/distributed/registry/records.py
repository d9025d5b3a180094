"""The registry's quick side: records and indexes in Redis, rebuilt from the manifests when they are not there.

A record here is the manifest's, or a later one of the same fence: the stage, the attempt, the lease and the facts that
stages learn are written here alone. Each record also says which value of the manifest it stands on.
"""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from importlib.resources import files
from typing import Literal, NamedTuple, cast

import msgspec

from trivium.adapters.distributed.redis.server import Client, RedisServer
from trivium.adapters.distributed.registry.manifests import Marker, Record
from trivium.batches import batches
from trivium.domain.documents import Document, DocumentState, Lane
from trivium.domain.scope import Tenant
from trivium.ports.registry import DatasetCounts, DocumentCounts

_STORE = files(__package__).joinpath("records.lua").read_text()
_COUNT_DATASETS = files(__package__).joinpath("count_datasets.lua").read_text()

# Of the markers whose document is not queued: queue those without a record; the others are amiss. Answers both.
_ADOPT = """
local amiss, new = {}, {}
for at = 1, #ARGV, 4 do
    local tenant, id, lane, created = ARGV[at], ARGV[at + 1], ARGV[at + 2], ARGV[at + 3]
    local queue, member = KEYS[1] .. 'unfinished:' .. lane, tenant .. '/' .. id
    if not redis.call('ZSCORE', queue, member) then
        if redis.call('HEXISTS', KEYS[1] .. 'records:' .. tenant, id) == 0 then
            redis.call('ZADD', queue, created, member)
            new[#new + 1] = (at - 1) / 4
        else
            amiss[#amiss + 1] = (at - 1) / 4
        end
    end
end
return {amiss, new}
"""

# One page. The last document of the page before may have left this index: then its place is looked up by putting it in.
_PAGE = """
local index, start = KEYS[1] .. 'newest:' .. ARGV[1] .. ':' .. ARGV[2], 0
if ARGV[4] then
    local added = redis.call('ZADD', index, 'NX', ARGV[4], ARGV[5])
    start = redis.call('ZRANK', index, ARGV[5]) + 1 - added
    if added == 1 then redis.call('ZREM', index, ARGV[5]) end
end
local ids = redis.call('ZRANGE', index, start, start + tonumber(ARGV[3]) - 1)
if #ids == 0 then return {} end
return redis.call('HMGET', KEYS[1] .. 'records:' .. ARGV[1], unpack(ids))
"""

# Progress of a rebuild, as long as it is ours: losing Redis's memory loses the token, and so never ends in "whole".
_ADVANCE = """
local token, at = KEYS[1] .. 'rebuild:' .. ARGV[1], KEYS[1] .. 'rebuilt:' .. ARGV[1]
if redis.call('GET', token) ~= ARGV[2] then return 0 end
if ARGV[3] == '' then
    redis.call('SET', KEYS[1] .. 'whole:' .. ARGV[1], 1)
    redis.call('DEL', token, at)
else
    redis.call('SET', at, ARGV[3])
    redis.call('PEXPIRE', token, ARGV[4])
end
return 1
"""

REBUILD_TURN_MS = 30_000  # of one page of a rebuild, after which another process may take over
_STAGES_PAGE = 1000


class Outcome(NamedTuple):
    """What became of a hot save, and what is stored after it."""

    kind: Literal["saved", "missing", "stale", "durable", "older"]
    record: Record | None


class Queued(NamedTuple):
    """A document of the queue; `record` is None when Redis knows no more of it."""

    tenant: Tenant
    document_id: str
    record: Record | None


class HotRecords:
    """All tenants' records in Redis. Raises as `RedisServer` does."""

    def __init__(self, server: RedisServer) -> None:
        self._server = server
        self._store, self._adopt, self._page, self._advance = map(server.script, (_STORE, _ADOPT, _PAGE, _ADVANCE))
        self._count_datasets = server.script(_COUNT_DATASETS)

    def is_away(self) -> bool:
        """Whether Redis did not answer a moment ago."""
        return self._server.is_away()

    def read(self, tenant: Tenant, document_ids: Sequence[str]) -> dict[str, Record]:
        """The records that Redis has."""
        if not document_ids:
            return {}
        ids = list(document_ids)
        values = self._server.remember(lambda client, prefix: client.hmget(f"{prefix}records:{tenant}", ids))
        return {
            id_: _decode(value) for id_, value in zip(ids, cast("list[bytes | None]", values), strict=True) if value
        }

    def save(self, documents: Sequence[Document]) -> list[Outcome]:
        """Replace records of the same fence and version, where nothing changes that must be durable first."""
        return self._stored("hot", [("", document) for document in documents])

    def install(self, records: Sequence[Record]) -> list[Outcome]:
        """Take over manifests that are newer than what is here."""
        return self._stored("manifest", [(_head(record), record.document) for record in records])

    def page(
        self, tenant: Tenant, state: DocumentState | None, limit: int, after: tuple[float, str] | None
    ) -> list[Document]:
        """Documents newest first, after (created_at, id)."""
        place = [repr(-after[0]), after[1]] if after else []
        values = self._server.remember(
            lambda client, prefix: self._page([prefix], [tenant.name, state or "all", limit, *place], client)
        )
        return [_decode(value).document for value in values]

    def counts(self, tenant: Tenant) -> DocumentCounts:
        """Totals, exact at one moment except for the stages."""

        def read(client: Client, prefix: str) -> DocumentCounts:
            newest = f"{prefix}newest:{tenant}:"
            pipe = client.pipeline()
            for state in DocumentState:
                pipe.zcard(newest + state)
            pipe.hget(f"{prefix}chunks", tenant.name)
            pipe.zrange(newest + DocumentState.RUNNING, 0, -1)
            *totals, chunks, running = pipe.execute()
            by_stage: dict[str, int] = {}
            for start in range(0, len(running), _STAGES_PAGE):
                for value in client.hmget(f"{prefix}records:{tenant}", running[start : start + _STAGES_PAGE]):
                    stage = _decode(value).document.stage if value else ""
                    by_stage[stage] = by_stage.get(stage, 0) + 1
            by_stage.pop("", None)
            by_state = {state.value: total for state, total in zip(DocumentState, totals, strict=True) if total}
            return DocumentCounts(by_state, by_stage, int(chunks or 0))

        return self._server.remember(read)

    def datasets(self, tenant: Tenant, limit: int, after: str) -> list[DatasetCounts]:
        """Documents and passages by dataset, from the first name behind `after` on."""

        def read(client: Client, prefix: str) -> list[DatasetCounts]:
            self._count_datasets([prefix], [tenant.name], client)
            begin = f"({after}" if after else "-"
            names = client.zrangebylex(f"{prefix}datasets:{tenant}", begin, "+", 0, limit)
            if not names:
                return []
            pipe = client.pipeline()
            pipe.hmget(f"{prefix}dataset_documents:{tenant}", names)
            pipe.hmget(f"{prefix}dataset_chunks:{tenant}", names)
            documents, chunks = pipe.execute()
            totals = zip(names, documents, chunks, strict=True)
            # One that is emptied in between is no dataset any more.
            return [DatasetCounts(name.decode(), int(held), int(told or 0)) for name, held, told in totals if int(held)]

        return self._server.remember(read)

    def has_dataset(self, tenant: Tenant, name: str) -> bool:
        """Whether a document is in it."""

        def read(client: Client, prefix: str) -> bool:
            self._count_datasets([prefix], [tenant.name], client)
            return client.zscore(f"{prefix}datasets:{tenant}", name) is not None

        return self._server.remember(read)

    def drop(self, tenant: Tenant) -> None:
        """Forget all that is known of the tenant's documents."""

        def forget(client: Client, prefix: str) -> None:
            for queue in (f"{prefix}{kind}:{lane}" for kind in ("unfinished", "leases") for lane in Lane):
                members = [member for member, _ in client.zscan_iter(queue, match=f"{tenant}/*", count=_STAGES_PAGE)]
                for some in batches(members, _STAGES_PAGE):
                    client.zrem(queue, *some)
            newest = [f"{prefix}newest:{tenant}:{index}" for index in ("all", *DocumentState)]
            datasets = ("datasets", "dataset_documents", "dataset_chunks", "dataset_counted", "dataset_recounted")
            known = [f"{prefix}{kind}:{tenant}" for kind in ("records", "whole", "rebuild", "rebuilt", *datasets)]
            client.unlink(*newest, *known)
            client.hdel(f"{prefix}chunks", tenant.name)

        self._server.remember(forget)

    def queued(self, lane: Lane, start: int, limit: int) -> list[Queued]:
        """Unfinished documents of a lane, oldest first, from the `start`th on."""

        def read(client: Client, prefix: str) -> list[Queued]:
            members = client.zrange(f"{prefix}unfinished:{lane}", start, start + limit - 1)
            names = [member.decode().split("/", 1) for member in members]
            pipe = client.pipeline(transaction=False)
            for tenant, id_ in names:
                pipe.hget(f"{prefix}records:{tenant}", id_)
            values = pipe.execute()
            return [
                Queued(Tenant(tenant), id_, _decode(value) if value else None)
                for (tenant, id_), value in zip(names, values, strict=True)
            ]

        return self._server.remember(read)

    def unqueue(self, lane: Lane, queued: Queued) -> None:
        """Forget a document of the queue that has no manifest (yet)."""
        member = f"{queued.tenant}/{queued.document_id}"
        self._server.remember(lambda client, prefix: client.zrem(f"{prefix}unfinished:{lane}", member))

    def in_flight(self, lane: Lane, now: float) -> int:
        """RUNNING documents whose lease has not run out."""
        count = self._server.remember(
            lambda client, prefix: client.zcount(f"{prefix}leases:{lane}", f"({now!r}", "+inf")
        )
        return int(count)

    def waiting(self, lane: Lane, now: float) -> int:
        """Unfinished documents without a lease that holds."""

        def count(client: Client, prefix: str) -> int:
            pipe = client.pipeline()
            pipe.zcard(f"{prefix}unfinished:{lane}")
            pipe.zcount(f"{prefix}leases:{lane}", f"({now!r}", "+inf")
            unfinished, held = pipe.execute()
            return max(0, int(unfinished) - int(held))

        return self._server.remember(count)

    def adopt(self, markers: Sequence[Marker]) -> tuple[list[Marker], list[Marker]]:
        """Queue what markers name. Answers those whose document is not unfinished here, and those that were new."""
        if not markers:
            return [], []
        arguments = [part for m in markers for part in (m.tenant, m.document_id, m.lane.value, repr(m.created_at))]
        amiss, new = self._server.remember(lambda client, prefix: self._adopt([prefix], arguments, client))
        return [markers[at] for at in amiss], [markers[at] for at in new]

    def turn(self, name: str, every_s: float) -> bool:
        """Whether it is this caller's turn to do what all processes together do once every `every_s` seconds."""
        milliseconds = round(every_s * 1000)
        return bool(
            self._server.remember(
                lambda client, prefix: client.set(f"{prefix}turn:{name}", 1, nx=True, px=milliseconds)
            )
        )

    def recall(self, name: str) -> str:
        """A short note that lives as long as Redis's memory does, "" when there is none."""
        found = self._server.remember(lambda client, prefix: client.get(f"{prefix}note:{name}"))
        return found.decode() if found else ""

    def note(self, name: str, text: str) -> None:
        """Leave a short note."""
        self._server.remember(lambda client, prefix: client.set(f"{prefix}note:{name}", text))

    def is_whole(self, tenant: Tenant) -> bool:
        """Whether the indexes hold every document of the tenant."""
        return bool(self._server.remember(lambda client, prefix: client.exists(f"{prefix}whole:{tenant}")))

    def begin_rebuild(self, tenant: Tenant) -> tuple[str, str] | None:
        """A token and the id after which to go on, or None while somebody else rebuilds."""
        token = secrets.token_hex(8)

        def begin(client: Client, prefix: str) -> tuple[str, str] | None:
            if not client.set(f"{prefix}rebuild:{tenant}", token, nx=True, px=REBUILD_TURN_MS):
                return None
            return token, (client.get(f"{prefix}rebuilt:{tenant}") or b"").decode()

        return self._server.remember(begin)

    def advance_rebuild(self, tenant: Tenant, token: str, reached: str) -> bool:
        """Note the last id that was read, "" for all of them; False when the rebuild is not ours any more."""
        arguments = [tenant.name, token, reached, REBUILD_TURN_MS]
        return bool(self._server.remember(lambda client, prefix: self._advance([prefix], arguments, client)))

    def pause_rebuild(self, tenant: Tenant) -> None:
        """Let the next caller go on."""
        self._server.remember(lambda client, prefix: client.delete(f"{prefix}rebuild:{tenant}"))

    def _stored(self, mode: str, batch: Sequence[tuple[str, Document]]) -> list[Outcome]:
        arguments = [
            [document.tenant, document.id, mode, head, msgspec.json.encode(document)] for head, document in batch
        ]

        def store(client: Client, prefix: str) -> list[list[bytes]]:
            if len(arguments) == 1:
                return [self._store([prefix], arguments[0], client)]
            pipe = client.pipeline(transaction=False)
            for each in arguments:
                self._store([prefix], each, pipe)
            return list(pipe.execute())

        answers = self._server.remember(store) if arguments else []
        return [
            Outcome(cast("Literal['saved']", kind.decode()), _decode(stored[0]) if stored else None)
            for kind, *stored in answers
        ]


def _head(record: Record) -> str:
    return f"{record.seq} {record.accepted} {record.etag}"


def _decode(value: bytes) -> Record:
    head, _, document = value.partition(b"\n")
    seq, accepted, etag = head.decode().split(" ", 2)
    return Record(msgspec.json.decode(document, type=Document), int(seq), int(accepted), etag)
