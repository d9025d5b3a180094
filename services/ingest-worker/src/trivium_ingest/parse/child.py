"""The parsing child: reads one file after the other for its parent, and ends when nothing comes for long.

Started by `parser_process.py` as `python -m trivium_ingest.parse.child`; see `trivium.child_process`.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable
from contextlib import suppress

import msgspec
import numpy as np
from numpy.typing import NDArray

from trivium.child_process.errors import Disconnected
from trivium.child_process.messages import Connection
from trivium.child_process.restrict import is_out_of_memory, limit_cpu_time
from trivium.child_process.serve import reply_to, run_child
from trivium.domain.errors import NeverWill, TriviumError, TryLater
from trivium.domain.parsed import ParsedDocument
from trivium.domain.password import Password
from trivium.full_disk import full_disk
from trivium.heap import give_back, keep_large_apart
from trivium.ports.inference import Ocr, OcrLine, Transcript
from trivium.ports.parser import ParserModels
from trivium_ingest.parse.build import fingerprint, parse_blob
from trivium_ingest.parse.unstructured.library import partitioning
from trivium_ingest.parse.wire import (
    ImageRead,
    Job,
    OcrReply,
    OcrRequest,
    ProgressReport,
    Ready,
    Setup,
    SpeechReply,
    SpeechRequest,
)


def main(parent: Connection, setup_json: str) -> None:
    """Serve jobs until nothing comes for long."""
    setup = msgspec.json.decode(setup_json, type=Setup)
    keep_large_apart()
    engine = _Engine(setup.ocr) if setup.ocr else None
    if setup.loads_unstructured:
        with suppress(Exception):  # which the file that needs it meets again
            partitioning(setup.unstructured_model)
    parent.send(Ready(fingerprint()))
    while parent.is_readable(setup.idle_with_engine_s if _is_slow_to_start(setup, engine) else setup.idle_s):
        job = parent.receive(Job)
        parent.send(reply_to(lambda: _parsed(job, _models(setup, parent, engine, job), setup.unstructured_model)))  # noqa: B023 - called at once
        give_back()


def _is_slow_to_start(setup: Setup, engine: _Engine | None) -> bool:
    return setup.loads_unstructured or (engine is not None and engine.is_loaded)


def _models(setup: Setup, parent: Connection, engine: _Engine | None, job: Job) -> ParserModels:
    progress = _Progress(parent, job)
    own = _ReportingOcr(engine, parent, job) if engine else None
    transcriber = _AskedTranscriber(parent, job, progress) if setup.asks_transcriber else None
    return ParserModels(_AskedOcr(parent) if setup.asks_ocr else own, transcriber, progress)


class _Progress:
    """Tells the parent how far the job is; what rises earns more processor time, as it earns more of the parent's."""

    def __init__(self, parent: Connection, job: Job) -> None:
        self._parent = parent
        self._job = job
        self._share = 0.0
        self.told = 0

    def __call__(self, share: float) -> None:
        if share > self._share:
            self._share = share
            limit_cpu_time(self._job.cpu_s)
        self.told += 1
        self._parent.send(ProgressReport(share))


class _Engine:
    """The OCR engine, built when a document first needs one."""

    def __init__(self, factory: bytes) -> None:
        self._factory = factory
        self._engine: Ocr | None = None

    @property
    def is_loaded(self) -> bool:
        return self._engine is not None

    def built(self) -> Ocr:
        if self._engine is None:
            try:
                factory: Callable[[], Ocr] = pickle.loads(self._factory)  # noqa: S301 - from our parent, never from a document
                self._engine = factory()
            except Exception as error:
                reason = f"{type(error).__name__}: {error}"[:300]
                raise TryLater("ocr_unavailable", f"The OCR engine does not start ({reason}).") from error
        return self._engine


class _ReportingOcr:
    """The engine, which tells the parent of each image that it has read: a scan of many pages may take its time."""

    def __init__(self, engine: _Engine, parent: Connection, job: Job) -> None:
        self._engine = engine
        self._parent = parent
        self._job = job

    @property
    def fingerprint(self) -> str:
        return self._engine.built().fingerprint

    def read(self, image: NDArray[np.uint8]) -> list[OcrLine]:
        lines = self._engine.built().read(image)
        limit_cpu_time(self._job.cpu_s)
        self._parent.send(ImageRead())
        return lines


class _AskedOcr:
    """The parent's OCR engine, asked by messages: a service, which this process cannot reach."""

    fingerprint = ""  # the parent knows it

    def __init__(self, parent: Connection) -> None:
        self._parent = parent

    def read(self, image: NDArray[np.uint8]) -> list[OcrLine]:
        self._parent.send(OcrRequest(image.shape[0], image.shape[1], image.tobytes()))
        return list(self._parent.receive(OcrReply).result())


class _AskedTranscriber:
    """The parent's speech engine, asked likewise."""

    fingerprint = ""  # the parent knows it

    def __init__(self, parent: Connection, job: Job, told: _Progress) -> None:
        self._parent = parent
        self._file = job.blob.content
        self._told = told

    def transcribe(
        self,
        audio: bytes,
        language: str = "",
        progress: Callable[[Transcript], None] | None = None,
        before: Transcript | None = None,
    ) -> Transcript:
        self._parent.send(SpeechRequest(None if audio is self._file else audio, language))
        while True:
            heard = self._parent.receive(SpeechReply).result()
            if isinstance(heard, Transcript):
                return heard
            told = self._told.told
            if progress is not None:
                progress(Transcript(language, heard))  # the parent keeps what was said
            if self._told.told == told:
                self._told(0.0)  # the parent waits for it


def _parsed(job: Job, models: ParserModels, unstructured_model: str) -> ParsedDocument:
    limit_cpu_time(job.cpu_s)
    try:
        return parse_blob(job.blob, job.limits, models, job.reader, unstructured_model)
    except Disconnected:  # the parent may go in the middle of a question to it
        raise
    except TriviumError as error:
        raise full_disk(error) or error from None
    except RecursionError as error:
        raise NeverWill(
            "corrupt_file",
            "This file is nested too deeply to be read.",
            "Split the file into smaller ones and upload those.",
        ) from error
    except Exception as error:
        if is_out_of_memory(error):
            raise
        if (full := full_disk(error)) is not None:
            raise full from error
        reason = _unsaid(f"{type(error).__name__}: {error}", job.blob.password)[:300]
        message = f"The parser failed on this file ({reason})."
        raise NeverWill("parser_crashed", message, "Save the file again, or convert it to PDF.") from error


def _unsaid(reason: str, password: Password | None) -> str:
    """What a library says, without the password."""
    return reason.replace(password.text, "********") if password else reason


if __name__ == "__main__":
    run_child(main)
