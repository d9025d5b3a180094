"""Sound out of files: decoded in a child process, because FFmpeg reads whatever people upload, and cut into windows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import BinaryIO, Final

import msgspec
import numpy as np
from numpy.typing import NDArray

from trivium.child_process.child import ChildProcess
from trivium.child_process.deadline import Deadline
from trivium.child_process.errors import ChildExited, DeadlineExceeded, MemoryExhausted
from trivium.child_process.reply import Reply
from trivium.domain.errors import NeverWill

RATE_HZ: Final = 16_000  # what Whisper and the voice detector hear
MAX_BYTES: Final = 1024 * 1024 * 1024
MAX_DURATION_S: Final = 4 * 3600.0
WALL_S: Final = 60.0  # for the next seconds of sound
MEMORY_BYTES: Final = 1024 * 1024 * 1024  # libraries included; usual files take a quarter of it
WINDOW_S: Final = 30.0  # what Whisper hears at a time (Radford et al. 2022)
_CUT_FROM_S: Final = 20.0  # a window ends at the quietest moment after it, so that few words are cut
_MOMENT_S: Final = 0.2

Samples = NDArray[np.float32]


class Window(msgspec.Struct, frozen=True):
    """At most `WINDOW_S` of mono sound at `RATE_HZ`, -1 to 1."""

    start_s: float
    samples: Samples

    @property
    def end_s(self) -> float:
        """From the recording's start."""
        return self.start_s + len(self.samples) / RATE_HZ


class Recording:
    """The sound of an audio or video file, which is a real file, decoded as it is asked for."""

    def __init__(self, file: BinaryIO, wall_s: float = WALL_S) -> None:
        descriptor = file.fileno()
        self._child = ChildProcess(
            "trivium_inference.audio_child", str(descriptor), memory_bytes=MEMORY_BYTES, keep=[descriptor]
        )
        self._wall_s = wall_s

    def windows(self, heard_s: float = 0.0) -> Iterator[Window]:
        """All of it, once, but for those that end by `heard_s`: it is cut at the same moments each time.

        Raises `NeverWill` (`corrupt_audio`, `no_audio`, `audio_too_long`), at the latest moment.
        """
        return (window for window in cut(_decoded(self._child, self._wall_s)) if window.end_s > heard_s)

    def close(self) -> None:
        """From any thread; one that waits for a window hears `NeverWill`."""
        self._child.kill()


def cut(pieces: Iterable[Samples]) -> Iterator[Window]:
    """Windows of at most `WINDOW_S` that together are all of the sound."""
    limit = int(WINDOW_S * RATE_HZ)
    held: Samples = np.zeros(0, np.float32)
    start = 0
    for piece in pieces:
        held = np.concatenate([held, piece])
        while len(held) > limit:
            end = _quietest(held[:limit])
            yield Window(start / RATE_HZ, held[:end])
            held, start = held[end:], start + end
    if len(held):
        yield Window(start / RATE_HZ, held)


def _quietest(samples: Samples) -> int:
    """The middle of the quietest moment after `_CUT_FROM_S`."""
    first, moment = int(_CUT_FROM_S * RATE_HZ), int(_MOMENT_S * RATE_HZ)
    moments = samples[first : first + (len(samples) - first) // moment * moment].reshape(-1, moment)
    return first + int(np.square(moments).sum(axis=1).argmin()) * moment + moment // 2


def _decoded(child: ChildProcess, wall_s: float) -> Iterator[Samples]:
    seconds = 0.0
    while piece := _next(child, wall_s):
        samples = np.frombuffer(piece, np.int16).astype(np.float32)
        samples /= 32768
        seconds += len(samples) / RATE_HZ
        if seconds > MAX_DURATION_S:
            raise NeverWill(
                "audio_too_long", f"The recording lasts longer than {MAX_DURATION_S / 3600:g} hours.", "Divide it."
            )
        yield samples


def _next(child: ChildProcess, wall_s: float) -> bytes:
    """Mono 16-bit samples of the machine's byte order; none at the end."""
    try:
        return child.receive(Reply[bytes], Deadline(wall_s)).result()
    except (ChildExited, MemoryExhausted) as error:
        raise corrupt_audio("it crashes the decoder") from error
    except DeadlineExceeded as error:
        raise corrupt_audio(f"its next seconds take more than {wall_s:g} s to decode") from error


def corrupt_audio(reason: str) -> NeverWill:
    """`reason` for a person."""
    return NeverWill("corrupt_audio", f"The recording cannot be read: {reason}.", "Save it again, as FLAC or MP3.")
