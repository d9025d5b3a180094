"""The embedded stores over one folder (`trivium.ports.stores.Stores`), for tests of what works on any."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from trivium.adapters.embedded.buckets import MemoryBuckets
from trivium.adapters.embedded.conversations import SqliteConversations
from trivium.adapters.embedded.graph import SqliteGraphs
from trivium.adapters.embedded.hypernodes import SqliteHyperNodes
from trivium.adapters.embedded.keywords import SqliteKeywords
from trivium.adapters.embedded.objects import LocalObjects
from trivium.adapters.embedded.registry import SqliteRegistry
from trivium.adapters.embedded.schedule import MemorySchedule
from trivium.adapters.embedded.vectors import SqliteVectors
from trivium.adapters.embedded.work_signal import LocalWorkSignal


class FolderStores:
    def __init__(self, folder: Path) -> None:
        self.objects, self.registry = LocalObjects(folder), SqliteRegistry(folder)
        self.vectors, self.keywords, self.graphs = SqliteVectors(folder), SqliteKeywords(folder), SqliteGraphs(folder)
        self.visuals = SqliteVectors(folder, "pictures")
        self.hypernodes = SqliteHyperNodes(folder)
        self.buckets, self.schedule = MemoryBuckets(), MemorySchedule()
        self.conversations, self.work_signal = SqliteConversations(folder), LocalWorkSignal()

    def close(self) -> None:
        rows = (self.vectors, self.visuals, self.hypernodes, self.keywords, self.graphs)
        for store in (self.registry, *rows, self.conversations):
            store.close()


def during_removal(stores: Any, monkeypatch: pytest.MonkeyPatch, happens: Callable[[], object]) -> None:
    """Something happens once, right behind the removal of rows from the graph."""

    class Writer:
        def __init__(self, writer: Any) -> None:
            self._writer = writer

        def __getattr__(self, name: str) -> Any:
            return getattr(self._writer, name)

        def delete(self, document_id: str) -> None:
            self.delete_others({document_id: ""})

        def delete_others(self, kept: Mapping[str, str]) -> None:
            self._writer.delete_others(kept)
            monkeypatch.undo()
            happens()

    graphs = type(stores.graphs)
    writer = graphs.writer
    monkeypatch.setattr(graphs, "writer", lambda self, tenant: Writer(writer(self, tenant)))
