"""Intake: bytes and a pending record are durable before the caller hears "accepted"."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from contextlib import suppress

import msgspec

from trivium.domain.bucket_datasets import dataset_of
from trivium.domain.documents import Document, DocumentState, Lane
from trivium.domain.errors import NotFound, Refused
from trivium.domain.ids import content_version, digest, document_id
from trivium.domain.password import Password
from trivium.domain.scope import Tenant
from trivium.domain.source_names import check_name, shown_key
from trivium.flow import artifacts, passwords
from trivium.flow.artifacts import ObjectRef, Origin
from trivium.flow.assets import read_asset
from trivium.flow.erase import delete_everywhere
from trivium.flow.family import children_page
from trivium.flow.moving import move
from trivium.flow.originals import OpenUploads, Originals, no_buckets, record
from trivium.flow.queues import lane_of
from trivium.logs.context import current_trace
from trivium.ports.intake import ANYWHERE, Count, Destination, NewSource, uncounted
from trivium.ports.objects import ObjectStore
from trivium.ports.parser import Blob
from trivium.ports.registry import DocumentPage
from trivium.ports.stores import Stores
from trivium.ports.uploads import Upload
from trivium.ports.web import Fetch, Page, Validators
from trivium.tenants.being_erased import refuse_while_erased
from trivium.text.urls import canonical_url
from trivium.tracing.spans import current_traceparent

DELETES_S = 20.0  # of one call; callers wait for a minute or two
_READ = (DocumentState.READY, DocumentState.EMPTY)


class StoreIntake(msgspec.Struct, frozen=True):
    """`ports.intake.Intake` over the object store and the registry.

    `notify` is called after each accepted source; a lost signal costs a delay, never a document.
    `fetch` gets a URL within the egress limits. `dataset_rules` as in `domain.bucket_datasets`.
    """

    stores: Stores
    notify: Callable[[], None]
    fetch: Fetch
    max_bytes: int
    uploads: OpenUploads = no_buckets
    dataset_rules: Mapping[str, str] = {}

    def for_tenant(self, tenant: Tenant) -> TenantStoreIntake:
        """One tenant's intake."""
        return TenantStoreIntake(self, tenant)


class TenantStoreIntake(msgspec.Struct, frozen=True):
    """One tenant's side of `StoreIntake`; promises as in `ports.intake.TenantIntake`."""

    shared: StoreIntake
    tenant: Tenant

    def accept(self, source: NewSource) -> Document:
        """Store the bytes, record the document, signal work."""
        blob = source.blob
        origin = Origin(blob.name, blob.declared_type, source.title, with_password=blob.password is not None)
        return self._keep(origin, blob.content, source.to, blob.password, source.lane)

    def accept_upload(
        self, bucket: str, upload: Upload, lane: Lane = Lane.INTERACTIVE, dataset: str = "", run: str = ""
    ) -> Document:
        """Accept an object of a bucket where it lies: nothing is copied, and the version is its value's name.

        One that is too large is accepted, and ends as FAILED with that reason. Without a `dataset` the rules decide,
        and a new version moves to where they say; another `dataset` than the document is in is refused.
        """
        refuse_while_erased(self._objects)
        if dataset:
            self.place(upload_source(bucket, upload.key), Destination(dataset))
        place = dataset or dataset_of(self.shared.dataset_rules, bucket, upload.key)
        origin = Origin(upload_source(bucket, upload.key), place=ObjectRef(bucket, upload.key, upload.etag))
        return self._record(origin, upload_version(upload), upload.size_bytes, Destination(place, run), lane)

    def accept_url(
        self, url: str, to: Destination = ANYWHERE, password: Password | None = None, count: Count = uncounted
    ) -> Document:
        """Fetch, then accept under the address asked for, in its one spelling; unchanged, the document stays."""
        address = canonical_url(url)
        self.place(address, to)
        page = self.shared.fetch(address, self.known_page(address))
        if page is None:
            known = self.shared.stores.registry.for_tenant(self.tenant).get(document_id(self.tenant, address))
            if password is not None:
                self._unlock(known, password)
            return self._read_by(known, to.extractor)
        count(len(page.content))
        return self.accept_page(address, page, to, password)

    def accept_page(self, address: str, page: Page, to: Destination, password: Password | None = None) -> Document:
        """Accept what was fetched under `address`."""
        with_password = password is not None
        origin = Origin(address, page.declared_type, page.title, fetched=page.validators, with_password=with_password)
        return self._keep(origin, page.content, to, password)

    def known_page(self, address: str) -> Validators | None:
        """What the server said of the copy that is here; None when there is none worth keeping."""
        identifier = document_id(self.tenant, address)
        document = self.shared.stores.registry.for_tenant(self.tenant).get_many([identifier]).get(identifier)
        if document is None or document.state in (DocumentState.FAILED, DocumentState.DELETED):
            return None
        with suppress(NotFound):
            return artifacts.read_origin(self._objects, identifier, document.version).fetched
        return None

    def place(self, source: str, to: Destination) -> None:
        """A document stays in its dataset, or moves. Raises `Refused` (`other_dataset`) for another than it is in."""
        identifier = document_id(self.tenant, source)
        registry = self.shared.stores.registry.for_tenant(self.tenant)
        known = registry.get_many_cached([identifier]).get(identifier)
        if known is None or known.state is DocumentState.DELETED or known.dataset == to.dataset:
            return
        if not to.move:
            raise Refused(
                "other_dataset",
                f"{source[:200]!r} is in dataset {known.dataset!r} already, and cannot be in {to.dataset!r} too.",
                f"Name dataset {known.dataset!r}, or move the document: `trivium ingest --move`, or `move` in the"
                " request.",
            )
        move(self.shared.stores, self.tenant, known, to.dataset)
        self.shared.notify()

    def unlock(self, document_id: str, password: Password) -> Document:
        """Give a password afterwards, for all inside the document that failed for want of one."""
        registry = self.shared.stores.registry.for_tenant(self.tenant)
        if not self._unlock(registry.get(document_id), password):
            raise Refused(
                "no_password_needed",
                f"Nothing in document {document_id} failed for want of a password.",
                "A password that is not the right one is asked for again once the document has failed.",
            )
        return registry.get(document_id)

    def delete(self, document_id: str) -> Document:
        """Children first; of each, hide it (the record's state), then remove rows, then artifacts and the original.

        What lies in a bucket stays there, which the answer's warnings tell: the record remembers its value, so that it
        comes back only when it is put there again.
        """
        document = self.shared.stores.registry.for_tenant(self.tenant).get(document_id)
        left = self._left_in_bucket(document)
        gone = delete_everywhere(self.shared.stores, self.tenant, document_id, DELETES_S)
        return msgspec.structs.replace(gone, warnings=(*gone.warnings, *left))

    def _left_in_bucket(self, document: Document) -> tuple[str, ...]:
        with suppress(NotFound):
            if artifacts.read_origin(self._objects, document.id, document.version).place is not None:
                return (f"Its file stays where it is: {document.source}. It is read again once it is put there anew.",)
        return ()

    def children(self, document_id: str, limit: int, cursor: str = "") -> DocumentPage:
        """Those of the version that queries see, else of the newest; by name within a page."""
        registry = self.shared.stores.registry.for_tenant(self.tenant)
        return children_page(registry, self._objects, registry.get(document_id), limit, cursor)

    def original(self, document_id: str) -> Blob:
        """The bytes that queries see, else the newest, and what opens them."""
        document = self.shared.stores.registry.for_tenant(self.tenant).get(document_id)
        originals = Originals(self.shared.stores.objects, self.shared.uploads)
        try:
            _, blob = originals.read(self.tenant, document_id, document.active_version or document.version)
        except NotFound as error:
            raise NotFound("no_content", f"The original of document {document_id} is gone.") from error
        shown = msgspec.structs.replace(document, version=document.active_version or document.version)
        return msgspec.structs.replace(
            blob,
            declared_type=document.media_type or blob.declared_type,
            password=passwords.find(self.shared.stores, shown),
        )

    def _keep(
        self,
        origin: Origin,
        content: bytes,
        to: Destination,
        password: Password | None = None,
        lane: Lane = Lane.INTERACTIVE,
    ) -> Document:
        refuse_while_erased(self._objects)
        check_name(origin.name)
        if len(content) > self.shared.max_bytes:
            raise Refused(
                "too_large",
                f"{origin.name[:200]!r} has {len(content):,} bytes; {self.shared.max_bytes:,} are allowed.",
                "Split the file, or raise TRIVIUM_MAX_UPLOAD_BYTES.",
            )
        self.place(origin.name, to)
        identifier, version = document_id(self.tenant, origin.name), content_version(content)
        if password is not None:
            known = self.shared.stores.registry.for_tenant(self.tenant).get_many([identifier]).get(identifier)
            if known is not None and known.version == version and known.state in _READ:
                self._unlock(known, password)
                return self._read_by(known, to.extractor)
            passwords.keep(self._objects, identifier, version, password)
        original = artifacts.original_key(identifier, version)
        if not self._objects.exists(original):
            self._objects.put(original, content)
        opens = {artifacts.password_key(identifier, version): password.text.encode()} if password is not None else {}
        return self._record(origin, version, len(content), to, lane, {original: content, **opens})

    def _read_by(self, known: Document, extractor: str) -> Document:
        """The same bytes, read by another extractor where one is asked for."""
        if extractor in ("", known.extractor):
            return known
        asked = msgspec.structs.replace(known, extractor=extractor, updated_at=time.time(), warnings=())
        document = self.shared.stores.registry.for_tenant(self.tenant).accept(asked)
        self.shared.notify()
        return document

    def _unlock(self, known: Document, password: Password) -> bool:
        """Whether there was something to unlock; work is signalled for it."""
        unlocked = passwords.unlock(self.shared.stores, known, password)
        if unlocked:
            self.shared.notify()
        return unlocked > 0

    def asset(self, document_id: str, name: str) -> Blob:
        """A picture of the version that queries see."""
        document = self.shared.stores.registry.for_tenant(self.tenant).get(document_id)
        content = read_asset(self._objects, document_id, document.active_version, name)
        return Blob(name, content, f"image/{name.rpartition('.')[2]}")

    @property
    def _objects(self) -> ObjectStore:
        return self.shared.stores.objects.for_tenant(self.tenant)

    def _record(
        self,
        origin: Origin,
        version: str,
        size_bytes: int,
        to: Destination,
        lane: Lane,
        files: Mapping[str, bytes] = {},
    ) -> Document:
        """Say how the bytes came, record the document, signal work; `files` are those that are stored already."""
        identifier, now = document_id(self.tenant, origin.name), time.time()
        key, told = artifacts.origin_key(identifier, version), msgspec.msgpack.encode(origin)
        self._objects.put(key, told)
        document = record(
            self.shared.stores,
            Document(
                id=identifier,
                tenant=self.tenant.name,
                source=origin.name,
                version=version,
                title=origin.title,
                dataset=to.dataset,
                run=to.run,
                lane=lane_of(origin.name, origin.declared_type, size_bytes, lane),
                size_bytes=size_bytes,
                created_at=now,
                updated_at=now,
                uploaded_at=now,
                trace=current_trace(),
                traceparent=current_traceparent(),
                extractor=to.extractor,
            ),
            {**files, key: told},
        )
        self.shared.notify()
        return document


def upload_source(bucket: str, key: str) -> str:
    """The source's name of an object: its address, printable, and different for different keys."""
    return f"s3://{bucket}/{shown_key(key)}"


def upload_version(upload: Upload) -> str:
    """The version of a document that lies in a bucket: its value's name and size."""
    return digest("upload", upload.etag, str(upload.size_bytes))
