"""What a question's words alone make of a table: rows counted, columns compared, what is not so, times of the day."""

from __future__ import annotations

import csv

import pytest

from trivium.domain.parsed import ParsedDocument, Position, Unit, UnitKind
from trivium_query.answer.tables.draft import short
from trivium_query.answer.tables.engine import database_of, run
from trivium_query.answer.tables.from_units import tables_of
from trivium_query.answer.tables.plan_by_names import plan_by_names

FERRIES = """From,To,Departure,Arrival,Days
Molde,Vestnes,06:45,07:20,daily
Molde,Vestnes,9:15,09:50,daily
Molde,Sekken,17:30,18:10,Sat
Sekken,Vestnes,19:00,19:50,Sat
"""
LOANS = """Loan,Date,Member,Title,Pages,Unit price,Quantity,Returned
1,2024-02-01,Anna Berg,Atlas,120,10.50,2,2024-02-08
2,2024-02-03,Tom Lie,Atlas,120,9.00,5,
3,2024-02-09,Anna Berg,Fables,40,4.00,1,2024-02-20
"""
LIMITS = """Tank,Level,Minimum,Price
North,40,50,1.25
South,70,50,1.20
"""


def _answer(name: str, text: str, question: str) -> tuple[str, bool]:
    """What is said, and whether it is certain; nothing where the question's words are not all understood."""
    header, *rows = csv.reader(text.splitlines())
    body = "".join(f"<tr><td>{'</td><td>'.join(row)}</td></tr>" for row in rows)
    html = f"<table><tr><th>{'</th><th>'.join(header)}</th></tr>{body}</table>"
    lines = "\n".join("; ".join(map(": ".join, zip(header, row, strict=True))) for row in rows)
    unit = Unit(UnitKind.TABLE, lines, Position(), html=html)
    stored = database_of(tables_of(ParsedDocument("text/csv", (unit,))), name, [])
    table = stored.tables[0]
    planned = plan_by_names(question, table, {})
    result = run(stored, table, planned.sure) if planned.sure else None
    return (short(planned.sure, table, result) if planned.sure and result else "", planned.certain)


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("How many boats go from Molde to Vestnes?", "2"),
        ("When does the first boat from Molde to Vestnes leave?", "06:45"),
        ("When does the last boat from Molde to Vestnes arrive?", "09:50"),
        ("When does the last boat to Sekken depart?", "17:30"),
    ],
)
def test_rows_without_names_are_counted_and_put_in_the_order_of_the_clock(question: str, said: str) -> None:
    assert _answer("ferries.csv", FERRIES, question)[0] == said


def test_what_no_column_calls_the_rows_is_told_with_a_doubt() -> None:
    assert _answer("plan.csv", FERRIES, "How many trams go from Molde to Vestnes?") == ("2", False)
    assert _answer("loans.csv", LOANS, "How many women borrowed Atlas?")[0] == ""


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("Which loans have not been returned?", "2"),
        ("How many loans did Anna Berg place?", "2"),
        ("How many units of Atlas are there in total?", "7"),
        ("Who had the most copies of Atlas?", "Tom Lie: 5"),
    ],
)
def test_empty_days_say_not_and_a_unit_price_counts_no_units(question: str, said: str) -> None:
    assert _answer("loans.csv", LOANS, question)[0] == said


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("Which tanks are below their minimum?", "North"),
        ("Which tanks have more level than minimum?", "South"),
        ("Which tanks have less level than minimum?", "North"),
    ],
)
def test_two_columns_are_compared_row_by_row(question: str, said: str) -> None:
    assert _answer("tanks.csv", LIMITS, question)[0] == said


def test_not_before_a_column_of_yes_and_no_means_the_others() -> None:
    assert _answer("a.csv", "Trip,Low floor\n1,yes\n2,no\n3,no\n", "Which trips are not low floor?") == ("2; 3", True)
