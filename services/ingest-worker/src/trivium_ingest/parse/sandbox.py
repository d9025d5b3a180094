"""Parses in child processes that may die: a hostile file costs itself, never the worker."""

from __future__ import annotations

import pickle
import signal
import time
from collections.abc import Callable
from functools import partial

import msgspec

from trivium.child_process.errors import ChildExited, DeadlineExceeded, MemoryExhausted
from trivium.child_process.pool import ChildPool
from trivium.child_process.reply import Reply
from trivium.domain.errors import NeverWill
from trivium.domain.parsed import ParsedDocument
from trivium.domain.readers import Reader
from trivium.ports.inference import Ocr
from trivium.ports.parser import Blob, Hearing, ParseLimits, ParserModels, untold
from trivium_ingest.parse.failures import check_size
from trivium_ingest.parse.parser_process import ParserProcess
from trivium_ingest.parse.wire import Job, ParseReply, Setup

LONG_S = 2.0
_SPLIT_IT = "Split the file into smaller ones and upload those."


class Bounds(msgspec.Struct, frozen=True):
    """What one file may cost. `memory_bytes` covers the child's libraries and its OCR engine as well.

    A child starts in 0.3 seconds and holds 80 MB: idle for `idle_s` it ends. An OCR engine or `unstructured` takes
    seconds to load: one that has it ends after `idle_with_engine_s`.
    """

    wall_s: float = 300.0
    cpu_s: int = 400
    memory_bytes: int = 1024 * 1024 * 1024
    idle_s: float = 5.0
    idle_with_engine_s: float = 120.0
    jobs_per_child: int = 5000


class Sandbox:
    """A pool of parsing children. `parse` may be called from several threads.

    `models` are engines of this process, which children ask: they have neither a network nor the memory for them.
    `unstructured_model` is the folder of the pipeline that the library `unstructured` reads with, "" for none; with
    `loads_unstructured` a child has it before its first file.
    `ocr_factory` is a picklable callable without arguments that builds an OCR engine inside the child, used where
    `models` has none.
    Children start when first needed, and end when idle or at `close`. One that is at its file for `LONG_S`
    gives its place in the pool to another, as does one whose recording is being heard: a scan of a hundred pages or a
    talk of an hour makes nobody wait. So there are as many at a time as callers, at worst. A place that nobody took
    is its own again, with the models that it has loaded.
    """

    def __init__(
        self,
        ocr_factory: Callable[[], Ocr] | None = None,
        limits: ParseLimits = ParseLimits(),  # noqa: B008 - frozen
        bounds: Bounds = Bounds(),  # noqa: B008 - frozen
        size: int = 1,
        models: ParserModels = ParserModels(),  # noqa: B008 - frozen
        unstructured_model: str = "",
        *,
        loads_unstructured: bool = False,
    ) -> None:
        self._limits = limits
        self._bounds = bounds
        setup = Setup(
            bounds.idle_s,
            bounds.idle_with_engine_s,
            pickle.dumps(ocr_factory) if ocr_factory else b"",
            asks_ocr=models.ocr is not None,
            asks_transcriber=models.transcriber is not None,
            unstructured_model=unstructured_model,
            loads_unstructured=loads_unstructured,
        )
        self._fingerprint = ""
        self._children = ChildPool(
            partial(ParserProcess, setup, bounds.memory_bytes, bounds.jobs_per_child, models), size
        )

    def fingerprint(self) -> str:
        """Names the parsers, as a child tells it: this process loads none. Raises `TryLater` when none starts."""
        if not self._fingerprint:
            self._fingerprint = self._children.run(lambda child: Reply(child.fingerprint()))
        return self._fingerprint

    def parse(
        self,
        blob: Blob,
        progress: Callable[[float], None] = untold,
        reader: Reader = Reader.OWN,
        hearing: Hearing = Hearing(),  # noqa: B008 - keeps nothing
    ) -> ParsedDocument:
        """As `parse_blob`, and `NeverWill` (`parser_crashed`, `parser_timeout`, `parser_out_of_memory`).

        `progress` is told the share that is read, 0 to 1, again and again, and `hearing` what is heard; what they raise
        ends the child and is passed on.
        """
        check_size(blob, self._limits)
        job = Job(blob, self._limits, self._bounds.cpu_s, reader)
        try:
            return self._children.run(partial(self._read, job, progress, hearing))
        except ChildExited as exited:
            raise (self._timeout() if exited.status == -signal.SIGXCPU else _crashed(exited.how)) from None
        except DeadlineExceeded:
            raise self._timeout() from None
        except MemoryExhausted:
            bound = f"{self._bounds.memory_bytes // 1_000_000:,} MB of memory"
            raise NeverWill("parser_out_of_memory", f"Reading this file takes more than {bound}.", _SPLIT_IT) from None

    def close(self) -> None:
        """End the children; those at work end with their file."""
        self._children.close()

    def _read(self, job: Job, progress: Callable[[float], None], hearing: Hearing, child: ParserProcess) -> ParseReply:
        child.fingerprint()  # it is ready: what loading takes is not the file's
        long_from = time.monotonic() + LONG_S

        def told(share: float) -> None:
            progress(share)
            if time.monotonic() > long_from:
                self._children.give_place(child)

        return child.run(job, self._bounds.wall_s, told, partial(self._children.give_place, child), hearing)

    def _timeout(self) -> NeverWill:
        return NeverWill("parser_timeout", f"Reading this file takes more than {self._bounds.wall_s:.0f} s.", _SPLIT_IT)


def _crashed(how: str) -> NeverWill:
    return NeverWill(
        "parser_crashed",
        f"The parser crashed on this file ({how}).",
        "Open it in the program that made it, save it again or convert it to PDF, and upload the new copy.",
    )
