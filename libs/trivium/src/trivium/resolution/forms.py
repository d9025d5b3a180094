"""A folded name taken apart: what tells it from others, without what may be there or not."""

from __future__ import annotations

from functools import lru_cache

import msgspec

MAX_INITIALS = 8
REMEMBERED = 2048  # names, by each function of them: what a few hundred that are settled at once have to do with


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


LEGAL_FORMS = _words(
    "inc incorporated corp corporation co company ltd limited llc llp plc gmbh ag sa nv bv oy ab as spa kg group"
)
TITLES = _words(
    """dr mr mrs ms miss prof professor president senator sen gov governor rep gen general col colonel capt captain
    king queen prince princess pope emperor empress sir lord lady dame saint rev reverend chairman judge justice
    minister chancellor archbishop bishop cardinal"""
)
# Words that only say of what kind a thing is: "Mount Everest" is Everest, "City of London" is London.
KINDS = _words("mount lake river city republic kingdom hurricane fc afc cf sc great island mountain typhoon")
_SMALL = _words("of the and for in")
GENERATIONS = {"jr": "jr", "junior": "jr", "sr": "sr", "senior": "sr"}
_SPELT_OUT = {
    "st": "saint",
    "mt": "mount",
    "ft": "fort",
    "univ": "university",
    "dept": "department",
    "intl": "international",
    "natl": "national",
    "assn": "association",
    "inst": "institute",
    "bros": "brothers",
    "gov": "governor",
    "usa": "us",
    "institution": "institute",
    "postgres": "postgresql",
    "mass": "massachusetts",
}
_NUMBERS = (
    "one first|two second|three third|four fourth|five fifth|six sixth|seven seventh|eight eighth|nine ninth|ten tenth"
)
_ROMAN = "ii iii iv vi vii viii ix xi xii xiii xiv xv xvi xvii xviii xix xx xxi xxii xxiii"
_VALUES = "2 3 4 6 7 8 9 11 12 13 14 15 16 17 18 19 20 21 22 23"
_NUMERALS = {
    **{word: str(value) for value, words in enumerate(_NUMBERS.split("|"), start=1) for word in words.split()},
    **dict(zip(_ROMAN.split(), _VALUES.split(), strict=True)),
}
_LAST_NUMERALS = {"i": "1", "v": "5", "x": "10"}  # only behind other words: "Elizabeth I", but not "I. Brandt"
_PEOPLE = {
    "united states america": "united states",
    "us": "united states",
    "u s": "united states",
    "u s a": "united states",
}
# A name of letters without any of these is what it says.
_TELLING_MORE = frozenset().union(GENERATIONS, TITLES, _SMALL, LEGAL_FORMS, _SPELT_OUT, _NUMERALS)


class Form(msgspec.Struct, frozen=True, gc=False):
    """`core` are the telling words, `numbers` the numerals among them, `legal` whether a legal form was dropped.

    `tail` are the telling words behind the last "of": what somebody is the queen of, or comes from.
    """

    words: tuple[str, ...]
    core: tuple[str, ...]
    numbers: tuple[str, ...]
    generation: str
    titles: frozenset[str]
    legal: bool
    tail: tuple[str, ...]


_NOTHING: frozenset[str] = frozenset()


@lru_cache(maxsize=REMEMBERED)
def form_of(key: str) -> Form:
    """The form of a folded name."""
    words = tuple(key.split())
    if _is_what_it_says(words):
        return Form(words, words, (), "", _NOTHING, False, ())
    kept = [word for word in words if word not in GENERATIONS]
    generation = next((GENERATIONS[word] for word in words[1:] if kept and word in GENERATIONS), "")
    kept = kept or list(words)  # "Junior Senior" is a name of its own
    titles: set[str] = set()
    while len(kept) > 1 and kept[0] in TITLES and kept[1] != "of":  # "Queen of Bohemia" is not Bohemia
        titles.add(kept.pop(0))
    spelt = [_spelt(word, place, len(kept)) for place, word in enumerate(kept)]
    core = [word for at, word in enumerate(spelt) if word not in _SMALL or (at == 0 and word != "the")] or spelt
    legal = len(core) > 1 and core[-1] in LEGAL_FORMS
    while len(core) > 1 and core[-1] in LEGAL_FORMS:
        core.pop()
    whole = _PEOPLE.get(" ".join(core))
    core = whole.split() if whole else core
    numbers = tuple(sorted(word for word in core if word.isdigit()))
    return Form(words, tuple(core), numbers, generation, frozenset(titles), legal, _tail(spelt))


def _is_what_it_says(words: tuple[str, ...]) -> bool:
    plain = "".join(words).isalpha() and _TELLING_MORE.isdisjoint(words)
    return plain and (len(words) == 1 or words[-1] not in _LAST_NUMERALS) and " ".join(words) not in _PEOPLE


def _tail(words: list[str]) -> tuple[str, ...]:
    if "of" not in words:
        return ()
    last = len(words) - words[::-1].index("of")
    return tuple(word for word in words[last:] if word not in _SMALL)


def _spelt(word: str, place: int, count: int) -> str:
    if word in _SPELT_OUT:
        return _SPELT_OUT[word]
    if place == count - 1 and count > 1 and word in _LAST_NUMERALS:
        return _LAST_NUMERALS[word]
    if word[:1].isdigit() and word[-2:] in {"st", "nd", "rd", "th"}:
        return word[:-2]
    return _NUMERALS.get(word, word)


@lru_cache(maxsize=REMEMBERED)
def initials_of(key: str) -> frozenset[str]:
    """The acronyms that a name of at least two words may have, with and without its small words."""
    words = key.split()
    if len(words) < 2:
        return frozenset()
    short = [word for word in words if word not in _SMALL]
    legal = [word for word in short if word not in LEGAL_FORMS]
    plain = {"".join(_initial(word) for word in some) for some in (words, short, legal) if len(some) > 1}
    return frozenset(initials for initials in plain if 2 <= len(initials) <= MAX_INITIALS)


def _initial(word: str) -> str:
    return word if word in _NUMERALS and word not in _NUMBERS else word[0]


@lru_cache(maxsize=REMEMBERED)
def skeleton(word: str) -> str:
    """The consonants of a word as they sound, for names that were written in other scripts ("Gadhafi", "Gaddafi")."""
    sounds = word
    for written, sound in _SOUNDS:
        sounds = sounds.replace(written, sound)
    out = ""
    for place, letter in enumerate(sounds):
        kept = "a" if letter in "aeiou" else letter
        if (kept != "a" or place == 0) and not out.endswith(kept):
            out += kept
    return out


_SOUNDS = (
    ("ph", "f"), ("dh", "d"), ("th", "t"), ("kh", "k"), ("gh", "g"), ("ck", "k"), ("tch", "ch"), ("y", "i"), ("q", "k"),
    ("c", "k"), ("w", "v"), ("z", "s"), ("ks", "x"),
)  # fmt: skip
