"""The embedded workers: a recording that takes long and the page that is uploaded meanwhile."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from celery import Celery
from waiting import wait_until

from trivium.domain.documents import LONG_LANES, Lane, Stage
from trivium.flow.chain import Entry, Message, send
from trivium.flow.envelope import TaskResult
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


def test_a_page_does_not_wait_behind_what_a_language_model_reads() -> None:
    read, done = threading.Event(), list[bool]()

    def extract(message: Message) -> TaskResult:
        if message.in_turn:
            read.wait(30)
        done.append(message.in_turn)
        return TaskResult(message.of(()))

    app = make_app(BROKER_URL)
    register(app, Stage.EXTRACT, extract)
    with working(app):
        for number, in_turn in enumerate((True, True, False)):
            entries = (Entry(f"document-{number}", "v", 2),)
            send(app, Message("default", Lane.INTERACTIVE, entries, in_turn=in_turn), Stage.EXTRACT)
        wait_until(lambda: done == [False], "the page is done")
        read.set()
        wait_until(lambda: done == [False, True, True], "the others are done")


def test_a_page_does_not_wait_behind_recordings_and_large_files() -> None:
    heard, done = threading.Event(), list[Lane]()

    def parse(message: Message) -> TaskResult:
        if message.lane in LONG_LANES:
            heard.wait(30)
        done.append(message.lane)
        return TaskResult(message.of(()))

    app = make_app(BROKER_URL)
    register(app, Stage.PARSE, parse)
    with working(app):
        for number, lane in enumerate([Lane.RECORDING, Lane.LARGE] * 3 + [Lane.INTERACTIVE]):
            send(app, Message("default", lane, (Entry(f"document-{number}", "v", 2),)))
        wait_until(lambda: done == [Lane.INTERACTIVE], "the page is done")
        heard.set()
        wait_until(lambda: done.count(Lane.RECORDING) == done.count(Lane.LARGE) == 3, "the others are done")


def test_what_another_product_left_in_the_queues_is_nobodys() -> None:
    done: list[str] = []

    def parse(message: Message) -> TaskResult:
        done.extend(entry.document_id for entry in message.entries)
        return TaskResult(message.of(()))

    def handed_over(app: Celery, name: str) -> set[str]:
        for lane in Lane:
            send(app, Message("default", lane, (Entry(f"{name} {lane.value}", "v", 2),)))
        return {f"{name} {lane.value}" for lane in Lane}

    handed_over(make_app(BROKER_URL), "left")
    app = make_app(BROKER_URL)
    register(app, Stage.PARSE, parse)
    with working(app):
        mine = handed_over(app, "mine")
        wait_until(lambda: mine <= set(done), "what came last is done")
    assert set(done) == mine
