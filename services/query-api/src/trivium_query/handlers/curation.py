"""Changing the graph and looking at its changes: the tools, the log of edits, undo."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from itertools import islice

import msgspec

from trivium.access.trail import touched
from trivium.api import Edited, EditSeen, Output
from trivium.domain.edits import Actor, Dismiss, Draft, Edit, Review, Todo, Undo, edit_id
from trivium.domain.errors import NotFound, Refused
from trivium.domain.ids import is_id
from trivium.domain.retrieval import Mode, SearchFilter, SearchResult
from trivium.domain.scope import Scope, Tenant
from trivium.edits.curation import Curated, Decide
from trivium.edits.fold import Standing
from trivium.edits.words import keys_of, relations_of
from trivium.graph_tools.desk import Desk, Sources, check, seen_edits
from trivium.graph_tools.tools import GraphTool
from trivium.text.names import fold_name
from trivium_query.requests import Services


class WantedEdits(msgspec.Struct, frozen=True):
    """Which edits; what is "" or None does not restrict. `since` and `until` are Unix times."""

    entity: str = ""
    relation: str = ""
    document: str = ""
    chunk: str = ""
    kind: str = ""
    actor: str = ""
    standing: Standing | None = None
    since: float = 0.0
    until: float = float("inf")


def desk(services: Services, tenant: Tenant, actor: Actor) -> Desk:
    """Where one call works."""

    async def search(question: str, mode: Mode, top_k: int) -> SearchResult:
        return await services.searcher.search(tenant, question, mode, top_k, SearchFilter())

    sources = Sources(
        services.graphs.reader(tenant), services.keywords.reader(tenant), services.registry.for_tenant(tenant), search
    )
    return Desk(Scope(tenant), actor, sources, services.curation)


async def run_tool(services: Services, tenant: Tenant, tool: GraphTool, arguments: object, actor: Actor) -> Output:
    """What the tool answers; raises what it raises."""
    return await tool.run(desk(services, tenant, actor), arguments)


async def undo(services: Services, tenant: Tenant, wanted: str, why: str, actor: Actor) -> Edited:
    """Undo an edit ("12.0"), or all of a record ("12"). Raises `NotFound` (`no_such_edit`), `Refused`."""

    def decide(curated: Curated) -> Sequence[Draft]:
        meant = _meant(curated, wanted)
        standing = [edit for edit in meant if curated.folded.standing(edit) is not Standing.UNDONE] or meant
        drafts = [Draft(Undo(edit.id), actor, why) for edit in reversed(standing)]
        check(drafts, curated.folded)
        return drafts

    return await _appended(services, tenant, decide)


async def dismiss(services: Services, tenant: Tenant, subject: str, why: str, actor: Actor) -> Edited:
    """A review, a task ("12.0", or all of a record, "12") or a card is settled.

    Raises `NotFound` (`no_such_edit`), `Refused` (`already_settled`, `nothing_to_settle`).
    """
    settled: list[str] = []

    def decide(curated: Curated) -> Sequence[Draft]:
        named = [subject] if is_id(subject) else _to_settle(curated, subject)
        settled[:] = [one for one in named if one not in curated.folded.dismissed]
        if not settled:
            raise Refused("already_settled", f"{subject[:80]!r} is settled already.", "To open it again, undo that.")
        return [Draft(Dismiss(one), actor, why) for one in settled]

    dismissed = await _appended(services, tenant, decide)
    touched(*(one for one in settled if edit_id(one)))
    return dismissed


async def log(
    services: Services, tenant: Tenant, wanted: WantedEdits, limit: int, before: str = ""
) -> tuple[tuple[EditSeen, ...], str]:
    """Edits, newest first, and where the next page begins ("" on the last page). Raises `Refused` (`bad_cursor`)."""
    curated = await asyncio.to_thread(services.curation.now, tenant)
    last = edit_id(before) if before else None
    if before and last is None:
        raise Refused("bad_cursor", "The cursor is not one of this listing.", "Start again without one.")
    found = await asyncio.to_thread(_selected, curated, wanted, last, limit + 1)
    return seen_edits(found[:limit], curated), found[limit - 1].id if len(found) > limit else ""


async def edits_about(services: Services, tenant: Tenant, names: Sequence[str], limit: int) -> tuple[EditSeen, ...]:
    """The edits that made an entity what it is, newest first; `names` are all of its names."""
    curated = await asyncio.to_thread(services.curation.now, tenant)
    if not curated.edits:
        return ()
    keys = {fold_name(name) for name in names}

    def about() -> list[Edit]:
        folded = curated.folded
        found = (
            edit
            for edit in reversed(curated.edits)
            if any(key in keys or folded.entity_of(key) in keys for key in keys_of(edit.change))
        )
        return list(islice(found, limit))

    return seen_edits(await asyncio.to_thread(about), curated)


def _selected(curated: Curated, wanted: WantedEdits, last: tuple[int, int] | None, limit: int) -> list[Edit]:
    entity = fold_name(wanted.entity)
    entity = curated.folded.entity_of(entity) if entity else ""
    found = (
        edit
        for edit in reversed(curated.edits)
        if (last is None or (edit.sequence, edit.part) < last) and _fits(edit, wanted, entity, curated)
    )
    return list(islice(found, limit))


def _fits(edit: Edit, wanted: WantedEdits, entity: str, curated: Curated) -> bool:
    folded = curated.folded
    about = not entity or any(folded.entity_of(key) == entity or key == entity for key in keys_of(edit.change))
    rests = (not wanted.document or any(one.document_id == wanted.document for one in edit.evidence)) and (
        not wanted.chunk or any(one.chunk_id == wanted.chunk for one in edit.evidence)
    )
    related = not wanted.relation or any(one.type == wanted.relation for one in relations_of(edit.change))
    by = wanted.kind in ("", edit.kind) and wanted.actor.casefold() in str(edit.actor).casefold()
    stands = wanted.standing is None or folded.standing(edit) is wanted.standing
    return about and rests and related and by and stands and wanted.since <= edit.at <= wanted.until


def _meant(curated: Curated, wanted: str) -> list[Edit]:
    place = edit_id(wanted) or (edit_id(f"{wanted}.0") if "." not in wanted else None)
    whole = "." not in wanted
    found = [edit for edit in curated.edits if place and edit.sequence == place[0] and (whole or edit.part == place[1])]
    if not found:
        raise NotFound("no_such_edit", f"There is no edit {wanted[:40]!r}.", "List the edits with: trivium graph log")
    return found


def _to_settle(curated: Curated, wanted: str) -> list[str]:
    """The reviews and tasks of an edit, or of a record."""
    found = [edit.id for edit in _meant(curated, wanted) if isinstance(edit.change, Review | Todo)]
    if not found:
        raise Refused(
            "nothing_to_settle",
            f"Edit {wanted[:40]!r} is neither a review nor a task.",
            "List what is open with: trivium graph review",
        )
    return found


async def _appended(services: Services, tenant: Tenant, decide: Decide) -> Edited:
    edits = await asyncio.to_thread(services.curation.append, tenant, decide)
    curated = await asyncio.to_thread(services.curation.now, tenant)
    return Edited(seen_edits(edits, curated), ())
