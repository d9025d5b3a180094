"""SpreadsheetML worksheets (ECMA-376, part 1, 18.3) by expat: a sheet is mostly cells, and a tree of them is slow."""

from __future__ import annotations

from collections.abc import Callable
from typing import IO
from xml.parsers import expat

from trivium.domain.errors import NeverWill
from trivium_ingest.parse.cells import column_of

MAX_COLUMNS = 16_384  # Excel's own bound
_PIECE_BYTES = 1 << 16

Shown = Callable[[str, str, str], str]


class Worksheet:
    """Rows with their values by column, and merged ranges, both as they stand in one part. Prefixes do not matter.

    `shown` turns a cell's kind, style number and stored text into the words to show, "" for none.
    """

    def __init__(self, shown: Shown) -> None:
        self.rows: list[tuple[int, dict[int, str]]] = []
        self.merged: list[str] = []
        self._shown = shown
        self._cells: dict[int, str] = {}
        self._cell: dict[str, str] | None = None
        self._column = 0
        self._number = 0
        self._texts: list[str] = []
        self._taking = self._phonetic = False

    def read(self, part: IO[bytes]) -> None:
        """Take in a part. Raises `expat.ExpatError` where it is no XML, `NeverWill` (`unsafe_xml`) for a DOCTYPE."""
        parser = expat.ParserCreate()
        parser.buffer_text = True
        parser.StartElementHandler = self._start
        parser.CharacterDataHandler = self._text
        parser.StartDoctypeDeclHandler = _refuse
        while piece := part.read(_PIECE_BYTES):
            parser.Parse(piece, False)
        parser.Parse(b"", True)
        self._end_cell()

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        self._taking = False
        if name == "c":
            self._end_cell()
            self._cell = attributes
        elif name in ("v", "t"):
            self._taking = not self._phonetic
        elif name == "row":
            self._start_row(attributes.get("r", ""))
        elif name == "rPh":
            self._phonetic = True  # how the text is pronounced; comes last in its cell
        elif name == "mergeCell":
            self.merged.append(attributes.get("ref", ""))
        elif ":" in name:
            self._start(name.rpartition(":")[2], attributes)

    def _text(self, text: str) -> None:
        if self._taking:
            self._texts.append(text)

    def _start_row(self, stated: str) -> None:
        self._end_cell()
        self._number = int(stated) if stated.isdigit() else self._number + 1
        self._cells, self._column = {}, 0
        self.rows.append((self._number, self._cells))

    def _end_cell(self) -> None:
        cell, self._cell = self._cell, None
        if cell is None:
            return
        self._column = column_of(cell.get("r", "")) or self._column + 1
        self._phonetic = False
        if not self._texts:
            return
        text = "".join(self._texts).strip()
        self._texts.clear()
        if (
            text
            and self._column <= MAX_COLUMNS
            and (value := self._shown(cell.get("t", "n"), cell.get("s", "0"), text))
        ):
            self._cells[self._column] = value


def _refuse(*_: object) -> None:
    raise NeverWill(
        "unsafe_xml",
        "This Excel workbook declares its own document type or entities, which are never expanded.",
        "Open it in Excel and save it again.",
    )
