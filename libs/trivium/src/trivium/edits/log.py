"""The log of one tenant's edits in the object store.

`edits/<sequence>` is one record: the edits that one call appended, which count as a whole. It is written once, by a
conditional write, and whoever loses the race for a number reads what won and takes the next. `edits-packed/<n>` holds
`PACKED` records in one object, so that a start reads few; it can be made again, and a damaged one is ignored.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from functools import partial

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

_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder(tuple[Edit, ...]).decode

Plan = Callable[[Sequence[Edit]], Sequence[Draft]]
"""From the log as it is, what shall be appended; raises `Refused`. It may be asked again, with a longer log."""


class EditLog:
    """Reads and appends. It keeps what it has read, so each call reads what is new; safe among threads.

    A record that cannot be read (damaged, or of a newer Trivium) counts for nothing, and `unreadable` names it.
    """

    def __init__(self, objects: ObjectStore) -> None:
        self._objects = objects
        self._lock = threading.Lock()
        self._edits: list[Edit] = []
        self._last = 0
        self._started = False
        self.unreadable: tuple[int, ...] = ()

    def read(self) -> Sequence[Edit]:
        """Every edit in the order of the log."""
        with self._lock:
            self._catch_up()
            return tuple(self._edits)

    def append(self, plan: Plan) -> tuple[Edit, ...]:
        """Append what `plan` makes of the log, as one record. Nothing is written for an empty one.

        Raises what `plan` raises, `Refused` (`too_many_edits`), and `TryLater` (`log_busy`).
        """
        with self._lock:
            for _ in range(MAX_TRIES):
                self._catch_up()
                edits = _numbered(plan(tuple(self._edits)), self._last + 1)
                if not edits:
                    return ()
                for document in {one.document_id for edit in edits for one in edit.evidence}:
                    self._objects.put_if_absent(WITH_EVIDENCE + document, b"")
                if self._objects.put_if_absent(_key(self._last + 1), _encode(edits)):
                    self._edits += edits
                    self._last += 1
                    if self._last % PACKED == 0:
                        self._pack()
                    return edits
        raise TryLater("log_busy", "Others edit the graph all the time.", "Try again.")

    def _catch_up(self) -> None:
        """Read what has been appended since; the first time what is packed before what is not."""
        if not self._started:
            for number, key in enumerate(self._objects.keys(PACKS)):
                packed = self._packed(key) if key == _pack_key(number) else None
                if packed is None:
                    break
                self._edits += packed
                self._last = (number + 1) * PACKED
            self._started = True
        elif not self._objects.exists(_key(self._last + 1)):  # to list a long log takes longer
            return
        keys = list(self._objects.keys(RECORDS, start_after=_key(self._last)))
        for key, edits in zip(keys, map_concurrent(partial(_read, self._objects), keys), strict=True):
            self._last = int(key.removeprefix(RECORDS))
            if edits is None:
                self.unreadable = (*self.unreadable, self._last)
            self._edits += edits or ()
        if len(keys) >= PACKED:
            self._pack()

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


def has_evidence_in(objects: ObjectStore, document_id: str) -> bool:
    """Whether an edit may rest on the document."""
    return objects.exists(WITH_EVIDENCE + document_id)


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
