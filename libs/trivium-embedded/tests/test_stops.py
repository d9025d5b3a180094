"""Stopping ingest at any moment costs time, never a document."""

from __future__ import annotations

import os
import random
import shutil
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path

import msgspec
import pytest
from waiting import wait_until

from trivium.adapters.embedded.work_signal import LocalWorkSignal
from trivium.adapters.models import Models, connect_models
from trivium.config import Settings, load_settings
from trivium.domain.documents import DocumentState
from trivium.domain.scope import DEFAULT_TENANT
from trivium.flow.envelope import Envelope
from trivium.flow.intake import StoreIntake
from trivium.flow.originals import Originals
from trivium.flow.stage import group_of
from trivium.flow.tasks import make_app, register
from trivium.ports.intake import NewSource, TenantIntake
from trivium.ports.parser import Blob, ParseLimits, ParserModels
from trivium.ports.registry import TenantRegistry
from trivium.stopping import Stopping
from trivium_embedded.wiring import open_stores
from trivium_embedded.worker import BROKER_URL, InProcessWorkers
from trivium_graph.assembly import graph_stages
from trivium_ingest.chunk.options import ChunkOptions
from trivium_ingest.control import no_urls
from trivium_ingest.dispatch import Dispatcher, release_orphans
from trivium_ingest.parse.build import fingerprint, parse_blob
from trivium_ingest.publish import PublishWork
from trivium_ingest.stages import ChunkWork, EmbedWork, EnrichWork, IndexWork, ParseWork
from trivium_ingest.upkeep.audit import audit

STOPS = 12
EXAMPLES = Path(__file__).parents[3] / "examples" / "files"


def mixed_files() -> dict[str, bytes]:
    """Notes, a table, and what holds other files."""
    table = "station,keeper,year\n" + "".join(f"Weir {i},Ilse Marten{i},{1800 + i % 200}\n" for i in range(600))
    notes = {f"note-{i}.md": f"# Note {i}\n\nMill {i} was let to Oda Kranz{i}.\n".encode() for i in range(30)}
    kinds = ("mill-history.txt", "people.html", "paths-and-bridges.zip", "fishing-permits.eml")
    return {"weirs.csv": table.encode(), **notes, **{name: (EXAMPLES / name).read_bytes() for name in kinds}}


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Models]:
    with connect_models(load_settings({})) as models:
        yield models


@contextmanager
def reading(settings: Settings, models: Models) -> Iterator[tuple[TenantIntake, TenantRegistry]]:
    """The product's ingest over its stores while the block runs; parsers in this process, which start at once."""
    with ExitStack() as stack:
        stores = stack.enter_context(open_stores(settings))
        app, stopping, work_signal = make_app(BROKER_URL), Stopping(), LocalWorkSignal()
        envelope = Envelope(stores.registry, stores.objects, settings.lease_s, settings.max_attempts, stopping=stopping)

        def parse(blob: Blob, *_: object) -> object:
            return parse_blob(blob, ParseLimits(), ParserModels())

        works = (
            ParseWork(parse, fingerprint, ParserModels(), Originals(stores.objects), stores, ParseLimits()),
            ChunkWork(ChunkOptions(), models.embedder),
            EnrichWork(None),
            EmbedWork(models.embedder),
            IndexWork(stores.vectors, stores.keywords, stores.visuals, stores.hypernodes),
            PublishWork(stores),
            *graph_stages(settings, stores),
        )
        for work in works:
            register(app, work.stage, partial(envelope.run, group_of(works, work.stage)))
        release_orphans(stores.registry)
        workers = InProcessWorkers(app, 2)
        dispatcher = Dispatcher(app, stores.registry, work_signal, lease_s=settings.lease_s)
        for part in (workers, dispatcher):
            part.start()
            stack.callback(part.stop)
        stack.callback(stopping.begin)
        intake = StoreIntake(stores, work_signal.notify, no_urls, settings.max_upload_bytes)
        yield intake.for_tenant(DEFAULT_TENANT), stores.registry.for_tenant(DEFAULT_TENANT)


def unfinished(registry: TenantRegistry) -> int:
    counts = registry.counts().by_state
    return counts.get("pending", 0) + counts.get("running", 0)


def test_a_dozen_stops_at_any_moment_lose_nothing(tmp_path: Path, models: Models) -> None:
    settings = msgspec.structs.replace(load_settings({}), data_dir=tmp_path / "data")
    files = mixed_files()
    rng = random.Random(20261122)
    stopped_at = set()
    for stop in range(STOPS):
        with reading(settings, models) as (intake, registry):
            for name in list(files)[stop::STOPS]:  # some come with every start
                intake.accept(NewSource(Blob(name, files[name])))
            time.sleep(rng.uniform(0.0, 0.6))
            stopped_at |= set(registry.counts().by_stage)
    with reading(settings, models) as (_, registry):
        wait_until(lambda: not unfinished(registry), "every document has come to its end", limit_s=240)
        found = registry.list(limit=200).documents
        assert {document.state for document in found} == {DocumentState.READY}
        assert {document.source for document in found if not document.parent} == set(files)


def test_what_is_published_has_its_rows_after_a_power_cut(
    tmp_path: Path, models: Models, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The next upload forces to the disk that a document is ready: its rows have to be there by then."""
    settings = msgspec.structs.replace(load_settings({}), data_dir=tmp_path / "data")
    cut = msgspec.structs.replace(settings, data_dir=tmp_path / "cut")
    forced: dict[Path, int] = {}
    fsync = os.fsync

    def noted(descriptor: int) -> None:
        size = os.fstat(descriptor).st_size
        fsync(descriptor)
        forced[Path(f"/proc/self/fd/{descriptor}").readlink()] = size

    monkeypatch.setattr(os, "fsync", noted)
    with reading(settings, models) as (intake, registry):
        document = intake.accept(NewSource(Blob("ferry.md", b"# Ferry\n\nThe ferry to Inish Orla leaves at 06:40.\n")))
        wait_until(lambda: registry.get(document.id).state is DocumentState.READY, "it is published")
        shutil.copytree(settings.data_dir, cut.data_dir)
    for log in (cut.data_dir / "tenants").rglob("*.sqlite-wal"):
        os.truncate(log, forced.get(settings.data_dir / log.relative_to(cut.data_dir), 0))
    for shared in cut.data_dir.rglob("*.sqlite-shm"):  # which is memory
        shared.unlink()
    with open_stores(cut) as stores:
        assert stores.registry.for_tenant(DEFAULT_TENANT).get(document.id).state is DocumentState.READY
        assert list(audit(stores)) == []
