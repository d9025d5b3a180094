"""A parsed document's units back into tables: labels, rows of cells, and where each row's line stands in the text."""

from __future__ import annotations

import calendar
import html
import re
from collections.abc import Iterator, Mapping, Sequence

import msgspec

from trivium.domain.chunks import Span
from trivium.domain.parsed import UNIT_SEPARATOR, ParsedDocument, Position, Unit, UnitKind

MAX_COLUMNS = 200
_CAPTION = re.compile(r"<caption>(.*?)</caption>", re.S)
_ROW = re.compile(r"<tr>(.*?)</tr>", re.S)
_EDGE = re.compile(r"^<t[hd]>|</t[hd]>$")
_BETWEEN_CELLS = re.compile(r"</t[hd]><t[hd]>")
# A label that is a year, with what years are called before it and a measure or unit behind it.
_YEAR = re.compile(
    r"(?:(?:fiscal|financial|calendar)?\s*(?:years?|fy)?\s*(?:ended|ending)?\s*)(?P<year>(?:1[5-9]|20|21)\d\d)\b\s*"
    r"(?P<named>.*)",
    re.I | re.S,
)
MAX_GAP_ROWS = 2  # one empty row between two parts of a table; a header of its own makes it three
YEAR_LABEL, MONTH_LABEL, VALUE_LABEL = "Year", "Month", "Value"
_MONTHS = {name[:3].lower(): name for name in calendar.month_name if name}
# A label with a month, as "Jan" or "Sold in April"; without numbers, which may be a year or a day.
_MONTH = re.compile(
    rf"(?P<named>\D*?)\s*(?:\b(?:in|of|for)\s+)?\b(?P<month>{'|'.join([*_MONTHS.values(), *_MONTHS, 'sept'])})\b\.?"
    r"\s*(?P<behind>\D*)",
    re.I,
)


class RawRow(msgspec.Struct, frozen=True):
    """Cells as text, the row's line in the document's text, and the line's place there."""

    cells: tuple[str, ...]
    line: str
    span: Span


class RawTable(msgspec.Struct, frozen=True):
    """A table before its cells are typed. `about` and `within` as a `Table` has them, without the file's name.

    `melted`: how many of its columns were years or months; its last column has their values. 0 where none were.
    """

    labels: tuple[str, ...]
    rows: tuple[RawRow, ...]
    about: str
    within: str
    caption: str
    position: Position
    melted: int = 0


class _Html(msgspec.Struct, frozen=True):
    caption: str
    headers: tuple[tuple[str, ...], ...]
    body: tuple[tuple[str, ...], ...]


def tables_of(document: ParsedDocument) -> list[RawTable]:
    """Tables whose columns have names, in order; a spreadsheet's units become the table that they were cut from."""
    joined: list[RawTable] = []
    for table in _tables(document):
        if joined and _continues(joined[-1], table):
            joined[-1] = _joined(joined[-1], table)
        else:
            joined.append(table)
    return [_long(table) for table in joined]


def _tables(document: ParsedDocument) -> Iterator[RawTable]:
    start = 0
    for unit in document.units:
        if not unit.text:
            continue
        if unit.kind is UnitKind.TABLE and (table := _table(unit, start, document.title)):
            yield table
        start += len(unit.text) + len(UNIT_SEPARATOR)


def _table(unit: Unit, start: int, title: str) -> RawTable | None:
    """None for one without names of columns, and for one whose lines are not those of its rows."""
    read = _read(unit.html)
    labels = _labels(read)
    body = [row for row in read.body if any(row)]
    lines = _lines(unit.text, start)[-len(body) :] if body else []
    if not any(labels) or len(labels) > MAX_COLUMNS or not body or len(lines) < len(body):
        return None
    rows = tuple(RawRow(_padded(row, len(labels)), *line) for row, line in zip(body, lines, strict=True))
    place = unit.position
    spanning = [row[0] for row in read.headers if len(row) == 1]
    about = " ".join(filter(None, (*place.section[-1:], place.sheet, read.caption, *spanning)))
    return RawTable(labels, rows, about, " ".join((title, *place.section)), read.caption, place)


def _read(markup: str) -> _Html:
    """The parsers' own `<table>`: escaped, without attributes."""
    caption = _CAPTION.search(markup)
    rows = _ROW.findall(markup)
    headers = tuple(_cells(row) for row in rows if row.startswith("<th>"))
    body = tuple(_cells(row) for row in rows if row.startswith("<td>"))
    return _Html(html.unescape(caption[1]) if caption else "", headers, body)


def _cells(row: str) -> tuple[str, ...]:
    return tuple(html.unescape(_EDGE.sub("", cell)).strip() for cell in _BETWEEN_CELLS.split(row))


def _labels(read: _Html) -> tuple[str, ...]:
    """Names of columns that stand in several rows are put together; a row of one cell is a heading of all."""
    width = max(map(len, (*read.headers, *read.body)), default=0)
    named = [row for row in read.headers if len(row) > 1 or width == 1]
    stacked = ([row[column] for row in named if column < len(row)] for column in range(width))
    return tuple(" ".join(dict.fromkeys(filter(None, column))) for column in stacked)


def _lines(text: str, start: int) -> list[tuple[str, Span]]:
    lines = []
    for line in text.split("\n"):
        lines.append((line, Span(start, start + len(line))))
        start += len(line) + 1
    return lines


def _padded(row: tuple[str, ...], width: int) -> tuple[str, ...]:
    return row + ("",) * (width - len(row))


def _continues(above: RawTable, below: RawTable) -> bool:
    one, other = above.position, below.position
    if above.labels != below.labels or one.sheet != other.sheet or not (one.rows and other.rows):
        return False
    return 0 < other.rows[0] - one.rows[1] <= MAX_GAP_ROWS


def _joined(above: RawTable, below: RawTable) -> RawTable:
    return msgspec.structs.replace(above, rows=above.rows + below.rows, position=below.position)


def _long(table: RawTable) -> RawTable:
    """A column for each year or month becomes a row for each, so that these are values as in other tables."""
    years = {place: match for place, label in enumerate(table.labels) if (match := _YEAR.fullmatch(label))}
    found = {place: (match["year"], match["named"]) for place, match in years.items()}
    return _melted(table, found, YEAR_LABEL) or _melted(table, _months(table), MONTH_LABEL) or table


def _months(table: RawTable) -> dict[int, tuple[str, str]]:
    """Of each place whose label has a month, its name and what else the label says."""
    matches = {place: match for place, label in enumerate(table.labels) if (match := _MONTH.fullmatch(label))}
    return {
        place: (_MONTHS[match["month"][:3].lower()], f"{match['named']} {match['behind']}".strip())
        for place, match in matches.items()
    }


def _melted(table: RawTable, periods: Mapping[int, tuple[str, str]], label: str) -> RawTable | None:
    """`periods` are a time and what else is named, by place; None where they do not differ by their times alone."""
    others = [place for place in range(len(table.labels)) if place not in periods]
    named = {each for _, each in periods.values() if each}
    if len({time for time, _ in periods.values()}) < max(2, len(periods)) or not others or len(named) > 1:
        return None
    measure = _measure_label(table, next(iter(named), ""))
    rows = (
        msgspec.structs.replace(row, cells=(*_picked(row.cells, others), time, row.cells[place]))
        for row in table.rows
        for place, (time, _) in periods.items()
    )
    labels = (*_picked(table.labels, others), label, measure)
    return msgspec.structs.replace(table, labels=labels, rows=tuple(rows), melted=len(periods))


def _measure_label(table: RawTable, named: str) -> str:
    """What the labels say beside their years, else what the table is called; a unit alone is behind that."""
    if named and not named.startswith(("(", "[")):
        return named
    called = table.caption or table.position.sheet or VALUE_LABEL
    return f"{called} {named}".rstrip()


def _picked(cells: Sequence[str], places: Sequence[int]) -> list[str]:
    return [cells[place] for place in places]
