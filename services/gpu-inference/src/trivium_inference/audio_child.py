"""The decoding child: the sound of one file as pieces of samples, sent to its parent as that takes them.

Started by `audio.py` as `python -m trivium_inference.audio_child`, with a file's descriptor. FFmpeg reads whatever
people upload, so it may open nothing but that, and is restricted as every such child (`trivium.child_process`).
"""

from __future__ import annotations

import resource
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, Final

import av
import numpy as np
from av.audio.frame import AudioFrame
from av.audio.resampler import AudioResampler
from av.container import InputContainer

from trivium.child_process.messages import Connection
from trivium.child_process.reply import Reply
from trivium.child_process.restrict import is_out_of_memory
from trivium.child_process.serve import run_child
from trivium.domain.errors import NeverWill
from trivium_inference.audio import MEMORY_BYTES, RATE_HZ, corrupt_audio

# Sound as people record and send it. Playlists (hls, dash, concat, sdp) are missing: they would open other addresses.
FORMATS: Final = (
    "aac,ac3,aiff,amr,amrnb,amrwb,asf,au,avi,caf,flac,flv,matroska,mov,mp3,mp4,mpeg,mpegts,ogg,w64,wav,webm"
)
_OPTIONS: Final = {"format_whitelist": FORMATS, "protocol_whitelist": "none"}
_MIN_RATE_HZ: Final = 4000  # the telephone's half; below, a small frame would become a huge one
_PIECE: Final = 10 * RATE_HZ  # samples
_LEAST_GAP_S: Final = 0.5  # between the clock of a file and what is heard; less is how encoders write
_MOST_SILENCE_S: Final = 3600.0  # of a file; a clock that jumps further is wrong


def main(parent: Connection, descriptor: str) -> None:
    """Send the samples piece by piece, and last none, or why there are no more."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    with Path(f"/dev/fd/{descriptor}").open("rb") as file:
        samples = _joined(_decoded(file))
        while (reply := Reply.of(lambda: next(samples, b""))).value:
            parent.send(reply)
        parent.send(reply)


def _decoded(file: BinaryIO) -> Iterator[AudioFrame]:
    """Raises `NeverWill` (`corrupt_audio`, `no_audio`)."""
    try:
        with av.open(file, mode="r", metadata_errors="ignore", options=_OPTIONS) as container:
            if not container.streams.audio:
                raise NeverWill("no_audio", "The file holds no sound.", "Choose a recording.")
            yield from _frames(container)
    except (av.error.FFmpegError, MemoryError, ValueError, OSError) as error:
        memory = f"it takes more than {MEMORY_BYTES // 1_000_000:,} MB of memory"
        raise corrupt_audio(memory if is_out_of_memory(error) else f"{error}"[:300]) from error


def _frames(container: InputContainer) -> Iterator[AudioFrame]:
    """Frames of the first sound stream, resampled, with silence where the file has a gap; broken ones are left out.

    Raises when there is none at all.
    """
    resampler, heard, clock = _resampler(), None, _Clock((container.start_time or 0) / av.time_base)
    broken: av.error.InvalidDataError | None = None
    good = False
    for packet in container.demux(audio=0):
        try:
            frames = packet.decode()
        except av.error.InvalidDataError as error:
            broken = error
            continue
        for frame in frames:
            if not isinstance(frame, AudioFrame) or frame.sample_rate < _MIN_RATE_HZ:
                raise ValueError("its sample rate is below 4,000 Hz")
            gap_s = clock.gap_before(frame)
            frame.pts = None  # small gaps and jumps back of a file's clock are not sound
            good = True
            shape = (frame.format.name, frame.layout.name, frame.sample_rate)
            if gap_s or heard not in (None, shape):
                yield from resampler.resample(None)  # recordings that were joined: a resampler takes one kind of frame
                resampler = _resampler()
            heard = shape
            yield from _silence(gap_s)
            yield from resampler.resample(frame)
    if not good:
        raise broken or ValueError("it holds no sound")
    yield from resampler.resample(None)


class _Clock:
    """Compares what the file's clock says of a frame with what was heard before it, from where the file begins."""

    def __init__(self, start_s: float) -> None:
        self._start_s = start_s
        self._heard_s = self._silent_s = 0.0

    def gap_before(self, frame: AudioFrame) -> float:
        """Seconds without sound before the frame that comes next."""
        at_s = frame.time
        gap_s = 0.0 if at_s is None else at_s - self._start_s - self._heard_s
        if not -_LEAST_GAP_S <= gap_s <= _MOST_SILENCE_S - self._silent_s:
            self._start_s += gap_s  # a jump, behind which the clock goes on
            gap_s = 0.0
        elif gap_s < _LEAST_GAP_S:
            gap_s = 0.0
        self._silent_s += gap_s
        self._heard_s += gap_s + frame.samples / frame.sample_rate
        return gap_s


def _silence(seconds: float) -> Iterator[AudioFrame]:
    left = round(seconds * RATE_HZ)
    while left > 0:
        count = min(left, _PIECE)
        yield AudioFrame.from_ndarray(np.zeros((1, count), np.int16), format="s16", layout="mono")
        left -= count


def _resampler() -> AudioResampler:
    return AudioResampler(format="s16", layout="mono", rate=RATE_HZ)


def _joined(frames: Iterator[AudioFrame]) -> Iterator[bytes]:
    held: list[np.ndarray] = []
    size = 0
    for frame in frames:
        held.append(frame.to_ndarray().reshape(-1))
        size += len(held[-1])
        if size >= _PIECE:
            yield np.concatenate(held).tobytes()
            held, size = [], 0
    if held:
        yield np.concatenate(held).tobytes()


if __name__ == "__main__":
    run_child(main)
