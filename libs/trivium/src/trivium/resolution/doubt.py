"""Which likenesses are never enough to make two names one thing unasked: then a person decides.

On 11,114 names of real pages (2wiki_dev) a third of the merges by a last name alone were wrong, and so were "best
actor" and "best supporting actor", "Colorado" and "Colorado River", King and Pope Alexander III.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from trivium.domain.graph import EntityType
from trivium.resolution.forms import form_of
from trivium.resolution.likeness import Kind
from trivium.resolution.record import Record

MAX_MIDDLE_NAMES = 2
SHORT_WORD = 5  # letters: with another vowel it is another word ("flash", "flesh")
_NOBODY = frozenset({"best", "prize", "award", "medal", "and", "here", "st", "emperor", "king", "queen"})
_POLITIES = frozenset({"kingdom", "republic", "empire", "duchy", "principality", "commonwealth"})


def is_doubtful(kind: Kind, left: Record, right: Record) -> bool:
    """Whether `kind`, however well the rest fits, is a matter for a person. Symmetric."""
    enough = _ENOUGH.get(kind)
    return enough is not None and not enough(left, right)


def _never(left: Record, right: Record) -> bool:  # noqa: ARG001 - one of the table's
    return False


def _is_polity(left: Record, right: Record) -> bool:
    return bool(_POLITIES & ({*left.key.split()} ^ {*right.key.split()}))


def _is_last_name(left: Record, right: Record) -> bool:
    """Of what a single word alone is, nothing may be known."""
    people = EntityType.PERSON in (left.type, right.type) and all(
        record.type is EntityType.PERSON or " " not in record.key for record in (left, right)
    )
    return people and not _names_nobody(left, right) and not _has_rank(left, right)


def _is_middle_name(left: Record, right: Record) -> bool:
    return _are_people(left, right) and (_has_initial(left, right) or _is_plain(left, right))


def _is_no_person(left: Record, right: Record) -> bool:
    return EntityType.PERSON not in (left.type, right.type)


def _is_misspelt(left: Record, right: Record) -> bool:
    """Of people and bodies alone: a South African is not South Africa."""
    return _are_people(left, right) or _are_bodies(left, right)


def _is_misheard(left: Record, right: Record) -> bool:
    words = zip(left.key.split(), right.key.split(), strict=False)
    return _are_people(left, right) or not any(len(x) == len(y) <= SHORT_WORD for x, y in words if x != y)


def _is_title_or_form(left: Record, right: Record) -> bool:
    one, other = form_of(left.key), form_of(right.key)
    if one.titles and other.titles and one.titles != other.titles:
        return False
    long = len(one.core) > 1 and len(other.core) > 1
    return long or _are_bodies(left, right) or bool(left.neighbours & right.neighbours)


# What makes a likeness enough; what is not here always is.
_ENOUGH: Mapping[Kind, Callable[[Record, Record], bool]] = {
    Kind.PART: _never,
    Kind.KIND: _is_polity,
    Kind.SURNAME: _is_last_name,
    Kind.MIDDLE: _is_middle_name,
    Kind.ORDER: _is_no_person,
    Kind.SPELLING: _is_misspelt,
    Kind.FIRST_NAME: _is_misspelt,
    Kind.SOUND: _is_misheard,
    Kind.LEGAL: _is_title_or_form,
}


def _are_bodies(left: Record, right: Record) -> bool:
    return left.type is right.type is EntityType.ORGANIZATION


def _are_people(left: Record, right: Record) -> bool:
    return left.type is right.type is EntityType.PERSON and not _names_nobody(left, right)


def _names_nobody(left: Record, right: Record) -> bool:
    return bool(_NOBODY & {*left.key.split(), *right.key.split()})


def _has_initial(left: Record, right: Record) -> bool:
    """The name between is told by its letter alone ("John A. Thayer")."""
    return any(len(word) == 1 and word.isalpha() for record in (left, right) for word in form_of(record.key).core[1:-1])


def _is_plain(left: Record, right: Record) -> bool:
    """A name or two between the first and the last one is all that differs: no rank, number or generation."""
    one, other = form_of(left.key).core, form_of(right.key).core
    return not _has_rank(left, right) and abs(len(one) - len(other)) <= MAX_MIDDLE_NAMES


def _has_rank(left: Record, right: Record) -> bool:
    forms = form_of(left.key), form_of(right.key)
    return any(form.titles or form.numbers or form.generation or form.tail for form in forms)
