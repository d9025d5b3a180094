"""Filling Redis's indexes from the manifests, when Redis lost them."""

from __future__ import annotations

import time

from trivium.adapters.distributed.registry.manifests import Manifests, without_lease
from trivium.adapters.distributed.registry.records import HotRecords
from trivium.adapters.distributed.s3.bucket import PAGE_KEYS
from trivium.at_once import at_once
from trivium.domain.errors import TryLater
from trivium.domain.scope import Tenant

PATIENCE_S = 10.0
_POLL_S = 0.05


def make_whole(hot: HotRecords, manifests: Manifests, tenant: Tenant, patience_s: float = PATIENCE_S) -> None:
    """Return when the indexes hold every document of the tenant.

    One process reads at a time, the others wait. A tenant too large for `patience_s` raises `TryLater`
    (`registry_rebuilding`); the next call goes on where this one stopped.
    """
    deadline = time.monotonic() + patience_s
    while not hot.is_whole(tenant):
        if time.monotonic() > deadline:
            raise TryLater(
                "registry_rebuilding",
                "The list of documents is being read again from the object store.",
                "Ask again in a moment; documents and questions are not affected.",
            )
        if begun := hot.begin_rebuild(tenant):
            try:
                _read(hot, manifests, tenant, *begun, deadline)
            finally:
                hot.pause_rebuild(tenant)
        else:
            time.sleep(_POLL_S)


def _read(hot: HotRecords, manifests: Manifests, tenant: Tenant, token: str, after: str, deadline: float) -> None:
    while time.monotonic() < deadline:
        ids = manifests.ids(tenant, after)
        known = hot.read(tenant, ids)
        loaded = at_once(lambda id_: manifests.load(tenant, id_), [id_ for id_ in ids if id_ not in known])
        hot.install([without_lease(record) for record in loaded if record])
        after = ids[-1] if len(ids) == PAGE_KEYS else ""
        if not hot.advance_rebuild(tenant, token, after) or not after:
            return
