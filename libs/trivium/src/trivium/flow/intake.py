"""Intake: bytes and a pending record are durable before the caller hears "accepted"."""

from __future__ import annotations

import time
from collections.abc import Callable

import msgspec

from trivium.domain.documents import Document
from trivium.domain.errors import NotFound, Refused
from trivium.domain.ids import content_version, document_id
from trivium.domain.scope import Tenant
from trivium.flow import artifacts
from trivium.flow.artifacts import Origin
from trivium.ports.graph import Graphs
from trivium.ports.intake import NewSource
from trivium.ports.keywords import Keywords
from trivium.ports.objects import Objects
from trivium.ports.parser import Blob
from trivium.ports.registry import Registry
from trivium.ports.vectors import Vectors

MAX_NAME_CHARS = 1024


class StoreIntake(msgspec.Struct, frozen=True):
    """`ports.intake.Intake` over the object store and the registry.

    `doorbell` is rung after each accepted source; a lost ring costs a delay, never a document.
    `fetch` gets a URL within the egress limits.
    """

    objects: Objects
    registry: Registry
    vectors: Vectors
    keywords: Keywords
    graphs: Graphs
    doorbell: Callable[[], None]
    fetch: Callable[[str], Blob]
    max_bytes: int

    def for_tenant(self, tenant: Tenant) -> TenantStoreIntake:
        """One tenant's intake."""
        return TenantStoreIntake(self, tenant)


class TenantStoreIntake(msgspec.Struct, frozen=True):
    """One tenant's side of `StoreIntake`; promises as in `ports.intake.TenantIntake`."""

    shared: StoreIntake
    tenant: Tenant

    def accept(self, source: NewSource) -> Document:
        """Store the bytes, record the document, ring the bell."""
        blob = source.blob
        _check_name(blob.name)
        if len(blob.content) > self.shared.max_bytes:
            raise Refused(
                "too_large",
                f"{blob.name[:200]!r} has {len(blob.content):,} bytes; {self.shared.max_bytes:,} are allowed.",
                "Split the file, or raise TRIVIUM_MAX_UPLOAD_BYTES.",
            )
        objects = self.shared.objects.for_tenant(self.tenant)
        identifier = document_id(self.tenant, blob.name)
        version = content_version(blob.content)
        if not objects.exists(artifacts.origin_key(identifier, version)):
            objects.put(artifacts.original_key(identifier, version), blob.content)
        origin = Origin(blob.name, blob.declared_type, source.title)
        objects.put(artifacts.origin_key(identifier, version), msgspec.msgpack.encode(origin))
        document = self.shared.registry.for_tenant(self.tenant).accept(
            Document(
                id=identifier,
                tenant=self.tenant.name,
                source=blob.name,
                version=version,
                title=source.title,
                dataset=source.dataset,
                size_bytes=len(blob.content),
                created_at=time.time(),
                updated_at=time.time(),
            )
        )
        self.shared.doorbell()
        return document

    def accept_url(self, url: str, dataset: str = "default") -> Document:
        """Fetch, then accept under the address asked for."""
        blob = self.shared.fetch(url)
        return self.accept(NewSource(msgspec.structs.replace(blob, name=url), dataset=dataset))

    def delete(self, document_id: str) -> Document:
        """Hide first (the record's state), then remove rows, then artifacts and the original."""
        document = self.shared.registry.for_tenant(self.tenant).delete(document_id)
        for store in (self.shared.vectors, self.shared.keywords, self.shared.graphs):
            store.writer(self.tenant).delete(document_id)
        objects = self.shared.objects.for_tenant(self.tenant)
        for prefix in (artifacts.artifact_prefix(document_id), f"originals/{document_id}/"):
            for key in list(objects.keys(prefix)):
                objects.delete(key)
        return document

    def original(self, document_id: str) -> Blob:
        """The bytes that queries see, else the newest."""
        document = self.shared.registry.for_tenant(self.tenant).get(document_id)
        version = document.active_version or document.version
        objects = self.shared.objects.for_tenant(self.tenant)
        try:
            content = objects.get(artifacts.original_key(document_id, version))
            origin = msgspec.msgpack.decode(objects.get(artifacts.origin_key(document_id, version)), type=Origin)
        except NotFound as error:
            raise NotFound("no_content", f"The original of document {document_id} is gone.") from error
        return Blob(origin.name, content, document.media_type or origin.declared_type)


def _check_name(name: str) -> None:
    if not name.strip() or len(name) > MAX_NAME_CHARS or not name.isprintable():
        raise Refused(
            "bad_name",
            f"{name[:80]!r} cannot name a source.",
            f"Use 1 to {MAX_NAME_CHARS} printable characters.",
        )
