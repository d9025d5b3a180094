# ruff: noqa: RUF001  (typographic marks are in the texts)
"""What a chunk is about: its document's title, its headings, and the terms it defines (role TITLE)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from trivium.domain.chunks import Chunk, Span
from trivium.text import gate
from trivium.text.names import fold_name
from trivium.text.titles import SHORT_TITLE_CONFIDENCE, short_title, title_parts

TITLE_CONFIDENCE = 1.0
HEADING_CONFIDENCE = 0.9
TERM_CONFIDENCE = 0.8
UNNAMED_TITLE_CONFIDENCE = 0.45  # the passage is about its title, but a formula or a sentence of a title names nothing
MAX_TITLE_CHARS = 200
MAX_TERM_WORDS = 5

_NUMBERING = re.compile(r"^(?:(?:chapter|section|part|appendix)\s+)?(?:\d+(?:\.\d+)*|[IVXLC]+|[A-Z])[.):]?\s+", re.I)
_DEFINITION = re.compile(
    r"(?:(?:The|A|An|In [^,]{3,60}, (?:the|an?)?) )?(?P<term>[^\W_][^,.;:()\n*]{0,58}?)(?: ?\([^()]{1,80}\))?,? "
    r"(?:(?:is|was) (?:an?|the|one of)\b|are (?:an?|the|those|all)\b|refers? to\b|denotes?\b|stands for\b|means\b)"
)
_LABEL = re.compile(
    r"(?:[-*•] )?(?:\*\*(?P<bold>[^*\n]{2,60}?):?\*\*\s*[:–—-]?\s|(?P<plain>[A-Z][\w /-]{2,40}): (?=[A-Z]))"
)
_NO_TERM = re.compile(
    r"^(?:it|he|she|they|this|that|these|those|there|here|what|which|who|one|we|you|i|his|her|its|their|our|my|in|on"
    r"|at|all|some|most|many|both|each|another|note|example|figure|table|if|when|as|for|by|with|from)\b"
    r"|\b(?:is|was|are|were|has|have|that|which|who|when|because|can|will|should|must|but|and then)\b",
    re.IGNORECASE,
)
_OF = re.compile(r" (?:of|in|for|to|between|on) ")


class Topic(NamedTuple):
    """A name that a chunk is about. `span` is empty (0, 0) when the text does not hold the name."""

    key: str
    surface: str
    span: Span
    sentence: int
    confidence: float


_NOWHERE = Span(0, 0)
_MARKS = f" \t\n{gate.PERMALINK_MARKS}"
_NO_TITLE = (gate.unprintable, gate.pdf_garbage, gate.generic_heading)


def topics_of(chunk: Chunk) -> list[Topic]:
    """The topics of `chunk`, title first; each key once, with the strongest reason."""
    topics: dict[str, Topic] = {}
    for topic in (*_title(chunk), *_headings(chunk), *_terms(chunk)):
        topics.setdefault(topic.key, topic)
    return list(topics.values())


def _title(chunk: Chunk) -> Iterator[Topic]:
    title = chunk.title.strip(_MARKS)
    key = fold_name(title)
    if key and len(title) <= MAX_TITLE_CHARS and not any(rule(title) for rule in _NO_TITLE):
        yield Topic(key, title, *_place(chunk, title), _title_confidence(title))
        short = short_title(title)
        if short is not None and not gate.rejected(short.surface):
            yield Topic(short.key, short.surface, *_place(chunk, short.surface), SHORT_TITLE_CONFIDENCE)


def _title_confidence(title: str) -> float:
    """Too low for an entity where the gate's length or formula rule rejects it."""
    return UNNAMED_TITLE_CONFIDENCE if gate.too_long(title) or gate.formula(title) else TITLE_CONFIDENCE


def _headings(chunk: Chunk) -> Iterator[Topic]:
    for heading in chunk.section:
        whole = heading.strip(_MARKS)
        name = _NUMBERING.sub("", whole).rstrip(": ")
        key = fold_name(name)
        if key and not gate.rejected(name) and not gate.rejected(whole):
            yield Topic(key, name, *_place(chunk, name), HEADING_CONFIDENCE)


@lru_cache(maxsize=4096)  # every chunk of a document has the same title
def heading_names(heading: str) -> tuple[tuple[str, str], ...]:
    """The names inside a title or heading, as (key, surface)."""
    return tuple((part.key, part.surface) for part in title_parts(heading) if not gate.rejected(part.surface))


def _place(chunk: Chunk, name: str) -> tuple[Span, int]:
    at = chunk.text.find(name)
    if at < 0:
        return _NOWHERE, 0
    ordinal = next((i for i, span in enumerate(chunk.sentences) if span.start <= at < span.end), 0)
    return Span(at, at + len(name)), ordinal


def _terms(chunk: Chunk) -> Iterator[Topic]:
    """Terms that a sentence at the start of a line defines."""
    text = chunk.text
    for ordinal, sentence in enumerate(chunk.sentences):
        if sentence.start > 0 and "\n" not in text[max(0, sentence.start - 2) : sentence.start]:
            continue
        term = defined_term(text, sentence)
        if term is not None:
            surface = term.of(text)
            yield Topic(fold_name(surface), surface, term, ordinal, TERM_CONFIDENCE)


def defined_term(text: str, sentence: Span) -> Span | None:
    """The term that a sentence defines ("A lease is a …", "**Lease**: …"), or None."""
    match = _LABEL.match(text, sentence.start, sentence.end)
    if match:
        span = Span(*match.span(match.lastgroup or 0))
    else:
        match = _DEFINITION.match(text, sentence.start, sentence.end)
        if match is None:
            return None
        span = Span(*match.span("term"))
    surface = span.of(text)
    words = surface.split()
    if len(words) > MAX_TERM_WORDS or _NO_TERM.search(surface) or gate.rejected(surface):
        return None
    if _OF.search(surface) and surface[:1].isupper() and words[-1][:1].islower():
        return None  # "Development of the engine is a …": a phrase, no term
    return span if fold_name(surface) else None
