"""Spreadsheet cells: references (`B12`), and numbers as the program shows them (dates, percentages)."""

from __future__ import annotations

import datetime
import math
import re
from collections.abc import Callable
from decimal import Decimal
from functools import lru_cache, partial

import msgspec

from trivium.domain.errors import NeverWill
from trivium_ingest.parse.office.package import Package

S = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
_LETTERS = re.compile(r"\$?[A-Z]{1,3}\$?")
_REFERENCE = re.compile(r"\$?([A-Z]{1,3})\$?(\d{1,7})")
# Formats that Excel has by number (ECMA-376, part 1, 18.8.30).
_DATES = frozenset([14, 15, 16, 17, 22, *range(27, 37), *range(50, 59)])
_TIMES = frozenset([18, 19, 20, 21, 45, 47])
_DURATION = 46
_DURATIONS = ("duration", "seconds")
_PERCENT = frozenset([9, 10])
# Words, characters after a mark (as they are, as room, to fill up with), and what stands in brackets but a duration.
_QUOTED = re.compile(r'"[^"]*"|[\\_*].|\[(?!h+\]|m+\]|s+\])[^\]]*\]', re.IGNORECASE)
_ELAPSED = re.compile(r"\[[hms]+\]")  # all hours, minutes or seconds, not those beyond full days
_DAY_ZERO = datetime.datetime(1899, 12, 30)
_DAY_ZERO_1904 = datetime.datetime(1904, 1, 1)
_LEAP_DAY = 60  # 29 February 1900, which Excel takes for a day: before it, its days are one later
_EXACT_DIGITS = 15  # what a binary number holds
_IN_DIGITS = 1e21  # from here on with an exponent, as ECMAScript's numbers are written


def column_of(reference: str) -> int:
    """The column of `B12`, from 1; 0 when it is no reference."""
    return column_number(reference.rstrip("0123456789"))


@lru_cache(maxsize=1024)
def column_number(letters: str) -> int:
    """The number of column `B`, from 1; 0 when it is none."""
    column = 0
    for letter in letters.replace("$", "") if _LETTERS.fullmatch(letters) else "":
        column = column * 26 + ord(letter) - 64
    return column


def row_of(reference: str) -> int:
    """The row of `B12`, from 1; 0 when it is no reference."""
    match = _REFERENCE.fullmatch(reference)
    return int(match.group(2)) if match else 0


class CellFormats(msgspec.Struct, frozen=True):
    """How each cell style shows a number: `date`, `time`, `both`, `duration`, `percent` or as it is.

    `seconds` is a duration that is shown to the second.
    """

    kinds: tuple[str, ...]
    since_1904: bool = False

    @classmethod
    def read(cls, package: Package, part: str) -> CellFormats:
        """From the workbook's style sheet, of that name; without one, numbers stay numbers."""
        try:
            root = package.xml(part)
            settings = package.xml("xl/workbook.xml").find(f"{S}workbookPr")
        except NeverWill:
            return cls(())
        custom = {node.get("numFmtId", ""): node.get("formatCode", "") for node in root.iter(f"{S}numFmt")}
        styles = root.find(f"{S}cellXfs")
        kinds = tuple(_kind(node.get("numFmtId", "0"), custom) for node in (styles if styles is not None else ()))
        since_1904 = settings is not None and settings.get("date1904") in ("1", "true")
        return cls(kinds, since_1904)

    def showing(self, style: str) -> Callable[[str], str]:
        """What turns a stored number of that style into the words that a person would use."""
        number = int(style) if style.isdigit() else 0
        kind = self.kinds[number] if number < len(self.kinds) else ""
        if not kind:
            return _number
        return partial(_formatted, kind, _DAY_ZERO_1904 if self.since_1904 else _DAY_ZERO)


def shown_as(code: str, text: str, *, since_1904: bool) -> str:
    """A stored number in the words that a person would use, by the code of its format."""
    kind = _custom_kind(code)
    return _formatted(kind, _DAY_ZERO_1904 if since_1904 else _DAY_ZERO, text) if kind else _number(text)


def _number(text: str) -> str:
    if text.isdigit():
        return text.lstrip("0") or "0"
    try:
        value = float(text)
    except ValueError:
        return text
    return plain_number(value) if math.isfinite(value) else text


@lru_cache(maxsize=4096)  # days and shares come again and again
def _formatted(kind: str, zero: datetime.datetime, text: str) -> str:
    try:
        value = float(text)
    except ValueError:
        return text
    if kind == "percent":
        share = round(value * 100, 4)
        return f"{plain_number(share)}%" if math.isfinite(share) else text
    try:
        return _moment(value, kind, zero) if value >= 0 or kind in _DURATIONS else _number(text)
    except (OverflowError, ValueError):  # beyond the year 9999, or no number
        return _number(text)


def plain_number(value: float) -> str:
    """Without the noise of binary fractions: 0.1 + 0.2 is 0.3."""
    if abs(value) < 1e15 and value == int(value):
        return str(int(value))
    if 1e15 <= abs(value) < _IN_DIGITS:
        return f"{Decimal(repr(value)).normalize():f}"
    return f"{value:.{_EXACT_DIGITS}g}"


def duration(total: float, *, with_seconds: bool = False) -> str:
    """Seconds as hours:minutes(:seconds), however many hours they are."""
    whole = round(total)
    minutes, seconds = divmod(abs(whole), 60)
    shown = f"{'-' if whole < 0 else ''}{minutes // 60}:{minutes % 60:02}"
    return f"{shown}:{seconds:02}" if with_seconds or seconds else shown


def _moment(value: float, kind: str, zero: datetime.datetime) -> str:
    if kind in _DURATIONS:
        return duration(value * 86_400, with_seconds=kind == "seconds")
    if zero == _DAY_ZERO and 1 <= value < _LEAP_DAY:
        value += 1
    moment = zero + datetime.timedelta(seconds=round(value * 86_400))
    if kind == "time":
        return moment.strftime("%H:%M:%S") if value < 1 else moment.isoformat(" ")
    if kind == "both" or value % 1:
        return moment.strftime("%Y-%m-%d %H:%M:%S" if moment.second else "%Y-%m-%d %H:%M")
    return moment.date().isoformat()


def _kind(identity: str, custom: dict[str, str]) -> str:
    if identity in custom:
        return _custom_kind(custom[identity])
    number = int(identity) if identity.isdigit() else 0
    if number == 22:
        return "both"
    if number == _DURATION:
        return "seconds"
    if number in _DATES:
        return "date"
    if number in _TIMES:
        return "time"
    return "percent" if number in _PERCENT else ""


def _custom_kind(code: str) -> str:
    pattern = _QUOTED.sub("", code.split(";", maxsplit=1)[0]).lower()
    if "general" in pattern:
        return ""
    if _ELAPSED.search(pattern):
        return "seconds" if "s" in pattern else "duration"
    day, hour = any(c in pattern for c in "yd"), any(c in pattern for c in "hs")
    if day and hour:
        return "both"
    if day or (pattern.strip("m-/. ") == "" and "m" in pattern):
        return "date"
    if hour:
        return "time"
    return "percent" if "%" in pattern else ""
