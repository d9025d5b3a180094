"""The embedded workers: a recording that takes long and the page that is uploaded meanwhile."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from celery import Celery

from trivium.domain.documents import Lane, Stage
from trivium.flow.chain import Entry, Message, send
from trivium.flow.envelope import Handed
from trivium.flow.tasks import make_app, register
from trivium_embedded.worker import BROKER_URL, InProcessWorkers


@contextmanager
def working(app: Celery) -> Iterator[None]:
    workers = InProcessWorkers(app, 1)
    workers.start()
    try:
        yield
    finally:
        workers.stop()


def eventually(true: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 30
    while not true():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def test_a_page_does_not_wait_behind_recordings() -> None:
    heard, done = threading.Event(), list[Lane]()

    def parse(message: Message) -> Handed:
        if message.lane is Lane.RECORDING:
            heard.wait(30)
        done.append(message.lane)
        return Handed(message.of(()))

    app = make_app(BROKER_URL)
    register(app, Stage.PARSE, parse)
    with working(app):
        for number, lane in enumerate([Lane.RECORDING] * 3 + [Lane.INTERACTIVE, Lane.BACKFILL]):
            send(app, Message("default", lane, (Entry(f"document-{number}", "v", 2),)))
        eventually(lambda: sorted(done) == [Lane.BACKFILL, Lane.INTERACTIVE])
        heard.set()
        eventually(lambda: done.count(Lane.RECORDING) == 3)
