"""Objects: the source of truth, addressed by key."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

from trivium.domain.errors import Refused
from trivium.domain.scope import Tenant

MAX_KEY_BYTES = 1024  # S3's own bound


class ObjectStore(Protocol):
    """One tenant's objects. Keys are `/`-separated relative paths without `..`.

    Missing: `get` raises `NotFound`; `exists` is False; `delete` does nothing.
    Duplicate: `put` replaces; `put_if_absent` keeps the first and returns False.
    Empty: zero bytes are a value like any other.
    Order: `keys` yields in lexicographic order, after `start_after` when given; it streams.
    Half-done: a reader sees the old value or the new one whole, also after a crash.
    A key that would leave the tenant's space, and any other that `require_key` does not like, raises
    `Refused` (`bad_key`).
    """

    def get(self, key: str) -> bytes: ...
    def put(self, key: str, content: bytes, *, durable: bool = True) -> None:
        """Store `content`. With `durable=False`, for what can be made again, it survives the process but perhaps
        not a power cut, which may leave it missing or torn.
        """
        ...

    def put_if_absent(self, key: str, content: bytes) -> bool: ...
    def exists(self, key: str) -> bool: ...
    def delete(self, key: str) -> None: ...
    def keys(self, prefix: str = "", start_after: str = "") -> Iterator[str]: ...


def require_key(key: str) -> str:
    """The key itself; raises `Refused` (`bad_key`) for one that not every object store can hold.

    Empty parts, `.`, `..`, a leading or trailing `/`, control characters, text that is not Unicode, and more
    than `MAX_KEY_BYTES` of UTF-8 are refused.
    """
    try:
        size = len(key.encode())
    except UnicodeEncodeError:
        size = MAX_KEY_BYTES + 1
    parts_good = all(part not in ("", ".", "..") for part in key.split("/"))
    if not parts_good or size > MAX_KEY_BYTES or any(char < " " or char == "\x7f" for char in key):
        raise Refused(
            "bad_key",
            f"{key[:80]!r} is not an object key.",
            f"Use a relative path without '.', '..' or control characters, of at most {MAX_KEY_BYTES} bytes.",
        )
    return key


class Objects(Protocol):
    """All tenants' objects."""

    def for_tenant(self, tenant: Tenant) -> ObjectStore: ...
