"""What `model` may be: `trivium`, `trivium:MODE`, `trivium/DATASET`, `trivium/DATASET:MODE`, `trivium-embeddings`."""

from __future__ import annotations

import asyncio
import re

import msgspec

from trivium.domain.documents import DATASET, MAX_DATASET_CHARS
from trivium.domain.errors import NotFound
from trivium.domain.retrieval import Mode
from trivium.domain.scope import Tenant
from trivium_query.handlers.datasets import others_than
from trivium_query.requests import Services

EVERYTHING = "trivium"
EMBEDDINGS = "trivium-embeddings"
MAX_DATASETS = 1000  # that are listed
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


async def check_dataset(services: Services, tenant: Tenant, model: str, dataset: str) -> None:
    """Raises `NotFound` (`model_not_found`) where `model` names a dataset that has no document."""
    if dataset and (others := await others_than(services, tenant, dataset)):
        raise NotFound(
            "model_not_found",
            f"The model {model!r} does not exist: there is no dataset {dataset!r}.",
            f"{others} GET /openai/v1/models lists them.",
        )


def unknown_model(model: str) -> NotFound:
    """There is none of that name."""
    return NotFound(
        "model_not_found",
        f"The model {model[:80]!r} does not exist.",
        f"Use {EVERYTHING}, {EVERYTHING}/DATASET, {EVERYTHING}:MODE ({', '.join(Mode)}), or {EMBEDDINGS}.",
    )


async def listed(services: Services, tenant: Tenant) -> Models:
    """All strategies, and the first datasets by name; others can be named all the same."""
    datasets = await asyncio.to_thread(services.registry.for_tenant(tenant).datasets, MAX_DATASETS)
    names = [
        EVERYTHING,
        *(f"{EVERYTHING}/{each.name}" for each in datasets),
        *(f"{EVERYTHING}:{mode}" for mode in Mode),
    ]
    return Models(tuple(map(Model, names + ([EMBEDDINGS] if services.embeddings else []))))


async def one(services: Services, tenant: Tenant, model: str) -> Model:
    """The model of that name. Raises `NotFound`."""
    if not (model == EMBEDDINGS and services.embeddings):
        dataset, _ = chosen(model)
        await check_dataset(services, tenant, model, dataset)
    return Model(model)
