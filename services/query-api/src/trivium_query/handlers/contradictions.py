"""Contradictions: list them, and put one aside."""

from __future__ import annotations

from trivium.access.trail import touched
from trivium.api import DismissRequest
from trivium.domain.contradictions import Contradiction
from trivium.domain.edits import Actor
from trivium.domain.ids import is_id
from trivium.domain.scope import Tenant
from trivium_query.contradictions.find import Asked, CardPage, unknown_card
from trivium_query.requests import Services


async def browse(services: Services, tenant: Tenant, asked: Asked, limit: int, cursor: str) -> CardPage:
    """The surest first."""
    return await services.contradictions.page(tenant, asked, limit, cursor)


async def dismiss(
    services: Services, tenant: Tenant, wanted: str, request: DismissRequest, actor: Actor
) -> Contradiction:
    """Put one aside until its passages say something else, or the edit is undone. Raises `NotFound`."""
    if not is_id(wanted):
        raise unknown_card()
    dismissed = await services.contradictions.dismiss(tenant, wanted, request.why.strip(), actor)
    touched(wanted)
    return dismissed
