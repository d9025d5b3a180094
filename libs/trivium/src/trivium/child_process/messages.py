"""Messages between a process and its child: frames of four bytes of length, then MessagePack. No pickle comes back."""

from __future__ import annotations

import contextlib
import math
import os
import select
from collections.abc import Callable
from typing import Final, TypeVar

import msgspec

from trivium.child_process.deadline import Deadline
from trivium.child_process.errors import DeadlineExceeded, Disconnected

MAX_MESSAGE_BYTES: Final = 1 << 30
_LENGTH_BYTES: Final = 4
_PIECE_BYTES: Final = 1 << 20
_WATCH_INTERVAL_S: Final = 0.02

M = TypeVar("M")
Watch = Callable[[], None] | None


class Connection:
    """One end of a socket between the two. Whoever gives no deadline waits for as long as the other side is there.

    `watch` is called every few milliseconds of waiting, and ends it by raising.
    """

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor

    def send(self, message: object, deadline: Deadline | None = None, watch: Watch = None) -> None:
        """Raises `Disconnected`, and `DeadlineExceeded` when the other side does not read in time."""
        body = msgspec.msgpack.encode(message)
        for part in (len(body).to_bytes(_LENGTH_BYTES, "big"), body):  # a body may be large: it is not copied once more
            view = memoryview(part)
            while view:
                self._wait(select.POLLOUT, deadline, watch)
                try:
                    view = view[os.write(self._descriptor, view[:_PIECE_BYTES]) :]
                except BlockingIOError:
                    continue
                except OSError as error:
                    raise Disconnected from error

    def receive(self, kind: type[M], deadline: Deadline | None = None, watch: Watch = None) -> M:
        """The next message. Raises `DeadlineExceeded`, and `Disconnected` at the end and for what is no `kind`."""
        length = int.from_bytes(self._exactly(_LENGTH_BYTES, deadline, watch), "big")
        if length > MAX_MESSAGE_BYTES:
            raise Disconnected
        body = self._exactly(length, deadline, watch)
        try:
            return msgspec.msgpack.decode(body, type=kind)
        except msgspec.MsgspecError as error:
            raise Disconnected from error

    def is_readable(self, within_s: float) -> bool:
        """Whether something comes, if only the end."""
        return self._is_ready(select.POLLIN, within_s)

    def close(self) -> None:
        """Whoever sends or receives from now on hears `Disconnected`."""
        with contextlib.suppress(OSError):
            os.close(self._descriptor)
        self._descriptor = -1

    def _exactly(self, count: int, deadline: Deadline | None, watch: Watch) -> bytearray:
        read = bytearray()
        while len(read) < count:
            self._wait(select.POLLIN, deadline, watch)
            try:
                piece = os.read(self._descriptor, min(_PIECE_BYTES, count - len(read)))
            except BlockingIOError:
                continue
            except OSError as error:
                raise Disconnected from error
            if not piece:
                raise Disconnected
            read += piece
        return read

    def _wait(self, event: int, deadline: Deadline | None, watch: Watch) -> None:
        if self._descriptor < 0:
            raise Disconnected
        if deadline is None:
            return
        look_s = _WATCH_INTERVAL_S if watch else math.inf
        while not self._is_ready(event, min(deadline.left_s, look_s)):
            if deadline.left_s <= 0:
                raise DeadlineExceeded
            if watch:
                watch()

    def _is_ready(self, event: int, within_s: float) -> bool:
        """By poll(2): select(2) knows no descriptor above 1,023, and a busy server hands on such numbers."""
        waiter = select.poll()
        waiter.register(self._descriptor, event)
        return bool(waiter.poll(1000 * max(0.0, within_s)))
