"""Artifacts that this process wrote or read lately stay in memory: its next stages ask for them again."""

from __future__ import annotations

import threading
from collections.abc import Iterator

from cachetools import FIFOCache

from trivium.concurrent_calls import in_pool_thread
from trivium.domain.scope import Tenant
from trivium.ports.objects import Objects, ObjectStore
from trivium.telemetry import ARTIFACT_SECONDS, timed

MAX_BYTES = 8 * 1024 * 1024  # a batch of small documents is half a megabyte
_PREFIX = "artifacts/"  # whose keys name their content, so that what is remembered cannot be out of date


class RecentArtifacts:
    """All tenants' objects; see `trivium.ports.objects.Objects`."""

    def __init__(self, objects: Objects, max_bytes: int = MAX_BYTES) -> None:
        self._objects = objects
        self._memory = _Memory(max_bytes)

    def for_tenant(self, tenant: Tenant) -> RecentTenantArtifacts:
        """The tenant's objects, over the same memory."""
        return RecentTenantArtifacts(self._objects.for_tenant(tenant), tenant.name, self._memory)

    def tenants(self) -> set[Tenant]:
        """What the store says."""
        return self._objects.tenants()

    def drop(self, tenant: Tenant, keep: str = "") -> None:
        """From both; memory forgets everybody's, which is fetched again."""
        self._objects.drop(tenant, keep)
        self._memory.clear()

    def unfinished(self, tenant: Tenant, *, remove: bool = False) -> int:
        """What the store says."""
        return self._objects.unfinished(tenant, remove=remove)


class RecentTenantArtifacts:
    """One tenant's objects; see `trivium.ports.objects.ObjectStore`."""

    def __init__(self, store: ObjectStore, tenant: str, memory: _Memory) -> None:
        self._store = store
        self._tenant = tenant
        self._memory = memory

    def get(self, key: str) -> bytes:
        """From memory if it is there."""
        known = self._memory.get((self._tenant, key))
        if known is not None:
            return known
        with timed(ARTIFACT_SECONDS, "get_beside" if in_pool_thread() else "get"):
            content = self._store.get(key)
        self._remember(key, content)
        return content

    def put(self, key: str, content: bytes | bytearray, *, durable: bool = True) -> None:
        """Into the store, then into memory."""
        with timed(ARTIFACT_SECONDS, "put"):
            self._store.put(key, content, durable=durable)
        self._remember(key, content)

    def put_if_absent(self, key: str, content: bytes) -> bool:
        """Into the store alone."""
        return self._store.put_if_absent(key, content)

    def exists(self, key: str) -> bool:
        """What the store says."""
        with timed(ARTIFACT_SECONDS, "exists"):
            return self._store.exists(key)

    def delete(self, key: str) -> None:
        """From both."""
        self._memory.forget((self._tenant, key))
        self._store.delete(key)

    def keys(self, prefix: str = "", start_after: str = "") -> Iterator[str]:
        """What the store says."""
        return self._store.keys(prefix, start_after)

    def _remember(self, key: str, content: bytes | bytearray) -> None:
        if key.startswith(_PREFIX):
            self._memory.put((self._tenant, key), content)


class _Memory:
    """The newest values up to a number of bytes."""

    def __init__(self, max_bytes: int) -> None:
        self._lock = threading.Lock()
        self._values: FIFOCache[tuple[str, str], bytes] = FIFOCache(max_bytes, getsizeof=len)

    def get(self, key: tuple[str, str]) -> bytes | None:
        with self._lock:
            return self._values.get(key)

    def put(self, key: tuple[str, str], content: bytes | bytearray) -> None:
        """One that is larger than all together may be is not kept, and costs no other its place."""
        with self._lock:
            self._values.pop(key, None)
            if len(content) <= self._values.maxsize:
                self._values[key] = bytes(content)

    def forget(self, key: tuple[str, str]) -> None:
        with self._lock:
            self._values.pop(key, None)

    def clear(self) -> None:
        with self._lock:
            self._values.clear()
