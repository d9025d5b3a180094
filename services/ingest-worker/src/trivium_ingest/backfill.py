"""READ FIRST: a backfill, the objects of a bucket that are there already, however many, through the slower lane.

It lists in the order of keys, accepts what is news, and never lets more than so many wait. Its notes in the object
store say how far it came, so it may be stopped at any time and goes on there. Memory does not grow with the bucket.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator

import msgspec

from trivium.domain.documents import Document, DocumentState, Lane
from trivium.domain.errors import NotFound, Refused
from trivium.domain.ids import digest
from trivium.flow.intake import StoreIntake, upload_source
from trivium.ports.objects import ObjectStore
from trivium.ports.registry import Registry
from trivium.ports.uploads import Upload
from trivium_ingest.uploads.compare import PAGE, Compared, compared
from trivium_ingest.uploads.follow import Bucket

POLL_S = 0.5


class Order(msgspec.Struct, frozen=True):
    """What to take in, and how fast: `per_s` objects a second (0: as fast as it goes), `max_in_flight` unfinished."""

    bucket: Bucket
    prefix: str = ""
    per_s: float = 0.0
    max_in_flight: int = 1000


class Notes(msgspec.Struct):
    """How far a backfill came. `unfinished` is how many documents of its lane are not done yet."""

    started_at: float
    cursor: str = ""
    accepted: int = 0
    unchanged: int = 0
    refused: int = 0
    unfinished: int = 0

    @property
    def looked_at(self) -> int:
        """Objects behind the cursor."""
        return self.accepted + self.unchanged + self.refused


class Outlook(msgspec.Struct, frozen=True):
    """What a backfill would find: objects, those of them that are news, and the size of these."""

    uploads: int
    news: int
    size_bytes: int


def outlook(order: Order, registry: Registry, start_after: str = "") -> Outlook:
    """Look at everything and change nothing; a document that is being accepted right now may count as news."""
    uploads = news = size_bytes = 0
    for each in _each(order, registry, start_after, cached=True):
        uploads += 1
        if each.has_changed:
            news += 1
            size_bytes += each.upload.size_bytes
    return Outlook(uploads, news, size_bytes)


class Backfill:
    """One order. `state` is where its notes are kept; `stopped` is asked before each object."""

    def __init__(self, order: Order, intake: StoreIntake, state: ObjectStore, stopped: Callable[[], bool]) -> None:
        self._order = order
        self._intake = intake
        self._registry = intake.stores.registry
        self._state = state
        self._stopped = stopped
        self._key = f"backfills/{digest(order.bucket.name, order.prefix)}"
        self._next_at = 0.0
        self._room = 0
        self.notes = self._recalled()

    def start_again(self) -> None:
        """Forget how far it came."""
        self._state.delete(self._key)
        self.notes = Notes(time.time())

    def run(self, tell: Callable[[Notes], None]) -> bool:
        """Accept what is news, and wait until it is done; False when it was stopped before.

        `tell` gets the notes after each object. Raises `TryLater`; what was done until then need not be repeated.
        """
        try:
            done = self._accept_all(tell) and self._wait_until(lambda: self.notes.unfinished == 0, tell)
        finally:
            self._state.put(self._key, msgspec.msgpack.encode(self.notes))
        if done:
            self._state.delete(self._key)
        return done

    def failures(self) -> Counter[str]:
        """Its documents that failed since it began, by the reason's code."""
        found: Counter[str] = Counter()
        address = upload_source(self._order.bucket.name, self._order.prefix)
        for document in _failed(self._registry):
            ours = document.source.startswith(address) and document.updated_at >= self.notes.started_at
            if ours and document.failure:
                found[document.failure.code] += 1
        return found

    def _accept_all(self, tell: Callable[[Notes], None]) -> bool:
        for number, each in enumerate(_each(self._order, self._registry, self.notes.cursor)):
            if each.has_changed and not self._wait_for_turn(tell):
                return False
            if self._stopped():
                return False
            self._take(each)
            self.notes.cursor = each.upload.key
            tell(self.notes)
            if number % PAGE == 0:
                self._state.put(self._key, msgspec.msgpack.encode(self.notes))
        return True

    def _take(self, each: Compared) -> None:
        if not each.has_changed:
            self.notes.unchanged += 1
            return
        bucket = self._order.bucket
        try:
            self._intake.for_tenant(bucket.tenant_of(each.upload.key)).accept_upload(
                bucket.name, each.upload, Lane.BACKFILL
            )
        except Refused:
            self.notes.refused += 1
            return
        self.notes.accepted += 1
        self._room -= 1

    def _wait_for_turn(self, tell: Callable[[Notes], None]) -> bool:
        """Wait for the rate and for room."""
        if self._order.per_s:
            now = time.monotonic()
            self._next_at = max(self._next_at, now) + 1 / self._order.per_s
            time.sleep(max(0.0, self._next_at - now - 1 / self._order.per_s))
        return self._room > 0 or self._wait_until(lambda: self._room > 0, tell)

    def _wait_until(self, enough: Callable[[], bool], tell: Callable[[Notes], None]) -> bool:
        while not self._stopped():
            self.notes.unfinished = self._count_unfinished()
            self._room = self._order.max_in_flight - self.notes.unfinished
            tell(self.notes)
            if enough():
                return True
            time.sleep(POLL_S)
        return False

    def _count_unfinished(self) -> int:
        """At most `max_in_flight` of those that wait, and those in work."""
        now = time.time()
        waiting = self._registry.unfinished(now, self._order.max_in_flight, Lane.BACKFILL)
        return len(waiting) + self._registry.in_flight(now)[Lane.BACKFILL]

    def _recalled(self) -> Notes:
        try:
            return msgspec.msgpack.decode(self._state.get(self._key), type=Notes)
        except (NotFound, msgspec.DecodeError):
            return Notes(time.time())


def _each(order: Order, registry: Registry, start_after: str, *, cached: bool = False) -> Iterator[Compared]:
    listing: Iterator[Upload] = order.bucket.uploads.listing(order.prefix, start_after)
    for page in compared(order.bucket, registry, listing, cached=cached):
        yield from page


def _failed(registry: Registry) -> Iterator[Document]:
    for tenant in registry.tenants():
        cursor = ""
        while True:
            page = registry.for_tenant(tenant).list(DocumentState.FAILED, PAGE, cursor)
            yield from page.documents
            cursor = page.cursor
            if not cursor:
                break
