"""What is used of pymilvus, imported without pandas: `MilvusClient` gives and takes plain rows.

Its older interface (`Collection`) imports pandas at once, and asks whether it was given a DataFrame. That would be two
thirds of the memory and time that importing pymilvus takes, in every process, and 30 MB of every image. So something
that nothing is an instance of stands in for it meanwhile; the locks leave pandas out (requirements/lock.sh).
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import ModuleType

_NAMES = ("pandas", "pandas.api", "pandas.api.types")


class NotInstalled:
    """Whatever is asked of pandas. Nothing is an instance of it, and using it raises `TypeError`."""

    def __init__(self, *_: object) -> None:
        raise TypeError("pymilvus's older interface needs pandas, which is not there: use MilvusClient.")


class _Pandas(ModuleType):
    __path__: list[str] = []  # noqa: RUF012 - a package, whose modules are all here

    def __getattr__(self, name: str) -> type[NotInstalled]:
        return NotInstalled


@contextmanager
def _without_pandas() -> Iterator[None]:
    """Nothing is changed where it was imported before; who imports it afterwards gets the real one."""
    if "pandas" in sys.modules:
        yield
        return
    sys.modules.update({name: _Pandas(name) for name in _NAMES})
    try:
        yield
    finally:
        for name in _NAMES:
            del sys.modules[name]


with _without_pandas():
    from pymilvus import AsyncMilvusClient, CollectionSchema, DataType, MilvusClient, MilvusException
    from pymilvus.exceptions import ErrorCode
    from pymilvus.milvus_client import IndexParams

__all__ = [
    "AsyncMilvusClient",
    "CollectionSchema",
    "DataType",
    "ErrorCode",
    "IndexParams",
    "MilvusClient",
    "MilvusException",
]
