# ruff: noqa: SIM905  (word lists read best as words)
"""What a span says as a value that can be compared: a day, a number, a nation."""

from __future__ import annotations

import re

from trivium.text.names import fold_name

_MONTH_NAMES = "jan feb mar apr may jun jul aug sep oct nov dec".split()
_MONTHS = {name: 1 + at for at, name in enumerate(_MONTH_NAMES)}
_MONTH = re.compile(r"\b(" + "|".join(_MONTHS) + r")[a-z]*\b", re.I)
_YEAR = re.compile(r"(?<![\d.,])(\d{3,4})(?![\d,])")
_DAY = re.compile(r"(?<!\d)(\d{1,2})(?:st|nd|rd|th)?(?!\d)")
_BEFORE_CHRIST = re.compile(r"\bBCE?\b")
_NUMBER = re.compile(r"(?<![\w.])(\d[\d,]*(?:\.\d+)?)\s*(thousand|million|billion|trillion)?", re.I)
_SCALES = {"thousand": 1e3, "million": 1e6, "billion": 1e9, "trillion": 1e12}
_NATION = re.compile(
    r"\b(?:is|was|are|were)\s+(?:an?|the|one of the)\s+(?:[a-z0-9\u2013-]+,?\s+){0,4}([A-Z][\w]+(?:[ -][A-Z][\w]+)?)"
)
_SAME_NATION = {
    "american": "united states", "us": "united states", "usa": "united states", "america": "united states",
    "united state": "united states", "british": "united kingdom", "uk": "united kingdom", "english": "united kingdom",
    "scottish": "united kingdom", "welsh": "united kingdom", "england": "united kingdom",
    "dutch": "netherlands", "holland": "netherlands", "french": "france", "danish": "denmark", "swedish": "sweden",
    "finnish": "finland", "polish": "poland", "spanish": "spain", "german": "germany", "greek": "greece",
    "turkish": "turkey", "swiss": "switzerland", "irish": "ireland", "welshman": "united kingdom",
    "filipino": "philippines", "thai": "thailand", "czech": "czechoslovakia", "chinese": "china",
}  # fmt: skip
MIN_COMMON_STEM = 4
_NO_NATION = frozenset(
    """north south east west state province region republic county district united city the of in new""".split()
)


def day_of(text: str) -> tuple[int, int, int] | None:
    """(year, month, day), 0 for what is not told; None without a year."""
    years = _YEAR.search(text)
    if years is None:
        return None
    year = int(years[1])
    month = _MONTH.search(text)
    rest = text[: years.start(1)] + " " + text[years.end(1) :]
    day = _DAY.search(rest) if month else None
    signed = -year if _BEFORE_CHRIST.search(text) else year
    return signed, _MONTHS[month[1].lower()] if month else 0, int(day[1]) if day else 0


def number_of(text: str) -> float | None:
    """The first number, with its scale in words."""
    match = _NUMBER.search(text)
    return (
        float(match[1].replace(",", "").rstrip(".") or 0) * _SCALES.get((match[2] or "").lower(), 1.0)
        if match
        else None
    )


def nation_in(text: str) -> tuple[int, int] | None:
    """Where the first sentence says of what nation its subject is: "was a 1978 West German film"."""
    match = _NATION.search(text)
    return match.span(1) if match else None


def is_same_nation(one: str, other: str) -> bool:
    """By name or adjective: "Indian" and "India", "American" and "US", "Odisha, India" and "India"."""
    return any(_is_same_word(a, b) for a in _nations(one) for b in _nations(other))


def _nations(text: str) -> list[str]:
    """The whole, and each of its words."""
    folded = fold_name(text)
    return [
        _SAME_NATION.get(word, word) for word in (folded, *(part for part in folded.split() if part not in _NO_NATION))
    ]


def _is_same_word(one: str, other: str) -> bool:
    common = next((at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))
    return one == other or (common >= MIN_COMMON_STEM and " " not in one + other)
