"""A bucket's listing beside the registry, a page at a time."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from itertools import islice

import msgspec
import structlog

from trivium.domain.documents import Document
from trivium.domain.errors import Refused
from trivium.domain.scope import Tenant
from trivium.ports.registry import Registry
from trivium.ports.uploads import Upload
from trivium_ingest.uploads.follow import Bucket, has_changed

PAGE = 500

log = structlog.get_logger()


class Compared(msgspec.Struct, frozen=True):
    """An upload and its document, None when nothing is known of it."""

    upload: Upload
    document_id: str
    known: Document | None

    @property
    def has_changed(self) -> bool:
        """Whether the bucket holds what the document is not."""
        return has_changed(self.upload, self.known)


def compared(
    bucket: Bucket, registry: Registry, listing: Iterator[Upload], *, cached: bool = False
) -> Iterator[list[Compared]]:
    """The uploads that belong to a tenant, in the listing's order; the others are logged and left out.

    `cached`: what is known is what `TenantRegistry.get_many_cached` answers.
    """
    while page := list(islice(listing, PAGE)):
        owned = list(_owned(bucket, page))
        known = _known(bucket, registry, owned, cached=cached)
        yield [Compared(upload, identifier, known.get(identifier)) for upload, identifier in owned]


def _owned(bucket: Bucket, page: list[Upload]) -> Iterator[tuple[Upload, str]]:
    for upload in page:
        try:
            yield upload, bucket.document_id(upload.key)
        except Refused as error:
            log.warning("upload_refused", key=upload.key, code=error.code, reason=error.message)


def _known(bucket: Bucket, registry: Registry, owned: list[tuple[Upload, str]], *, cached: bool) -> dict[str, Document]:
    by_tenant: dict[Tenant, list[str]] = defaultdict(list)
    for upload, identifier in owned:
        by_tenant[bucket.tenant_of(upload.key)].append(identifier)
    known: dict[str, Document] = {}
    for tenant, identifiers in by_tenant.items():
        theirs = registry.for_tenant(tenant)
        known |= theirs.get_many_cached(identifiers) if cached else theirs.get_many(identifiers)
    return known
