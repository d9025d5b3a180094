"""Frames between the worker and its parsing child: four bytes of length, then MessagePack. No pickle comes back."""

from __future__ import annotations

import os
import select
import time
from collections.abc import Callable

import msgspec

from trivium.domain.errors import NeverWill, TriviumError, TryLater
from trivium.domain.parsed import ParsedDocument
from trivium.ports.inference import OcrLine, Transcript
from trivium.ports.parser import Blob, ParseLimits

_LENGTH_BYTES = 4
_CHUNK = 1 << 20
_WATCH_INTERVAL_S = 0.02
MAX_FRAME_BYTES = 1 << 30
SPLIT_IT = "Split the file into smaller ones and upload those."

Watch = Callable[[], None] | None


class Setup(msgspec.Struct, frozen=True):
    """The first frame: `ocr` is a pickled factory from our own parent (empty for none).

    Where the parent has the engine, the child asks it: `Look` is answered with `Seen`, `Listen` with `Heard`.
    """

    memory_bytes: int
    idle_s: float
    ocr: bytes = b""
    asks_ocr: bool = False
    asks_transcriber: bool = False


class Ready(msgspec.Struct, frozen=True):
    """The child's first frame: its libraries are loaded and it is locked in."""


class Job(msgspec.Struct, frozen=True):
    """One file to parse; `cpu_s` bounds the processor time it may take."""

    blob: Blob
    limits: ParseLimits
    cpu_s: int


class Failed(msgspec.Struct, frozen=True):
    """The parser's typed failure; `later` tells that the file is not to blame."""

    code: str
    message: str
    action: str
    later: bool = False

    @classmethod
    def by(cls, error: TriviumError) -> Failed:
        """For the way over the pipe."""
        return cls(error.code, error.message, error.action, isinstance(error, TryLater))

    def error(self) -> TriviumError:
        """At the other end: `TryLater` or `NeverWill`."""
        return (TryLater if self.later else NeverWill)(self.code, self.message, self.action)


class Result(msgspec.Struct, frozen=True, omit_defaults=True, tag="result"):
    """What came of a job: exactly one of the two is set."""

    document: ParsedDocument | None = None
    failed: Failed | None = None


class Look(msgspec.Struct, frozen=True, tag="look"):
    """An image that the child wants read: rows of RGB bytes."""

    height: int
    width: int
    pixels: bytes


class Seen(msgspec.Struct, frozen=True, omit_defaults=True):
    """What the parent's engine read in it, or why it could not."""

    lines: tuple[OcrLine, ...] = ()
    failed: Failed | None = None


class Listen(msgspec.Struct, frozen=True, tag="listen"):
    """A recording that the child wants written down; `language` as in `Transcriber`.

    `audio` is None for the file of the job, which the parent has.
    """

    audio: bytes | None = None
    language: str = ""


class Heard(msgspec.Struct, frozen=True, omit_defaults=True):
    """What the parent's engine heard in it, or why it could not; with neither, the seconds that are done.

    The child answers those with `Told`.
    """

    transcript: Transcript | None = None
    failed: Failed | None = None
    done_s: float = 0.0


class Told(msgspec.Struct, frozen=True, tag="told"):
    """The share of the file that is read: where it has risen, the parent waits anew."""

    share: float


class Looked(msgspec.Struct, frozen=True, tag="looked"):
    """The child's own engine has read one more image: the parent waits anew, `max_ocr_pages` times for a file."""


class Closed(Exception):
    """The other side is gone."""


class Late(Exception):
    """Nothing came before the deadline."""


def send(descriptor: int, message: msgspec.Struct, deadline: float | None = None, watch: Watch = None) -> None:
    """Write one frame. Raises `Closed`, or `Late` when the other side does not read in time (monotonic clock)."""
    body = msgspec.msgpack.encode(message)
    for part in (len(body).to_bytes(_LENGTH_BYTES, "big"), body):  # a body may be large: it is not copied once more
        view = memoryview(part)
        while view:
            _await(descriptor, select.POLLOUT, deadline, watch)
            try:
                view = view[os.write(descriptor, view[:_CHUNK]) :]
            except BlockingIOError:
                continue
            except OSError as error:
                raise Closed from error


def receive(
    descriptor: int, deadline: float | None = None, watch: Watch = None, limit: int = MAX_FRAME_BYTES
) -> bytearray:
    """Read one frame's body. Raises `Late`, or `Closed` at the end and for more than `limit` bytes.

    `watch` is called every few milliseconds of waiting, and ends it by raising.
    """
    length = int.from_bytes(_exactly(descriptor, _LENGTH_BYTES, deadline, watch), "big")
    if length > limit:
        raise Closed
    return _exactly(descriptor, length, deadline, watch)


def _exactly(descriptor: int, count: int, deadline: float | None, watch: Watch) -> bytearray:
    parts = bytearray()
    while len(parts) < count:
        _await(descriptor, select.POLLIN, deadline, watch)
        try:
            piece = os.read(descriptor, min(_CHUNK, count - len(parts)))
        except BlockingIOError:
            continue
        except OSError as error:
            raise Closed from error
        if not piece:
            raise Closed
        parts += piece
    return parts


def _await(descriptor: int, event: int, deadline: float | None, watch: Watch) -> None:
    """Wait until the descriptor is ready; without a deadline the descriptor itself blocks."""
    if deadline is None:
        return
    waiter = select.poll()
    waiter.register(descriptor, event)
    while True:
        left = deadline - time.monotonic()
        if waiter.poll(max(0.0, min(left, _WATCH_INTERVAL_S)) * 1000):
            return
        if left <= 0:
            raise Late
        if watch is not None:
            watch()
