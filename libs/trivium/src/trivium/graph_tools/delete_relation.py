"""delete_relation: a relation does not hold; it stays to be looked at."""

from __future__ import annotations

from trivium.domain.edits import Invalidate, RelationKey
from trivium.domain.graph import CO_OCCURS
from trivium.graph_tools.desk import Desk
from trivium.graph_tools.existing_relation import existing_relation, key_of
from trivium.graph_tools.values import NamedRelation, Passages, Why


class DeleteRelation(NamedRelation, frozen=True):
    """A soft deletion: the relation is no edge any more, whoever states it, and `why` still shows it as invalid."""

    why: Why = ""
    evidence: Passages = ()


async def delete_relation(desk: Desk, wanted: DeleteRelation) -> None:
    """Raises `NotFound` (`unknown_relation`, `unknown_entity`)."""
    edge = await existing_relation(desk, wanted)
    evidence = await desk.evidence(wanted.evidence)
    desk.draft(Invalidate(key_of(edge)), wanted.why, evidence)
    if edge.type == CO_OCCURS:  # which way it points says nothing
        turned = RelationKey(edge.target_key, edge.source_key, edge.type)
        desk.draft(Invalidate(turned), wanted.why, evidence)
