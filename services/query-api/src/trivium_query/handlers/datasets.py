"""Datasets: the names that sources were handed over under, with what is in each."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence

import msgspec

from trivium.domain.documents import DATASET, MAX_DATASET_CHARS
from trivium.domain.scope import Tenant
from trivium.ports.registry import DatasetCounts
from trivium_query.handlers.sources import bad_cursor
from trivium_query.requests import Services


class DatasetPage(msgspec.Struct, frozen=True):
    """One page by name; `cursor` is "" on the last page."""

    datasets: Sequence[DatasetCounts]
    cursor: str = ""


async def browse(services: Services, tenant: Tenant, limit: int, cursor: str) -> DatasetPage:
    """Those that have a source. Raises `Refused` (`bad_cursor`)."""
    if cursor and (len(cursor) > MAX_DATASET_CHARS or not re.fullmatch(DATASET, cursor)):
        raise bad_cursor()
    found = await asyncio.to_thread(services.registry.for_tenant(tenant).datasets, limit + 1, cursor)
    return DatasetPage(found[:limit], found[limit - 1].name if len(found) > limit else "")
