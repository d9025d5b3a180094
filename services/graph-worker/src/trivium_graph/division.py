# ruff: noqa: RUF001  (typographic apostrophes are in the texts)
"""Runs of capitalised words that hold more than one name, or an office before a name: where they fall apart."""

from __future__ import annotations

import re
from functools import lru_cache

from trivium.domain.graph import EntityType
from trivium.text.names import fold_name
from trivium_graph import lexicon, types

_POSSESSIVE = re.compile(r"(?:'s|’s) ")
_SAID_OF = re.compile(r"-(?:based|born|backed|led) ")
_GLUE = re.compile(r"['’]s | of |-(?:based|born|backed|led) ")
_OFFICE_OF = re.compile(r"(?:\d+(?:st|nd|rd|th) )?([\w ]+?) of (?:the )?")
_ABBREVIATED_OFFICES = frozenset(
    {"Gov", "Sen", "Rep", "Gen", "Lt", "Col", "Capt", "Sgt", "Rev", "Adm", "Maj", "Dr", "Prof", "Mr", "Mrs", "Ms"}
)


@lru_cache(maxsize=8192)
def divided(surface: str) -> tuple[tuple[int, int], ...]:
    """The parts of a run of capitalised words that are names, or () when the run is one name as it stands."""
    if " " not in surface:
        return ()
    dateline = _before_capitals(surface)
    if dateline:
        return (0, dateline), (dateline + 1, len(surface))
    if OFFICE_HEADS.isdisjoint(_lowered(surface)) and not _GLUE.search(surface):
        return ()
    office = _OFFICE_OF.match(surface)
    if office is not None and types.title_words([*_lowered(office.group(1)), "x"]):
        return ((office.end(), len(surface)),)
    cut = _cut(surface)
    if cut is None:
        start, end = _title_chars(surface), _office_after(surface)
        return ((start, end),) if end - start < len(surface) else ()
    end, start = cut
    left, right = surface[:end], surface[start:]
    return (_title_chars(left), _office_after(left)), (start + _title_chars(right), len(surface))


def _before_capitals(surface: str) -> int:
    """Where a place ends before a name in capitals ("Guatemala City TELEONCE"), 0 where nothing is so."""
    words = surface.split(" ")
    cut = next((place for place, word in enumerate(words) if place and len(word) > 2 and word.isupper()), 0)
    place = " ".join(words[:cut])
    if not cut or place.isupper() or fold_name(place) not in lexicon.PLACES or not " ".join(words[cut:]).isupper():
        return 0
    return len(place)


def _office_after(surface: str) -> int:
    """Where a name ends before its abbreviated office ("Illinois Gov", as in "Illinois Gov. James …")."""
    words = surface.split(" ")
    return len(" ".join(words[:-1])) if len(words) > 1 and words[-1] in _ABBREVIATED_OFFICES else len(surface)


def _cut(surface: str) -> tuple[int, int] | None:
    """Where two names that were written as one fall apart: (end of the first, start of the second)."""
    return _cut_at_a_mark(surface) or _cut_at_of(surface) or _cut_at_an_office(surface)


def _cut_at_a_mark(surface: str) -> tuple[int, int] | None:
    """As in "Israel's Prime Minister Oren" and "Geneva-based Orvin Motors"."""
    for match in _POSSESSIVE.finditer(surface):
        left, right = surface[: match.start()], surface[match.end() :]
        if fold_name(left) in lexicon.PLACES or _is_titled(right) or _is_persons(left, right):
            return match.start(), match.end()
    said = _SAID_OF.search(surface)
    return said.span() if said else None


def _cut_at_of(surface: str) -> tuple[int, int] | None:
    """As in "Chairman Ada Lund of the Dray Company", "Queens College of the City University", "London of Ada Lund"."""
    before, of, after = surface.partition(" of ")
    if not of:
        return None
    if fold_name(before) in lexicon.PLACES:
        apart = types.by_form(after) in PERSON_VOTES
    elif " " in before:
        person = types.by_form(before) in PERSON_VOTES and not _is_royal(before)
        apart = person or (_is_body(before) and _is_body(after.removeprefix("the ")))
    else:
        apart = False
    return (len(before), len(before) + len(of) + (4 if after.startswith("the ") else 0)) if apart else None


def _cut_at_an_office(surface: str) -> tuple[int, int] | None:
    """As in "Acme Chairman Ada Lund"."""
    words = surface.split(" ")
    lowered = _lowered(surface)
    for place in range(1, len(words) - 1):
        if lowered[place] not in OFFICE_HEADS or lowered[place] in _BEFORE_OFFICES:
            continue
        if _is_titled(" ".join(words[place:])):
            left = " ".join(words[:place])
            if lowered[place - 1] in _BEFORE_OFFICES or types.title_words([*lowered[:place], "x"]):
                return None
            return len(left), len(left) + 1
    return None


def _is_body(surface: str) -> bool:
    return types.by_form(surface) == (EntityType.ORGANIZATION, types.CERTAIN)


def _is_persons(left: str, right: str) -> bool:
    """Whether a person's possessive stands before a body: "Brian Mulroney's Conservative Party"."""
    return " " in left and types.by_form(left) in PERSON_VOTES and " " in right and _is_body(right)


_BEFORE_OFFICES = frozenset({"vice", "prime", "first", "former", "deputy", "foreign", "defense", "chief", "of"})


OFFICE_HEADS = frozenset(title.split()[0] for title in lexicon.OFFICE_TITLES | lexicon.COURTESY_TITLES)


def _is_royal(surface: str) -> bool:
    """Whether "of" belongs to the name, as in "Prince Aldo of Savern"."""
    return surface.split(" ", maxsplit=1)[0].casefold() in lexicon.ROYAL_TITLES


PERSON_VOTES = ((EntityType.PERSON, types.CERTAIN), (EntityType.PERSON, 2 * types.LIKELY))


def _lowered(text: str) -> list[str]:
    return text.replace(".", "").casefold().split(" ")


def _is_titled(surface: str) -> bool:
    return types.title_words(_lowered(surface)) > 0 and types.by_form(surface) == (EntityType.PERSON, types.CERTAIN)


def _title_chars(surface: str) -> int:
    """How many characters of office ("President ") stand before a name of at least two more words."""
    words = surface.split(" ")
    count = types.title_words(_lowered(surface)) if len(words) > 2 else 0
    while count and len(words) - count > 2 and (more := types.title_words(_lowered(" ".join(words[count:])))):
        count += more
    if not count or len(words) - count < 2 or not _is_titled(surface):
        return 0
    return len(" ".join(words[:count])) + 1


@lru_cache(maxsize=8192)
def untitled(surface: str) -> str:
    """The folded name behind an office or courtesy title ("Dr Rivera": rivera), or "" when there is none."""
    words = surface.split(" ")
    count = types.title_words(_lowered(surface)) if _is_titled(surface) else 0
    return fold_name(" ".join(words[count:])) if count else ""
