"""Words on a terminal.

Text from documents is never trusted: it may hold escape sequences that move the cursor, rewrite what was printed,
or fill the clipboard.
"""

from __future__ import annotations

import re
import sys
import unicodedata
from collections.abc import Sequence
from typing import Any

import click
import msgspec

from trivium.api import Output
from trivium.domain.parsed import Position, clock

_CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f]")
_C1 = re.compile("[\x80-\x9f]")
_INVISIBLE = re.compile("[\u200e\u200f\u061c\u202a-\u202e\u2066-\u2069\ufeff]")  # they reorder what is read
_UNSAFE_JSON = re.compile("[\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff\ud800-\udfff]")
_DELETE = 0x7F
_PAUSE_S = 10.0  # in a recording: what comes after it is another place
_PICTURES = 0x2400  # Unicode's pictures of the control characters
_PICTURE_OF_DELETE = "\u2421"

json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON.")
"""Its command takes `as_json`."""


def clean(text: str) -> str:
    """`text` with control characters made visible and harmless; tabs and line ends stay."""
    text = _CONTROLS.sub(lambda m: _PICTURE_OF_DELETE if ord(m[0]) == _DELETE else chr(_PICTURES + ord(m[0])), text)
    return _INVISIBLE.sub("", _C1.sub("\ufffd", text))


def one_line(text: str, limit: int = 0) -> str:
    """`text` cleaned, on one line, at most `limit` characters long (0: any)."""
    flat = " ".join(clean(text).split())
    return flat[: limit - 1] + "…" if limit and len(flat) > limit else flat


def counted(count: int, noun: str) -> str:
    """`1 passage`, `3 passages`."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def say(text: str = "") -> None:
    """One line of the result, cleaned."""
    click.echo(clean(text))


def note(text: str) -> None:
    """One line for the person, beside the result: on standard error."""
    click.echo(clean(text), err=True)


def print_json(value: Any, indent: int = 2) -> None:
    """`value` as JSON, on one line when `indent` is 0; characters that a terminal would obey are escaped."""
    text = msgspec.json.format(msgspec.json.encode(_whole(value)), indent=indent).decode()
    click.echo(_UNSAFE_JSON.sub(lambda m: f"\\u{ord(m[0]):04x}", text))


def _whole(value: Any) -> Any:
    """What the server leaves out of an answer because it does not apply is null: scripts find every field."""
    if isinstance(value, Output):
        return {name: _whole(getattr(value, name)) for name in value.__struct_fields__}
    return [_whole(each) for each in value] if isinstance(value, list | tuple) else value


def print_table(columns: dict[str, str], rows: Sequence[tuple[str, ...]]) -> None:
    """A table on a terminal; tab-separated lines elsewhere. Both have a header, and nothing is cut.

    `columns` maps each title to `left` or `right`.
    """
    lines = [tuple(columns), *(tuple(one_line(cell) for cell in row) for row in rows)]
    if not sys.stdout.isatty():
        for row in lines:
            click.echo("\t".join(row))
        return
    widths = [max(map(_width, column)) for column in zip(*lines, strict=True)]
    for number, row in enumerate(lines):
        cells = (_padded(*cell) for cell in zip(row, widths, columns.values(), strict=True))
        click.secho("  ".join(cells).rstrip(), bold=number == 0)


def _padded(cell: str, width: int, side: str) -> str:
    room = " " * (width - _width(cell))
    return room + cell if side == "right" else cell + room


def _width(text: str) -> int:
    """Columns of a terminal: two for what East Asia writes wide, none for what joins a letter (UAX 11, UAX 44)."""
    wide = sum(unicodedata.east_asian_width(letter) in "WF" for letter in text)
    return len(text) + wide - sum(unicodedata.category(letter) in ("Mn", "Me", "Cf") for letter in text)


def address(source: str, chunk_number: int, positions: tuple[Position, ...]) -> str:
    """A passage's place on one line: `report.pdf, chunk 4 (page 3)`."""
    place = one_line(where(positions))
    return f"{one_line(source)}, chunk {chunk_number}" + (f" ({place})" if place else "")


def where(positions: tuple[Position, ...]) -> str:
    """A place in the original, as people say it: `page 3`, `slide 2`, `sheet Costs, rows 4-9`."""
    named = list(dict.fromkeys(_place(position) for position in _played(positions)))
    return "; ".join(place for place in named if place)


def _played(positions: tuple[Position, ...]) -> list[Position]:
    """Neighbours in a recording as one stretch."""
    places: list[Position] = []
    for position in positions:
        last = places[-1] if places else None
        if last and last.seconds and position.seconds and position.seconds[0] - last.seconds[1] < _PAUSE_S:
            ends = max(last.seconds[1], position.seconds[1])
            places[-1] = msgspec.structs.replace(last, seconds=(last.seconds[0], ends))
        else:
            places.append(position)
    return places


def _place(position: Position) -> str:
    parts = []
    if position.page is not None:
        parts.append(f"page {position.page}")
    if position.slide is not None:
        parts.append(f"slide {position.slide}")
    if position.sheet is not None:
        parts.append(f"sheet {position.sheet}")
    if position.rows is not None:
        first, last = position.rows
        parts.append(f"row {first}" if first == last else f"rows {first}-{last}")
    if position.seconds is not None:
        parts.append("-".join(clock(second) for second in position.seconds))
    if position.section:
        parts.append(" > ".join(position.section))
    elif not parts and position.offset is not None:
        parts.append(f"characters {position.offset[0]}-{position.offset[1]}")
    return ", ".join(parts)
