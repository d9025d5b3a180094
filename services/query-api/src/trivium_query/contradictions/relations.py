"""Relations of which a thing has one, given or learnt from the graph, and statements that give it two. Pure."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator

import msgspec

from trivium.domain.contradictions import ContradictionKind
from trivium.text.names import fold_name
from trivium_query.contradictions.compare import Disagreement, holds
from trivium_query.contradictions.conditions import conditions_of, differ
from trivium_query.contradictions.names import bare, is_same, of_other_titles
from trivium_query.contradictions.statements import Told

ONE_TARGET = frozenset({"BORN_IN", "DIED_IN", "DIRECTED_BY", "FOUNDED_BY"})  # by their meaning
NEVER_ONE = frozenset(
    {
        "WORKS_FOR",
        "MEMBER_OF",
        "USES",
        "IS_A",
        "PART_OF",
        "LOCATED_IN",
        "STARS",
        "KILLED",
        "ACQUIRED",
        "BUILT",
        "HAS_METRIC",
    }
)
MIN_SOURCES, MIN_SHARE, MIN_STATED = 20, 0.97, 2  # a type is learnt from sources that several passages speak of
CONFIDENCE = 0.85
MAX_OF_ONE = 20  # statements about one source and type that are compared with each other


class Stated(msgspec.Struct, frozen=True, array_like=True):
    """A relation without its words: hashes of source and target, and whose statement it is."""

    type: str
    source: int
    target: int
    owner: int


def learnt(stated: Iterable[Stated]) -> frozenset[str]:
    """Types whose sources nearly all have one target, where several passages tell of each."""
    targets: defaultdict[tuple[str, int], list[int]] = defaultdict(list)
    for each in stated:
        targets[each.type, each.source].append(each.target)
    several: defaultdict[str, list[bool]] = defaultdict(list)
    for (kind, _), found in targets.items():
        if len(found) >= MIN_STATED:
            several[kind].append(len(set(found)) == 1)
    return frozenset(
        kind
        for kind, ones in several.items()
        if kind not in NEVER_ONE and len(ones) >= MIN_SOURCES and sum(ones) / len(ones) >= MIN_SHARE
    )


def rivals(stated: Iterable[Stated]) -> Iterator[tuple[int, int]]:
    """Owners of two statements that give one source two targets."""
    grouped: defaultdict[tuple[str, int], list[Stated]] = defaultdict(list)
    for each in stated:
        grouped[each.type, each.source].append(each)
    for some in grouped.values():
        for at, one in enumerate(some[:MAX_OF_ONE]):
            for other in some[at + 1 : MAX_OF_ONE]:
                if one.target != other.target:
                    yield min(one.owner, other.owner), max(one.owner, other.owner)


def compare_told(one: Told, other: Told) -> Disagreement | None:
    """None where both can hold: one target is the other or holds it, or who tells of one names the other too."""
    if " " not in bare(one.source) or of_other_titles(one.heading, other.heading):
        return None
    titles = {fold_name(each.heading.partition(" > ")[0]) for each in (one, other)}
    if len(titles) > 1 and any(one.source in title and title != one.source for title in titles):
        return None  # a part of other names
    here, there = bare(one.target), bare(other.target)
    if is_same(here, there) or holds(here, there):
        return None
    if one.target in fold_name(f"{other.text} .") or other.target in fold_name(f"{one.text} ."):
        return None
    if differ(conditions_of(one.text), conditions_of(other.text), lasting=True, dated=True):
        return None
    confidence = CONFIDENCE * min(1.0, min(one.confidence, other.confidence) / 0.85)
    return Disagreement(
        ContradictionKind.RELATION, one.source, one.type, (one.target, other.target), round(confidence, 3)
    )
