"""The decoding child: the sound of one file as pieces of samples, sent to its parent as that takes them.

Started by `audio.py` as `python -m trivium_inference.audio_child SOCKET FILE`, both descriptors. FFmpeg reads whatever
people upload, so it may open nothing but FILE, and is locked in (`trivium.locked_in`).
"""

from __future__ import annotations

import resource
import sys
from collections.abc import Iterator
from contextlib import suppress
from multiprocessing.connection import Connection
from pathlib import Path
from typing import BinaryIO, Final

import av
import msgspec
import numpy as np
from av.audio.frame import AudioFrame
from av.audio.resampler import AudioResampler
from av.container import InputContainer

from trivium.locked_in import lock_in
from trivium_inference.audio import RATE_HZ, Piece

MEMORY_BYTES: Final = 1024 * 1024 * 1024  # libraries included; usual files take a quarter of it
# Sound as people record and send it. Playlists (hls, dash, concat, sdp) are missing: they would open other addresses.
FORMATS: Final = (
    "aac,ac3,aiff,amr,amrnb,amrwb,asf,au,avi,caf,flac,flv,matroska,mov,mp3,mp4,mpeg,mpegts,ogg,w64,wav,webm"
)
_OPTIONS: Final = {"format_whitelist": FORMATS, "protocol_whitelist": "none"}
_MIN_RATE_HZ: Final = 4000  # the telephone's half; below, a small frame would become a huge one
_PIECE: Final = 10 * RATE_HZ  # samples


def main() -> None:
    """Send the pieces, and last one that says how it ended."""
    lock_in(MEMORY_BYTES)
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    parent = Connection(int(sys.argv[1]))
    with suppress(BrokenPipeError), Path(f"/dev/fd/{sys.argv[2]}").open("rb") as file:
        for piece in _pieces(file):
            parent.send_bytes(msgspec.msgpack.encode(piece))


def _pieces(file: BinaryIO) -> Iterator[Piece]:
    try:
        with av.open(file, mode="r", metadata_errors="ignore", options=_OPTIONS) as container:
            if not container.streams.audio:
                yield Piece(failure="no_audio")
                return
            for samples in _joined(_frames(container)):
                yield Piece(samples.tobytes())
    except (av.error.FFmpegError, MemoryError, ValueError, OSError) as error:
        yield Piece(failure="corrupt_audio", reason=f"{error}"[:300])
    else:
        yield Piece(ended=True)


def _frames(container: InputContainer) -> Iterator[AudioFrame]:
    """Frames of the first sound stream, resampled; broken ones are left out. Raises when there is none at all."""
    resampler = AudioResampler(format="s16", layout="mono", rate=RATE_HZ)
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
            frame.pts = None  # gaps and jumps of a file's clock are not sound
            good = True
            yield from resampler.resample(frame)
    if not good:
        raise broken or ValueError("it holds no sound")
    yield from resampler.resample(None)


def _joined(frames: Iterator[AudioFrame]) -> Iterator[np.ndarray]:
    held: list[np.ndarray] = []
    size = 0
    for frame in frames:
        held.append(frame.to_ndarray().reshape(-1))
        size += len(held[-1])
        if size >= _PIECE:
            yield np.concatenate(held)
            held, size = [], 0
    if held:
        yield np.concatenate(held)


if __name__ == "__main__":
    main()
