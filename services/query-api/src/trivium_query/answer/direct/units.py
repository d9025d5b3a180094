"""What numbers are measured in, and what a question wants a number of: how long, how heavy, what it costs."""

from __future__ import annotations

import re

_LENGTH = r"(?:kilo|centi|milli)?met(?:re|er)s?|[ckm]?m|miles?|f(?:ee)?t|inch(?:es)?"
_TIME = r"hours?|minutes?|min|seconds?|days?|weeks?|months?|years?|decades?|centur(?:y|ies)"
_MASS = r"(?:kilo|milli)?grams?|k?g|tons?|tonnes?|pounds?"
_MONEY = r"pounds?|pence|euros?|cents?|dollars?|kroner|kronor|francs?|yen"
_HEAT = r"°[CF]|degrees?"
_OTHER = (
    r"%|per ?cent|acres?|hectares?|lit(?:re|er)s?|[kMG]Wh?|watts?|volts?|knots?|thousand"
    r"|(?:m|b)illion(?:\s(?:euros?|pounds?|dollars?))?"
)
UNIT = re.compile(rf"(?<=\d)\s?(?:(?:{_HEAT}|{_LENGTH}|{_TIME}|{_MASS}|{_MONEY}|{_OTHER})(?!\w)|%)")


def _in(units: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![^\W\d_])(?:{units})(?!\w)", re.I)


_WANTED = (
    (re.compile(r"\bhow (?:long|far|deep|high|tall|wide|thick)\b", re.I), _in(f"{_LENGTH}|{_TIME}")),
    (re.compile(r"\bhow heavy\b|\bhow much\b.*\bweighs?\b", re.I), _in(_MASS)),
    (re.compile(r"\bhow (?:hot|warm|cold)\b", re.I), _in(_HEAT)),
    (re.compile(r"\bhow old\b", re.I), _in(_TIME)),
    (
        re.compile(r"\b(?:costs?|price|fee|fare)\b|\bhow (?:expensive|much is)\b", re.I),
        _in(rf"{_MONEY}|[$€£¥](?:\s?\d+)?"),
    ),
)


def is_measured(question: str, text: str) -> bool:
    """Whether the text holds a unit of what the question wants a number of; False where it wants none."""
    wanted = next((units for asks, units in _WANTED if asks.search(question)), None)
    return wanted is not None and wanted.search(text) is not None
