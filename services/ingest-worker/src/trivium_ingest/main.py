"""`trivium-ingest-control` says what is to be done, `trivium-ingest-worker` does it: on the servers of the settings."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from functools import partial

from trivium.adapters.distributed.stores import DistributedStores
from trivium.adapters.models import connect_models
from trivium.config import Settings
from trivium.domain.documents import STAGES
from trivium.flow.queues import GRAPH_STAGES
from trivium.flow.worker import Equipment, envelope_of, run_worker
from trivium.ports.parser import Senses
from trivium.process import run_process, say
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
    mine = [stage for stage in STAGES if stage not in GRAPH_STAGES]
    run_worker(settings, mine, partial(_equipped, settings))


@contextmanager
def _equipped(settings: Settings) -> Iterator[Equipment]:
    installed = installed_ocr() if not settings.inference_url else None
    with (
        DistributedStores(settings) as stores,
        connect_models(settings) as models,
        closing(parsing_sandbox(settings, installed, Senses(models.ocr, models.transcriber))) as sandbox,
    ):
        senses = Senses(models.ocr or (installed() if installed else None), models.transcriber)
        works = ingest_stages(settings, stores, models.embedder, sandbox, senses, stores.uploads, models.visual)
        yield Equipment(envelope_of(settings, stores, stores.doorbell), works)


def _control(settings: Settings) -> None:
    ended = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: ended.set())
    with (
        DistributedStores(settings) as stores,
        controlling(settings, stores, stores.doorbell, stores.uploads, [stores.events.take]),
    ):
        say("Following uploads and handing out work.")
        ended.wait()
