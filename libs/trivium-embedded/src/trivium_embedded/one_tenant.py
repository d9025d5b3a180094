"""A registry as a dispatcher sees it that works for one tenant alone, beside others that work for all."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import msgspec

from trivium.domain.documents import Document, DocumentState, Lane
from trivium.domain.scope import Tenant
from trivium.ports.registry import Registry, TenantRegistry

LOOKED_AT = 10_000  # unfinished documents of everybody, among which the tenant's are sought


class OneTenant(msgspec.Struct, frozen=True):
    """`trivium.ports.registry.Registry`, of which only `tenant` has work to be done."""

    registry: Registry
    tenant: Tenant

    def for_tenant(self, tenant: Tenant) -> TenantRegistry:
        """As it is."""
        return self.registry.for_tenant(tenant)

    def unfinished(self, now: float, limit: int = 1000, lane: Lane | None = None) -> Sequence[Document]:
        """The tenant's, oldest first."""
        every = self.registry.unfinished(now, max(limit, LOOKED_AT), lane)
        return [document for document in every if document.tenant == self.tenant.name][:limit]

    def in_flight(self, now: float) -> dict[Lane, int]:
        """The tenant's RUNNING documents, all of them counted as interactive."""
        running = self.registry.for_tenant(self.tenant).counts().by_state.get(DocumentState.RUNNING.value, 0)
        return dict.fromkeys(Lane, 0) | {Lane.INTERACTIVE: running}

    def waiting(self, now: float) -> dict[Lane, int]:
        """The tenant's documents that `unfinished` lists, by lane."""
        found = Counter(document.lane for document in self.unfinished(now))
        return {lane: found[lane] for lane in Lane}

    def drop(self, tenant: Tenant) -> None:
        """As it is."""
        self.registry.drop(tenant)

    def tenants(self) -> Sequence[Tenant]:
        """The one."""
        return [self.tenant]
