"""Names that rules find to be one thing, or perhaps: listed for a person, and what the person decides.

Accepting a pair is a merge. Dismissing it keeps the two apart, also where rules have merged them; it is asked again
when other reasons are known. Both are edits, and can be undone.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping, Sequence

from trivium import api
from trivium.domain.edits import Actor, Draft, Edit, KeepApart
from trivium.domain.errors import NotFound, Refused
from trivium.domain.graph import Entity
from trivium.domain.ids import digest
from trivium.domain.scope import Tenant
from trivium.domain.verdicts import Verdict
from trivium.edits.curation import Curated
from trivium.flow.resolving import resolve_all
from trivium.graph_tools.desk import check, seen_edits
from trivium.graph_tools.merge_entity import MergeEntity
from trivium.graph_tools.tools import TOOLS
from trivium.resolution.score import KEPT_APART
from trivium.text.names import fold_name
from trivium_query.handlers.curation import desk, run_tool
from trivium_query.requests import Services

SEEN_S = 2.0  # that a decision waits for the graph to follow
MAX_PAGES = 20  # of the store that one page here may take, where most are settled


async def browse(services: Services, tenant: Tenant, dismissed: bool, limit: int, cursor: str) -> api.DuplicatePage:
    """Pairs that a person is to decide, the likeliest first; or those that one dismissed. Raises `Refused`.

    A page may be shorter than `limit` before the last one.
    """
    graph = services.graphs.reader(tenant)
    curated = await asyncio.to_thread(services.curation.now, tenant)
    for _ in range(MAX_PAGES):
        page = await graph.asked(limit, cursor)
        cursor = page.cursor
        named = await graph.named(sorted({key for one in page.verdicts for key in (one.key, one.other)}))
        found = tuple(_open(page.verdicts, named, curated, dismissed))
        if found or not cursor:
            break
    return api.DuplicatePage(found, cursor)


async def accept(services: Services, tenant: Tenant, wanted: api.NamePair, actor: Actor) -> api.Edited:
    """They are one thing. Raises `NotFound` (`no_such_duplicate`) and as the tool merge_entity."""
    found = await _found(services, tenant, wanted)
    merge = MergeEntity(found.key, found.other, why=wanted.why)
    edited = await run_tool(services, tenant, TOOLS["merge_entity"], merge, actor)
    assert isinstance(edited, api.Edited)  # noqa: S101 - for the type checker: the tool's result
    return edited


async def dismiss(services: Services, tenant: Tenant, wanted: api.NamePair, actor: Actor) -> api.Edited:
    """They are two things. Raises `NotFound` (`no_such_duplicate`), `Refused` (`already_settled`)."""
    found = await _found(services, tenant, wanted)

    apart = KeepApart(found.key, found.other, _evidence(found))

    def decide(curated: Curated) -> Sequence[Draft]:
        if _settled(found, curated):
            raise Refused("already_settled", "The pair is dismissed already.", "To open it again, undo that.")
        drafts = [Draft(apart, actor, wanted.why)]
        check(drafts, curated.folded)
        return drafts

    edits = await asyncio.to_thread(services.curation.append, tenant, decide)
    await asyncio.to_thread(resolve_all, services.graphs, tenant, SEEN_S)
    curated = await asyncio.to_thread(services.curation.now, tenant)
    return api.Edited(seen_edits(edits, curated), ())


async def joined(services: Services, tenant: Tenant, entity: str) -> tuple[api.Likeness, ...]:
    """By which rules the names of an entity are one. Raises `NotFound` (`unknown_entity`)."""
    found = await desk(services, tenant, Actor()).entity(entity)
    keys = {found.key, *map(fold_name, found.aliases)}
    verdicts = await services.graphs.reader(tenant).verdicts(sorted(keys))
    merges = (one for about in verdicts.values() for one in about if one.merges and one.other in keys)
    return tuple(map(_likeness, sorted(merges, key=lambda one: (-one.score, one.key))))


def _open(
    verdicts: Iterable[Verdict], named: Mapping[str, Entity], curated: Curated, dismissed: bool
) -> Iterable[api.Duplicate]:
    """Those of names that are there, and are not one entity already."""
    for one in verdicts:
        entity, other = named.get(one.key), named.get(one.other)
        settled = _settled(one, curated)
        if entity and other and entity.key != other.key and bool(settled) == dismissed:
            yield _duplicate(one, entity, other, settled, curated)


def _duplicate(one: Verdict, entity: Entity, other: Entity, settled: Edit | None, curated: Curated) -> api.Duplicate:
    return api.Duplicate(
        _likeness(one),
        _entity(entity),
        _entity(other),
        next(iter(seen_edits([settled], curated)), None) if settled else None,
    )


def _likeness(one: Verdict) -> api.Likeness:
    return api.Likeness(one.key, one.other, one.score, one.reasons, one.merges)


def _entity(entity: Entity) -> api.Entity:
    return api.Entity(entity.id, entity.name, entity.type.value, entity.aliases, entity.mentions, entity.degree)


def _settled(one: Verdict, curated: Curated) -> Edit | None:
    """The edit that dismissed the pair for these reasons."""
    edit = curated.folded.hidden.get(KeepApart(one.key, one.other).relation)
    change = edit.change if edit else None
    return edit if isinstance(change, KeepApart) and change.reasons == _evidence(one) else None


def _evidence(one: Verdict) -> str:
    """What stands for the reasons of a verdict, but for that a person keeps the two apart."""
    return digest(*(reason for reason in one.reasons if reason != KEPT_APART))


async def _found(services: Services, tenant: Tenant, wanted: api.NamePair) -> Verdict:
    keys = {fold_name(wanted.name), fold_name(wanted.other)}
    verdicts = await services.graphs.reader(tenant).verdicts(sorted(keys))
    for one in (one for about in verdicts.values() for one in about):
        if {one.key, one.other} == keys:
            return one
    raise NotFound(
        "no_such_duplicate",
        f"No rule says that {wanted.name[:80]!r} and {wanted.other[:80]!r} may be one thing.",
        "List what there is with: trivium graph duplicates",
    )
