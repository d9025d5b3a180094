"""Originals: a source's bytes as they came, kept by Trivium or left where their owner put them.

Who hands a version over stores its files, then its record, and looks at the files once more (`record`). Who erases
(`erase.py`) lists files, and looks at the record (`kept_versions`) right before it removes those of a version. So what
is recorded before that look keeps its files, and what is recorded behind their removal has them stored again.
What remains, for an object store removes nothing on the condition of a record: a version that is recorded and looked
at between an eraser's look and the removal that follows at once (it takes a pause of that thread), or that is claimed
and read between its record and its second look. It fails as `no_such_object`; handed over again, it is whole.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import msgspec

from trivium.domain.documents import Document, DocumentState
from trivium.domain.errors import NotFound
from trivium.domain.scope import Tenant
from trivium.flow.artifacts import Origin, original_key, read_origin
from trivium.ports.objects import Objects, ObjectStore
from trivium.ports.parser import Blob
from trivium.ports.stores import Stores
from trivium.ports.uploads import Uploads

OpenUploads = Callable[[str], Uploads]
"""The bucket of that name; raises `NotFound` where there are no buckets."""


def no_buckets(bucket: str) -> Uploads:
    """What a deployment without an object server has."""
    raise NotFound(
        "no_bucket",
        f"The bucket {bucket!r} cannot be reached: Trivium runs without an object server.",
        "Set TRIVIUM_BACKEND=distributed and the TRIVIUM_S3_ settings.",
    )


class Originals(msgspec.Struct, frozen=True):
    """Reads originals. Raises `NotFound` when the bytes are gone, or are not those that were accepted any more."""

    objects: Objects
    uploads: OpenUploads = no_buckets

    def read(self, tenant: Tenant, document_id: str, version: str) -> tuple[Origin, Blob]:
        """How the version came, and its bytes."""
        objects = self.objects.for_tenant(tenant)
        origin = read_origin(objects, document_id, version)
        if origin.place is None:
            content = objects.get(original_key(document_id, version))
        else:
            content = self.uploads(origin.place.bucket).get(origin.place.key, origin.place.etag)
        address = origin.fetched.url if origin.fetched else ""
        return origin, Blob(origin.name, content, origin.declared_type, address)


def store_missing(objects: ObjectStore, files: Mapping[str, bytes]) -> bool:
    """Store all of a version's files, in their order, where one of them is missing; tells whether it did."""
    if all(map(objects.exists, files)):
        return False
    for key, content in files.items():
        objects.put(key, content)
    return True


def record(stores: Stores, document: Document, files: Mapping[str, bytes]) -> Document:
    """Accept a version whose files are stored, and store again what was erased before its record was there.

    Where it was deleted or replaced by then, they go again: its eraser may have been through already.
    """
    tenant = Tenant(document.tenant)
    objects = stores.objects.for_tenant(tenant)
    accepted = stores.registry.for_tenant(tenant).accept(document)
    if store_missing(objects, files) and document.version not in kept_versions(stores, tenant, document.id):
        for key in reversed(list(files)):
            objects.delete(key)
    return accepted


def kept_versions(stores: Stores, tenant: Tenant, document_id: str) -> set[str]:
    """Those whose files stay, as the record says in this moment: the newest one, and the one that queries see."""
    document = stores.registry.for_tenant(tenant).get_many([document_id]).get(document_id)
    if document is None or document.state is DocumentState.DELETED:
        return set()
    return {document.version, document.active_version} - {""}
