"""A stop: what is in hand is given back within a bound, and no document answers for what the stop broke."""

from __future__ import annotations

import logging
import mmap
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from trivium.domain.errors import TryLater
from trivium.stuck import end_if_stuck

STOP_S = 8.0  # from the first signal to a process's end, whatever its threads or its servers do
GIVE_BACK_S = 6.0  # from then on nobody waits for work in hand: it is given back unfinished
_LAST_WORDS_S = 1.5  # for what is still to be written, to a registry that may be away
_LOOK_S = 0.1
STOP_SIGNALS = (signal.SIGTERM, signal.SIGINT, signal.SIGQUIT, signal.SIGHUP)
_HEARD = (signal.SIGINT, signal.SIGTERM)


class Stopped(TryLater):
    """The process ends before the work; the document goes on at the next start, or with another worker."""

    def __init__(self) -> None:
        super().__init__("stopping", "The process is stopping.", "It goes on at the next start.")


class Stopping:
    """Whether this process is to end. Processes forked later see it too; it takes no lock, so signal handlers may."""

    def __init__(self) -> None:
        self._shared = mmap.mmap(-1, 1)
        self._here = False

    @property
    def begun(self) -> bool:
        """Whether the end has begun, here or in all processes."""
        return self._here or self._shared[0] != 0

    def begin(self) -> None:
        """This process and those that share it are to end."""
        self._shared[0] = 1

    def begin_here(self) -> None:
        """This process alone is to end."""
        self._here = True

    def wait(self) -> None:
        """Until a stop begins."""
        while not self.begun:
            time.sleep(_LOOK_S)

    def check(self) -> None:
        """From work between two of its slices; raises `Stopped`."""
        if self.begun:
            raise Stopped


def begin_on_signals(stopping: Stopping) -> None:
    """From now on SIGINT and SIGTERM begin a stop, and the second one no more than the first. From the main thread.

    On Linux they also end a process whose interpreter is stuck.
    """
    told, tells = os.pipe()
    end_if_stuck(told)
    _hear(stopping.begin, told, tells)


@contextmanager
def on_signals(act: Callable[[], None]) -> Iterator[None]:
    """Call `act` on a thread of its own at each SIGINT and SIGTERM for as long as the block runs. From the main thread.

    What was done on these signals before is done again afterwards.
    """
    handlers = {number: signal.getsignal(number) for number in _HEARD}
    before = _hear(act, *os.pipe())
    try:
        yield
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)
        os.close(signal.set_wakeup_fd(before))


def _hear(act: Callable[[], None], told: int, tells: int) -> int:
    """Have a thread call `act` at each signal; returns the descriptor that was woken before.

    Python calls a handler on the main thread, which may be stuck in native code. `tells` is written to at once, and
    `told` is the other end of that pipe.
    """
    os.set_blocking(tells, False)

    def listen() -> None:
        while number := os.read(told, 1):
            if number[0] in _HEARD:
                act()
        os.close(told)

    threading.Thread(target=listen, name="signals", daemon=True).start()
    before = signal.set_wakeup_fd(tells, warn_on_full_buffer=False)
    for number in _HEARD:
        signal.signal(number, lambda *_: None)  # without a handler nothing would be written
    return before


def end_in_time(stopping: Stopping, within_s: float, last: Callable[[], None] = lambda: None) -> None:
    """See to it that this process is over `within_s` seconds after a stop began, by `os._exit` if need be.

    `last` is called before that; it too has a bound. The exit status is 0: what a stop breaks off goes on later.
    """

    def watch() -> None:
        stopping.wait()
        time.sleep(within_s)
        logging.getLogger(__name__).warning(
            "What was under way did not end in time: it is given back, and the process ends."
        )
        words = threading.Thread(target=last, name="last-words", daemon=True)
        words.start()
        words.join(_LAST_WORDS_S)
        os._exit(0)

    threading.Thread(target=watch, name="end-in-time", daemon=True).start()
