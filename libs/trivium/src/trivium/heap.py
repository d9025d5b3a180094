"""Memory that is freed goes back to the system: glibc's heaps would keep it, with gaps between what is still in use."""

from __future__ import annotations

import ctypes
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

GIVEN_BACK_EVERY_S: Final = 30.0
_M_MMAP_THRESHOLD, _M_ARENA_MAX = -3, -8  # malloc.h
# Pages of pixels lie outside the heaps: glibc's own threshold grows with what is freed, up to 32 MiB.
_LARGE_BYTES = 4 * 1024 * 1024
# Threads share them; glibc would make eight for each core, and every one keeps its own gaps.
_HEAPS = 2


@contextmanager
def kept_small(every_s: float = GIVEN_BACK_EVERY_S) -> Iterator[None]:
    """For a process of many threads that runs for long: what it frees is the system's again soon."""
    if (library := _glibc()) is not None:
        library.mallopt(_M_ARENA_MAX, _HEAPS)
    keep_large_apart()
    ended = threading.Event()
    thread = threading.Thread(target=_give_back_until, args=(ended, every_s), name="heap", daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


def keep_large_apart() -> None:
    """From now on a large allocation is the system's again as soon as it is freed. Only glibc knows how."""
    if (library := _glibc()) is not None:
        library.mallopt(_M_MMAP_THRESHOLD, _LARGE_BYTES)


def give_back() -> None:
    """Return what is free in the heaps; takes well under a millisecond after a small file."""
    if (library := _glibc()) is not None:
        library.malloc_trim(0)


def _give_back_until(ended: threading.Event, every_s: float) -> None:
    while not ended.wait(every_s):
        give_back()


def _glibc() -> ctypes.CDLL | None:
    if sys.platform != "linux":
        return None
    library = ctypes.CDLL(None)
    return library if hasattr(library, "malloc_trim") else None
