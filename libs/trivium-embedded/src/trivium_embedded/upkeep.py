"""Audit, rebuild and change of model on the configured stores; embedded, as the data directory's only owner."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, nullcontext
from pathlib import Path
from tempfile import TemporaryDirectory

from trivium.adapters.embedded.graph import SqliteGraphs
from trivium.adapters.models import connect_models
from trivium.config import Settings
from trivium.domain.drift import Drift, Store
from trivium.logs.setup import configure_logging
from trivium.ports.graph import Graphs
from trivium.ports.stores import Stores
from trivium_embedded.data_dir import owned
from trivium_embedded.wiring import open_stores
from trivium_ingest.upkeep.audit import audit as audit_stores
from trivium_ingest.upkeep.rebuild import rebuild as rebuild_store
from trivium_ingest.upkeep.rebuild import reembed as reembed_all


def audit(settings: Settings, *, repair: bool, quick: bool = False) -> Iterator[Drift]:
    """See `trivium_ingest.upkeep.audit`; `quick` compares ids alone."""
    with opened(settings) as stores:
        yield from audit_stores(stores, repair=repair, scratch=None if quick else scratch_graph)


@contextmanager
def scratch_graph() -> Iterator[Graphs]:
    """In a folder of its own, which goes with it."""
    with TemporaryDirectory(prefix="trivium-audit-") as folder, closing(SqliteGraphs(Path(folder))) as graphs:
        yield graphs


def rebuild(settings: Settings, store: Store, on_documents: Callable[[int], None]) -> list[str]:
    """See `trivium_ingest.upkeep.rebuild`."""
    with opened(settings) as stores:
        return rebuild_store(stores, store, on_documents)


def reembed(settings: Settings, on_documents: Callable[[int], None]) -> list[str]:
    """See `trivium_ingest.upkeep.rebuild`."""
    with opened(settings) as stores, connect_models(settings) as models:
        return reembed_all(stores, models.embedder, on_documents, models.visual)


@contextmanager
def opened(settings: Settings) -> Iterator[Stores]:
    """The configured stores; embedded, no process else has them then. Raises as `owned`."""
    configure_logging("error" if settings.log_level == "info" else settings.log_level, settings.log_format)
    alone = nullcontext() if settings.backend == "distributed" else owned(settings.data_dir)
    with alone, open_stores(settings) as stores:
        yield stores
