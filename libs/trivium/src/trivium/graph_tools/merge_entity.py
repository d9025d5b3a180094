"""merge_entity: two entities are one thing."""

from __future__ import annotations

import asyncio
from typing import Annotated

from msgspec import Meta

from trivium.api import Input
from trivium.domain.edits import Merge
from trivium.domain.errors import Refused
from trivium.graph_tools.desk import Desk
from trivium.graph_tools.same_facts import require_same_facts
from trivium.graph_tools.values import Passages, Reference, Why


class MergeEntity(Input, frozen=True):
    """Two entities are one thing: everything said of `entity`, now and later, is said of `into`."""

    entity: Reference
    into: Reference
    why: Why = ""
    evidence: Passages = ()
    force: Annotated[bool, Meta(description="Even if the two were born or died elsewhere or at other times.")] = False


async def merge_entity(desk: Desk, wanted: MergeEntity) -> None:
    """Raises `Refused` (`same_entity`, `merge_circle`, `facts_differ`) and `NotFound` (`unknown_entity`)."""
    entity, into = await asyncio.gather(desk.entity(wanted.entity), desk.entity(wanted.into))
    if entity.key == into.key:
        raise Refused(
            "same_entity",
            f"{wanted.entity[:80]!r} and {wanted.into[:80]!r} are one entity already.",
            "Look at it with: trivium graph why NAME",
        )
    if not wanted.force:
        await require_same_facts(desk.sources.graph, desk.bearer(entity), desk.bearer(into), desk.stated())
    evidence = await desk.evidence(wanted.evidence)
    desk.draft(Merge(entity.key, into.key, entity.name), wanted.why, evidence)
