"""What numbers are measured in, and what a question wants a number of: how long, how heavy, what it costs."""

from __future__ import annotations

import re
from functools import cache

NUMBER_WORDS = (
    r"(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|(?:thir|four|fif|six|seven|eigh|nine)teen"
    r"|(?:twen|thir|for|fif|six|seven|eigh|nine)ty(?:-\w+)?|hundred|thousand|dozen|several)"
)
COUNTED = re.compile(rf"(?<![\w.,:/-])(?:\d[\d,.]*\d|\d|{NUMBER_WORDS})(?![\w:/-])", re.I)

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


@cache
def _in(units: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![^\W\d_])(?:{units})(?!\w)", re.I)


_MEASURES = f"{_LENGTH}|{_TIME}|{_MASS}|{_HEAT}"
_PERCENT = r"%|per ?cent"
_PRICE = rf"{_MONEY}|[$€£¥](?:\s?\d+)?"
_WHAT = r"\bwhat (?:(?:is|was) the )?"
_WANTED = (
    (
        re.compile(
            rf"\bhow (?:long|far|deep|high|tall|wide|thick)\b|{_WHAT}(?:length|depth|height|width|thickness)\b", re.I
        ),
        f"{_LENGTH}|{_TIME}",
    ),
    (re.compile(rf"\bhow heavy\b|\bhow much\b.*\bweighs?\b|{_WHAT}weight\b", re.I), _MASS),
    (re.compile(rf"\bhow (?:hot|warm|cold)\b|{_WHAT}temperature\b", re.I), _HEAT),
    (re.compile(r"\bhow old\b", re.I), _TIME),
    (re.compile(r"\binterest rate\b|\bpercentage\b|\bwhat (?:share|proportion)\b", re.I), _PERCENT),
    (
        re.compile(
            r"\b(?:costs?|price|fee|fare)\b|\bhow (?:expensive|much is)\b"
            r"|\b(?:what|how much)\b.*\b(?:pays?|paid|charged?|spend|spent|owed?)\b(?! (?:by|with|in|for by)\b)",
            re.I,
        ),
        _PRICE,
    ),
)
_COUNTED_UNITS = (
    *(
        rf"{unit}s?"
        for unit in ("year", "month", "week", "day", "hour", "minute", "second", "decade", "acre", "hectare")
    ),
    r"kilomet(?:re|er)s?|km",
    r"met(?:re|er)s?|m",
    r"centimet(?:re|er)s?|cm",
    r"miles?",
    r"f(?:ee|oo)t",
    r"kilo(?:gram)?s?|kg",
    r"grams?|g",
    r"ton(?:ne)?s?",
    r"lit(?:re|er)s?",
    rf"degrees?|{_HEAT}",
    _PERCENT,
    r"euros?|€(?:\s?\d+)?",
    r"pounds?|£(?:\s?\d+)?",
    r"dollars?|\$(?:\s?\d+)?",
)
_HOW_MANY = tuple((re.compile(rf"\bhow many (?:{units})(?!\w)", re.I), units) for units in _COUNTED_UNITS)
_DIMENSIONS = (
    re.compile(r"\bdeep(?:er|est)?\b|\bdepth\b", re.I),
    re.compile(r"\bheight\b|\btall(?:er|est)?\b|\bhow high\b|\bhigher than\b|\bmet(?:re|er)s high\b", re.I),
    re.compile(r"\bwid(?:e|er|est|th)\b|\bbroad(?:er|est)?\b|\bbreadth\b", re.I),
)
_AWAY = re.compile(
    r"\W+(?:\w+\W+)?(?:upstream|downstream|uphill|downhill|away|off|from|further"
    r"|(?:to the )?(?:north|south|east|west)\w*)\b",
    re.I,
)
_HOW_LARGE = re.compile(r"\bhow (?:deep|high|tall|wide|thick|big|large)\b|\b(?:depth|height|width) of\b", re.I)
SOME_TIME = rf"\b(?:half an?|an?|a quarter of an?)\s(?:{_TIME})(?!\w)"
_AMOUNT = r"\d[\d,.]*|an?|half an?|(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|[a-z]+(?:teen|ty))"


def is_measured(question: str, text: str) -> bool:
    """Whether the text holds a unit of what the question wants a number of; False where it wants none."""
    wanted = _wanted(question)
    return wanted is not None and _in(wanted).search(text) is not None


def is_of_another_unit(question: str, text: str) -> bool:
    """Whether the text has units, but none of what the question wants a number of: centimetres for "how heavy"."""
    wanted = _wanted(question)
    if wanted is None or _in(wanted).search(text):
        return False
    return _in(f"{_MEASURES}|{_PRICE}" if wanted == _PERCENT else _MEASURES).search(text) is not None


def is_of_another_dimension(question: str, short: str, said: str) -> bool:
    """Whether the number is of a height or of a way, and it is asked for a depth: "no higher than 2.2 metres"."""
    at = said.find(short) if short else -1
    if at >= 0 and _HOW_LARGE.search(question) and _in(_LENGTH).search(short) and _AWAY.match(said, at + len(short)):
        return True
    if not any(map(str.isdigit, short)):
        return False
    asked, told = ({one for one in _DIMENSIONS if one.search(text)} for text in (question, said))
    return bool(asked and told) and not asked & told


def amounts_for(question: str) -> re.Pattern[str] | None:
    """Finds numbers with a unit of what the question wants a number of; None where it wants none."""
    wanted = _wanted(question)
    if wanted is None:
        return None
    one = rf"(?<![\w.,])(?:{_AMOUNT})(?:[ -]?|\s)(?:{wanted})(?!\w)"
    return re.compile(rf"{one}(?:\s+and\s+{one})?", re.I)


def _wanted(question: str) -> str | None:
    return next((units for asks, units in (*_WANTED, *_HOW_MANY) if asks.search(question)), None)
