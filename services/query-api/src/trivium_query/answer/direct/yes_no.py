"""Yes or no, where one sentence says all that is asked of one thing, or says that it is not so. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence, Set
from itertools import takewhile

import msgspec

from trivium.text.names import names_in
from trivium_query.answer.direct.differences import told_of_another
from trivium_query.answer.direct.opposites import agrees, is_switched_otherwise, weekday_of, weekdays_in
from trivium_query.answer.direct.polarity import beside_conditions, denies, is_said, is_settled, names_exceptions
from trivium_query.answer.evidence import Candidate
from trivium_query.answer.extractive import Extract
from trivium_query.words import content_words

_VERB = r"(?:is|are|am|was|were|do|does|did|has|have|had|can|could|may|might|must|should|will|would)"
_ASKS = re.compile(
    rf"^\W*{_VERB}\b(?!\W+(?:is|are|was|were)\b)(?!.*\bor\b)"
    # behind what leads to it: "If it rains, is ...", "We are ten. May we ..."
    rf"|^(?!.*\b(?:who|whom|whose|what|which|how|why)\b)(?!.*\bor\b).+[,.;!]\s+(?:then\s+|so\s+)?{_VERB}\s+"
    r"(?:I|we|you|he|she|it|they|there|the|this|that|my|our|your|his|her|its|their|an?|any|[A-Z]\w*)\b",
    re.I,
)
_WHETHER = re.compile(r"\bwhether\b.*", re.I | re.S)  # an "or" in it offers no choice
_NUMBER = re.compile(r"\d[\d,.]*")
_OF_ALL = re.compile(
    r"\b(?:all|every|both|each|whole|entire|everybody|everyone|everything|too|else|after|before|until|till|since)\b",
    re.I,
)
_ASKS_OF_IT = re.compile(rf"\W*{_VERB}\s(?:it|he|she|they|this|that|these|those)\b", re.I)
_PRONOUN = re.compile(r"(?:he|she|it|they)\b", re.I)
_UNNAMED = re.compile(r"(?:open|closed|shut)\b", re.I)  # "Open Saturday and Sunday": what, the sentence before tells
_TITLES = frozenset({"mr", "mrs", "ms", "dr"})
MAX_READ = 25  # sentences: that which decides often lacks the name
MIN_SAID = 2  # words of the question besides names, that a sentence must tell of


BY_RULE_ODDS = 12.0


class Decided(msgspec.Struct, frozen=True):
    """The word and the sentence that it follows from; read or `by_rule`.

    The odds, logarithms, are those of reading: against neither word, and `ahead` of the other one. `likely` is the
    probability of the word that was read: what the sentence demands may have turned it into "no".
    """

    short: str
    sentence: Candidate
    by_rule: bool = True
    odds: float = BY_RULE_ODDS
    ahead: float = BY_RULE_ODDS
    likely: float = 1.0


def asks_yes_or_no(question: str) -> bool:
    """By its first word, unless it offers a choice."""
    return _ASKS.match(_WHETHER.sub("", question)) is not None


def yes_or_no(question: str, extracted: Extract) -> Decided | None:
    """None where it is no such question, or no sentence tells it by its words: of all, of "it", under conditions."""
    if not asks_yes_or_no(question) or _OF_ALL.search(question) or _ASKS_OF_IT.match(question):
        return None
    asked = set(content_words(question))
    numbers = {word for word in asked if _NUMBER.fullmatch(word)}
    for one in extracted.ranked[:MAX_READ]:
        told = (set(one.words) | _titled(one)) - told_of_another(one.text)
        if asked <= told and _tells_enough(asked & set(one.words), asked):
            return _decided(_word(question, asked, one.text), one)
        if (
            numbers
            and asked - numbers <= told
            and not numbers & told
            and len(asked - numbers) > 1
            and _NUMBER.search(one.text)
            and _tells_enough(asked & set(one.words), asked - numbers)
            and is_settled(one.text)
        ):
            return Decided("no", one)
    said = (_otherwise(question, asked - _TITLES, one, extracted.names) for one in extracted.ranked[:MAX_READ])
    return next(filter(None, said), None)


def _otherwise(question: str, asked: set[str], one: Candidate, names: Sequence[str]) -> Decided | None:
    """By a sentence that has a word of the same or of the opposite meaning, or the days of the week.

    Its passage may have the name instead of it, where it has no other name.
    """
    named = {word for name in names for word in content_words(name)}
    passage = set(content_words(f"{one.hit.chunk.heading} {one.hit.chunk.title} {one.hit.chunk.text}"))
    told = (set(one.words) | _titled(one)) - told_of_another(one.text)
    if named & passage == named and not any(name.key not in names for name in names_in(one.text)):
        told |= named
    subject = _stood_for(question, one, told)
    named |= subject
    told |= subject
    day, days = weekday_of(asked), weekdays_in(one.text)
    rest = {word for word in asked - told if not (days and word == day)}
    same = [agrees(word, one.words) for word in rest]
    told_day = {day} if day and days else set[str]()
    said = len((asked - named - {day}) - rest) + len(same) + len(told_day)
    if None in same or len(same) > 1 or said < MIN_SAID:
        return None
    if not _tells_enough((asked & set(one.words)) | subject | rest | told_day, asked - named):
        return None
    flipped = same == [False]
    if day and days and day not in days:
        return None if flipped or denies(one.text) or names_exceptions(one.text) else Decided("no", one)
    meant = {word for word in one.words for other in rest if agrees(other, {word}) is not None}
    word = _word(question, (asked - rest) | meant, one.text)
    return _decided({"yes": "no", "no": "yes"}.get(word, "") if flipped else word, one)


def _tells_enough(told: Set[str], asked: Set[str]) -> bool:
    """Whether the sentence itself tells of it; headings and names of its passage may have the rest."""
    return len(told) >= MIN_SAID and len(asked - told) <= 1


def _stood_for(question: str, one: Candidate, told: Set[str]) -> set[str]:
    """What the question begins with, where the sentence has a pronoun or nothing for it and it is named before."""
    chunk, before = one.hit.chunk, 0
    if _UNNAMED.match(one.text):
        before = max((span.start for span in chunk.sentences if span.end <= one.span.start), default=0)
    elif not _PRONOUN.match(one.text):
        return set()
    subject = set(takewhile(lambda word: word not in told, content_words(question)))
    return subject if subject <= set(content_words(chunk.text[before : one.span.start])) else set()


def _titled(one: Candidate) -> set[str]:
    """The words of its headings, and of the line that its passage begins with."""
    chunk = one.hit.chunk
    first = chunk.sentences[0].of(chunk.text) if chunk.sentences else ""
    return set(content_words(f"{chunk.heading} {first}"))


def _word(question: str, asked: Set[str], sentence: str) -> str:
    """Yes or no; "" where it takes more than words to tell."""
    question, sentence = beside_conditions(question, sentence)
    said = is_said(asked, sentence)
    if said is None:
        return ""
    return "yes" if (said != denies(question)) != is_switched_otherwise(question, sentence) else "no"


def _decided(word: str, one: Candidate) -> Decided | None:
    return Decided(word, one) if word else None
