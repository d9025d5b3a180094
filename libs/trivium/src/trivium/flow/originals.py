"""Originals: a source's bytes as they came, kept by Trivium or left where their owner put them."""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from trivium.domain.errors import NotFound
from trivium.domain.scope import Tenant
from trivium.flow.artifacts import Origin, original_key, read_origin
from trivium.ports.objects import Objects
from trivium.ports.parser import Blob
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
