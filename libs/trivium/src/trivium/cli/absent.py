"""Documents that a folder held once and holds no longer: told, and removed only where the person says so."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from shlex import quote

from trivium import api
from trivium.cli.terminal import note, one_line
from trivium.cli.walk import source_name
from trivium.domain.documents import DocumentState

MAX_LOOKED_AT = 20_000  # of the newest documents, without --sync: 200 requests
MAX_LISTED = 50
_CONTROL = re.compile("%([01][0-9A-F])")


def absent(
    sources: Iterable[api.Source], folders: Sequence[Path], root: Path, unread: Sequence[Path], dataset: str
) -> list[api.Source]:
    """The documents of `dataset` that would be files of the `folders` by their names, and are none.

    Nothing is said of what lies under an `unread` path.
    """
    starts = {f"{_name(folder, root)}/".lstrip("/") for folder in folders}
    return [
        source
        for source in sources
        if _is_a_file(source, dataset)
        and source.name.startswith(tuple(starts))
        and not any(_is_there(place / name, unread) for place in (root, Path("/")) for name in _names(source.name))
    ]


def newest(sources: Iterable[api.Source]) -> Iterator[api.Source]:
    """The first of them, up to some, and a note where there are more."""
    for count, source in enumerate(sources):
        if count == MAX_LOOKED_AT:
            note(f"Only the newest {MAX_LOOKED_AT:,} documents were compared with the folders; --sync compares all.")
            return
        yield source


def tell_absent(names: Sequence[str]) -> None:
    """Each, and how to remove it."""
    tell_each(names)
    if names:
        note(f"What was read of them stays. Remove it with: trivium delete {quote(one_line(names[0]))}")
        note("Or all of it, with the same command and --sync.")


def tell_each(names: Sequence[str]) -> None:
    """A line for each, up to some."""
    for name in names[:MAX_LISTED]:
        note(f"No longer there: {one_line(name)}")
    if len(names) > MAX_LISTED:
        note(f"... and {len(names) - MAX_LISTED} more.")


def _name(folder: Path, root: Path) -> str:
    return "" if _absolute(folder) == _absolute(root) else source_name(folder, root)


def _is_a_file(source: api.Source, dataset: str) -> bool:
    """Not found inside another, not from the web or a bucket."""
    mine = source.dataset == dataset and not source.parent and source.state is not DocumentState.DELETED
    return mine and "://" not in source.name


def _names(name: str) -> set[str]:
    """Also with the control characters that an upload wrote as %0A and the like."""
    return {name, _CONTROL.sub(lambda written: chr(int(written[1], 16)), name)}


def _is_there(place: Path, unread: Sequence[Path]) -> bool:
    return os.path.lexists(place) or any(_absolute(place).is_relative_to(_absolute(path)) for path in unread)


def _absolute(path: Path) -> Path:
    return Path(os.path.abspath(path))  # noqa: PTH100 - resolve() would follow links
