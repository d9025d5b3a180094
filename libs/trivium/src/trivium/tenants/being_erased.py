"""The mark of a tenant that is being erased, there from before the first thing goes until the last one is gone."""

from __future__ import annotations

from trivium.domain.errors import Refused
from trivium.ports.objects import ObjectStore

MARK = "erasing"


def is_being_erased(objects: ObjectStore) -> bool:
    """Whether nothing more may be taken in."""
    return objects.exists(MARK)


def refuse_while_erased(objects: ObjectStore) -> None:
    """Raises `Refused` (`tenant_being_erased`) while the tenant is."""
    if is_being_erased(objects):
        raise Refused(
            "tenant_being_erased",
            "This tenant is being erased: it takes nothing in.",
            "Once `trivium tenants erase` has ended, it may be begun anew.",
        )
