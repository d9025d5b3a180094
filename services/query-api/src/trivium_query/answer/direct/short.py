"""The short answer's own words: what of a span belongs to it, and whether it is of the kind that is asked for."""

from __future__ import annotations

import re
from calendar import day_name, month_name

from trivium.text.names import names_in
from trivium_query.answer.direct.hops import Found
from trivium_query.answer.direct.life import DATE, DATED, DAY
from trivium_query.answer.direct.units import NUMBER_WORDS, SOME_TIME, UNIT
from trivium_query.words import is_stop_word

MAX_PLACE_WORDS = 6
YEAR_DIGITS = 4  # of a year that stands alone
DATE_CHARS = 20  # of a date's other parts beside the one that was read
NAME_CHARS = 60
ANY_DAY = re.compile(f"{DATE}|{DAY}", re.I)
_EDGE = " \t\n,.;:!?\"'“”«»\u2013\u2014-["
_TITLES = frozenset({"dr", "prof", "mr", "mrs", "ms", "st", "sir", "dame", "lord", "lady"})
_LEADING = re.compile(r"(?:(?:in|at(?! (?:least|most)\b)|on|by|from|of|to|with|and|the|a|an)\s+)+", re.I)
_MONTH_DAY = re.compile(rf"(?=.*[a-z]){DATE}", re.I)
_NUMBER = re.compile(rf"\d|\b{NUMBER_WORDS}\b|{SOME_TIME}", re.I)
_DOTTED = re.compile(r"(?:[01]?\d|2[0-3])\.[0-5]\d")  # "22.40"
_CLOCK = r"\b\d{1,2}(?:[.:]\d{2})?\s?(?:[ap]\.?m\b|uhr\b|o['\u2019]clock\b)|\b\d{1,2}:\d{2}\b|\b(?:noon|midnight)\b"
CLOCK = re.compile(_CLOCK, re.I)
TIME = re.compile(
    rf"{_CLOCK}"
    r"|\b(?:mon|tues|wednes|thurs|fri|satur|sun)days?\b|\b(?:first|second|third|fourth|fifth|last|\d{1,2}(?:st|nd|rd|th))(?:\s[a-z]+day)?\sof\s(?:the|each|every)\smonth\b",
    re.I,
)
_NTH = r"(?:first|second|third|fourth|fifth|last|\d{1,2}(?:st|nd|rd|th))"
_SEASON = "spring|summer|autumn|winter|easter|christmas|term|holidays?"
# Of what no calendar knows: "by the fifth working day", "until the autumn holidays", "48 hours before arrival".
_SOME_TIME = re.compile(
    rf"\b(?:on|by|until|till|before|after|since) (?:the )?(?:(?:next|following|same|{_NTH})\b.{{,20}}\bday|{_SEASON})\b"
    rf"|\b(?:in|for|by|until|since) (?:{'|'.join(month_name[1:])})\b"
    rf"|\b(?:half past|quarter (?:past|to)) \w+|\b(?:at|until|till|by) (?:\d{{1,2}}|{NUMBER_WORDS})(?=[.,;](?!\d)|$)"
    rf"|\b(?:\d+|{NUMBER_WORDS}) (?:hours|days|weeks|months) (?:before|after)\b",
    re.I,
)
_ENUMERATOR = re.compile(r"\d{1,3}[.)]\s+(?=\S)")
_ONE_PERSON = re.compile(r"\bwho(?:m|se)?\s+(?:is|was)\b|\b(?:which|what)\s+(?:person|company|team)\b", re.I)
_TITLED = r"(?:(?:Mr|Mrs|Ms|Dr|Prof)\.?\s+)?[A-Z\u00c0-\u00de][\w'\u2019-]+(?:\s+[A-Z\u00c0-\u00de][\w'\u2019-]+){0,3}"
_AND_OTHERS = re.compile(rf"(?:,\s+{_TITLED})*,?\s+and\s+{_TITLED}")
_OTHERS_AND = re.compile(
    rf"(?:\bOnly\s+)?(?P<first>{_TITLED}(?:,\s+{_TITLED})*,?\s+and\s+(?:(?:Mr|Mrs|Ms|Dr|Prof)\.?\s+)?)$"
)
_OTHERS_BEFORE = re.compile(rf"(?:\bOnly\s+)?(?P<first>(?:{_TITLED},\s+)+(?:(?:Mr|Mrs|Ms|Dr|Prof)\.?\s+)?)$")
_PART_OF = re.compile(r"\b(\d[\d,.]*)\s+(?:out\s+)?of\s+(?:(?:the|all|its)\s+)?$")
_DIGITS = re.compile(r"\d+(?:[.,]\d+)*")
_CODE = re.compile(r"(?<![\w-])(?=[A-Za-z-]*\d)\w+(?:-\w+){2,}(?![\w-])")
_CAPITALISED = re.compile(r"(?<![\w.])([A-Z\u00c0-\u00de][\w'\u2019-]+)\s$")
_DAY_OF = re.compile(rf"\b(?i:on|last|next|this)\s(?P<day>{'|'.join(day_name)})\s(?P<name>[A-Z\u00c0-\u00de][^.,;]*)$")
_MADE_IN = re.compile(r"\w+(?:ed|own|ilt|ade)\s(?:in|at)\s(?:the\s)?(?=[A-Z])", re.A)
_LIES = re.compile(r"\b(?:near|in|at|on|under|behind|between|along|beside|above|below|around|inside|outside)\s")
_ORDINAL = re.compile(rf"{_NTH}\b", re.I)
_ORDINALS = re.compile(rf"\b{_NTH}(?:,\s{_NTH})*\s(?:and|or)\s(?:the\s)?$", re.I)
_UNTIL = re.compile(r"(?:until|till|to)\s", re.I)
_SINCE = re.compile(r"\bfrom\s(?P<since>[^,;.()]{1,40})\s$", re.I)
_AGENT = re.compile(r"\sby\s")


def fits_wanted(wants: str, text: str) -> bool | None:
    """Whether the words are of the kind that is asked for; None where no kind is."""
    if wants == "date":
        day = ANY_DAY.search(text) is not None and not (text.isdigit() and len(text) < YEAR_DIGITS)
        return day or TIME.search(text) is not None or _DOTTED.fullmatch(text) is not None
    if wants == "number":
        return _NUMBER.search(text) is not None and _MONTH_DAY.fullmatch(text) is None
    if wants in ("name", "place"):
        named = text[:1].isupper() and not text.isdigit() and DATED.fullmatch(text) is None
        return named or (None if wants == "place" and text[:1].isalpha() else False)  # "near the old ramp" is a place
    return None


def tells_time(text: str) -> bool:
    """Whether a sentence says when, by a date or otherwise."""
    return fits_wanted("date", text) is True or _SOME_TIME.search(text) is not None


def trimmed(one: Found, wants: str) -> tuple[int, int]:
    """The span without what is not the answer: articles, brackets begun in it; a part of a date made whole."""
    text = one.hit.chunk.text
    start = max([one.start, *(each.start for each in one.hit.chunk.sentences if one.start < each.start < one.end)])
    end = one.end
    if (number := _ENUMERATOR.match(text, start)) and text[:start].strip(" \t")[-1:] in ("", "\n"):
        start = min(number.end(), end)  # "4. Deposit": the number of the section
    if _UNTIL.match(text, start, end) and (since := _SINCE.search(text[:start])):
        start = since.start("since")
    if (_ORDINAL.match(text, start, end)) and (led := _ORDINALS.search(text[:start])):
        start = led.start()
    if wants == "place":
        start, end = _place(text, start, end)
    start, end = _whole_numbers(text, start, end)  # where two sentences are joined, the first led up to the second
    if wants == "date" and (date := _date_at(text, start, end)):
        return date
    if wants == "number" and (part := _PART_OF.search(text, max(0, start - DATE_CHARS), start)):
        start, end = part.span(1)  # "9 of the 24 doors": of those that are asked for there are nine
    elif wants == "number" and (unit := UNIT.match(text, end)):
        end = unit.end()
    return _bare(text, start, _before_open_bracket(text, start, end), wants)


def with_partners(question: str, one: Found) -> tuple[int, int]:
    """Names joined to it by "and" are of the answer too, unless the question is of one person."""
    text = one.hit.chunk.text
    if _ONE_PERSON.search(question) or not names_in(one.text):
        return one.start, one.end
    sentence = one.sentence
    first, last = (sentence.start, sentence.end) if sentence else (0, len(text))
    behind = _AND_OTHERS.match(text, one.end, last)
    before = (_OTHERS_BEFORE if behind or " and " in one.text else _OTHERS_AND).search(text[first : one.start])
    return first + before.start("first") if before else one.start, behind.end() if behind else one.end


def _place(text: str, start: int, end: int) -> tuple[int, int]:
    """Without who did it there, or what was done: "Lyon by Rhodia", "made in Zlin"; of half a sentence where it was."""
    if agent := _AGENT.search(text, start, end):
        end = agent.start()
    if made := _MADE_IN.match(text, start, end):
        start = made.end()
    lies = [match.start() for match in _LIES.finditer(text, start, end)]
    return lies[-1] if lies and len(text[start:end].split()) > MAX_PLACE_WORDS else start, end


def _whole_numbers(text: str, start: int, end: int) -> tuple[int, int]:
    """Not "140" of "1,140", nor "11-3347" of "80-11-3347"."""
    code = next((each for each in _CODE.finditer(text, max(0, start - DATE_CHARS)) if each.end() > start), None)
    if code is not None and code.start() <= start and end <= code.end():
        return code.span()
    around = next((each for each in _DIGITS.finditer(text, max(0, start - DATE_CHARS)) if each.end() > start), None)
    if around is not None and around.start() < start:
        start = around.start()
    if start and text[start - 1] == "+" and text[start].isdigit():
        start -= 1  # a number to ring from abroad
    around = next((each for each in _DIGITS.finditer(text, start) if each.end() >= end), None)
    return start, around.end() if around is not None and around.start() < end else end


def _date_at(text: str, start: int, end: int) -> tuple[int, int] | None:
    """The whole date of which the span holds a part."""
    near = ANY_DAY.finditer(text, max(0, start - DATE_CHARS), end + DATE_CHARS)
    return next((match.span() for match in near if match.start() < end and start < match.end()), None)


def _before_open_bracket(text: str, start: int, end: int) -> int:
    for opening, closing in (("(", ")"), ("[", "]")):
        at = text.rfind(opening, start, end)
        if at >= 0 and closing not in text[at:end]:
            end = at
    return end


def _bare(text: str, start: int, end: int, wants: str) -> tuple[int, int]:
    """Without what only joins it to its sentence; of a person, the name alone."""
    if wants == "name" and (names := names_in(text[start:end])):
        last = next((at for at, name in enumerate(names) if name.key not in _TITLES), len(names) - 1)
        start, end = _name_from(text, start + names[0].start, start + names[last].end), start + names[last].end
    if wants == "name" and (day := _DAY_OF.search(text[:end])) and day.start("day") <= start < day.start("name"):
        start = day.start("name")
    if (lead := _LEADING.match(text, start, end)) and lead.end() < end:
        start = lead.end()
    said = text[start:end]
    edge = _EDGE if said.count(")") <= said.count("(") else f"{_EDGE})"
    left = len(said) - len(said.lstrip(_EDGE))
    return start + left, start + left + len(said.strip(edge))


def _name_from(text: str, start: int, end: int) -> int:
    """Where the name begins whose last word this is: not "Marlow" of "Ines Marlow"."""
    before = _CAPITALISED.search(text, max(0, start - NAME_CHARS), start)
    alone = before is None or " " in text[start:end] or is_stop_word(before[1])
    return start if before is None or alone else before.start()
