"""A tenant's beginning: its first admin key."""

from __future__ import annotations

from trivium.access.stored_keys import KEYS, StoredKeys
from trivium.access.trail import CREATED, OPERATOR, Trail
from trivium.domain.access import AccessKey, Caller, Role
from trivium.domain.errors import Refused
from trivium.domain.scope import Tenant
from trivium.ports.stores import Stores
from trivium.tenants.being_erased import refuse_while_erased


def first_admin(tenant: Tenant) -> str:
    """How a tenant that nobody has a key of is opened."""
    return f"Where nobody has its key, a server with TRIVIUM_API_KEYS={tenant.name}:KEY has a first admin of it."


def create_tenant(stores: Stores, tenant: Tenant) -> tuple[AccessKey, str]:
    """The first admin's key, and the text that is shown this once; it may be done while servers run.

    Raises `Refused`: `tenant_in_use` for one that has a key, ended ones too, or a document, or that somebody
    else creates at this instant, and `tenant_being_erased`.
    """
    objects = stores.objects.for_tenant(tenant)
    refuse_while_erased(objects)
    if any(True for _ in objects.keys(KEYS)) or stores.registry.for_tenant(tenant).list(limit=1).documents:
        raise Refused(
            "tenant_in_use",
            f"Tenant {tenant.name} has keys or documents already.",
            f"Have one of its admins run `trivium keys create`, or name another tenant. {first_admin(tenant)}",
        )
    keys = StoredKeys(stores.objects)
    if not keys.may_begin(tenant):
        raise Refused(
            "tenant_in_use",
            f"Tenant {tenant.name} is being created by somebody else, or that was broken off.",
            f"Ask who made its first key; where nobody has it, run `trivium tenants erase {tenant.name}` first.",
        )
    made = keys.create(tenant, "first admin", Role.ADMIN, by=OPERATOR)
    Trail(stores.objects).add(Caller(tenant, Role.ADMIN, OPERATOR), CREATED, (tenant.name, made[0].id))
    return made
