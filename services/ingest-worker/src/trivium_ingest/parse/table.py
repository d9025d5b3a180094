"""A table as text that stands by itself, and as HTML that keeps its structure."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator, Sequence
from itertools import chain, pairwise

import msgspec

from trivium_ingest.parse.text.clean import are_lines, one_line

_NUMBER = re.compile(r"^[\s$€£¥(+\-\u2212~<>≤≥]*\d[\d\s.,:/%)\-\u2212]*\s*\S{0,4}$")
MAX_LABEL_CHARS = 80
# Of cells and rows that are escaped at once; `one_line` leaves no control character.
_BETWEEN_CELLS, _BETWEEN_ROWS = "\x1f", "\x1e"
MAX_HEADER_ROWS = 3
MAX_LOOKED_AT = 12  # rows, to tell whether the first ones are a header
MIN_SENTENCE_WORDS = 4
_STOPS = re.compile(r"[^\W\d_]{4}\.$")  # no abbreviation: "Number of pages in vol."
# "--all", ".tar", "$HOME"; "Ctrl+N"; "ann@example.org"
_CODE = re.compile(
    r"^(?P<sign>--?|\.{0,2}/|\.|<|\$|\\)(?=[^\W\d_])"
    r"|\b(?P<keys>ctrl|control|strg|alt|shift|cmd|command|win|super|meta)\s?[+-]\s?\w"
    r"|^(?P<address>[^\s@]+@[^\s@]+\.\w+)$",
    re.I,
)
MIN_ALIKE = 0.5  # of the cells below, which are written with the same mark


class Table(msgspec.Struct, frozen=True):
    """Rows of cells, top to bottom; `header_rows` of them are headings. `caption` may be empty.

    A merged cell's text stands in its first cell only, when `spans` says so; otherwise it is repeated.
    """

    rows: tuple[tuple[str, ...], ...]
    header_rows: int = 0
    caption: str = ""

    def text(self) -> str:
        """One line per row: `Header: value; Header: value` under a header, else `value | value`."""
        rows = self._lines()
        headers, body = rows[: self.header_rows], rows[self.header_rows :]
        lines = [one_line(self.caption)] if self.caption.strip() else []
        lines.extend(row[0] for row in headers if self._spanning(row))
        labels = self._labels(headers)
        if labels and not body:
            return "\n".join([*lines, " | ".join(filter(None, labels))])
        lines.extend(filter(None, _described(labels, body) if labels else map(_joined, body)))
        return "\n".join(lines)

    def html(self) -> str:
        """A `<table>`, escaped, without attributes."""
        rows = self._lines()
        caption = f"<caption>{html.escape(one_line(self.caption))}</caption>" if self.caption.strip() else ""
        headers, body = _html(rows[: self.header_rows], "th"), _html(rows[self.header_rows :], "td")
        return f"<table>{caption}{headers}{body}</table>"

    def _lines(self) -> tuple[tuple[str, ...], ...]:
        """The rows with each cell on one line."""
        if are_lines(chain.from_iterable(self.rows)):
            return self.rows
        return tuple(tuple(map(one_line, row)) for row in self.rows)

    def _spanning(self, row: tuple[str, ...]) -> bool:
        """A header row of one cell over a wider table: a heading, not a column's name."""
        return len(row) == 1 < max(len(other) for other in self.rows)

    def _labels(self, headers: tuple[tuple[str, ...], ...]) -> list[str]:
        """What each column is called; empty where none has a name."""
        named = [row for row in headers if not self._spanning(row)]
        labels = []
        for column in range(max(map(len, self.rows), default=0)):
            stacked = [row[column] for row in named if column < len(row)]
            labels.append(" ".join(dict.fromkeys(filter(None, stacked))))
        return labels if any(labels) else []


def _joined(row: tuple[str, ...]) -> str:
    cells = [cell for cell in row if cell]
    if len(cells) == 2 and cells[0].endswith(":"):
        return f"{cells[0]} {cells[1]}"
    return " | ".join(cells)


def _described(labels: list[str], rows: tuple[tuple[str, ...], ...]) -> Iterator[str]:
    """`Header: value; Header: value` of each row, without empty cells."""
    named = [(label, f"{label}: " if label else "") for label in labels]
    for row in rows:
        filled = ((name, cell) for name, cell in zip(named, row, strict=False) if cell)
        yield "; ".join([cell if cell == label else before + cell for (label, before), cell in filled])


def _html(rows: tuple[tuple[str, ...], ...], tag: str) -> str:
    if not rows:
        return ""
    between_rows, between_cells = f"</{tag}></tr><tr><{tag}>", f"</{tag}><{tag}>"
    cells = html.escape(_BETWEEN_ROWS.join(map(_BETWEEN_CELLS.join, rows)))
    inside = cells.replace(_BETWEEN_ROWS, between_rows).replace(_BETWEEN_CELLS, between_cells)
    return f"<tr><{tag}>{inside}</{tag}></tr>"


def looks_numeric(cell: str) -> bool:
    """True for numbers, amounts, dates and times as tables print them."""
    return bool(_NUMBER.match(cell))


def guess_header_rows(rows: Sequence[Sequence[str]]) -> int:
    """How many rows at the top read like column names over the rows below."""
    if len(rows) < 2:
        return 0
    first = [one_line(cell) for cell in rows[0]]
    named = [cell for cell in first if cell]
    if are_pairs(named):
        return 0
    if stacked := _rows_above_numbers(rows):
        return stacked
    if _goes_on_below(first, rows) or len(named) < max(1, len(first) - 1) or len(set(named)) < len(named):
        return 0
    if any(looks_numeric(cell) and not _year(cell) for cell in named) or max(map(len, named)) > MAX_LABEL_CHARS:
        return 0
    told = [column for column, cell in enumerate(first) if _is_sentence(cell)]
    below = (row[column].rstrip() for row in rows[1:MAX_LOOKED_AT] for column in told if column < len(row))
    return 0 if any(cell.endswith(".") for cell in below) else 1


def are_pairs(cells: Sequence[str]) -> bool:
    """Whether a row is of names and values in turn ("Name:", "Ada") rather than of names of columns."""
    return len(cells) > 1 and all(cell.endswith(":") == (place % 2 == 0) for place, cell in enumerate(cells))


def _rows_above_numbers(rows: Sequence[Sequence[str]]) -> int:
    """Rows of words over rows of numbers, as in reports whose column names take several lines."""
    measured = [sum(looks_numeric(cell) and not _year(cell) for cell in row[1:]) for row in rows[:MAX_LOOKED_AT]]
    filled = [sum(bool(cell.strip()) for cell in row[1:]) for row in rows[:MAX_LOOKED_AT]]
    first = next((n for n, count in enumerate(measured) if count and count >= 0.5 * filled[n]), 0)
    if not 0 < first <= MAX_HEADER_ROWS or any(measured[:first]):
        return 0
    if any(len(cell) > MAX_LABEL_CHARS for row in rows[:first] for cell in row):
        return 0
    if len({row[0].strip() for row in rows[:first] if row and _names_itself(row)}) > 1:
        return 0
    columns = {n for row in rows[:first] for n, cell in enumerate(row) if n and cell.strip()}
    width = max(map(len, rows)) - 1
    return first if len(columns) >= max(1, 0.7 * width) else 0


def _names_itself(row: Sequence[str]) -> bool:
    """True for a row with a name and values that are words.

    A row that groups columns names them twice; one that begins with a small letter or a bracket goes on with the names
    above.
    """
    if not all(cell.strip() for cell in row) or row[0].strip()[0] in "([" or row[0].strip()[0].islower():
        return False
    return all(one != other for one, other in pairwise(row[1:]))


def _goes_on_below(first: Sequence[str], rows: Sequence[Sequence[str]]) -> bool:
    """Whether a cell is written as those below are, and no name of theirs: as keys, options, addresses."""
    below = ([row[at] for row in rows[1:MAX_LOOKED_AT] if at < len(row)] for at in range(len(first)))
    return any(map(_is_alike, first, below))


def _is_alike(cell: str, below: Sequence[str]) -> bool:
    mark = _mark(cell)
    alike = [one for one in below if mark and _mark(one_line(one)) == mark]
    return bool(alike) and len(alike) >= MIN_ALIKE * len([one for one in below if one.strip()])


def _mark(cell: str) -> str:
    found = _CODE.search(cell)
    return (found["sign"] or found.lastgroup or "") if found else ""


def _is_sentence(cell: str) -> bool:
    """Of four words and more with a full stop: what is said of something, as in a list of terms set as a table."""
    return len(cell.split()) >= MIN_SENTENCE_WORDS and _STOPS.search(cell) is not None


def _year(cell: str) -> bool:
    return len(cell) == 4 and cell.isdigit() and cell[:2] in ("18", "19", "20")
