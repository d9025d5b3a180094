# ruff: noqa: E501  (word lists read best as words)
"""Whether two statements are of the same thing, and of the same part of it. Pure."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from trivium_query.contradictions import titles
from trivium_query.contradictions.named_values import BY_POSITION
from trivium_query.contradictions.names import of_other_titles, shared
from trivium_query.contradictions.statements import Reading, Statement, read, subjects_of
from trivium_query.contradictions.values import Value, counted
from trivium_query.words import content_words

NAMED_BY_ONE, NAMED_BY_NONE = 0.97, 0.9
NAMES_MORE, ABOUT_ANOTHER = 0.85, 0.6
OTHER_WORDS, OTHER_WORDS_NAMED, MORE_WORDS, OTHER_PART = 0.7, 0.8, 0.97, 0.6
# Words for the thing itself: its documents call it so without a name.
GENERIC = frozenset(
    content_words(
        "lighthouse tower light building museum ferry boat ship vessel company firm business organisation organization town"
        " village city place patient woman man person bridge structure machine device product model unit set school hotel library"
        " theatre film novel book line service site centre center garden station year time people person total figure number weekday daily architect designer engineer founder director executive manager curator treasurer surgeon owner"
        " author builder supplier headquarters seat birthplace collection capacity crossing passage dose greatest deepest highest largest longest maximum overall point default"
        " approximately exactly precisely just currently stand stands made make first whole full use used have get give take"
    )
)


class Pair(msgspec.Struct, frozen=True):
    """Two sentences about one `subject`."""

    one: Reading
    other: Reading
    subject: str
    sureness: float  # that both are about the same thing
    overlap: float  # of their words, 0 to 1
    common: int


def paired(one: Statement, other: Statement, value: Value | None = None, theirs: Value | None = None) -> Pair | None:
    """Both read, where they are about the same thing; None where they are not."""
    here, there = read(one.text, one.known), read(other.text, other.known)
    named_here, named_there = subjects_of(here, one.about, value), subjects_of(there, other.about, theirs)
    subjects, their_subjects = _as_there(named_here, there), _as_there(named_there, here)
    respelt = {*subjects} - {*named_here} | {*their_subjects} - {*named_there}  # its head stands in both
    common = shared(subjects, their_subjects)
    if not common or of_other_titles(one.heading, other.heading):
        return None
    whole = [
        name
        for name in common
        if name in respelt
        or (" " in name and any(name == each or " " in each for each in shared(their_subjects, [name])))
    ]
    names, their_names = _as_there(here.names, there), _as_there(there.names, here)
    said = shared(whole, names) and shared(whole, their_names) and not (here.of_somebody or there.of_somebody)
    if not said and not titles.agree(title_of(one), title_of(other)):
        return None  # what a sentence does not name itself is known by what its document is about
    valued = {
        v.text
        for v in (*here.values, *there.values)
        if v.kind == "name" and (v.dimension not in BY_POSITION or v in (value, theirs))
    }
    of_one, of_other = (*names, *one.about), (*their_names, *other.about)
    more = [name for name in names if name not in valued and not shared([name], of_other)]
    more_there = [name for name in their_names if name not in valued and not shared([name], of_one)]
    if more and more_there:
        return None
    in_one, in_other = bool(shared(names, common)), bool(shared(their_names, common))
    sureness = 1.0 if in_one and in_other else NAMED_BY_ONE if in_one or in_other else NAMED_BY_NONE
    if more or more_there:
        sureness *= NAMES_MORE if in_one and in_other else ABOUT_ANOTHER
    ours, others = own_words(here, common, one), own_words(there, common, other)
    if value is None or value.kind != "name":
        sureness *= _same_part(
            here, there, ours, others, _words_of(common, one) | _words_of(common, other), named=in_one and in_other
        )
    union = len(ours | others)
    overlap = len(ours & others) / union if union else 1.0
    return Pair(here, there, common[0], sureness, overlap, len(ours & others))


def _as_there(names: Sequence[str], there: Reading) -> tuple[str, ...]:
    """The names as the other sentence spells them: "apiary of linz road" is "linz road" where that has "apiary" too."""
    return tuple(
        rest if of and rest in there.names and set(content_words(head)) <= there.words else name
        for name, (head, of, rest) in ((name, name.partition(" of ")) for name in names)
    )


def _same_part(
    here: Reading, there: Reading, ours: frozenset[str], others: frozenset[str], dropped: set[str], *, named: bool
) -> float:
    """How surely both speak of the same part or side of it."""
    sureness = OTHER_PART if _is_of_a_part(here, there, dropped) or _is_of_a_part(there, here, dropped) else 1.0
    if ours and others and not ours & others:
        return sureness * (OTHER_WORDS_NAMED if named else OTHER_WORDS)
    return sureness * MORE_WORDS if bool(ours) != bool(others) else sureness


def own_words(reading: Reading, subjects: list[str], statement: Statement) -> frozenset[str]:
    """Its words without those for its subject and for the attributes of its values."""
    dropped = _words_of(subjects, statement)
    for value, attribute in zip(reading.values, reading.attributes, strict=True):
        if attribute is not None:
            dropped.update(
                word for match in attribute.words.finditer(statement.text) for word in content_words(match[0])
            )
        dropped.update(counted(value))
    return reading.words - dropped - GENERIC


def _is_of_a_part(one: Reading, other: Reading, dropped: set[str]) -> bool:
    """Whether it is said of something that the other does not speak of: the fog horn of the lighthouse."""
    head = one.head - GENERIC - dropped
    return bool(head) and not head & other.words


def title_of(statement: Statement) -> str:
    """Its document's title."""
    return statement.heading.partition(" > ")[0]


def title_words(statement: Statement) -> frozenset[str]:
    """The stems of its document's title."""
    return frozenset(content_words(title_of(statement)))


def _words_of(subjects: list[str], statement: Statement) -> set[str]:
    return {word for name in (*subjects, *statement.about) for word in content_words(name)} | title_words(statement)
