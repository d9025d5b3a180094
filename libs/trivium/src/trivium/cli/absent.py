"""Documents that a folder held once and holds no longer: told, and removed only where the person says so."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path, PurePosixPath
from shlex import quote

from trivium import api
from trivium.cli.terminal import clean, note, one_line
from trivium.cli.walk import source_name
from trivium.domain.documents import DocumentState
from trivium.domain.errors import Refused

MAX_LOOKED_AT = 20_000  # of the newest documents, without --sync: 200 requests
MAX_LISTED = 50
_CONTROL = re.compile("%([01][0-9A-F])")
_TOP = Path("/")


def absent(
    sources: Iterable[api.Source], folders: Sequence[Path], root: Path, unread: Sequence[Path], dataset: str
) -> list[api.Source]:
    """The documents of `dataset` that would be files of the `folders` by their names, and are none.

    Nothing is said of what lies under an `unread` path. Names are compared, not paths: a disk may spell them otherwise.
    """
    starts = {f"{_name(folder, root)}/".lstrip("/") for folder in folders}
    unknown = {name for path in unread for name in _called(path, root)}
    return [
        source
        for source in sources
        if _is_a_file(source, dataset)
        and source.name.startswith(tuple(starts))
        and unknown.isdisjoint(_with_folders(source.name))
        and not any(os.path.lexists(place / name) for place in (root, _TOP) for name in _names(source.name))
    ]


def newest(sources: Iterable[api.Source]) -> Iterator[api.Source]:
    """The first of them, up to some, and a note where there are more."""
    for count, source in enumerate(sources):
        if count == MAX_LOOKED_AT:
            note(f"Only the newest {MAX_LOOKED_AT:,} documents were compared with the folders; --sync compares all.")
            return
        yield source


def tell_absent(gone: Sequence[api.Source]) -> None:
    """Each, and how to remove it."""
    tell_each([source.name for source in gone])
    if gone:
        note(f"What was read of them stays. Remove it with: trivium delete {_as_argument(gone[0])}")
        note("Or all of it, with the same command and --sync.")


def tell_each(names: Sequence[str]) -> None:
    """A line for each, up to some."""
    for name in names[:MAX_LISTED]:
        note(f"No longer there: {one_line(name)}")
    if len(names) > MAX_LISTED:
        note(f"... and {len(names) - MAX_LISTED} more.")


def is_root(folder: Path, root: Path) -> bool:
    """Whether every document may be called as a file of the folder is."""
    return os.path.abspath(folder) == os.path.abspath(root)  # noqa: PTH100 - resolve() would follow links


def _as_argument(source: api.Source) -> str:
    """Its name as a shell and `trivium delete` take it; its id where a terminal would show another name."""
    if clean(source.name) != source.name:
        return source.id
    return f"{'-- ' if source.name.startswith('-') else ''}{quote(source.name)}"


def _name(folder: Path, root: Path) -> str:
    return "" if is_root(folder, root) else source_name(folder, root)


def _called(path: Path, root: Path) -> Iterator[str]:
    """What it is called from this root, and in full; "." is the root itself."""
    for base in (root, _TOP):
        with suppress(Refused):  # what cannot be named was never stored
            yield "." if is_root(path, base) else source_name(path, base)


def _with_folders(name: str) -> Iterator[str]:
    """The name, and those of the folders above it, up to ".", the root."""
    yield name
    yield from map(str, PurePosixPath(name).parents)


def _is_a_file(source: api.Source, dataset: str) -> bool:
    """Not found inside another, not from the web or a bucket."""
    mine = source.dataset == dataset and not source.parent and source.state is not DocumentState.DELETED
    return mine and "://" not in source.name


def _names(name: str) -> set[str]:
    """Also with the control characters that an upload wrote as %0A and the like."""
    return {name, _CONTROL.sub(lambda written: chr(int(written[1], 16)), name)}
