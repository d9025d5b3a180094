"""Readiness: every part answers a real read within its time or is named, and questions can be answered in part.

A service that has lost a store stays in rotation: it answers from what is left, and says so. One that has just started
is not in it yet: its first questions are its own, and tell it whether the stores answer (`trivium_query.warm`).
"""

from __future__ import annotations

import asyncio
from typing import Literal

import msgspec

from trivium.domain.errors import NotFound, TriviumError
from trivium.domain.ids import ID_HEX_DIGITS
from trivium.domain.scope import DEFAULT_TENANT
from trivium_query.requests import Probe, Services

PROBE_TIMEOUT_S = 2.0
REGISTRY, KEYWORDS, VECTORS, GRAPH = "registry", "keywords", "vectors", "graph"
OBJECTS, INFERENCE = "objects", "inference"
WARM_UP = "warm-up"
NOBODY = "0" * ID_HEX_DIGITS


class Readiness(msgspec.Struct, frozen=True):
    """What answered, and what did not with the reason."""

    ready: tuple[str, ...]
    missing: dict[str, str]

    @property
    def can_answer(self) -> bool:
        """Whether a source is left that finds passages, one that holds their text, and who knows what is published."""

        def there(*parts: str) -> bool:
            return not any(part in self.missing for part in parts)

        found = there(KEYWORDS) or there(VECTORS, INFERENCE) or there(GRAPH)
        readable = there(KEYWORDS) or there(VECTORS, OBJECTS)
        return there(REGISTRY) and there(WARM_UP) and found and readable

    @property
    def status(self) -> Literal["ready", "degraded", "not_ready"]:
        """`degraded`: questions are answered without what is missing."""
        if not self.missing:
            return "ready"
        return "degraded" if self.can_answer else "not_ready"


async def readiness(services: Services) -> Readiness:
    """Ask every store and every probe at once; `warm-up` is missing as long as the process prepares itself."""
    probes: dict[str, Probe] = {**_stores(services), **services.probes}
    reasons = await asyncio.gather(*(_reason(probe) for probe in probes.values()))
    found = dict(zip(probes, reasons, strict=True))
    missing = {name: reason for name, reason in found.items() if reason}
    if services.warmth.preparing:
        missing[WARM_UP] = "The first searches, of the service itself, are not answered yet."
    return Readiness(tuple(name for name, reason in found.items() if not reason), missing)


def _stores(services: Services) -> dict[str, Probe]:
    """One read per store that each answers with "nothing there"."""

    async def registry() -> None:
        await asyncio.to_thread(services.registry.for_tenant(DEFAULT_TENANT).active_versions, [NOBODY])

    async def listing() -> None:
        await asyncio.to_thread(services.registry.for_tenant(DEFAULT_TENANT).counts)

    async def conversations() -> None:
        await asyncio.to_thread(services.conversations.for_tenant(DEFAULT_TENANT).list, 1)

    async def keywords() -> None:
        await services.keywords.reader(DEFAULT_TENANT).chunks([NOBODY])

    async def vectors() -> None:
        await services.vectors.reader(DEFAULT_TENANT).passage_vectors([NOBODY])

    async def graph() -> None:
        await services.graphs.reader(DEFAULT_TENANT).entity(NOBODY)

    return {
        REGISTRY: registry,
        "listing": listing,
        "conversations": conversations,
        KEYWORDS: keywords,
        VECTORS: vectors,
        GRAPH: graph,
    }


async def _reason(probe: Probe) -> str:
    try:
        async with asyncio.timeout(PROBE_TIMEOUT_S):
            await probe()
    except NotFound:
        return ""
    except TriviumError as error:
        return str(error)
    except TimeoutError:
        return f"No answer within {PROBE_TIMEOUT_S:g} s."
    return ""
