"""Uploads: the bucket where people drop files. Trivium reads it and writes nothing there.

Only who erases a tenant removes what is its own.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

import msgspec


class Upload(msgspec.Struct, frozen=True):
    """One object of the bucket. `etag` names this value of it; `modified` is in whole Unix seconds."""

    key: str
    etag: str
    size_bytes: int
    modified: float


class Uploads(Protocol):
    """One bucket, of all tenants: whose an upload is, the caller decides from its key or its settings.

    Missing: `get` and `stat` raise `NotFound`, `get` also when the object is not the given `etag` any more.
    Duplicate: a key has one newest value; older ones are not seen.
    Empty: an empty object is an upload like any other; a key that ends in `/` is a folder and is left out.
    Order: `listing` is in the order of the keys' UTF-8 bytes; it streams.
    Half-done: an object is seen when its upload is complete.
    Keys are whatever people chose: spaces, any script, `..` among the parts.
    """

    def get(self, key: str, etag: str = "") -> bytes:
        """The bytes. Raises `NeverWill` (`too_large`) before reading more than is allowed."""
        ...

    def stat(self, key: str) -> Upload: ...
    def listing(self, prefix: str = "", start_after: str = "") -> Iterator[Upload]: ...
    def erase(self, prefix: str) -> None:
        """Remove everything below `prefix`, old values too where the bucket keeps them.

        With the folder `a/` goes the object `a`, which hides what is in it from some servers' listings.
        """
        ...
