"""Objects: the source of truth, addressed by key."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Protocol

from trivium.domain.errors import Refused
from trivium.domain.scope import Tenant

MAX_KEY_BYTES = 940  # S3's own bound is 1,024, and a tenant's space takes up to 72
MAX_PART_BYTES = 255  # where a server keeps keys as paths, as MinIO does, a part is a file name


_CONTROL = re.compile(r"[\x00-\x1f\x7f]")


class ObjectStore(Protocol):
    """One tenant's objects. Keys are `/`-separated relative paths without `..`.

    Missing: `get` raises `NotFound`; `exists` is False; `delete` does nothing.
    Duplicate: `put` replaces; `put_if_absent` keeps the first and returns False.
    Empty: zero bytes are a value like any other.
    Order: `keys` yields in lexicographic order, after `start_after` when given; it streams.
    Half-done: a reader sees the old value or the new one whole, also after a crash.
    No key should be the folder of another (`a` and `a/b`): not every store then lists the longer one.
    A key that would leave the tenant's space, and any other that `require_key` does not like, raises
    `Refused` (`bad_key`).
    """

    def get(self, key: str) -> bytes: ...
    def put(self, key: str, content: bytes | bytearray, *, durable: bool = True) -> None:
        """Store `content`, which nobody changes afterwards.

        With `durable=False`, for what can be made again, it survives the process but perhaps not a power cut, which
        may leave it missing or torn.
        """
        ...

    def put_if_absent(self, key: str, content: bytes) -> bool: ...
    def exists(self, key: str) -> bool: ...
    def delete(self, key: str) -> None: ...
    def keys(self, prefix: str = "", start_after: str = "") -> Iterator[str]: ...


def require_key(key: str) -> str:
    """The key itself; raises `Refused` (`bad_key`) for one that not every object store can hold.

    Empty parts, `.`, `..` (also with blanks around them), a leading or trailing `/`, control characters, text that is
    not Unicode, and more than `MAX_KEY_BYTES` of UTF-8 or `MAX_PART_BYTES` in one part are refused.
    """
    if not is_key(key):
        raise Refused(
            "bad_key",
            f"{key[:80]!r} is not an object key.",
            f"Use a relative path without '.', '..' or control characters, of at most {MAX_KEY_BYTES} bytes"
            f" and {MAX_PART_BYTES} in each part.",
        )
    return key


def is_key(key: str) -> bool:
    """Whether `require_key` likes it."""
    try:
        parts = key.encode().split(b"/")
    except UnicodeEncodeError:
        return False
    return (
        all(part and part.strip() not in (b".", b"..") and len(part) <= MAX_PART_BYTES for part in parts)
        and sum(map(len, parts)) + len(parts) - 1 <= MAX_KEY_BYTES
        and not _CONTROL.search(key)
    )


class Objects(Protocol):
    """All tenants' objects."""

    def for_tenant(self, tenant: Tenant) -> ObjectStore: ...
    def tenants(self) -> set[Tenant]:
        """Whoever has objects, known to the registry or not; for the audit."""
        ...

    def drop(self, tenant: Tenant, keep: str = "") -> None:
        """Remove everything of the tenant but the object `keep`, also what a versioning store keeps of old values.

        Broken off it has removed some; done again it removes the rest.
        """
        ...

    def unfinished(self, tenant: Tenant, *, remove: bool = False) -> int:
        """How many writes never ended and still lie there, removed on request; for the audit, while nobody writes.

        0 where a store keeps a value only once it is whole.
        """
        ...
