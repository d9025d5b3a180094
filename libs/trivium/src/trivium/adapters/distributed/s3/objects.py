"""Objects in one S3 bucket, under `tenants/<tenant>/`."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from typing import Any

import urllib3

from trivium.adapters.distributed.s3.bucket import Bucket, missing
from trivium.adapters.newer import STATE_FORMAT, refuse_newer
from trivium.config import Settings
from trivium.domain.scope import Tenant
from trivium.ports.objects import require_key

_TENANTS = "tenants/"
FORMAT_KEY = "format"
"""Beside the tenants: a number, `STATE_FORMAT` of who wrote last."""
_SETTING = "TRIVIUM_S3_BUCKET"


class S3Objects:
    """All tenants' objects. `bucket` is also where the registry and the conversations keep theirs."""

    def __init__(self, settings: Settings) -> None:
        self.bucket = StateBucket(settings)

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


class StateBucket(Bucket):
    """The bucket of Trivium's own objects, asked for its format before this process's first request.

    Raises `TryLater` (`store_newer`).
    """

    def __init__(self, settings: Settings) -> None:
        super().__init__(settings, settings.s3_bucket, _SETTING)
        self._settings = settings
        self._known = False

    def _send(self, method: str, key: str, **how: Any) -> urllib3.BaseHTTPResponse:
        if not self._known:  # several threads may ask at once: none waits for another's time-out
            self._require_known()
            self._known = True
        return super()._send(method, key, **how)

    def _require_known(self) -> None:
        with closing(Bucket(self._settings, self.name, _SETTING)) as plain:
            kept = plain.get(FORMAT_KEY)
            if kept is None:
                plain.put(FORMAT_KEY, b"%d" % STATE_FORMAT, if_absent=True)
            else:
                refuse_newer(f"bucket {self.name}", int(kept.content))


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
