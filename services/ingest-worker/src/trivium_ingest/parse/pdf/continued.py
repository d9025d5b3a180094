"""Tables that go on on the next page: the part there gets the column names of the part before it."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence

import msgspec

from trivium.domain.parsed import UnitKind
from trivium_ingest.parse.pdf.blocks import Block
from trivium_ingest.parse.table import Table, looks_numeric
from trivium_ingest.parse.text.clean import one_line

_SAME_EDGE = 8.0  # points
_CONTINUED = re.compile(r"\bcont(?:inued|['\u2019]?d|\.)|\bfortsetzung\b|\(suite\)|\bsuite\b", re.IGNORECASE)
_MAX_NOTE_CHARS = 80


def continue_tables(pages: Sequence[Sequence[Block]]) -> None:
    """Give each part of a table over pages its header; a header that is printed again is not doubled.

    `pages` are without running lines; a part stays its own block, on its own page.
    """
    for above, below in itertools.pairwise(pages):
        first, rest = _last_table(above), _first_table(below)
        if first is None or rest is None or not _same_columns(first, rest):
            continue
        if first.table is not None and rest.table is not None:
            rest.table = _with_header(first.table, rest.table)


def _last_table(blocks: Sequence[Block]) -> Block | None:
    """The table that nothing but notes follow."""
    for block in reversed(blocks):
        if block.kind is not UnitKind.NOTE and not block.hidden:
            return block if block.table is not None else None
    return None


def _first_table(blocks: Sequence[Block]) -> Block | None:
    """The table that the page begins with; "Table 3 (continued)" may stand over it."""
    for block in blocks:
        says_so = len(block.text) <= _MAX_NOTE_CHARS and _CONTINUED.search(block.text)
        if not block.hidden and not says_so:
            return block if block.table is not None else None
    return None


def _same_columns(first: Block, rest: Block) -> bool:
    if first.table is None or rest.table is None or not first.table.header_rows:
        return False
    near = abs(first.left - rest.left) <= _SAME_EDGE and abs(first.right - rest.right) <= _SAME_EDGE
    return near and _width(first.table) == _width(rest.table)


def _with_header(first: Table, rest: Table) -> Table:
    header = first.rows[: first.header_rows]
    if _like(header) == _like(rest.rows[: len(header)]):
        return msgspec.structs.replace(rest, header_rows=len(header))
    if rest.header_rows and _named_otherwise(first, rest):
        return rest
    return msgspec.structs.replace(rest, rows=header + rest.rows, header_rows=len(header))


def _named_otherwise(first: Table, rest: Table) -> bool:
    """True when the second table begins with words where the first one holds numbers: names of its own."""
    body = first.rows[first.header_rows :]
    numeric = [n for n in range(_width(first)) if _mostly_numbers([row[n] for row in body if n < len(row)])]
    named = rest.rows[0]
    return any(n < len(named) and named[n].strip() and not looks_numeric(named[n]) for n in numeric)


def _mostly_numbers(cells: Sequence[str]) -> bool:
    filled = [cell for cell in cells if cell.strip()]
    return bool(filled) and 2 * sum(map(looks_numeric, filled)) > len(filled)


def _like(rows: Sequence[Sequence[str]]) -> list[list[str]]:
    return [[one_line(cell).lower() for cell in row] for row in rows]


def _width(table: Table) -> int:
    return max(map(len, table.rows), default=0)
