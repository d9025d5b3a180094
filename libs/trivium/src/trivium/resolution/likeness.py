"""How two names are alike by their words alone, and how much that says by itself."""

from __future__ import annotations

import enum
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from trivium.resolution.forms import KINDS, MAX_INITIALS, REMEMBERED, Form, form_of, initials_of, skeleton


class Kind(enum.StrEnum):
    """From the surest to the least sure; the value is the reason a person reads."""

    SAME = "the same name"
    COMPACT = "the same letters, written apart or together"
    LEGAL = "the same name with another legal form or title"
    GENERATION = "the same name; one is said to be the younger or the elder"
    ORDER = "the same words in another order"
    MIDDLE = "the same first and last name; one has a middle name more"
    NICKNAME = "a short form of the first name, the same last name"
    INITIAL = "an initial for the first name, the same last name"
    SOUND = "names that sound alike"
    ONE_SOUND = "single words that sound alike"
    SPELLING = "a letter or two differ"
    FIRST_NAME = "a letter differs in the first name, which may be a brother's or a sister's"
    KIND = "one says of what kind it is"
    ACRONYM = "the initials of the other"
    SURNAME = "the last name alone"
    PART = "a part of the other name"
    NONE = "different names"


# How likely such a pair is one thing when nothing else is known; fitted by eye to the tuning half of bench/resolution.
WEIGHTS: dict[Kind, float] = {
    Kind.SAME: 0.9,
    Kind.COMPACT: 0.85,
    Kind.LEGAL: 0.8,
    Kind.GENERATION: 0.3,
    Kind.ORDER: 0.65,
    Kind.MIDDLE: 0.6,
    Kind.NICKNAME: 0.5,
    Kind.INITIAL: 0.5,
    Kind.SOUND: 0.5,
    Kind.ONE_SOUND: 0.35,
    Kind.SPELLING: 0.45,
    Kind.FIRST_NAME: 0.35,
    Kind.KIND: 0.55,
    Kind.ACRONYM: 0.45,
    Kind.SURNAME: 0.4,
    Kind.PART: 0.3,
    Kind.NONE: 0.0,
}
SHORT = frozenset({Kind.SURNAME, Kind.INITIAL, Kind.ACRONYM, Kind.PART})  # other things may be meant just as well


class Likeness(NamedTuple):
    """How two names are alike."""

    kind: Kind
    weight: float


MAX_WORD = 64  # letters
_JOINING = frozenset({"with", "to", "on", "at", "in", "from", "by", "and"})
_HIS = frozenset({"mr", "sir", "lord", "king", "prince", "emperor"})
_HERS = frozenset({"mrs", "ms", "miss", "lady", "queen", "princess", "empress", "dame"})
_LIKENESS = {kind: Likeness(kind, weight) for kind, weight in WEIGHTS.items()}
_UNLIKE = (Kind.NONE, Kind.PART)
_SHORT_FORMS = frozenset(
    (short, full)
    for full, shorts in {
        "william": "bill will willy billy", "robert": "bob rob bobby robbie", "elizabeth": "liz beth betty eliza",
        "richard": "dick rick ricky", "james": "jim jimmy jamie", "john": "jack johnny", "michael": "mike mick mickey",
        "thomas": "tom tommy", "charles": "charlie chuck", "edward": "ed eddie ted ned", "theodore": "ted teddy",
        "margaret": "maggie peggy meg", "catherine": "kate cathy katie", "katherine": "kate kathy katie",
        "alexander": "alex sasha", "anthony": "tony", "joseph": "joe joey", "samuel": "sam", "daniel": "dan danny",
        "david": "dave", "christopher": "chris", "nicholas": "nick", "benjamin": "ben", "stephen": "steve",
        "steven": "steve", "patricia": "pat patty", "susan": "sue", "albert": "al bert", "alfred": "al fred",
        "frederick": "fred", "henry": "harry hank", "lawrence": "larry", "leonard": "len leo", "matthew": "matt",
        "peter": "pete", "philip": "phil", "ronald": "ron ronnie", "timothy": "tim", "walter": "walt", "abraham": "abe",
        "andrew": "andy drew", "deborah": "debbie", "dorothy": "dot dolly", "gerald": "jerry", "gregory": "greg",
        "jeffrey": "jeff", "kenneth": "ken kenny", "martha": "patsy", "raymond": "ray", "rebecca": "becky",
        "vincent": "vince", "victoria": "vicky", "virginia": "ginny", "jennifer": "jenny", "jessica": "jess",
    }.items()
    for short in shorts.split()
)  # fmt: skip
_NOBODY: frozenset[str] = frozenset()
_FULL_NAMES = {short: frozenset(full for name, full in _SHORT_FORMS if name == short) for short, _ in _SHORT_FORMS}


@lru_cache(maxsize=REMEMBERED)
def likeness(left: str, right: str, person: bool) -> Likeness:
    """How two folded names are alike; `person` whether both may be people. Symmetric."""
    one, other = form_of(left), form_of(right)
    if _contradict(one, other):
        return _LIKENESS[Kind.NONE]
    return _LIKENESS[_whole(one, other) or (_of_people(one, other) if person else _of_things(one, other, left, right))]


def are_alike(left: str, right: str) -> bool:
    """Whether two folded names may be one thing, as people or as things. Symmetric.

    It is asked once of most pairs, so it is not remembered: in one cache with it, `likeness` would forget those pairs
    that are asked of again and again.
    """
    one, other = form_of(left), form_of(right)
    if _contradict(one, other):
        return False
    return bool(
        _whole(one, other)
        or _of_people(one, other) not in _UNLIKE
        or _of_things(one, other, left, right) not in _UNLIKE
    )


def may_have_rivals(left: str, right: str) -> bool:
    """Whether the shorter of two names may mean other things just as well, whatever they are names of. Symmetric."""
    one, other = sorted((left, right))
    return any(likeness(one, other, person).kind in SHORT for person in (True, False))


def are_nearly_the_same(left: str, right: str) -> bool:
    """Whether the likeness of two names may be one of those that are sure by themselves. Symmetric."""
    one, other = form_of(left), form_of(right)
    return bool(_whole(one, other) or _plural(one.core, other.core))


def _contradict(one: Form, other: Form) -> bool:
    """Other numbers ("Apollo 11"), other generations, Mr and Mrs."""
    if one.numbers != other.numbers and not (len(one.core) == 1 or len(other.core) == 1):
        return True
    if one.generation and other.generation and one.generation != other.generation:
        return True
    return bool(one.titles & _HIS and other.titles & _HERS) or bool(other.titles & _HIS and one.titles & _HERS)


def _whole(one: Form, other: Form) -> Kind | None:
    """The same words, whatever the kind of thing."""
    if one.words == other.words:
        return Kind.SAME
    if one.core == other.core and one.generation != other.generation:
        return Kind.GENERATION
    if one.core == other.core:
        return Kind.LEGAL if one.legal != other.legal or one.titles != other.titles else Kind.SAME
    if "".join(one.core) == "".join(other.core) and len("".join(one.core)) > 3:
        return Kind.COMPACT
    if len(one.core) > 1 and sorted(one.core) == sorted(other.core):
        return Kind.ORDER
    return None


def _of_people(one: Form, other: Form) -> Kind:
    if one.tail and other.tail and one.tail != other.tail:
        return Kind.NONE
    a, b = (one.core, other.core) if len(one.core) <= len(other.core) else (other.core, one.core)
    if len(a) == 1:
        return _of_one_word(a, b, place=bool(one.tail or other.tail))
    if a[-1] != b[-1]:
        return Kind.PART if a == b[: len(a)] else _spelt(a, b)
    if a == b[-len(a) :]:
        return Kind.SURNAME if _is_particle(a[0]) else Kind.PART
    given = _given(a[:-1], b[:-1])
    if given is not None:
        return given
    spelt = _spelt(a, b)
    return Kind.FIRST_NAME if spelt is Kind.SPELLING else spelt


def _of_one_word(a: Sequence[str], b: Sequence[str], *, place: bool) -> Kind:
    """`place`: one is of somewhere. "Jin" is not "Duke Li of Jin", nor Smith "An Evening with Kevin Smith"."""
    if len(b) > 1 and a[0] == b[-1]:
        return Kind.NONE if place or _JOINING.intersection(b) else Kind.SURNAME
    return Kind.ACRONYM if _is_acronym(a[0], b) else _spelt(a, b)


def _is_particle(word: str) -> bool:
    return word in {"van", "von", "de", "del", "di", "bin", "al", "el", "da", "la", "le"}


def _given(a: Sequence[str], b: Sequence[str]) -> Kind | None:
    """Of two people with one last name: how the names before it agree; `a` has no more of them."""
    if not all(any(_agree(x, y) for y in b[place:]) for place, x in enumerate(a)):
        return None
    if len(a) == len(b) and not all(_agree(x, y) for x, y in zip(a, b, strict=True)):
        return None
    if a[0] == b[0]:
        return Kind.MIDDLE
    if len(a[0]) == 1 or len(b[0]) == 1:
        return Kind.INITIAL if a[0][0] == b[0][0] else None
    return Kind.NICKNAME if _is_short_for(a[0], b[0]) else None


def _agree(x: str, y: str) -> bool:
    return x == y or ((len(x) == 1 or len(y) == 1) and x[0] == y[0]) or _is_short_for(x, y)


def _is_short_for(x: str, y: str) -> bool:
    return y in full_names(x) or x in full_names(y)


def full_names(short: str) -> frozenset[str]:
    """The first names that a short form may stand for ("ted": theodore, edward)."""
    return _FULL_NAMES.get(short, _NOBODY)


def _of_things(one: Form, other: Form, left: str, right: str) -> Kind:
    if _is_acronym(left.replace(" ", ""), other.words) or _is_acronym(right.replace(" ", ""), one.words):
        return Kind.ACRONYM
    a, b = (one.core, other.core) if len(one.core) <= len(other.core) else (other.core, one.core)
    if len(a) < len(b):
        more = [word for word in b if word not in a]
        if all(word in b for word in a) and len(more) == len(b) - len(a):
            return Kind.KIND if all(word in KINDS for word in more) else Kind.PART if a == b[: len(a)] else Kind.NONE
    return _plural(a, b) or _spelt(a, b)


def _plural(a: Sequence[str], b: Sequence[str]) -> Kind | None:
    """As in "convolutional neural networks"; one word alone may be another thing in the plural."""
    if len(a) != len(b) or len(a) < 2 or a[:-1] != b[:-1]:
        return None
    return Kind.LEGAL if f"{a[-1]}s" == b[-1] or f"{b[-1]}s" == a[-1] else None


def _is_acronym(short: str, words: Sequence[str]) -> bool:
    return len(words) > 1 and len(short) <= MAX_INITIALS and short in initials_of(" ".join(words))


@lru_cache(maxsize=1024)  # people and things are asked about one after the other
def _spelt(a: Sequence[str], b: Sequence[str]) -> Kind:
    """Whether every word is written almost, or sounds, like the one in its place."""
    if len(a) != len(b):
        return Kind.NONE
    differing = [(x, y) for x, y in zip(a, b, strict=True) if x != y]
    if len(differing) == len(a) > 2 or any(x.isdigit() or y.isdigit() for x, y in differing):
        return Kind.NONE
    if any(_are_genders(x, y) for x, y in differing):
        return Kind.NONE
    if all(_sound_alike(x, y) for x, y in differing):
        return Kind.SOUND if len(a) > 1 else Kind.ONE_SOUND
    return Kind.SPELLING if len(differing) == 1 and _nearly(*differing[0]) else Kind.NONE


def _are_genders(x: str, y: str) -> bool:
    """Julian and Juliana, Mario and Maria: two names, not two spellings."""
    short, long = sorted((x, y), key=len)
    return (long.startswith(short) and long[len(short) :] in {"a", "e", "ne", "na", "ia", "ine"}) or (
        x[:-1] == y[:-1] and {x[-1], y[-1]} == {"a", "o"}
    )


def _sound_alike(x: str, y: str) -> bool:
    return len(skeleton(x)) >= 3 and skeleton(x) == skeleton(y) and edits(x, y, 3) <= (3 if len(x) > 5 else 2)


def _nearly(x: str, y: str) -> bool:
    limit = 0 if min(len(x), len(y)) < 5 else 1 if min(len(x), len(y)) < 9 else 2
    return edits(x, y, limit) <= limit


def edits(x: str, y: str, limit: int) -> int:
    """Letters added, dropped, changed or swapped (optimal string alignment); more than `limit` is `limit` + 1.

    Words of more than `MAX_WORD` letters are not compared letter by letter: what differs is more than `limit`.
    """
    if x == y:
        return 0
    if abs(len(x) - len(y)) > limit or max(len(x), len(y)) > MAX_WORD:
        return limit + 1
    x, y = _without_what_is_shared(x, y)
    if not x or not y:
        return min(max(len(x), len(y)), limit + 1)
    before: list[int] = []
    row = list(range(len(y) + 1))
    for i, left in enumerate(x, start=1):
        older, before, row = before, row, [i]
        for j, right in enumerate(y, start=1):
            cost = min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (left != right))
            if i > 1 and j > 1 and left == y[j - 2] and x[i - 2] == right:
                cost = min(cost, older[j - 2] + 1)
            row.append(cost)
        if min(row) > limit:
            return limit + 1
    return min(row[-1], limit + 1)


def _without_what_is_shared(x: str, y: str) -> tuple[str, str]:
    """Two different words without the letters that both begin and end with."""
    start = _shared(x, y)
    x, y = x[start:], y[start:]
    end = _shared(x[::-1], y[::-1])
    return x[: len(x) - end], y[: len(y) - end]


def _shared(x: str, y: str) -> int:
    """How many letters both begin with."""
    return next((at for at, (left, right) in enumerate(zip(x, y, strict=False)) if left != right), min(len(x), len(y)))
