"""Which files a folder holds, and what each is called in Trivium."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec

from trivium.domain.errors import Refused
from trivium.domain.source_names import path_source


class FoundFile(msgspec.Struct, frozen=True):
    """A file to ingest, and its source name: stable, so that a second run finds nothing new."""

    path: Path
    name: str


class Skipped(msgspec.Struct, frozen=True):
    """What was not taken, and why. `failed` when the person should know that something is missing.

    One that is `hidden` nobody needs to be told of.
    """

    path: Path
    reason: str
    failed: bool = True
    hidden: bool = False


class Walk(msgspec.Struct, frozen=True):
    """How to walk. Names are relative to `root`; a path outside of it is named in full, without the first slash.

    `avoid` is never entered (the data directory). Hidden files and links to folders are left out unless asked for.
    """

    root: Path
    avoid: Path
    hidden: bool = False
    follow_links: bool = False

    def files(self, given: Sequence[Path]) -> Iterator[FoundFile | Skipped]:
        """Every file under `given`, in a stable order, each once. What cannot be read is told and passed over."""
        places: dict[str, str] = {}
        for found in (each for path in given for each in self._under(path)):
            if isinstance(found, Skipped):
                yield found
            elif found.name not in places:
                places[found.name] = _absolute(found.path)
                yield found
            elif places[found.name] != _absolute(found.path):
                yield Skipped(found.path, f"It would replace {places[found.name]}: both are called {found.name}.")

    def _under(self, path: Path) -> Iterator[FoundFile | Skipped]:
        """`path` itself was named by the person, so it is taken even if hidden or a link."""
        try:
            mode = path.stat().st_mode
        except OSError as error:
            yield Skipped(path, _reason(error))
            return
        if stat.S_ISDIR(mode):
            yield from self._folder(path, ())
        elif stat.S_ISREG(mode):
            yield self._file(path)
        else:
            yield Skipped(path, "It is neither a file nor a folder.")

    def _folder(self, folder: Path, above: tuple[Path, ...]) -> Iterator[FoundFile | Skipped]:
        real = Path(os.path.realpath(folder))
        if real in above:
            yield Skipped(folder, "The link leads back to a folder above it.", failed=False)
            return
        if real == self.avoid:
            return
        try:
            with os.scandir(folder) as entries:
                ordered = sorted(entries, key=lambda entry: entry.name)
        except OSError as error:
            yield Skipped(folder, _reason(error))
            return
        for entry in ordered:
            if self.hidden or not entry.name.startswith("."):
                yield from self._entry(folder / entry.name, entry, (*above, real))
            else:
                yield Skipped(folder / entry.name, "It is hidden; --hidden takes it.", failed=False, hidden=True)

    def _entry(self, path: Path, entry: os.DirEntry[str], above: tuple[Path, ...]) -> Iterator[FoundFile | Skipped]:
        try:
            mode = entry.stat().st_mode
        except OSError as error:
            yield Skipped(path, _reason(error))
            return
        if stat.S_ISDIR(mode):
            if entry.is_symlink() and not self.follow_links:
                yield Skipped(path, "A link to a folder; --follow-links takes it.", failed=False)
            else:
                yield from self._folder(path, above)
        elif stat.S_ISREG(mode):
            yield self._file(path)
        else:
            yield Skipped(path, "It is neither a file nor a folder.", failed=False)

    def _file(self, path: Path) -> FoundFile | Skipped:
        try:
            return FoundFile(path, source_name(path, self.root))
        except Refused as error:
            return Skipped(path, str(error))


def source_name(path: Path, root: Path) -> str:
    """The name of the source that `path` is: relative to `root`, else the full path without the first slash.

    Bytes that are no text, and control characters, are written as in a URL; `%22` is a quote, which forms write so, and
    the server reads it as one. Raises `Refused` as `file_source`.
    """
    absolute, base = Path(_absolute(path)), Path(_absolute(root))
    relative = absolute.relative_to(base) if absolute.is_relative_to(base) else absolute
    return path_source(relative).replace("%22", '"')


def expanded(path: str) -> Path:
    """With the home folder for a `~` at its beginning; a file that is called `~so` keeps its name."""
    try:
        return Path(path).expanduser()
    except RuntimeError:  # there is no such user
        return Path(path)


def _absolute(path: Path) -> str:
    return os.path.abspath(path)  # noqa: PTH100 - resolve() would follow links and change the name


def _reason(error: OSError) -> str:
    return f"{error.strerror or error}."
