"""A backfill, the objects of a bucket that are there already, however many, through the slower lane.

It lists in the order of keys, accepts what is new or changed, and never lets more than so many wait. Its checkpoint in
the object store says how far it came, so it may be stopped at any time and goes on there. Memory does not grow with the
bucket.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import takewhile

import msgspec

from trivium.cli.runtime import BackfillRequest
from trivium.domain.documents import Document, DocumentState, Lane
from trivium.domain.errors import NotFound, Refused
from trivium.domain.ids import digest
from trivium.domain.runs import new_run
from trivium.flow.dead import dead_letters
from trivium.flow.intake import StoreIntake, upload_source
from trivium.ports.objects import ObjectStore
from trivium.ports.registry import Registry
from trivium.ports.uploads import Upload
from trivium_ingest.uploads.compare import PAGE, Compared, compared
from trivium_ingest.uploads.follow import Bucket

POLL_S = 0.5


class Checkpoint(msgspec.Struct):
    """How far a backfill came. `run` is what its documents carry; `unfinished` are those of its lane not done yet."""

    started_at: float
    run: str = ""
    cursor: str = ""
    accepted: int = 0
    unchanged: int = 0
    refused: int = 0
    unfinished: int = 0

    @property
    def looked_at(self) -> int:
        """Objects behind the cursor."""
        return self.accepted + self.unchanged + self.refused


class DryRun(msgspec.Struct, frozen=True):
    """What a backfill would find: objects, those of them that are new or changed, and the size of these."""

    uploads: int
    changed: int
    size_bytes: int


def dry_run(
    bucket: Bucket,
    prefix: str,
    registry: Registry,
    start_after: str = "",
    tell: Callable[[Compared], None] = lambda _: None,
    stopped: Callable[[], bool] = lambda: False,
) -> DryRun:
    """Look at everything and change nothing; a document that is being accepted right now may count as changed.

    `tell` gets each that is new or changed. `stopped` is asked before each object; from then on none is looked at.
    """
    uploads = changed = size_bytes = 0
    for each in _each(bucket, prefix, registry, start_after, stopped, cached=True):
        uploads += 1
        if each.has_changed:
            changed += 1
            size_bytes += each.upload.size_bytes
            tell(each)
    return DryRun(uploads, changed, size_bytes)


class Backfill:
    """One request. `state` is where its checkpoint is kept; `stopped` is asked before each object."""

    def __init__(
        self,
        bucket: Bucket,
        request: BackfillRequest,
        intake: StoreIntake,
        state: ObjectStore,
        stopped: Callable[[], bool],
    ) -> None:
        self._bucket = bucket
        self._request = request
        self._intake = intake
        self._registry = intake.stores.registry
        self._state = state
        self._stopped = stopped
        self._key = f"backfills/{digest(bucket.name, request.prefix)}"
        self._next_at = 0.0
        self._room = 0
        self.checkpoint = self._recalled()

    def start_again(self) -> None:
        """Forget how far it came."""
        self._state.delete(self._key)
        self.checkpoint = _begun()

    def run(self, tell: Callable[[Checkpoint], None]) -> bool:
        """Accept what has changed, and wait until it is done; False when it was stopped before.

        `tell` gets the checkpoint after each object. Raises `TryLater`; what was done until then need not be repeated.
        """
        try:
            done = self._accept_all(tell) and self._wait_until(lambda: self.checkpoint.unfinished == 0, tell)
        finally:
            self._state.put(self._key, msgspec.msgpack.encode(self.checkpoint))
        if done:
            self._state.delete(self._key)
        return done

    def failures(self) -> Counter[str]:
        """Its documents that failed since it began, by the reason's code."""
        found: Counter[str] = Counter()
        address = upload_source(self._bucket.name, self._request.prefix)
        for document in dead_letters(self._registry):
            ours = document.source.startswith(address) and document.updated_at >= self.checkpoint.started_at
            if ours and document.failure:
                found[document.failure.code] += 1
        return found

    def _accept_all(self, tell: Callable[[Checkpoint], None]) -> bool:
        ahead = _each(self._bucket, self._request.prefix, self._registry, self.checkpoint.cursor)
        for number, each in enumerate(ahead):
            if each.has_changed and not self._wait_for_turn(tell):
                return False
            if self._stopped():
                return False
            self._take(each)
            self.checkpoint.cursor = each.upload.key
            tell(self.checkpoint)
            if number % PAGE == 0:
                self._state.put(self._key, msgspec.msgpack.encode(self.checkpoint))
        return True

    def _take(self, each: Compared) -> None:
        if not each.has_changed and not self._is_elsewhere(each.known):
            self.checkpoint.unchanged += 1
            return
        intake = self._intake.for_tenant(self._bucket.tenant_of(each.upload.key))
        try:
            intake.accept_upload(
                self._bucket.name, each.upload, Lane.BACKFILL, self._request.dataset, self.checkpoint.run
            )
        except Refused:
            self.checkpoint.refused += 1
            return
        self.checkpoint.accepted += 1
        self._room -= 1

    def _is_elsewhere(self, known: Document | None) -> bool:
        """Whether a dataset was named, and the document is in another."""
        if known is None or known.state is DocumentState.DELETED:
            return False
        return self._request.dataset not in ("", known.dataset)

    def _wait_for_turn(self, tell: Callable[[Checkpoint], None]) -> bool:
        """Wait for the rate and for room."""
        if self._request.per_s:
            now = time.monotonic()
            self._next_at = max(self._next_at, now) + 1 / self._request.per_s
            time.sleep(max(0.0, self._next_at - now - 1 / self._request.per_s))
        return self._room > 0 or self._wait_until(lambda: self._room > 0, tell)

    def _wait_until(self, enough: Callable[[], bool], tell: Callable[[Checkpoint], None]) -> bool:
        while not self._stopped():
            self.checkpoint.unfinished = self._count_unfinished()
            self._room = self._request.max_in_flight - self.checkpoint.unfinished
            tell(self.checkpoint)
            if enough():
                return True
            time.sleep(POLL_S)
        return False

    def _count_unfinished(self) -> int:
        """At most `max_in_flight` of those that wait, and those in work."""
        now = time.time()
        waiting = self._registry.unfinished(now, self._request.max_in_flight, Lane.BACKFILL)
        return len(waiting) + self._registry.in_flight(now)[Lane.BACKFILL]

    def _recalled(self) -> Checkpoint:
        try:
            return msgspec.msgpack.decode(self._state.get(self._key), type=Checkpoint)
        except (NotFound, msgspec.DecodeError):
            return _begun()


def _begun() -> Checkpoint:
    return Checkpoint(time.time(), new_run())


def _each(
    bucket: Bucket,
    prefix: str,
    registry: Registry,
    start_after: str,
    stopped: Callable[[], bool] = lambda: False,
    *,
    cached: bool = False,
) -> Iterator[Compared]:
    listing: Iterator[Upload] = takewhile(lambda _: not stopped(), bucket.uploads.listing(prefix, start_after))
    for page in compared(bucket, registry, listing, cached=cached):
        yield from page
