"""The data directory has one owner at a time, and says where that owner listens."""

from __future__ import annotations

import errno
import fcntl
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from trivium.domain.errors import NeverWill, Refused

LOCK_FILE = "server.lock"
ADDRESS_FILE = "server.json"


@contextmanager
def owned(data_dir: Path) -> Iterator[None]:
    """Own `data_dir` for the block; created when missing, for its owner's eyes only.

    Raises `Refused` (`data_dir_in_use`) while another process owns it and `NeverWill` (`data_dir_unusable`) when it
    cannot be made or written.
    """
    try:
        data_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
        handle = os.open(data_dir / LOCK_FILE, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError as error:
        raise NeverWill(
            "data_dir_unusable",
            f"The data directory {data_dir} cannot be written: {error.strerror}.",
            "Make it writable, or set TRIVIUM_DATA_DIR to another folder.",
        ) from error
    try:
        _lock(handle, data_dir)
        try:
            yield
        finally:  # only the owner takes the address away: another one who was refused must leave it
            with suppress(OSError):
                (data_dir / ADDRESS_FILE).unlink(missing_ok=True)
    finally:
        os.close(handle)


def _lock(handle: int, data_dir: Path) -> None:
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        if error.errno not in (errno.EWOULDBLOCK, errno.EACCES):
            raise
        raise Refused(
            "data_dir_in_use",
            f"Another Trivium is running on {data_dir}.",
            "Use that one, stop it, or set TRIVIUM_DATA_DIR to another folder.",
        ) from error


def announce(data_dir: Path, url: str) -> None:
    """Tell the command line where this owner listens."""
    target = data_dir / ADDRESS_FILE
    temporary = target.with_suffix(".tmp")
    temporary.write_text(json.dumps({"url": url, "pid": os.getpid()}))
    temporary.replace(target)
