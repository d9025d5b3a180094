"""`trivium-ingest-control` says what is to be done, `trivium-ingest-worker` does it: on the servers of the settings."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from functools import partial

from trivium.adapters.distributed.stores import DistributedStores
from trivium.adapters.models import connect_models
from trivium.child_process.network_probe import warn_unless_locked
from trivium.config import Settings
from trivium.flow.pipeline import Worker, stages_of
from trivium.flow.worker import Equipment, envelope_of, run_worker
from trivium.heap import kept_small
from trivium.ports.parser import ParserModels
from trivium.process import run_process, say
from trivium.stopping import STOP_S, Stopping, begin_on_signals, end_in_time
from trivium_ingest.assembly import ingest_stages, parsing_sandbox
from trivium_ingest.control import controlling
from trivium_ingest.parse.alone import installed_ocr


def worker() -> None:
    """Parse, chunk, enrich, embed, index and publish until told to stop."""
    run_process("trivium-ingest-worker", _work)


def control() -> None:
    """Follow the bucket and hand out work until told to stop."""
    run_process("trivium-ingest-control", _control)


def _work(settings: Settings) -> None:
    warn_unless_locked()
    with DistributedStores(settings) as stores:
        run_worker(settings, stages_of(Worker.INGEST), partial(_equipped, settings), stores.work_measures)


@contextmanager
def _equipped(settings: Settings, stopping: Stopping) -> Iterator[Equipment]:
    installed = installed_ocr() if not settings.inference_url else None
    with (
        kept_small(),
        DistributedStores(settings) as stores,
        connect_models(settings) as models,
        closing(parsing_sandbox(settings, installed, ParserModels(models.ocr, models.transcriber))) as sandbox,
    ):
        parser_models = ParserModels(models.ocr or (installed() if installed else None), models.transcriber)
        works = ingest_stages(settings, stores, models.embedder, sandbox, parser_models, stores.uploads, models.visual)
        yield Equipment(envelope_of(settings, stores, stores.work_signal, stopping), works)


def _control(settings: Settings) -> None:
    stopping = Stopping()
    begin_on_signals(stopping)
    end_in_time(stopping, STOP_S)
    with (
        DistributedStores(settings) as stores,
        controlling(settings, stores, stores.work_signal, stores.uploads, [stores.events.take]),
    ):
        say("Following uploads and handing out work.")
        stopping.wait()
