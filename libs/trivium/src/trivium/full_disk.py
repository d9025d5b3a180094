"""A disk without room under a process's temporary files: no fault of any document, and over once there is room."""

from __future__ import annotations

import errno
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

from trivium.domain.errors import TryLater

_FULL = (errno.ENOSPC, errno.EDQUOT)
_NO_FOLDER = "No usable temporary directory"  # tempfile's own word where no folder takes its first few bytes


def full_disk(error: BaseException) -> TryLater | None:
    """`error` as `TryLater` (`disk_full`), where it is a full disk's or was raised because of one.

    None for anything else, and for a `TryLater`, which says more of what is full than is known here.
    """
    if isinstance(error, TryLater):
        return None
    return _told() if any(map(_is_full, _reasons(error))) else None


def check_room(folder: Path, room_bytes: int) -> None:
    """Raises `TryLater` (`disk_full`) where no file of `room_bytes` fits into `folder`, by size or by quota."""
    try:
        with tempfile.TemporaryFile(dir=folder) as file:
            os.posix_fallocate(file.fileno(), 0, room_bytes)
    except OSError as error:
        if _is_full(error):
            raise _told() from error


def _told() -> TryLater:
    return TryLater(
        "disk_full",
        "The disk that holds Trivium's temporary files is full.",
        "Free some space there, or set TMPDIR to a larger one; waiting work then goes on by itself.",
    )


def _is_full(error: BaseException) -> bool:
    return isinstance(error, OSError) and (error.errno in _FULL or _NO_FOLDER in (error.strerror or ""))


def _reasons(error: BaseException) -> Iterator[BaseException]:
    """It, and what it was raised because of; libraries wrap an `OSError` in failures of their own."""
    seen: list[BaseException] = []
    reason: BaseException | None = error
    while reason is not None and reason not in seen:
        seen.append(reason)
        yield reason
        reason = reason.__cause__ or (None if reason.__suppress_context__ else reason.__context__)
