"""Deleting many sources: of a dataset, of a run, or both; some at a time, so that no call takes long."""

from __future__ import annotations

import asyncio
import time

import msgspec

from trivium.access.trail import touching
from trivium.domain.documents import Document
from trivium.domain.errors import NotFound, TryLater
from trivium.domain.scope import Tenant
from trivium.domain.times import TimeOf
from trivium.invalid_request import misfit
from trivium.ports.intake import TenantIntake
from trivium.ports.registry import TenantRegistry
from trivium_query.handlers import sources
from trivium_query.handlers.sources import Chosen
from trivium_query.requests import Services

DELETES_S = 10.0  # of one call, and the document that is being deleted then
PAGE = 200  # records read at a time


class Deleted(msgspec.Struct, frozen=True):
    """How many sources went, without those inside them, and where the next call goes on unless all is `done`."""

    deleted: int
    done: bool
    cursor: str
    warnings: tuple[str, ...] = ()


async def delete_chosen(services: Services, tenant: Tenant, dataset: str, run: str, cursor: str) -> Deleted:
    """What was handed over by itself and is chosen goes, with what is inside it. Again it finishes what broke off.

    "" does not restrict. Raises `InvalidRequest` where nothing is chosen.
    """
    chosen = sources.chosen(None, "", dataset, "", "", TimeOf.UPLOADED, run)
    if not chosen.filter.asks_documents:
        raise misfit("dataset", "a dataset or a run: nothing says what to delete")
    registry, intake = services.registry.for_tenant(tenant), services.intake.for_tenant(tenant)
    return await asyncio.to_thread(_delete, registry, intake, chosen, cursor)


def _delete(registry: TenantRegistry, intake: TenantIntake, chosen: Chosen, cursor: str) -> Deleted:
    until, deleted, warnings = time.monotonic() + DELETES_S, 0, dict[str, None]()
    while True:
        page = registry.list(limit=PAGE, cursor=cursor)
        for document in page.documents:
            if document.parent or not chosen.holds(document):
                continue
            try:
                with touching(document.id):
                    gone = intake.delete(document.id)
            except NotFound:
                continue
            except TryLater as error:
                if error.code != "deletion_goes_on" and not deleted:
                    raise
                return Deleted(deleted, False, cursor, tuple(warnings))
            deleted += 1
            warnings |= dict.fromkeys(_new(gone, document))
            if time.monotonic() > until:
                return Deleted(deleted, False, cursor, tuple(warnings))
        cursor = page.cursor
        if not cursor or time.monotonic() > until:
            return Deleted(deleted, not cursor, cursor, tuple(warnings))


def _new(gone: Document, before: Document) -> tuple[str, ...]:
    """What deleting it had to say."""
    return gone.warnings[len(before.warnings) :]
