"""update_entity: another name or type for an entity, more or fewer aliases."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from trivium.api import Input
from trivium.domain.edits import Merge, Rename, Retype, Split
from trivium.domain.errors import Refused
from trivium.domain.graph import EntityType
from trivium.graph_tools.create_entity import MAX_ALIASES
from trivium.graph_tools.desk import Desk, Found, checked_name
from trivium.graph_tools.values import NewName, Passages, Reference, Why
from trivium.text.names import fold_name


class UpdateEntity(Input, frozen=True):
    """Another name, another type, more names, or fewer. It goes on being found by all names but those removed."""

    entity: Reference
    name: Annotated[NewName | None, Meta(description="How it is called from now on.")] = None
    type: EntityType | None = None
    aliases: Annotated[
        tuple[NewName, ...], Meta(max_length=MAX_ALIASES, description="Further names of it.", examples=[[]])
    ] = ()
    remove_aliases: Annotated[
        tuple[NewName, ...],
        Meta(
            max_length=MAX_ALIASES,
            description="Other names of it that are not its: each is an entity of its own, whatever passages claim.",
            examples=[[]],
        ),
    ] = ()
    why: Why = ""
    evidence: Passages = ()


async def update_entity(desk: Desk, wanted: UpdateEntity) -> None:
    """Raises `Refused` (`nothing_to_change`, `name_taken`, `name_refused`, `not_an_alias`) and `NotFound`."""
    entity = await desk.entity(wanted.entity)
    evidence = await desk.evidence(wanted.evidence)
    changes: list[Rename | Retype | Merge | Split]
    changes = [await _parted(desk, entity, alias) for alias in wanted.remove_aliases]
    if wanted.name is not None and (name := checked_name(wanted.name)) != entity.name:
        await _require_free(desk, entity, name)
        changes.append(Rename(entity.key, name))
    if wanted.type is not None and wanted.type is not entity.type:
        changes.append(Retype(entity.key, wanted.type))
    for alias in map(checked_name, wanted.aliases):
        await _require_free(desk, entity, alias)
        if await desk.known(alias) is None:
            changes.append(Merge(fold_name(alias), entity.key, alias))
    if not changes:
        raise Refused(
            "nothing_to_change",
            f"{entity.name!r} ({entity.type.value}) is so already.",
            "Give a name, a type or aliases that it does not have, or remove aliases.",
        )
    for change in changes:
        desk.draft(change, wanted.why, evidence)


async def _parted(desk: Desk, entity: Found, alias: str) -> Split:
    """Under the name as it is written in the graph."""
    key = fold_name(alias)
    known = (await desk.sources.graph.named([key])).get(key)
    own = (entity.key, fold_name(entity.name))
    others = {fold_name(each): each for each in entity.aliases if fold_name(each) not in own}
    if known is None or known.key != entity.key or key in own:
        what = "the name by which" if key in own else "no other name by which"
        raise Refused(
            "not_an_alias",
            f"{alias[:80]!r} cannot be parted: it is {what} {entity.name!r} is known.",
            f"Names that can: {', '.join(others.values()) or 'none'}.",
        )
    return Split(key, others.get(key, alias))


async def _require_free(desk: Desk, entity: Found, name: str) -> None:
    known = await desk.known(name)
    if known is not None and known.key != entity.key:
        raise Refused(
            "name_taken",
            f"{name!r} is another entity: {known.name!r} ({known.type.value}).",
            "If the two are one thing, merge them.",
        )
