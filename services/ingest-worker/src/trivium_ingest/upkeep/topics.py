"""Kept topics that cannot be read, or that name what was withdrawn. They are made again when somebody asks for them."""

from __future__ import annotations

from collections.abc import Iterator

from trivium.domain.drift import OBJECTS, Drift
from trivium.domain.errors import NotFound
from trivium.domain.scope import Tenant
from trivium.domain.topics import Topics
from trivium.flow import artifacts
from trivium.flow.topic_keys import kept_topics, told_of
from trivium.ports.stores import Stores


def topics_of(stores: Stores, tenant: Tenant, *, repair: bool) -> Iterator[Drift]:
    """One tenant's. Repaired, they are gone. A newer version of a document is none of their faults: they are stale."""
    objects = stores.objects.for_tenant(tenant)
    for key in kept_topics(objects):
        amiss = _amiss(stores, tenant, key)
        if amiss and objects.exists(key):  # a deletion may have taken them meanwhile
            if repair:
                objects.delete(key)
            found = f"the kept topics of {told_of(key)} {amiss}"
            yield Drift(tenant.name, "", "", "", OBJECTS, found=found, repaired=repair)


def _amiss(stores: Stores, tenant: Tenant, key: str) -> str:
    try:
        documents = artifacts.load(stores.objects.for_tenant(tenant), key, Topics).documents
    except NotFound:
        return "cannot be read"
    withdrawn = len(documents) - len(stores.registry.for_tenant(tenant).active_versions(list(documents)))
    return f"name {withdrawn} documents that were withdrawn" if withdrawn else ""
