"""The cursor of a place that is listed whole: each file with what told the stored value of it from others."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from pathlib import PurePath

import msgspec

from trivium.domain.errors import NeverWill, Refused, TriviumError
from trivium.domain.source_names import path_source
from trivium.ports.connector import Change, Changed, Gone, Item

MAX_FILES = 200_000
"""Of one connection: its cursor holds them all."""


class _Kept(msgspec.Struct):
    """As it is written. `mark` is the place's word for all of it at once, "" unless all of that was stored."""

    files: dict[str, str] = {}
    mark: str = ""


class Seen:
    """What was stored, and what this look finds."""

    def __init__(self, cursor: str) -> None:
        try:
            kept = msgspec.json.decode(cursor or "{}", type=_Kept)
        except msgspec.DecodeError:  # of another version of Trivium: all is looked at anew
            kept = _Kept()
        self._files, self.mark = kept.files, kept.mark
        self._found: set[str] = set()
        self._open: set[str] = set()
        self._looked = 0

    def look(self, name: str, token: str, fetch: Callable[[], Item | None]) -> Iterator[Changed]:
        """The file, if it is not as it was stored. Raises `Refused` (`too_many_files`)."""
        self._looked += 1
        if self._looked > MAX_FILES:
            raise Refused(
                "too_many_files",
                f"There are more than {MAX_FILES:,} files.",
                "Connect its folders one by one.",
            )
        if name in self._found:
            self._open.add(f"{name} twice")
            yield Changed(name, token, partial(failing, _twice(name)))
            return
        self._found.add(name)
        if self._files.get(name) != token:
            self._open.add(name)
            yield Changed(name, token, fetch)

    def look_at(self, path: PurePath, token: str, fetch: Callable[[], Item | None]) -> Iterator[Changed]:
        """The same for a file by its path; one that cannot be named is told, and never stored."""
        try:
            name = path_source(path)
        except TriviumError as error:
            yield Changed(path.name[:100], token, partial(failing, error))
            return
        yield from self.look(name, token, fetch)

    def token(self, name: str) -> str:
        """Of what was stored under the name, "" when nothing was."""
        return self._files.get(name, "")

    def names(self) -> list[str]:
        """Of all that was stored."""
        return list(self._files)

    def keep(self, path: PurePath) -> None:
        """The file is there, whatever it holds by now."""
        with suppress(TriviumError):  # one that cannot be named was never stored
            self._found.add(path_source(path))

    def gone(self) -> Iterator[Gone]:
        """What was stored and was not found; to be asked for once all is listed."""
        missing = sorted(self._files.keys() - self._found)
        self._open.update(missing)
        yield from map(Gone, missing)

    def whole(self, mark: str) -> None:
        """The look is over: `mark` stands for all of it if all of it was stored."""
        self.mark = "" if self._open else mark

    def forget_missing(self) -> None:
        """What was stored and was not found stays stored, and is not remembered any more."""
        self._files = {name: token for name, token in self._files.items() if name in self._found}

    def stored(self, change: Change) -> None:
        """See `trivium.ports.connector.Connector`. Until the look is over, no mark stands for all of it any more."""
        self.mark = ""
        self._open.discard(change.name)
        if isinstance(change, Gone):
            self._files.pop(change.name, None)
        else:
            self._files[change.name] = change.token

    def cursor(self) -> str:
        """See `trivium.ports.connector.Connector`."""
        return msgspec.json.encode(_Kept(self._files, self.mark)).decode()


def failing(error: TriviumError) -> Item:
    """To be called for a file that cannot be had: raises `error`."""
    raise error


def _twice(name: str) -> NeverWill:
    return NeverWill("same_name", f"Two files are called {name[:200]!r} once written alike.", "Rename one of them.")
