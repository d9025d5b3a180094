"""A disk of one megabyte that a test fills: a mounted tmpfs, which only root may mount."""

from __future__ import annotations

import os
import shutil
import subprocess
import threading
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
        self._filler: threading.Thread | None = None
        self._freed = threading.Event()

    def fill(self) -> None:
        """Not one more byte fits until `free`, though somebody removes files late."""
        self._freed.clear()
        full = threading.Event()
        self._filler = threading.Thread(target=self._fill, args=(full,), daemon=True)
        self._filler.start()
        full.wait()

    def free(self) -> None:
        """There is room again."""
        self.stop()
        self._filling.unlink()

    def stop(self) -> None:
        """Nothing is written any more."""
        self._freed.set()
        if self._filler is not None:
            self._filler.join()

    def _fill(self, full: threading.Event) -> None:
        with self._filling.open("wb", buffering=0) as file:
            while not self._freed.wait(0.002):
                with suppress(OSError):
                    while file.write(bytes(4096)):
                        pass
                full.set()


@contextmanager
def tiny_disk(folder: Path) -> Iterator[TinyDisk]:
    """Mounted for the block; the test is skipped where that is not allowed."""
    folder.mkdir()
    mount = [_MOUNT, "-t", "tmpfs", "-o", f"size={SIZE_BYTES}", "tmpfs", str(folder)]
    if os.getuid() != 0 or subprocess.run(mount, check=False, capture_output=True).returncode:
        pytest.skip("needs a disk of its own, which only root may mount")
    disk = TinyDisk(folder)
    try:
        yield disk
    finally:
        disk.stop()
        subprocess.run([_UMOUNT, "-l", str(folder)], check=True)
