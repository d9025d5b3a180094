"""Yes or no, where one sentence says all that is asked of one thing, or says that it is not so. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence, Set
from itertools import takewhile

import msgspec

from trivium.text.names import names_in
from trivium_query.answer.direct.differences import told_of_another
from trivium_query.answer.direct.opposites import agrees, is_switched_otherwise, weekday_of, weekdays_in
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
_NOT = re.compile(
    r"\b(?:not|no|never|none|nobody|nothing|neither|nor|without|cannot|no longer|forbidden|prohibited|banned)\b"
    r"|n['\u2019]t\b|\b(?:been|is|are|was|were|be) (?:dropped|cancell?ed|called off|scrapped|abandoned)\b",
    re.I,
)
_NOT_AT_LAST = re.compile(r",\s(?:but\s)?not\s([^,.;]+)[.;]?\s*$")
_PART = re.compile(r"[;,:](?=\s)|\s(?=but\s)")
_IS_NOT = re.compile(
    r"(?:and |but )?(?P<what>.+?)\s"
    r"(?:(?:is|are|was|were|does|do|did|can|may|will|has|have)\s?(?:not|n['\u2019]t)|cannot)",
    re.I,
)
_NUMBER = re.compile(r"\d[\d,.]*")
_PRONOUN = re.compile(r"(?:he|she|it|they)\b", re.I)
_UNNAMED = re.compile(r"(?:open|closed|shut)\b", re.I)  # "Open Saturday and Sunday": what, the sentence before tells
_CLAUSES = re.compile(r"[,;:](?=\s)|\s(?:but|although|though|while)\s", re.I)
_TITLES = frozenset({"mr", "mrs", "ms", "dr"})
MAX_READ = 25  # sentences: that which decides often lacks the name
MIN_SAID = 2  # words of the question besides names, that a sentence must tell of


BY_RULE_ODDS = 12.0


class Decided(msgspec.Struct, frozen=True):
    """The word and the sentence that it follows from; read or `by_rule`.

    The odds, logarithms, are those of reading: against neither word, and `ahead` of the other one.
    """

    short: str
    sentence: Candidate
    by_rule: bool = True
    odds: float = BY_RULE_ODDS
    ahead: float = BY_RULE_ODDS


def asks_yes_or_no(question: str) -> bool:
    """By its first word, unless it offers a choice."""
    return _ASKS.match(question) is not None


def denies(text: str) -> bool:
    """Whether it says that something is not so, or may not be."""
    return _NOT.search(text) is not None


def denies_another(question: str, sentence: str) -> bool:
    """Whether all that it denies is of something that is not asked.

    At its end ("on the terrace, not in the hall"), or in another part ("there is no shop; coffee is ours").
    """
    asked = set(content_words(question))
    parts = [part for part in sentence.split("; ") if asked & set(content_words(part))]
    if len(parts) == 1 and not denies(parts[0]) and denies(sentence):
        return True
    last = _NOT_AT_LAST.search(sentence)
    if last is None or denies(sentence[: last.start()]):
        return False
    return not set(content_words(last[1])) & asked


def denies_what_is_asked(question: str, sentence: str) -> bool:
    """Whether a part of it says but that of what is asked the rest does not hold: "hens are welcome; geese are not"."""
    asked = set(content_words(question))
    parts = [part.strip(" .") for part in _PART.split(sentence)]
    for at, part in enumerate(parts):
        rest = " ".join(parts[:at] + parts[at + 1 :])
        left_out = _IS_NOT.fullmatch(part)
        if left_out and content_words(rest) and not denies(rest):
            return bool(asked & set(content_words(left_out["what"])) - set(content_words(rest)))
    return False


def yes_or_no(question: str, extracted: Extract) -> Decided | None:
    """None where it is no such question, or no sentence holds all its words but a number."""
    if not asks_yes_or_no(question):
        return None
    asked = set(content_words(question))
    numbers = {word for word in asked if _NUMBER.fullmatch(word)}
    for one in extracted.ranked[:MAX_READ]:
        told = (set(one.words) | _titled(one)) - told_of_another(one.text)
        if asked <= told:
            return Decided(_word(question, one.text), one)
        if (
            numbers
            and asked - numbers <= told
            and not numbers & told
            and len(asked - numbers) > 1
            and _NUMBER.search(one.text)
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
    said = len((asked - named - {day}) - rest) + len(same) + bool(day and days)
    if None in same or len(same) > 1 or said < MIN_SAID:
        return None
    flipped = same == [False]
    if day and days and day not in days:
        return None if flipped or denies(one.text) else Decided("no", one)
    if denies_what_is_asked(question, one.text):
        return None if denies(question) else Decided("no", one)
    word = _word(question, _clause(one.text, rest) if rest else one.text)
    return Decided({"yes": "no", "no": "yes"}[word] if flipped else word, one)


def _stood_for(question: str, one: Candidate, told: Set[str]) -> set[str]:
    """What the question begins with, where the sentence has a pronoun or nothing for it and it is named before."""
    chunk, before = one.hit.chunk, 0
    if _UNNAMED.match(one.text):
        before = max((span.start for span in chunk.sentences if span.end <= one.span.start), default=0)
    elif not _PRONOUN.match(one.text):
        return set()
    subject = set(takewhile(lambda word: word not in told, content_words(question)))
    return subject if subject <= set(content_words(chunk.text[before : one.span.start])) else set()


def _clause(sentence: str, asked: set[str]) -> str:
    """The part of the sentence that has the other word: "It is harmless, but signs ask not to swim"."""
    parts = _CLAUSES.split(sentence)
    return next((each for each in parts if agrees(next(iter(asked)), set(content_words(each))) is not None), sentence)


def _titled(one: Candidate) -> set[str]:
    """The words of its headings, and of the line that its passage begins with."""
    chunk = one.hit.chunk
    first = chunk.sentences[0].of(chunk.text) if chunk.sentences else ""
    return set(content_words(f"{chunk.heading} {first}"))


def _word(question: str, sentence: str) -> str:
    denied = denies(sentence) and not denies_another(question, sentence)
    return "no" if (denied != denies(question)) != is_switched_otherwise(question, sentence) else "yes"
