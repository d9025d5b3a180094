"""Datasets: the names that sources were handed over under, with what is in each."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import msgspec

from trivium.domain.cursors import cursor_at, place_of
from trivium.domain.scope import Tenant
from trivium.ports.registry import DatasetCounts
from trivium_query.requests import Services


class DatasetPage(msgspec.Struct, frozen=True):
    """One page by name; `cursor` is "" on the last page."""

    datasets: Sequence[DatasetCounts]
    cursor: str = ""


async def browse(services: Services, tenant: Tenant, limit: int, cursor: str) -> DatasetPage:
    """Those that have a source. Raises `Refused` (`bad_cursor`)."""
    after = place_of(cursor, str) if cursor else ""
    found = await asyncio.to_thread(services.registry.for_tenant(tenant).datasets, limit + 1, after)
    return DatasetPage(found[:limit], cursor_at(found[limit - 1].name) if len(found) > limit else "")
