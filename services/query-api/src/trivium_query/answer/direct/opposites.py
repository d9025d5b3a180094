"""What a sentence says in other words than a yes/no question: the same ("welcome"), the opposite ("harmless"). Pure."""

from __future__ import annotations

import re
from collections.abc import Set as AbstractSet

from trivium_query.words import content_words, fold

# Ways to say that something may be or may not; whether it may, a "not" or "forbidden" tells apart.
_PERMITTED = "allowed permitted welcome authorised authorized forbidden prohibited banned"
# Words of one meaning, and those of the opposite one.
_OPPOSITES = tuple(
    (frozenset(content_words(one)), frozenset(content_words(other)))
    for one, other in (
        (_PERMITTED, ""),
        ("dangerous harmful hazardous unsafe poisonous toxic", "harmless safe"),
        ("open", "closed shut"),
        ("included", "excluded"),
        ("full", "empty"),
        ("possible", "impossible"),
        ("voluntary optional", "compulsory mandatory obligatory"),
        ("public", "private"),
        ("alive", "dead"),
        ("died killed drowned perished", "survived saved rescued"),
        ("present", "absent"),
        ("legal", "illegal"),
        ("valid", "invalid expired"),
        ("accepted approved", "rejected refused declined"),
        ("passed succeeded", "failed"),
        ("cheap", "expensive"),
        ("start started begin began begun commence", "end ended finish finished stop stopped expire"),
        ("arrive arrives arrived", "leave leaves left depart departs departed"),
        ("married", "unmarried single"),
    )
)
SAME_LETTERS = 5  # of "insurance" and "insured"
_WITHOUT = re.compile(r"\bwithout\s(?:an?\s|any\s|the\s|being\s|having\s)*([^\W\d_]+)", re.I)
_DEMANDS = re.compile(r"\b(?:must|ha(?:s|ve) to|needs?|required?|requires|obligatory|only)\b(?! not\b)", re.I)
_ASKED_SWITCH = re.compile(
    r"\b(on|off)\b(?=\W*$|\s+(?:in|at|during|now|all|from|until|when|while|over|by|today|tonight|tomorrow)\b)", re.I
)
_TOLD_SWITCH = re.compile(
    r"\b(?:turn(?:s|ed)?|switch(?:es|ed)?|shut|is|are|was|were|be|been|stays?|stayed|kept|left|go|goes)\s(on|off)\b",
    re.I,
)
_PARTICLES = {"in": "out", "on": "off", "up": "down"} | {"out": "in", "off": "on", "down": "up"}
_PHRASAL = re.compile(rf"\b(check|log|sign|clock|switch|turn|move|get|go)[- ]?({'|'.join(_PARTICLES)})\b", re.I)
_WORD = re.compile(r"[^\W\d_]+")
WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_DAYS_OF = {"weekday": WEEKDAYS[:5], "weekend": WEEKDAYS[5:]}
_DAY = rf"(?P<{{}}>{'|'.join(WEEKDAYS)})s?"
_RANGE = re.compile(rf"{_DAY.format('first')}\s*(?:to|until|till|through|[-\u2013\u2014])\s*{_DAY.format('last')}")


def agrees(asked: str, told: AbstractSet[str]) -> bool | None:
    """Whether the words mean what the asked one means, or its opposite; None where they do neither. All are stems."""
    for same, other in (*_OPPOSITES, *((two, one) for one, two in _OPPOSITES)):
        if asked in same and told & (same | other):
            return bool(told & same)
    return None


def is_required(question: str, sentence: str) -> bool:
    """Whether the sentence demands what the question wants to do without."""
    without = _WITHOUT.search(question)
    if without is None or not _DEMANDS.search(sentence):
        return False
    stem = without[1].lower()[:SAME_LETTERS]
    return any(word.lower()[:SAME_LETTERS] == stem for word in _WORD.findall(sentence))


def is_switched_otherwise(question: str, sentence: str) -> bool:
    """Whether it is asked if something is on and said that it is off, or the other way round."""
    asked, told = _ASKED_SWITCH.search(question), _TOLD_SWITCH.search(sentence)
    return asked is not None and told is not None and asked[1].lower() != told[1].lower()


def is_of_other_particle(question: str, said: str) -> bool:
    """Whether the sentence tells of checking in, and it is asked of checking out."""
    asked, told = ({(verb.lower(), way.lower()) for verb, way in _PHRASAL.findall(text)} for text in (question, said))
    return not asked & told and any((verb, _PARTICLES[way]) in told for verb, way in asked)


def weekdays_in(sentence: str) -> frozenset[str]:
    """The days of the week that it names, those of its spans ("Tuesday to Sunday") and of "weekends" among them."""
    text = fold(sentence)
    found = {day for day in WEEKDAYS if day in text}
    found.update(day for word, days in _DAYS_OF.items() if word in text for day in days)
    for match in _RANGE.finditer(text):
        first, last = WEEKDAYS.index(match["first"]), WEEKDAYS.index(match["last"])
        found.update(
            WEEKDAYS[at % len(WEEKDAYS)] for at in range(first, last + 1 if last >= first else last + 1 + len(WEEKDAYS))
        )
    return frozenset(found)


def is_of_another_day(question: str, sentence: str) -> bool:
    """Whether both name days of the week, and none is of both."""
    asked, told = weekdays_in(question), weekdays_in(sentence)
    return bool(asked and told) and not asked & told


def weekday_of(words: AbstractSet[str]) -> str:
    """The one day of the week among the words, "" where there is none or several."""
    named = [day for day in WEEKDAYS if day in words]
    return named[0] if len(named) == 1 else ""
