"""What `model` may be: `trivium`, `trivium:MODE`, `trivium/DATASET`, `trivium/DATASET:MODE`, `trivium-embeddings`."""

from __future__ import annotations

import asyncio
import re

import msgspec

from trivium.domain.documents import DATASET, MAX_DATASET_CHARS
from trivium.domain.errors import NotFound
from trivium.domain.retrieval import Mode
from trivium.domain.scope import Tenant
from trivium.ports.registry import TenantRegistry
from trivium_query.requests import Services

EVERYTHING = "trivium"
EMBEDDINGS = "trivium-embeddings"
LOOKED_AT = 2000  # of the newest sources, for the datasets that are listed
PAGE = 200
_NAMED = re.compile(
    rf"{EVERYTHING}(?:/(?P<dataset>{DATASET.removeprefix('^').removesuffix('$')}))?(?::(?P<mode>[a-z]+))?"
)


class Model(msgspec.Struct, frozen=True):
    """One that can be asked."""

    id: str
    object: str = "model"
    created: int = 0  # nobody made it at a time
    owned_by: str = "trivium"


class Models(msgspec.Struct, frozen=True):
    """All of them."""

    data: tuple[Model, ...]
    object: str = "list"


def chosen(model: str) -> tuple[str, Mode | None]:
    """The dataset ("": all) and the strategy (None: as configured). Raises `NotFound` (`model_not_found`)."""
    found = _NAMED.fullmatch(model)
    dataset, mode = (found["dataset"] or "", found["mode"]) if found else ("", None)
    if not found or len(dataset) > MAX_DATASET_CHARS or (mode and mode not in list(Mode)):
        raise unknown_model(model)
    return dataset, Mode(mode) if mode else None


def unknown_model(model: str) -> NotFound:
    """There is none of that name."""
    return NotFound(
        "model_not_found",
        f"The model {model[:80]!r} does not exist.",
        f"Use {EVERYTHING}, {EVERYTHING}/DATASET, {EVERYTHING}:MODE ({', '.join(Mode)}), or {EMBEDDINGS}.",
    )


async def listed(services: Services, tenant: Tenant) -> Models:
    """All strategies, and the datasets of the newest sources; others can be named all the same."""
    datasets = await asyncio.to_thread(_datasets, services.registry.for_tenant(tenant))
    names = [EVERYTHING, *(f"{EVERYTHING}/{name}" for name in datasets), *(f"{EVERYTHING}:{mode}" for mode in Mode)]
    return Models(tuple(map(Model, names + ([EMBEDDINGS] if services.embeddings else []))))


def one(services: Services, model: str) -> Model:
    """The model of that name. Raises `NotFound`."""
    if not (model == EMBEDDINGS and services.embeddings):
        chosen(model)
    return Model(model)


def _datasets(registry: TenantRegistry) -> list[str]:
    found: set[str] = set()
    cursor = ""
    for _ in range(LOOKED_AT // PAGE):
        page = registry.list(None, PAGE, cursor)
        found |= {document.dataset for document in page.documents}
        cursor = page.cursor
        if not cursor:
            break
    return sorted(found)
