"""Watches a bucket: events as they are heard, and a listing from time to time for those that were not."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable

import structlog

from trivium.domain.errors import Refused, TriviumError, TryLater
from trivium_ingest.uploads.events import keys_in
from trivium_ingest.uploads.follow import Follower
from trivium_ingest.uploads.reconcile import reconcile

PAUSE_S = 1.0  # before a store that was away is asked again
MAX_WAITING = 100_000  # keys; what is told beyond them is left to the next listing, which then comes at once

log = structlog.get_logger()

TakeEvents = Callable[[float], list[bytes]]
"""Messages that came within so many seconds; raises `TryLater` while their source is away."""


class Watch:
    """Follows what it hears. `hear` may be called from any thread; two threads of its own do the work.

    `reconcile_s` bounds how long a change that no event told goes unnoticed, besides the time of the listing itself.
    """

    def __init__(self, follower: Follower, reconcile_s: float, sources: Iterable[TakeEvents] = ()) -> None:
        self._follower = follower
        self._reconcile_s = reconcile_s
        self._waiting: dict[str, None] = {}
        self._lock = threading.Lock()
        self._stop = threading.Event()
        self._heard = threading.Event()
        self._list_now = threading.Event()
        self._threads = [
            threading.Thread(target=self._follow, name="uploads"),
            threading.Thread(target=self._reconcile, name="reconcile"),
            *(threading.Thread(target=self._take, args=(take,), name="events") for take in sources),
        ]

    def start(self) -> None:
        """Begin with a listing: what came while nobody watched is found by it."""
        for thread in self._threads:
            thread.start()

    def stop(self) -> None:
        """End after the key in hand; what waits is found by the next listing."""
        self._stop.set()
        self._heard.set()
        self._list_now.set()
        for thread in self._threads:
            thread.join()

    def hear(self, message: bytes) -> None:
        """Take note of one event message; raises `Refused` (`bad_event`)."""
        keys = keys_in(message, self._follower.bucket.name)
        with self._lock:
            room = MAX_WAITING - len(self._waiting)
            self._waiting.update(dict.fromkeys(keys[:room]))
        if len(keys) > room:
            self._list_now.set()
        self._heard.set()

    def _take(self, take: TakeEvents) -> None:
        while not self._stop.is_set():
            try:
                messages = take(PAUSE_S)
            except TriviumError as error:
                log.warning("events_unheard", code=error.code, reason=error.message, action=error.action)
                self._stop.wait(PAUSE_S)
                continue
            for message in messages:
                try:
                    self.hear(message)
                except Refused as error:
                    log.warning("event_ignored", reason=error.message)

    def _follow(self) -> None:
        while not self._stop.is_set():
            key = self._next()
            if key is None:
                self._heard.wait()
                self._heard.clear()
                continue
            try:
                self._follower.follow(key)
            except TryLater as error:
                log.warning("upload_waits", key=key, code=error.code, reason=error.message)
                with self._lock:
                    self._waiting[key] = None
                self._stop.wait(PAUSE_S)
            except TriviumError as error:  # a wrong setting must not end the watch
                log.error("upload_left", key=key, code=error.code, reason=error.message, action=error.action)
            except Exception:  # nor may a fault of ours; the next listing comes back to the key
                log.exception("upload_failed", key=key)

    def _next(self) -> str | None:
        with self._lock:
            key = next(iter(self._waiting), None)
            if key is not None:
                del self._waiting[key]
            return key

    def _reconcile(self) -> None:
        while not self._stop.is_set():
            self._list_now.clear()
            try:
                reconcile(self._follower, self._stop.is_set)
            except TriviumError as error:
                log.error("reconcile_failed", code=error.code, reason=error.message, action=error.action)
            except Exception:  # a fault of ours: the next round is tried all the same
                log.exception("reconcile_failed")
            self._list_now.wait(self._reconcile_s)
