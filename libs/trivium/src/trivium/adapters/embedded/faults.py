"""What a failed disk or database means for the caller: try later, or never will, and what to do about it."""

from __future__ import annotations

import errno
import os
import sqlite3
from pathlib import Path

from trivium.domain.errors import NeverWill, TriviumError, TryLater

_SET_DATA_DIR = "Make the folder writable for this user, or choose another with TRIVIUM_DATA_DIR."
_FREE_SPACE = "Free some space on that disk; waiting work then goes on by itself."
_PASSING = "It is tried again by itself; if it stays, look at the disk and the system's log."


def from_os(error: OSError, path: Path) -> TriviumError:
    """The family of a file system error at `path`."""
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return TryLater("disk_full", f"The disk that holds {path} is full.", _FREE_SPACE)
    if error.errno == errno.EROFS or isinstance(error, PermissionError):
        return NeverWill("store_read_only", f"{path} cannot be written.", _SET_DATA_DIR)
    if error.errno in (errno.EMFILE, errno.ENFILE):
        return TryLater("too_many_files", "Too many files are open.", "Raise the limit (`ulimit -n`).")
    reason = error.strerror or type(error).__name__
    return TryLater("store_io_error", f"{path} could not be read or written: {reason}.", _PASSING)


def from_sqlite(error: sqlite3.Error, path: Path, recovery: str) -> TriviumError:
    """The family of a driver error on the database at `path`; `recovery` says how to replace the file."""
    name = getattr(error, "sqlite_errorname", "") or type(error).__name__
    primary = getattr(error, "sqlite_errorcode", 0) & 0xFF
    if primary == sqlite3.SQLITE_CANTOPEN and not os.access(path.parent, os.W_OK):
        primary = sqlite3.SQLITE_READONLY
    detail = f"{path} ({name}: {error})"
    match primary:
        case sqlite3.SQLITE_FULL:
            return TryLater("disk_full", f"The disk that holds {path} is full.", _FREE_SPACE)
        case sqlite3.SQLITE_BUSY | sqlite3.SQLITE_LOCKED:
            return TryLater("store_busy", f"{path} is being written by another process.", _PASSING)
        case sqlite3.SQLITE_READONLY | sqlite3.SQLITE_PERM | sqlite3.SQLITE_AUTH:
            return NeverWill("store_read_only", f"{path} cannot be written.", _SET_DATA_DIR)
        case sqlite3.SQLITE_CORRUPT | sqlite3.SQLITE_NOTADB:
            return NeverWill("store_corrupt", f"The database file is damaged: {detail}.", recovery)
        case sqlite3.SQLITE_IOERR | sqlite3.SQLITE_NOMEM | sqlite3.SQLITE_INTERRUPT | sqlite3.SQLITE_CANTOPEN:
            return TryLater("store_io_error", f"The database did not answer: {detail}.", _PASSING)
        case _:
            return NeverWill("store_error", f"The database refused the statement: {detail}.", recovery)
