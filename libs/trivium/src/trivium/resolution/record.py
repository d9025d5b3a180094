"""What is known of one name of a graph, as far as it bears on whether another name is the same thing."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from trivium.domain.graph import EntityType

MAX_NEIGHBOURS = 256  # of a name that are looked at: the first by their keys
# Relations of which a thing has one: two names that differ in one of them are two things.
SINGLE_VALUED = frozenset(
    {"BORN_IN", "BORN_ON", "DIED_IN", "DIED_ON", "CHILD_OF", "DIRECTED_BY", "LOCATED_IN", "SPOUSE_OF"}
)


class Record(msgspec.Struct, frozen=True, gc=False):
    """A folded name (`trivium.text.names.fold_name`), its type, and the names it is related to.

    `neighbours` are the folded names it is related to in any way; `facts` the targets of single-valued relations;
    `apart` the names that a person says are other things.
    """

    key: str
    type: EntityType = EntityType.CONCEPT
    neighbours: frozenset[str] = frozenset()
    facts: Mapping[str, frozenset[str]] = {}
    apart: frozenset[str] = frozenset()
