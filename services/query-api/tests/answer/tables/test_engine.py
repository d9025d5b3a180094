"""What the engine does with a plan, whoever wrote it: it reads one document's rows, and nothing else."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Sequence
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trivium.domain.chunks import Span
from trivium.domain.parsed import ParsedDocument, Position, Unit, UnitKind
from trivium_query.answer.tables.engine import database_of, run
from trivium_query.answer.tables.from_units import tables_of
from trivium_query.answer.tables.plan_by_llm import WrittenFilter, WrittenPlan, validated
from trivium_query.answer.tables.query_plan import Aggregate, Filter, Plan, Test
from trivium_query.answer.tables.table import DocumentTables

Asked = Literal["is", "is not", "more than", "at least", "less than", "at most", "between"]
ROWS = (("Coot", "3"), ("Heron", "5"), ("Coot", "8"), ("Total", "16"))


def _unit(rows: tuple[tuple[str, ...], ...], first: int) -> Unit:
    body = "".join(f"<tr><td>{'</td><td>'.join(row)}</td></tr>" for row in rows)
    lines = "\n".join(f"Bird: {bird}; Eggs: {eggs}" for bird, eggs in rows)
    position = Position(sheet="Nests", rows=(first, first + len(rows) - 1))
    return Unit(UnitKind.TABLE, lines, position, html=f"<table><tr><th>Bird</th><th>Eggs</th></tr>{body}</table>")


def _stored(*units: Unit) -> DocumentTables:
    document = ParsedDocument("text/csv", (Unit(UnitKind.TEXT, "Before."), *units))
    return database_of(tables_of(document), "nests.csv", [])


@pytest.fixture
def nests() -> DocumentTables:
    return _stored(_unit(ROWS[:2], 2), _unit(ROWS[2:], 4))


def _value(stored: DocumentTables, plan: Plan) -> list[tuple[object, object]]:
    result = run(stored, stored.tables[0], plan)
    return [(value.group, value.value) for value in result.values] if result else []


def test_parts_of_a_sheet_are_one_table_and_its_row_of_totals_is_no_row_of_it(nests: DocumentTables) -> None:
    assert [table.rows for table in nests.tables] == [4]
    assert _value(nests, Plan(Aggregate.SUM, 1)) == [(None, 16)]
    assert _value(nests, Plan(Aggregate.SUM, 1, group=0)) == [("Coot", 11), ("Heron", 5)]


def test_tables_with_a_header_of_their_own_between_them_stay_apart() -> None:
    stored = _stored(_unit(ROWS[:2], 2), _unit(ROWS[2:3], 6))
    assert [table.rows for table in stored.tables] == [2, 1]


@pytest.mark.parametrize(
    ("aggregate", "value"),
    [
        (Aggregate.MEAN, 16 / 3),
        (Aggregate.MEDIAN, 5),
        (Aggregate.LEAST, 3),
        (Aggregate.MOST, 8),
        (Aggregate.SPREAD, 5),
        (Aggregate.COUNT, 3),
    ],
)
def test_each_aggregate_is_the_engines(nests: DocumentTables, aggregate: Aggregate, value: float) -> None:
    assert _value(nests, Plan(aggregate, 1)) == [(None, pytest.approx(value))]


def test_a_median_of_each_group_is_of_its_own_rows() -> None:
    rows = (("Coot", "3"), ("Heron", "5"), ("Coot", "8"), ("Heron", "6"), ("Coot", "4"), ("Heron", "1"), ("Rail", "2"))
    stored = _stored(_unit((*rows, ("Rail", "3")), 2))
    assert _value(stored, Plan(Aggregate.MEDIAN, 1, group=0)) == [("Coot", 4.0), ("Heron", 5.0), ("Rail", 2.5)]


def test_a_value_is_bound_and_never_a_part_of_the_statement(nests: DocumentTables) -> None:
    hostile = Filter(0, Test.IS, ("Coot') OR 1=1 --",))
    assert _value(nests, Plan(Aggregate.SUM, 1, (hostile,))) == []


def test_several_numbers_are_no_answer_to_what_stands_there(nests: DocumentTables) -> None:
    coots = Filter(0, Test.IS, ("Coot",))
    assert _value(nests, Plan(Aggregate.VALUE, 1, (coots,))) == []
    assert _value(nests, Plan(Aggregate.VALUE, 1, group=0)) == []


def test_a_difference_of_what_stands_there_is_of_one_row_and_one_row() -> None:
    stored = _stored(_unit(ROWS[:3], 2))
    coots, herons, eights = (Filter(0, Test.IS, ("Coot",)), Filter(0, Test.IS, ("Heron",)), Filter(1, Test.IS, (8.0,)))
    assert _value(stored, Plan(Aggregate.VALUE, 1, (coots,), less=(herons,))) == []
    assert _value(stored, Plan(Aggregate.VALUE, 1, (herons,), less=(coots,))) == []
    assert _value(stored, Plan(Aggregate.VALUE, 1, (coots, eights), less=(herons,))) == [(None, 3)]
    assert _value(stored, Plan(Aggregate.VALUE, 1, (coots,), minus=1)) == []
    assert _value(stored, Plan(Aggregate.VALUE, 1, (herons,), minus=1)) == [(None, 0)]


@pytest.mark.parametrize(
    ("aggregate", "column", "group", "value"),
    [
        ("sum", "Eggs", "", 6),
        ("count", "Bird", "", 0),
        ("count", "", "", 1),
        ("sum", "Eggs", "Bird", None),
        ("count", "", "Bird", None),
        ("value", "Bird", "", None),
    ],
)
def test_a_model_s_difference_is_of_numbers_and_of_no_groups(
    aggregate: Literal["sum", "count", "value"], column: str, group: str, value: int | None
) -> None:
    stored = _stored(_unit(ROWS[:3], 2))
    coots, herons = WrittenFilter("Bird", "is", ["Coot"]), WrittenFilter("Bird", "is", ["Heron"])
    plan = validated(WrittenPlan(1, aggregate, column, [coots], group, "", [herons]), stored.tables[0])
    assert (_value(stored, plan) if plan else None) == (None if value is None else [(None, value)])


def _planned(kind: Literal["days", "moments", "clocks", "numbers"], test: Asked, *values: str) -> int | None:
    """How many rows a model's filter lets through; None where it is no plan."""
    cells = {
        "days": ("2023-06-19", "2023-06-20", "2023-06-21"),
        "moments": ("2023-06-19 09:10", "2023-06-20 11:05", "2023-06-20 14:30", "2023-06-21 08:00"),
        "clocks": ("8:15", "09:30", "10:05", "12:40"),
        "numbers": ("3.5", "8.25", "36", "3500"),
    }[kind]
    stored = _stored(_unit(tuple((f"Coot {at}", cell) for at, cell in enumerate(cells)), 2))
    filters = [WrittenFilter("Eggs", test, list(values))]
    plan = validated(WrittenPlan(1, "count", "", filters, "", "", []), stored.tables[0])
    if plan is None:
        return None
    [(_, count)] = _value(stored, plan)
    assert isinstance(count, int)
    return count


@pytest.mark.parametrize(
    ("test", "values", "count"),
    [
        ("is", ["2023-06-20"], 2),
        ("more than", ["2023-06-20"], 1),
        ("at least", ["2023-06-20"], 3),
        ("less than", ["2023-06-20"], 1),
        ("at most", ["2023-06-20"], 3),
        ("between", ["2023-06-01", "2023-06-20"], 3),
        ("is", ["2023-06-20 11:05"], 1),
        ("is", ["2023-06-20T11:05", "2023-06-20T14:30"], 2),
        ("is not", ["2023-06-20 11:05"], 3),
        ("more than", ["2023-06-20 11:05"], 2),
        ("at most", ["2023-06-20 11:05"], 2),
        ("is not", ["2023-06-20"], None),
        ("is", ["2023-06-19", "2023-06-20"], None),
    ],
)
def test_a_model_s_day_has_all_its_moments(test: Asked, values: list[str], count: int | None) -> None:
    assert _planned("moments", test, *values) == count


@pytest.mark.parametrize(
    ("test", "values", "count"),
    [
        ("at least", ["2023-06-20"], 2),
        ("is", ["2023-06-19", "2023-6-21"], 2),
        ("is not", ["2023-06-20"], 2),
        ("between", ["2023-06-20", "2023-06-30"], 2),
        ("at most", ["2023"], None),
        ("at least", ["June 2023"], None),
        ("at most", ["20 June 2023"], None),
        ("at least", ["06/20/2023"], None),
        ("is", ["2023-06-20 11:05"], None),
        ("is", ["2023-06-31"], None),
    ],
)
def test_a_model_s_day_is_one_of_iso_8601_or_no_plan(test: Asked, values: list[str], count: int | None) -> None:
    assert _planned("days", test, *values) == count


@pytest.mark.parametrize(("value", "count"), [("9:30", 3), ("09:30", 3), ("9:30 am", None), ("2023-06-20", None)])
def test_a_model_s_time_of_day_is_on_the_column_s_clock_or_no_plan(value: str, count: int | None) -> None:
    assert _planned("clocks", "at least", value) == count


@pytest.mark.parametrize(
    ("value", "count"),
    [("3.4", 4), ("3,400", 1), ("3,400.5", 1), ("-1,000", 4), ("1,03,400", 0)]
    + [(value, None) for value in ("3,5", "3,50,", "3.400,5", "nan", "inf", "1e999", "many")],
)
def test_a_model_s_number_is_finite_and_its_commas_part_thousands_or_it_is_no_plan(
    value: str, count: int | None
) -> None:
    assert _planned("numbers", "at least", value) == count


@pytest.mark.parametrize("label", ["Total waders", ""])
def test_a_sum_over_a_row_that_may_be_a_total_is_not_told(label: str) -> None:
    stored = _stored(_unit((("Coot", "3"), ("Heron", "5"), (label, "8")), 2))
    assert _value(stored, Plan(Aggregate.SUM, 1)) == []
    assert _value(stored, Plan(Aggregate.SUM, 1, (Filter(0, Test.IS, ("Coot", "Heron")),))) == [(None, 8)]


def test_numbers_of_any_length_are_stored() -> None:
    stored = _stored(_unit((("Coot", "9" * 400), ("Heron", "-" + "9" * 15)), 2))
    assert _value(stored, Plan(Aggregate.COUNT)) == [(None, 2)]


def test_every_row_says_where_it_stands_in_the_text(nests: DocumentTables) -> None:
    result = run(nests, nests.tables[0], Plan(Aggregate.SUM, 1))
    assert result
    text = "Before.\n\n" + "\n".join(f"Bird: {bird}; Eggs: {eggs}" for bird, eggs in ROWS[:2])
    text += "\n\n" + "\n".join(f"Bird: {bird}; Eggs: {eggs}" for bird, eggs in ROWS[2:])
    assert [row.span.of(text) for row in result.shown] == [row.line for row in result.shown]
    assert result.shown[0].span == Span(9, 28)


_NUMBERS = st.integers(-50, 50)
_AGAINST: dict[Test, Callable[[int, Sequence[int]], bool]] = {
    Test.IS: lambda cell, values: cell in values,
    Test.IS_NOT: lambda cell, values: cell not in values,
    Test.MORE: lambda cell, values: cell > values[0],
    Test.AT_LEAST: lambda cell, values: cell >= values[0],
    Test.LESS: lambda cell, values: cell < values[0],
    Test.AT_MOST: lambda cell, values: cell <= values[0],
    Test.EMPTY: lambda _cell, _values: False,
    Test.BETWEEN: lambda cell, values: values[0] <= cell <= values[1],
}
_OF: dict[Aggregate, Callable[[list[int]], float]] = {
    Aggregate.SUM: sum,
    Aggregate.MEAN: statistics.fmean,
    Aggregate.MEDIAN: statistics.median,
    Aggregate.LEAST: min,
    Aggregate.MOST: max,
    Aggregate.SPREAD: lambda cells: max(cells) - min(cells),
    Aggregate.COUNT: lambda cells: len(set(cells)),
}


@given(
    st.lists(st.tuples(st.sampled_from(["Coot", "Heron", "Rail"]), _NUMBERS), min_size=1, max_size=30),
    st.sampled_from(list(_OF)),
    st.sampled_from(list(_AGAINST)),
    st.tuples(_NUMBERS, _NUMBERS).map(sorted),
)
def test_every_plan_gives_what_python_gives(
    rows: list[tuple[str, int]], aggregate: Aggregate, test: Test, values: list[int]
) -> None:
    stored = _stored(_unit(tuple((bird, str(eggs)) for bird, eggs in rows), 2))
    passing = [row for row in rows if _AGAINST[test](row[1], values)]
    bound = tuple(values[: 1 if test in (Test.MORE, Test.AT_LEAST, Test.LESS, Test.AT_MOST) else 2])
    wanted = {
        bird: pytest.approx(_OF[aggregate]([eggs for other, eggs in passing if other == bird])) for bird, _ in passing
    }
    if aggregate in (Aggregate.MEAN, Aggregate.MEDIAN, Aggregate.SPREAD) and len(passing) == len(wanted):
        wanted = {}  # a mean for each single row is not what anybody asks for
    assert dict(_value(stored, Plan(aggregate, 1, (Filter(1, test, bound),), group=0))) == wanted
