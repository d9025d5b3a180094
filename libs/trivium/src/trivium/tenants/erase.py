"""READ FIRST: erasing a tenant from every store.

The mark comes first and goes last, so a repetition finishes what was broken off. Then keys end, its part of the bucket
of uploads goes, and every document is hidden by its record, as a deletion does. What a worker had in hand it saves in
vain from then on, and clears up after itself (`flow/erase.py`). It has a lease's time for that before all goes: rows,
conversations, objects with their old values, records. One entry of the trail stays.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import msgspec

from trivium.access.stored_keys import ENDED, KEYS, STALE_S, USED, USES
from trivium.access.trail import Trail
from trivium.domain.errors import NotFound
from trivium.domain.scope import DEFAULT_TENANT, Tenant
from trivium.ports.objects import ObjectStore
from trivium.ports.registry import document_pages
from trivium.ports.stores import Stores
from trivium.ports.uploads import Uploads
from trivium.tenants.being_erased import MARK

CHECKPOINTS = "backfills/"  # of whoever ran them: each names the last key it saw


class OwnUploads(msgspec.Struct, frozen=True):
    """A tenant's part of a bucket of uploads."""

    uploads: Uploads
    prefix: str


def erase_tenant(
    stores: Stores,
    tenant: Tenant,
    own_uploads: OwnUploads | None,
    lease_s: float,
    tell: Callable[[str], None],
) -> None:
    """Erase it; done again, it finishes. `tell` hears what is being done.

    Other processes get `lease_s` to notice, or as long as they remember keys; 0 where there are none.

    Raises `NotFound` (`no_such_tenant`) when no store has anything of it, and `TryLater` when a store is away.
    """
    require_known(stores, tenant)
    objects = stores.objects.for_tenant(tenant)
    objects.put(MARK, b"")
    tell("Its keys end.")
    for prefix in (KEYS, USES, USED, ENDED):
        _delete_below(objects, prefix)
    if own_uploads:
        tell("Its uploads go.")
        own_uploads.uploads.erase(own_uploads.prefix)
    tell("Its documents end.")
    registry = stores.registry.for_tenant(tenant)
    for page in document_pages(registry):
        registry.delete_many([document.id for document in page])
    if lease_s:
        grace_s = max(lease_s, STALE_S)
        tell(f"Workers put down what they have in hand: {grace_s:.0f} seconds.")
        time.sleep(grace_s)
    tell("Everything goes.")
    for store in (stores.vectors, stores.visuals, stores.hypernodes, stores.keywords, stores.graphs):
        store.drop(tenant)
    stores.conversations.drop(tenant)
    _forget_checkpoints(stores.objects.for_tenant(DEFAULT_TENANT), tenant)
    stores.objects.drop(tenant, keep=MARK)
    stores.registry.drop(tenant)
    stores.objects.drop(tenant, keep=Trail(stores.objects).end(tenant))


def require_known(stores: Stores, tenant: Tenant) -> None:
    """Raises `NotFound` (`no_such_tenant`) when no store has anything of it."""
    places = (stores.registry, stores.objects, stores.conversations, stores.keywords, stores.graphs)
    if not any(tenant in place.tenants() for place in places):
        raise NotFound(
            "no_such_tenant", f"There is no tenant {tenant.name!r}.", "`trivium tenants list` shows those there are."
        )


def _delete_below(objects: ObjectStore, prefix: str) -> None:
    for key in list(objects.keys(prefix)):
        objects.delete(key)


def _forget_checkpoints(objects: ObjectStore, tenant: Tenant) -> None:
    """A backfill that stopped inside the tenant's part of a bucket begins again."""
    for key in list(objects.keys(CHECKPOINTS)):
        if f"{tenant.name}/".encode() in objects.get(key):
            objects.delete(key)
