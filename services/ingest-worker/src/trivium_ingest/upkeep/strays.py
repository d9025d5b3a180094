"""What belongs to nobody: writes that never ended, records without their files, files without a record, tenants.

An original is the truth and is never removed here, unless its document was deleted: where the registry lost its record,
the document is taken in again.
"""

from __future__ import annotations

import time
from collections.abc import Collection, Iterator
from functools import partial
from itertools import groupby

from trivium.concurrent_calls import map_concurrent
from trivium.domain.documents import Document, DocumentState, Lane
from trivium.domain.drift import OBJECTS, REGISTRY, Drift
from trivium.domain.errors import NotFound
from trivium.domain.ids import document_id
from trivium.domain.scope import Tenant
from trivium.flow.artifacts import Origin, original_key, read_origin
from trivium.flow.erase import erase_objects
from trivium.flow.queues import lane_of
from trivium.ports.graph import Graphs
from trivium.ports.keywords import Keywords
from trivium.ports.objects import ObjectStore
from trivium.ports.stores import Stores
from trivium.ports.vectors import Vectors
from trivium_ingest.upkeep.published import PAGE, pages_of_published

_ORIGIN = ".meta"


def strays_of(stores: Stores, tenant: Tenant, *, repair: bool) -> Iterator[Drift]:
    """One tenant's objects against its registry."""
    if unfinished := stores.objects.unfinished(tenant, remove=repair):
        found = f"{unfinished} files were begun and never finished"
        yield Drift(tenant.name, "", "", "", OBJECTS, found=found, repaired=repair)
    yield from _without_original(stores, tenant)
    yield from _without_record(stores, tenant, repair=repair)


def strays(stores: Stores, known: Collection[Tenant], *, repair: bool) -> Iterator[Drift]:
    """Tenants of any store that the registry does not know. One that has objects keeps all, for they are the truth."""
    kept = stores.objects.tenants() - set(known)
    for tenant in sorted(kept, key=str):
        yield from _without_record(stores, tenant, repair=repair)
    rows: dict[str, Vectors | Keywords | Graphs] = {
        "vectors": stores.vectors,
        "pictures": stores.visuals,
        "hypernodes": stores.hypernodes,
        "keywords": stores.keywords,
        "graph": stores.graphs,
    }
    for name, store in rows.items():
        for tenant in sorted(store.tenants() - set(known) - kept, key=str):
            if repair:
                store.drop(tenant)
            found = "rows of a tenant that nobody knows"
            yield Drift(tenant.name, "", "", "", name, orphaned=True, found=found, repaired=repair)


def _without_original(stores: Stores, tenant: Tenant) -> Iterator[Drift]:
    objects = stores.objects.for_tenant(tenant)
    for documents in pages_of_published(stores, tenant):
        have_originals = map_concurrent(partial(_has_original, objects), documents)
        for document, has_original in zip(documents, have_originals, strict=True):
            if not has_original and _is_there(stores, tenant, document):
                yield Drift(
                    tenant.name,
                    document.id,
                    document.active_version,
                    document.source,
                    OBJECTS,
                    found="its original is gone",
                    action="Hand it over again.",
                )


def _has_original(objects: ObjectStore, document: Document) -> bool:
    try:
        origin = read_origin(objects, document.id, document.active_version)
    except NotFound:
        return False
    return origin.place is not None or objects.exists(original_key(document.id, document.active_version))


def _is_there(stores: Stores, tenant: Tenant, document: Document) -> bool:
    now = stores.registry.for_tenant(tenant).get_many([document.id]).get(document.id)
    return now is not None and now.active_version == document.active_version


def _without_record(stores: Stores, tenant: Tenant, *, repair: bool) -> Iterator[Drift]:
    """Documents with objects and no record, or one that says DELETED. Asked twice: bytes come before their record."""
    objects, registry = stores.objects.for_tenant(tenant), stores.registry.for_tenant(tenant)
    told: set[str] = set()
    for prefix in ("originals/", "artifacts/"):
        ids = (identifier for identifier, _ in groupby(key.split("/")[1] for key in objects.keys(prefix)))
        while some := [identifier for identifier, _ in zip(ids, range(PAGE), strict=False)]:
            known = registry.get_many(some)
            amiss = [each for each in some if each not in known or known[each].state is DocumentState.DELETED]
            known = registry.get_many(amiss)
            for identifier in (each for each in amiss if each not in told):
                told.add(identifier)
                if (document := known.get(identifier)) is None:
                    yield _unknown(stores, tenant, identifier, repair=repair)
                elif document.state is DocumentState.DELETED:
                    yield _deleted(objects, document, repair=repair)


def _deleted(objects: ObjectStore, document: Document, *, repair: bool) -> Drift:
    if repair:
        erase_objects(objects, document.id)
    found = "files of a document that was deleted"
    return Drift(document.tenant, document.id, "", document.source, OBJECTS, found=found, repaired=repair)


def _unknown(stores: Stores, tenant: Tenant, identifier: str, *, repair: bool) -> Drift:
    objects = stores.objects.for_tenant(tenant)
    version, origin = _origin_of(objects, identifier)
    if origin is None:
        if repair:
            erase_objects(objects, identifier)
        found = "artifacts without an original and without a record"
        return Drift(tenant.name, identifier, "", "", OBJECTS, orphaned=True, found=found, repaired=repair)
    found, action = "its original is there and the registry has no record of it", ""
    if document_id(tenant, origin.name) != identifier:
        repair, action = False, "It was found inside another: hand that over again."
    elif repair:
        _take_in(stores, tenant, identifier, version, origin)
    return Drift(tenant.name, identifier, version, origin.name, REGISTRY, found=found, repaired=repair, action=action)


def _origin_of(objects: ObjectStore, identifier: str) -> tuple[str, Origin | None]:
    for key in objects.keys(f"originals/{identifier}/"):
        if key.endswith(_ORIGIN):
            version = key.rpartition("/")[2].removesuffix(_ORIGIN)
            return version, read_origin(objects, identifier, version)
    return "", None


def _take_in(stores: Stores, tenant: Tenant, identifier: str, version: str, origin: Origin) -> None:
    size = 0 if origin.place else len(stores.objects.for_tenant(tenant).get(original_key(identifier, version)))
    now = time.time()
    stores.registry.for_tenant(tenant).accept(
        Document(
            id=identifier,
            tenant=tenant.name,
            source=origin.name,
            version=version,
            title=origin.title,
            lane=lane_of(origin.name, origin.declared_type, size, Lane.INTERACTIVE),
            size_bytes=size,
            created_at=now,
            updated_at=now,
        )
    )
    stores.work_signal.notify()
