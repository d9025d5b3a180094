"""Moving a document into another dataset, with all that was found inside it.

Its rows are written again by the chain, which finds every other stage done: nothing is parsed or embedded anew. Those
inside go first, so that a move which breaks off leaves a document that can be moved again.
"""

from __future__ import annotations

from contextlib import suppress

from trivium.domain.documents import Document
from trivium.domain.errors import NotFound
from trivium.domain.scope import Tenant
from trivium.flow.family import member_refs
from trivium.ports.stores import Stores


def move(stores: Stores, tenant: Tenant, document: Document, dataset: str) -> Document:
    """Its record as it is then. Raises `NotFound` for a document that is gone meanwhile."""
    objects, registry = stores.objects.for_tenant(tenant), stores.registry.for_tenant(tenant)
    levels = [[document.id]]
    while levels[-1]:
        inside = {ref.child for holder in levels[-1] for ref in member_refs(objects, holder)}
        levels.append(sorted(inside))
    for level in reversed(levels[1:]):
        for child in level:
            with suppress(NotFound):  # deleted by itself, or its record is still to come
                registry.move(child, dataset)
    return registry.move(document.id, dataset)
