"""Who decides, as every route that appends an edit is told."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import Depends, Query

from trivium.api import NO_NUL
from trivium.domain.edits import Actor, ActorKind

MAX_ACTOR_CHARS = 200


async def _actor(
    actor: Annotated[
        str, Query(max_length=MAX_ACTOR_CHARS, pattern=NO_NUL, description="Who decides; kept with the edit.")
    ] = "",
    actor_kind: Annotated[Literal["person", "rule", "model"], Query(description="What `actor` is.")] = "person",
) -> Actor:
    return Actor(ActorKind(actor_kind), actor)


ActorDep = Annotated[Actor, Depends(_actor)]
