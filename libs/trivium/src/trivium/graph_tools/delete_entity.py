"""delete_entity: an entity is taken out of the graph."""

from __future__ import annotations

from trivium.api import Input
from trivium.domain.edits import Remove
from trivium.graph_tools.desk import Desk
from trivium.graph_tools.values import Passages, Reference, Why


class DeleteEntity(Input, frozen=True):
    """A hard deletion: the entity is nowhere in the graph, whatever passages say of it, until the edit is undone."""

    entity: Reference
    why: Why = ""
    evidence: Passages = ()


async def delete_entity(desk: Desk, wanted: DeleteEntity) -> None:
    """Raises `NotFound` (`unknown_entity`, `removed_entity`)."""
    entity = await desk.entity(wanted.entity)
    desk.draft(Remove(entity.key), wanted.why, await desk.evidence(wanted.evidence))
