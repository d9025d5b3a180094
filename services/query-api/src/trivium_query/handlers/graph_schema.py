"""The schema of a dataset's graph: shown, proposed, decided on, compared."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping, Sequence

import msgspec

from trivium import api
from trivium.access.trail import touched
from trivium.domain.chunks import Chunk
from trivium.domain.errors import TryLater
from trivium.domain.graph_schema import GraphSchema, RelationType
from trivium.domain.scope import Tenant
from trivium.graph_schema import evolve, versions
from trivium.graph_schema.differences import SchemaDifference, between
from trivium.graph_schema.evolve import Author
from trivium.ports.objects import ObjectStore
from trivium_query.access.limiter import refuse_debtors
from trivium_query.graph_schema.discover import PERSON, discover
from trivium_query.requests import Services

MAX_CHANGES = 100  # told with a difference: the newest

_at_work: set[tuple[str, str]] = set()  # (tenant, dataset) whose graph is being read by this process


class Seen(msgspec.Struct, frozen=True):
    """A schema, the chunks that its examples stand in as far as they are still there, and notes on how it came."""

    schema: GraphSchema
    chunks: Mapping[str, Chunk]
    notes: tuple[str, ...] = ()


class Compared(msgspec.Struct, frozen=True):
    """What lies between two versions, and the changes that led from one to the other."""

    older: GraphSchema
    newer: GraphSchema
    difference: SchemaDifference
    changes: tuple[GraphSchema, ...]


async def show(services: Services, tenant: Tenant, dataset: str, number: int | None) -> Seen:
    """The newest version, or the one of that number. Raises `NotFound` (`no_such_version`)."""
    objects = services.objects.for_tenant(tenant)
    if number is None:
        return await _seen(services, tenant, await asyncio.to_thread(versions.newest, objects, dataset))
    return await _seen(services, tenant, await asyncio.to_thread(versions.version, objects, dataset, number))


async def propose(services: Services, tenant: Tenant, asked: api.ProposeSchema) -> Seen:
    """Propose the types given, or what the graph says. Raises `Refused`, `TryLater` (`schema_busy`), and `TooMany`."""
    objects = services.objects.for_tenant(tenant)
    if asked.types:
        types = [msgspec.convert(one, RelationType, from_attributes=True) for one in asked.types]
        author = _person(asked.by, asked.why)
        return await _changed(services, tenant, asked.dataset, lambda known: evolve.given(known, types, author))
    if services.llm is not None:
        await refuse_debtors()
    place = tenant.name, asked.dataset
    if place in _at_work:
        raise TryLater("schema_busy", f"The graph of {asked.dataset!r} is being read already.", "Look again soon.")
    _at_work.add(place)
    try:
        known, others = await asyncio.to_thread(_known_and_others, objects, asked.dataset)
        found = await discover(
            services.graphs.reader(tenant), services.keywords.reader(tenant), known, others, services.llm
        )
    finally:
        _at_work.discard(place)
    now = time.time()
    seen = await _changed(services, tenant, asked.dataset, lambda known: found.proposed_beside(known, now, asked.why))
    return msgspec.structs.replace(seen, notes=found.notes)


async def accept(services: Services, tenant: Tenant, asked: api.DecideSchema) -> Seen:
    """Put proposals in force; without names, all without a problem. Raises `Refused` and `Conflict`."""
    author = _person(asked.by, asked.why)
    return await _changed(
        services, tenant, asked.dataset, lambda known: evolve.accepted(known, asked.names, author), asked.number
    )


async def reject(services: Services, tenant: Tenant, asked: api.DecideSchema) -> Seen:
    """Have proposals not made again, or types no longer in force. Raises `Refused` and `Conflict`."""
    author = _person(asked.by, asked.why)
    return await _changed(
        services, tenant, asked.dataset, lambda known: evolve.rejected(known, asked.names, author), asked.number
    )


async def compare(services: Services, tenant: Tenant, dataset: str, older: int | None, newer: int | None) -> Compared:
    """Without `newer` the newest, without `older` the one before that. Raises `NotFound` (`no_such_version`)."""
    return await asyncio.to_thread(_compared, services.objects.for_tenant(tenant), dataset, older, newer)


def _compared(objects: ObjectStore, dataset: str, older: int | None, newer: int | None) -> Compared:
    after = versions.newest(objects, dataset) if newer is None else versions.version(objects, dataset, newer)
    before = versions.version(objects, dataset, max(after.number - 1, 0) if older is None else older)
    first, last = sorted((before.number, after.number))
    numbers = range(max(first + 1, last - MAX_CHANGES + 1), last + 1)
    changes = tuple(versions.version(objects, dataset, number) for number in numbers)
    return Compared(before, after, between(before, after), changes)


async def _changed(
    services: Services,
    tenant: Tenant,
    dataset: str,
    change: Callable[[GraphSchema], GraphSchema],
    based_on: int | None = None,
) -> Seen:
    objects = services.objects.for_tenant(tenant)
    schema = await asyncio.to_thread(versions.changed, objects, dataset, change, based_on)
    touched(dataset)
    return await _seen(services, tenant, schema)


async def _seen(services: Services, tenant: Tenant, schema: GraphSchema) -> Seen:
    """Examples are places, so that what a deleted document said is nowhere in a schema."""
    kinds: Sequence[RelationType] = [*schema.types, *(one.type for one in schema.proposed)]
    places = sorted({example.chunk_id for kind in kinds for example in kind.examples})
    return Seen(schema, await services.keywords.reader(tenant).chunks(places) if places else {})


def _known_and_others(objects: ObjectStore, dataset: str) -> tuple[GraphSchema, list[GraphSchema]]:
    others = [one for one in versions.of_all_datasets(objects) if one.dataset != dataset]
    return versions.newest(objects, dataset), others


def _person(by: str, why: str) -> Author:
    return Author(f"{PERSON} {by}".strip(), time.time(), why)
