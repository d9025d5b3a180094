"""SpreadsheetML worksheets (ECMA-376, part 1, 18.3) as rows: a sheet is mostly cells, and a tree of them is slow."""

from __future__ import annotations

from functools import lru_cache
from typing import IO
from xml.parsers import expat

from trivium_ingest.parse.failures import too_large
from trivium_ingest.parse.spreadsheets.cells import column_of
from trivium_ingest.parse.spreadsheets.worksheet_rows import (
    MAX_COLUMNS,
    Line,
    Showing,
    has_unvalued,
    line_of,
    plain_rows,
)
from trivium_ingest.parse.xml.windows import Windows


class Worksheet:
    """Rows by number and merged ranges, as they stand in one part. Prefixes do not matter.

    `showing` answers, for a cell's kind and style, what turns its stored text into the words to show. `cells` counts
    those of the workbook that hold something, from those of the sheets before; past `max_cells`, `NeverWill`
    (`limit_exceeded`) is raised. `unvalued` tells that a formula has no stored value.
    """

    def __init__(self, showing: Showing, max_cells: int, cells: int = 0) -> None:
        self.rows: list[Line] = []
        self.merged: list[str] = []
        self.cells = cells
        self.unvalued = False
        self._showing = lru_cache(maxsize=1024)(showing)
        self._max_cells = max_cells
        self._row: dict[int, str] | None = None
        self._cell: dict[str, str] | None = None
        self._column = 0
        self._number = 0
        self._texts: list[str] = []
        self._taking = self._phonetic = self._formula = False

    def read(self, part: IO[bytes]) -> None:
        """Take in a part. Raises `expat.ExpatError` where it is no XML, `NeverWill` (`unsafe_xml`) for a DOCTYPE."""
        parser = expat.ParserCreate()
        parser.StartElementHandler = self._start
        parser.CharacterDataHandler = self._text
        Windows(parser, "row", self._take).read(part)
        self._end_row()

    def _take(self, markup: str) -> bool:
        taken = plain_rows(markup, self._showing)
        if taken is None:
            return False
        self._end_row()
        rows, cells = taken
        self._count(cells)
        self.rows += rows
        self._number = rows[-1][0]
        self.unvalued = self.unvalued or has_unvalued(markup)
        return True

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        self._taking = False
        if name == "c":
            self._end_cell()
            self._cell = attributes
        elif name in ("v", "t"):
            self._taking = not self._phonetic
        elif name == "f":
            self._formula = True
        elif name == "row":
            self._end_row()
            stated = attributes.get("r", "")
            self._number = int(stated) if stated.isdigit() else self._number + 1
            self._row, self._column = {}, 0
        elif name == "rPh":
            self._phonetic = True  # how the text is pronounced; comes last in its cell
        elif name == "mergeCell":
            self.merged.append(attributes.get("ref", ""))
        elif ":" in name:
            self._start(name.rpartition(":")[2], attributes)

    def _text(self, text: str) -> None:
        if self._taking:
            self._texts.append(text)

    def _end_row(self) -> None:
        self._end_cell()
        if self._row is not None:
            self.rows.append((self._number, line_of(self._row)))
        self._row = None

    def _end_cell(self) -> None:
        cell, self._cell = self._cell, None
        if cell is None:
            return
        self._column = column_of(cell.get("r", "")) or self._column + 1
        formula, self._formula, self._phonetic = self._formula, False, False
        if not self._texts:
            self.unvalued = self.unvalued or (formula and cell.get("t", "n") == "n")
            return
        text = "".join(self._texts).strip()
        self._texts.clear()
        if text and self._column <= MAX_COLUMNS and self._row is not None:
            self._count(1)
            if shown := self._showing(cell.get("t", "n"), cell.get("s", "0"))(text):
                self._row[self._column] = shown

    def _count(self, cells: int) -> None:
        self.cells += cells
        if self.cells > self._max_cells:
            raise too_large("max_cells", f"more than {self._max_cells:,} cells")
