"""A data set's documents in the product, for as long as it is measured."""

from __future__ import annotations

import tempfile
import time
import uuid
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import msgspec
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from trivium.config import Settings
from trivium.domain.documents import DocumentState
from trivium.domain.scope import Tenant
from trivium.evaluation.dataset import EvaluationSet
from trivium.ports.intake import NewSource
from trivium.ports.parser import Blob
from trivium.ports.registry import TenantRegistry, every_document
from trivium_embedded.data_dir import owned
from trivium_embedded.wiring import assembled, open_stores
from trivium_query.question_vectors import REMEMBERED
from trivium_query.requests import Services

POLL_S = 0.2


class Ingested(msgspec.Struct, frozen=True):
    """The product with a data set in it; `names` gives a row's id by its document's id, and by those inside that."""

    services: Services
    tenant: Tenant
    names: dict[str, str]


@contextmanager
def ingested(
    settings: Settings, wanted: EvaluationSet, folder: Path, bars: Progress, *, remembered_questions: int = REMEMBERED
) -> Iterator[Ingested]:
    """Every document of the set, ingested into a throw-away tenant.

    Embedded, the tenant has a data directory of its own. On servers it is removed from every store at the end.
    """
    tenant = Tenant(f"evaluation-{uuid.uuid4().hex[:8]}")
    with tempfile.TemporaryDirectory(prefix="trivium-eval-") as data:
        own = msgspec.structs.replace(settings, data_dir=Path(data))
        with (
            owned(own.data_dir),
            _thrown_away(own, tenant),
            assembled(own, remembered_questions=remembered_questions, only=tenant) as services,
        ):
            yield Ingested(services, tenant, _ingest(services, tenant, wanted, folder, bars))


@contextmanager
def progress_bars(console: Console) -> Iterator[Progress]:
    """Bars that are gone when the block ends."""
    columns = (TextColumn("{task.description:>8}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True) as bars:
        yield bars


@contextmanager
def _thrown_away(settings: Settings, tenant: Tenant) -> Iterator[None]:
    """Remove the tenant from every server's store when the block ends, and nobody works on it here any more.

    Records go first: whoever else has a document in hand then saves it in vain, and clears up (`flow/erase.py`).
    """
    try:
        yield
    finally:
        if settings.backend == "distributed":  # embedded, its folder goes
            with open_stores(settings) as stores:
                rows = (stores.vectors, stores.visuals, stores.hypernodes, stores.keywords, stores.graphs)
                for store in (stores.registry, *rows, stores.conversations, stores.objects):
                    store.drop(tenant)


def _ingest(services: Services, tenant: Tenant, wanted: EvaluationSet, folder: Path, bars: Progress) -> dict[str, str]:
    """Submit every row and wait; returns the row's id by document id, also of what was found inside a row's file."""
    intake = services.intake.for_tenant(tenant)
    registry = services.registry.for_tenant(tenant)
    names = {}
    rows = [row for row in wanted.documents if row.file or row.text.strip()]  # nothing can be found in an empty one
    for number, row in enumerate(bars.track(rows, description="submit")):
        blob = Blob(f"row {number}", row.text.encode("utf-8", "replace"), "text/plain")
        if row.file:
            blob = Blob(row.file, (folder / row.file).read_bytes())
        names[intake.accept(NewSource(blob, row.title or "")).id] = row.id
    total = len(rows)
    task = bars.add_task("ingest", total=total)
    while True:
        counts = registry.counts().by_state
        open_count = counts.get("pending", 0) + counts.get("running", 0)
        bars.update(task, completed=total - open_count)
        if not open_count:
            break
        time.sleep(POLL_S)
    names |= _inside(registry, names)
    for document in every_document(registry, DocumentState.FAILED):
        reason = document.failure.message if document.failure else "no reason was kept"
        what = f"{document.source} of {names[document.id]}" if document.parent else names[document.id]
        bars.console.print(f"Not read, so not found: {what}: {reason}", style="yellow", markup=False)
    return names


def _inside(registry: TenantRegistry, names: Mapping[str, str]) -> dict[str, str]:
    """The row's id by the id of each document that was found inside that of a row, or inside such a one."""
    parents = {document.id: document.parent for document in every_document(registry) if document.parent}

    def outermost(document_id: str) -> str:
        while document_id in parents:
            document_id = parents[document_id]
        return document_id

    return {child: names[outermost(child)] for child in parents}
