"""Where a command finds its server: `TRIVIUM_URL`, else the one that runs on the data directory, else its own."""

from __future__ import annotations

import fcntl
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from trivium.cli import runtime
from trivium.cli.terminal import note
from trivium.config import Settings, load_settings
from trivium.domain.errors import Refused, TryLater

if TYPE_CHECKING:
    from trivium.client import TriviumClient

STARTING_S = 60.0  # models load within this time, also from a cold disk
_POLL_S = 0.2


class Announcement(msgspec.Struct, frozen=True):
    """`<data_dir>/server.json`: the server that holds the lock on `<data_dir>/server.lock`."""

    url: str
    pid: int = 0


@contextmanager
def connected(settings: Settings | None = None) -> Iterator[TriviumClient]:
    """A client of the server that the settings lead to; a server of our own ends with the block."""
    from trivium.client import TriviumClient

    settings = settings or load_settings()
    with _server(settings) as (url, api_key), TriviumClient(url, api_key) as client:
        yield client


@contextmanager
def _server(settings: Settings) -> Iterator[tuple[str, str]]:
    if settings.url:
        yield settings.url, settings.api_key
        return
    own_key = settings.api_key or next(iter(settings.tenants_by_key), "")
    url = running_server(settings.data_dir)
    if url:
        yield url, own_key
        return
    note(f"Trivium is not running on {settings.data_dir}; starting it for this command ...")
    with ExitStack() as stack:
        try:
            url = stack.enter_context(runtime.embedded().running(settings))
        except Refused as error:
            if error.code != "data_dir_in_use":
                raise
            url = running_server(settings.data_dir)  # another command was quicker; use its server
        yield url, own_key


def server_is_running(settings: Settings) -> bool:
    """False when `connected` would start a server of its own."""
    return bool(settings.url or _locked(settings.data_dir / "server.lock"))


def running_server(data_dir: Path) -> str:
    """The base URL of the server that holds `data_dir`, "" when none does. Waits for one that is starting."""
    deadline = time.monotonic() + STARTING_S
    while _locked(data_dir / "server.lock"):
        url = _announced(data_dir / "server.json")
        if url:
            return url
        if time.monotonic() > deadline:
            raise TryLater(
                "server_starting",
                f"Another process holds {data_dir} and has not said where it listens.",
                "Wait until it is ready, or stop it.",
            )
        time.sleep(_POLL_S)
    return ""


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
        return msgspec.json.decode(path.read_bytes(), type=Announcement).url
    except (FileNotFoundError, msgspec.DecodeError):
        return ""  # not written yet
