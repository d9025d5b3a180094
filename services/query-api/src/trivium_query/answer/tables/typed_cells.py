# ruff: noqa: SIM905  (word lists read best as words)
"""Cells of a column as numbers, dates or text: all of one kind, else all text."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from datetime import datetime

import msgspec

from trivium_query.answer.tables.table import CLOCK, DURATION, Column, ColumnKind

MAX_VALUES = 5_000  # distinct values of a column that questions are matched with
FIRST_YEAR, LAST_YEAR = 1500, 2200
TypedCell = int | float | str | None
MAX_DIGITS = 15  # what a binary number holds exactly
MIN_NAMES = 3  # rows, for numbers to be names of them
_NAMING = frozenset(  # words of such a column's name
    "id no nr code index key ref reference order invoice ticket serial isbn zip postcode plz phone telephone"
    " plot lot house flat room seat berth locker stall gate platform lane track page row bay".split()
)
_PLACING = _NAMING | frozenset("floor zone line team week round".split())  # and of one that several rows share
MAX_NAMING = 2  # words of such a name: "bus line"
EMPTY = frozenset(["", "-", "\u2013", "\u2014", "n/a", "na", "none", "null", "nan", "k.a.", "…"])
_CURRENCIES = frozenset("$€£¥")
_WRITTEN = "EUR USD GBP CHF JPY W kW kWh kB MB GB TB KiB MiB GiB TiB".split()
_OF_FOLDED = {unit.casefold(): unit for unit in _WRITTEN}
_LABEL_UNIT = re.compile(
    r"(?:\s*[(\[]\s*([^()\[\]]{1,12})\s*[)\]]|\s+(?:in )?(EUR|USD|GBP|CHF|JPY)"
    r"|\s+in\s([$€£¥%]|euros|pounds|dollars|kg|g|mg|t|km|m|cm|mm|l|ml|h|min|kWh|s|ms|W|kW|[kMGT]i?B)"
    r"|_(EUR|USD|GBP|CHF|JPY|kg|g|mg|t|km|m|cm|mm|l|ml|h|min|kwh|eur|usd|gbp|chf|jpy|s|ms|w|kw|[kmgt]i?b))\s*$"
)
_NUMBER = re.compile(
    r"(?P<sign>[-+\u2212]?)\s*(?P<before>[$€£¥]?)\s*(?P<loss>\(?)\s*(?P<digits>\d[\d.,'\u00a0\u202f]*)"
    r"\s*(?P<closed>\)?)\s*(?P<after>%|[$€£¥]|[^\W\d_]{1,5}[²³]?(?:/[^\W\d_]{1,4})?)?"
)
_DOTTED = "%d.%m.%y"
_DATE_FORMATS = (
    "%Y-%m-%d",
    "%Y-%m-%d %H:%M",
    "%Y-%m-%d %H:%M:%S",
    "%Y-%m-%dT%H:%M:%S",
    "%d %B %Y",
    "%d %b %Y",
    "%B %d, %Y",
    "%b %d, %Y",
    "%d.%m.%Y",
    _DOTTED,
    "%Y-%m",
    "%B %Y",
    "%b %Y",
    "%m/%Y",
)
_TIME = re.compile(r"(?:[01]?\d|2[0-3]):[0-5]\d")
_DURATION = re.compile(r"(\d{1,5}):([0-5]\d)(?::([0-5]\d))?")
_DAY_H = 24
_LASTING = frozenset(  # words of the name of a column of durations, all of them
    "hours hrs h duration worked working time spent length running total playing".split()
)
_SLASHED = ("%d/%m/%Y", "%m/%d/%Y", "%d/%m/%y", "%m/%d/%y")


class TypedColumn(msgspec.Struct, frozen=True):
    """A column, and its cells in the order of the rows; None for an empty one. Dates are ISO 8601."""

    column: Column
    cells: tuple[TypedCell, ...]


def typed_column(label: str, cells: Sequence[str], sums: Sequence[bool]) -> TypedColumn:
    """The column as the narrowest kind that all of its cells have; those of rows that sum up others name no value."""
    filled = [cell.strip() for cell in cells]
    present = [cell for cell in filled if cell.casefold() not in EMPTY]
    for read in (_dates, _numbers, _durations, _clock):
        if typed := read(label, filled, present):
            return typed
    return _text(label, filled, sums)


def _numbers(label: str, filled: Sequence[str], present: Sequence[str]) -> TypedColumn | None:
    matches = [_NUMBER.fullmatch(cell) for cell in present]
    found = [match for match in matches if match]
    if not present or len(found) < len(present) or any(map(_is_no_quantity, found)):
        return None
    unit_of_cells = _unit([match["before"] or match["after"] or "" for match in found])
    mark = _decimal_mark([match["digits"] for match in found])
    if unit_of_cells is None or mark is None:
        return None
    plain = [_plain(match, mark) for match in found]
    name, unit = _label_and_unit(label)
    whole = all("." not in number for number in plain)
    values = [int(number) if whole else float(number) for number in plain]
    if whole and _are_names(label, values):
        return None
    column = Column(
        name,
        ColumnKind.NUMBER,
        unit or unit_of_cells,
        decimals=max(len(number.partition(".")[2]) for number in plain),
        grouped=any(_is_grouped(match["digits"], mark) for match in found),
        years=whole and all(map(_is_year, values)),
        zero=0 in values,
        gaps=len(present) < len(filled),
    )
    left = iter(values)
    return TypedColumn(column, tuple(None if cell.casefold() in EMPTY else next(left) for cell in filled))


def _unit(units: Sequence[str]) -> str | None:
    """What all cells are measured in; an amount may leave its currency to the row above. None where they differ."""
    told = set(units) - {""}
    if len(told) > 1 or ("" in units and told - _CURRENCIES):
        return None
    return told.pop() if told else ""


def _is_no_quantity(match: re.Match[str]) -> bool:
    """A leading zero is part of a name (a telephone number, an article's), and so are more digits than a double has.

    Brackets come in pairs.
    """
    digits = match["digits"]
    if sum(map(str.isdigit, digits)) > MAX_DIGITS:
        return True
    return bool(match["loss"]) != bool(match["closed"]) or (digits[0] == "0" and digits[1:2].isdigit())


def _are_names(label: str, values: Sequence[float]) -> bool:
    """Whether the numbers are names of rows: all different, and called so or one after the other."""
    if len(set(values)) < len(values) or len(values) < MIN_NAMES or all(map(_is_year, values)):
        return False
    called = bool(_NAMING & set(re.findall(r"[^\W_]+", label.casefold())))
    return called or list(values) == list(range(int(values[0]), int(values[0]) + len(values)))


def is_naming(column: Column) -> bool:
    """Whether its numbers say which one it is, and not how many: a flat, a floor."""
    label = re.findall(r"[^\W_]+", column.label.casefold())
    called = bool(label) and label[-1] in _PLACING and len(label) <= MAX_NAMING  # but no "hours per week"
    return column.measured and not (column.unit or column.decimals) and called


def _is_year(value: float) -> bool:
    return FIRST_YEAR <= value <= LAST_YEAR


def _decimal_mark(numbers: Sequence[str]) -> str | None:
    """Point or comma, as the whole column has it; None where its cells contradict each other."""
    marks = {mark for number in numbers if (mark := _told_mark(number))}
    return marks.pop() if len(marks) == 1 else "." if not marks else None


def _told_mark(number: str) -> str:
    """What one number tells: the last of both marks, or the only one unless three digits follow it."""
    point, comma = number.rfind("."), number.rfind(",")
    if point >= 0 and comma >= 0:
        return "." if point > comma else ","
    last = max(point, comma)
    if last < 0:
        return ""
    mark = number[last]
    if number.count(mark) > 1:
        return "," if mark == "." else "."
    return mark if len(number) - last - 1 != 3 or (mark == "." and number.startswith("0")) else ""


def _plain(match: re.Match[str], mark: str) -> str:
    digits = "".join(char for char in match["digits"] if char.isdigit() or char == mark).replace(mark, ".")
    lost = bool(match["loss"] and match["closed"])  # accountants write a loss in brackets
    return ("-" if lost or match["sign"] in ("-", "\u2212") else "") + digits.rstrip(".")


def _is_grouped(digits: str, mark: str) -> bool:
    return any(not char.isdigit() and char != mark for char in digits)


def _dates(label: str, filled: Sequence[str], present: Sequence[str]) -> TypedColumn | None:
    for shape in _formats(present):
        read = _reader(shape)
        days = [None if cell.casefold() in EMPTY else read(cell) for cell in filled]
        known = [day for day in days if day is not None]
        if len(known) == len(present) and not (shape == "%Y-%m" and all(map(_is_season, known))):
            same = min(known)[:4] == max(known)[:4]
            year = int(known[0][:4]) * same
            column = Column(label, ColumnKind.DATE, shape=shape, year=year, gaps=None in days)
            return TypedColumn(column, tuple(days))
    return None


def _durations(label: str, filled: Sequence[str], present: Sequence[str]) -> TypedColumn | None:
    """Hours and minutes, where one cell has more than a day or the column is called so; its numbers are hours."""
    matches = [_DURATION.fullmatch(cell) for cell in present]
    found = [match for match in matches if match]
    if not present or len(found) < len(present):
        return None
    hours = [int(match[1]) + int(match[2]) / 60 + int(match[3] or 0) / 3600 for match in found]
    words = set(re.findall(r"[^\W_]+", label.casefold()))
    if max(hours) < _DAY_H and not (words and words <= _LASTING):
        return None
    left = iter(hours)
    cells = (None if cell.casefold() in EMPTY else next(left) for cell in filled)
    return TypedColumn(Column(label, ColumnKind.NUMBER, shape=DURATION), tuple(cells))


def _clock(label: str, filled: Sequence[str], present: Sequence[str]) -> TypedColumn | None:
    """Times of a day on a clock of 24 hours; text orders them once the hours have two digits."""
    if not present or not all(map(_TIME.fullmatch, present)):
        return None
    times = (None if cell.casefold() in EMPTY else cell.zfill(len(CLOCK)) for cell in filled)
    return TypedColumn(Column(label, ColumnKind.DATE, shape=CLOCK), tuple(times))


def _is_season(month: str) -> bool:
    """Whether "2009-10" may be two years."""
    return int(month[5:7]) == (int(month[2:4]) + 1) % 100


def _formats(present: Sequence[str]) -> Sequence[str]:
    """Those that read the first cell; of day/month and month/day the one that reads all, and none if both do."""
    first = present[:1]
    slashed = [shape for shape in _SLASHED if all(_reader(shape)(cell) for cell in present)] if first else []
    if len(slashed) == 1:
        return slashed
    whole = all(len(cell) == len("31.12.24") for cell in present)  # "3.11.12" may be a version
    return [shape for shape in _DATE_FORMATS if first and _reader(shape)(first[0]) and (whole or shape != _DOTTED)]


def _reader(shape: str) -> Callable[[str], str | None]:
    timed = "%H" in shape

    def read(cell: str) -> str | None:
        try:
            moment = datetime.strptime(cell, shape)
        except ValueError:
            return None
        return moment.isoformat(" ", "minutes") if timed else moment.date().isoformat()

    return read


def _text(label: str, filled: Sequence[str], sums: Sequence[bool]) -> TypedColumn:
    distinct = dict.fromkeys(cell for cell, total in zip(filled, sums, strict=True) if cell and not total)
    values = tuple(distinct) if len(distinct) <= MAX_VALUES else ()
    return TypedColumn(Column(label, ColumnKind.TEXT, values=values), tuple(cell or None for cell in filled))


def _label_and_unit(label: str) -> tuple[str, str]:
    """`Mean level (m)` and `Level in m` are levels in metres, `Cost EUR` and `cost_eur` are in euros."""
    match = _LABEL_UNIT.search(label)
    if not match or not match.start():
        return label, ""
    behind = match[4] or ""
    return label[: match.start()], match[1] or match[2] or match[3] or _OF_FOLDED.get(behind.casefold(), behind)
