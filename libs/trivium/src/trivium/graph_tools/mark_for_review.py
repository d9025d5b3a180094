"""mark_for_review: a person shall look at an entity."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from trivium.api import ONE_LINE, Input
from trivium.domain.edits import MAX_WHY_CHARS, Review
from trivium.graph_tools.desk import Desk
from trivium.graph_tools.values import Passages, Reference


class MarkForReview(Input, frozen=True):
    """A person shall look at an entity: what is not sure about it."""

    entity: Reference
    question: Annotated[
        str, Meta(min_length=1, max_length=MAX_WHY_CHARS, pattern=ONE_LINE, description="What to look at, and why.")
    ]
    evidence: Passages = ()


async def mark_for_review(desk: Desk, wanted: MarkForReview) -> None:
    """Raises `NotFound` (`unknown_entity`)."""
    entity = await desk.entity(wanted.entity)
    desk.draft(Review(entity.key, wanted.question), "", await desk.evidence(wanted.evidence))
