"""The registry over S3 and Redis.

The truth of a document is one manifest in the object store, changed by conditional writes alone
(`manifests.py`). Redis holds the newest record of each and the indexes over them (`records.py`).

- Accept, claim, publish, every end and delete write the manifest first and then Redis. A fence grows only there, so it
  never repeats, and what queries see changes only there.
- A stage's beginning and its facts go to Redis alone: one script, which compares fence and version.
- Redis that lost everything, or was restarted, is filled again from manifests as they are asked for. Leases are gone
  then, so that unfinished work is taken up at once.
- A process that dies between the two writes leaves Redis behind. The manifest's condition then refuses whoever acts on
  what Redis says; the marker that is still there makes the sweep look.

Requests to the object store for one new document: accept 2 (marker, manifest), claim 1, publish and end 1 each; one
for the markers of all that end together.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import NamedTuple, TypeVar

import msgspec

from trivium.adapters.cursors import read_cursor, write_cursor
from trivium.adapters.distributed.redis.server import RedisServer
from trivium.adapters.distributed.registry.manifests import Manifests, Record, is_document_id, marker_key, without_lease
from trivium.adapters.distributed.registry.rebuild import make_whole
from trivium.adapters.distributed.registry.records import HotRecords
from trivium.adapters.distributed.registry.sweep import Sweep
from trivium.adapters.distributed.s3.objects import S3Objects
from trivium.concurrent_calls import map_concurrent, submit
from trivium.domain import lifecycle
from trivium.domain.documents import Document, DocumentState, Lane
from trivium.domain.errors import Conflict, NotFound, TryLater
from trivium.domain.scope import Tenant
from trivium.ports.registry import DatasetCounts, DocumentCounts, DocumentPage

A = TypeVar("A")

_TRIES = 8  # of one conditional write; each loss means that somebody else's succeeded
_MAX_PAGE = 1000
_WHOLE_WITHIN_S = 1.0  # of filling Redis's indexes, where they lack anything


class ManifestRegistry:
    """All tenants' documents."""

    def __init__(self, server: RedisServer, objects: S3Objects) -> None:
        self._hot = HotRecords(server)
        self._manifests = Manifests(objects.bucket)
        self._sweep = Sweep(server, self._hot, self._manifests)

    def for_tenant(self, tenant: Tenant) -> ManifestTenantRegistry:
        """The tenant's documents."""
        return ManifestTenantRegistry(self._hot, self._manifests, tenant)

    def unfinished(self, now: float, limit: int = 1000, lane: Lane | None = None) -> Sequence[Document]:
        """What a sweep should start again, oldest first."""
        lanes = [lane] if lane else list(Lane)
        due = [document for each in lanes for document in self._sweep.due(each, now, limit)]
        return sorted(due, key=lambda document: (document.created_at, document.id))[:limit]

    def in_flight(self, now: float) -> dict[Lane, int]:
        """Documents under a lease, by lane."""
        return {lane: self._hot.in_flight(lane, now) for lane in Lane}

    def waiting(self, now: float) -> dict[Lane, int]:
        """Documents for a sweep, by lane: as many as Redis has heard of."""
        return {lane: self._hot.waiting(lane, now) for lane in Lane}

    def tenants(self) -> Sequence[Tenant]:
        """Every tenant that ever had a document, by name."""
        return list(self._manifests.tenants())

    def drop(self, tenant: Tenant) -> None:
        """Manifests and markers, then what Redis has: what is filled again meanwhile is filled from nothing."""
        self._manifests.drop(tenant)
        self._hot.drop(tenant)


class Change(NamedTuple):
    """A record as its manifest has it now, and what stood there before; new is what Redis does not know yet."""

    record: Record
    before: Record | None = None
    is_new: bool = False

    @property
    def ends_work(self) -> bool:
        """Whether the marker of what stood there before announces nothing more."""
        known = self.before
        return known is not None and not known.document.state.terminal and _work(self.record) != _work(known)


class ManifestTenantRegistry:
    """One tenant's documents; see `trivium.ports.registry.TenantRegistry`."""

    def __init__(self, hot: HotRecords, manifests: Manifests, tenant: Tenant) -> None:
        self._hot = hot
        self._manifests = manifests
        self._tenant = tenant

    def accept(self, document: Document) -> Document:
        """Record a source or a new version of it: marker, manifest, then Redis."""
        self._require_own(document)

        def accepted(known: Record | None) -> Record | None:
            if known and lifecycle.changes_nothing(document, known.document):
                return None
            return self._begun(lifecycle.accepted(document, known.document if known else None), known)

        known = self._hot.read(self._tenant, [document.id]).get(document.id)
        (record,) = self._told([self._changed(document.id, known, accepted)])
        return record.document

    def get(self, document_id: str) -> Document:
        """The newest record; while Redis is away, the manifest's, whose stage may be an older one."""
        found = self.get_many([document_id])
        if document_id not in found:
            raise lifecycle.no_such_document(document_id)
        return found[document_id]

    def get_many(self, document_ids: Sequence[str]) -> dict[str, Document]:
        """The newest records, by id; see `get`."""
        if not self._hot.is_away():
            with suppress(TryLater):  # of Redis: the object store's is raised below
                return {id_: record.document for id_, record in self._records(document_ids).items()}
        return {record.document.id: record.document for record in self._load(document_ids)}

    def get_many_cached(self, document_ids: Sequence[str]) -> dict[str, Document]:
        """Redis's records, once it has those of all documents: then an unknown one is no request to the object store.

        Its record of one that is being accepted, or whose accepting process died, may still be to come.
        """
        if not self._hot.is_away():
            with suppress(TryLater):
                make_whole(self._hot, self._manifests, self._tenant, _WHOLE_WITHIN_S)
                return {id_: record.document for id_, record in self._hot.read(self._tenant, document_ids).items()}
        return self.get_many(document_ids)

    def save(self, document: Document) -> None:
        """Replace the record if nobody claimed it or accepted a newer version since it was read."""
        if self.save_many([document]):
            raise lifecycle.stale(document)

    def save_many(self, documents: Sequence[Document]) -> set[str]:
        """Replace the records that nobody else changed: in Redis alone, or where queries or an end change, durably."""
        for document in documents:
            self._require_own(document)
        outcomes = dict(zip(documents, self._hot.save(documents), strict=True))
        if lost := [document for document, outcome in outcomes.items() if outcome.kind == "missing"]:
            self._install(self._load([document.id for document in lost]))
            outcomes |= zip(lost, self._hot.save(lost), strict=True)
        refused = {document.id for document, outcome in outcomes.items() if outcome.kind in ("stale", "missing")}
        durable = [(document, outcome.record) for document, outcome in outcomes.items() if outcome.kind == "durable"]
        changes = self._told_all(lambda pair: self._committed(*pair), durable)
        return refused | {document.id for document, _ in durable} - {change.record.document.id for change in changes}

    def claim(self, document_id: str, version: str, lease_s: float, now: float) -> Document:
        """Take the lease for `lease_s` seconds from `now`."""
        known = self._records([document_id]).get(document_id)
        (record,) = self._told([self._claimed(document_id, version, known, lease_s, now)])
        return record.document

    def claim_many(self, documents: Sequence[Document], lease_s: float, now: float) -> list[Document]:
        """Take the leases that can be taken, some at a time."""
        known = self._records([document.id for document in documents])

        def claim(document: Document) -> Change | None:
            with suppress(Conflict, NotFound):
                return self._claimed(document.id, document.version, known.get(document.id), lease_s, now)
            return None

        return [change.record.document for change in self._told_all(claim, documents)]

    def delete(self, document_id: str) -> Document:
        """Mark the document as gone. The marker makes sure that Redis hears of it, whatever happens in between."""

        def deleted(known: Record | None) -> Record | None:
            document = _need(known, document_id).document
            if document.state is DocumentState.DELETED:
                return None
            return self._begun(lifecycle.deleted(document), known)

        known = self._records([document_id]).get(document_id)
        (gone,) = self._told([self._changed(document_id, known, deleted)])
        self._unmark([gone])
        return gone.document

    def delete_many(self, document_ids: Sequence[str]) -> dict[str, Document]:
        """Mark the documents as gone, some at a time."""

        def deleted(document_id: str) -> Document | None:
            with suppress(NotFound):
                return self.delete(document_id)
            return None

        return {document.id: document for document in map_concurrent(deleted, document_ids) if document}

    def move(self, document_id: str, dataset: str) -> Document:
        """Begin to move the document into another dataset."""
        return self._restarted(document_id, lambda known: lifecycle.moved(known, dataset))

    def requeue(self, document_id: str) -> Document:
        """Begin to publish the document again."""
        return self._restarted(document_id, lifecycle.requeued)

    def active_versions(self, document_ids: Sequence[str]) -> dict[str, str]:
        """What queries may see of these documents."""
        found = self.get_many(document_ids).values()
        return {document.id: document.active_version for document in found if document.active_version}

    def list(self, state: DocumentState | None = None, limit: int = 50, cursor: str = "") -> DocumentPage:
        """One page, newest first."""
        limit = max(1, min(limit, _MAX_PAGE))
        after = read_cursor(cursor) if cursor else None
        make_whole(self._hot, self._manifests, self._tenant)
        found = self._hot.page(self._tenant, state, limit + 1, after)
        return DocumentPage(tuple(found[:limit]), write_cursor(found[limit - 1]) if len(found) > limit else "")

    def counts(self) -> DocumentCounts:
        """Totals for a status line."""
        make_whole(self._hot, self._manifests, self._tenant)
        return self._hot.counts(self._tenant)

    def datasets(self, limit: int = 50, after: str = "") -> Sequence[DatasetCounts]:
        """Those that have a document, by name."""
        make_whole(self._hot, self._manifests, self._tenant)
        return self._hot.datasets(self._tenant, max(1, min(limit, _MAX_PAGE)), after)

    def has_dataset(self, name: str) -> bool:
        """Whether it has a document. Raises `TryLater` soon, for a question may wait for it."""
        make_whole(self._hot, self._manifests, self._tenant, _WHOLE_WITHIN_S)
        return self._hot.has_dataset(self._tenant, name)

    def _restarted(self, document_id: str, change: Callable[[Document], Document]) -> Document:
        """Marker, manifest, then Redis; nothing where `change` answers the record as it is."""

        def restarted(known: Record | None) -> Record | None:
            document = _need(known, document_id).document
            begun = change(document)
            return None if begun is document else self._begun(begun, known)

        known = self._records([document_id]).get(document_id)
        (record,) = self._told([self._changed(document_id, known, restarted)])
        return record.document

    def _claimed(self, document_id: str, version: str, known: Record | None, lease_s: float, now: float) -> Change:
        """The attempts that Redis counted enter the manifest with each claim, so that losing Redis forgives none."""

        def claimed(current: Record | None) -> Record:
            current = _need(current, document_id)
            if current is not known and current.document.state.terminal:  # Redis was behind
                self._unmark([current])
            document = lifecycle.claimed(current.document, version, lease_s, now)
            return msgspec.structs.replace(current, document=document, seq=current.seq + 1)

        return self._changed(document_id, known, claimed)

    def _committed(self, document: Document, known: Record | None) -> Change | None:
        """A save's manifest; None when its holder was late."""

        def committed(current: Record | None) -> Record:
            if current is None or _holder(current.document) != _holder(document):
                raise lifecycle.stale(document)
            return msgspec.structs.replace(current, document=document, seq=current.seq + 1)

        with suppress(Conflict):
            return self._changed(document.id, known, committed)
        return None

    def _begun(self, document: Document, known: Record | None) -> Record:
        """The record that begins a piece of work, announced by its marker."""
        record = Record(document, known.seq + 1 if known else 1, document.fence)
        self._manifests.mark(record)
        return record

    def _changed(
        self, document_id: str, known: Record | None, change: Callable[[Record | None], Record | None]
    ) -> Change:
        """Write the manifest that `change` makes of the newest record; Redis has yet to be `_told`.

        `known` is what Redis says. When the manifest has moved on, `change` is asked again about what stands there;
        it answers None to leave the record as it is.
        """
        for _ in range(_TRIES):
            record = change(known)
            if record is None:
                return Change(_need(known, document_id))
            if written := self._manifests.write(record, replacing=known):
                return Change(written, known, is_new=True)
            known = self._install(self._load([document_id])).get(document_id)
        raise Conflict("busy_document", f"Document {document_id} is being changed by many at once.", "Try again.")

    def _told(self, changes: Sequence[Change]) -> Sequence[Record]:
        """Tell Redis what was written; then the markers of the work that ended or was replaced go, unwaited."""
        self._hot.install([change.record for change in changes if change.is_new])
        if ended := [change.before for change in changes if change.before and change.ends_work]:
            submit(self._unmark, ended)
        return [change.record for change in changes]

    def _told_all(self, change: Callable[[A], Change | None], batch: Sequence[A]) -> Sequence[Change]:
        """The changes of a batch, written some at a time; what was written is told also when a write failed."""
        written: dict[int, Change] = {}

        def write(number: int) -> None:
            if made := change(batch[number]):
                written[number] = made

        try:
            map_concurrent(write, range(len(batch)))
        finally:
            changes = [written[number] for number in sorted(written)]
            self._told(changes)
        return changes

    def _records(self, document_ids: Sequence[str]) -> dict[str, Record]:
        """The newest records; those that Redis lost are read from their manifests."""
        possible = [id_ for id_ in document_ids if is_document_id(id_)]
        known = self._hot.read(self._tenant, possible)
        lost = self._load([id_ for id_ in possible if id_ not in known])
        return known | self._install([without_lease(record) for record in lost])

    def _install(self, records: Sequence[Record]) -> dict[str, Record]:
        """Tell Redis of manifests; answers what Redis has then."""
        return {outcome.record.document.id: outcome.record for outcome in self._hot.install(records) if outcome.record}

    def _load(self, document_ids: Sequence[str]) -> Sequence[Record]:
        """The manifests that there are."""
        possible = [id_ for id_ in document_ids if is_document_id(id_)]
        loaded = map_concurrent(lambda id_: self._manifests.load(self._tenant, id_), possible)
        return [record for record in loaded if record]

    def _unmark(self, records: Sequence[Record]) -> None:
        """Remove the markers of work that is done; where that fails, the sweep does it."""
        with suppress(TryLater):
            self._manifests.unmark([marker_key(record) for record in records])

    def _require_own(self, document: Document) -> None:
        if document.tenant != self._tenant.name:
            raise lifecycle.wrong_tenant(document, self._tenant)


def _need(record: Record | None, document_id: str) -> Record:
    if record is None:
        raise lifecycle.no_such_document(document_id)
    return record


def _holder(document: Document) -> tuple[int, str]:
    """Who may save: the holder of the newest claim on the newest version."""
    return document.fence, document.version


def _work(record: Record) -> tuple[int, bool]:
    """Which piece of work a marker announces, and whether it is done."""
    return record.accepted, record.document.state.terminal
