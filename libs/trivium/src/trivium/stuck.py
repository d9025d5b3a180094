"""The end of a process whose interpreter is stuck: where native code keeps its lock, no thread of Python runs any more.

So nothing here is Python when it is needed. Functions of the C library are the handlers of signals, and take a signal's
number for their argument: SIGUSR2 calls `alarm(12)`, and SIGALRM `_exit(14)`. Either may be called by a handler
(signal-safety(7)).
"""

from __future__ import annotations

import contextlib
import ctypes
import faulthandler
import fcntl
import os
import signal
import sys
from typing import Any

_STDERR = 2


def end_if_stuck(told: int) -> None:
    """The process ends 12 s after something was last written to the pipe of `told`, and tells where its threads are.

    Whoever is not stuck ends earlier. On Linux alone.
    """
    if sys.platform != "linux":
        return
    libc = ctypes.CDLL(None)
    _handle(libc, signal.SIGALRM, libc._exit)
    faulthandler.register(signal.SIGALRM, file=_STDERR, chain=True)
    _handle(libc, signal.SIGUSR2, libc.alarm)
    with contextlib.suppress(OSError):  # a kernel that cannot (fcntl(2), F_SETSIG)
        fcntl.fcntl(told, fcntl.F_SETOWN, os.getpid())
        fcntl.fcntl(told, fcntl.F_SETSIG, signal.SIGUSR2)
        fcntl.fcntl(told, fcntl.F_SETFL, fcntl.fcntl(told, fcntl.F_GETFL) | os.O_ASYNC)


def _handle(libc: Any, number: signal.Signals, function: Any) -> None:
    libc.signal(ctypes.c_int(number), ctypes.cast(function, ctypes.c_void_p))
