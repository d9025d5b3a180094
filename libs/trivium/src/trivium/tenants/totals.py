"""What there is of each tenant."""

from __future__ import annotations

import enum
from collections.abc import Iterator

import msgspec

from trivium.access.stored_keys import KEYS
from trivium.access.trail import Trail
from trivium.domain.documents import DocumentState
from trivium.domain.scope import Tenant
from trivium.ports.registry import every_document
from trivium.ports.stores import Stores
from trivium.tenants.being_erased import is_being_erased


class TenantState(enum.StrEnum):
    """Where a tenant is in its life."""

    IN_USE = "in use"
    ERASING = "erasing"
    """Begun and not ended: `trivium tenants erase` again finishes it."""
    ERASED = "erased"
    """Only the trail's one entry is left."""


class TenantTotals(msgspec.Struct, frozen=True):
    """`documents` that are not deleted, the `size_bytes` of their originals, and `keys` that are stored."""

    name: str
    state: TenantState
    documents: int
    size_bytes: int
    keys: int


def tenants_totals(stores: Stores) -> Iterator[TenantTotals]:
    """Every tenant that has a document, an object or a conversation, by name. Reads every record."""
    known = {*stores.registry.tenants(), *stores.objects.tenants(), *stores.conversations.tenants()}
    return (totals(stores, tenant) for tenant in sorted(known, key=str))


def totals(stores: Stores, tenant: Tenant) -> TenantTotals:
    """One tenant's."""
    sizes = [
        document.size_bytes
        for document in every_document(stores.registry.for_tenant(tenant))
        if document.state is not DocumentState.DELETED
    ]
    objects = stores.objects.for_tenant(tenant)
    keys = sum(1 for _ in objects.keys(KEYS))
    return TenantTotals(tenant.name, _state(stores, tenant), len(sizes), sum(sizes), keys)


def _state(stores: Stores, tenant: Tenant) -> TenantState:
    objects = stores.objects.for_tenant(tenant)
    if is_being_erased(objects):
        return TenantState.ERASING
    alone = tenant not in stores.registry.tenants() and tenant not in stores.conversations.tenants()
    return TenantState.ERASED if alone and Trail(stores.objects).has_ended(tenant) else TenantState.IN_USE
