"""Names in running text, by form alone: capitalised phrases, acronyms, quoted titles of works.

No model, no dictionary of entities, and one pass of a regular expression, so that ingest can
afford it for every chunk (several megabytes a second) and the query service for every question.
Offsets count characters of the text given.
"""

from __future__ import annotations

import re
import sys
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

MAX_NAME_TOKENS = 12  # longer runs are headlines in title case, not names
MAX_QUOTED_CHARS = 80  # a quotation longer than this is speech, not the title of a work

_ARTICLES = frozenset({"the", "a", "an"})
# Words that may stand, uncapitalised, inside a name ("University of the West Indies").
_CONNECTORS = (
    "of|the|for|de|del|della|da|di|do|dos|das|du|des|la|las|le|les|lo|los|el|al|van|von|der|den|"
    "zu|zum|zur|y|e|ibn|bin|bint|ap|af|av|ter|ten|on|in|to|at|upon"
)
# Openers of sentences and questions that are capitalised for their place, not as names.
_OPENERS = frozenset(
    """a about according additionally after afterwards all also although among an and another any
    are as at be because been before being below besides between both but by can could despite did
    do does due during each either equation even every few figure finally first following for from
    further furthermore had has have he hence her here him his how however i if in indeed instead
    into is it its itself just last later like many may me meanwhile might more moreover most
    much must my neither nevertheless no nor not nothing now of often on once one only or other our
    over people rather same section see several shall she should similarly since so some soon still
    such table than that the their them then there therefore these they this those though
    three through throughout thus to today together two under unlike until up upon us very was we
    were what when where whereas whether which while who whom whose why will with within without
    would yet you your born note give tell name list find describe explain compare""".split()
)
_DATES = frozenset(
    """january february march april may june july august september october november december
    monday tuesday wednesday thursday friday saturday sunday jan feb mar apr jun jul aug sep sept
    oct nov dec bc ad bce ce am pm""".split()
)


def _upper_class() -> str:
    """Every upper-case letter below U+1000 as ranges for a regular expression's class."""
    points = [point for point in range(0x41, 0x1000) if chr(point).isupper()]
    ranges: list[str] = []
    start = previous = points[0]
    for point in [*points[1:], sys.maxunicode]:
        if point != previous + 1:
            ranges.append(chr(start) if start == previous else f"{chr(start)}-{chr(previous)}")
            start = point
        previous = point
    return "".join(ranges)


_UP = _upper_class()
_WORD = rf"(?:(?:[{_UP}]\.[ ]?)+(?=[{_UP}])|(?:[{_UP}]\.){{2,}}|[{_UP}]\w*(?:[-'’&/]\w+)*)"
_ORDINAL = r"(?:\d{1,4}(?:st|nd|rd|th)?)"
_GAP = rf"(?:[ ]|[ ]&[ ]|[ ](?:{_CONNECTORS})[ ](?:(?:the|la|las|los|le)[ ])?|[ ]?-[ ]?)"
_NAME = re.compile(
    rf"(?<![\w@#])(?:{_ORDINAL}[ ](?={_WORD}))?{_WORD}(?:{_GAP}(?:{_WORD}))*"
    rf"(?:[ ]{_ORDINAL}(?![\w.,]\d))?"
)
_QUOTED = re.compile(rf"[\"“«„]([{_UP}\d][^\"“”»«\n]{{0,{MAX_QUOTED_CHARS}}}?)[,.;:]?[\"”»]")
_POSSESSIVE = re.compile(r"(?:['’]s|s['’])$|['’]$")
_QUALIFIER = re.compile(r"\s*\([^()]*\)\s*$")
_TOKENS = re.compile(r"\w+")
_JOINT = re.compile(r",[ ]|[ ](?:and|&)[ ]|,[ ]and[ ]")


class NameSpan(NamedTuple):
    """One occurrence of a name: `key` is folded; `[start, end)` counts characters of the text."""

    key: str
    start: int
    end: int
    surface: str
    sentence: int


def fold_name(name: str) -> str:
    """The key under which spellings of one name meet.

    Case, accents, punctuation, a leading article, a possessive ending and a qualifier in
    parentheses ("Mercury (planet)") are dropped. May be empty. Idempotent.
    """
    bare = _QUALIFIER.sub("", name) or name
    if not bare.isascii():
        decomposed = unicodedata.normalize("NFKD", bare)
        bare = "".join(char for char in decomposed if not unicodedata.combining(char))
    bare = bare.replace("'s", "").replace("’s", "").replace("'", "").replace("’", "")
    tokens = _TOKENS.findall(bare.casefold().replace("_", " "))
    while len(tokens) > 1 and tokens[0] in _ARTICLES:
        del tokens[0]
    return " ".join(tokens)
