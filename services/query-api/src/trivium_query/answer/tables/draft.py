"""A computed result as an answer: the value, the expression that gave it, and the rows it was made of, each cited."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime

from trivium.domain.answers import Kind
from trivium.domain.chunks import Chunk, Span
from trivium.domain.retrieval import Hit
from trivium_query.answer.citations import Draft, Shelf
from trivium_query.answer.tables.engine import Result, Value
from trivium_query.answer.tables.query_plan import Aggregate, Plan, expression
from trivium_query.answer.tables.table import Column, ColumnKind, Table

MEAN_DECIMALS = 2  # more than the cells have
_AVERAGED = (Aggregate.MEAN, Aggregate.MEDIAN)
_LEADING_ZERO = re.compile(r"\b0(?=\d(?:,| [A-Z]))")


def compose_empty(
    plan: Plan, table: Table, result: Result, hits: Sequence[Hit], chunks: Sequence[Chunk]
) -> Draft | None:
    """The one row as it is, where its cell says "none"; None where it says nothing."""
    row = result.shown[0]
    hit = _holding(row.span, hits, chunks)
    label = table.columns[plan.column].label if plan.column is not None else ""
    cell = re.search(rf"(?:^|; ){re.escape(label)}: ([^\W\d_]+)(?:;|$)", row.line)
    if hit is None or cell is None:
        return None
    shelf = Shelf([*hits, *([hit] if hit not in hits else [])])
    return Draft(f"{row.line} {shelf.marker(hit)}", True, (shelf.cite(hit, row.line),), short=cell[1], kind=Kind.FACT)


def compose(plan: Plan, table: Table, result: Result, hits: Sequence[Hit], chunks: Sequence[Chunk]) -> Draft:
    """The text and its citations: of each row that is shown, the chunk that holds it, hit or not."""
    cited = [(row, _holding(row.span, hits, chunks)) for row in result.shown]
    shelf = Shelf([*hits, *(hit for _, hit in cited if hit and hit not in hits)])
    lines = [f"{row.line} {shelf.marker(hit)}" if hit else row.line for row, hit in cited]
    more = result.rows - len(result.shown)
    lines += [f"… and {more:,} more rows."] if more else []
    citations = tuple(shelf.cite(hit, row.line) for row, hit in cited if hit)
    said = short(plan, table, result)
    text = "\n".join([said, _computed(plan, table, result), *lines])
    return Draft(text, True, citations, short=said, kind=kind_of_plan(plan, result))


def short(plan: Plan, table: Table, result: Result) -> str:
    """The values alone, each with its group."""
    return "; ".join(_told(plan, table, value) for value in result.values)


def kind_of_plan(plan: Plan, result: Result) -> Kind:
    """What was asked for, as the plan shows."""
    if _is_count(plan):
        return Kind.COUNT
    if plan.aggregate is not Aggregate.VALUE or plan.minus is not None or plan.less or plan.extreme:
        return Kind.ARITHMETIC
    return Kind.FACT if len(result.values) == 1 else Kind.LIST


def _computed(plan: Plan, table: Table, result: Result) -> str:
    rows = f"{result.rows:,} row{'s' * (result.rows != 1)}"
    return f"Computed from {rows}: {expression(plan, table)}."


def _told(plan: Plan, table: Table, value: Value) -> str:
    said = str(value.value) if _is_count(plan) else _written(plan, table, value.value)
    if value.group is None or plan.group is None:
        return said
    return f"{_shown(table.columns[plan.group], value.group)}: {said}"


def _is_count(plan: Plan) -> bool:
    return plan.column is None or plan.aggregate is Aggregate.COUNT


def _written(plan: Plan, table: Table, value: str | float) -> str:
    if plan.column is None:
        return str(value)
    column = table.columns[plan.column]
    if plan.aggregate is Aggregate.VALUE and plan.minus is None and not plan.less:
        return _shown(column, value)
    return _shown(column, value, column.decimals + MEAN_DECIMALS * (plan.aggregate in _AVERAGED))


def _shown(column: Column, value: str | float, most_decimals: int | None = None) -> str:
    """A value as its column writes such, with its unit; `most_decimals` for one that stands in no cell.

    Of these no more zeros are written than its cells have, and none behind a whole number.
    """
    if isinstance(value, str):
        return _dated(column, value) if column.kind is ColumnKind.DATE else value
    if column.is_duration:
        minutes = round(abs(value) * 60)
        return f"{'-' * (value < 0)}{minutes // 60}:{minutes % 60:02}"
    number = f"{value:{',' * column.grouped}.{column.decimals if most_decimals is None else most_decimals}f}"
    if most_decimals and "." in number:
        whole, _, fraction = number.partition(".")
        fraction = fraction.rstrip("0")
        number = f"{whole}.{fraction.ljust(column.decimals, '0')}" if fraction else whole
    return f"{number}{column.unit}" if column.unit == "%" else f"{number} {column.unit}".rstrip()


def _dated(column: Column, value: str) -> str:
    if column.is_clock:
        return value
    said = datetime.fromisoformat(value).strftime(column.shape) if column.shape else value
    return _LEADING_ZERO.sub("", said)


def _holding(span: Span, hits: Sequence[Hit], chunks: Sequence[Chunk]) -> Hit | None:
    """The hit that the row stands in, else its document's chunk as a hit of its own."""
    holds = [chunk for chunk in chunks if chunk.span.start <= span.start and span.end <= chunk.span.end]
    known = {hit.chunk.id: hit for hit in hits}
    found = next((known[chunk.id] for chunk in holds if chunk.id in known), None)
    return found or next((Hit(chunk, len(hits) + 1, 0.0) for chunk in holds), None)
