"""A disk of one megabyte that a test fills: a mounted tmpfs, which only root may mount."""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
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
        """Not one more byte fits, also when the kernel has given back what was removed a moment ago."""
        with self._filling.open("wb", buffering=0) as file:
            for _ in range(3):
                with suppress(OSError):
                    while file.write(bytes(4096)):
                        pass
                time.sleep(0.1)

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
