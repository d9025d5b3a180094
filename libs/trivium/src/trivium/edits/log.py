"""The log of one tenant's edits in the object store.

`edits/<sequence>` is one record: the edits that one call appended, which count as a whole. It is written once, by a
conditional write, and whoever loses the race for a number reads what won and takes the next. `edits-packed/<n>` holds
`PACKED` records in one object, so that a start reads few; it can be made again, and a damaged one is ignored.

`edits-identity` is random text, written before the first record: after its tenant was erased another log may stand in
the same place, with other records under the same numbers. A log that an earlier version wrote has none until somebody
appends to it.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from functools import partial
from uuid import uuid4

import msgspec

from trivium.concurrent_calls import map_concurrent
from trivium.domain.edits import MAX_EDITS_AT_ONCE, Draft, Edit
from trivium.domain.errors import NotFound, Refused, TryLater
from trivium.flow import artifacts
from trivium.ports.objects import ObjectStore

RECORDS = "edits/"
PACKED = 500  # records in one packed object
MAX_TRIES = 100  # each that is lost is another's edit in the log
PACKS = "edits-packed/"
WITH_EVIDENCE = "edits-evidence/"
IDENTITY = "edits-identity"

_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder(tuple[Edit, ...]).decode

Plan = Callable[[Sequence[Edit]], Sequence[Draft]]
"""From the log as it is, what shall be appended; raises `Refused`. It may be asked again, with a longer log."""


class AnotherLog(Exception):
    """What was read is gone, and another log, or none yet, is in its place: begin with a new `EditLog`."""


class EditLog:
    """Reads and appends. It keeps what it has read, so each call reads what is new; safe among threads.

    A record that cannot be read (damaged, or of a newer Trivium) counts for nothing, and `unreadable` names it.
    `AnotherLog` is raised, and nothing written, once what was read is not the tenant's log any more.
    """

    def __init__(self, objects: ObjectStore) -> None:
        self._objects = objects
        self._lock = threading.Lock()
        self._edits: list[Edit] = []
        self._last = 0
        self._identity = b""
        self._newest = ""  # the object that the last edits were read from, or written to
        self._started = False
        self.unreadable: tuple[int, ...] = ()

    def read(self) -> Sequence[Edit]:
        """Every edit in the order of the log. Raises `AnotherLog`."""
        with self._lock:
            self._catch_up()
            return tuple(self._edits)

    def append(self, plan: Plan) -> tuple[Edit, ...]:
        """Append what `plan` makes of the log, as one record. Nothing is written for an empty one.

        Raises what `plan` raises, `Refused` (`too_many_edits`), `TryLater` (`log_busy`), and `AnotherLog`.
        """
        with self._lock:
            for _ in range(MAX_TRIES):
                self._catch_up()
                edits = _numbered(plan(tuple(self._edits)), self._last + 1)
                if not edits:
                    return ()
                self._identify()
                for document in {one.document_id for edit in edits for one in edit.evidence}:
                    self._objects.put_if_absent(WITH_EVIDENCE + document, b"")
                if self._objects.put_if_absent(_key(self._last + 1), _encode(edits)):
                    self._edits += edits
                    self._last += 1
                    self._newest = _key(self._last)
                    if self._last % PACKED == 0:
                        self._pack()
                    return edits
        raise TryLater("log_busy", "Others edit the graph all the time.", "Try again.")

    def _catch_up(self) -> None:
        """Read what has been appended since; the first time what is packed before what is not."""
        if self._last and self._is_another():
            raise AnotherLog
        if self._started and not self._objects.exists(_key(self._last + 1)):  # to list a long log takes longer
            return
        if not self._last:
            self._identity = self._stored_identity()  # before the records, so that it is never newer than they are
        if not self._started:
            self._edits, self._last = [], 0  # an earlier try may have broken off between two packs
            for number, key in enumerate(self._objects.keys(PACKS)):
                packed = self._packed(key) if key == _pack_key(number) else None
                if packed is None:
                    break
                self._edits += packed
                self._last, self._newest = (number + 1) * PACKED, key
            self._started = True
        keys = list(self._objects.keys(RECORDS, start_after=_key(self._last)))
        for key, edits in zip(keys, map_concurrent(partial(_read, self._objects), keys), strict=True):
            self._last, self._newest = int(key.removeprefix(RECORDS)), key
            if edits is None:
                self.unreadable = (*self.unreadable, self._last)
            self._edits += edits or ()
        if len(keys) >= PACKED:
            self._pack()

    def _is_another(self) -> bool:
        """Whether it is not the log that was read. Of one without an identity: whether its newest object is gone."""
        stored = self._stored_identity()
        return stored != self._identity or not (stored or self._objects.exists(self._newest))

    def _identify(self) -> None:
        """Give it an identity, or take the one that somebody gave it in this moment."""
        if self._identity and self._last:
            return
        identity = _new_identity()
        if not self._objects.put_if_absent(IDENTITY, identity):
            identity = self._stored_identity()
        self._identity = identity

    def _stored_identity(self) -> bytes:
        try:
            return self._objects.get(IDENTITY)
        except NotFound:
            return b""

    def _packed(self, key: str) -> tuple[Edit, ...] | None:
        try:
            return artifacts.load(self._objects, key, tuple[Edit, ...])
        except NotFound:  # damaged
            return None

    def _pack(self) -> None:
        """Write the packs that are full by now and not there; none with a record that cannot be read."""
        for number in range(self._last // PACKED):
            key, first = _pack_key(number), number * PACKED
            if any(first < amiss <= first + PACKED for amiss in self.unreadable) or self._packed(key) is not None:
                continue
            held = tuple(edit for edit in self._edits if first < edit.sequence <= first + PACKED)
            artifacts.save(self._objects, key, held)


def begin_log(objects: ObjectStore) -> None:
    """Where the records of a log are about to be written as they were elsewhere: it is another than any before it."""
    objects.put(IDENTITY, _new_identity())


def has_evidence_in(objects: ObjectStore, document_id: str) -> bool:
    """Whether an edit may rest on the document."""
    return objects.exists(WITH_EVIDENCE + document_id)


def _new_identity() -> bytes:
    return uuid4().hex.encode()


def _numbered(drafts: Sequence[Draft], sequence: int) -> tuple[Edit, ...]:
    if len(drafts) > MAX_EDITS_AT_ONCE:
        raise Refused(
            "too_many_edits",
            f"{len(drafts):,} edits at once are too many; {MAX_EDITS_AT_ONCE:,} are allowed.",
            "Send them in several calls.",
        )
    now = time.time()
    return tuple(
        Edit(sequence, part, draft.change, draft.actor, now, draft.why, draft.evidence, draft.confidence)
        for part, draft in enumerate(drafts)
    )


def _read(objects: ObjectStore, key: str) -> tuple[Edit, ...] | None:
    try:
        return _decode(objects.get(key))
    except (msgspec.DecodeError, NotFound):
        return None


def _key(sequence: int) -> str:
    return f"{RECORDS}{sequence:012}"


def _pack_key(number: int) -> str:
    return f"{PACKS}{number:09}"
