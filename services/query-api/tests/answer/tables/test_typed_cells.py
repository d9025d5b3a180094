"""Cells as people write them become numbers and dates, or stay text; a column is all of one kind."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trivium_query.answer.tables.table import ColumnKind
from trivium_query.answer.tables.typed_cells import TypedCell, TypedColumn, typed_column


def _typed(label: str, *cells: str) -> TypedColumn:
    return typed_column(label, cells, [False] * len(cells))


@pytest.mark.parametrize(
    ("label", "cells", "values", "unit"),
    [
        ("Count", ["36", "1,890", ""], (36, 1890, None), ""),
        ("Cost (EUR)", ["310,000", "42,500.50"], (310000.0, 42500.5), "EUR"),
        ("Cost EUR", ["310", "42"], (310, 42), "EUR"),
        ("ram_gb", ["512", "64"], (512, 64), "GB"),
        ("power_w", ["410", "890"], (410, 890), "W"),
        ("latency_ms", ["1.5", "20"], (1.5, 20.0), "ms"),
        ("Fee in £", ["2.00", "10.00"], (2.0, 10.0), "£"),
        ("Weight in kg", ["2", "10"], (2, 10), "kg"),
        ("Born in", ["2002", "2010"], (2002, 2010), ""),
        ("Nitrat (mg/l)", ["12,5", "1.018,25", "9"], (12.5, 1018.25, 9.0), "mg/l"),
        ("Fees", ["$ 3,631,575", "(1,073)", "\u2013"], (3631575, -1073, None), "$"),
        ("Share", ["12.5%", "-3%"], (12.5, -3.0), "%"),
        ("Level", ["1.12 m", "0.87 m"], (1.12, 0.87), "m"),
        ("Inhabitants", ["1.234.567", "987.654"], (1234567, 987654), ""),
        ("Installed", ["1998-05-04", "2004-09-17"], ("1998-05-04", "2004-09-17"), ""),
        ("Start", ["3 July 2023", "10 July 2023"], ("2023-07-03", "2023-07-10"), ""),
        ("Filed", ["31/12/2023", "01/02/2024"], ("2023-12-31", "2024-02-01"), ""),
        ("Date", ["03/04/24", "13/04/24"], ("2024-04-03", "2024-04-13"), ""),
        ("Date", ["13.04.2024", "16.04.2024"], ("2024-04-13", "2024-04-16"), ""),  # no thousands
        ("Date", ["13.04.24", "03.05.24"], ("2024-04-13", "2024-05-03"), ""),
        ("Month", ["2025-01", "2025-11"], ("2025-01-01", "2025-11-01"), ""),
        ("Month", ["Jan 2025", "Nov 2025"], ("2025-01-01", "2025-11-01"), ""),
        ("Hours", ["7:30", "8:15", ""], (7.5, 8.25, None), ""),
        ("Night shifts", ["36:30", "12:00:00"], (36.5, 12.0), ""),
        ("Opening hours", ["7:30", "8:15"], ("07:30", "08:15"), ""),
        ("time", ["2024-02-01 06:00", "2024-02-02 18:30"], ("2024-02-01 06:00", "2024-02-02 18:30"), ""),
    ],
)
def test_a_column_is_read_as_it_is_meant(
    label: str, cells: list[str], values: tuple[TypedCell, ...], unit: str
) -> None:
    typed = _typed(label, *cells)
    assert (typed.cells, typed.column.unit) == (values, unit)


@pytest.mark.parametrize(
    "cells",
    [
        ["12", "about 7"],
        ["12 km", "7 miles"],  # two units are no column of numbers
        ["12%", "7"],
        ["1,5", "2.5"],  # which mark is the decimal one cannot be told
        ["0171 2345", "030 99"],  # telephone numbers
        ["(12", "7"],
        ["12345678901234567890", "7"],  # no number that is computed with holds so many digits
        ["01/02/2024", "03/04/2024"],  # day first or month first cannot be told
        ["2023-02-30", "2023-03-01"],  # no such day
        ["2009-10", "2010-11"],  # seasons
    ],
)
def test_a_column_that_is_not_all_of_one_kind_stays_text(cells: list[str]) -> None:
    typed = _typed("Column", *cells)
    assert typed.column.kind is ColumnKind.TEXT
    assert typed.cells == tuple(cells)


@pytest.mark.parametrize(
    ("label", "cells"),
    [("Order", ["1007", "1001", "1004"]), ("Row", ["1", "2", "3"]), ("Customer ID", ["7", "9", "12"])],
)
def test_numbers_that_name_rows_are_not_added_up(label: str, cells: list[str]) -> None:
    assert _typed(label, *cells).column.kind is ColumnKind.TEXT


def test_years_one_after_the_other_stay_numbers() -> None:
    assert _typed("Year", "2021", "2022", "2023").column.years


@given(st.lists(st.integers(-(10**12), 10**12), min_size=1).map(lambda numbers: [*numbers, numbers[0]]))
def test_whole_numbers_are_read_back_grouped_or_not(numbers: list[int]) -> None:
    assert _typed("n", *map(str, numbers)).cells == tuple(numbers)
    assert _typed("n", *(f"{number:,}" for number in numbers)).cells == tuple(numbers)


@given(st.lists(st.text(max_size=12), min_size=1))
def test_any_cells_give_a_column_of_as_many(cells: list[str]) -> None:
    assert len(_typed("any", *cells).cells) == len(cells)
