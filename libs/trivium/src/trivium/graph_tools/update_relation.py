"""update_relation: another type or confidence for a relation."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from trivium.domain.edits import RelationKey
from trivium.domain.edits import UpdateRelation as Update
from trivium.domain.errors import Refused
from trivium.domain.graph import CO_OCCURS
from trivium.graph_tools.create_relation import named_relation
from trivium.graph_tools.desk import Desk, checked_confidence, checked_type
from trivium.graph_tools.existing_relation import existing_relation, keys_of, stated
from trivium.graph_tools.values import Confidence, NamedRelation, Passages, RelationType, Why


class UpdateRelation(NamedRelation, frozen=True):
    """Another type or confidence. The passages that state the relation stay its evidence."""

    new_type: Annotated[RelationType | None, Meta(description="Absent: as it is.")] = None
    turned: Annotated[bool, Meta(description="It points the other way.")] = False
    confidence: Annotated[Confidence | None, Meta(description="Absent: as it is.")] = None
    why: Why = ""
    evidence: Passages = ()


async def update_relation(desk: Desk, wanted: UpdateRelation) -> None:
    """A co-occurrence that gets a type points as the caller names its ends.

    Raises `Refused` (`nothing_to_change`, `low_confidence`, `bad_relation_type`) and `NotFound`.
    """
    edge = await existing_relation(desk, wanted)
    named = await named_relation(desk, wanted)
    ends = (named.target_key, named.source_key) if wanted.turned else (named.source_key, named.target_key)
    kind = checked_type(wanted.new_type) if wanted.new_type else edge.type
    source, target = sorted(ends) if kind == CO_OCCURS else ends
    now = RelationKey(source, target, kind)
    confidence = checked_confidence(edge.confidence if wanted.confidence is None else wanted.confidence)
    if now in keys_of(edge) and confidence == edge.confidence:
        raise Refused("nothing_to_change", "The relation is so already.", "Give another type or confidence.")
    evidence = await desk.evidence(wanted.evidence) or await stated(desk, [edge])
    desk.draft(Update(keys_of(edge), now), wanted.why, evidence, confidence)
