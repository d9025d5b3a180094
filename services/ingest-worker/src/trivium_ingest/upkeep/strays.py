"""What belongs to nobody: writes that never ended, records without their files, files without a record, tenants.

An original is the truth and is never removed here, unless its document was deleted: where the registry lost its record,
the document is taken in again.
"""

from __future__ import annotations

import time
from collections.abc import Collection, Iterator, Sequence
from functools import partial
from itertools import groupby, islice

import msgspec

from trivium.concurrent_calls import map_concurrent
from trivium.domain.documents import DEFAULT_DATASET, Document, DocumentState, Lane
from trivium.domain.drift import OBJECTS, REGISTRY, Drift
from trivium.domain.errors import NotFound
from trivium.domain.ids import document_id
from trivium.domain.scope import Tenant
from trivium.flow.artifacts import Origin, Published, original_key, published, read_origin, version_of
from trivium.flow.erase import erase_objects
from trivium.flow.queues import lane_of
from trivium.ports.graph import Graphs
from trivium.ports.keywords import Keywords
from trivium.ports.objects import ObjectStore
from trivium.ports.stores import Stores
from trivium.ports.vectors import Vectors
from trivium_ingest.upkeep.published import PAGE, pages_of_published

_ORIGIN = ".meta"


class _Kept(msgspec.Struct, frozen=True):
    """A version whose original is there, how it came, and what it was last published from, if it was."""

    version: str
    origin: Origin
    published: Published | None


def strays_of(stores: Stores, tenant: Tenant, *, repair: bool) -> Iterator[Drift]:
    """One tenant's objects against its registry."""
    if unfinished := stores.objects.unfinished(tenant, remove=repair):
        found = f"{unfinished} files were begun and never finished"
        yield Drift(tenant.name, "", "", "", OBJECTS, found=found, repaired=repair)
    yield from _without_original(stores, tenant)
    yield from _without_record(stores, tenant, repair=repair)


def strays(stores: Stores, known: Collection[Tenant], *, repair: bool) -> Iterator[Drift]:
    """Tenants of any store that the registry does not know. One that has objects keeps all, for they are the truth."""
    rows: dict[str, Vectors | Keywords | Graphs] = {
        "vectors": stores.vectors,
        "pictures": stores.visuals,
        "hypernodes": stores.hypernodes,
        "keywords": stores.keywords,
        "graph": stores.graphs,
    }
    held = {name: store.tenants() for name, store in rows.items()}
    kept = stores.objects.tenants() - set(known)  # asked behind the rows: a new tenant has objects before it has rows
    for tenant in sorted(kept, key=str):
        yield from _without_record(stores, tenant, repair=repair)
    for name, store in rows.items():
        for tenant in sorted(held[name] - set(known) - kept, key=str):
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
        while some := list(islice(ids, PAGE)):
            known = registry.get_many(some)
            amiss = [each for each in some if each not in known or known[each].state is DocumentState.DELETED]
            known = registry.get_many(amiss)
            for identifier in (each for each in amiss if each not in told):
                told.add(identifier)
                if (document := known.get(identifier)) is None:
                    yield _unknown(stores, tenant, identifier, repair=repair)
                elif document.state is DocumentState.DELETED:
                    yield _deleted(stores, tenant, document, repair=repair)


def _deleted(stores: Stores, tenant: Tenant, document: Document, *, repair: bool) -> Drift:
    if repair:
        erase_objects(stores, tenant, document.id)
    found = "files of a document that was deleted"
    return Drift(document.tenant, document.id, "", document.source, OBJECTS, found=found, repaired=repair)


def _unknown(stores: Stores, tenant: Tenant, identifier: str, *, repair: bool) -> Drift:
    kept = _kept(stores.objects.for_tenant(tenant), identifier)
    if not kept:
        if repair:
            erase_objects(stores, tenant, identifier)
        found = "artifacts without an original and without a record"
        return Drift(tenant.name, identifier, "", "", OBJECTS, orphaned=True, found=found, repaired=repair)
    newest = _newest(kept)
    version, source = newest.version if newest else "", kept[0].origin.name
    found, action = "its original is there and the registry has no record of it", ""
    if document_id(tenant, source) != identifier:
        action = "It was found inside another: hand that over again."
    elif newest is None:
        found = f"{len(kept)} versions of its original are there and the registry has no record of it"
        action = "Which is the newest is not known: hand that over again."
    else:
        if not (newest.published and newest.published.dataset):
            found += f", nor is its dataset known: it comes into {DEFAULT_DATASET!r}"
        if repair:
            _take_in(stores, tenant, identifier, newest)
    repaired = repair and not action
    return Drift(tenant.name, identifier, version, source, REGISTRY, found=found, repaired=repaired, action=action)


def _kept(objects: ObjectStore, identifier: str) -> list[_Kept]:
    """The versions whose original is there, or lies in a bucket."""
    kept = []
    for key in list(objects.keys(f"originals/{identifier}/")):
        if key.endswith(_ORIGIN):
            version = version_of(key)
            origin = read_origin(objects, identifier, version)
            if origin.place is not None or objects.exists(original_key(identifier, version)):
                kept.append(_Kept(version, origin, published(objects, identifier, version)))
    return kept


def _newest(kept: Sequence[_Kept]) -> _Kept | None:
    """The one that was published last; None where one of several never was, which may have come before or after."""
    times = [each.published.at for each in kept if each.published]
    if len(kept) > 1 and len(times) < len(kept):
        return None
    return kept[times.index(max(times))] if times else kept[0]


def _take_in(stores: Stores, tenant: Tenant, identifier: str, kept: _Kept) -> None:
    """As its rows know it, where it was published; what extractor was asked for nobody knows."""
    origin, version = kept.origin, kept.version
    size = 0 if origin.place else len(stores.objects.for_tenant(tenant).get(original_key(identifier, version)))
    now = time.time()
    document = Document(
        id=identifier,
        tenant=tenant.name,
        source=origin.name,
        version=version,
        title=origin.title,
        lane=lane_of(origin.name, origin.declared_type, size, Lane.INTERACTIVE),
        size_bytes=size,
        created_at=(kept.published.uploaded_at or kept.published.at) if kept.published else now,
        updated_at=now,
    )
    known = kept.published.as_published(document) if kept.published else document
    stores.registry.for_tenant(tenant).accept(known)
    stores.work_signal.notify()
