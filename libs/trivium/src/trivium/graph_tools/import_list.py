"""import_list: rows of a curated list become edits, each row as a whole or not at all.

What the graph has already is left as it is, so a list may be imported twice, or again where it broke off.
"""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from trivium.api import Input, Output
from trivium.domain.edits import Change, CreateEntity, CreateRelation, Merge, Rename, Retype
from trivium.domain.errors import NotFound, Refused
from trivium.domain.graph import EntityType
from trivium.graph_tools.create_entity import MAX_ALIASES
from trivium.graph_tools.create_relation import named_relation
from trivium.graph_tools.desk import Desk, Found, checked_name
from trivium.graph_tools.existing_relation import existing_relation
from trivium.graph_tools.same_facts import require_same_facts
from trivium.graph_tools.values import NamedRelation, NewName, Why
from trivium.text.names import fold_name

MAX_ROWS = 100  # a call; the edits that they come to must fit into one record besides
UNTYPED = EntityType.CONCEPT


class ListedEntity(Input, frozen=True):
    """A row: how the thing is called, and its other names. Without a type it keeps the one it has."""

    name: NewName
    type: EntityType | None = None
    aliases: Annotated[
        tuple[NewName, ...], Meta(max_length=MAX_ALIASES, description="Its other names.", examples=[[]])
    ] = ()


class ImportList(Input, frozen=True):
    """Import a curated list: entities first, then relations between them; what is there already stays as it is."""

    entities: Annotated[tuple[ListedEntity, ...], Meta(max_length=MAX_ROWS, examples=[[]])] = ()
    relations: Annotated[tuple[NamedRelation, ...], Meta(max_length=MAX_ROWS, examples=[[]])] = ()
    why: Why = ""
    dry_run: Annotated[bool, Meta(description="Say what would be done, and do nothing.")] = False


class RefusedRow(Output, frozen=True):
    """`row` counts the entities from 0, then the relations."""

    row: int
    code: str
    message: str
    action: str


class Imported(Output, frozen=True):
    """How many edits of each kind, how many rows the graph had already, and those that were refused.

    `record` is the edits' number in the log ("" where nothing was written); undoing it undoes this call.
    """

    created: int = 0
    renamed: int = 0
    retyped: int = 0
    named: int = 0
    related: int = 0
    unchanged: int = 0
    record: str = ""
    refused: tuple[RefusedRow, ...] = ()


async def import_list(desk: Desk, wanted: ImportList) -> Imported:
    """Raises `TryLater` (`log_busy`), and `Refused` (`too_many_edits`) for more than fit into one record.

    A row that is refused says so in the result, and the others count.
    """
    return await desk.undisturbed(lambda: _import(desk, wanted))


async def _import(desk: Desk, wanted: ImportList) -> Imported:
    drafted: list[Change] = []
    refused: list[RefusedRow] = []
    unchanged = 0
    rows: tuple[ListedEntity | NamedRelation, ...] = (*wanted.entities, *wanted.relations)
    for row, listed in enumerate(rows):
        try:
            changes = await (_entity(desk, listed) if isinstance(listed, ListedEntity) else _relation(desk, listed))
        except (Refused, NotFound) as error:
            refused.append(RefusedRow(row, error.code, error.message, error.action))
            continue
        for change in changes:
            desk.draft(change, wanted.why)
        drafted += changes
        unchanged += not changes
    record = "" if wanted.dry_run or not drafted else (await desk.append()).edits[0].id.partition(".")[0]
    return Imported(
        created=_count(drafted, CreateEntity),
        renamed=_count(drafted, Rename),
        retyped=_count(drafted, Retype),
        named=_count(drafted, Merge) + sum(len(one.aliases) for one in drafted if isinstance(one, CreateEntity)),
        related=_count(drafted, CreateRelation),
        unchanged=unchanged,
        record=record,
        refused=tuple(refused),
    )


async def _entity(desk: Desk, listed: ListedEntity) -> list[Change]:
    name = checked_name(listed.name)
    aliases = {fold_name(alias): alias for alias in map(checked_name, listed.aliases)}
    aliases.pop(fold_name(name), None)
    known = {key: await desk.known(alias) for key, alias in aliases.items()}
    called_so = [found for key, found in known.items() if found is not None and fold_name(found.name) == key]
    itself = await desk.known(name) or next(iter(called_so), None)
    own = itself.key if itself else fold_name(name)
    others = [found for found in known.values() if found is not None and found.key != own]
    for found in others:
        if found not in called_so:
            raise _taken(listed, found)
        if itself is not None:
            await require_same_facts(desk.sources.graph, desk.bearer(found), desk.bearer(itself), desk.stated())
    merges = [Merge(found.key, own, found.name) for found in others]
    unknown = {key: alias for key, alias in aliases.items() if known[key] is None}
    if itself is None:
        return [CreateEntity(own, name, listed.type or UNTYPED, tuple(unknown.values()))]
    changes: list[Change] = [] if itself.name == name else [Rename(own, name)]
    if listed.type not in (None, itself.type):
        changes.append(Retype(own, listed.type))
    return [*changes, *merges, *(Merge(key, own, alias) for key, alias in unknown.items())]


def _taken(listed: ListedEntity, holder: Found) -> Refused:
    return Refused(
        "name_taken",
        f"One of the other names of {listed.name!r} is one of {holder.name!r} already.",
        "Leave it out of the list, or merge the two: trivium graph merge.",
    )


async def _relation(desk: Desk, listed: NamedRelation) -> list[Change]:
    relation = await named_relation(desk, listed)
    try:
        await existing_relation(desk, listed)
    except NotFound:
        return [CreateRelation(relation)]
    return []


def _count(changes: list[Change], kind: type) -> int:
    return sum(isinstance(change, kind) for change in changes)
