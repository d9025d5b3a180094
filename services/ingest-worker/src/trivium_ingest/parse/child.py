"""The parsing child: reads jobs from its standard input, answers on its standard output, ends when that closes.

Started by `parser_process.py` as `python -m trivium_ingest.parse.child`. It locks itself in before the first job.
"""

from __future__ import annotations

import os
import pickle
import select
from collections.abc import Callable

import msgspec
import numpy as np
from numpy.typing import NDArray

from trivium.domain.errors import TriviumError, TryLater
from trivium.domain.password import Password
from trivium.heap import give_back, keep_large_apart
from trivium.locked_in import allow_cpu, is_out_of_memory, lock_in
from trivium.ports.inference import Ocr, OcrLine, Transcript
from trivium.ports.parser import ParserModels
from trivium_ingest.parse.build import parse_blob
from trivium_ingest.parse.registry import known_formats
from trivium_ingest.parse.wire import (
    SPLIT_IT,
    Closed,
    Failed,
    Heard,
    Job,
    Listen,
    Look,
    Looked,
    Ready,
    Result,
    Seen,
    Setup,
    Told,
    receive,
    send,
)

_NO_MEMORY = Result(failed=Failed("parser_out_of_memory", "Reading this file needs too much memory.", SPLIT_IT))


def main() -> None:
    """Serve jobs one after the other until the parent goes away or nothing comes for `idle_s`."""
    jobs, answers = _take_over_pipes()
    setup = msgspec.msgpack.decode(receive(jobs), type=Setup)
    lock_in(setup.memory_bytes)
    keep_large_apart()
    known_formats()
    engine = _Engine(setup.ocr) if setup.ocr else None
    send(answers, Ready())
    try:
        while select.select([jobs], [], [], setup.idle_s)[0]:
            job = msgspec.msgpack.decode(receive(jobs), type=Job)
            ocr = _AskedOcr(jobs, answers) if setup.asks_ocr else _own(engine, answers, job)
            told = _Progress(answers, job)
            transcriber = _AskedTranscriber(jobs, answers, job, told) if setup.asks_transcriber else None
            send(answers, _answer(job, ParserModels(ocr, transcriber, told)))
            give_back()
    except Closed:
        pass


def _own(engine: _Engine | None, answers: int, job: Job) -> Ocr | None:
    return _ToldOcr(engine, answers, job) if engine else None


class _Progress:
    """Tells the parent how far the job is; what rises earns more processor time, as it earns more of the parent's."""

    def __init__(self, answers: int, job: Job) -> None:
        self._answers = answers
        self._job = job
        self._share = 0.0
        self.told = 0

    def __call__(self, share: float) -> None:
        if share > self._share:
            self._share = share
            allow_cpu(self._job.cpu_s)
        self.told += 1
        send(self._answers, Told(share))


class _Engine:
    """The OCR engine, built when a document first needs one. Is itself an `Ocr`."""

    def __init__(self, factory: bytes) -> None:
        self._factory = factory
        self._engine: Ocr | None = None

    @property
    def fingerprint(self) -> str:
        return self._built().fingerprint

    def read(self, image: NDArray[np.uint8]) -> list[OcrLine]:
        return self._built().read(image)

    def _built(self) -> Ocr:
        if self._engine is None:
            try:
                factory: Callable[[], Ocr] = pickle.loads(self._factory)  # noqa: S301 - from our parent, never from a document
                self._engine = factory()
            except Exception as error:
                reason = f"{type(error).__name__}: {error}"[:300]
                raise TryLater("ocr_unavailable", f"The OCR engine does not start ({reason}).") from error
        return self._engine


class _ToldOcr:
    """The engine, which tells the parent of each image that it has read: a scan of many pages may take its time."""

    def __init__(self, engine: _Engine, answers: int, job: Job) -> None:
        self._engine = engine
        self._answers = answers
        self._job = job

    @property
    def fingerprint(self) -> str:
        return self._engine.fingerprint

    def read(self, image: NDArray[np.uint8]) -> list[OcrLine]:
        lines = self._engine.read(image)
        allow_cpu(self._job.cpu_s)
        send(self._answers, Looked())
        return lines


class _AskedOcr:
    """The parent's OCR engine, asked over the pipes: a service, which this process cannot reach."""

    fingerprint = ""  # the parent knows it

    def __init__(self, jobs: int, answers: int) -> None:
        self._jobs = jobs
        self._answers = answers

    def read(self, image: NDArray[np.uint8]) -> list[OcrLine]:
        send(self._answers, Look(image.shape[0], image.shape[1], image.tobytes()))
        seen = msgspec.msgpack.decode(receive(self._jobs), type=Seen)
        if seen.failed is not None:
            raise seen.failed.error()
        return list(seen.lines)


class _AskedTranscriber:
    """The parent's speech engine, asked over the pipes."""

    fingerprint = ""  # the parent knows it

    def __init__(self, jobs: int, answers: int, job: Job, told: _Progress) -> None:
        self._jobs = jobs
        self._answers = answers
        self._file = job.blob.content
        self._told = told

    def transcribe(
        self, audio: bytes, language: str = "", progress: Callable[[float], None] | None = None
    ) -> Transcript:
        send(self._answers, Listen(None if audio is self._file else audio, language))
        while True:
            heard = msgspec.msgpack.decode(receive(self._jobs), type=Heard)
            if heard.failed is not None:
                raise heard.failed.error()
            if heard.transcript is not None:
                return heard.transcript
            before = self._told.told
            if progress is not None:
                progress(heard.done_s)
            if self._told.told == before:
                self._told(0.0)  # the parent waits for it


def _answer(job: Job, models: ParserModels) -> Result:
    allow_cpu(job.cpu_s)
    try:
        return Result(document=parse_blob(job.blob, job.limits, models))
    except Closed:  # the parent is gone, in the middle of a question to it
        raise
    except TriviumError as failure:
        return Result(failed=Failed.by(failure))
    except RecursionError:
        return Result(failed=Failed("corrupt_file", "This file is nested too deeply to be read.", SPLIT_IT))
    except Exception as error:  # noqa: BLE001 - whatever a parser trips over is this file's failure, with its reason
        if is_out_of_memory(error):
            return _NO_MEMORY
        reason = _unsaid(f"{type(error).__name__}: {error}", job.blob.password)[:300]
        message = f"The parser failed on this file ({reason})."
        return Result(failed=Failed("parser_crashed", message, "Save the file again, or convert it to PDF."))


def _unsaid(reason: str, password: Password | None) -> str:
    """What a library says, without the password."""
    return reason.replace(password.text, "********") if password else reason


def _take_over_pipes() -> tuple[int, int]:
    """Keep the pipes to ourselves: a library that prints must not write into the answers."""
    jobs, answers = os.dup(0), os.dup(1)
    quiet = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1):
        os.dup2(quiet, descriptor)
    return jobs, answers


if __name__ == "__main__":
    main()
