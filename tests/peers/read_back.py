"""A store on a server as its queries meet it: what was written has been read back, as publishing does.

Embedded stores promise more, that every read sees every write before it, and are tested without this.
"""

from __future__ import annotations

from typing import Any

from trivium.adapters.embedded.keywords import SqliteKeywords
from trivium.adapters.embedded.vectors import SqliteVectors
from trivium.domain.scope import Tenant


def is_embedded(store: Any) -> bool:
    """Whether the stronger promises hold."""
    return isinstance(store, SqliteVectors | SqliteKeywords)


def read_back(store: Any) -> Any:
    """The store, with `ids` called before each of its readers' calls where it lives on a server."""
    return store if is_embedded(store) else _ReadBack(store)


class _ReadBack:
    def __init__(self, store: Any) -> None:
        self._store = store
        self.writer = store.writer
        self.drop = store.drop
        self.tenants = store.tenants

    def reader(self, tenant: Tenant) -> Any:
        return _Reader(self._store, tenant)


class _Reader:
    def __init__(self, store: Any, tenant: Tenant) -> None:
        self._store = store
        self._tenant = tenant

    def __getattr__(self, name: str) -> Any:
        self._store.writer(self._tenant).ids({"any": "v1"})
        return getattr(self._store.reader(self._tenant), name)
