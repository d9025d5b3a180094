"""The data directory has one owner at a time, and says where that owner listens."""

from __future__ import annotations

import errno
import fcntl
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from trivium.adapters.embedded.sqlite import ANOTHER_FOLDER
from trivium.adapters.newer import STATE_FORMAT, refuse_newer
from trivium.domain.errors import NeverWill, Refused

LOCK_FILE = "server.lock"
ADDRESS_FILE = "server.json"
FORMAT_FILE = "format"
"""A number, `STATE_FORMAT` of who wrote last; stores with a schema have one of their own."""


@contextmanager
def owned(data_dir: Path) -> Iterator[None]:
    """Own `data_dir` for the block; created when missing, for its owner's eyes only.

    Raises `Refused` (`data_dir_in_use`) while another process owns it and `NeverWill` (`data_dir_unusable`) when it
    cannot be made or written, `TryLater` (`store_newer`) when a newer release wrote it.
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
        _require_known(data_dir)
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


def _require_known(data_dir: Path) -> None:
    """The format of what is there; told from now on, if it was not. Raises `TryLater` (`store_newer`)."""
    told = data_dir / FORMAT_FILE
    found = int(told.read_text(encoding="ascii")) if told.exists() else 0
    refuse_newer(f"data directory {data_dir}", found, action=ANOTHER_FOLDER)
    if not found:
        told.write_text(f"{STATE_FORMAT}\n", encoding="ascii")


def announce(data_dir: Path, url: str) -> None:
    """Tell the command line where this owner listens."""
    target = data_dir / ADDRESS_FILE
    temporary = target.with_suffix(".tmp")
    temporary.write_text(json.dumps({"url": url, "pid": os.getpid()}))
    temporary.replace(target)
