"""Reading step by step: what a question's inner part names is read first and put in its place."""

from __future__ import annotations

import math
from collections.abc import Awaitable, Callable, Sequence

import msgspec

from trivium.domain.chunks import Span
from trivium.domain.retrieval import Hit
from trivium.ports.inference import Passage, Reading
from trivium.text.names import fold_name, names_in
from trivium.text.sentences import split_sentences
from trivium_query.answer.direct.nested import Nested, nested_in, put
from trivium_query.answer.direct.things import Thing, is_about, mentions, things_in

Read = Callable[[str, Sequence[Passage]], Awaitable[list[Reading]]]

FITTED_SLOPE, FITTED_INTERCEPT = 0.24197509709, -1.67630587533  # the scale of all odds here, whatever reader says them
LEAST_PROBABILITY = 1e-6
MAX_HOPS = 3
PASSAGES_A_HOP = 2  # that are read for one step
FINAL_PASSAGES = 3
WHOLE_PASSAGES = 5
UNLIKELY = -8.0  # log-odds below which no words are taken for an answer
MAX_PHRASES = 2  # ways to cut one question that are tried


class Found(msgspec.Struct, frozen=True):
    """A span of a hit's text as the answer to `question`. `odds` are those of its being there, as a logarithm.

    `about`: the hit is about the thing that the question names. `steps` led to the question.
    """

    hit: Hit
    start: int
    end: int
    odds: float
    question: str
    steps: tuple[Found, ...] = ()
    about: bool = False

    @property
    def text(self) -> str:
        """The words themselves."""
        return self.hit.chunk.text[self.start : self.end]

    @property
    def sentence(self) -> Span | None:
        """The one in which it begins."""
        spans = self.hit.chunk.sentences or split_sentences(self.hit.chunk.text)
        return next((span for span in spans if span.start <= self.start < span.end), None)

    @property
    def name(self) -> str:
        """The first name in them, or all of them."""
        names = names_in(self.text)
        return self.text[names[0].start : names[0].end] if names else self.text

    def between(self, start: int, end: int) -> Found:
        """Other words of the same text as the answer."""
        return msgspec.structs.replace(self, start=start, end=end)


def read_once(read: Read) -> Read:
    """`read`, which reads no passage for a second time with the same question; for one answer."""
    known: dict[tuple[str, Passage], Reading] = {}

    async def reading(question: str, passages: Sequence[Passage]) -> list[Reading]:
        new = [passage for passage in dict.fromkeys(passages) if (question, passage) not in known]
        if new:
            readings = await read(question, new)
            known.update(((question, passage), one) for passage, one in zip(new, readings, strict=True))
        return [known[question, passage] for passage in passages]

    return reading


async def read_whole(question: str, hits: Sequence[Hit], read: Read) -> list[Found]:
    """The best spans of the first hits, each asked the whole question, best first."""
    things = things_in(question, hits)
    return await found_in(question, hits[:WHOLE_PASSAGES], read, (), things[0].text if len(things) == 1 else "")


async def read_by_hops(question: str, hits: Sequence[Hit], read: Read) -> list[Found]:
    """The spans of the last step, best first; none where the question has one step only, or one finds nothing."""
    steps: tuple[Found, ...] = ()
    things = things_in(question, hits)
    for _ in range(MAX_HOPS):
        step, asked = await _inner(question, things, hits, read, steps)
        if step is None or asked is None:
            break
        steps = (*steps, step)
        question = put(question, asked, step.name)
        start = asked.start + len(asked.before)
        things = [Thing(start, start + len(step.name), step.name)]
    if not steps:
        return []
    return await found_in(question, telling_of(steps[-1].name, hits, FINAL_PASSAGES), read, steps, steps[-1].name)


async def _inner(
    question: str, things: Sequence[Thing], hits: Sequence[Hit], read: Read, steps: tuple[Found, ...]
) -> tuple[Found | None, Nested | None]:
    """The surest answer to a part of the question, and that part."""
    best: tuple[Found | None, Nested | None] = (None, None)
    for thing in things:
        for nested in nested_in(question, thing)[:MAX_PHRASES]:
            about = telling_of(thing.text, hits, PASSAGES_A_HOP)
            for found in await found_in(nested.question, about, read, steps, thing.text):
                surer = best[0] is None or found.odds > best[0].odds
                if surer and not _repeats(found.name, question) and _leads_on(found, hits):
                    best = (found, nested)
    return best


def _repeats(name: str, question: str) -> bool:
    return f" {fold_name(name)} " in f" {fold_name(question)} "


def _leads_on(found: Found, hits: Sequence[Hit]) -> bool:
    """Whether a hit is about what was found; where one only mentions it, the words must be likely ones."""
    if any(hit.chunk.id != found.hit.chunk.id and is_about(hit, found.name) for hit in hits):
        return found.odds > UNLIKELY
    return found.odds > 0.0 and any(mentions(hit, found.name) for hit in hits)


def telling_of(name: str, hits: Sequence[Hit], count: int) -> list[Hit]:
    """Hits about the thing before those that mention it."""
    about = [hit for hit in hits if is_about(hit, name)]
    return [*about, *(hit for hit in hits if hit not in about and mentions(hit, name))][:count]


def odds_of(probability: float) -> float:
    """A span's log-odds against there being none, on the scale on which the weights of answers were fitted.

    Each reader has a scale of its own, of which its facts make a probability (Platt 1999): that is comparable.
    """
    p = min(max(probability, LEAST_PROBABILITY), 1 - LEAST_PROBABILITY)
    return (math.log(p / (1 - p)) - FITTED_INTERCEPT) / FITTED_SLOPE


async def found_in(question: str, hits: Sequence[Hit], read: Read, steps: tuple[Found, ...], thing: str) -> list[Found]:
    """The best spans of each hit, best first; `thing` is what the question is about, "" where that is not known."""
    if not hits:
        return []
    passages = [Passage(hit.chunk.text, hit.chunk.title) for hit in hits]
    readings = await read(question, passages)
    found = [
        Found(
            hit,
            span.start,
            span.end,
            odds_of(span.probability),
            question,
            steps,
            about=bool(thing) and is_about(hit, thing),
        )
        for hit, reading in zip(hits, readings, strict=True)
        for span in reading.spans[:2]
    ]
    return sorted(found, key=lambda one: -one.odds)
