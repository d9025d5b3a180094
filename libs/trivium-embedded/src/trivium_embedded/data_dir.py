"""The data directory has one owner at a time, and says where that owner listens."""

from __future__ import annotations

import errno
import fcntl
import json
import os
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import structlog

from trivium.adapters.embedded import faults
from trivium.adapters.embedded.sqlite import ANOTHER_FOLDER
from trivium.adapters.newer import STATE_FORMAT, refuse_newer
from trivium.domain.errors import NeverWill, Refused

LOCK_FILE = "server.lock"
ADDRESS_FILE = "server.json"
FORMAT_FILE = "format"
"""A number, `STATE_FORMAT` of who wrote last; stores with a schema have one of their own."""
OTHERS = stat.S_IRWXG | stat.S_IRWXO
_STORE = "data directory"

log = structlog.get_logger()


@contextmanager
def owned(data_dir: Path) -> Iterator[None]:
    """Own `data_dir` for the block; created when missing, for its owner's eyes only.

    Raises `Refused` (`data_dir_in_use`) while another process owns it and `NeverWill` (`data_dir_unusable`) when it
    cannot be made or written, `TryLater` (`store_newer`) when a newer release wrote it.
    """
    with _usable(data_dir):
        data_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
        handle = os.open(data_dir / LOCK_FILE, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        _lock(handle, data_dir)
        _require_known(data_dir, tell=True)
        try:
            yield
        finally:  # only the owner takes the address away: another one who was refused must leave it
            with suppress(OSError):
                (data_dir / ADDRESS_FILE).unlink(missing_ok=True)
    finally:
        os.close(handle)


def made(data_dir: Path) -> None:
    """`data_dir` for who may work beside its owner: created when missing, for its owner's eyes only.

    Raises `NeverWill` (`data_dir_unusable`) and `TryLater` (`store_newer`) as `owned`.
    """
    with _usable(data_dir):
        missing = not data_dir.exists()
        data_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
    _require_known(data_dir, tell=missing)


def warn_if_open(data_dir: Path) -> None:
    """Log that others may read what is in it, where it was there before with such rights."""
    with suppress(OSError):
        mode = stat.S_IMODE(data_dir.stat().st_mode)
        if mode & OTHERS:
            action = f"Unless they shall, run `chmod go= {data_dir}`."
            log.warning("data_dir_open_to_others", folder=str(data_dir), mode=f"{mode:04o}", action=action)


def kept_text(path: Path) -> str:
    """What a small file of the data directory holds; "" where there is none, or a full disk left it empty."""
    try:
        return path.read_text(encoding="ascii").strip() if path.exists() else ""
    except OSError as error:
        raise faults.from_os(error, path, _STORE) from error


def keep_text(path: Path, text: str) -> None:
    """Write a small file of the data directory for its owner's eyes only: whole, or not at all, also in a power cut.

    Raises `TryLater` (`disk_full`, `store_read_only`, `store_io_error`).
    """
    try:
        handle, name = tempfile.mkstemp(".partial", f"{path.name}.", path.parent)
        try:
            with os.fdopen(handle, "w", encoding="ascii") as file:
                file.write(text)
                file.flush()
                os.fsync(handle)
            Path(name).replace(path)
        except BaseException:
            Path(name).unlink(missing_ok=True)
            raise
    except OSError as error:
        raise faults.from_os(error, path, _STORE) from error


@contextmanager
def _usable(data_dir: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise NeverWill(
            "data_dir_unusable",
            f"The data directory {data_dir} cannot be written: {error.strerror}.",
            "Make it writable, or set TRIVIUM_DATA_DIR to another folder.",
        ) from error


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


def _require_known(data_dir: Path, *, tell: bool) -> None:
    """Raises `TryLater` (`store_newer`) where the format is a later one; `tell` writes ours where there is none."""
    told = data_dir / FORMAT_FILE
    found = int(kept_text(told) or 0)
    refuse_newer(f"data directory {data_dir}", found, action=ANOTHER_FOLDER)
    if tell and not found:
        keep_text(told, f"{STATE_FORMAT}\n")


def announce(data_dir: Path, url: str) -> None:
    """Tell the command line where this owner listens."""
    target = data_dir / ADDRESS_FILE
    temporary = target.with_suffix(".tmp")
    temporary.write_text(json.dumps({"url": url, "pid": os.getpid()}))
    temporary.replace(target)
