"""Parses in child processes that may die: a hostile file costs itself, never the worker.

Children are kept warm and used again; one that crashes, hangs or grows is replaced.
"""

from __future__ import annotations

import contextlib
import pickle
import queue
import time
from collections.abc import Callable, Iterator
from functools import partial

import msgspec

from trivium.domain.errors import NeverWill, TryLater
from trivium.domain.parsed import ParsedDocument
from trivium.ports.inference import Ocr
from trivium.ports.parser import Blob, ParseLimits, Senses, untold
from trivium_ingest.parse.failures import empty_file, too_large
from trivium_ingest.parse.parser_process import LeftAlone, ParserProcess, Worn, crashed
from trivium_ingest.parse.wire import Job, Result, Setup

# What may be allocated, over what may be resident: threads of the OCR engines reserve arenas that they do not fill.
_HEADROOM = 2.5
LONG_S = 2.0
_NO_MEMORY = "parser_out_of_memory"


class Bounds(msgspec.Struct, frozen=True):
    """What one file may cost. `memory_bytes` covers the child's libraries and its OCR engine as well."""

    wall_s: float = 300.0
    cpu_s: int = 400
    memory_bytes: int = 1024 * 1024 * 1024
    idle_s: float = 120.0
    jobs_per_child: int = 5000


class Sandbox:
    """A pool of parsing children. `parse` may be called from several threads.

    `senses` are engines of this process, which children ask: they have neither a network nor the memory for them.
    `ocr_factory` is a picklable callable without arguments that builds an OCR engine inside the child, used where
    `senses` has none.
    Children start when first needed, and end when idle for `idle_s` or at `close`. One that is at its file for `LONG_S`
    gives its place in the pool to another, as does one whose recording is being heard: a scan of a hundred pages or a
    talk of an hour makes nobody wait. So there are as many at a time as callers, at worst.
    """

    def __init__(
        self,
        ocr_factory: Callable[[], Ocr] | None = None,
        limits: ParseLimits = ParseLimits(),  # noqa: B008 - frozen
        bounds: Bounds = Bounds(),  # noqa: B008 - frozen
        size: int = 1,
        senses: Senses = Senses(),  # noqa: B008 - frozen
    ) -> None:
        self._limits = limits
        self._senses = senses
        self._bounds = bounds
        self._setup = Setup(
            int(_HEADROOM * bounds.memory_bytes),
            bounds.idle_s,
            pickle.dumps(ocr_factory) if ocr_factory else b"",
            asks_ocr=senses.ocr is not None,
            asks_transcriber=senses.transcriber is not None,
        )
        self._slots: queue.Queue[ParserProcess | None] = queue.Queue()
        self._closed = False
        for _ in range(size):
            self._slots.put(None)

    def parse(self, blob: Blob, progress: Callable[[float], None] = untold) -> ParsedDocument:
        """As `parse_blob`, and `NeverWill` (`parser_crashed`, `parser_timeout`, `parser_out_of_memory`).

        `progress` is told the share that is read, 0 to 1, again and again; what it raises ends the child and is passed
        on.
        """
        if not blob.content:
            raise empty_file()
        if len(blob.content) > self._limits.max_bytes:
            raise too_large("max_bytes", f"{len(blob.content):,} bytes")
        job = Job(blob, self._limits, self._bounds.cpu_s)
        try:
            result = self._run(job, progress)
        except (LeftAlone, Worn):
            result = self._run(job, progress, fresh=True)
        if result.failed is not None:
            raise result.failed.error()
        if result.document is None:
            raise crashed("it gave no answer")
        return result.document

    def _run(self, job: Job, progress: Callable[[float], None], *, fresh: bool = False) -> Result:
        """Raises `LeftAlone` and `Worn` where a fresh child may do better."""
        with self._child(fresh=fresh) as child:
            used = child.is_used
            long_from = time.monotonic() + LONG_S

            def told(share: float) -> None:
                progress(share)
                if time.monotonic() > long_from:
                    self._give_place(child)

            try:
                result = child.run(job, self._bounds.wall_s, told, partial(self._give_place, child))
            except NeverWill as failure:
                if used and failure.code == _NO_MEMORY:
                    raise Worn(failure.code, failure.message, failure.action) from failure
                raise
            if used and result.failed is not None and result.failed.code == _NO_MEMORY:
                child.kill()
                raise Worn(_NO_MEMORY, result.failed.message, result.failed.action)
            return result

    def _give_place(self, child: ParserProcess) -> None:
        if child.has_place:
            child.has_place = False
            self._slots.put(None)

    def warm(self) -> None:
        """Start a child in the background, so that the first file need not wait for it."""
        with self._child():
            pass

    def close(self) -> None:
        """End all children; those at work are killed."""
        self._closed = True
        for _ in range(self._slots.qsize()):
            with contextlib.suppress(queue.Empty):
                child = self._slots.get_nowait()
                if child is not None:
                    child.kill()
                self._slots.put(None)

    @contextlib.contextmanager
    def _child(self, *, fresh: bool = False) -> Iterator[ParserProcess]:
        """A live child, for this thread alone, on request a new one. It goes back to the pool unless worn or dead."""
        if self._closed:
            raise TryLater("shutting_down", "The parser is shutting down.")
        child = self._slots.get()
        try:
            if child is None or fresh or not child.fit(self._bounds.jobs_per_child):
                if child is not None:
                    child.kill()
                child = ParserProcess(self._setup, self._bounds.memory_bytes, self._senses)
            yield child
        finally:
            has_place = child is None or child.has_place
            if child is not None and (self._closed or not child.alive or not has_place):
                child.kill()
                child = None
            if has_place:
                self._slots.put(child)
