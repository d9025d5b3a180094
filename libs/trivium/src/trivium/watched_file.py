"""A file that tells how much of it was read: the progress of an upload."""

from __future__ import annotations

import io
import os
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO

Progress = Callable[[int, int], None]
"""Told the bytes sent so far and the file's size; again from the start where the upload is sent again."""


def opened(path: Path | str) -> BinaryIO:
    """The file to be read. Raises `OSError`."""
    return Path(path).open("rb")


class WatchedFile(io.RawIOBase):
    """Reads as much of `file` as it held at first: the size that an upload announces. `progress` may be None."""

    def __init__(self, file: BinaryIO, progress: Progress | None) -> None:
        super().__init__()
        self._file, self._progress = file, progress
        self._size = os.fstat(file.fileno()).st_size

    def read(self, size: int = -1, /) -> bytes:
        """The next bytes; none of those added meanwhile. Raises `OSError` where some are gone meanwhile."""
        left = max(0, self._size - self._file.tell())
        data = self._file.read(left if size < 0 else min(size, left))
        if left and size and not data:
            raise OSError("The file changed while it was sent")
        if self._progress is not None:
            self._progress(self._file.tell(), self._size)
        return data

    def seek(self, offset: int, whence: int = os.SEEK_SET, /) -> int:
        """As of any file; the end is where it was at first."""
        if whence == os.SEEK_END:
            return self._file.seek(self._size + offset)
        return self._file.seek(offset, whence)

    def tell(self) -> int:
        """As of any file."""
        return self._file.tell()

    def readable(self) -> bool:
        """It is."""
        return True

    def seekable(self) -> bool:
        """It is."""
        return True
