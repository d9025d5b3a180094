"""Names in running text, by form alone: capitalised phrases, acronyms, quoted titles of works.

No model, no dictionary of entities, and one pass of a regular expression, so that ingest can
afford it for every chunk (several megabytes a second) and the query service for every question.
Offsets count characters of the text given.
"""

from __future__ import annotations

import re
import sys
import unicodedata
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import NamedTuple

from trivium.text.languages import language_of
from trivium.text.spaceless import MARKS

MAX_NAME_TOKENS = 12  # longer runs are headlines in title case, not names
MIN_CHARS_TOLD = 200  # the language of a shorter text, which may be a title, is not sure
MAX_QUOTED_CHARS = 80  # a quotation longer than this is speech, not the title of a work


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_ARTICLES = frozenset({"the", "a", "an"})
# Words that may stand, uncapitalised, inside a name ("University of the West Indies").
_CONNECTORS = (
    "of|de|del|della|da|di|do|dos|das|du|des|la|las|le|les|lo|los|el|al|van|von|der|den|"
    "zu|zum|zur|y|e|ibn|bin|bint|ap|af|av|ter|ten"
)
# Openers of sentences and questions that are capitalised for their place, not as names.
_OPENERS = _words(
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
    would yet you your born note give tell name list find describe explain compare"""
)
# The same of languages other than English, each heeded in texts of its own alone ("Die Hard" is a name).
_OPENERS_OF = {
    "de": _words(
        """der die das den dem des ein eine einen einem einer eines er sie es wir ich ihr man dies diese dieser dieses
        diesen diesem jede jeder jedes alle viele einige mehrere manche beide andere sein seine seinen seiner ihre
        ihren ihrer unser unsere mein meine kein keine und aber oder denn doch jedoch sondern auch nur noch schon
        nicht so dann danach dort hier da dabei dazu dadurch daher damit darauf darin darüber dafür dagegen deshalb
        deswegen trotzdem außerdem allerdings zudem insbesondere zunächst schließlich später heute derzeit seit
        während nach vor bei mit ohne für gegen durch über unter zwischen aus von zu zum zur in im an am auf um bis
        wegen trotz obwohl weil wenn als ob nachdem bevor sobald bald etwa fast wie was wer wo wann warum wem wen
        wessen welche welcher welches welchen welchem woher wohin wieviel"""
    ),
    "es": _words(
        """el la los las un una unos unas lo este esta esto estos estas ese esa esos esas su sus mi se es son era fue
        fueron hay está y e o pero aunque si no también además incluso después antes luego entonces así cuando
        mientras donde como desde hasta durante según sin con por para entre sobre tras contra a al de del en ante
        bajo muchos muchas algunos algunas otros otras otro otra varios varias todos todas cada ambos ambas más
        menos muy ya hoy actualmente posteriormente finalmente quién quiénes qué cuál cuáles cuándo cuánto cuántos
        cuánta cuántas dónde cómo"""
    ),
    "fr": _words(
        """le la les un une des du de ce cet cette ces son sa ses leur leurs notre nos il elle ils elles on nous vous
        je et ou mais donc si aussi ainsi alors puis ensuite enfin après avant pendant depuis lors lorsque quand
        comme où dans en sur sous par pour avec sans entre vers chez selon malgré contre plusieurs certains
        certaines quelques tous toutes tout toute chaque autres plus moins très actuellement cependant toutefois
        néanmoins parfois souvent qui que quoi quel quelle quels quelles combien comment pourquoi"""
    ),
}
_OPENERS_ELSEWHERE = frozenset[str]().union(*_OPENERS_OF.values())
_DATES = _words(
    """january february march april may june july august september october november december
    monday tuesday wednesday thursday friday saturday sunday jan feb mar apr jun jul aug sep sept
    oct nov dec bc ad bce ce am pm"""
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
_PLAIN = rf"[{_UP}]\w*(?:[-'\u2019&/]\w+)*"
_WORD = rf"(?:(?:[{_UP}]\.)+(?=[ ][{_UP}])|(?:[{_UP}]\.){{2,}}(?!\w)|(?:[{_UP}]\.)+{_PLAIN}|{_PLAIN})"
_ORDINAL = r"(?:\d{1,4}(?:st|nd|rd|th)?)"
_GAP = rf"(?:[ ]|[ ]&[ ]|[ ](?:{_CONNECTORS})[ ](?:(?:the|la|las|los|le)[ ])?|[ ]?-[ ]?)"
_NAME = re.compile(
    rf"(?<![\w@#])(?:{_ORDINAL}[ ](?={_WORD}))?{_WORD}(?:{_GAP}(?:{_WORD}))*"
    rf"(?:[ ]{_ORDINAL}(?![\w.,]\d))?"
)
_QUOTED = re.compile(rf"[\"“«„]([{_UP}\d][^\"“”»«\n]{{0,{MAX_QUOTED_CHARS}}}?)[,.;:]?[\"”»]")
_POSSESSIVE = re.compile(r"['\u2019]s?$")
# What is said of a name with a hyphen is no part of it: "Frankfurt-based", "Moscow-born".
_SAID_OF = re.compile(r"-(?:based|born|area|led|backed|style|owned|controlled|trained|educated|made|built|bound)$")
_PARTY = re.compile(r"[RDI]-(?=[A-Z][a-z])")  # "Jake Garn, R-Utah": a party and the state
_SERIAL = re.compile(r"[A-Z]{1,4}\d{6,}")  # before a name, as in "LD2804174994 Moscow"
QUALIFIER = re.compile(r"(?<!\s)\s*\([^()]*\)\s*$")
_TOKENS = re.compile(rf"[\w{MARKS}]+")
_CUT_AT_MARKS = re.compile(r"\w+")
_APOSTROPHE = re.compile(r"['\u2019]s\b|['\u2019]")
_WORD_BEFORE = re.compile(r"\w")
_JOINT = re.compile(r", |,? (?:and|in|on|at|to|for|the|with|from)(?: the)? ")
_LONGEST_JOINT = len(", from the ")
# Marks that make another letter or syllable, by Unicode's classes: kana's voicing, viramas, vowels and tones of Telugu,
# Thai, Lao and Tibetan. Accents, points and the dots below Indian letters are as often left out, and of other classes.
_OF_LETTERS = frozenset(
    mark for mark in MARKS if unicodedata.combining(mark) in {8, 9, 84, 91, 103, 107, 118, 122, 129, 130, 132}
)
_EDGES = (
    frozenset(_CONNECTORS.split("|")) | _ARTICLES | {"and", "or", "in", "on", "at", "to", "for", "with", "from", "by"}
)


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
    return _folded(name, _OF_LETTERS, _TOKENS)


def key_without_marks(name: str) -> str:
    """The key that a name had until marks were part of its letters: one for パリ and バリ."""
    return _folded(name, frozenset(), _CUT_AT_MARKS)


def _folded(name: str, kept: frozenset[str], words: re.Pattern[str]) -> str:
    bare = QUALIFIER.sub("", name) or name
    if not bare.isascii():
        decomposed = unicodedata.normalize("NFKD", bare).replace("\u200d", "")
        bare = "".join(char for char in decomposed if char in kept or not unicodedata.combining(char))
    tokens = words.findall(_APOSTROPHE.sub("", bare.casefold().replace("_", " ")))
    while len(tokens) > 1 and tokens[0] in _ARTICLES:
        del tokens[0]
    return " ".join(tokens)


def name_tokens(text: str) -> list[str]:
    """The words of `text` as `fold_name` spells them, in order."""
    return fold_name(f"{text} .").split() if text else []


def subnames(key: str, longest: int = 8) -> list[str]:
    """Every run of at most `longest` words of a folded key that could be a name of its own; no bare number is."""
    tokens = key.split()
    ends = [place for place, token in enumerate(tokens) if token not in _EDGES]
    return [
        " ".join(tokens[first : last + 1])
        for nth, first in enumerate(ends)
        for last in ends[nth : nth + longest]
        if last - first < longest and (last > first or not tokens[first].isdigit())
    ]


def is_name_edge(token: str) -> bool:
    """Whether a folded word neither begins nor ends a name by itself ("of", "the", "and")."""
    return token in _EDGES


def names_in(text: str, sentences: Sequence[tuple[int, int]] = ()) -> list[NameSpan]:
    """The names in `text`, ordered by start, longer before shorter; spans may overlap.

    `sentences` are [start, end) ranges of `text` (one range over all of it when empty): no name
    crosses them, and the first word of each is judged knowing that it is capitalised anyway.
    """
    found: list[NameSpan] = []
    for ordinal, (start, end) in enumerate(sentences or ((0, len(text)),)):
        runs = [run for match in _NAME.finditer(text, start, end) if (run := _trim(text, match, start))]
        spans = {*runs, *_joined(text, runs), *_quoted(text, start, end)}
        for first, last in sorted(spans, key=lambda span: (span[0], -span[1])):
            surface = text[first:last]
            key = fold_name(surface)
            if key and len(key) > 1:
                found.append(NameSpan(key, first, last, surface, ordinal))
    return found


def _trim(text: str, match: re.Match[str], sentence_start: int) -> tuple[int, int] | None:
    """The part of a capitalised run that is a name, or None (an opener, a date, a common word)."""
    start, end = match.span()
    words = match.group().split(" ")
    opens = not _WORD_BEFORE.search(text, sentence_start, start)
    dropped = 0
    while dropped < len(words) and (
        _is_edge(words[dropped], dropped > 0 or opens) or (opens and _opens_in_its_language(words[dropped], text))
    ):
        start += len(words[dropped]) + 1
        dropped += 1
    if dropped < len(words) - 1 and words[dropped][-1].isdigit() and _SERIAL.fullmatch(words[dropped]):
        start += len(words[dropped]) + 1
        dropped += 1
    words = words[dropped:]
    if not words or len(words) > MAX_NAME_TOKENS:
        return None
    if words[0][1:2] == "-" and (party := _PARTY.match(words[0])):
        start += party.end()
        words[0] = words[0][party.end() :]
    ending = _POSSESSIVE.search(words[-1]) or ("-" in words[-1] and _SAID_OF.search(words[-1]))
    if ending:
        end -= len(ending.group())
        words[-1] = words[-1][: -len(ending.group())]
    if all(word.rstrip(".").casefold() in _DATES or not word[0].isalpha() for word in words):
        return None
    if len(words) == 1 and (words[0].casefold() in _OPENERS or _is_common(words[0], text, opens and not dropped)):
        return None
    return (start, end) if end > start else None


def _is_edge(word: str, may_strip: bool) -> bool:
    lowered = word.casefold()
    return may_strip and (lowered in _OPENERS or lowered in _EDGES or word in {"-", "&"})


def _opens_in_its_language(word: str, text: str) -> bool:
    lowered = word.casefold()
    known = lowered in _OPENERS_ELSEWHERE and len(text) >= MIN_CHARS_TOLD
    return known and lowered in _OPENERS_OF.get(language_of(text), ())


def _is_common(word: str, text: str, opens: bool) -> bool:
    """Whether a sentence's capitalised first word also stands uncapitalised in the text."""
    return opens and f" {word.casefold()} " in text


def _joined(text: str, runs: Sequence[tuple[int, int]]) -> Iterable[tuple[int, int]]:
    """Neighbouring names that may be one: "Wilmington, North Carolina", "Crime and Punishment"."""
    for (start, end), (following, last) in pairwise(runs):
        if following - end <= _LONGEST_JOINT and _JOINT.fullmatch(text, end, following):
            yield start, last


def _quoted(text: str, start: int, end: int) -> Iterable[tuple[int, int]]:
    """Titles of works in quotation marks, without the marks."""
    for match in _QUOTED.finditer(text, start, end):
        if match.group(1).count(" ") < MAX_NAME_TOKENS:
            yield match.span(1)
