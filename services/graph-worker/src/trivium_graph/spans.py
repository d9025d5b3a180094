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
from trivium_graph.division import OFFICE_HEADS, PERSON_VOTES, divided

QUOTES = '"“«„'
_BODY = re.compile(
    r" (?:Administration|Agency|Association|Authority|Bureau|Center|Centre|Commission|Committee|Council|Department|"
    r"Fund|Institute|Laboratory|Ministry|Museum|Office|Organization|Service|Services|Society|Union|University)$"
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
        if gate.rejected(span.surface) or (span.key in OFFICE_HEADS and not _is_state(chunk.text, span)):
            continue  # "Dr" alone is half of a name
        if (span.start > 0 and chunk.text[span.start - 1] in QUOTES) or _is_one_body(span.surface):
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
    left, _, right = surface.partition(" and ")
    return (
        _BODY.search(right) is not None
        and fold_name(left) not in lexicon.PLACES
        and types.by_form(left) not in (*PERSON_VOTES, (EntityType.ORGANIZATION, types.CERTAIN))
    )


def _is_compound(found: Sequence[NameSpan], index: int) -> bool:
    """Whether a shorter name begins where this one begins."""
    following = found[index + 1] if index + 1 < len(found) else None
    return following is not None and following.start == found[index].start and following.end < found[index].end


def _parts(span: NameSpan) -> Iterator[Name]:
    """The name itself without an office before it, or the two names that were written as one."""
    parts = divided(span.surface)
    if not parts:
        yield Name(*span, True)
        return
    if len(parts) > 1:
        yield Name(*span, False)
    for start, end in parts:
        surface = span.surface[start:end]
        yield Name(fold_name(surface), span.start + start, span.start + end, surface, span.sentence, True)
