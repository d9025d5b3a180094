"""Two hundred short documents about a hundred things, with what contradicts in them and what only looks so.

Made of `wordings.py` by a fixed seed, and of `handwritten.py` as they are. The half set apart has names, titles and
wordings of its own.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from typing import NamedTuple

from handwritten import PAIRS
from wordings import TOPICS, Fact, Topic

SEED = 14
PLANTED, MISSES = 26, 26  # of each half; the rest of 30 and 30 stand in `handwritten.py`
TOLD, FILLERS = 4, 2  # sentences of a document


class Document(NamedTuple):
    """A file's name and text."""

    name: str
    text: str


class Twins(NamedTuple):
    """Two documents about one thing; sentences of the one and of the other that contradict, and that seem to."""

    one: Document
    other: Document
    planted: tuple[tuple[str, str], ...] = ()
    misses: tuple[tuple[str, str], ...] = ()


def half(*, apart: bool) -> list[Twins]:
    """Those to work with, or those set apart: a hundred documents."""
    chance = random.Random(SEED + apart)
    things = [(topic, name) for topic in TOPICS for name in topic.names[apart::2]]
    chance.shuffle(things)
    need = MISSES
    missing: list[tuple[Topic, str]] = []
    for topic, name in things:
        if need > 0 and sum(1 for t, _ in missing if t is topic) < 2:
            missing.append((topic, name))
            need -= 2
    rest = [thing for thing in things if thing not in missing]
    found = []
    used: dict[int, int] = {}
    for topic, name in missing:
        misses = topic.misses[apart]
        at = used.get(id(topic), 0)
        used[id(topic)] = at + 2
        found.append(_looking_so(chance, topic, name, misses[at : at + 2], apart=apart))
    counts = [2 if at < PLANTED - 24 else 1 if at < 24 else 0 for at in range(len(rest))]
    found += [
        _contradicting(chance, topic, name, count, apart=apart)
        for (topic, name), count in zip(rest, counts, strict=True)
    ]
    found += [_handwritten(pair) for pair in PAIRS if pair.apart is apart]
    return found


def _contradicting(chance: random.Random, topic: Topic, name: str, count: int, *, apart: bool) -> Twins:
    facts = [fact for fact in topic.facts if "{v}" in _wordings(fact, apart=apart)[0]]
    chosen = chance.sample(facts, min(TOLD, len(facts)))
    one, other, planted = [], [], []
    for at, fact in enumerate(chosen):
        told, otherwise, against = chance.choice(fact.values)
        first, second = chance.sample(_wordings(fact, apart=apart), 2)
        here = first.format(N=name, v=told)
        there = second.format(N=name, v=against if at < count else otherwise)
        one.append(_capital(here))
        other.append(_capital(there))
        if at < count:
            planted.append((one[-1], other[-1]))
    return Twins(*_pair(chance, topic, name, one, other, apart=apart), tuple(planted))


def _looking_so(
    chance: random.Random, topic: Topic, name: str, misses: tuple[tuple[str, str], ...], *, apart: bool
) -> Twins:
    told = tuple((one.format(N=name), other.format(N=name)) for one, other in misses)
    one, other = [here for here, _ in told], [there for _, there in told]
    return Twins(*_pair(chance, topic, name, one, other, apart=apart), misses=told)


def _pair(
    chance: random.Random, topic: Topic, name: str, one: list[str], other: list[str], *, apart: bool
) -> Iterator[Document]:
    titles = chance.sample(topic.titles[apart], 2)
    fillers = chance.sample(topic.fillers[apart], 2 * FILLERS)
    for title, told, more in zip(titles, (one, other), (fillers[:FILLERS], fillers[FILLERS:]), strict=True):
        said = [*told, *more]
        chance.shuffle(said)
        heading = title.format(N=name)
        yield Document(_file(heading), f"# {heading}\n\n{' '.join(said)}\n")


def _handwritten(pair: object) -> Twins:
    one, other = (Document(_file(title), f"# {title}\n\n{text}\n") for title, text in (pair.one, pair.other))  # type: ignore[attr-defined]
    return Twins(one, other, pair.planted, pair.misses)  # type: ignore[attr-defined]


def _wordings(fact: Fact, *, apart: bool) -> tuple[str, ...]:
    return fact.apart if apart else fact.work


def _capital(sentence: str) -> str:
    return sentence[:1].upper() + sentence[1:]


def _file(title: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-") + ".md"
