"""Where a command finds its server: `TRIVIUM_URL`, else the one that runs on the data directory, else its own.

A command that works on the stores themselves finds none: it says so where `TRIVIUM_URL` names one.
"""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from trivium.cli import runtime
from trivium.cli.terminal import note
from trivium.config import Settings, load_settings
from trivium.domain.errors import Refused
from trivium.struct_types import prepare_struct_types

if TYPE_CHECKING:
    from trivium.client import TriviumClient

STARTING_S = 60.0  # models load within this time, also from a cold disk
_POLL_S = 0.2


class Announcement(msgspec.Struct, frozen=True):
    """`<data_dir>/server.json`: the server that holds the lock on `<data_dir>/server.lock`."""

    url: str
    pid: int


@contextmanager
def connected(settings: Settings | None = None) -> Iterator[TriviumClient]:
    """A client of the server that the settings lead to; a server of our own ends with the block."""
    from trivium.client import TriviumClient

    settings = settings or load_settings()
    prepare_struct_types()
    with found(settings) as (url, api_key), TriviumClient(url, api_key, ca_file=settings.ca_file) as client:
        yield client


@contextmanager
def found(settings: Settings) -> Iterator[tuple[str, str]]:
    """Address and key of the server that the settings lead to; one of our own ends with the block."""
    if settings.url:
        yield settings.url, settings.api_key
        return
    with ExitStack() as stack:
        url = _found_or_started(settings, stack)
        yield url, settings.api_key or next(iter(settings.tenants_by_key), "")


def _found_or_started(settings: Settings, stack: ExitStack) -> str:
    """The base URL of the server on the data directory; one that we start ends with `stack`.

    Waits for one that another process is just starting, and takes over when that one ends.
    Raises `Refused` (`data_dir_in_use`) when it neither answers nor ends in time.
    """
    deadline = time.monotonic() + STARTING_S
    told = False
    while not (url := running_server(settings.data_dir)):
        if not told:
            note(f"Trivium is not running on {settings.data_dir}; starting it for this command ...")
            told = True
        try:
            return stack.enter_context(runtime.embedded().running(settings))
        except Refused as error:
            if error.code != "data_dir_in_use" or time.monotonic() > deadline:
                raise
        time.sleep(_POLL_S)
    return url


def settings_of_stores() -> Settings:
    """The settings, for a command that works on what they name and asks no server."""
    settings = load_settings()
    if settings.url:
        stores = f"the data directory {settings.data_dir}" if settings.backend == "embedded" else "the servers"
        note(f"TRIVIUM_URL is set, but this command asks no server: it works on {stores} of the settings.")
    return settings


def server_is_running(settings: Settings) -> bool:
    """False when `connected` would start a server of its own."""
    return bool(settings.url or running_server(settings.data_dir))


def running_server(data_dir: Path) -> str:
    """The base URL of the server that holds `data_dir` and has said where it listens, else ""."""
    url = _announced(data_dir / "server.json")
    return url if url and _locked(data_dir / "server.lock") else ""


def _locked(path: Path) -> bool:
    """Whether a process holds the lock; the question itself holds it, shared, for an instant."""
    try:
        with path.open("rb") as lock:
            fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except FileNotFoundError:
        return False
    except BlockingIOError:
        return True
    return False


def _announced(path: Path) -> str:
    try:
        found = msgspec.json.decode(path.read_bytes(), type=Announcement)
    except (FileNotFoundError, NotADirectoryError, msgspec.DecodeError):
        return ""
    return found.url if _lives(found.pid) else ""


def _lives(pid: int) -> bool:
    """Whether there is such a process: a file left behind by a killed one must not be believed."""
    try:
        os.kill(pid, 0)  # sends nothing
    except ProcessLookupError:
        return False
    except PermissionError:
        return True  # somebody else's
    return True
