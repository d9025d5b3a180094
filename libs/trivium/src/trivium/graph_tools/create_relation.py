"""create_relation: a relation that no passage has to state."""

from __future__ import annotations

import asyncio

from trivium.domain.edits import CreateRelation as Creation
from trivium.domain.edits import RelationKey
from trivium.domain.errors import Refused
from trivium.graph_tools.desk import Desk, checked_confidence, checked_type
from trivium.graph_tools.values import Confidence, NamedRelation, Passages, Why


class CreateRelation(NamedRelation, frozen=True):
    """A new relation between two entities that exist: create these first."""

    confidence: Confidence = 1.0
    why: Why = ""
    evidence: Passages = ()


async def create_relation(desk: Desk, wanted: CreateRelation) -> None:
    """Raises `Refused` (`low_confidence`, `bad_relation_type`, `self_relation`, `evidence_needed`), `NotFound`."""
    desk.require_evidence(wanted.evidence)
    confidence = checked_confidence(wanted.confidence)
    relation = await named_relation(desk, wanted)
    evidence = await desk.evidence(wanted.evidence)
    desk.draft(Creation(relation), wanted.why, evidence, confidence)


async def named_relation(desk: Desk, named: NamedRelation) -> RelationKey:
    """The relation between the entities that are meant. Raises `Refused` and `NotFound`."""
    kind = checked_type(named.type)
    source, target = await asyncio.gather(desk.entity(named.source), desk.entity(named.target))
    if source.key == target.key:
        raise Refused(
            "self_relation",
            f"{named.source[:80]!r} and {named.target[:80]!r} are one entity.",
            "A relation joins two.",
        )
    return RelationKey(source.key, target.key, kind)
