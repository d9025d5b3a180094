"""create_entity: an entity that no passage has to name."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from trivium.api import Input
from trivium.domain.edits import CreateEntity as Creation
from trivium.domain.errors import Refused
from trivium.domain.graph import EntityType
from trivium.graph_tools.desk import Desk, checked_name
from trivium.graph_tools.values import NewName, Passages, Why
from trivium.text.names import fold_name

MAX_ALIASES = 50


class CreateEntity(Input, frozen=True):
    """A new entity. Look for it first: one that is called so already is refused."""

    name: NewName
    type: EntityType
    aliases: Annotated[
        tuple[NewName, ...], Meta(max_length=MAX_ALIASES, description="Its other names.", examples=[[]])
    ] = ()
    why: Why = ""
    evidence: Passages = ()


async def create_entity(desk: Desk, wanted: CreateEntity) -> None:
    """Raises `Refused` (`entity_exists`, `name_refused`, `evidence_needed`) and `NotFound` (`removed_entity`)."""
    desk.require_evidence(wanted.evidence)
    name = checked_name(wanted.name)
    aliases = tuple(map(checked_name, wanted.aliases))
    for each in (name, *aliases):
        if (known := await desk.known(each)) is not None:
            raise Refused(
                "entity_exists",
                f"There is an entity called {each!r}: {known.name!r} ({known.type.value}).",
                "Use it, or change it with update_entity.",
            )
    evidence = await desk.evidence(wanted.evidence)
    desk.draft(Creation(fold_name(name), name, wanted.type, aliases), wanted.why, evidence)
