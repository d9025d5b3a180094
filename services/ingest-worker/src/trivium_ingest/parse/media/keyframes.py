"""A film's key frames by OpenCV: one for each scene or slide, near-duplicates left out."""

from __future__ import annotations

import math
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from tempfile import TemporaryFile

import cv2
import msgspec
import numpy as np
from numpy.typing import NDArray

from trivium.ports.parser import ParseLimits
from trivium_ingest.parse.failures import too_large
from trivium_ingest.parse.media.container import decoded_frames, installed

Pixels = NDArray[np.uint8]

MIN_GAP_S, USUAL_GAP_S = 1.0, 3.0  # between key frames of a short film, and of another
_FEW = 20  # key frames of a film of one minute
_SAMPLE_S = 0.4  # between the frames that are compared
_SPARSE_S = 1.2  # where they are further apart, nobody can tell whether the picture rests
_CELLS = (128, 72)
_CELL_CHANGE = 32  # grey levels of 256
_SCENE_CHANGE = 0.001  # of the cells: a number on a slide
_PLAIN = 4.0  # grey levels of deviation: nothing is to be seen
_HASH_CELLS = 32
_LIKE_HASH = 64  # bits of 1,024
_HASH_NOISE = 2  # grey levels that compression makes up
_EVERY_FRAME_PIXELS = 6e9  # to decode: a few seconds of work; a longer film is read by its encoder's key frames
_MOST_PIXELS = 3e10
_JPEG_EDGE, _JPEG_QUALITY = 1280, 80
_MAX_EDGE = 1920  # more costs time and shows OCR nothing
_READER = "format_whitelist;mov,matroska,avi|protocol_whitelist;file"
_BY_KEY_FRAMES = f"{_READER}|avdiscard;nonkey"
_CAPTURE_OPTIONS = "OPENCV_FFMPEG_CAPTURE_OPTIONS"
cv2.utils.logging.setLogLevel(cv2.utils.logging.LOG_LEVEL_SILENT)  # what cannot be opened is told as a warning
_LOG_LEVEL, _SILENT = "OPENCV_FFMPEG_LOGLEVEL", "-8"


class Frame(msgspec.Struct, frozen=True):
    """A picture that is shown from `start_s` on; RGB. `number` counts from 1; what is shown again has its first one."""

    start_s: float
    pixels: Pixels
    number: int = 0
    again: bool = False

    def jpeg(self) -> bytes:
        """For people to look at."""
        smaller = _within(self.pixels, _JPEG_EDGE)
        _, encoded = cv2.imencode(".jpg", smaller[:, :, ::-1], [cv2.IMWRITE_JPEG_QUALITY, _JPEG_QUALITY])
        return encoded.tobytes()


class _Look(msgspec.Struct, frozen=True):
    hash: NDArray[np.bool_]
    cells: Pixels


class Film:
    """The pictures of a file. `duration_s` is what its header says, 0 where it says nothing."""

    def __init__(self, content: bytes, limits: ParseLimits) -> None:
        """Raises `NeverWill` (`limit_exceeded` naming `max_pixels`); without pictures, `pictures` is False."""
        self._content = content
        self._limits = limits
        with _opened(content, _READER) as capture:
            self.pictures = capture.isOpened()
            self.width, self.height = (
                int(capture.get(edge)) for edge in (cv2.CAP_PROP_FRAME_WIDTH, cv2.CAP_PROP_FRAME_HEIGHT)
            )
            count, fps = capture.get(cv2.CAP_PROP_FRAME_COUNT), capture.get(cv2.CAP_PROP_FPS)
            self.codec = int(capture.get(cv2.CAP_PROP_FOURCC)).to_bytes(8, "little", signed=True)[:4].decode("latin-1")
        self.duration_s = count / fps if fps > 0 and count > 0 and math.isfinite(count / fps) else 0.0
        self._frames = max(0.0, count)
        self.complete = True
        if self.width * self.height > limits.max_pixels:
            raise too_large("max_pixels", f"a film of {self.width} x {self.height} pixels")

    def key_frames(self, progress: Callable[[float], None]) -> Iterator[Frame]:
        """Frames in order of time, at most `max_ocr_pages`; `complete` is False after it where the film went on.

        `progress` is told the share that was looked at.
        """
        usual_s = min(USUAL_GAP_S, self.duration_s / _FEW)
        gap_s = max(MIN_GAP_S, usual_s, self.duration_s / self._limits.max_ocr_pages)
        known: list[_Look] = []
        for frame in _scenes(self._samples(progress), gap_s):
            look = _Look(_hash(frame.pixels), _cells(frame.pixels))
            number = next((n for n, other in enumerate(known, 1) if _alike(look, other)), 0)
            if not number and len(known) >= self._limits.max_ocr_pages:
                self.complete = False
                return
            if not number:
                known.append(look)
            yield msgspec.structs.replace(frame, number=number or len(known), again=bool(number))

    def _samples(self, progress: Callable[[float], None]) -> Iterator[Frame]:
        """Decoded frames, at least `_SAMPLE_S` apart."""
        size = self.width * self.height
        decoded, last_s = 0, -math.inf
        for at_s, picture in self._decoded(by_key_frames=self._frames * size > _EVERY_FRAME_PIXELS):
            decoded += 1
            if decoded * size > _MOST_PIXELS:
                self.complete = False
                return
            if at_s - last_s < _SAMPLE_S or (pixels := picture()) is None:
                continue
            last_s = at_s
            if self.duration_s:
                progress(min(1.0, at_s / self.duration_s))
            yield Frame(at_s, _within(pixels, _MAX_EDGE))

    def _decoded(self, *, by_key_frames: bool) -> Iterator[tuple[float, Callable[[], Pixels | None]]]:
        """Each frame's time, and what makes its pixels.

        By PyAV, where it is installed: key frames, as OpenCV cannot skip the others of every codec, and what OpenCV's
        wheels do not decode (AV1).
        """
        found = False
        if by_key_frames and installed():
            yield from decoded_frames(self._content, by_key_frames=True)
            return
        with _opened(self._content, _BY_KEY_FRAMES if by_key_frames else _READER) as capture:
            while capture.grab():
                found = True
                yield max(0.0, capture.get(cv2.CAP_PROP_POS_MSEC) / 1000), partial(_retrieved, capture)
        if not found and installed():
            yield from decoded_frames(self._content, by_key_frames=by_key_frames)


def _retrieved(capture: cv2.VideoCapture) -> Pixels | None:
    read, picture = capture.retrieve()
    if not read or picture is None or picture.ndim != 3:
        return None
    return np.asarray(picture[:, :, ::-1], np.uint8)


def _scenes(samples: Iterator[Frame], gap_s: float) -> Iterator[Frame]:
    """What differs from the frame kept last, once it has come to rest, or where it never does, after a while.

    Each is placed where it came to rest, at least `gap_s` after the one before; the last scene always counts.
    """
    kept: Pixels | None = None
    last: tuple[Frame, Pixels] | None = None
    kept_s = scene_s = 0.0
    for frame in samples:
        cells = _cells(frame.pixels)
        moving = last is not None and _differ(cells, last[1])
        if last is None or moving:
            scene_s = frame.start_s
        sparse = last is not None and frame.start_s - last[0].start_s > _SPARSE_S
        last = frame, cells
        waited_s = frame.start_s - kept_s
        rests = not moving or sparse or waited_s >= 2 * gap_s
        if _is_new(cells, kept) and rests and (kept is None or waited_s >= gap_s):
            kept, kept_s = cells, frame.start_s
            yield msgspec.structs.replace(frame, start_s=scene_s)
    if last is not None and _is_new(last[1], kept):
        yield msgspec.structs.replace(last[0], start_s=scene_s)


def _is_new(cells: Pixels, kept: Pixels | None) -> bool:
    return float(cells.std()) > _PLAIN and (kept is None or _differ(cells, kept))


def _cells(pixels: Pixels) -> Pixels:
    grey = cv2.cvtColor(pixels, cv2.COLOR_RGB2GRAY)
    return np.asarray(cv2.resize(grey, _CELLS, interpolation=cv2.INTER_AREA), np.uint8)


def _differ(one: Pixels, other: Pixels) -> bool:
    changed = np.count_nonzero(cv2.absdiff(one, other) > _CELL_CHANGE)
    return bool(changed > _SCENE_CHANGE * one.size)


def _hash(pixels: Pixels) -> NDArray[np.bool_]:
    """A difference hash: whether each cell is darker than its neighbour (Krawetz 2013, "Kind of Like That")."""
    grey = cv2.cvtColor(pixels, cv2.COLOR_RGB2GRAY)
    cells = np.asarray(cv2.resize(grey, (_HASH_CELLS + 1, _HASH_CELLS), interpolation=cv2.INTER_AREA), np.int16)
    darker: NDArray[np.bool_] = cells[:, :-1] + _HASH_NOISE < cells[:, 1:]
    return darker


def _alike(one: _Look, other: _Look) -> bool:
    """The hash is quick, and takes slides of one template for the same; the cells tell those apart."""
    return int(np.count_nonzero(one.hash != other.hash)) <= _LIKE_HASH and not _differ(one.cells, other.cells)


def _within(pixels: Pixels, edge: int) -> Pixels:
    height, width = pixels.shape[:2]
    scale = edge / max(height, width)
    if scale >= 1:
        return np.ascontiguousarray(pixels)
    size = (max(1, round(width * scale)), max(1, round(height * scale)))
    return np.asarray(cv2.resize(np.ascontiguousarray(pixels), size, interpolation=cv2.INTER_AREA), np.uint8)


@contextmanager
def _in_memory(content: bytes) -> Iterator[str]:
    """A path that only this process sees: where it reads from Python's objects, OpenCV 5.0 crashes on broken files."""
    with os.fdopen(os.memfd_create("film"), "wb") if sys.platform == "linux" else TemporaryFile() as file:
        file.write(content)
        file.flush()
        yield f"/dev/fd/{file.fileno()}"


@contextmanager
def _opened(content: bytes, options: str) -> Iterator[cv2.VideoCapture]:
    """OpenCV hears of FFmpeg's options by the environment alone."""
    before = {name: os.environ.get(name) for name in (_CAPTURE_OPTIONS, _LOG_LEVEL)}
    os.environ.update({_CAPTURE_OPTIONS: options, _LOG_LEVEL: _SILENT})
    capture = cv2.VideoCapture()
    try:
        with _in_memory(content) as path:
            with suppress(cv2.error):  # then it is not opened, and says so
                capture.open(path, cv2.CAP_FFMPEG, [cv2.CAP_PROP_N_THREADS, 1])
            yield capture
    finally:
        capture.release()
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value
