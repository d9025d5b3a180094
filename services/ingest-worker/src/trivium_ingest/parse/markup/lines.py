"""Light markup read line by line (reStructuredText, Org, AsciiDoc): what the dialects share.

Each says which lines make a heading or a block; everything else is paragraphs and lists between blank lines.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

import msgspec

from trivium.domain.chunks import Span
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


FindBlock = Callable[[Sequence[str], int], Block | None]
"""What begins at the line of an index."""
Plain = Callable[[str, Collector], str]
"""Takes the marks out of running text."""


def read_lines(text: str, find_block: FindBlock, plain: Plain, out: Collector) -> None:
    """Put the text's blocks into `out`, each with its range in `text`."""
    matches = list(_LINE.finditer(text))
    lines = [match.group().rstrip() for match in matches]
    starts = [*(match.start() for match in matches), len(text)]
    place, first = 0, 0  # the line looked at, and the first of the paragraph that it may go on
    while place < len(lines):
        block = find_block(lines, place) if len(lines[place]) <= MAX_LINE_CHARS else None
        if block is None and lines[place].strip():
            place += 1
            continue
        _paragraph(text, starts[first], starts[place], plain, out)
        if block is not None:
            end = min(place + max(1, block.lines), len(lines))
            _add(block, _trimmed(text, starts[place], starts[end]), plain, out)
            place = end
        else:
            place += 1
        first = place
    _paragraph(text, starts[first], len(text), plain, out)


def _trimmed(text: str, start: int, end: int) -> Position:
    span = Span(start, end).trimmed(text)
    return Position(offset=(span.start, span.end))


def _paragraph(text: str, start: int, end: int, plain: Plain, out: Collector) -> None:
    piece = text[start:end]
    if piece.strip():
        lines = piece.strip().splitlines()
        items = sum(bool(_ITEM.match(line)) for line in lines)
        is_list = items >= 2 and 2 * items >= len(lines)
        kind = UnitKind.LIST if is_list else UnitKind.TEXT
        out.add(kind, plain(piece, out), _trimmed(text, start, end))


def _add(block: Block, position: Position, plain: Plain, out: Collector) -> None:
    if block.kind == UnitKind.HEADING:
        out.heading(plain(block.text, out), block.level, position)
    elif block.kind == UnitKind.TABLE:
        rows = tuple(tuple(plain(cell, out) for cell in row) for row in block.rows if any(row))
        headings = sum(any(row) for row in block.rows[: block.header_rows])
        out.table(Table(rows, headings if block.header_rows else guess_header_rows(rows)), position)
    elif block.kind == UnitKind.TEXT:
        out.add(UnitKind.TEXT, plain(block.text, out), position)
    elif block.kind is not None:
        out.add(block.kind, block.text, position, verbatim=True)


def until(lines: Sequence[str], begin: int, end: re.Pattern[str]) -> int:
    """The index of the first line from `begin` that `end` matches, or the number of lines."""
    return next((place for place in range(begin, len(lines)) if end.match(lines[place])), len(lines))


def dedented(lines: Sequence[str]) -> str:
    """The lines without the blanks that all of them begin with."""
    margin = min((len(line) - len(line.lstrip()) for line in lines if line.strip()), default=0)
    return "\n".join(line[margin:].rstrip() for line in lines).strip("\n")
