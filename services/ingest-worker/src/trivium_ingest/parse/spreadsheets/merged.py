"""Merged ranges of a sheet: only their first cell holds the text that a reader sees over all of them."""

from __future__ import annotations

import re
import struct
from collections.abc import Iterable
from contextlib import suppress
from xml.parsers import expat

from trivium.domain.errors import NeverWill
from trivium_ingest.parse.office.package import Package
from trivium_ingest.parse.spreadsheets.worksheet_rows import line_of

MAX_MERGED_CELLS = 20_000
Range = tuple[int, int, int, int]
"""First row, first column, last row, last column, from 1."""
_BOOK = "xl/workbook.bin"
# BrtBeginMergeCells with their number, BrtMergeCell with first and last row, first and last column, BrtEndMergeCells
# ([MS-XLSB] 2.3.2).
_BEGIN = re.compile(rb"\xb1\x01\x04(?=(.{4}))", re.DOTALL)
_MERGE_CELL = struct.Struct("<3x4I")
_END = b"\xb2\x01\0"
_TABLE = "urn:oasis:names:tc:opendocument:xmlns:table:1.0}"
_SHEET, _ROW, _NAME = (f"{_TABLE}{name}" for name in ("table", "table-row", "name"))
_CELLS = (f"{_TABLE}table-cell", f"{_TABLE}covered-table-cell")


class Merged:
    """The ranges of one sheet, whose rows are filled from the top down."""

    def __init__(self, ranges: Iterable[Range]) -> None:
        self._covered: dict[int, dict[int, tuple[int, int]]] = {}
        self._texts: dict[tuple[int, int], str] = {}
        total = 0
        for top, left, bottom, right in ranges:
            total += max(0, bottom - top + 1) * max(0, right - left + 1)
            if not (top and left and bottom and right) or total > MAX_MERGED_CELLS:
                continue
            for row in range(top, bottom + 1):
                places = self._covered.setdefault(row, {})
                places.update(dict.fromkeys(range(left, right + 1), (top, left)))

    def filled(self, number: int, line: tuple[str, ...]) -> tuple[str, ...]:
        """The row with the text of each range in the cells that it covers there."""
        covered = self._covered.get(number)
        if not covered:
            return line
        cells = {place: text for place, text in enumerate(line, 1) if text}
        for place, origin in covered.items():
            if origin == (number, place):
                self._texts[origin] = cells.get(place, "")
            elif text := self._texts.get(origin, ""):
                cells.setdefault(place, text)
        return line_of(cells)


def merged_in_binary(package: Package) -> dict[str, list[Range]]:
    """By sheet, what an XLSB workbook merges."""
    book = package.read(_BOOK)
    found: dict[str, list[Range]] = {}
    for identity, relation in package.relations(_BOOK).items():
        told = len(identity).to_bytes(4, "little") + identity.encode("utf-16-le")
        at = book.find(told) + len(told)  # the sheet's name follows (BrtBundleSh)
        if told not in book or relation.type != "worksheet" or relation.target not in package:
            continue
        end = at + 4 + 2 * int.from_bytes(book[at : at + 4], "little")
        found[book[at + 4 : end].decode("utf-16-le", "replace")] = _merged_cells(package.read(relation.target))
    return found


def merged_in_open_document(package: Package) -> dict[str, list[Range]]:
    """By sheet, what an ODS workbook merges; what stands behind damage is left out."""
    spans = _Spans()
    parser = expat.ParserCreate(namespace_separator="}")
    parser.StartElementHandler = spans.start
    parser.StartDoctypeDeclHandler = _give_up
    # The reader of the sheets will say what is wrong; it reads encodings that expat does not know, or has no way to.
    with suppress(NeverWill, expat.ExpatError, LookupError, ValueError):
        content = package.read("content.xml")
        if b"-spanned" in content:
            parser.Parse(content, True)
    return spans.by_sheet


def _give_up(*_: object) -> None:
    raise expat.ExpatError("it declares a document type")


class _Spans:
    """What the cells of one sheet after the other cover, row by row and column by column."""

    def __init__(self) -> None:
        self.by_sheet: dict[str, list[Range]] = {}
        self._ranges: list[Range] = []
        self._row, self._below, self._column = 0, 1, 1

    def start(self, name: str, attributes: dict[str, str]) -> None:
        if name == _SHEET:
            self._ranges = self.by_sheet.setdefault(attributes.get(_NAME, ""), [])
            self._below = 1
        elif name == _ROW:
            self._row, self._column = self._below, 1
            self._below += _number(attributes, "rows-repeated")
        elif name in _CELLS:
            columns, rows = _number(attributes, "columns-spanned"), _number(attributes, "rows-spanned")
            if columns > 1 or rows > 1:
                # A row that repeats says the same in each.
                self._ranges.append((self._row, self._column, self._below + rows - 2, self._column + columns - 1))
            self._column += _number(attributes, "columns-repeated")


def _number(attributes: dict[str, str], what: str) -> int:
    told = attributes.get(f"{_TABLE}number-{what}", "1")
    return max(1, int(told)) if told.isascii() and told.isdigit() and len(told) < 10 else 1


def _merged_cells(sheet: bytes) -> list[Range]:
    for begin in _BEGIN.finditer(sheet):
        first = begin.end() + len(begin[1])
        end = first + _MERGE_CELL.size * int.from_bytes(begin[1], "little")
        if sheet.startswith(_END, end):
            edges = _MERGE_CELL.iter_unpack(sheet[first:end])
            return [(top + 1, left + 1, bottom + 1, right + 1) for top, bottom, left, right in edges]
    return []
