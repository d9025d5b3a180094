"""What a tenant was called before it was imported under another name, and the ids that its documents had then.

Ids are made from the tenant's name. Where an edit names something that is found and not stored (a contradiction), its
id cannot be translated, as nothing tells what it was made of; so what is found now is asked for the ids that it had.
"""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from trivium.domain.documents import Document
from trivium.domain.errors import NotFound
from trivium.domain.ids import child_id, document_id
from trivium.domain.scope import Tenant
from trivium.flow.family import name_inside
from trivium.ports.objects import ObjectStore
from trivium.ports.registry import TenantRegistry

KEY = "tenant/former-names"


def former_names(objects: ObjectStore) -> tuple[str, ...]:
    """The oldest first."""
    try:
        return msgspec.json.decode(objects.get(KEY), type=tuple[str, ...])
    except NotFound:
        return ()


def note_former_names(objects: ObjectStore, names: tuple[str, ...]) -> None:
    """Keep them, the oldest first."""
    objects.put(KEY, msgspec.json.encode(names))


def former_ids(
    objects: ObjectStore, registry: TenantRegistry, document_ids: Iterable[str]
) -> dict[str, tuple[str, ...]]:
    """By document the ids that it had, one for each former name; empty where there is none.

    A document whose id does not follow from its name is left out.
    """
    names = former_names(objects)
    if not names:
        return {}
    wanted, known = set(document_ids), dict[str, Document]()
    missing = list(wanted)
    while missing:
        known |= (page := registry.get_many(missing))
        missing = list({each.parent for each in page.values() if each.parent} - known.keys())

    def under(name: str, document: Document) -> str:
        if not document.parent:
            return document_id(Tenant(name), document.source)
        parent = known[document.parent]
        return child_id(under(name, parent), name_inside(parent.source, document.source))

    found = (known[each] for each in wanted & known.keys() if _is_whole(known[each], known))
    return {
        each.id: tuple(under(name, each) for name in names) for each in found if under(each.tenant, each) == each.id
    }


def _is_whole(document: Document, known: dict[str, Document]) -> bool:
    """Whether all that it is inside of is known."""
    while document.parent:
        if document.parent not in known:
            return False
        document = known[document.parent]
    return True
