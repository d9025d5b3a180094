"""What a failed disk or database means for the caller: try later, or never will, and what to do about it.

Whoever reads the error may be a stranger: it names the store. The log names the file, and what the driver said.
"""

from __future__ import annotations

import errno
import os
import sqlite3
from functools import lru_cache
from pathlib import Path

import msgspec
import structlog

from trivium.domain.errors import NeverWill, TriviumError, TryLater

_SET_DATA_DIR = "Make the data directory writable for Trivium's user, or choose another with TRIVIUM_DATA_DIR."
_FREE_SPACE = "Free some space on that disk; waiting work then goes on by itself."
_PASSING = "It is tried again by itself; if it stays, look at the disk and the log."
_TOO_MANY = (errno.EMFILE, errno.ENFILE)
_TOLD = 256  # different faults that are remembered as logged: a damaged file is met by every question


def from_os(error: OSError, path: Path, store: str) -> TriviumError:
    """The family of a file system error at `path`, a part of `store`."""
    _log(path, f"{type(error).__name__}: {error.strerror or error}")
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return TryLater("disk_full", f"The disk that holds the {store} is full.", _FREE_SPACE)
    if error.errno == errno.EROFS or isinstance(error, PermissionError):
        return TryLater("store_read_only", f"The {store} cannot be written.", _SET_DATA_DIR)
    if error.errno in _TOO_MANY:
        return _too_many_files()
    return TryLater("store_io_error", f"The {store} could not be read or written.", _PASSING)


def from_sqlite(error: sqlite3.Error, path: Path, store: str, recovery: str) -> TriviumError:
    """The family of a driver error on the database at `path`; `recovery` says how to replace the file."""
    name = getattr(error, "sqlite_errorname", "") or type(error).__name__
    cause = _cause(error, path)
    if cause != sqlite3.SQLITE_INTERRUPT:  # its reader has gone: no fault
        _log(path, f"{name}: {error}")
    match cause:
        case sqlite3.SQLITE_FULL:
            return TryLater("disk_full", f"The disk that holds the {store} is full.", _FREE_SPACE)
        case sqlite3.SQLITE_BUSY | sqlite3.SQLITE_LOCKED:
            return busy(store)
        case sqlite3.SQLITE_READONLY | sqlite3.SQLITE_PERM | sqlite3.SQLITE_AUTH:
            return TryLater("store_read_only", f"The {store} cannot be written.", _SET_DATA_DIR)
        case sqlite3.SQLITE_CORRUPT | sqlite3.SQLITE_NOTADB:
            return _damaged(store, recovery)
        case sqlite3.SQLITE_IOERR | sqlite3.SQLITE_NOMEM | sqlite3.SQLITE_INTERRUPT | sqlite3.SQLITE_CANTOPEN:
            passing = TryLater("store_io_error", f"The {store} did not answer.", _PASSING)
            return _too_many_files() if _opens_nothing() else passing
        case _:
            return NeverWill("store_error", f"The {store} refused a statement; the log says why.", recovery)


def unreadable(error: UnicodeDecodeError | msgspec.DecodeError, path: Path, store: str, recovery: str) -> TriviumError:
    """Of a row that SQLite handed over and nobody can decode."""
    _log(path, f"{type(error).__name__}: {error}")
    return _damaged(store, recovery)


def busy(store: str) -> TryLater:
    """Someone else is at work there."""
    return TryLater("store_busy", f"The {store} is in use by another writer or reader.", _PASSING)


def _cause(error: sqlite3.Error, path: Path) -> int:
    """SQLite's primary result code."""
    code: int = getattr(error, "sqlite_errorcode", 0) & 0xFF
    if not code and isinstance(error, sqlite3.OperationalError):
        return sqlite3.SQLITE_CORRUPT  # Python's own word: a text is not UTF-8
    if code == sqlite3.SQLITE_CANTOPEN and not os.access(path.parent, os.W_OK):
        return sqlite3.SQLITE_READONLY
    return code


def _opens_nothing() -> bool:
    """Whether no file can be opened: SQLite does not tell why it could not."""
    try:
        os.close(os.open(os.devnull, os.O_RDONLY))
    except OSError as error:
        return error.errno in _TOO_MANY
    return False


def _too_many_files() -> TryLater:
    return TryLater("too_many_files", "Too many files are open.", "Raise the limit (`ulimit -n`).")


def _damaged(store: str, recovery: str) -> TryLater:
    """No fault of any document: ingest waits until the store is whole again."""
    return TryLater("store_corrupt", f"The {store} is damaged.", recovery)


@lru_cache(_TOLD)
def _log(path: Path, reason: str) -> None:
    structlog.get_logger().error("store_fault", file=str(path), reason=reason)
