"""Objects in one S3 bucket, under `tenants/<tenant>/`."""

from __future__ import annotations

from collections.abc import Iterator

from trivium.adapters.distributed.s3.bucket import Bucket, missing
from trivium.config import Settings
from trivium.domain.scope import Tenant
from trivium.ports.objects import require_key

_TENANTS = "tenants/"


class S3Objects:
    """All tenants' objects. `bucket` is also where the registry and the conversations keep theirs."""

    def __init__(self, settings: Settings) -> None:
        self.bucket = Bucket(settings, settings.s3_bucket, "TRIVIUM_S3_BUCKET")

    def for_tenant(self, tenant: Tenant) -> S3ObjectStore:
        """The tenant's objects."""
        return S3ObjectStore(self.bucket, tenant)

    def tenants(self) -> set[Tenant]:
        """Those that have an object."""
        return {Tenant(name) for name in self.bucket.folders(_TENANTS)}

    def drop(self, tenant: Tenant, keep: str = "") -> None:
        """Remove every value of every object of the tenant but `keep`."""
        space = S3ObjectStore(self.bucket, tenant).space
        self.bucket.erase(space, keep=space + keep if keep else "")

    def unfinished(self, tenant: Tenant, *, remove: bool = False) -> int:
        """None: every object is put in one request, which counts when it is complete."""
        return 0

    def close(self) -> None:
        """Close the connections."""
        self.bucket.close()


class S3ObjectStore:
    """One tenant's objects; see `trivium.ports.objects.ObjectStore`. Every write is durable."""

    def __init__(self, bucket: Bucket, tenant: Tenant) -> None:
        self._bucket = bucket
        self.space = f"{_TENANTS}{tenant.name}/"

    def get(self, key: str) -> bytes:
        """The object's bytes."""
        found = self._bucket.get(self.space + require_key(key))
        if found is None:
            raise missing(key)
        return found.content

    def put(self, key: str, content: bytes | bytearray, *, durable: bool = True) -> None:
        """Store the bytes, replacing what was there."""
        self._bucket.put(self.space + require_key(key), content)

    def put_if_absent(self, key: str, content: bytes) -> bool:
        """Store the bytes unless something is there already; raises `TryLater` when the answer was lost."""
        return self._bucket.put(self.space + require_key(key), content, if_absent=True) is not None

    def exists(self, key: str) -> bool:
        """Whether the object is there."""
        return self._bucket.head(self.space + require_key(key)) is not None

    def delete(self, key: str) -> None:
        """Remove the object."""
        self._bucket.delete(self.space + require_key(key))

    def keys(self, prefix: str = "", start_after: str = "") -> Iterator[str]:
        """Keys in lexicographic order, a page of a thousand in memory at a time."""
        after = self.space + start_after if start_after else ""
        return (found.key[len(self.space) :] for found in self._bucket.listing(self.space + prefix, after))
