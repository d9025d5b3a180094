# ruff: noqa: RUF001  (typographic apostrophes are in the texts)
"""The names of one chunk that may become entities: found, split where two were glued, and gated."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from trivium.domain.chunks import Chunk
from trivium.domain.graph import EntityType
from trivium.text import gate
from trivium.text.names import NameSpan, fold_name, names_in
from trivium_graph import lexicon, types

QUOTES = '"“«„'
_BODY = re.compile(
    r" (?:Administration|Agency|Association|Authority|Bureau|Center|Centre|Commission|Committee|Council|Department|Fund|"
    r"Institute|Laboratory|Ministry|Museum|Office|Organization|Service|Services|Society|Union|University)$"
)
_POSSESSIVE = re.compile(r"(?:'s|’s) ")
_GLUE = re.compile(r"['’]s | of ")
_OFFICE_OF = re.compile(r"(?:\d+(?:st|nd|rd|th) )?([\w ]+?) of (?:the )?")
_ABBREVIATED_OFFICES = frozenset(
    {"Gov", "Sen", "Rep", "Gen", "Lt", "Col", "Capt", "Sgt", "Rev", "Adm", "Maj", "Dr", "Prof", "Mr", "Mrs", "Ms"}
)


class Name(NamedTuple):
    """One occurrence of a name in a chunk; `[start, end)` counts in the chunk's text.

    An `atom` is a name by itself. The others are readings that may be names too: "Springfield, Ohio" beside
    Springfield and Ohio, or the words inside a quoted title.
    """

    key: str
    start: int
    end: int
    surface: str
    sentence: int
    atom: bool


def names_of(chunk: Chunk) -> list[Name]:
    """The names of `chunk` that pass the quality gate, ordered by start, longer before shorter."""
    found = names_in(chunk.text, [(span.start, span.end) for span in chunk.sentences])
    names: list[Name] = []
    covered_until = -1
    for index, span in enumerate(found):
        if gate.rejected(span.surface) or (span.key in _OFFICE_HEADS and not _is_state(chunk.text, span)):
            continue  # "Dr" alone is half of a name
        if span.start > 0 and chunk.text[span.start - 1] in QUOTES:
            covered_until = span.end
            names.append(Name(*span, True))
        elif _is_one_body(span.surface):
            covered_until = span.end
            names.append(Name(*span, True))
        elif span.start < covered_until or _is_compound(found, index):
            names.append(Name(*span, False))
        else:
            names.extend(_parts(span))
    return names


def _is_state(text: str, span: NameSpan) -> bool:
    """Whether the word is a state, as in "Columbus, Miss."."""
    return span.key in lexicon.REGIONS and text[max(0, span.start - 2) : span.start] == ", "


@lru_cache(maxsize=8192)
def _is_one_body(surface: str) -> bool:
    """Whether two names joined by "and" are one: "National Aeronautics and Space Administration"."""
    left, joint, right = surface.partition(" and ")
    return (
        bool(joint)
        and _BODY.search(right) is not None
        and fold_name(left) not in lexicon.PLACES
        and types.by_form(left) not in (*_PERSON_VOTES, (EntityType.ORGANIZATION, types.CERTAIN))
    )


def _is_compound(found: Sequence[NameSpan], index: int) -> bool:
    """Whether a shorter name begins where this one begins."""
    following = found[index + 1] if index + 1 < len(found) else None
    return following is not None and following.start == found[index].start and following.end < found[index].end


def _parts(span: NameSpan) -> Iterator[Name]:
    """The name itself without an office before it, or the two names that were written as one."""
    parts = _divided(span.surface)
    if not parts:
        yield Name(*span, True)
        return
    if len(parts) > 1:
        yield Name(*span, False)
    for start, end in parts:
        surface = span.surface[start:end]
        yield Name(fold_name(surface), span.start + start, span.start + end, surface, span.sentence, True)


@lru_cache(maxsize=8192)
def _divided(surface: str) -> tuple[tuple[int, int], ...]:
    """The parts of a run of capitalised words that are names, or () when the run is one name as it stands."""
    if " " not in surface:
        return ()
    dateline = _before_capitals(surface)
    if dateline:
        return (0, dateline), (dateline + 1, len(surface))
    if _OFFICE_HEADS.isdisjoint(_lowered(surface)) and not _GLUE.search(surface):
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
    """Where "Israel's Prime Minister Oren" and "Acme Chairman Ada Lund" fall apart: (end of first, start of second)."""
    for match in _POSSESSIVE.finditer(surface):
        left, right = surface[: match.start()], surface[match.end() :]
        if fold_name(left) in lexicon.PLACES or _is_titled(right) or _is_persons(left, right):
            return match.start(), match.end()
    before, of, after = surface.partition(" of ")
    if of and " " in before and types.by_form(before) in _PERSON_VOTES and not _is_royal(before):
        return len(before), len(before) + len(of) + (4 if after.startswith("the ") else 0)
    if of and fold_name(before) in lexicon.PLACES and types.by_form(after) in _PERSON_VOTES:
        return len(before), len(before) + len(of)
    if of and " " in before and _is_body(before) and _is_body(after.removeprefix("the ")):
        return len(before), len(before) + len(of) + (4 if after.startswith("the ") else 0)
    words = surface.split(" ")
    lowered = _lowered(surface)
    for place in range(1, len(words) - 1):
        if lowered[place] not in _OFFICE_HEADS or lowered[place] in _BEFORE_OFFICES:
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
    return " " in left and types.by_form(left) in _PERSON_VOTES and " " in right and _is_body(right)


_BEFORE_OFFICES = frozenset({"vice", "prime", "first", "former", "deputy", "foreign", "defense", "chief", "of"})


_OFFICE_HEADS = frozenset(title.split()[0] for title in lexicon.OFFICE_TITLES | lexicon.COURTESY_TITLES)


def _is_royal(surface: str) -> bool:
    """Whether "of" belongs to the name, as in "Prince Aldo of Savern"."""
    return surface.split(" ", maxsplit=1)[0].casefold() in lexicon.ROYAL_TITLES


_PERSON_VOTES = ((EntityType.PERSON, types.CERTAIN), (EntityType.PERSON, 2 * types.LIKELY))


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
