"""Memory that is freed goes back to the system: glibc's heaps would keep it, with gaps between what is still in use."""

from __future__ import annotations

import ctypes
import sys

_M_MMAP_THRESHOLD = -3  # malloc.h
# Pages of pixels lie outside the heaps: glibc's own threshold grows with what is freed, up to 32 MiB.
_LARGE_BYTES = 4 * 1024 * 1024


def keep_large_apart() -> None:
    """From now on a large allocation is the system's again as soon as it is freed. Only glibc knows how."""
    if (library := _glibc()) is not None:
        library.mallopt(_M_MMAP_THRESHOLD, _LARGE_BYTES)


def give_back() -> None:
    """Return what is free in the heaps; takes well under a millisecond after a small file."""
    if (library := _glibc()) is not None:
        library.malloc_trim(0)


def _glibc() -> ctypes.CDLL | None:
    if sys.platform != "linux":
        return None
    library = ctypes.CDLL(None)
    return library if hasattr(library, "malloc_trim") else None
