"""What is read of each of two things, so that they can be compared."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from trivium.domain.retrieval import Hit
from trivium_query.answer.direct.alternatives import Weighed
from trivium_query.answer.direct.comparison import Attribute, Comparison, decide
from trivium_query.answer.direct.hops import Found, Read, found_in, telling_of
from trivium_query.answer.direct.life import DATED, Told, life_in
from trivium_query.answer.direct.things import Thing, is_about
from trivium_query.answer.direct.values import day_of, nation_in, number_of
from trivium_query.words import content_words

SURE = 10.0  # the odds of what stands in a bracket after a name, or in its first sentence
_BIRTH = {Attribute.BORN: "born", Attribute.DIED: "died"}
LEADING_CHARS = 300
FOUNDED = "When was {} founded?"  # of what is older and was never born


class Compared(msgspec.Struct, frozen=True):
    """The answer in a word and what each thing's value was read from, with the steps to it."""

    short: str
    values: tuple[Found, Found]
    comparison: Comparison | None = None

    @property
    def odds(self) -> float:
        """Those of its weakest step."""
        return min(step.odds for value in self.values for step in (*value.steps, value))


def as_compared(weighed: Weighed) -> Compared:
    """Two amounts that sentences tell of two described things."""
    first, second = (
        Found(sentence.hit, sentence.span.start + value.start, sentence.span.start + value.end, SURE, "")
        for value, sentence in ((one.value, one.sentence) for one in weighed.amounts)
    )
    return Compared(weighed.short, (first, second))


async def compare(comparison: Comparison, hits: Sequence[Hit], read: Read) -> Compared | None:
    """None where a value is not found, or they decide nothing."""
    first = await _value(comparison, comparison.first, hits, read)
    second = await _value(comparison, comparison.second, hits, read)
    if first is None or second is None:
        return None
    if comparison.attribute is Attribute.PREDICATE:
        return _predicate(comparison, first, second)
    short = decide(comparison, first.text, second.text)
    return Compared(short, (first, second), comparison) if short else None


async def _value(comparison: Comparison, thing: Thing, hits: Sequence[Hit], read: Read) -> Found | None:
    name, steps = thing.text, tuple[Found, ...]()
    if comparison.role:
        role = await _who(comparison.role, name, hits, read)
        if role is None:
            return None
        name, steps = role.name, (role,)
    about = telling_of(name, hits, 2)
    if not about:
        return None
    plain = _told(comparison.attribute, about[0], name, steps)
    if plain is not None:
        return plain
    if comparison.attribute is Attribute.PREDICATE:
        return _predicated(comparison, about[0], steps)
    for asks in (comparison.asks, FOUNDED) if comparison.attribute is Attribute.BORN else (comparison.asks,):
        found = await found_in(asks.format(name), about, read, steps, name)
        fitting = next((one for one in found if one.odds > 0 and _fits(comparison.attribute, one.text)), None)
        if fitting is not None:
            return fitting
    return None


async def _who(role: str, name: str, hits: Sequence[Hit], read: Read) -> Found | None:
    """Who stands in the role; one of whom a hit tells before the others."""
    found = await found_in(f"{role} of {name}", telling_of(name, hits, 1), read, (), name)
    likely = [one for one in found if one.odds > 0]
    known = [one for one in likely if any(is_about(hit, one.name) for hit in hits)]
    return next(iter(known or likely), None)


def _told(attribute: Attribute, hit: Hit, name: str, steps: tuple[Found, ...]) -> Found | None:
    """What an encyclopaedia's opening says in its form."""
    if not is_about(hit, name):
        return None
    if attribute in _BIRTH:
        life = life_in(hit)
        return _found(hit, life.born if attribute is Attribute.BORN else life.died, steps)
    if attribute is Attribute.LIFETIME:
        life = life_in(hit)
        return _found(hit, Told(life.born.start, life.died.end) if life.born and life.died else None, steps)
    if attribute is Attribute.NATION:
        place = nation_in(hit.chunk.text[:LEADING_CHARS])
        return _found(hit, Told(*place) if place else None, steps)
    if attribute is Attribute.DATE:
        date = DATED.search(hit.chunk.text, 0, LEADING_CHARS)
        return _found(hit, Told(*date.span()) if date else None, steps)
    return None


def _found(hit: Hit, told: Told | None, steps: tuple[Found, ...]) -> Found | None:
    return Found(hit, told.start, told.end, SURE, "", steps, about=True) if told else None


def _fits(attribute: Attribute, text: str) -> bool:
    if attribute in (Attribute.BORN, Attribute.DIED, Attribute.DATE):
        return day_of(text) is not None
    if attribute is Attribute.NUMBER:
        return number_of(text) is not None
    return bool(text.strip(" ."))


def _predicated(comparison: Comparison, hit: Hit, steps: tuple[Found, ...]) -> Found:
    """The share of the predicate's words that the passage holds, as odds."""
    held = set(content_words(f"{hit.chunk.heading} {hit.chunk.text}"))
    share = sum(word in held for word in comparison.predicate) / len(comparison.predicate)
    return Found(hit, 0, min(len(hit.chunk.text), LEADING_CHARS), SURE * (2 * share - 1), "", steps, about=True)


def _predicate(comparison: Comparison, first: Found, second: Found) -> Compared:
    holds = first.odds >= SURE and second.odds >= SURE
    values = tuple(
        msgspec.structs.replace(one, odds=abs(one.odds) if holds else SURE - one.odds) for one in (first, second)
    )
    return Compared("yes" if holds else "no", values, comparison)  # type: ignore[arg-type]
