"""The date that a document gives itself, from what its parser read of it: nothing is guessed from the text."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

from trivium.domain.errors import Refused
from trivium.domain.times import named_span, seconds_of

# When it was sent, published or made, before when it was changed last: the names that the parsers give these.
_NAMES = ("date", "created", "creationdate", "creation_time", "modified", "moddate")
_EARLIEST = named_span("1000")[0]  # before that it is a number, or a clock that was never set
_LATEST = named_span("2100")[0]  # from then on it is a clock that was set wrongly
_UNSET = named_span("1601")[0]  # where Windows begins to count
_CAMERA = re.compile(  # Exif 2.32, DateTimeOriginal and OffsetTimeOriginal
    r"(\d{4}):(\d{2}):(\d{2}) (\d{2}:\d{2}:\d{2}(?:Z|[+-]\d{2}:\d{2})?)"
)
_PDF = re.compile(  # ISO 32000-1, 7.9.4; before the day a sign begins no time zone
    r"D:(\d{4})(?:(\d{2})(?:(\d{2})(\d{2})?(\d{2})?(\d{2})?(?:Z|([+-])(\d{2})'?(\d{2})?)?.*)?)?"
)
_HALF_DAY = re.compile(r"\b([ap])\.?m\b", re.IGNORECASE)
_FRACTION = re.compile(r"(\.\d{6})\d+")
_BRACKETS = "<>[]\"' "  # Org and YAML
_WEEKDAY = re.compile(r"^(\d{4}-\d{2}-\d{2}) [A-Za-z]{2,4}\b\.?")  # Org
_DAYS = ("%d %B %Y", "%B %d, %Y", "%d %b %Y", "%b %d, %Y", "%B %Y", "%Y/%m/%d", "%d.%m.%Y", "%Y%m%d")
_WORDED = (*_DAYS, "%Y-%m-%d %H:%M:%S %Z", "%Y-%m-%d %H:%M:%S %z", "%Y-%m-%dT%H:%M:%S%z", "%Y-%m-%dT%H:%M:%S.%f%z")


def own_date(metadata: Mapping[str, str]) -> int | None:
    """Unix seconds of the first of its dates that can be read; in UTC without a time zone, the start of a mere year."""
    said = (metadata.get(name, "").strip(_BRACKETS) for name in _NAMES)
    return next((seconds for text in said if text for seconds in _readings(text) if _likely(seconds, text)), None)


def _likely(seconds: int, text: str) -> bool:
    """Whether somebody meant it: no number, no clock that was never set. "1601" alone is a year."""
    return _EARLIEST <= seconds < _LATEST and (seconds != _UNSET or text == "1601")


def _readings(text: str) -> Iterator[int]:
    """What it may mean, one reading at most."""
    for read in (_iso, _pdf, _mail, _worded):
        try:
            seconds = read(text)
        except (ValueError, TypeError, OverflowError, IndexError, Refused):
            continue
        if seconds is not None:
            yield seconds
            return


def _iso(text: str) -> int:
    text = text.removeprefix("D:")  # some put it into a PDF as if it were its own form
    named = _WEEKDAY.match(text)
    camera = _CAMERA.fullmatch(text)
    if camera:
        text = f"{camera[1]}-{camera[2]}-{camera[3]}T{camera[4]}"
    return named_span(named[1] if named else _FRACTION.sub(r"\1", text))[0]


def _pdf(text: str) -> int | None:
    found = _PDF.fullmatch(text)
    if found is None:
        return None
    year, month, day, hour, minute, second = (int(part) if part else None for part in found.groups()[:6])
    zone = f"{found[7]}{found[8]}:{found[9] or '00'}" if found[7] else "+00:00"
    clock = f"{hour or 0:02}:{minute or 0:02}:{second or 0:02}"
    return named_span(f"{year:04}-{month or 1:02}-{day or 1:02}T{clock}{zone}")[0]


def _mail(text: str) -> int:
    when = parsedate_to_datetime(text)
    half = _HALF_DAY.search(text)  # which mails do not have, and the library leaves out
    if half and when.hour <= 12:
        when = when.replace(hour=when.hour % 12 + (12 if half[1] in "pP" else 0))
    return seconds_of(when if when.tzinfo else when.replace(tzinfo=UTC))


def _worded(text: str) -> int | None:
    for form in _WORDED:
        try:
            when = datetime.strptime(text, form)
        except ValueError:
            continue
        return seconds_of(when if when.tzinfo else when.replace(tzinfo=UTC))
    return None
