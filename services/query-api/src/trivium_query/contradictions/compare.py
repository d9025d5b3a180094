# ruff: noqa: E501  (word lists read best as words)
"""Whether two statements can both be right: what they disagree in, and how surely they are of the same thing. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator

import msgspec

from trivium.domain.contradictions import ContradictionKind
from trivium_query.contradictions.attributes import Attribute, clause_of
from trivium_query.contradictions.conditions import Conditions, conditions_of, differ, without_limits
from trivium_query.contradictions.denials import MIN_DENIED_WORDS, denied
from trivium_query.contradictions.named_values import BY_POSITION
from trivium_query.contradictions.names import is_same, shared
from trivium_query.contradictions.offices import are_others
from trivium_query.contradictions.same_thing import ABOUT_ANOTHER, GENERIC, NAMED_BY_NONE, Pair, paired
from trivium_query.contradictions.statements import Reading, Statement, denies, read
from trivium_query.contradictions.told_alike import Alone, alike, alone, led_in_apart
from trivium_query.contradictions.values import Value, counted, disagree
from trivium_query.words import content_words

MIN_CONFIDENCE = 0.6  # below it a pair is no card; a language model may still be asked about it
MIN_JUDGED = 0.3  # below it nobody is asked
ATTRIBUTE_KNOWN, NAMED_VALUE, ALIKE_NAMED = 0.95, 0.9, 0.85
BY_WORDS, MIN_WORDS_SHARED, MIN_COMMON = 0.55, 0.5, 2
COLOURED, OTHER_MANNER, SWAPPED = 0.9, 0.7, 0.6
LESS_TOLD = 0.85  # an office that only one of them qualifies: "director" and "artistic director"
SAME_DOCUMENT, MIN_SAID_AGAIN = 0.85, 2
_KINDS = {
    "date": ContradictionKind.DATE,
    "time": ContradictionKind.DATE,
    "weekday": ContradictionKind.DATE,
    "colour": ContradictionKind.COLOUR,
    "name": ContradictionKind.RELATION,
    "quantity": ContradictionKind.QUANTITY,
}


class Disagreement(msgspec.Struct, frozen=True):
    """What two statements disagree in. `values` are as they are written."""

    kind: ContradictionKind
    subject: str
    attribute: str
    values: tuple[str, str]
    confidence: float


def compare(one: Statement, other: Statement, *, same_document: bool) -> Disagreement | None:
    """The surest disagreement of two statements, whatever its confidence; None where they can both be right."""
    if one.text == other.text or (same_document and _are_records(one.text, other.text)):
        return None
    if same_document and not _name_the_same(one, other):
        return None
    pair = paired(one, other)
    if pair and same_document and not _is_said_again(pair, one, other):
        return None
    values = list(_values(pair, one, other))
    if same_document and len(values) > 1:
        return None  # seven goals in 47 games, and 96 in 306
    sureness = denied(pair, one, other) if pair else 0.0
    if pair and sureness:
        values.append(Disagreement(ContradictionKind.NEGATION, pair.subject, "", ("", ""), sureness))
    found = max(values, key=lambda each: each.confidence, default=None)
    if found is None:
        return None
    factor = SAME_DOCUMENT if same_document else 1.0
    surest: Disagreement = msgspec.structs.replace(found, confidence=round(min(1.0, found.confidence * factor), 3))
    return surest


def _is_said_again(pair: Pair, one: Statement, other: Statement) -> bool:
    """Within one document, that may tell of several things: whether both say it in the same words but for the value."""
    words = alone(pair, one, other, None, None)
    return words.common >= MIN_SAID_AGAIN and not words.one and not words.other


def _name_the_same(one: Statement, other: Statement) -> bool:
    """Whether both have a name in common, and neither begins with a pronoun, so that who it is said of is a guess."""
    here, there = read(one.text, one.known), read(other.text, other.known)
    return not here.of_it and not there.of_it and bool(shared(here.names, there.names))


def _are_records(one: str, other: str) -> bool:
    """Whether both are entries of one list, as "supplier: Dunmore Ropes; goods: hemp rope": of different things."""
    return len(_labels(one)) > 1 and _labels(one) == _labels(other)


def _labels(text: str) -> list[str]:
    return [label for label, colon, _ in (part.partition(": ") for part in text.split("; ")) if colon]


class _Told(msgspec.Struct, frozen=True):
    """A value, what it is told of, and by whom."""

    by: Statement
    reading: Reading
    value: Value
    attribute: Attribute | None


def _told_by(statement: Statement) -> list[_Told]:
    reading = read(statement.text, statement.known)
    return [_Told(statement, reading, *each) for each in zip(reading.values, reading.attributes, strict=True)]


def _values(whole: Pair | None, one: Statement, other: Statement) -> Iterator[Disagreement]:
    beyond = _told_by(other)
    for here in _told_by(one):
        against = [there for there in beyond if _comparable(here, there)]
        if len(against) != 1 or not (_is_told_once(here) and _is_told_once(against[0])):
            continue
        there, value = against[0], here.value
        pair = paired(one, other, value, there.value) if value.kind == "name" else whole
        if pair is None or not _at_odds(value, there.value) or _excused(pair, here, there):
            continue
        match = _matched(pair, here, there)
        if match > 0:
            kind = _KINDS.get(value.kind, ContradictionKind.NUMBER)
            name = here.attribute.name if here.attribute else value.dimension if value.kind == "name" else ""
            yield Disagreement(kind, pair.subject, name, (_shown(value), _shown(there.value)), match * pair.sureness)


def _is_circumstance(value: Value) -> bool:
    """Whether it is what is told only where nothing else is: "on Sunday 290 doses" and "on Saturday 340" are two things."""
    return value.kind == "weekday" or (value.kind == "name" and value.dimension in BY_POSITION)


def _shown(value: Value) -> str:
    return value.unit if value.kind == "name" else value.text


def _comparable(one: _Told, other: _Told) -> bool:
    if one.value.kind != other.value.kind:
        return False
    is_free = one.value.kind == "money" and "" in (one.value.dimension, other.value.dimension)
    if one.value.dimension != other.value.dimension and not is_free:
        return False
    if one.attribute and other.attribute:
        return one.attribute.name == other.attribute.name
    return one.value.kind != "count" or bool(counted(one.value) & counted(other.value))


def _is_told_once(told: _Told) -> bool:
    """Whether no other value of the sentence could be the one meant."""
    if _is_circumstance(told.value) and len(told.reading.values) > 1:
        return False
    return not any(each.value is not told.value and _comparable(told, each) for each in _told_by(told.by))


def _at_odds(value: Value, other: Value) -> bool:
    if value.kind == "name":
        return not is_same(value.text, other.text) and not holds(value.text, other.text)
    return disagree(value, other)


def holds(one: str, other: str) -> bool:
    """Whether one name is within the other: "Oslo" and "Oslo Harbour"."""
    return f" {one} " in f" {other} " or f" {other} " in f" {one} "


def _excused(pair: Pair, one: _Told, other: _Told) -> bool:
    """Whether they tell of other times, places, parts or plans."""
    value, attribute = one.value, one.attribute
    dated = value.kind in ("date", "weekday")
    lasting = (attribute.lasting if attribute else False) or (
        value.kind == "name" and value.dimension in _FOR_GOOD and None in (value.told, other.value.told)
    )
    here, there = pair.one.conditions, pair.other.conditions
    if value.kind == "frequency":
        here, there = (msgspec.structs.replace(c, planned=False) for c in (here, there))
    if value.bound and value.bound == other.value.bound:
        here, there = without_limits(here), without_limits(there)
    if value.kind == "money":
        here, there = _unless_named(here, pair.other), _unless_named(there, pair.one)
    if differ(here, there, lasting=lasting, dated=dated):
        return True
    if led_in_apart(one.by, other.by) or denies(_clause(one)) != denies(_clause(other)):
        return True
    headings = (conditions_of(each.by.heading) for each in (one, other))
    return _headings_differ(*headings, lasting=lasting or dated)


def _unless_named(conditions: Conditions, other: Reading) -> Conditions:
    """Without "for each bicycle" where the other tells of bicycles too."""
    partial = frozenset(each for each in conditions.partial if not {*content_words(each)} & other.words)
    return msgspec.structs.replace(conditions, partial=partial)


def _headings_differ(one: Conditions, other: Conditions, *, lasting: bool) -> bool:
    """Whether they stand under headings of other times or versions, or of two sides of something."""
    if not lasting and any(a and b and not a & b for a, b in ((one.years, other.years), (one.months, other.months))):
        return True
    if one.versions and other.versions and not one.versions & other.versions:
        return True
    return any(
        {s for a, s in one.sides if a == at}.isdisjoint({s for a, s in other.sides if a == at})
        for at in {at for at, _ in one.sides} & {at for at, _ in other.sides}
    )


def _clause(told: _Told) -> str:
    text, value = told.by.text, told.value
    first, last = clause_of(text, value.start, value.end)
    return f"{text[first : value.start]} {text[value.end : last]}"


_FOR_GOOD = frozenset(
    {
        *("designer", "builder", "author", "composer", "director", "founder", "inventor"),
        *("birthplace", "place of death", "place of loss", "place of burial"),
    }
)


def _matched(pair: Pair, one: _Told, other: _Told) -> float:
    """How surely both values are told of the same attribute."""
    value = one.value
    if value.kind == "name":
        return _names_matched(pair, one, other)
    if value.kind == "colour":
        return COLOURED if _coloured(one) == _coloured(other) else 0.0
    if value.kind == "date" and (_may_be_again(pair) or (one.attribute is None and _tells_more(pair))):
        return 0.0
    return _matched_by_words(pair, one, other)


def _names_matched(pair: Pair, one: _Told, other: _Told) -> float:
    if one.value.dimension in BY_POSITION:
        words = alone(pair, one.by, other.by, None, None)
        return ALIKE_NAMED if words.common and not words.one and not words.other else 0.0
    office, theirs = one.value.told or "", other.value.told or ""
    if are_others(office, theirs):
        return 0.0
    return NAMED_VALUE if office == theirs else NAMED_VALUE * LESS_TOLD


_AGAIN = frozenset(
    content_words(
        "repainted renovated restored repaired refurbished redecorated resurfaced modernised overhauled serviced enlarged"
        " extended visited inspected won cleaned"
    )
)


def _may_be_again(pair: Pair) -> bool:
    """Whether what they date happens more than once: who tells of two repairs need not contradict."""
    ordinals = {side for _, side in pair.one.conditions.sides & pair.other.conditions.sides}
    return bool(pair.one.words & pair.other.words & _AGAIN) and not ordinals & {"first", "last"}


def _tells_more(pair: Pair) -> bool:
    """Whether one has a value besides its date that the other has not: the date is when it was, not what."""
    here, there = (
        {(v.kind, v.dimension, v.text, v.low) for v in r.values if v.kind != "date"} for r in (pair.one, pair.other)
    )
    dates = max(sum(v.kind == "date" for v in r.values) for r in (pair.one, pair.other))
    return here != there or dates > 1


_BOUNDS = frozenset(content_words("minimum maximum limit least most limited"))


def _matched_by_words(pair: Pair, one: _Told, other: _Told) -> float:
    """By the attributes that are named beside them, else by the words of both."""
    words = alone(pair, one.by, other.by, one.attribute, other.attribute)
    if one.value.bound and one.value.bound == other.value.bound:
        words = Alone(words.one - _BOUNDS, words.other - _BOUNDS, words.common)
        if one.value.open and other.value.open and (words.one or words.other):
            return 0.0  # each of many things has its "up to"
    if told := alike(words):
        return told
    if one.attribute is not None and other.attribute is not None:
        in_other_manner = _manners_differ(one, other)
        if one.attribute.vague and in_other_manner:
            return 0.0
        is_swap = bool(words.one & {*content_words(_clause(one))} and words.other & {*content_words(_clause(other))})
        return ATTRIBUTE_KNOWN * (OTHER_MANNER if in_other_manner else 1.0) * (SWAPPED if is_swap else 1.0)
    if words.is_swap or pair.overlap < MIN_WORDS_SHARED or pair.common < MIN_COMMON:
        return 0.0
    return BY_WORDS + (1 - BY_WORDS) * pair.overlap


def _manners_differ(one: _Told, other: _Told) -> bool:
    """Whether something else stands behind the one value than behind the other: "when heating" and "in standby"."""
    behind = [set(content_words(each.by.text[each.value.end :])) - GENERIC for each in (one, other)]
    return all(behind) and not behind[0] & behind[1]


_NOUN = re.compile(r"(?: and \w+)?[ -]([a-z]+)")
_PAINT = frozenset(content_words("paint painted coat colour color housing surface walls only comes sold"))


def _coloured(told: _Told) -> frozenset[str]:
    """What has the colour: the word behind it; nothing where that is the thing itself, or it stands last."""
    behind = _NOUN.match(told.by.text, told.value.end)
    return frozenset(content_words(behind[1]) if behind else ()) - GENERIC - _PAINT


def is_doubtful(one: Statement, other: Statement) -> float:
    """How likely a language model finds a contradiction that rules do not, below `MIN_CONFIDENCE`; 0: not worth asking."""
    if one.text == other.text:
        return 0.0
    pair = paired(one, other)
    if pair is None or pair.sureness < NAMED_BY_NONE * ABOUT_ANOTHER or pair.common < MIN_DENIED_WORDS:
        return 0.0
    if pair.one.conditions.planned != pair.other.conditions.planned or pair.overlap < 0.2:
        return 0.0
    return round(min(MIN_CONFIDENCE - 0.01, MIN_JUDGED * pair.sureness * (1 + pair.overlap)), 3)
