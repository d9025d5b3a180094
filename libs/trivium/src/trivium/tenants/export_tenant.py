"""Writing a tenant's archive."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile

import msgspec

from trivium.access.trail import EXPORTED, OPERATOR, Trail
from trivium.domain.access import Caller, Role
from trivium.domain.documents import Document, DocumentState
from trivium.domain.errors import NotFound, Refused
from trivium.domain.scope import Tenant
from trivium.edits.log import WITH_EVIDENCE
from trivium.flow.artifacts import Origin
from trivium.flow.family import name_inside
from trivium.flow.originals import Originals
from trivium.ports.conversations import Conversation, ConversationStore
from trivium.ports.parser import Blob
from trivium.ports.registry import TenantRegistry, every_document
from trivium.ports.stores import Stores
from trivium.tenants.archive import (
    CARRIED,
    CONVERSATIONS,
    DOCUMENTS,
    FORMAT,
    LEFT_OUT,
    NAMED,
    OBJECTS,
    TENANT,
    ArchivedDocument,
    Head,
    NamedDocument,
)
from trivium.tenants.erase import require_known
from trivium.tenants.former_names import former_names

PAGE = 100


def export_tenant(stores: Stores, originals: Originals, tenant: Tenant, file: Path) -> list[str]:
    """Write the archive, whole or not at all; the sources of documents whose original is gone.

    An entry of the tenant's trail comes first. Raises `NotFound` (`no_such_tenant`), and `Refused` (`file_exists`,
    `tenant_erased`).
    """
    require_known(stores, tenant)
    if Trail(stores.objects).has_ended(tenant):
        raise Refused("tenant_erased", f"Tenant {tenant.name} was erased.", "There is nothing to export.")
    left_out: list[str] = []
    with _whole(file) as archive:
        objects = stores.objects.for_tenant(tenant)
        _write(archive, TENANT, Head(FORMAT, tenant.name, time.time(), former_names(objects)))
        for key in (key for prefix in CARRIED for key in objects.keys(prefix)):
            archive.writestr(OBJECTS + key, objects.get(key))
        _write(archive, NAMED, _named(stores.registry.for_tenant(tenant), objects.keys(WITH_EVIDENCE)))
        for number, talk in enumerate(_conversations(stores.conversations.for_tenant(tenant))):
            _write(archive, f"{CONVERSATIONS}{number}.json", talk)
        registry = stores.registry.for_tenant(tenant)
        for number, document in enumerate(filter(_is_handed_over, every_document(registry))):
            try:
                found = _newest(registry, originals, document)
            except NotFound:
                left_out.append(document.source)
                continue
            if found is not None:
                newest, origin, blob = found
                own = msgspec.structs.replace(origin, place=None, with_password=False)
                archive.writestr(f"{DOCUMENTS}{number}", blob.content)
                _write(archive, f"{DOCUMENTS}{number}.json", _described(newest, own))
        _write(archive, LEFT_OUT, left_out)
        Trail(stores.objects).add(Caller(tenant, Role.ADMIN, OPERATOR), EXPORTED, (tenant.name,))
    return left_out


def _named(registry: TenantRegistry, evidence: Iterable[str]) -> list[NamedDocument]:
    """The documents of these keys that are not handed over, and what they are inside of."""
    found: dict[str, NamedDocument] = {}
    wanted = [key.removeprefix(WITH_EVIDENCE) for key in evidence]
    while wanted:
        page = registry.get_many(wanted)
        outer = registry.get_many(list({each.parent for each in page.values() if each.parent}))
        for each in page.values():
            if not _is_handed_over(each) and each.id not in found:
                parent = outer.get(each.parent)
                name = name_inside(parent.source, each.source) if parent else each.source
                found[each.id] = NamedDocument(each.id, each.version, name, each.parent)
        wanted = [each for each in outer if each not in found]
    return list(found.values())


def _is_handed_over(document: Document) -> bool:
    return not document.parent and document.state is not DocumentState.DELETED


def _newest(registry: TenantRegistry, originals: Originals, document: Document) -> tuple[Document, Origin, Blob] | None:
    """A listed document with its original; of one that changed since, its newest version. None: it was deleted.

    Raises `NotFound` where the original is gone.
    """
    while True:
        try:
            return document, *originals.read(Tenant(document.tenant), document.id, document.version)
        except NotFound:
            newest = registry.get(document.id)
            if newest.state is DocumentState.DELETED:
                return None
            if newest.version == document.version:
                raise
            document = newest


def _described(document: Document, origin: Origin) -> ArchivedDocument:
    return ArchivedDocument(
        origin,
        document.version,
        document.size_bytes,
        document.dataset,
        document.run,
        document.extractor,
        document.created_at,
        document.uploaded,
    )


def _conversations(store: ConversationStore) -> Iterator[Conversation]:
    """Whole, each once. One that goes on meanwhile moves to the front, so they are listed until none is new."""
    seen: set[str] = set()
    while unseen := [each for each in _listed(store) if each not in seen]:
        seen.update(unseen)
        for identifier in unseen:
            with suppress(NotFound):  # it was deleted since
                yield store.get(identifier)


def _listed(store: ConversationStore) -> dict[str, None]:
    """The ids of all, the newest first."""
    ids: dict[str, None] = {}
    cursor = ""
    while True:
        page, cursor = store.list(PAGE, cursor)
        ids |= dict.fromkeys(each.id for each in page)
        if not cursor:
            return ids


def _write(archive: ZipFile, name: str, value: object) -> None:
    archive.writestr(name, msgspec.json.encode(value))


@contextmanager
def _whole(file: Path) -> Iterator[ZipFile]:
    """An archive for its owner's eyes, in its place once it is complete."""
    if file.exists():
        raise Refused("file_exists", f"{file} exists.", "Name another file, or remove it.")
    file = file.resolve()  # a link stays one
    partial = file.with_name(f"{file.name}.partial")
    descriptor = os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    try:
        with os.fdopen(descriptor, "wb") as stream:
            with ZipFile(stream, "w", ZIP_DEFLATED) as archive:
                yield archive
            stream.flush()
            os.fsync(stream.fileno())
        partial.replace(file)
    finally:
        partial.unlink(missing_ok=True)
