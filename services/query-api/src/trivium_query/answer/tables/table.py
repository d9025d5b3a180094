"""What a table of a document knows of itself: columns with names, kinds, units and values."""

from __future__ import annotations

import enum

import msgspec

from trivium.domain.chunks import Chunk, Span

CLOCK = "%H:%M"  # the shape of a column of times of the day, not of days
DURATION = "h:mm"  # the shape of a column of hours and minutes, whose numbers are hours


class ColumnKind(enum.StrEnum):
    """What the cells of a column are. One cell that is neither a number nor a date makes its column text."""

    NUMBER = "number"
    DATE = "date"
    TEXT = "text"


class Column(msgspec.Struct, frozen=True):
    """`label` is as the document has it, without its unit. `values` are the distinct ones of text, in order.

    `decimals` is the most that a number of it has behind the point; `grouped` tells that it separates thousands.
    `again` tells that a number of it stands there once for each year or month of a melted table, `zero` that one of
    them is 0, `gaps` that one is not told. `years` tells that every number of it is a year; `shape` is how it writes
    dates (`datetime.strftime`) or durations, and `year` the only one that they are of, else 0.
    """

    label: str
    kind: ColumnKind
    unit: str = ""
    decimals: int = 0
    grouped: bool = False
    years: bool = False
    again: bool = False
    shape: str = ""
    year: int = 0
    zero: bool = False
    gaps: bool = False
    values: tuple[str, ...] = ()

    @property
    def is_clock(self) -> bool:
        """Whether it has times of the day, which no year or day is said of."""
        return self.shape == CLOCK

    @property
    def is_duration(self) -> bool:
        """Whether its numbers are hours, which it writes with minutes."""
        return self.shape == DURATION

    @property
    def measured(self) -> bool:
        """Whether sums and means of it say something."""
        return self.kind is ColumnKind.NUMBER and not self.years


class Table(msgspec.Struct, frozen=True):
    """One table. `number` counts from 0 in its document; `span` is its place in the document's text.

    `about` is what it is called: caption, sheet, section, name of the file; `within` what is around that.
    `melted`: so many columns of the document are of a year or month each, and the last column here has what stands in
    them; else 0.
    """

    number: int
    columns: tuple[Column, ...]
    rows: int
    about: str
    within: str
    span: Span
    melted: int = 0

    @property
    def measured(self) -> list[int]:
        """The columns that sums and means say something of."""
        return [at for at, column in enumerate(self.columns) if column.measured and not column.again]

    def names_rows(self, column: int) -> bool:
        """Whether the column of text has another value in each row of the document."""
        return len(self.columns[column].values) * max(1, self.melted) == self.rows

    @property
    def dated(self) -> list[int]:
        """The columns of dates and of years."""
        return [at for at, column in enumerate(self.columns) if column.kind is ColumnKind.DATE or column.years]


class DocumentTables(msgspec.Struct, frozen=True):
    """A document's tables: `database` is a serialised SQLite database, `chunks` are those that the tables stand in."""

    tables: tuple[Table, ...] = ()
    database: bytes = b""
    chunks: tuple[Chunk, ...] = ()


class ShownRow(msgspec.Struct, frozen=True):
    """A row as its document's text has it, and where."""

    line: str
    span: Span
