"""Light markup read line by line (reStructuredText, Org, AsciiDoc): what the dialects share.

A dialect says which lines make a heading or a block; everything else is paragraphs and lists between blank lines.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

import msgspec

from trivium.domain.parsed import Position, UnitKind
from trivium_ingest.parse.collector import Collector
from trivium_ingest.parse.table import Table, guess_header_rows

_LINE = re.compile(r"[^\n]*\n|[^\n]+")
MAX_LINE_CHARS = 2_000  # a longer line begins no heading and no block
_ITEM = re.compile(r"[ \t]*(?:[-*+•]+|\.+|\(?(?:\d{1,3}|[a-zA-Z#])[.)])\s+\S")


class Block(msgspec.Struct, frozen=True):
    """What begins at a line: `lines` of it, to be added as `kind` (None drops them; a heading has a `level`)."""

    lines: int
    kind: UnitKind | None = None
    text: str = ""
    level: int = 0
    rows: tuple[tuple[str, ...], ...] = ()
    header_rows: int = 0


class Dialect(msgspec.Struct, frozen=True):
    """`block` looks at the lines from an index on; `plain` takes the marks out of running text."""

    block: Callable[[Sequence[str], int], Block | None]
    plain: Callable[[str, Collector], str]


def read_lines(text: str, dialect: Dialect, out: Collector) -> None:
    """Put the text's blocks into `out`, each with its range in `text`."""
    matches = list(_LINE.finditer(text))
    lines = [match.group().rstrip() for match in matches]
    starts = [*(match.start() for match in matches), len(text)]
    place, first = 0, 0  # the line looked at, and the first of the paragraph that it may go on
    while place < len(lines):
        block = dialect.block(lines, place) if len(lines[place]) <= MAX_LINE_CHARS else None
        if block is None and lines[place].strip():
            place += 1
            continue
        _paragraph(text, starts[first], starts[place], dialect, out)
        if block is not None:
            end = min(place + max(1, block.lines), len(lines))
            _add(block, _trimmed(text, starts[place], starts[end]), dialect, out)
            place = end
        else:
            place += 1
        first = place
    _paragraph(text, starts[first], len(text), dialect, out)


def _trimmed(text: str, start: int, end: int) -> Position:
    piece = text[start:end]
    return Position(offset=(start + len(piece) - len(piece.lstrip()), start + len(piece.rstrip())))


def _paragraph(text: str, start: int, end: int, dialect: Dialect, out: Collector) -> None:
    piece = text[start:end]
    if piece.strip():
        lines = piece.strip().splitlines()
        items = sum(bool(_ITEM.match(line)) for line in lines)
        is_list = items >= 2 and 2 * items >= len(lines)
        kind = UnitKind.LIST if is_list else UnitKind.TEXT
        out.add(kind, dialect.plain(piece, out), _trimmed(text, start, end))


def _add(block: Block, position: Position, dialect: Dialect, out: Collector) -> None:
    if block.kind == UnitKind.HEADING:
        out.heading(dialect.plain(block.text, out), block.level, position)
    elif block.kind == UnitKind.TABLE:
        rows = tuple(tuple(dialect.plain(cell, out) for cell in row) for row in block.rows if any(row))
        out.table(Table(rows, block.header_rows or guess_header_rows(rows)), position)
    elif block.kind == UnitKind.TEXT:
        out.add(UnitKind.TEXT, dialect.plain(block.text, out), position)
    elif block.kind is not None:
        out.add(block.kind, block.text, position, verbatim=True)


def until(lines: Sequence[str], begin: int, end: re.Pattern[str]) -> int:
    """The index of the first line from `begin` that `end` matches, or the number of lines."""
    return next((place for place in range(begin, len(lines)) if end.match(lines[place])), len(lines))


def dedented(lines: Sequence[str]) -> str:
    """The lines without the blanks that all of them begin with."""
    margin = min((len(line) - len(line.lstrip()) for line in lines if line.strip()), default=0)
    return "\n".join(line[margin:].rstrip() for line in lines).strip("\n")
