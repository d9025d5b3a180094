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
_TIME = r"hours?|minutes?|min|seconds?|days?|nights?|weeks?|months?|years?|decades?|centur(?:y|ies)"
_MASS = r"(?:kilo|milli)?grams?|k?g|tons?|tonnes?|pounds?"
_MONEY = (
    r"pounds?|pence|(?<=\d)p|euros?|cents?|dollars?|kroner|kronor|crowns?|francs?|yen|guineas?|shillings?"
    r"|(?<!gas )marks?|thalers?|roubles?|rupees?|pesos?|lir[ae]|quid|bucks?|kr|zł|Kč"
    r"|EUR|USD|GBP|CHF|SEK|NOK|DKK|PLN|CZK|JPY"
)
_HEAT = r"°[CF]|degrees?"
_OTHER = (
    r"%|per ?cent|acres?|hectares?|lit(?:re|er)s?|[kMG]Wh?|watts?|volts?|knots?|thousand"
    r"|(?:m|b)illion(?:\s(?:euros?|pounds?|dollars?))?"
)
UNIT = re.compile(rf"(?<=\d)\s?(?:(?:{_HEAT}|{_LENGTH}|{_TIME}|{_MASS}|{_MONEY}|{_OTHER})(?!\w)|%)")


@cache
def _in(units: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![^\W\d_])(?:{units})(?!\w)", re.I)


_SPEED = rf"km/h|mph|kph|m/s|rpm|knots?|(?:{_LENGTH}|[a-z]+s) (?:in an?|an?|per) (?:hour|minute|second)"
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
    (re.compile(rf"{_WHAT}(?:top |maximum |average )?speed\b", re.I), _SPEED),
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
_ASKS_FOR_MONEY = re.compile(
    r"\bhow expensive\b|\bhow much (?:do|does|did|is|was|are|were|will|would|must|should|has|have|can|money)\b.*"
    r"\b(?:costs?|pay(?:s|ing)?|paid|charged?|worth|earn(?:s|ed)?|spend|spent|owed?)\b"
    r"(?! (?:by|with|in|for by)\b)"
    r"|\bwhat (?:is|was|are|were) (?:the |its |their )?(?:\w+ ){0,2}(?:price|cost|fee|fare|rent|charge)s?\b"
    r"(?!\s(?!(?:of|for|to|per|an?|at|in|on|if|each|when|from|paid|charged)\b)\w)"  # no "charge time"
    r"|\bwhat (?:do|does|did|will|would|must|should)\b.*\b(?:cost|pay|charge|earn|spend|owe)\b"
    r"(?! (?:by|with|in|for by)\b)"
    r"|^\W*price of\b",
    re.I,
)
_TOLD_OF_MONEY = re.compile(
    rf"\b(?:costs?|prices?|fees?|fares?|rents?|worth|pay(?:s|ing)?|paid|charge[sd]?|spen[dt]|owe[sd]?|free|money"
    r"|bought|s[eo]ld|sells?|sales?|salar(?:y|ies)|wages?|bills?|fines?|deposits?|earn(?:s|ed|ings)?|hired?|tariffs?|rates?"
    rf"|amounts?|totals?|sums?|budgets?|expenses?|income|fivers?|tenners?)\b|{_PERCENT}|[$€£¥₹₽₺]|\bFr\.\s?\d"
    r"|\bfor\s\d[\d.,]*(?!\s?\w)|\d\s(?:an?|per)\s(?:hour|day|night|week|month|year|head|person)\b"  # "let for 850"
    r"|\d[.,](?:\d\d(?![.,]?\d)|[-\u2013\u2014])|\b(?:m|b)illion\b|\d\s?(?:mio|bn)\b|\bthousand\b|\b(?:half|double|twice)\b",
    re.I,
)
_SIGN = re.compile(r"[$€£¥₹₽₺]")  # also of "US$12" and "£12m"
_COSTS = re.compile(r"\bcosts?\s(?:\w+\s){0,2}$", re.I)  # three days of work
# Prices are high, fines heavy, and fall far; filters last 500 litres.
_OF_SIZE = re.compile(r"\bhow (?:high|deep|heavy|far|wide)\b|\blasts?\b", re.I)
_NUMBER = re.compile(rf"\d|\b{NUMBER_WORDS}\b", re.I)
_ALL = f"{_MEASURES}|{_PRICE}|acres?|hectares?|lit(?:re|er)s?|[kMG]Wh?|watts?|volts?|knots?"
_PER = re.compile(rf"\b(?:an?|per|each|every)\s(?:{_MEASURES})(?!\w)", re.I)  # "30 an hour" is no time
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


def is_no_such_amount(question: str, short: str, said: str, before: str = "") -> bool:
    """Whether the number is one of other things: kilograms or "28 in the old cars", where it is asked for a price.

    What stands `before` the sentence may tell that bare numbers are prices.
    """
    if not _NUMBER.search(short):
        return False
    ahead, _, behind = said.partition(short)
    measured = _in(_ALL).search(_PER.sub("", " ".join([short, *behind.split(maxsplit=1)[:1]])))
    if _ASKS_FOR_MONEY.search(question):
        priced = _in(_PRICE).search(said) or _SIGN.search(said) or _COSTS.search(ahead)
        return not priced if measured else lacks_money(question, f"{before} {said}")
    wanted = next((units for asks, units in _WANTED if asks.search(question)), _PERCENT)
    of_other = measured is not None and wanted not in (_PERCENT, _PRICE) and not _OF_SIZE.search(question)
    return of_other and _in(wanted).search(said) is None


def lacks_money(question: str, said: str) -> bool:
    """Whether it is asked what something costs, and told without a word or sign of money or of paying."""
    told = _in(_PRICE).search(said) or _TOLD_OF_MONEY.search(said)
    return _ASKS_FOR_MONEY.search(question) is not None and told is None


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
