"""A parsing child from its parent's side: the engines that it may ask, and how long its answer is waited for."""

from __future__ import annotations

import signal
from collections.abc import Callable
from functools import partial
from typing import Any, Final

import msgspec
import numpy as np

from trivium.child_process.child import ChildProcess, resident_bytes
from trivium.child_process.deadline import Deadline
from trivium.child_process.errors import ChildExited, DeadlineExceeded, MemoryExhausted
from trivium.domain.errors import TriviumError, TryLater
from trivium.domain.ids import digest
from trivium.ports.inference import Transcript
from trivium.ports.parser import Hearing, ParserModels
from trivium_ingest.parse.wire import (
    ImageRead,
    Job,
    OcrReply,
    OcrRequest,
    ParseReply,
    ParserMessage,
    ProgressReport,
    Ready,
    Setup,
    SpeechReply,
    SpeechRequest,
)

_START_S: Final = 60.0
_LIBRARY_START_S: Final = 300.0  # with `unstructured`: from a slow disk it takes more than a minute
_NEAR_BOUND: Final = 0.6
_ENDED_AT: Final = 0.98  # of what may be resident: a child grows by some megabytes between two looks at it
_LEAST_STEP: Final = 0.002  # of a file: a child that only says that it goes on waits for its end 500 times at most
# What may be allocated, over what may be resident: threads of the OCR engines reserve arenas that they do not fill.
_HEADROOM: Final = 2.5
# Of what may be resident, what an idle child may hold before it is replaced: with OCR loaded it holds about 0.6.
_GROWN_SHARE: Final = 0.75
_KIND: Final[Any] = ParserMessage
_NO_CRASH: Final = (None, 0, -signal.SIGXCPU)


class _Clock(Deadline):
    """For the next step of a file: it begins anew when the work has gone on."""

    def __init__(self, wall_s: float, images: int, progress: Callable[[float], None]) -> None:
        super().__init__(wall_s)
        self._images = images
        self._progress = progress
        self._share = 0.0

    def told(self, step: ProgressReport | ImageRead) -> None:
        """An image more, or a share that has risen by what is worth the wait, is progress; anything else is none."""
        if isinstance(step, ImageRead):
            if self._images > 0:
                self._images -= 1
                self.renew()
        elif self._share + _LEAST_STEP <= step.share <= 1.0:
            self._share = step.share
            self.renew()
            self._progress(step.share)

    def told_again(self) -> None:
        """That the work goes on, to whom it may concern: what `progress` raises ends it."""
        self._progress(self._share)


class ParserProcess(ChildProcess):
    """Reads one file after the other, up to `max_jobs`; `memory_bytes` bounds what is resident."""

    def __init__(self, setup: Setup, memory_bytes: int, max_jobs: int, models: ParserModels) -> None:
        super().__init__(
            "trivium_ingest.parse.child",
            msgspec.json.encode(setup).decode(),
            memory_bytes=int(_HEADROOM * memory_bytes),
        )
        self._memory_bytes = memory_bytes
        self._max_jobs = max_jobs
        self._models = models
        self._start_s = _LIBRARY_START_S if setup.loads_unstructured else _START_S
        self._fingerprint = ""
        self._peak = 0

    @property
    def is_fit(self) -> bool:
        """Whether it can take another job."""
        grown = resident_bytes(self.pid) > _GROWN_SHARE * self._memory_bytes
        return self.is_alive and self.jobs < self._max_jobs and not grown

    def fingerprint(self) -> str:
        """Names the child's parsers. Raises `TryLater` when it does not start."""
        if not self._fingerprint:
            self._fingerprint = self._first_message().fingerprint
        return self._fingerprint

    def run(
        self,
        job: Job,
        wall_s: float,
        progress: Callable[[float], None],
        on_listening: Callable[[], None],
        hearing: Hearing,
    ) -> ParseReply:
        """Send the job and wait, `wall_s` for each step that it tells; `on_listening` comes before one is heard.

        Ask for the `fingerprint` before.

        What `progress` or `hearing` raises is passed on, and leaves a child that nobody can ask any more.
        Raises `ChildExited`, `DeadlineExceeded` and `MemoryExhausted` for what the file did to the child.
        """
        self._peak = 0
        try:
            clock = _Clock(wall_s, job.limits.max_ocr_pages, progress)
            return self._exchange(job, clock, on_listening, hearing)
        except ChildExited as exited:
            if exited.status not in _NO_CRASH and self._peak > _NEAR_BOUND * self._memory_bytes:
                raise self._exhausted() from None  # C libraries abort when an allocation is refused
            raise

    def _first_message(self) -> Ready:
        """Loading libraries takes about a second, `unstructured` minutes; which is not the file's time."""
        try:
            return self.receive(Ready, Deadline(self._start_s))
        except (ChildExited, DeadlineExceeded) as error:
            raise TryLater("parser_unavailable", "The parsing process does not start.") from error

    def _exchange(self, job: Job, clock: _Clock, on_listening: Callable[[], None], hearing: Hearing) -> ParseReply:
        watch = partial(self._look, clock)
        self.send(job, clock, watch)
        while True:
            message: ParserMessage = self.receive(_KIND, clock, watch)
            match message:
                case ProgressReport() | ImageRead():
                    clock.told(message)
                case OcrRequest():
                    with clock.paused():  # how long a service takes is not the file's doing
                        seen = self._seen(message)
                    self.send(seen, clock, watch)
                case SpeechRequest():
                    on_listening()
                    with clock.paused():
                        heard = self._heard(message, job, clock, hearing)
                    self.send(heard, clock, watch)
                case _:
                    return message

    def _seen(self, image: OcrRequest) -> OcrReply:
        ocr = self._models.ocr
        if ocr is None or len(image.pixels) != image.height * image.width * 3:
            raise ChildExited(None)  # no question that our child would ask: it is not ours any more
        pixels = np.frombuffer(image.pixels, np.uint8).reshape(image.height, image.width, 3)
        return OcrReply.of(lambda: tuple(ocr.read(pixels)))

    def _heard(self, recording: SpeechRequest, job: Job, clock: _Clock, hearing: Hearing) -> SpeechReply:
        transcriber, watch = self._models.transcriber, partial(self._look, clock)
        if transcriber is None:
            raise ChildExited(None)

        audio = job.blob.content if recording.audio is None else recording.audio
        ended: list[TriviumError] = []

        def step(name: str, heard: Transcript) -> None:
            clock.renew()
            try:
                hearing.keep(name, heard)
                self.send(SpeechReply(heard.duration_s), clock, watch)
                clock.told(self.receive(ProgressReport, clock, watch))
                clock.told_again()  # the share rises no more where a recording goes on beyond the length that it states
            except TriviumError as error:
                ended.append(error)
                raise

        def hear() -> Transcript:
            name = digest(transcriber.fingerprint, recording.language, audio)
            return transcriber.transcribe(audio, recording.language, partial(step, name), hearing.before(name))

        reply = SpeechReply.of(hear)
        if ended:  # not by the engine: the file is left
            raise ended[0]
        return reply

    def _look(self, clock: _Clock) -> None:
        clock.told_again()
        self._peak = max(self._peak, resident_bytes(self.pid))
        if self._peak > _ENDED_AT * self._memory_bytes:
            raise self._exhausted()

    def _exhausted(self) -> MemoryExhausted:
        return MemoryExhausted(was_used=self.jobs > 1)
