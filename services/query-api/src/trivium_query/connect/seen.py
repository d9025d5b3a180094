"""The cursor of a place that is listed whole: each file with what told the stored value of it from others."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from pathlib import PurePath
from typing import Any, TypeVar

import msgspec

from trivium.domain.errors import NeverWill, Refused, TriviumError
from trivium.domain.source_names import path_source
from trivium.ports.connector import Change, Changed, Gone, Item

MAX_FILES = 200_000
"""Of one connection: its cursor holds them all."""
T = TypeVar("T")


class _Kept(msgspec.Struct):
    """As it is written. `mark` is the place's word for all of it at once, "" unless all of that was stored.

    `late` are files that could not be had, those asked for longest ago first. `device` is what a folder was on, ""
    where that was not told.
    """

    files: dict[str, str] = {}
    mark: str = ""
    late: list[str] = []
    device: str = ""


class Seen:
    """What was stored, and what this look finds."""

    def __init__(self, cursor: str) -> None:
        try:
            kept = msgspec.json.decode(cursor or "{}", type=_Kept)
        except msgspec.DecodeError:  # of another version of Trivium: all is looked at anew
            kept = _Kept()
        self._files, self.mark, self.device = kept.files, kept.mark, kept.device
        self._found: set[str] = set()
        self._held: set[str] = set()
        self._open: set[str] = set()
        self._late = dict.fromkeys(kept.late)
        self._waiting: dict[str, Callable[[], Iterator[Any]]] = {}
        self._looked = 0

    def look(self, name: str, token: str, fetch: Callable[[], Item | None]) -> Iterator[Changed]:
        """The file, if it is not as it was stored, in its turn. Raises `Refused` (`too_many_files`)."""
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
        yield from self.in_turn(name, partial(self.look_now, name, token, fetch))

    def in_turn(self, name: str, ask: Callable[[], Iterator[T]]) -> Iterator[T]:
        """What asking for the file brings; one that could not be had last time is there, and waits for `late`.

        So what fails holds up no look at what stands behind it.
        """
        if name in self._late:
            self._found.add(name)
            self._waiting[name] = ask
        else:
            yield from ask()

    def look_now(self, name: str, token: str, fetch: Callable[[], Item | None]) -> Iterator[Changed]:
        """The file, if it is not as it was stored; to be asked once for each."""
        self._found.add(name)
        if self._files.get(name) != token:
            self._open.add(name)
            yield Changed(name, token, fetch)
            if name in self._open:
                self._late.pop(name, None)
                self._late[name] = None

    def look_at(self, path: PurePath, token: str, fetch: Callable[[], Item | None]) -> Iterator[Changed]:
        """The same for a file by its path; one that cannot be named is told, and never stored."""
        try:
            name = path_source(path)
        except TriviumError as error:
            yield Changed(path.name[:100], token, partial(failing, error))
            return
        yield from self.look(name, token, fetch)

    @property
    def finds_nothing(self) -> bool:
        """Whether no file was found so far, though some were stored."""
        return bool(self._files) and not self._found

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

    def hold(self, name: str) -> None:
        """It, "" for the place itself, could not be looked at: neither it nor what is below it is gone."""
        self._held.add(name)

    def rest(self) -> Iterator[Change]:
        """To be asked for once all is listed: what is gone, then what could not be had last time."""
        yield from self.gone()
        yield from self.late()

    def late(self) -> Iterator[Any]:
        """What became of what could not be had last time, and is listed still; to be asked for once all is listed."""
        self._late = {name: None for name in self._late if name in self._found}
        for name in [name for name in self._late if name in self._waiting]:
            yield from self._waiting.pop(name)()

    def gone(self) -> Iterator[Gone]:
        """What was stored and was not found; to be asked for once all is listed."""
        missing = sorted(name for name in self._files.keys() - self._found if self._held.isdisjoint(_above(name)))
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
        late = [name for name in self._late if name not in self._found or name in self._open or name in self._waiting]
        return msgspec.json.encode(_Kept(self._files, self.mark, late, self.device)).decode()


def failing(error: TriviumError) -> Item:
    """To be called for a file that cannot be had: raises `error`."""
    raise error


def _above(name: str) -> Iterator[str]:
    """The file, the folders in which it is, and the place itself."""
    parts = name.split("/")
    return ("/".join(parts[:count]) for count in range(len(parts) + 1))


def _twice(name: str) -> NeverWill:
    return NeverWill("same_name", f"Two files are called {name[:200]!r} once written alike.", "Rename one of them.")
