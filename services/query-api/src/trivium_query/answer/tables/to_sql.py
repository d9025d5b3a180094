# ruff: noqa: S608  (names of tables and columns are made of numbers, and every value is bound)
"""A plan as SQL over the database of `engine.py`: its own names of columns, and every value bound."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from trivium_query.answer.tables.query_plan import Aggregate, Filter, Plan, Sign, Test
from trivium_query.answer.tables.typed_cells import EMPTY

MAX_RESULTS = 50  # groups or values of one answer; more is no answer
_OPERATORS = {Test.MORE: ">", Test.AT_LEAST: ">=", Test.LESS: "<", Test.AT_MOST: "<="}
_NOTHING = tuple(sorted(EMPTY))  # of text
_ORDERS = {Aggregate.LEAST: "ASC", Aggregate.MOST: "DESC"}
_FUNCTIONS = {
    Aggregate.VALUE: "max",  # of one row: `engine.py` looks that it is one, of a difference on both sides
    Aggregate.SUM: "sum",
    Aggregate.MEAN: "avg",
    Aggregate.LEAST: "min",
    Aggregate.MOST: "max",
}


class Sql(msgspec.Struct, frozen=True):
    """One statement and what is bound to its marks."""

    text: str
    bound: tuple[str | float, ...] = ()


def computed(plan: Plan, table: int) -> Sql:
    """Rows of (group or NULL, value, how many rows it was made of); one beyond `MAX_RESULTS` tells of more."""
    if plan.group is not None:
        return _grouped(plan, table, plan.group)
    where = _where(plan.filters)
    if plan.rank > 1:
        column = _name(plan.column)
        present = f"FROM t{table}{where.text} GROUP BY {column}"
        inner = f"SELECT NULL AS g, {column} AS v, count(*) AS n, min(row) AS r {present}"
        return Sql(_ranked(inner, plan, plan.aggregate), where.bound)
    if plan.aggregate is Aggregate.VALUE and plan.minus is None and not plan.less:
        column = _name(plan.column)
        text = f"SELECT NULL, {column}, count(*) FROM t{table}{where.text} AND {column} IS NOT NULL GROUP BY {column}"
        return Sql(f"{text} ORDER BY min(row) LIMIT {MAX_RESULTS + 1}", where.bound)
    value = _value(plan, table, plan.filters)
    if plan.less:
        other = _value(plan, table, plan.less)
        value = Sql(f"SELECT ({value.text}) - ({other.text})", value.bound + other.bound)
    if (plan.less or plan.minus is not None) and plan.sign is Sign.ABSOLUTE:
        value = Sql(f"SELECT abs(({value.text}))", value.bound)
    return Sql(f"SELECT NULL, ({value.text}), (SELECT count(*) FROM t{table}{where.text})", value.bound + where.bound)


def rows_of(plan: Plan, table: int, best: Sequence[tuple[str | float, str | float]], limit: int) -> Sql:
    """Rows of (line, first, last, whether it may sum up others), in order; of the groups of an extreme alone.

    `best` are those with their values. Where the greatest or least is told, its row comes first, and alone of a group.
    """
    where = _where(plan.filters)
    conditions, bound = where.text, where.bound
    if plan.less:
        other = _where(plan.less)
        conditions, bound = f" WHERE ({conditions[7:]}) OR ({other.text[7:]})", bound + other.bound
    if plan.extreme and plan.group is not None:
        of_rows = plan.aggregate in _ORDERS
        name = f"({_name(plan.group)}, {_name(plan.column)})" if of_rows else _name(plan.group)
        conditions += f" AND {name} IN (VALUES {', '.join(['(?, ?)' if of_rows else '(?)'] * len(best))})"
        bound += tuple(each for one in best for each in (one if of_rows else one[:1]))
    if plan.column is not None:
        conditions = f" WHERE ({conditions[7:]}) AND {_name(plan.column)} IS NOT NULL"
    order = "row"
    if plan.column is not None and plan.aggregate in _ORDERS:
        order = f"{_name(plan.column)} {_ORDERS[plan.aggregate]}, row"
    return Sql(f"SELECT line, first, last, total FROM t{table}{conditions} ORDER BY {order} LIMIT {limit}", bound)


def _grouped(plan: Plan, table: int, group: int) -> Sql:
    """A row without a group may have the most of all rows; what such rows add up to is of none."""
    where, name = _where(plan.filters), _name(group)
    of_rows = plan.extreme is not None and plan.aggregate in _ORDERS
    present = f"FROM t{table}{where.text}" if of_rows else f"FROM t{table}{where.text} AND {name} IS NOT NULL"
    if plan.aggregate is Aggregate.MEDIAN:
        inner = _median(name, _name(plan.column), present)
    else:
        inner = f"SELECT {name} AS g, {_aggregate(plan)} AS v, count(*) AS n, min(row) AS r {present} GROUP BY {name}"
    if plan.extreme:
        return Sql(_ranked(inner, plan, plan.extreme), where.bound)
    text = f"WITH grouped AS ({inner}) SELECT g, v, n FROM grouped ORDER BY r LIMIT {MAX_RESULTS + 1}"
    return Sql(text, where.bound)


def _ranked(grouped: str, plan: Plan, extreme: Aggregate) -> str:
    """Those of the plan's rank that are of a group; none where it depends on how ties, or rows of one group, count."""
    of_rows = plan.aggregate in _ORDERS
    unclear = " OR ".join([*(["n > 1"] if of_rows else []), *(["g IS NULL"] if plan.group is not None else [])])
    kept = "" if plan.group is None else " AND g IS NOT NULL"
    order = f"OVER (ORDER BY v {_ORDERS[extreme]})"
    ranked = f"SELECT *, rank() {order} AS k, dense_rank() {order} AS d FROM ({grouped}) WHERE v IS NOT NULL"
    chosen = f"k <= {plan.rank}{kept}" if plan.top else f"k = {plan.rank} AND d = k{kept}"
    before = f"k {'<=' if plan.top else '<'} {plan.rank}"
    told = f"{chosen} AND NOT EXISTS (SELECT 1 FROM ranked WHERE {before} AND ({unclear}))"
    return f"WITH ranked AS ({ranked}) SELECT g, v, n FROM ranked WHERE {told} ORDER BY k, r LIMIT {MAX_RESULTS + 1}"


def _value(plan: Plan, table: int, filters: Sequence[Filter]) -> Sql:
    """A scalar."""
    where = _where(filters)
    if plan.aggregate is Aggregate.MEDIAN:
        return Sql(f"SELECT v FROM ({_median('NULL', _name(plan.column), f'FROM t{table}{where.text}')})", where.bound)
    return Sql(f"SELECT {_aggregate(plan)} FROM t{table}{where.text}", where.bound)


def _median(group: str, column: str, present: str) -> str:
    """The mean of the middle one or two of each group."""
    part = f"OVER (PARTITION BY {group}"
    ranked = (
        f"SELECT {group} AS g, {column} AS v, row_number() {part} ORDER BY {column}) AS k,"
        f" count(*) {part}) AS n, min(row) {part}) AS r {present} AND {column} IS NOT NULL"
    )
    middle = f"FROM ({ranked}) WHERE k IN ((n + 1) / 2, (n + 2) / 2)"
    return f"SELECT g, avg(v) AS v, max(n) AS n, min(r) AS r {middle} GROUP BY g"


def _aggregate(plan: Plan) -> str:
    if plan.column is None:
        return "count(*)"
    column = _name(plan.column)
    if plan.aggregate is Aggregate.COUNT:
        return f"count(DISTINCT {column})"
    if plan.aggregate is Aggregate.SPREAD:
        return f"max({column}) - min({column})"
    function = _FUNCTIONS[plan.aggregate]
    own = f"{function}({column})"
    return f"{own} - {function}({_name(plan.minus)})" if plan.minus is not None else own


def differing(plan: Plan, agreeing: int, table: int) -> Sql:
    """A row if two rows of one value of the plan's column, of those it is of otherwise, differ in `agreeing`."""
    where = _where([one for one in plan.filters if one.column != agreeing])
    several = f"GROUP BY {_name(plan.column)} HAVING count(DISTINCT {_name(agreeing)}) > 1"
    return Sql(f"SELECT 1 FROM t{table}{where.text} {several} LIMIT 1", where.bound)


def ends_of(column: int, table: int) -> Sql:
    """The first and the last of a column."""
    return Sql(f"SELECT min({_name(column)}), max({_name(column)}) FROM t{table}")


def _where(filters: Sequence[Filter]) -> Sql:
    """Rows that surely sum up others never count among them."""
    parts = [_condition(one) for one in filters]
    return Sql(
        " WHERE " + " AND ".join(["total < 2", *(part.text for part in parts)]),
        tuple(value for part in parts for value in part.bound),
    )


def _condition(one: Filter) -> Sql:
    column = _name(one.column)
    if one.other is not None:
        return Sql(f"{column} {_OPERATORS[one.test]} {_name(one.other)}")
    if one.test is Test.EMPTY:
        return Sql(f"({column} IS NULL OR lower({column}) IN ({_marks(_NOTHING)}))", _NOTHING)
    if one.test is Test.IS:
        return Sql(f"{column} IN ({_marks(one.values)})", one.values)
    if one.test is Test.IS_NOT:
        return Sql(f"({column} IS NULL OR {column} NOT IN ({_marks(one.values)}))", one.values)
    if one.test in (Test.BETWEEN, Test.BEGINS):  # no day is behind the "~" of its month, as text is ordered
        ends = [one.values] if one.test is Test.BETWEEN else [(value, f"{value}~") for value in one.values]
        any_of = " OR ".join([f"{column} BETWEEN ? AND ?"] * len(ends))
        return Sql(f"({any_of})", tuple(end for pair in ends for end in pair))
    return Sql(f"{column} {_OPERATORS[one.test]} ?", one.values)


def _marks(values: Sequence[object]) -> str:
    return ", ".join("?" * len(values))


def _name(column: int | None) -> str:
    return f"c{column}"
