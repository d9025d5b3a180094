"""Rows of a spreadsheet or a delimited file in words: find the header, then `Header: value; Header: value`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import groupby, pairwise

import msgspec

from trivium.domain.parsed import Position, UnitKind
from trivium_ingest.parse.collector import Collector
from trivium_ingest.parse.table import Table, are_pairs, looks_numeric
from trivium_ingest.parse.text.clean import one_line

ROWS_PER_UNIT = 20
CHARS_PER_UNIT = 3_000
_HEADER_SEARCH_ROWS = 12
MAX_LABEL_CHARS = 120
_DATE = re.compile(r"\d{4}-\d\d(?:-\d\d)?|\d{1,2}([./])(?:\d{1,2}\1)?\d{4}")


class Row(msgspec.Struct, frozen=True):
    """One row with its number as the program shows it (from 1), and its character range if it has one."""

    number: int
    cells: tuple[str, ...]
    offset: tuple[int, int] | None = None


class _Header(msgspec.Struct, frozen=True):
    """What each column is called by the rows from `begin` to before `end`."""

    begin: int
    end: int
    labels: list[str]


def add_rows(out: Collector, rows: Sequence[Row], sheet: str | None = None) -> None:
    """Add the rows as table units of some rows each; lines above a header become text.

    Tables that stand beside or below each other on one sheet each have their own header.
    """
    for part in _side_by_side(rows):
        for table in _stacked(part):
            _add_table(out, table, sheet)


def _side_by_side(rows: Sequence[Row]) -> list[Sequence[Row]]:
    """Split at empty columns between blocks that begin in different rows; blocks that begin together are one."""
    first = _first_rows(rows)
    blocks: list[list[int]] = []
    for column in sorted(first):
        if not blocks or column > blocks[-1][-1] + 1:
            blocks.append([])
        blocks[-1].append(column)
    starts = [min(first[column] for column in block) for block in blocks]
    if len(blocks) < 2 or len(set(starts)) == 1 or min(map(len, blocks)) < 2:
        return [rows]
    return [_columns_of(rows, block[0], block[-1] + 1) for block in blocks]


def _first_rows(rows: Sequence[Row]) -> dict[int, int]:
    """By column, the number of the first row that has something there."""
    first: dict[int, int] = {}
    width, empty = 0, set[int]()
    for row in rows:
        if len(row.cells) > width:
            empty.update(range(width, len(row.cells)))
            width = len(row.cells)
        if empty:
            begun = {column for column in empty if column < len(row.cells) and row.cells[column]}
            first.update(dict.fromkeys(begun, row.number))
            empty -= begun
    return first


def _columns_of(rows: Sequence[Row], begin: int, end: int) -> list[Row]:
    parts = [msgspec.structs.replace(row, cells=row.cells[begin:end]) for row in rows]
    return [part for part in parts if any(part.cells)]


def _stacked(rows: Sequence[Row]) -> list[list[Row]]:
    """Split below an empty row when what follows begins with a header of its own."""
    tables: list[list[Row]] = []
    for row in rows:
        if not tables or row.number > tables[-1][-1].number + 1:
            tables.append([])
        tables[-1].append(row)
    joined: list[list[Row]] = []
    for table in tables:
        if joined and (_find_header(table) is None or len(table) < 2 or _same_header(joined[-1], table)):
            joined[-1].extend(table)
        else:
            joined.append(table)
    return joined


def _same_header(above: list[Row], below: list[Row]) -> bool:
    """A data row of words may look like a header; one that has a value of the table above in its place is none."""
    header = _header(above)
    if header is None or len(above) - header.end < 2:
        return False
    widths = {_filled(row) for row in above[header.end :]}
    kinds = [looks_numeric(cell) for cell in above[-1].cells if cell]
    return _filled(below[0]) in widths and kinds == [looks_numeric(cell) for cell in below[0].cells if cell]


def _add_table(out: Collector, rows: Sequence[Row], sheet: str | None) -> None:
    header = _header(rows) or _Header(0, 0, [])
    for row in rows[: header.begin]:
        line = "; ".join(_told_once(row.cells))
        out.add(UnitKind.TEXT, line, _position([row], sheet))
    labels, body = header.labels, rows[header.end :]
    if labels and not body:
        out.add(UnitKind.TABLE, " | ".join(filter(None, labels)), _position(rows[header.begin :], sheet))
    batch: list[Row] = []
    size, named = 0, sum(map(len, labels))
    for row in body:
        length = len("".join(row.cells)) + named
        if batch and (len(batch) >= ROWS_PER_UNIT or size + length > CHARS_PER_UNIT):
            _add_batch(out, labels, batch, sheet)
            batch, size = [], 0
        batch.append(row)
        size += length
    if batch:
        _add_batch(out, labels, batch, sheet)


def _add_batch(out: Collector, labels: list[str], batch: list[Row], sheet: str | None) -> None:
    rows = tuple(row.cells for row in batch)
    width = max(map(len, rows))
    beside = any(cell.strip() for row in rows for cell in row[1:])
    if (len(labels) == 1 and not beside) or (not labels and width == 1):
        _add_list(out, labels[0] if labels else "", batch, sheet)
        return
    if len(labels) == 1:  # a header of one cell would pass for a heading over all columns
        labels = [*labels, *[""] * (width - 1)]
    table = Table((tuple(labels), *rows), 1) if labels else Table(rows)
    out.table(table, _position(batch, sheet))


def _add_list(out: Collector, label: str, batch: list[Row], sheet: str | None) -> None:
    """One column is a list of values; the header before every one of them would only be noise.

    The label's line must not make it pass for a text that has a line for each row, or each of the original's characters
    (`Position.part`).
    """
    if label and batch[-1].number - batch[0].number == len(batch):  # one row of them is empty
        gap = next(place for place, (one, other) in enumerate(pairwise(batch), 1) if other.number > one.number + 1)
        for part in (batch[:gap], batch[gap:]):
            _add_list(out, label, part, sheet)
        return
    values = "\n".join(one_line(row.cells[0]) for row in batch)
    text = f"{label}:\n{values}" if label else values
    position = _position(batch, sheet)
    if label and position.offset and position.offset[1] - position.offset[0] == len(text):
        position = msgspec.structs.replace(position, offset=None)
    out.add(UnitKind.LIST, text, position)


def _position(batch: Sequence[Row], sheet: str | None) -> Position:
    first, last = batch[0], batch[-1]
    offset = (first.offset[0], last.offset[1]) if first.offset and last.offset else None
    return Position(sheet=sheet, rows=(first.number, last.number), offset=offset)


def _told_once(cells: Sequence[str]) -> list[str]:
    """The row's cells, the words of a merged range once and not in each cell that it covers."""
    told = list(filter(None, map(one_line, cells)))
    return [cell for before, cell in pairwise(["", *told]) if cell != before or looks_numeric(cell)]


def _header(rows: Sequence[Row]) -> _Header | None:
    found = _find_header(rows)
    if found is None:
        return None
    for upper in range(max(0, found - 1), found + 1):
        if labels := _grouped(rows[upper : upper + 30]):
            return _Header(upper, upper + 2, labels)
    return _Header(found, found + 1, [one_line(cell) for cell in rows[found].cells])


def _grouped(rows: Sequence[Row]) -> list[str]:
    """What the columns are called where the first row names groups of them and the second each; else nothing.

    At least two groups are of several columns. Merged cells tell them over rows of numbers; the same names in each
    group tell them as well, also where only the first column of a group has its name.
    """
    below = rows[2:]
    if not below or rows[1].number != rows[0].number + 1:
        return []
    width = max(len(row.cells) for row in rows[:2])
    upper, names = ([*map(one_line, row.cells), *[""] * (width - len(row.cells))] for row in rows[:2])
    groups = upper.copy()
    merged = any(one and one == other for one, other in pairwise(upper))
    for place in range(1, 1 if merged else width):
        groups[place] = groups[place] or (names[place] and groups[place - 1])
    runs = [list(run) for group, run in groupby(range(width), groups.__getitem__) if group]
    wide = [run for run in runs if len(run) > 1]
    inside = [[names[place] for place in run] for run in wide]
    if len(wide) < 2 or any(len(set(filter(None, told))) < len(told) for told in inside):
        return []
    cells = [cell for row in below for run in wide for cell in row.cells[run[0] : run[-1] + 1] if cell.strip()]
    measured = sum(map(looks_numeric, cells)) > 0.5 * len(cells)
    if not (merged and measured) and any(told != inside[0] for told in inside):
        return []
    if not all(_names_columns(list(filter(None, told)), below, width) for told in (upper, names)):
        return []
    return [" ".join(dict.fromkeys(filter(None, pair))) for pair in zip(groups, names, strict=True)]


def _find_header(rows: Sequence[Row]) -> int | None:
    """The first row that names the columns: nearly as wide as the widest, all words.

    When every row below looks the same (all words), the first row is taken for the header if none of its
    names comes again below. A row that says names twice, as a title does that is merged over its columns, is taken
    when no row below it names the columns.
    """
    widest = max(_filled(row) for row in rows[:200])
    least = 1 if widest == 1 else max(2, 0.6 * widest)
    doubled: int | None = None
    for index, row in enumerate(rows[:_HEADER_SEARCH_ROWS]):
        names = [one_line(cell) for cell in row.cells if cell.strip()]
        if len(names) < least or (widest > 1 and len(set(names)) == 1):
            continue
        below = rows[index + 1 : index + 30]
        named = below and (_names_columns(names, below, widest) or _dates_over_numbers(row, below))
        found = index if named else None
        if len(set(names)) >= least:
            return doubled if found is None else found
        if doubled is None:
            doubled = found
    return doubled


def _names_columns(names: list[str], below: Sequence[Row], widest: int) -> bool:
    if are_pairs(names) or max(map(len, names)) > MAX_LABEL_CHARS or sum(map(_measured, names)) > 0.2 * len(names):
        return False
    values = {one_line(cell) for row in below for cell in _values(row)}
    if widest == 1:
        # In one column, a header shows only by being of another kind than what follows.
        return bool(values) and sum(map(looks_numeric, values)) >= 0.5 * len(values)
    repeated = sum(name in values for name in names)
    return repeated <= 0.2 * len(names)


def _dates_over_numbers(row: Row, below: Sequence[Row]) -> bool:
    """Whether days or months name columns of what was measured then; all else in the row is words."""
    cells = [one_line(cell) for cell in row.cells]
    dated = [place for place, cell in enumerate(cells) if _DATE.fullmatch(cell)]
    if len(dated) < 2 or any(looks_numeric(cell) for place, cell in enumerate(cells) if place not in dated):
        return False
    values = ([cell for cell in map(one_line, _at(dated, other)) if cell] for other in below)
    first = next(filter(None, values), [])
    return bool(first) and all(looks_numeric(cell) and not _DATE.fullmatch(cell) for cell in first)


def _at(places: Sequence[int], row: Row) -> list[str]:
    return [row.cells[place] for place in places if place < len(row.cells)]


def _values(row: Row) -> list[str]:
    """What stands in the row, but for the name of a row of numbers: "Total" may be a column as well."""
    filled = [cell for cell in row.cells if cell.strip()]
    return filled[len(filled) > 1 and all(map(looks_numeric, filled[1:])) :]


def _measured(name: str) -> bool:
    return looks_numeric(name) and not (len(name) == 4 and name.isdigit())


def _filled(row: Row) -> int:
    return sum(bool(cell.strip()) for cell in row.cells)
