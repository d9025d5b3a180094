"""What a title or heading says that its passage is about, besides the title as a whole."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from trivium.text.names import QUALIFIER, fold_name, names_in, subnames

SHORT_TITLE_CONFIDENCE = 0.5  # "Wilmington, North Carolina" is about Wilmington, but so may others be
MAX_PART_TOKENS = 4


class TitlePart(NamedTuple):
    """A name inside a title: its folded key and how the title spells it."""

    key: str
    surface: str


def short_title(title: str) -> TitlePart | None:
    """What stands before the first comma of a title ("Wilmington" of "Wilmington, North Carolina"), or None."""
    before, comma, _ = QUALIFIER.sub("", title).partition(", ")
    key = fold_name(before)
    return TitlePart(key, before) if comma and key and key != fold_name(title) else None


def title_parts(title: str) -> Iterator[TitlePart]:
    """The names inside a title, and the names inside those, without the title itself; each key once."""
    seen = {fold_name(title)}
    for name in names_in(title):
        for key in (name.key, *subnames(name.key, MAX_PART_TOKENS)):
            if key not in seen:
                seen.add(key)
                yield TitlePart(key, name.surface if key == name.key else key)
