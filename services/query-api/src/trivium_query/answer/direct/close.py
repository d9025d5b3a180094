"""The likeliest spans are read once more, each in its sentence alone and behind the sentence before it.

A passage holds much that is like the question; what is an answer without it is likelier to be one.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import msgspec

from trivium.domain.chunks import Span
from trivium.ports.inference import Passage, Reading
from trivium.text.sentences import split_sentences
from trivium_query.answer.direct.choose import Chosen
from trivium_query.answer.direct.hops import Found, Read, odds_of
from trivium_query.words import content_words

CLOSE = 5  # that are read again
LEAST_ODDS, MOST_ODDS = -6.0, 20.0
LEAST_LIKELY = 1e-9
SAME = 0.5  # of the longer of two spans that are taken for one


class Close(msgspec.Struct, frozen=True):
    """One way to read a sentence; it begins at `start` of the hit's text."""

    passage: Passage
    start: int


async def read_closely(chosen: Sequence[Chosen], read: Read, weights: Mapping[str, float]) -> list[Chosen]:
    """The same, the first `CLOSE` in the order of both readings. Raises what `read` raises."""
    first = chosen[:CLOSE]
    ways = [_ways(one.found) for one in first]
    known: dict[tuple[str, Passage], Reading] = {}
    for question in dict.fromkeys(one.found.question for one in first):
        passages = [
            way.passage for one, own in zip(first, ways, strict=True) if one.found.question == question for way in own
        ]
        readings = await read(question, passages)
        known.update(((question, passage), reading) for passage, reading in zip(passages, readings, strict=True))
    again = []
    for one, own in zip(first, ways, strict=True):
        odds = [_odds(one.found, way, known[one.found.question, way.passage]) for way in own]
        again.append(_read_again(one, _signals(odds), weights))
    return [*sorted(again, key=lambda one: -one.likely), *chosen[CLOSE:]]


def _read_again(one: Chosen, signals: Mapping[str, float], weights: Mapping[str, float]) -> Chosen:
    told = weights.get("likely", 1.0) * math.log(max(one.likely, LEAST_LIKELY))
    told += sum(weights.get(name, 0.0) * value for name, value in signals.items())
    return msgspec.structs.replace(one, signals={**one.signals, **signals}, likely=math.exp(told))


def _ways(one: Found) -> list[Close]:
    text = one.hit.chunk.text
    spans = one.hit.chunk.sentences or split_sentences(text)
    at = next((at for at in reversed(range(len(spans))) if spans[at].start <= one.start), None)
    if at is None:
        return []
    return [
        Close(Passage(text[start : spans[at].end], one.hit.chunk.heading), start)
        for start in dict.fromkeys(span.start for span in (spans[at], spans[max(0, at - 1)]))
    ]


def _signals(odds: Sequence[float | None]) -> dict[str, float]:
    told = [LEAST_ODDS if each is None else max(LEAST_ODDS, min(MOST_ODDS, each)) for each in odds]
    return {
        "close": sum(told) / len(told) / 10.0 if told else 0.0,
        "unread": float(any(each is None for each in odds)),
    }


def _odds(one: Found, way: Close, reading: Reading) -> float | None:
    """Of the best span that is the same one; None where none is.

    It is the same where only words of the question lead to it: "fish ladder at Corrin Gorge" for which ladder.
    """
    text = way.passage.text
    own = Span(one.start - way.start, min(one.end - way.start, len(text)))
    same = [
        odds_of(span.probability)
        for span in reading.spans
        if _is_same(own, span.start, span.end)
        or (span.start < own.start and span.end == own.end and _leads(one.question, text[span.start : own.start]))
    ]
    return max(same, default=None)


def _leads(question: str, before: str) -> bool:
    """Whether the words are the question's, and the last is none of a name: "fish ladder at", not "pier"."""
    words = before.split()
    return not any(map(content_words, words[-1:])) and set(content_words(before)) <= set(content_words(question))


def _is_same(own: Span, start: int, end: int) -> bool:
    shared = min(own.end, end) - max(own.start, start)
    return shared >= SAME * max(own.end - own.start, end - start)
