"""Who does what the question's verb says: "The landlord pays for the roof", "small repairs are paid by the tenant"."""

from __future__ import annotations

import re
from collections.abc import Iterator

from trivium.domain.retrieval import Hit
from trivium_query.answer.direct.hops import Found
from trivium_query.answer.direct.life import Told
from trivium_query.words import content_words, stem

MAX_NOUN_WORDS = 3
_AND = " and "
_ASKS = re.compile(
    r"^who\s+(?:will\s+|would\s+|shall\s+|should\s+|must\s+|can\s+|may\s+|has\s+|had\s+)?"
    r"(?!is\b|are\b|was\b|were\b|am\b|be\b|else\b|do\b|does\b|did\b|has\b|have\b|had\b)(?P<verb>[a-z]{3,})\b",
    re.I,
)
_WORD = re.compile(r"[^\W\d_]+")
_NAME = r"(?:[A-Z\u00c0-\u00de][\w'\u2019-]+)(?:\s+[A-Z\u00c0-\u00de][\w'\u2019-]+){0,3}"
_DETERMINED = rf"(?:[Tt]he|[Aa]n?|[Oo]ur|[Ee]ach|[Ee]very)\s+[a-z-]+(?:\s+[a-z-]+){{0,{MAX_NOUN_WORDS - 1}}}?"
_AGENT = rf"(?:{_DETERMINED}|{_NAME})(?:\s+and\s+(?:{_DETERMINED}|{_NAME}))?"
_HELPING = r"(?:\s+(?:must|will|shall|can|may|should|has|have|had|also|always|usually|normally|then|first))*"
_PLACED = r"(?:\s+(?:in|at|on|from)\s+(?:the\s+)?[\w'\u2019-]+(?:\s+[A-Z\u00c0-\u00de][\w'\u2019-]+)?)?"
_SUBJECT = re.compile(rf"(?P<agent>{_AGENT}){_PLACED}{_HELPING}\s+$")
_NAMED_OFFICE = r"(?:the|an?|our)\s+[a-z-]+(?:\s+(?!of\b|in\b|at\b|for\b|from\b)[a-z-]+)?\s+(?=[A-Z\u00c0-\u00de])"
_BY = re.compile(rf"(?:\s+[a-z]+){{0,2}}\s+by\s+(?:{_NAMED_OFFICE})?(?P<agent>{_AGENT})(?=[\s,.;:)]|$)")
_WHAT_IS = re.compile(
    r"^\W*what(?:['\u2019]s|\s+is|\s+are|\s+was|\s+were)\s+(?:the\s+|an?\s+)?(?P<term>\S.*?)[\s?.!]*$", re.I
)
_DEED = re.compile(r"^\s+[a-z]+")
_TELLS_WHAT = re.compile(
    r"\b(?:is|are|was|were|be|been|being|became|means?|called|named|as|of|for)\b|[,;:(\u2013\u2014-]", re.I
)
_PASSIVE = re.compile(r"\b(?:is|are|was|were|be|been|being)\s+(?:\w+ly\s+)?$")


def agents_in(question: str, hit: Hit) -> Iterator[Told]:
    """In a passage that holds all words asked: the subject of the asked verb, or who stands behind its "by".

    Of several sentences those with the most of the question's words.
    """
    asks = _ASKS.match(question.strip())
    if asks is None:
        return
    verb, asked, text = stem(asks["verb"].lower()), frozenset(content_words(question)), hit.chunk.text
    if not asked <= frozenset(content_words(f"{hit.chunk.heading} {hit.chunk.title} {text}")):
        return
    found = [
        (len(asked & frozenset(content_words(span.of(text)))), Told(span.start + start, span.start + end))
        for span in hit.chunk.sentences
        for start, end in _agents(verb, asked, span.of(text))
    ]
    most = max((share for share, _ in found), default=0)
    yield from (told for share, told in found if share == most)


def acts_on_what_is_asked(question: str, one: Found) -> bool:
    """Whether "what is the fish ladder" would be answered by who built it: by words before it, with a deed between."""
    asked = _WHAT_IS.match(question)
    if asked is None or one.sentence is None:
        return False
    behind = one.hit.chunk.text[one.end : one.sentence.end]
    between, term, _ = behind.partition(asked["term"])
    return bool(term and _DEED.search(between)) and not _TELLS_WHAT.search(between)


def _agents(verb: str, asked: frozenset[str], sentence: str) -> Iterator[tuple[int, int]]:
    for word in _WORD.finditer(sentence):
        if stem(word[0].lower()) != verb or word[0].endswith("ing"):  # "stop taking": nobody is said to take
            continue
        before = sentence[: word.start()]
        by = _BY.match(sentence, word.end()) if _PASSIVE.search(before) else None
        subject = None if _PASSIVE.search(before) else _SUBJECT.search(before)
        agent = by or subject
        if agent is not None and _is_somebody(agent["agent"], first=agent.start("agent") == 0):
            yield _not_named(asked, sentence, *agent.span("agent"))


def _is_somebody(agent: str, *, first: bool) -> bool:
    """Not so a word with a capital that only begins a sentence: "Never clean it"."""
    return " " in agent or not first


def _not_named(asked: frozenset[str], sentence: str, start: int, end: int) -> tuple[int, int]:
    """Of two who do it together, the one that the question does not name."""
    joint = sentence.find(_AND, start, end)
    if joint >= 0 and asked.issuperset(content_words(sentence[joint:end])):
        return start, joint
    given = joint >= 0 and asked.issuperset(content_words(sentence[start:joint]))
    return joint + len(_AND) if given else start, end
