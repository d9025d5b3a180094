"""The language model writes the same plan, never SQL; what names no column or value of the table is no plan."""

from __future__ import annotations

import math
import re
import secrets
from collections.abc import Sequence
from contextlib import suppress
from datetime import datetime
from typing import Annotated, Literal

import msgspec

from trivium.llm.prompt_files import prompt_named
from trivium.ports.llm import Completion, Llm, Message
from trivium_query.answer.fence import fenced
from trivium_query.answer.tables.query_plan import Aggregate, Filter, Plan, Test
from trivium_query.answer.tables.reading import read
from trivium_query.answer.tables.table import CLOCK, Column, ColumnKind, Table

MAX_PLAN_TOKENS = 400
MAX_FILTERS = 8
_SHOWN_VALUES = 30  # of a column of text
_SHOWN_TABLES = 4
PROMPT = prompt_named("plan_tables")
_NONE = ""
_DAY = "%Y-%m-%d"
_MOMENT = "%Y-%m-%d %H:%M"
_GROUPED = re.compile(r"[-+]?\d{1,3}(?:,\d{2,3})*,\d{3}(?:\.\d+)?")


class WrittenFilter(msgspec.Struct, frozen=True):
    """Rows whose cell in `column` passes: `is` and `is not` take any number of values, `between` two, others one."""

    column: str
    test: Literal["is", "is not", "more than", "at least", "less than", "at most", "between"]
    values: Annotated[list[str], msgspec.Meta(min_length=1, max_length=50)]


class WrittenPlan(msgspec.Struct, frozen=True):
    """A plan by names: `aggregate` of `column` over the rows that pass all filters."""

    table: Annotated[int, msgspec.Meta(ge=0, description="Number of the table, from 1; 0 for none.")]
    aggregate: Literal["value", "count", "sum", "mean", "median", "least", "most", "spread"]
    column: Annotated[str, msgspec.Meta(description="What is computed or looked up; empty to count rows.")]
    filters: Annotated[list[WrittenFilter], msgspec.Meta(max_length=MAX_FILTERS)]
    group: Annotated[str, msgspec.Meta(description="One result for each value of this column; empty for one of all.")]
    extreme: Annotated[
        Literal["", "most", "least"], msgspec.Meta(description="Only the groups with the most or least.")
    ]
    less: Annotated[
        list[WrittenFilter],
        msgspec.Meta(max_length=MAX_FILTERS, description="For a difference: the rows whose result is subtracted."),
    ]


class Chosen(msgspec.Struct, frozen=True):
    """A valid plan, and which of the tables it is for, from 0."""

    table: int
    plan: Plan


async def plan_with_llm(
    question: str, tables: Sequence[Table], llm: Llm, timeout_s: float
) -> tuple[Chosen | None, Completion]:
    """The model's plan, None where it has none or a wrong one. Raises what the client raises."""
    shown = fenced([_described(table) for table in tables[:_SHOWN_TABLES]], secrets.token_hex(8))
    messages = [Message("system", PROMPT.text), Message("user", f"{shown}\n\nQuestion: {question}")]
    written, completion = await llm.complete_json(
        messages, WrittenPlan, max_tokens=MAX_PLAN_TOKENS, timeout_s=timeout_s
    )
    place = written.table - 1
    plan = validated(written, tables[place]) if 0 <= place < min(len(tables), _SHOWN_TABLES) else None
    kept = plan is not None and _keeps(plan, question, tables[place])
    return (Chosen(place, plan) if plan and kept else None), completion


def _keeps(plan: Plan, question: str, table: Table) -> bool:
    """Whether it looks at every column that a value or a time of the question is of: none was forgotten."""
    looked_at = {one.column for one in (*plan.filters, *plan.less)} | {plan.group}
    return read(question, table, {}).filtered() <= looked_at


def validated(written: WrittenPlan, table: Table) -> Plan | None:
    """The plan in the table's own columns and values; None for one that the table cannot follow."""
    try:
        plan = Plan(
            Aggregate(written.aggregate),
            _column(written.column, table),
            _filters(written.filters, table),
            _column(written.group, table),
            Aggregate(written.extreme) if written.extreme else None,
            _filters(written.less, table),
        )
    except LookupError:
        return None
    return plan if _is_sound(plan, table) else None


def _is_sound(plan: Plan, table: Table) -> bool:
    """A difference is one of numbers, and of no groups."""
    if plan.less and plan.group is not None:
        return False
    if plan.column is None:
        return plan.aggregate is Aggregate.COUNT
    if plan.extreme and plan.group is None:
        return False
    kind = table.columns[plan.column].kind
    if plan.aggregate is Aggregate.COUNT or kind is ColumnKind.NUMBER:
        return True
    ordered = plan.aggregate in (Aggregate.LEAST, Aggregate.MOST) and kind is not ColumnKind.TEXT
    return not plan.less and (ordered or plan.aggregate is Aggregate.VALUE)


def _filters(written: Sequence[WrittenFilter], table: Table) -> tuple[Filter, ...]:
    return tuple(one for each in written for one in _filter(each, table))


def _filter(written: WrittenFilter, table: Table) -> tuple[Filter, ...]:
    """All of them must pass. Raises `LookupError` for an unknown column, value, or number of values."""
    place, test = _column(written.column, table), Test(written.test)
    if place is None:
        raise LookupError(written.column)
    ends = {Test.IS: None, Test.IS_NOT: None, Test.BETWEEN: 2, Test.EMPTY: 0}.get(test, 1)
    if ends not in (None, len(written.values)):
        raise LookupError(written.test)
    column = table.columns[place]
    if _has_moments(column):
        return _of_moments(place, test, tuple(_time(each, column) for each in written.values))
    return (Filter(place, test, tuple(_value(each, column) for each in written.values)),)


def _of_moments(place: int, test: Test, times: tuple[str, ...]) -> tuple[Filter, ...]:
    """A day goes from its first moment to its last. Raises `LookupError` for one of several days, and for "is not"."""
    if test in (Test.IS, Test.IS_NOT) and all(" " in time for time in times):
        return (Filter(place, test, times),)
    if test is Test.IS_NOT or (test is Test.IS and len(times) > 1):
        raise LookupError(test)
    start, end = times[0], f"{times[-1]}~"  # which is behind all that begins so, as text orders it
    since, until = Filter(place, Test.AT_LEAST, (start,)), Filter(place, Test.LESS, (end,))
    bounds = {
        Test.MORE: (Filter(place, Test.AT_LEAST, (end,)),),
        Test.AT_LEAST: (since,),
        Test.LESS: (Filter(place, Test.LESS, (start,)),),
        Test.AT_MOST: (until,),
    }
    return bounds.get(test, (since, until))


def _column(label: str, table: Table) -> int | None:
    """None for no name. Raises `LookupError` for one that no column, or more than one, has."""
    if label == _NONE:
        return None
    found = [at for at, column in enumerate(table.columns) if _same(label, column.label)]
    if len(found) != 1:
        raise LookupError(label)
    return found[0]


def _value(written: str, column: Column) -> str | float:
    """A number, a day or time of day, or a value that stands in the column. Raises `LookupError`."""
    if column.kind is ColumnKind.DATE:
        return _time(written, column)
    if column.kind is ColumnKind.TEXT:
        return next((value for value in column.values if _same(written, value)), None) or _missing(written)
    try:
        number = float(written.replace(",", "") if _GROUPED.fullmatch(written.strip()) else written)
    except ValueError:
        return _missing(written)
    return number if math.isfinite(number) else _missing(written)


def _time(written: str, column: Column) -> str:
    """A time of day, a day, or a moment where the column has such, as its cells are. Raises `LookupError`."""
    said = written.strip().replace("T", " ")
    with suppress(ValueError):
        if column.is_clock:
            return datetime.strptime(said, CLOCK).time().isoformat("minutes")
        if _has_moments(column) and " " in said:
            return datetime.strptime(said, _MOMENT).isoformat(" ", "minutes")
        return datetime.strptime(said, _DAY).date().isoformat()
    return _missing(written)


def _has_moments(column: Column) -> bool:
    """Whether its cells are days with a time."""
    return "%H" in column.shape and not column.is_clock


def _missing(written: str) -> str:
    raise LookupError(written)


def _same(one: str, other: str) -> bool:
    return " ".join(one.split()).casefold() == " ".join(other.split()).casefold()


def _described(table: Table) -> str:
    columns = "\n".join(map(_described_column, table.columns))
    return f"{table.about}\n{table.rows} rows. Columns:\n{columns}"


def _described_column(column: Column) -> str:
    unit = f" in {column.unit}" if column.unit else ""
    values = f": {'; '.join(column.values[:_SHOWN_VALUES])}" if column.values else ""
    return f"- {column.label} ({column.kind.value}{unit}){values}"
