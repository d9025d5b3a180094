"""Times as people write them (ISO 8601), in whole Unix seconds: a year, a month, a day or an instant."""

from __future__ import annotations

import enum
import math
import re
from calendar import monthrange
from datetime import UTC, datetime, timedelta

import msgspec

from trivium.domain.errors import Refused

MAX_TIME_CHARS = 40
EXAMPLES = "2026, 2026-11, 2026-11-24, 2026-11-24T18:30 or 2026-11-24T18:30:00+01:00"
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_DAY_S = 24 * 60 * 60
_YEAR = r"(?!0000)[0-9]{4}"
_LEAP = r"(?!0000)(?:[0-9]{2}(?:0[48]|[2468][048]|[13579][26])|(?:[02468][048]|[13579][26])00)"
_DAYS = (
    rf"{_YEAR}-(?:0[13578]|1[02])-(?:0[1-9]|[12][0-9]|3[01])|{_YEAR}-(?:0[469]|11)-(?:0[1-9]|[12][0-9]|30)"
    rf"|{_YEAR}-02-(?:0[1-9]|1[0-9]|2[0-8])|{_LEAP}-02-29"
)
_CLOCK = r"(?:[01][0-9]|2[0-3]):[0-5][0-9](?::[0-5][0-9](?:\.[0-9]{1,6})?)?"
_ZONE = r"(?:Z|[+-](?:[01][0-9]|2[0-3]):[0-5][0-9])?"
TIME = rf"(?:{_YEAR}(?:-(?:0[1-9]|1[0-2]))?|(?:{_DAYS})(?:[T ]{_CLOCK}{_ZONE})?)"
"""What can be read, exactly: a year, a month or a day that there is, or an instant of a day."""


class TimeOf(enum.StrEnum):
    """Which time of a document is meant: when it was handed over, or the date that it gives itself."""

    UPLOADED = "uploaded"
    DATED = "dated"


class Period(msgspec.Struct, frozen=True):
    """From `start` on and before `end`, in Unix seconds; None where it is open. What has no such time is outside."""

    of: TimeOf = TimeOf.UPLOADED
    start: int | None = None
    end: int | None = None

    def holds(self, uploaded: float, dated: int | None) -> bool:
        """Whether the time that is meant lies within."""
        time = uploaded if self.of is TimeOf.UPLOADED else dated
        if time is None:
            return False
        return (self.start is None or time >= self.start) and (self.end is None or time < self.end)


def period(since: str, until: str, of: TimeOf) -> Period | None:
    """From the beginning of `since` to the end of `until`, "" where it is open; None when both are.

    Raises `Refused` (`bad_time`), also where nothing can lie between.
    """
    start, end = (named_span(since)[0] if since else None), (named_span(until)[1] if until else None)
    if start is None and end is None:
        return None
    if start is not None and end is not None and start >= end:
        raise Refused("bad_time", f"{since!r} lies behind {until!r}.", "Give the earlier one first.")
    return Period(of, start, end)


def named_span(text: str) -> tuple[int, int]:
    """The beginning of the year, month or day that is named, and of the next one; an instant is one second long.

    Without a time zone it is UTC. Raises `Refused` (`bad_time`).
    """
    try:
        start, length_s = _read(text)
        first = seconds_of(start)
    except (ValueError, OverflowError) as error:
        raise Refused("bad_time", f"{text[:MAX_TIME_CHARS]!r} is no time.", f"Write it as {EXAMPLES}.") from error
    return first, first + length_s


def written(seconds: float) -> str:
    """ISO 8601 in UTC, to the second."""
    return f"{(_EPOCH + timedelta(seconds=math.floor(seconds))).isoformat().partition('+')[0]}Z"


def seconds_of(instant: datetime) -> int:
    """Whole Unix seconds of an instant with a time zone. Raises `OverflowError` at the ends of the calendar."""
    return math.floor((instant - _EPOCH).total_seconds())


def _read(text: str) -> tuple[datetime, int]:
    """Where it begins, and how many seconds it lasts."""
    if not re.fullmatch(TIME, text):
        raise ValueError(text)
    day, _, clock = text.replace(" ", "T").partition("T")
    if clock:
        instant = datetime.fromisoformat(f"{day}T{clock}")
        return instant if instant.tzinfo else instant.replace(tzinfo=UTC), 1
    year, month, number = (int(part) if part else 0 for part in f"{day}--".split("-")[:3])
    start = datetime(year, month or 1, number or 1, tzinfo=UTC)
    if number:
        return start, _DAY_S
    months = [month] if month else range(1, 13)
    return start, sum(monthrange(year, each)[1] for each in months) * _DAY_S
