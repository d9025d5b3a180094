# ruff: noqa: SIM905  (a list of words reads best as words)
"""Numbers as lists and headings show them: letters, Roman and Chinese numerals, ordinals, words.

What cannot be said in a form is said in digits.
"""

from __future__ import annotations

import re

LATIN = "abcdefghijklmnopqrstuvwxyz"
MAX_REPEATS = 30  # of a letter; Word's own bound
_MARK = re.compile(r"\d{1,3}[.)]|[A-Za-z]\)")
_ROMAN = (
    *((1000, "m"), (900, "cm"), (500, "d"), (400, "cd"), (100, "c"), (90, "xc"), (50, "l")),
    *((40, "xl"), (10, "x"), (9, "ix"), (5, "v"), (4, "iv"), (1, "i")),
)
_CHINESE = "零一二三四五六七八九"
_ONES = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen"
).split()
_TENS = ["", "", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]
_ORDINALS = {
    **{"one": "first", "two": "second", "three": "third", "five": "fifth"},
    **{"eight": "eighth", "nine": "ninth", "twelve": "twelfth"},
}


def roman(number: int) -> str:
    """In small letters; to 3,999."""
    if not 0 < number < 4_000:
        return str(number)
    said = ""
    for value, letters in _ROMAN:
        said += letters * (number // value)
        number %= value
    return said


def repeated_letter(number: int, alphabet: str = LATIN) -> str:
    """A to z, then aa, bb, cc, as Word counts."""
    repeats, place = divmod(number - 1, len(alphabet))
    return alphabet[place] * (repeats + 1) if 0 <= repeats < MAX_REPEATS else str(number)


def letters(number: int) -> str:
    """A to z, then aa, ab, ac."""
    said, rest = "", number
    while rest > 0:
        rest, place = divmod(rest - 1, len(LATIN))
        said = LATIN[place] + said
    return said or str(number)


def chinese(number: int) -> str:
    """To 9,999."""
    if not 0 < number < 10_000:
        return str(number)
    said, gap = "", False
    for power, unit in ((1_000, "千"), (100, "百"), (10, "十"), (1, "")):
        digit = number // power % 10
        if digit:
            said += ("零" if gap else "") + _CHINESE[digit] + unit
        gap = bool(said) and not digit
    return said.removeprefix("一") if 10 <= number < 20 else said


def ordinal(number: int) -> str:
    """1st, 2nd, 3rd, 11th."""
    ending = "th" if number // 10 % 10 == 1 else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{ending}"


def in_words(number: int) -> str:
    """In English; to ninety-nine."""
    if not 0 <= number < 100:
        return str(number)
    if number < len(_ONES):
        return _ONES[number]
    return _TENS[number // 10] + (f"-{_ONES[number % 10]}" if number % 10 else "")


def ordinal_in_words(number: int) -> str:
    """In English; to ninety-ninth."""
    if not 0 < number < 100:
        return ordinal(number)
    before, dash, last = in_words(number).rpartition("-")
    ending = f"{last[:-1]}ieth" if last.endswith("y") else f"{last}th"
    return before + dash + _ORDINALS.get(last, ending)


def whole(text: str) -> int | None:
    """What up to nine digits say; None for all else, such as a count without a bound."""
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else None


def item_mark(number: str) -> str:
    """What a list's item begins with before its number, which may be "": a dash, but where "1." or "a)" mark it."""
    return "" if _MARK.fullmatch(number) else "- "
