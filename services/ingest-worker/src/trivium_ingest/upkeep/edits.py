"""The log of edits against what the graph store holds of it."""

from __future__ import annotations

from collections.abc import Iterator

from trivium.domain.drift import OBJECTS, Drift, Store
from trivium.domain.scope import Tenant
from trivium.edits.curation import curation_of
from trivium.ports.stores import Stores

TOLD = 5


def edits_of(stores: Stores, tenant: Tenant, *, repair: bool) -> Iterator[Drift]:
    """Records that cannot be read, and decisions that the graph has otherwise."""
    curation = curation_of(stores)
    decisions = curation.now(tenant).folded.decisions
    if unreadable := curation.unreadable(tenant):
        told = ", ".join(map(str, unreadable[:TOLD])) + (", ..." if len(unreadable) > TOLD else "")
        found = f"{len(unreadable)} records of edits cannot be read and count for nothing: {told}"
        action = "Put the objects edits/NUMBER back from a copy, or upgrade Trivium where a newer one wrote them."
        yield Drift(tenant.name, "", "", "", OBJECTS, found=found, action=action)
    differing = stores.graphs.writer(tenant).undecided(decisions)
    if differing:
        if repair:
            curation.project(tenant)
        found = f"{differing} decisions are not those of the log of edits"
        yield Drift(tenant.name, "", "", "", Store.GRAPH, changed=differing, found=found, repaired=repair)
