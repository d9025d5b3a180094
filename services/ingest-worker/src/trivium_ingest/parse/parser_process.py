"""A parsing child from its parent's side: one process, its pipes, and how long its answer is waited for."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import msgspec
import numpy as np

from trivium.domain.errors import NeverWill, TriviumError, TryLater
from trivium.logs.said import log_child
from trivium.ports.parser import ParserModels
from trivium_ingest.parse.wire import (
    SPLIT_IT,
    Closed,
    Failed,
    Heard,
    Job,
    Late,
    Listen,
    Look,
    Looked,
    Result,
    Seen,
    Setup,
    Told,
    receive,
    send,
)

_START_S = 60.0
_NEAR_BOUND = 0.6
_ENDED_AT = 0.98  # of what may be resident: a child grows by some megabytes between two looks at it
_LEAST_STEP = 0.002  # of a file: a child that only says that it goes on waits for its end 500 times at most
_PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")
# Of what may be resident, what an idle child may hold before it is replaced: with OCR loaded it holds about 0.6.
_GROWN_SHARE = 0.75


class LeftAlone(NeverWill):
    """The child ended as it does when nothing comes for long."""


class Worn(NeverWill):
    """A child that had read other files ran out of memory: it may be what they left."""


class _Clock:
    """How long the parent waits for the next step of a file: `wall_s`, and anew when the work has gone on."""

    def __init__(self, wall_s: float, images: int, progress: Callable[[float], None]) -> None:
        self.wall_s = wall_s
        self._images = images
        self._progress = progress
        self._share = 0.0
        self.restart()

    def restart(self) -> None:
        """From now on."""
        self.deadline = time.monotonic() + self.wall_s

    def told(self, step: Told | Looked) -> None:
        """An image more, or a share that has risen by what is worth the wait, is progress; anything else is none."""
        if isinstance(step, Looked):
            if self._images > 0:
                self._images -= 1
                self.restart()
        elif self._share + _LEAST_STEP <= step.share <= 1.0:
            self._share = step.share
            self.restart()
            self._progress(step.share)

    def told_again(self) -> None:
        """That the work goes on, to whom it may concern: what `progress` raises ends it."""
        self._progress(self._share)


class ParserProcess:
    """One process and its pipes; what it says beside its answers is logged.

    `has_place` is False once the pool has given its place to another.
    """

    def __init__(self, setup: Setup, memory_bytes: int, models: ParserModels) -> None:
        self.has_place = True
        self._memory_bytes = memory_bytes
        self._models = models
        self._process = subprocess.Popen(
            [sys.executable, "-m", "trivium_ingest.parse.child"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,  # Ctrl-C in a terminal reaches the worker, which ends its children
        )
        if self._process.stdin is None or self._process.stdout is None or self._process.stderr is None:
            raise TryLater("parser_unavailable", "The parsing process has no pipes.")
        log_child(self._process.stderr, "parser")
        self._jobs, self._answers = self._process.stdin.fileno(), self._process.stdout.fileno()
        os.set_blocking(self._jobs, False)
        os.set_blocking(self._answers, False)
        self._ready = False
        self._ran = 0
        self._peak = 0
        send(self._jobs, setup, time.monotonic() + _START_S)

    @property
    def alive(self) -> bool:
        """False once it has ended, by whatever."""
        return self._process.poll() is None

    def fit(self, jobs: int) -> bool:
        """True when the child can take another job."""
        grown = resident_bytes(self._process.pid) > _GROWN_SHARE * self._memory_bytes
        return self.alive and self._ran < jobs and not grown

    @property
    def is_used(self) -> bool:
        """Whether it has read a file before."""
        return self._ran > 0

    def run(
        self, job: Job, wall_s: float, progress: Callable[[float], None], on_listening: Callable[[], None]
    ) -> Result:
        """Send the job and wait, `wall_s` for each step that it tells; `on_listening` comes before one is heard.

        Raises `NeverWill` when the child died, hung or grew, and `LeftAlone` when it ended by itself; it is dead then.
        """
        self._ran += 1
        self._peak = 0
        try:
            self._await_ready()
            return self._exchange(job, _Clock(wall_s, job.limits.max_ocr_pages, progress), on_listening)
        except BaseException:
            self.kill()  # whatever happened, an answer to this job may still be on its way
            raise

    def _await_ready(self) -> None:
        """Loading libraries takes about a second, which is not the file's time."""
        if self._ready:
            return
        try:
            receive(self._answers, time.monotonic() + _START_S)
        except (Closed, Late) as error:
            raise TryLater("parser_unavailable", "The parsing process does not start.") from error
        self._ready = True

    def _exchange(self, job: Job, clock: _Clock, on_listening: Callable[[], None]) -> Result:
        try:
            self._send(job, clock)
            while True:
                answer = self._receive(clock)
                if isinstance(answer, Result):
                    return answer
                if isinstance(answer, Told | Looked):
                    clock.told(answer)
                    continue
                if isinstance(answer, Listen):
                    on_listening()
                asked = time.monotonic()
                told = self._seen(answer) if isinstance(answer, Look) else self._heard(answer, job, clock)
                clock.deadline += time.monotonic() - asked  # how long a service takes is not the file's doing
                self._send(told, clock)
        except (Closed, msgspec.MsgspecError):
            raise self._died(clock.wall_s) from None
        except Late:
            raise _timeout(clock.wall_s) from None

    def _send(self, message: msgspec.Struct, clock: _Clock) -> None:
        send(self._jobs, message, clock.deadline, partial(self._look, clock))

    def _receive(self, clock: _Clock) -> Result | Look | Looked | Listen | Told:
        frame = receive(self._answers, clock.deadline, partial(self._look, clock))
        answer: Result | Look | Looked | Listen | Told = msgspec.msgpack.decode(
            frame, type=Result | Look | Looked | Listen | Told
        )
        return answer

    def _seen(self, look: Look) -> Seen:
        ocr = self._models.ocr
        if ocr is None or len(look.pixels) != look.height * look.width * 3:
            raise Closed  # no question that our child would ask: it is not ours any more
        try:
            pixels = np.frombuffer(look.pixels, np.uint8).reshape(look.height, look.width, 3)
            return Seen(tuple(ocr.read(pixels)))
        except TriviumError as failure:
            return Seen(failed=Failed.by(failure))

    def _heard(self, recording: Listen, job: Job, clock: _Clock) -> Heard:
        if self._models.transcriber is None:
            raise Closed

        def step(done_s: float) -> None:
            clock.restart()
            self._send(Heard(done_s=done_s), clock)
            answer = self._receive(clock)
            if not isinstance(answer, Told):
                raise Closed
            clock.told(answer)

        audio = job.blob.content if recording.audio is None else recording.audio
        try:
            return Heard(self._models.transcriber.transcribe(audio, recording.language, step))
        except TriviumError as failure:
            return Heard(failed=Failed.by(failure))

    def _look(self, clock: _Clock) -> None:
        clock.told_again()
        self._check_memory()

    def _check_memory(self) -> None:
        self._peak = max(self._peak, resident_bytes(self._process.pid))
        if self._peak > _ENDED_AT * self._memory_bytes:
            raise _out_of_memory(self._memory_bytes)

    def _died(self, wall_s: float) -> NeverWill:
        try:
            code = self._process.wait(timeout=5)
        except subprocess.TimeoutExpired:
            return crashed("it answered with something that is no result")
        if code == 0:
            return LeftAlone("parser_crashed", "The parser ended on this file without an answer.", SPLIT_IT)
        if code == -signal.SIGXCPU:
            return _timeout(wall_s)
        if self._peak > _NEAR_BOUND * self._memory_bytes:
            return _out_of_memory(self._memory_bytes)  # C libraries abort when an allocation is refused
        return crashed(signal.Signals(-code).name if code < 0 else f"exit status {code}")

    def kill(self) -> None:
        """End the process and wait for it."""
        with contextlib.suppress(ProcessLookupError):
            self._process.kill()
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                with contextlib.suppress(OSError):
                    pipe.close()


def resident_bytes(pid: int) -> int:
    """A process's memory in RAM; 0 where the system does not tell (then only the child's own limit holds)."""
    try:
        return int(Path(f"/proc/{pid}/statm").read_bytes().split()[1]) * _PAGE_BYTES
    except (OSError, IndexError, ValueError):
        return 0


def crashed(how: str) -> NeverWill:
    """The file ended its parser; `how` for a person."""
    return NeverWill(
        "parser_crashed",
        f"The parser crashed on this file ({how}).",
        "Open it in the program that made it, save it again or convert it to PDF, and upload the new copy.",
    )


def _timeout(wall_s: float) -> NeverWill:
    return NeverWill("parser_timeout", f"Reading this file takes more than {wall_s:.0f} s.", SPLIT_IT)


def _out_of_memory(bound: int) -> NeverWill:
    return NeverWill(
        "parser_out_of_memory", f"Reading this file takes more than {bound // 1_000_000:,} MB of memory.", SPLIT_IT
    )
