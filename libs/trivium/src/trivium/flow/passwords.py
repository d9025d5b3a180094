"""Passwords that uploaders give: where they are kept, who uses them, and how long.

A password lies beside the original that it was given for, `originals/<document>/<version>.password`, and in no other
place: not in a record, a message or an artifact. So a worker that takes over a dead one's work finds it, its tenant's
store alone has it, and it goes with its version. A file that was found inside another has none of its own at first, and
is tried with that of the nearest file around it. One that opened nothing is forgotten.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress

from trivium.domain.documents import Document, DocumentState
from trivium.domain.errors import NotFound
from trivium.domain.password import LOCKED, Password
from trivium.domain.scope import Tenant
from trivium.flow.artifacts import password_key
from trivium.flow.family import member_refs
from trivium.ports.objects import ObjectStore
from trivium.ports.stores import Stores


def keep(objects: ObjectStore, document_id: str, version: str, password: Password) -> None:
    """Store it, durably, in place of an earlier one."""
    objects.put(password_key(document_id, version), password.text.encode())


def forget(objects: ObjectStore, document: Document) -> None:
    """Remove the one that was given for this version, if any."""
    objects.delete(password_key(document.id, document.version))


def find(stores: Stores, document: Document) -> Password | None:
    """The one that was given for this version, else for the nearest file around it."""
    tenant = Tenant(document.tenant)
    objects, registry = stores.objects.for_tenant(tenant), stores.registry.for_tenant(tenant)
    versions = [document.version]
    while True:
        for version in dict.fromkeys(filter(None, versions)):
            with suppress(NotFound):
                return Password(objects.get(password_key(document.id, version)).decode())
        around = registry.get_many([document.parent]).get(document.parent) if document.parent else None
        if around is None:
            return None
        document, versions = around, [around.version, around.active_version]


def unlock(stores: Stores, document: Document, password: Password) -> int:
    """Work again, with this password, on what failed for want of one: the document, or else what was found inside it.

    Answers how many documents that is.
    """
    tenant = Tenant(document.tenant)
    objects, registry = stores.objects.for_tenant(tenant), stores.registry.for_tenant(tenant)
    locked = [each for each in (document, *_inside(stores, document)) if _is_locked(each)]
    for each in locked:
        keep(objects, each.id, each.version, password)
        registry.accept(each)
    return len(locked)


def _is_locked(document: Document) -> bool:
    failure = document.failure
    return document.state is DocumentState.FAILED and failure is not None and failure.code in LOCKED


def _inside(stores: Stores, document: Document) -> Iterator[Document]:
    """What the document's newest version holds, and what is inside that."""
    tenant = Tenant(document.tenant)
    objects, registry = stores.objects.for_tenant(tenant), stores.registry.for_tenant(tenant)
    level = [document]
    while level:
        held = [ref.child for above in level for ref in member_refs(objects, above.id) if ref.version == above.version]
        level = list(registry.get_many(held).values()) if held else []
        yield from level
