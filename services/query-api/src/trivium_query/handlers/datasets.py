"""Datasets: the names that sources were handed over under, with what is in each."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from difflib import get_close_matches

import msgspec

from trivium.domain.cursors import cursor_at, place_of
from trivium.domain.errors import TryLater
from trivium.domain.scope import Tenant
from trivium.ports.registry import DatasetCounts, TenantRegistry
from trivium_query.requests import Services

MAX_COMPARED = 200  # names, with one that is not there: 0.1 ms each
MAX_NAMED = 5


class DatasetPage(msgspec.Struct, frozen=True):
    """One page by name; `cursor` is "" on the last page."""

    datasets: Sequence[DatasetCounts]
    cursor: str = ""


async def browse(services: Services, tenant: Tenant, limit: int, cursor: str) -> DatasetPage:
    """Those that have a source. Raises `Refused` (`bad_cursor`)."""
    after = place_of(cursor, str) if cursor else ""
    found = await asyncio.to_thread(services.registry.for_tenant(tenant).datasets, limit + 1, after)
    return DatasetPage(found[:limit], cursor_at(found[limit - 1].name) if len(found) > limit else "")


async def others_than(services: Services, tenant: Tenant, name: str) -> str:
    """A sentence on which datasets there are where `name` is none; "" where it is one, or nobody can tell now."""
    try:
        return await asyncio.to_thread(_others, services.registry.for_tenant(tenant), name)
    except TryLater:
        return ""


def _others(registry: TenantRegistry, name: str) -> str:
    if registry.has_dataset(name):
        return ""
    names = [each.name for each in registry.datasets(MAX_COMPARED)]
    if near := get_close_matches(name, names, MAX_NAMED):
        return f"Do you mean {' or '.join(near)}?"
    if not names:
        return "There are none yet."
    return f"There are {', '.join(names[:MAX_NAMED])}{', and others' if len(names) > MAX_NAMED else ''}."
