# ruff: noqa: E501, SIM905  (word lists read best as words)
"""Values in a sentence: days, times, amounts, quantities, counts and colours, each as a range it may lie in. Pure."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator

import msgspec

from trivium_query.contradictions.units import UNIT, dimension_of, in_base, unit_named
from trivium_query.words import content_words, stem

_MONTH_NAMES = "jan feb mar apr may jun jul aug sep oct nov dec".split()
_MONTH = (
    "(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?"
    r"|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\.?"
)
_YEAR = r"(?:1[0-9]{3}|20[0-9]{2})"
_DAY = r"(?:[12]\d|3[01]|0?[1-9])(?:st|nd|rd|th)?"
_DATE = re.compile(
    rf"(?<![\w.,/-])(?:(?P<d1>{_DAY})(?: of)? (?P<m1>{_MONTH}),?(?: (?P<y1>{_YEAR}))?"
    rf"|(?P<m2>{_MONTH}) (?P<d2>{_DAY})(?:,? (?P<y2>{_YEAR}))?(?![\w:])"
    rf"|(?P<m3>{_MONTH}),? (?P<y3>{_YEAR})"
    rf"|(?P<y4>{_YEAR})-(?P<m4>\d\d)-(?P<d4>\d\d)"
    rf"|(?P<d5>\d{{1,2}})\.(?P<m5>\d{{1,2}})\.(?P<y5>{_YEAR})"
    rf"|(?P<y6>{_YEAR}))(?![\w%]|[.,]\d)",
    re.I,
)
_TIME = re.compile(
    r"(?<![\w.,:/-])(?:(?P<h1>[01]?\d|2[0-3])[:.](?P<m1>[0-5]\d)(?: ?(?P<p1>[ap]\.?m\b\.?))?"
    r"|(?P<h2>1[0-2]|0?[1-9]) ?(?P<p2>[ap]\.?m\b\.?)|(?P<word>noon|midnight)"
    r"|(?:(?P<half>half past|quarter past|quarter to) )?(?P<spoken>one|two|three|four|five|six|seven|eight|nine|ten"
    r"|eleven|twelve)(?: o['\u2019]clock)(?P<part>(?: in the (?:morning|afternoon|evening)| at night))?)(?![\w:])",
    re.I,
)
_UNITS = dict(zip("one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen"
                  " seventeen eighteen nineteen".split(), range(1, 20), strict=True))  # fmt: skip
_TENS = dict(zip("twenty thirty forty fifty sixty seventy eighty ninety".split(), range(20, 100, 10), strict=True))
_SCALES = {
    "hundred": 1e2,
    "thousand": 1e3,
    "million": 1e6,
    "m": 1e6,
    "billion": 1e9,
    "bn": 1e9,
    "dozen": 12.0,
    "k": 1e3,
}
_SMALL = "|".join((*_UNITS, *_TENS))
_WORDS = rf"(?:a|(?:{_SMALL})(?:-(?:{'|'.join(_UNITS)}))?)(?: (?:hundred|thousand|million|dozen))+(?: and (?:{_SMALL})(?:-(?:{'|'.join(_UNITS)}))?)?|(?:{_SMALL})(?:-(?:{'|'.join(_UNITS)}))?"
_DIGITS = r"\d{1,3}(?:[,\u202f\u00a0]\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?"
_NUMBER = rf"(?:{_DIGITS})(?: ?(?:hundred|thousand|million|billion|bn|dozen)\b)?|{_WORDS}"
_CURRENCY = r"[$€£¥]|EUR|USD|GBP|CHF|NOK|SEK|DKK"
_COINS = {"euro": "€", "dollar": "$", "pound": "£", "sterling": "£", "eur": "€", "usd": "$", "gbp": "£", "yen": "¥",
          "franc": "CHF", "chf": "CHF", "kroner": "kr", "krone": "kr", "kronor": "kr", "nok": "kr", "sek": "kr", "dkk": "kr",
          "pence": "p", "cent": "c"}  # fmt: skip
_COIN = (
    r"(?:euros?|dollars?|pounds?(?: sterling)?|yen|(?:Swiss )?francs?|kroner|krone|kronor|EUR|USD|GBP|CHF|NOK|SEK|DKK)"
)
_MONEY = re.compile(
    rf"(?<![\w.,])(?:(?P<mark>{_CURRENCY}) ?(?P<n1>{_DIGITS})(?: ?(?P<s1>thousand|million|billion|bn|m|k)\b)?"
    rf"|(?P<n2>{_NUMBER}) ?(?:(?P<coin>{_COIN})|(?P<sign>[€£$]))(?!\w))",
    re.I,
)
_FREE = re.compile(
    r"\bfree (?=(?:admission|entry|entrance|parking)\b)|\bfree of charge\b|\bfor free\b|\bat no (?:cost|charge)\b|\bcosts nothing\b"
    r"|\bno (?:charge|fee|entrance fee|admission charge)\b"
    r"|\b(?:is|are|was|were|remains?|stays?|travels?|enters?|go|admitted|entrance|entry|admission) free(?![ -]?(?:of|from|to|for|with|if|until|till|after|before|in|at)\b|-)",
    re.I,
)
_MAYBE_FREE, _MAYBE_OFTEN = (
    re.compile(r"free|nothing|no c|no f|no e", re.I),
    re.compile(r"every|once|twice|times|ly\b", re.I),
)
_PERIOD_DAYS = {
    "hour": 1 / 24,
    "day": 1.0,
    "week": 7.0,
    "fortnight": 14.0,
    "month": 30.4,
    "quarter": 91.3,
    "year": 365.25,
}
_OFTEN = {"once": 1.0, "twice": 2.0, "other": 2.0, "second": 2.0, "third": 3.0}
_PERIODIC = {"hourly": "hour", "daily": "day", "weekly": "week", "fortnightly": "fortnight", "monthly": "month",
             "quarterly": "quarter", "yearly": "year", "annually": "year"}  # fmt: skip
_PERIOD = "|".join(_PERIOD_DAYS)
_FREQUENCY = re.compile(
    rf"\b(?:(?P<times>once|twice|(?:{_NUMBER}) times) (?:an?|each|every|per) (?P<p1>{_PERIOD})"
    rf"|every (?:(?P<n>other|second|third|{_NUMBER}) )?(?P<p2>{_PERIOD})s?"
    rf"|(?P<ly>{'|'.join(_PERIODIC)})(?!-| (?!(?:in|at|on|by|from|and|during|to|for|with|until|between)\b)\w))(?![\w-])",
    re.I,
)
_QUANTITY = re.compile(
    rf"(?<![\w.,/:$€£-])(?P<n>-?(?!\d{{4}}s\b)(?:{_NUMBER}))(?P<gap>[ -]?)(?P<u>{UNIT}|%|per ?cent)(?![\w²³/])"
)
_COUNT = re.compile(
    rf"(?<![\w.,/:$€£#-])(?P<n>{_NUMBER})(?![\w:/]|[.,]\d|-\d) (?P<noun>(?:[a-z][a-z-]+ ){{0,2}}[a-z][a-z-]+)", re.I
)
_NUMBER_OF = re.compile(
    rf"\bnumber of (?P<noun>[a-z]+)\b[^.;,:]{{0,60}}?(?: is| was| are| were| stands at| stood at| reached|:) (?:\w+ )??(?P<n>{_NUMBER})(?![\w:/%]|[.,]\d)",
    re.I,
)
_BARE = re.compile(rf"(?<![\w.,/:$€£#-])(?P<n>{_DIGITS})(?![\w:/%]|[.,]\d|-\w)")
_COLOUR_NAMES = frozenset(
    "red green blue yellow white black grey gray brown orange purple violet pink turquoise crimson scarlet".split()
)
_COLOUR = re.compile(rf"\b(?:{'|'.join(sorted(_COLOUR_NAMES))})\b", re.I)
_NEAR = re.compile(
    r"\b(?:about|around|roughly|approximately|approx\.?|some|nearly|almost|circa|ca\.?|c\.|close to|in the region of"
    r"|or so|just (?:over|under)|a little (?:over|under|more than|less than))\W*$",
    re.I,
)
_LEAST = re.compile(
    r"\b(?:at least|(?<!no )(?<!not )more than|over|above|(?:no|not) (?:less|fewer) than|upwards of|from|minimum of)\W*$",
    re.I,
)
_MOST = re.compile(
    r"\b(?:at most|up to|(?<!no )(?<!not )(?:less|fewer) than|under|below|no more than|not more than|as (?:many|much) as|maximum of|within)\W*$",
    re.I,
)
# Where what is counted ends.
_NOT_COUNTED = frozenset(
    "of and or in on at to by for with from the a an is are was were per as but that which who whom whose when where while"
    " if than then their his her its our my your this these those last next later ago before after under over up down out off"
    " during since until till about around between through within without not only also there here each every all both"
    " have has had do does did can could may might must will would shall should bc bce ad ce".split()
)
_PLURALS = frozenset("people men women children feet sheep fish deer mice geese teeth oxen police cattle staff".split())
_WEEKDAYS = "monday tuesday wednesday thursday friday saturday sunday".split()
_WEEKDAY = re.compile(
    rf"\b({'|'.join(map(str.capitalize, _WEEKDAYS))})s?\b(?![ -](?:to|till|until|through|and|or)\b|,? and\b)"
)
_NUMERALS = frozenset(stem(word) for word in (*_UNITS, *_TENS, *_SCALES))
_DECIMALS = re.compile(r"\.(\d+)")
_ALIKE = str.maketrans("\u017f\u0131\u0130", "sii")  # what `re.I` takes for these letters, and `lower` does not
NEAR_SHARE = 0.1  # "about 30" may be 27 to 33
CONVERTED_SHARE = 0.02  # a quantity that was converted was rounded then
_NOON_H, _DAY_MIN = 12, 24 * 60


MOST, LEAST = "most", "least"
_IS_MOST = re.compile(r"\b(?:limit|maximum|max\.?)\b[^.;,]{0,60}$", re.I)
_IS_LEAST = re.compile(r"\b(?:minimum|min\.?)\b[^.;,]{0,60}$", re.I)
_NEEDED = re.compile(r"\b(?:needs?|must|requires?|required|necessary|minimum)\b", re.I)


class Value(msgspec.Struct, frozen=True):
    """`[low, high]` in the terms of `dimension`; `start` and `end` count in the sentence, `unit` is what it was told in.

    `kind` is one of date, weekday, time, money, percent, quantity, count, number, colour. A date counts days as
    (year, month, day) written as a number, 0 for what is not told.
    """

    kind: str
    dimension: str
    low: float
    high: float
    text: str
    start: int
    end: int
    unit: str = ""
    open: bool = False  # "at least", "up to": a bound, no value
    bound: str = ""  # `MOST` or `LEAST`, where it is what is allowed or needed
    told: str | None = None  # of a name that holds an office: what qualifies the office


def values_in(text: str) -> list[Value]:
    """In order of the text; none overlaps another."""
    return _read_by(text, (_frequencies, *_BEFORE_PRICES, _free, *_AMOUNTS))


def amounts_in(text: str) -> list[Value]:
    """The same without how often something is, and without "free" as a price."""
    return _read_by(text, (*_BEFORE_PRICES, *_AMOUNTS))


def _read_by(text: str, readers: Iterable[Callable[[str], Iterator[Value]]]) -> list[Value]:
    found: list[Value] = []
    taken = bytearray(len(text))
    for read in readers:
        for value in read(text):
            is_range = value.low <= value.high  # one of numbers too great to reckon with is none
            if is_range and not any(taken[value.start : value.end]):
                taken[value.start : value.end] = b"\x01" * (value.end - value.start)
                found.append(value)
    return sorted(found, key=lambda value: value.start)


def counted(value: Value) -> frozenset[str]:
    """The stems of what a count counts, without the number."""
    if value.kind != "count":
        return frozenset()
    return frozenset(word for word in content_words(f"{value.text} {value.unit}") if not word[0].isdigit()) - _NUMERALS


def disagree(one: Value, other: Value) -> bool:
    """Whether both cannot hold, both told of the same thing at the same time."""
    if one.kind == other.kind == "money" and 0.0 in (one.high, other.high):
        return one.high != other.high  # what is free costs nothing in any currency
    if one.kind != other.kind or one.dimension != other.dimension:
        return False
    if one.kind == "date":
        return _dates_disagree(int(one.low), int(other.low))
    if one.kind == "time":
        return one.low != other.low and not (one.low % 720 == other.low % 720 and one.unit != other.unit)
    return _ranges_disagree(one, other)


def _ranges_disagree(one: Value, other: Value) -> bool:
    if one.bound and one.bound == other.bound:
        return _bounds_disagree(one, other)
    slack = 0.0
    if one.unit != other.unit:
        slack = CONVERTED_SHARE * max(abs(one.low), abs(other.low))
    return one.low > other.high + slack or other.low > one.high + slack


def _bounds_disagree(one: Value, other: Value) -> bool:
    """Of two that are both the most, or both the least, whether they are not the same."""
    here, there = (v.high if v.bound == MOST else v.low for v in (one, other))
    return abs(here - there) > max(
        CONVERTED_SHARE * max(abs(here), abs(there)), _half_a_step(one) + _half_a_step(other)
    )


def _half_a_step(value: Value) -> float:
    return 0.0 if value.open else (value.high - value.low) / 2


def _dates_disagree(one: int, other: int) -> bool:
    pairs = zip(_parts(one), _parts(other), strict=True)
    return any(a and b and a != b for a, b in pairs)


def _parts(date: int) -> tuple[int, int, int]:
    return date // 10_000, date // 100 % 100, date % 100


def _dates(text: str) -> Iterator[Value]:
    for match in _DATE.finditer(text):
        year = next((int(match[f"y{n}"]) for n in range(1, 7) if match[f"y{n}"]), 0)
        month = next((_month(match[f"m{n}"]) for n in range(1, 6) if match[f"m{n}"]), 0)
        day = next((int(re.sub(r"\D", "", match[f"d{n}"])) for n in (1, 2, 4, 5) if match[f"d{n}"]), 0)
        if match["m1"] and not match["y1"] and match["m1"].lower() == "may" and not match["m1"][0].isupper():
            continue
        number = year * 10_000 + month * 100 + day
        yield Value("date", "date", number, number, match[0], *match.span())


def _weekdays(text: str) -> Iterator[Value]:
    """One day of the week, where the sentence names no other; a day that a date names is none by itself."""
    found = list(_WEEKDAY.finditer(text))
    if len(found) == 1 and not _DATE.match(text, found[0].end() + 2):
        number = float(_WEEKDAYS.index(found[0][1].lower()))
        yield Value("weekday", "weekday", number, number, found[0][0], *found[0].span())


def _month(text: str) -> int:
    return int(text) if text.isdigit() else _MONTH_NAMES.index(_lower(text[:3])) + 1


def _lower(text: str) -> str:
    return text.translate(_ALIKE).lower()


def _times(text: str) -> Iterator[Value]:
    for match in _TIME.finditer(text):
        part = (match["p1"] or match["p2"] or match["part"] or "").replace(".", "").lower()
        if match["word"]:
            hour, minute = (_NOON_H if match["word"].lower() == "noon" else 0), 0
        elif match["spoken"]:
            hour, minute = _UNITS[_lower(match["spoken"])], 0
            minute = {"half past": 30, "quarter past": 15, "quarter to": -15}.get(_lower(match["half"] or ""), 0)
        elif match["h2"]:
            hour, minute = int(match["h2"]), 0
        else:
            if (
                "." in match[0]
                and not match["p1"]
                and not re.search(r"\b(?:at|from|until|till|to|by) $", text[: match.start()], re.I)
            ):
                continue  # 9.30 is a time behind "at" alone
            hour, minute = int(match["h1"]), int(match["m1"])
        if "a" in part[:1] or "morning" in part:
            hour %= _NOON_H
        elif part:
            hour = hour % _NOON_H + _NOON_H
        minutes = (hour * 60 + minute) % _DAY_MIN
        told = "spoken" if match["spoken"] and not part else ""
        yield Value("time", "time", minutes, minutes, match[0].strip(), match.start(), match.end(), told)


def _moneys(text: str) -> Iterator[Value]:
    for match in _MONEY.finditer(text):
        written = match["n1"] or match["n2"]
        scale = _SCALES.get((match["s1"] or "").lower(), 1.0)
        sign = match["mark"] or match["sign"] or match["coin"] or ""
        currency = _COINS.get(stem(sign.split()[-1].lower()), _COINS.get(sign.split()[-1].lower(), sign.upper()))
        if (read := number_told(written)) is None:
            continue
        yield _ranged("money", currency, read[0] * scale, read[1] * scale, match, text, currency)


def _free(text: str) -> Iterator[Value]:
    for match in _FREE.finditer(text) if _MAYBE_FREE.search(text) else ():
        start = match.end() - len("free") if match[0].lower().endswith(" free") else match.start()
        yield Value("money", "", 0.0, 0.0, text[start : match.end()], start, match.end())


def _frequencies(text: str) -> Iterator[Value]:
    """How many days lie between two times: "every two weeks" is 14, "twice a day" half a one."""
    for match in _FREQUENCY.finditer(text) if _MAYBE_OFTEN.search(text) else ():
        told = _lower(match["times"] or match["n"] or "once")
        number = _OFTEN.get(told) or _first_number(told)
        if not number:
            continue  # "0 times a day"
        period = _lower(match["p1"] or match["p2"] or "") or _PERIODIC[_lower(match["ly"])]
        days = _PERIOD_DAYS[period] / number if match["times"] else _PERIOD_DAYS[period] * number
        yield Value("frequency", "frequency", days * 0.9, days * 1.1, match[0], *match.span())


def _first_number(text: str) -> float:
    read = number_told(text.removesuffix(" times"))
    return read[0] if read else 0.0


def _quantities(text: str) -> Iterator[Value]:
    for match in _QUANTITY.finditer(text):
        spelt = match["u"]
        if (read := number_told(match["n"].lstrip("-"))) is None:
            continue
        number = -read[0] if match["n"].startswith("-") else read[0]
        if spelt == "%" or spelt.lower().startswith("per"):
            yield _ranged("percent", "%", number, read[1], match, text, "%")
            continue
        unit = unit_named(spelt)
        if not unit or (len(spelt) == 1 and match["gap"] == "-"):
            continue
        base, one_more = in_base(number, unit), in_base(number + read[1], unit)
        yield _ranged("quantity", dimension_of(unit), base, abs(one_more - base), match, text, unit)


def _counts(text: str) -> Iterator[Value]:
    for match in _COUNT.finditer(text):
        words = match["noun"].lower().split()
        kept = _noun(words)
        if not kept or (read := number_told(match["n"])) is None:
            continue
        if match["n"].lower() == "one":
            continue
        end = match.start("noun") - 1
        value = _ranged("count", "", read[0], read[1], match, text, "")
        yield msgspec.structs.replace(
            value, text=text[match.start() : match.start("noun") + len(" ".join(kept))], end=end
        )


def _numbers_of(text: str) -> Iterator[Value]:
    """Of "the number of beds is 175" that, as if "175 beds" stood there."""
    for match in _NUMBER_OF.finditer(text) if "number of" in text else ():
        if (read := number_told(match["n"])) is None:
            continue
        number = re.compile(re.escape(match["n"])).match(text, match.start("n"))
        if number is not None:
            yield _ranged("count", "", read[0], read[1], number, text, match["noun"].lower())


def _noun(words: list[str]) -> list[str]:
    """Of the words behind a number those that say what is counted: up to the first plural, or before what cannot."""
    for at, word in enumerate(words):
        if word in _NOT_COUNTED:
            return words[:at]
        if word in _PLURALS or (word.endswith("s") and not word.endswith(("ss", "us", "is"))):
            return words[: at + 1]
    return words


def _bare(text: str) -> Iterator[Value]:
    for match in _BARE.finditer(text):
        if (read := number_told(match["n"])) is not None:
            yield _ranged("number", "", read[0], read[1], match, text, "")


def _colours(text: str) -> Iterator[Value]:
    for match in _COLOUR.finditer(text):
        if match[0][0].isupper() and match.start() > 0:
            continue  # part of a name: "Black Sea"
        name = _lower(match[0]).replace("gray", "grey")
        code = float(sorted(_COLOUR_NAMES).index(name))
        yield Value("colour", "colour", code, code, match[0], *match.span())


def _ranged(kind: str, dimension: str, number: float, step: float, match: re.Match[str], text: str, unit: str) -> Value:
    """`step` is the worth of the last digit told; half of it may be rounded away."""
    before = text[max(0, match.start() - 32) : match.start()]
    low, high, is_open = number - step / 2, number + step / 2, False
    if _NEAR.search(before) or re.match(r" or so\b", text[match.end() :]):
        low, high = number - NEAR_SHARE * abs(number), number + NEAR_SHARE * abs(number)
    elif _LEAST.search(before) or re.match(r" or more\b|\+| upwards", text[match.end() :]):
        high, is_open = float("inf"), True
    elif _MOST.search(before) or re.match(r" or (?:less|fewer)\b", text[match.end() :]):
        low, is_open = float("-inf"), True
    bound = _bound(text, match, low, high)
    return Value(kind, dimension, low, high, match[0].strip(), match.start(), match.end(), unit, is_open, bound)


def _bound(text: str, match: re.Match[str], low: float, high: float) -> str:
    """`MOST` where it is the most there may be, `LEAST` where it is the least that is needed."""
    before = text[max(0, match.start() - 72) : match.start()]
    if low == float("-inf") or (high != float("inf") and _IS_MOST.search(before)):
        return MOST
    is_least = high == float("inf") and _NEEDED.search(text) is not None
    return LEAST if is_least or _IS_LEAST.search(before) else ""


def number_told(written: str) -> tuple[float, float] | None:
    """The number, in digits or words, and what its last digit may have been rounded to: 1.20 gives 0.01, 400 gives 100, 31 nothing.

    None where it is no number, or one that nobody can reckon with.
    """
    text = re.sub(r"(?<=\d)[,\u202f\u00a0](?=\d{3})", "", _lower(written).strip())
    parts = re.sub(r"(?<=\d)(?=[a-z])", " ", text).split()
    if not parts:
        return None
    if parts[0][0].isdigit():
        scale = _SCALES.get(parts[1], 1.0) if len(parts) > 1 else 1.0
        number = float(parts[0])
        if not math.isfinite(number * scale):
            return None
        decimals = _DECIMALS.search(parts[0])
        if decimals or scale > 1:
            return number * scale, scale * 10.0 ** -len(decimals[1] if decimals else "")
        return number, _rounded_to(parts[0])
    total, current = 0.0, 0.0
    for part in parts:
        if part in _SCALES:
            current = (current or 1.0) * _SCALES[part]
            continue
        if part not in ("a", "and"):
            tens, _, ones = part.partition("-")
            current += _UNITS.get(tens, 0) + _TENS.get(tens, 0) + _UNITS.get(ones, 0)
    total += current
    return (total, 0.0) if total else None


def _rounded_to(digits: str) -> float:
    """Of a whole number: hundreds and thousands may have been rounded, where two digits or more are noughts."""
    noughts = len(digits) - len(digits.rstrip("0"))
    return 10.0**noughts if noughts >= 2 else 0.0


_BEFORE_PRICES = (_dates, _weekdays, _times, _moneys)
_AMOUNTS = (_quantities, _numbers_of, _counts, _bare, _colours)
