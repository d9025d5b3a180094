"""A watched folder of this machine, with all below it: no hidden files, and no links."""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path

from trivium.domain.errors import NeverWill, Refused, TriviumError, TryLater
from trivium.domain.source_names import path_source
from trivium.ports.connector import Change, Changed, Item
from trivium_query.connect.folders import require_folder
from trivium_query.connect.place import Place
from trivium_query.connect.seen import Seen

SETTLE_S = 2.0
"""A file that was changed so lately may be half-written: it is taken once it stays the same for as long."""


class FolderConnector:
    """See `trivium.ports.connector.Connector`. A file's token is when it was changed, and its size."""

    def __init__(self, place: Place, cursor: str) -> None:
        self._place = place
        self._root = place.folders.check(place.connection.location)
        if self._root == place.folders.own:
            why = f"{self._root} is Trivium's own data directory."
            raise Refused("forbidden_folder", why, "Connect another, or one within it.")
        self._seen = Seen(cursor)
        self.stored, self.cursor = self._seen.stored, self._seen.cursor
        self._fault: TriviumError | None = None

    def changes(self) -> Iterator[Change]:
        """Settled files first, then those that settle meanwhile. Raises for what cannot be seen, after the others."""
        require_folder(self._root)
        known, device = self._seen.device, _device(self._root)
        young: list[tuple[Path, os.stat_result]] = []
        for path, found in self._files(self._root):
            self._seen.device = device
            if time.time() - found.st_mtime < SETTLE_S:
                young.append((path, found))
            else:
                yield from self._look(path, found)
        if young:
            self._place.way.pause(SETTLE_S)
        for path, before in young:
            now = self._stat(path)
            if now is not None and _token(now) == _token(before):
                yield from self._look(path, now)
            elif now is not None:
                self._seen.keep(path.relative_to(self._root))
        if self._seen.finds_nothing and known not in ("", device):
            raise self._fault or _unmounted(self._root)
        yield from self._seen.rest()
        if self._fault is not None:
            raise self._fault

    def _files(self, folder: Path) -> Iterator[tuple[Path, os.stat_result]]:
        """All but what is in a folder that cannot be read, and in the data directory."""
        if folder == self._place.folders.own:
            return
        try:
            with os.scandir(folder) as entries:
                ordered = sorted(entries, key=lambda entry: entry.name)
        except OSError as error:
            self._hold(folder, error)
            return
        for entry in ordered:
            found = None if entry.name.startswith(".") else self._stat(folder / entry.name)
            if found is not None and stat.S_ISDIR(found.st_mode):
                yield from self._files(folder / entry.name)
            elif found is not None and stat.S_ISREG(found.st_mode):
                yield folder / entry.name, found

    def _stat(self, path: Path) -> os.stat_result | None:
        """None for what is not there, and for what the system says nothing of."""
        try:
            return path.lstat()
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError as error:
            self._hold(path, error)
            return None

    def _hold(self, path: Path, error: OSError) -> None:
        """A fault of the look: nobody knows what is there, so nothing of it is gone; without a name, nothing at all."""
        self._fault = self._fault or _unreadable(path, error)
        name = ""  # of the place itself, and of a folder that is called " ", though files in it have names
        with suppress(TriviumError):
            name = path_source(path.relative_to(self._root))
        self._seen.hold(name)

    def _look(self, path: Path, found: os.stat_result) -> Iterator[Changed]:
        fetch = partial(self._fetch, path, _token(found))
        yield from self._seen.look_at(path.relative_to(self._root), _token(found), fetch)

    def _fetch(self, path: Path, token: str) -> Item | None:
        """None when it changes while it is read, or went away."""
        self._place.way.pace()
        try:
            # A link that took the file's or a folder's place since leads nowhere, and a pipe is not waited for.
            if Path(os.path.realpath(path.parent)) != path.parent:
                return None
            descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
            with os.fdopen(descriptor, "rb") as file:
                if _token(os.fstat(descriptor)) != token:
                    return None
                self._place.check_size(os.fstat(descriptor).st_size)
                content = file.read(self._place.max_bytes + 1)
                after = os.fstat(descriptor)
        except FileNotFoundError:
            return None
        except OSError as error:
            raise _unreadable(path, error) from error
        return Item(content) if _token(after) == token and len(content) == after.st_size else None


def _device(folder: Path) -> str:
    """What the folder is on: another where its disk is not mounted."""
    return str(folder.stat().st_dev)


def _unmounted(folder: Path) -> TryLater:
    why = f"{folder} holds no file, and is on another disk than when it did."
    return TryLater("no_such_folder", why, "Mount what it is on; or remove the connection with its documents.")


def _token(found: os.stat_result) -> str:
    return f"{found.st_mtime_ns}-{found.st_size}"


def _unreadable(path: Path, error: OSError) -> TriviumError:
    """`NeverWill` for what nobody lets Trivium read, `TryLater` for the rest."""
    family = NeverWill if isinstance(error, PermissionError) else TryLater
    why = f"{str(path)[:300]!r} cannot be read: {error.strerror or error}."
    return family("unreadable", why, "Let the user that Trivium runs as read it.")
