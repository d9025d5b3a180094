"""Objects: the source of truth, addressed by key."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

from trivium.domain.scope import Tenant


class ObjectStore(Protocol):
    """One tenant's objects. Keys are `/`-separated relative paths without `..`.

    Missing: `get` raises `NotFound`; `exists` is False; `delete` does nothing.
    Duplicate: `put` replaces; `put_if_absent` keeps the first and returns False.
    Empty: zero bytes are a value like any other.
    Order: `keys` yields in lexicographic order, after `start_after` when given; it streams.
    Half-done: a reader sees the old value or the new one whole, also after a crash.
    A key that would leave the tenant's space raises `Refused` (`bad_key`).
    """

    def get(self, key: str) -> bytes: ...
    def put(self, key: str, content: bytes, *, durable: bool = True) -> None:
        """Store `content`. With `durable=False` it survives the process, not a power cut: for what can be made again."""
        ...

    def put_if_absent(self, key: str, content: bytes) -> bool: ...
    def exists(self, key: str) -> bool: ...
    def delete(self, key: str) -> None: ...
    def keys(self, prefix: str = "", start_after: str = "") -> Iterator[str]: ...


class Objects(Protocol):
    """All tenants' objects."""

    def for_tenant(self, tenant: Tenant) -> ObjectStore: ...
