"""A question of a table as a small typed plan; it names columns by number and holds no SQL."""

from __future__ import annotations

import enum

import msgspec

from trivium_query.answer.tables.table import Table

_ORDINAL_ENDS = {2: "nd", 3: "rd"}


class Aggregate(enum.StrEnum):
    """What is made of the rows. Values are what a language model writes; never rename one."""

    VALUE = "value"  # what stands there
    COUNT = "count"  # rows; distinct values where a column is named
    SUM = "sum"
    MEAN = "mean"
    MEDIAN = "median"
    LEAST = "least"
    MOST = "most"
    SPREAD = "spread"  # the most less the least


class Test(enum.StrEnum):
    """How a cell is compared. Values are what a language model writes; never rename one."""

    __test__ = False  # no test of pytest's

    IS = "is"
    IS_NOT = "is not"
    MORE = "more than"
    AT_LEAST = "at least"
    LESS = "less than"
    AT_MOST = "at most"
    BETWEEN = "between"  # both ends included
    BEGINS = "begins with"  # of days: what lies in that year, month or day
    EMPTY = "is empty"


SINCE, UP_TO = (Test.MORE, Test.AT_LEAST), (Test.LESS, Test.AT_MOST)


class Sign(enum.Enum):
    """Of a difference."""

    ABSOLUTE = enum.auto()
    KEPT = enum.auto()
    POSITIVE = enum.auto()  # the question says that it is; where it is not, there is nothing to tell


class Filter(msgspec.Struct, frozen=True):
    """Rows whose cell passes: `is` any of the values, `is not` any, `between` two, `is empty` none, else against one.

    `begins with` any of them, too. An empty cell is not any value; one of text that says "-" or "n/a" is empty as well.
    `other` is the column whose cell is compared with instead of values.
    """

    column: int
    test: Test
    values: tuple[str | float, ...] = ()
    other: int | None = None


class Plan(msgspec.Struct, frozen=True):
    """`aggregate` of `column` over the rows that pass every filter.

    `group`: for each value of that column. `extreme`: only the groups where it is `most` or `least`.
    `rank`: the second, third and so on instead of the greatest or least; with `top` all up to that.
    `agreeing`: nothing is told unless all rows of one value of `column` have the same in these columns.
    `less`: the same of the rows that pass these filters is subtracted. `minus`: the same of that column is.
    `sign` says which of a difference is told.
    """

    aggregate: Aggregate
    column: int | None = None
    filters: tuple[Filter, ...] = ()
    group: int | None = None
    extreme: Aggregate | None = None
    less: tuple[Filter, ...] = ()
    minus: int | None = None
    sign: Sign = Sign.ABSOLUTE
    rank: int = 1
    top: bool = False
    agreeing: tuple[int, ...] = ()


def expression(plan: Plan, table: Table) -> str:
    """The plan as a reader checks it: `sum(Count) where Site is "Lower Ford"`."""
    inner = _measure(plan, table)
    if plan.minus is not None:
        inner = f"{inner} - {_of(plan.aggregate, _label(table, plan.minus))}"
    where = _conditions(plan.filters, table)
    if plan.less:
        inner = f"{inner}{where} - {_measure(plan, table)}{_conditions(plan.less, table)}"
        where = ""
    grouped = f" for each {_label(table, plan.group)}" if plan.group is not None else ""
    best = f", of these the {_ranked(plan)}{plan.extreme.value}" if plan.extreme else ""
    return f"{inner}{where}{grouped}{best}"


def _measure(plan: Plan, table: Table) -> str:
    if plan.column is None:
        return "count of rows"
    label = _label(table, plan.column)
    if plan.aggregate is Aggregate.COUNT:
        return f"count of different {label}"
    return f"{'' if plan.extreme else _ranked(plan)}{_of(plan.aggregate, label)}"


def _ranked(plan: Plan) -> str:
    if plan.rank == 1:
        return ""
    return f"{plan.rank} " if plan.top else f"{plan.rank}{_ORDINAL_ENDS.get(plan.rank, 'th')} "


def _of(aggregate: Aggregate, label: str) -> str:
    return label if aggregate is Aggregate.VALUE else f"{aggregate.value}({label})"


def _conditions(filters: tuple[Filter, ...], table: Table) -> str:
    said = [_condition(one, table) for one in filters]
    return f" where {' and '.join(said)}" if said else ""


def _condition(one: Filter, table: Table) -> str:
    label = _label(table, one.column)
    if one.other is not None:
        return f"{label} {one.test.value} {_label(table, one.other)}"
    if one.test is Test.EMPTY:
        return f"{label} {one.test.value}"
    joint = " and " if one.test is Test.BETWEEN else " or "
    return f"{label} {one.test.value} {joint.join(map(_quoted, one.values))}"


def _label(table: Table, column: int) -> str:
    """The first column of a report often has no name: what stands there names the row."""
    return table.columns[column].label or "row"


def _quoted(value: str | float) -> str:
    return f'"{value}"' if isinstance(value, str) else f"{value:.15g}"
