"""Grid tables of reStructuredText: cells between drawn lines, which may cover several rows and columns."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import TypeAlias
from unicodedata import east_asian_width

MAX_REPEATED = 100  # times that one cell is said; drawing a wide one costs the writer little
_RULE = re.compile(r"\+(?:[-=]+\+)+")
_OF_RULES = frozenset("+-=")
_FILLER = "\0"

# The lines of the cell in each column; a cell that covers several is the same list in each.
_Cells: TypeAlias = dict[int, list[str]]


def read_grid(lines: Sequence[str]) -> tuple[tuple[tuple[str, ...], ...], int]:
    """The rows of a table, whose first line is a rule, and how many of them are headings.

    A cell is repeated in each row and column that it covers, but where it fills a row. A line that does not end where
    the first one does is divided at its bars, whatever is drawn around it.
    """
    drawn = [_as_shown(line.strip()) for line in lines]
    edges = _edges(drawn)
    cells: _Cells = {}
    rows: list[_Cells] = []
    header = 0
    for line in drawn[1:]:
        whole = _RULE.fullmatch(line)
        pieces = [] if whole else list(_pieces(line, edges))
        ruled = {column for columns, piece in pieces if _OF_RULES.issuperset(piece) for column in columns}
        if whole or ruled:
            if any(cells.values()):
                rows.append(cells)
                header = len(rows) if whole and "=" in line else header
            cells = {} if whole else {column: cell for column, cell in cells.items() if column not in ruled}
        for columns, piece in pieces:
            if columns[0] not in ruled:
                cell = cells.setdefault(columns[0], [])
                cell.extend(filter(None, [piece[1:-1].replace(_FILLER, "").strip()]))
                cells.update(dict.fromkeys(columns, cell))
    if any(cells.values()):
        rows.append(cells)
    told: Counter[int] = Counter()
    return tuple(_row(row, len(edges) - 1, told) for row in rows), header


def _as_shown(line: str) -> str:
    """A line with a filler behind each character that is shown two columns wide."""
    return line if line.isascii() else "".join(sign + _FILLER * (east_asian_width(sign) in "WF") for sign in line)


def _edges(drawn: Sequence[str]) -> list[int]:
    """Where columns begin and end: the corners in lines as wide as the first."""
    rules = (rule for line in drawn if len(line) == len(drawn[0]) for rule in _RULE.finditer(line))
    return sorted({rule.start() + at for rule in rules for at, sign in enumerate(rule.group()) if sign == "+"})


def _pieces(line: str, edges: list[int]) -> Iterator[tuple[range, str]]:
    """What stands between bars or corners, these included, and the columns that it covers."""
    if len(line) == edges[-1] + 1 and line[-1] in "|+":
        bars = [column for column, at in enumerate(edges) if line[at] in "|+"]
        for first, last in pairwise(bars):
            yield range(first, last), line[edges[first] : edges[last] + 1]
        return
    for number, part in enumerate(line.strip("|").split("|")):
        column = min(number, len(edges) - 2)
        yield range(column, column + 1), f"|{part}|"


def _row(cells: _Cells, columns: int, told: Counter[int]) -> tuple[str, ...]:
    first = cells.get(0)
    if len(cells) == columns and all(cell is first for cell in cells.values()):
        columns = 1
    row = []
    for column in range(min(columns, max(cells) + 1)):
        cell = cells.get(column, [])
        told[id(cell)] += 1
        row.append(" ".join(cell) if told[id(cell)] <= MAX_REPEATED else "")
    return tuple(row)
