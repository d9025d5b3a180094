"""What is known of relation types by their names alone, where the documents say too little to learn it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import msgspec

from trivium.domain.graph import EntityType
from trivium.domain.graph_schema import RelationType, Targets
from trivium.graph_schema.names import said_by

ONE_TARGET = (
    "BORN_IN", "BORN_ON", "DIED_IN", "DIED_ON", "BURIED_IN", "CAPITAL_OF", "FOUNDED_IN", "FOUNDED_ON",
    "OPENED_IN", "OPENED_ON", "PUBLISHED_IN_YEAR", "HEADQUARTERED_IN", "HAS_FATHER", "HAS_MOTHER", "NATIVE_OF",
)  # fmt: skip
MANY_TARGETS = ("STARS", "USES", "WROTE", "BUILT", "KILLED", "ACQUIRED", "FOUNDED", "MEMBER_OF", "HAS_METRIC")
BOTH_WAYS = (
    "SPOUSE_OF", "MARRIED_TO", "SIBLING_OF", "BROTHER_OF", "SISTER_OF", "COUSIN_OF", "FRIEND_OF", "COLLEAGUE_OF",
    "PARTNER_OF", "NEIGHBOUR_OF", "BORDERS", "COLLABORATES_WITH", "COMPETES_WITH", "RELATED_TO", "SAME_AS",
    "TWINNED_WITH",
)  # fmt: skip


class Meaning(msgspec.Struct, frozen=True):
    """Of a type: how many targets a source has, whether it holds both ways, and in words what it says.

    `domain` and `range` are what somebody says that it joins; empty: nobody does.
    """

    targets: Targets = Targets.UNKNOWN
    symmetric: bool = False
    description: str = ""
    domain: tuple[EntityType, ...] = ()
    range: tuple[EntityType, ...] = ()


_BY_NAME: Mapping[str, Meaning] = {
    **{said_by(name): Meaning(Targets.ONE) for name in ONE_TARGET},
    **{said_by(name): Meaning(Targets.MANY) for name in MANY_TARGETS},
    **{said_by(name): Meaning(symmetric=True) for name in BOTH_WAYS},
}


def meaning_of(name: str, learnt: Mapping[str, Meaning]) -> Meaning:
    """`learnt` from a schema or a model first, by what a name says; then what the name alone tells."""
    said = said_by(name)
    return learnt.get(said) or _BY_NAME.get(said) or Meaning()


def meanings_in(types: Iterable[RelationType]) -> dict[str, Meaning]:
    """What the types of a schema mean, by what their names say."""
    return {said_by(one.name): Meaning(one.targets, one.symmetric, one.description) for one in types}
