"""SQLite in memory computes: one serialised database for each document version, read-only, bounded in time and rows.

SQLite is in Python already. DuckDB costs 24 MB of download, 65 MB of memory and 66 ms to import, and is slower over
tables of a document's size: 20,000 rows are loaded in 148 ms (SQLite: 23) and grouped in 5 (SQLite: 11).
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager

import msgspec

from trivium.domain.chunks import Chunk, Span
from trivium_query.answer.tables.conditions import is_period
from trivium_query.answer.tables.from_units import RawTable
from trivium_query.answer.tables.query_plan import SINCE, UP_TO, Aggregate, Filter, Plan, Sign
from trivium_query.answer.tables.table import ColumnKind, DocumentTables, ShownRow, Table
from trivium_query.answer.tables.to_sql import MAX_RESULTS, Sql, computed, differing, ends_of, rows_of
from trivium_query.answer.tables.totals import SURE, totals_of
from trivium_query.answer.tables.typed_cells import TypedColumn, typed_column

LIMIT_S = 2.0  # of one plan
MAX_SHOWN_ROWS = 8
_STEPS = 10_000  # of SQLite's machine between two looks at the clock
_OF_SEVERAL = (Aggregate.MEAN, Aggregate.MEDIAN, Aggregate.SPREAD)
_READING = frozenset([sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_FUNCTION])


_Computed = tuple[str | int | float | None, str | int | float | None, int]
_Ends = tuple[str | int, str | int]
_Lying = tuple[str, int, int, int]


class Value(msgspec.Struct, frozen=True):
    """One value and how many rows it was made of; `group` is None where there is one value of all."""

    group: str | float | None
    value: str | float
    rows: int


class Result(msgspec.Struct, frozen=True):
    """Values in the order of the table, and the first rows that they were made of; `rows` counts all of those.

    A row without a value is the one that is asked about, where its cell is empty. `reached`: the table has rows of
    that time, or before and behind it.
    """

    values: tuple[Value, ...]
    shown: tuple[ShownRow, ...]
    rows: int
    reached: bool = True


NOTHING = Result((), (), 0)


def database_of(tables: Sequence[RawTable], source: str, chunks: Iterable[Chunk]) -> DocumentTables:
    """The tables of a document, typed and stored; `source` names the document."""
    made: list[Table] = []
    with closing(sqlite3.connect(":memory:")) as connection:
        for number, raw in enumerate(tables):
            sums = totals_of(raw)
            typed = _typed(raw, sums)
            _store(connection, number, raw, typed, sums)
            span = Span(raw.rows[0].span.start, raw.rows[-1].span.end)
            columns = tuple(each.column for each in typed)
            about = f"{raw.about} {source}"
            made.append(Table(number, columns, len(raw.rows), about, raw.within, span, raw.melted))
        connection.commit()
        within = [chunk for chunk in chunks if any(overlap(chunk.span, table.span) for table in made)]
        return DocumentTables(tuple(made), connection.serialize(), tuple(within))


def run(stored: DocumentTables, table: Table, plan: Plan) -> Result | None:
    """What the plan gives, no values where no row passes; None for too much, or more time than `LIMIT_S`. Blocks.

    None too for what would be told of one cell among several, of a row that may be a total, or with a wrong sign.
    """
    with _opened(stored.database) as connection:
        try:
            found = msgspec.convert(_fetched(connection, computed(plan, table.number)), list[_Computed])
            values = tuple(Value(group, value, rows) for group, value, rows in found if value is not None)
            if not values:  # ties have no rank
                return _of_empty_cell(connection, plan, table) if plan.rank == 1 else None
            if len(values) > MAX_RESULTS or not _is_settled(plan, table, values):
                return None
            if not _is_of_one_row_each(connection, plan, table) or not _agree(connection, plan, table):
                return None
            best = [(value.group, value.value) for value in values if value.group is not None]
            lying = rows_of(plan, table.number, best, table.rows)
            rows = msgspec.convert(_fetched(connection, lying), list[_Lying])
            reached = bool(rows) or all(_is_reached(connection, one, table) for one in plan.filters)
        except sqlite3.OperationalError:  # interrupted
            return None
    if plan.aggregate is not Aggregate.VALUE and any(total for *_, total in rows):
        return None
    shown = tuple(ShownRow(line, Span(first, last)) for line, first, last, _ in rows)
    shown = tuple(dict.fromkeys(shown))  # a row of several years is one line
    return Result(values, shown[:MAX_SHOWN_ROWS], len(rows), reached)


def _of_empty_cell(connection: sqlite3.Connection, plan: Plan, table: Table) -> Result:
    """The one row whose cell is asked for and says "none" or nothing; no row where there are several, or none."""
    if plan.aggregate is not Aggregate.VALUE or plan.group is not None or plan.minus is not None or plan.less:
        return NOTHING
    lying = rows_of(msgspec.structs.replace(plan, column=None), table.number, (), 2)
    rows = msgspec.convert(_fetched(connection, lying), list[_Lying])
    shown = tuple(ShownRow(line, Span(first, last)) for line, first, last, _ in rows)
    return Result((), shown, 1) if len(shown) == 1 else NOTHING


def _is_settled(plan: Plan, table: Table, values: Sequence[Value]) -> bool:
    """Not so where one of several cells, or a difference of the other sign, would be told as the answer."""
    if plan.sign is Sign.POSITIVE and not all(
        isinstance(value.value, int | float) and value.value > 0 for value in values
    ):
        return False
    if plan.aggregate in _OF_SEVERAL and plan.group is not None and all(value.rows == 1 for value in values):
        return False  # a mean for each row: another one is meant
    if plan.aggregate is not Aggregate.VALUE or plan.column is None:
        return True
    if plan.group is not None:
        return all(value.rows == 1 for value in values)
    return len(values) == 1 or table.columns[plan.column].kind is not ColumnKind.NUMBER


def _is_of_one_row_each(connection: sqlite3.Connection, plan: Plan, table: Table) -> bool:
    """Not so where a difference of what stands there would be made of one cell among several, on either side."""
    if plan.aggregate is not Aggregate.VALUE or (plan.minus is None and not plan.less):
        return True
    alone = msgspec.structs.replace(plan, less=(), minus=None)
    other = msgspec.structs.replace(
        alone,
        column=plan.column if plan.minus is None else plan.minus,
        filters=plan.less or plan.filters,
    )
    return all(len(_fetched(connection, rows_of(side, table.number, (), 2))) == 1 for side in (alone, other))


def _is_reached(connection: sqlite3.Connection, one: Filter, table: Table) -> bool:
    """Whether the rows go on for as long as the filter says, if it tells when they are of."""
    column = table.columns[one.column]
    if one.column not in table.dated or not one.values or (column.years and not is_period(column)):
        return True
    ((first, last),) = msgspec.convert(_fetched(connection, ends_of(one.column, table.number)), list[_Ends])
    soonest, latest = min(map(str, one.values)), max(map(str, one.values))
    goes_on, has_begun = str(last) >= latest, str(first)[: len(soonest)] <= soonest
    return (goes_on or one.test in UP_TO) and (has_begun or one.test in SINCE)


def _agree(connection: sqlite3.Connection, plan: Plan, table: Table) -> bool:
    return not any(_fetched(connection, differing(plan, at, table.number)) for at in plan.agreeing)


def _typed(raw: RawTable, sums: Sequence[int]) -> list[TypedColumn]:
    """Of a melted table the last column alone is added up: what the others have stands there once for each period."""
    last = len(raw.labels) - 1
    typed = []
    for at, label in enumerate(raw.labels):
        column = typed_column(label, [row.cells[at] for row in raw.rows], [total == SURE for total in sums])
        again = bool(raw.melted) and at != last and column.column.measured
        typed.append(msgspec.structs.replace(column, column=msgspec.structs.replace(column.column, again=again)))
    return typed


def _store(
    connection: sqlite3.Connection, number: int, raw: RawTable, typed: Sequence[TypedColumn], sums: Sequence[int]
) -> None:
    names = ["row INTEGER PRIMARY KEY", "line", "first", "last", "total", *(f"c{at}" for at in range(len(typed)))]
    connection.execute(f"CREATE TABLE t{number} ({', '.join(names)})")
    marks = ", ".join("?" * len(names))
    rows = (
        (at, row.line, row.span.start, row.span.end, sums[at], *(each.cells[at] for each in typed))
        for at, row in enumerate(raw.rows)
    )
    connection.executemany(f"INSERT INTO t{number} VALUES ({marks})", rows)  # noqa: S608 - names are this file's


def overlap(one: Span, other: Span) -> bool:
    """Whether they share a character."""
    return one.start < other.end and other.start < one.end


@contextmanager
def _opened(database: bytes) -> Iterator[sqlite3.Connection]:
    """A copy of its own, that cannot be written and is interrupted when its time is over."""
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.deserialize(database)
        connection.set_authorizer(_only_reading)
        end = time.monotonic() + LIMIT_S
        connection.set_progress_handler(lambda: time.monotonic() > end, _STEPS)
        yield connection


def _only_reading(action: int, *_about: object) -> int:
    return sqlite3.SQLITE_OK if action in _READING else sqlite3.SQLITE_DENY


def _fetched(connection: sqlite3.Connection, sql: Sql) -> list[object]:
    return connection.execute(sql.text, sql.bound).fetchall()
