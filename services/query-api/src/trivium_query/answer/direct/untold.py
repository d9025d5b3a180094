"""What a sentence does not tell although it has the thing: no amount, no name, not which ones. Pure."""

from __future__ import annotations

import re

from trivium.text.names import names_in
from trivium_query.answer.direct.units import NUMBER_WORDS, is_no_such_amount, lacks_money
from trivium_query.answer.tables.asked_words import alike, stems_of
from trivium_query.words import content_words, fold

# Whose names are written with a capital; those of dishes, tools and illnesses are not.
_NAMED = (
    r"(?:m[ae]n|wom[ae]n|boys?|girls?|child(?:ren)?|persons?|people|wife|husband|mother|father|sisters?|brothers?|sons?"
    r"|daughters?|owners?|buyers?|sellers?|drivers?|teachers?|authors?|captain|mayor|doctor|compan(?:y|ies)|firms?|village"
    r"|town|street|river|hotel|pub|ship|boat)"
)
_ASKS_FOR_NAMES = re.compile(
    rf"\bnames? of (?:\w+ ){{0,2}}{_NAMED}\b(?!['\u2019]s)"
    rf"|\b{_NAMED}(?:['\u2019]?s?['\u2019]? (?:sur)?names?| called)\b"
    r"|\bsurnames?\b|\b(?:his|her) name\b",
    re.I,
)
_AND = re.compile(r",|[&+/]|\b(?:and|or|as well as)\b", re.I)
_LATER = re.compile(r"\b(?:will|shall|['\u2019]ll)\s(?:send|give|tell|let)\b[^.;:]*\bnames?(?=\W*$|[),.;])", re.I)
_NAMES = re.compile(r"\b(?:names?|named|calls?|called|known as|nicknamed|titled)\b|[\"\u201c\u00ab]", re.I)
_WHICH_OF_SEVERAL = re.compile(
    rf"\b(?:which|what|names? of the)\s(?:the\s)?(?P<count>[2-9]|(?!one\b){NUMBER_WORDS})\b", re.I
)
_LISTS = re.compile(r":\s|\s[-\u2013\u2014]\s")
_WHO = re.compile(r"^\W*who(?:se|m)?\b", re.I)
_SOMEBODY = re.compile(r"\b(?:somebody|someone|anonymous(?:ly)?)\b", re.I)
_WHO_IS_THE = re.compile(r"^\W*who\s(?:is|was|are|were)\sthe\s(?P<noun>[^\W\d_]+)", re.I)
# Labels: "Paid by", and any of persons.
_BY = re.compile(r"\b(?:who|by|names?|persons?|contact|staff|employees?|members?|lead|responsible|in charge)\b", re.I)
_WHOM = re.compile(rf"{_BY.pattern}|(?:er|or|ist)s?$", re.I)  # "Borrower"
_CAPITAL = re.compile(r"[A-Z][^\W\d_]|[A-Z]\.\s")  # "Ada", "A. Finch"; not a rail E
_ABBREVIATED = 3  # letters, at least: "Auth."
_LABEL = re.compile(r"(?:^|;\s)(?P<label>[^:;]+):\s(?P<value>[^;]*)")
_NUMBERS = dict(zip(["two", "three", "four", "five", "six", "seven", "eight", "nine"], "23456789", strict=True))


def is_untold(question: str, short: str, said: str, before: str = "") -> bool:
    """Whether what was read, `short` in the sentence `said`, cannot be what is asked for; all of it in English."""
    tells = (_names_nothing, _names_later, _names_nobody, _counts)
    return is_no_such_amount(question, short, said, before) or any(each(question, short, said) for each in tells)


def is_under_no_label(question: str, row: str) -> bool:
    """Whether a table's row has no label for whom or what amount is asked: who wrote a book, of a list of loans.

    Not so of "which" and "what": tables call a thing by too many names ("Col.", "Tel.", "Due").
    """
    labels = list(_LABEL.finditer(row))
    if not labels or not _WHO.match(question):
        return bool(labels) and lacks_money(question, row)
    if noun := _WHO_IS_THE.match(question):
        return not (_tells(noun["noun"], row) or any(_BY.search(each["label"]) for each in labels))
    asked = set(content_words(question))
    persons = (_WHOM.search(each["label"]) or _CAPITAL.match(each["value"]) for each in labels)
    known = (set(content_words(each["value"])) <= asked for each in labels)
    return not any(person and not old for person, old in zip(persons, known, strict=True))


def _tells(noun: str, row: str) -> bool:
    """Whether a row has a word, who does it, or its first letters."""
    (wanted,) = stems_of(noun)
    short = fold(noun)
    return any(alike(wanted, word) or (len(word) >= _ABBREVIATED and short.startswith(word)) for word in stems_of(row))


def _names_nothing(question: str, short: str, said: str) -> bool:
    """A description, where the name of a person or a firm is asked for: "to a vet from Thorley"."""
    if not (short and _ASKS_FOR_NAMES.search(question)) or any(map(str.isupper, short)) or _NAMES.search(said):
        return False
    described = re.search(rf"\b(?:an?|the|his|her|its|our|their|my)\s{re.escape(short)}\b", said, re.I)
    return " " in short or described is not None


def _names_later(question: str, _short: str, said: str) -> bool:
    """Who tells the name, where it is asked for: "Liv will send you the name"."""
    return " name" in question and not _WHO.match(question) and _LATER.search(said) is not None


def _names_nobody(question: str, short: str, said: str) -> bool:
    """Where it is asked who: "it was borrowed by somebody"."""
    told = short or said
    return _WHO.match(question) is not None and not any(map(str.isupper, short)) and _SOMEBODY.search(told) is not None


def _counts(question: str, short: str, said: str) -> bool:
    """How many they are, where it is asked which: "two stalls are behind with their rent"."""
    asked = _WHICH_OF_SEVERAL.search(question)
    if asked is None or _LISTS.search(said):
        return False
    known = set(content_words(question))
    if any(not set(content_words(name.key)) & known for name in names_in(said) if name.start):
        return False
    count = asked["count"].lower()
    told = re.search(rf"\b(?:{count}|{_NUMBERS.get(count, count)})\b(?![.:,]\d)", said, re.I)
    return told is not None and _AND.search(said, told.end()) is None and _AND.search(short) is None
