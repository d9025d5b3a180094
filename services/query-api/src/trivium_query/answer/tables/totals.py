"""Rows that sum up others: a sum over them counts twice."""

from __future__ import annotations

from collections.abc import Sequence

from trivium_query.answer.tables.from_units import RawTable

NONE, LIKELY, SURE = 0, 1, 2
# Labels of rows that sum up all others. English, German, French, Spanish, Italian, Portuguese.
_TOTALS = frozenset(
    """total|totals|grand total|subtotal|sub-total|sum|overall|all|gesamt|summe|insgesamt|zwischensumme|somme|totale
    |total general|suma|soma""".replace("\n    ", "").split("|")
)
_TOTAL_OF = ("total ", "sum of ", "subtotal ", "gesamt ", "summe ")
MIN_NAMED = 0.5  # of the rows, for a row without a name to stand out


def totals_of(table: RawTable) -> list[int]:
    """For each row `SURE`, `LIKELY` ("Total revenues", or the only one without a name) or `NONE`."""
    unnamed = _unnamed(table)
    return [max(_total(row.cells), LIKELY if at in unnamed else NONE) for at, row in enumerate(table.rows)]


def _total(cells: Sequence[str]) -> int:
    labels = [cell.casefold().strip(" :") for cell in cells]
    if any(label in _TOTALS for label in labels):
        return SURE
    return LIKELY if any(label.startswith(_TOTAL_OF) for label in labels) else NONE


def _unnamed(table: RawTable) -> frozenset[int]:
    """Rows whose first cell is empty where most have words there."""
    named = [any(char.isalpha() for char in row.cells[0]) for row in table.rows]
    if sum(named) < MIN_NAMED * len(named):
        return frozenset()
    return frozenset(at for at, row in enumerate(table.rows) if not row.cells[0])
