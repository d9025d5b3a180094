"""A disk of one megabyte that a test fills: a mounted tmpfs, which only root may mount."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

SIZE_BYTES = 1_000_000
_MOUNT, _UMOUNT = (shutil.which(name) or name for name in ("mount", "umount"))  # a test may change where programs are


class TinyDisk:
    """`folder` lies on it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._filling = folder / "filling"

    def fill(self) -> None:
        """Not one more byte fits."""
        with self._filling.open("wb", buffering=0) as file:
            try:
                while file.write(bytes(4096)):
                    pass
            except OSError:
                return

    def free(self) -> None:
        """There is room again."""
        self._filling.unlink()


@contextmanager
def tiny_disk(folder: Path) -> Iterator[TinyDisk]:
    """Mounted for the block; the test is skipped where that is not allowed."""
    folder.mkdir()
    mount = [_MOUNT, "-t", "tmpfs", "-o", f"size={SIZE_BYTES}", "tmpfs", str(folder)]
    if os.getuid() != 0 or subprocess.run(mount, check=False, capture_output=True).returncode:
        pytest.skip("needs a disk of its own, which only root may mount")
    try:
        yield TinyDisk(folder)
    finally:
        subprocess.run([_UMOUNT, "-l", str(folder)], check=True)
