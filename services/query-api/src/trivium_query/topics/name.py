"""What a topic is called without a language model: its most telling names, and a word where one says more."""

from __future__ import annotations

from collections.abc import Sequence

from trivium.domain.graph import EntityType
from trivium.domain.topics import TopicMember

NAMES = 2
WORDS = 2
LOOKED_AT = 6  # of the most telling names


def name_of(members: Sequence[TopicMember], terms: Sequence[str]) -> str:
    """As in "Harrow Weir, Ilse Brandt: removal, ladder". Names that are only words come last."""
    first = sorted(members[:LOOKED_AT], key=lambda member: member.type is EntityType.CONCEPT)
    names: list[str] = []
    for member in first:
        if len(names) < NAMES and not any(_within(member.name, other) for other in names):
            names.append(member.name)
    said = ", ".join(names)
    return f"{said}: {', '.join(terms[:WORDS])}" if terms else said


def _within(name: str, other: str) -> bool:
    """Whether one is a part of the other ("Harrow", "Harrow Weir")."""
    words, others = set(name.casefold().split()), set(other.casefold().split())
    return words <= others or others <= words
