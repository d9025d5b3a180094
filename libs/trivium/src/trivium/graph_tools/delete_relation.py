"""delete_relation: a relation does not hold; it stays to be looked at."""

from __future__ import annotations

from trivium.domain.edits import Invalidate
from trivium.graph_tools.desk import Desk
from trivium.graph_tools.existing_relation import existing_relation, keys_of
from trivium.graph_tools.values import NamedRelation, Passages, Why


class DeleteRelation(NamedRelation, frozen=True):
    """A soft deletion: the relation is no edge any more, whoever states it, and `why` still shows it as invalid."""

    why: Why = ""
    evidence: Passages = ()


async def delete_relation(desk: Desk, wanted: DeleteRelation) -> None:
    """Raises `NotFound` (`unknown_relation`, `unknown_entity`)."""
    edge = await existing_relation(desk, wanted)
    evidence = await desk.evidence(wanted.evidence)
    for relation in keys_of(edge):
        desk.draft(Invalidate(relation), wanted.why, evidence)
