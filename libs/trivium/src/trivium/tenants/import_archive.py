"""Reading a tenant's archive into a tenant that has nothing yet, of the same name or of another."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import TypeVar
from zipfile import BadZipFile, ZipFile

import msgspec

from trivium.access.trail import IMPORTED, OPERATOR, Trail
from trivium.domain.access import Caller, Role
from trivium.domain.documents import Document, Lane
from trivium.domain.errors import Refused
from trivium.domain.ids import document_id
from trivium.domain.scope import Tenant
from trivium.domain.source_names import check_name
from trivium.edits.curation import curation_of
from trivium.edits.log import begin_log
from trivium.flow.artifacts import origin_key, original_key
from trivium.flow.queues import lane_of
from trivium.ports.conversations import Conversation
from trivium.ports.objects import require_key
from trivium.ports.stores import Stores
from trivium.tenants.archive import (
    CARRIED,
    CONVERSATIONS,
    DOCUMENTS,
    FORMAT,
    LEFT_OUT,
    NAMED,
    NAMING_IDS,
    OBJECTS,
    TENANT,
    ArchivedDocument,
    Head,
    NamedDocument,
)
from trivium.tenants.being_erased import refuse_while_erased
from trivium.tenants.former_names import note_former_names
from trivium.tenants.renamed_edits import renamed_edits

MAX_PART_BYTES = 64 * 1024 * 1024
"""Of anything but an original."""
_UNREADABLE = (BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, UnicodeDecodeError)
"""What `zipfile` raises, also of encryption and of ways to compress that it does not know."""
T = TypeVar("T")


def import_archive(stores: Stores, file: Path, max_bytes: int, name: str = "") -> tuple[Tenant, int]:
    """Read it all once to see that it is whole, then write it; the tenant, and how many documents wait to be ingested.

    `name` is what the tenant is called from now on, where that is not the archive's. Raises `Refused`: `bad_archive`,
    `too_large` for an original of more than `max_bytes`, `edits_of_another_name` as `renamed_edits`,
    and `not_empty` for a tenant that has something. Broken off, the tenant has some of it: erase it, and import again.
    """
    try:
        with ZipFile(file) as archive:
            head = _head(archive)
            archived = Tenant(head.tenant)
            former = tuple(Tenant(each).name for each in head.former_names)
            tenant = Tenant(name) if name else archived
            documents = list(_documents(archive, max_bytes))
            talks = [_read(archive, name, Conversation) for name in _names(archive, CONVERSATIONS)]
            carried = list(_carried(archive))
            if (damaged := archive.testzip()) is not None:
                raise _bad(f"{damaged!r} in it is damaged")
            renamed: dict[str, bytes] = {}
            if tenant != archived:
                naming = {key: archive.read(member) for member, key in carried if key.startswith(NAMING_IDS)}
                named = _read(archive, NAMED, list[NamedDocument]) if NAMED in archive.NameToInfo else []
                renamed = renamed_edits((archived, tenant), [described for _, described in documents], named, naming)
                carried = [(member, key) for member, key in carried if key not in naming]
                former = (*former, archived.name)
            _require_empty(stores, tenant)
            objects = stores.objects.for_tenant(tenant)
            begin_log(objects)
            for member, key in carried:
                objects.put(key, archive.read(member))
            for key, content in renamed.items():
                objects.put(key, content)
            if former:
                note_former_names(objects, former)
            _write_talks(stores, tenant, talks)
            for member, described in documents:
                _accept(stores, tenant, described, archive.read(member))
    except _UNREADABLE as error:
        raise _bad("it is no ZIP archive of ours, or cut off") from error
    curation_of(stores).project(tenant)
    Trail(stores.objects).add(
        Caller(tenant, Role.ADMIN, OPERATOR), IMPORTED, dict.fromkeys((tenant.name, archived.name))
    )
    return tenant, len(documents)


def _head(archive: ZipFile) -> Head:
    if not {TENANT, LEFT_OUT} <= set(archive.namelist()):
        raise _bad("it is no tenant's archive, or not whole")
    head = _read(archive, TENANT, Head)
    if head.format != FORMAT:
        raise _bad(f"it has format {head.format}, and this Trivium knows {FORMAT}")
    return head


def _documents(archive: ZipFile, max_bytes: int) -> Iterator[tuple[str, ArchivedDocument]]:
    """The name of each original, with its description."""
    for name in _names(archive, DOCUMENTS):
        if not name.endswith(".json"):
            continue
        described, original = _read(archive, name, ArchivedDocument), name.removesuffix(".json")
        if original not in archive.NameToInfo:
            raise _bad(f"{original!r} is missing")
        if archive.getinfo(original).file_size > max_bytes:
            why = f"{described.origin.name[:200]!r} has more than {max_bytes:,} bytes."
            raise Refused("too_large", why, "Raise TRIVIUM_MAX_UPLOAD_BYTES.")
        check_name(described.origin.name)
        require_key(original_key("0" * 32, described.version))
        yield original, described


def _read(archive: ZipFile, name: str, kind: type[T]) -> T:
    if archive.getinfo(name).file_size > MAX_PART_BYTES:
        raise _bad(f"{name!r} is too large")
    try:
        return msgspec.json.decode(archive.read(name), type=kind)
    except msgspec.DecodeError as error:
        raise _bad(f"{name!r} cannot be read: {error}") from error


def _names(archive: ZipFile, prefix: str) -> list[str]:
    return [name for name in archive.namelist() if name.startswith(prefix)]


def _require_empty(stores: Stores, tenant: Tenant) -> None:
    objects = stores.objects.for_tenant(tenant)
    refuse_while_erased(objects)
    has_objects = any(True for prefix in CARRIED for _ in objects.keys(prefix))
    has_talks = bool(stores.conversations.for_tenant(tenant).list(limit=1)[0])
    has_documents = bool(stores.registry.for_tenant(tenant).list(limit=1).documents)
    if has_objects or has_talks or has_documents:
        why = f"Tenant {tenant.name} has documents, edits, connections or conversations."
        raise Refused("not_empty", why, f"Import where there is none, or `trivium tenants erase {tenant.name}` first.")


def _carried(archive: ZipFile) -> Iterator[tuple[str, str]]:
    """The name of each object in the archive, and its key."""
    for name in _names(archive, OBJECTS):
        key = name.removeprefix(OBJECTS)
        if not key.startswith(CARRIED) or archive.getinfo(name).file_size > MAX_PART_BYTES:
            raise _bad(f"{name!r} does not belong there")
        yield name, require_key(key)


def _write_talks(stores: Stores, tenant: Tenant, talks: list[Conversation]) -> None:
    """The oldest change first, as a listing turns it round; their ids are new."""
    store = stores.conversations.for_tenant(tenant)
    for talk in reversed(talks):
        made = store.create(talk.title)
        for turn in talk.turns:
            store.append(made.id, turn)


def _accept(stores: Stores, tenant: Tenant, described: ArchivedDocument, content: bytes) -> None:
    """Bytes, then how they came, then the record; its id and version are as they were."""
    objects, origin = stores.objects.for_tenant(tenant), described.origin
    identifier = document_id(tenant, origin.name)
    objects.put(original_key(identifier, described.version), content)
    objects.put(origin_key(identifier, described.version), msgspec.msgpack.encode(origin))
    stores.registry.for_tenant(tenant).accept(
        Document(
            id=identifier,
            tenant=tenant.name,
            source=origin.name,
            version=described.version,
            title=origin.title,
            dataset=described.dataset,
            run=described.run,
            lane=lane_of(origin.name, origin.declared_type, len(content), Lane.BACKFILL),
            size_bytes=len(content),
            created_at=described.created_at,
            updated_at=described.created_at,
            uploaded_at=described.uploaded_at,
            extractor=described.extractor,
        )
    )


def _bad(why: str) -> Refused:
    return Refused("bad_archive", f"The archive cannot be imported: {why}.", "Export it again.")
