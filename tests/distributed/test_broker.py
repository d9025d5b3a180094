"""Celery on a real Redis: which queue is emptied first, and what a worker's death leaves."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import noting_worker
import pytest
from private_redis import PrivateRedis
from waiting import LIMIT_S, wait_until

from trivium.adapters.embedded.registry import SqliteRegistry
from trivium.domain.documents import STAGES, Document, Lane
from trivium.domain.ids import document_id
from trivium.domain.scope import DEFAULT_TENANT
from trivium.flow.chain import message_for, send
from trivium.flow.queued import claim_of, queued
from trivium.flow.tasks import VISIBILITY_S, make_app


class Flow:
    """Documents, a broker, and workers that note which stage saw which document."""

    def __init__(self, redis: PrivateRedis, folder: Path) -> None:
        with redis.client() as client:
            client.flushall()
        self.redis = redis
        self.folder = folder
        self.app = make_app(redis.url)
        self.documents = SqliteRegistry(folder).for_tenant(DEFAULT_TENANT)
        self.workers: list[subprocess.Popen[bytes]] = []

    def send(self, *names: str, lane: Lane = Lane.INTERACTIVE) -> None:
        """Accept, claim and send a batch."""
        for name in names:
            self.documents.accept(
                Document(document_id(DEFAULT_TENANT, name), DEFAULT_TENANT.name, name, "v", lane=lane)
            )
        wanted = [self.documents.get(document_id(DEFAULT_TENANT, name)) for name in names]
        send(self.app, message_for(self.documents.claim_many(wanted, noting_worker.LEASE_S, time.time())))

    def start(self) -> subprocess.Popen[bytes]:
        with (self.folder / "log").open("ab") as log:
            worker = subprocess.Popen(
                [sys.executable, noting_worker.__file__, self.redis.url, self.folder],
                stdout=log,
                stderr=log,
                start_new_session=True,  # a group of its own, which a test may signal
            )
        self.workers.append(worker)
        return worker

    def seen(self) -> list[tuple[str, str]]:
        """(stage, document) in the order of their beginning."""
        file = self.folder / "seen"
        lines = file.read_text().splitlines() if file.exists() else []
        return [(line.split()[0], line.split()[1]) for line in lines]

    def states(self) -> dict[str, int]:
        return self.documents.counts().by_state

    def wait(self, check: Callable[[], bool], limit_s: float = LIMIT_S) -> None:
        def told() -> str:
            return f"{self.seen()[-9:]}\n{(self.folder / 'log').read_text()[-3000:]}"

        wait_until(check, "the workers are so far", limit_s=limit_s, told=told)


@pytest.fixture
def flow(private_redis: PrivateRedis, tmp_path: Path) -> Iterator[Flow]:
    it = Flow(private_redis, tmp_path)
    yield it
    for worker in it.workers:
        worker.kill()
        worker.wait(20)


def test_an_upload_overtakes_a_backfill_at_every_stage(flow: Flow) -> None:
    for number in range(40):
        flow.send(f"file-{number}", lane=Lane.BACKFILL)
    flow.start()
    flow.wait(lambda: len(flow.seen()) > 5)
    flow.send("upload")
    began = len(flow.seen())
    flow.wait(lambda: ("publish", "upload") in flow.seen())
    upload = [at for at, (_, name) in enumerate(flow.seen()) if name == "upload"]
    assert upload[0] - began <= 3
    assert upload[-1] - upload[0] <= len(STAGES) + 3, "the backfill did not let it pass"
    assert len(flow.seen()) < 40 * len(STAGES)


def test_what_is_begun_is_finished_before_more_is_begun(flow: Flow) -> None:
    for number in range(6):
        flow.send(f"file-{number}")
    flow.start()
    flow.wait(lambda: flow.states() == {"ready": 6})
    begun = [at for at, (stage, _) in enumerate(flow.seen()) if stage == "parse"]
    published = [at for at, (stage, _) in enumerate(flow.seen()) if stage == "publish"]
    assert published[0] < begun[3]


def test_a_document_that_kills_its_worker_ends_alone_and_its_batch_goes_on(flow: Flow) -> None:
    flow.send("a", "b", "killer", "c")
    flow.start()
    flow.wait(lambda: flow.states() == {"ready": 3, "failed": 1})
    failure = flow.documents.get(document_id(DEFAULT_TENANT, "killer")).failure
    assert failure is not None
    assert failure.code == "poison"
    assert [name for stage, name in flow.seen() if stage == "embed"].count("killer") == 3


def test_a_worker_that_is_told_to_stop_finishes_what_it_has_in_hand(flow: Flow) -> None:
    flow.send("slow")
    worker = flow.start()
    flow.wait(lambda: ("embed", "slow") in flow.seen())
    worker.send_signal(signal.SIGTERM)
    worker.wait(30)
    assert flow.documents.get(document_id(DEFAULT_TENANT, "slow")).attempt == 1
    flow.start()
    flow.wait(lambda: flow.states() == {"ready": 1})
    assert flow.seen().count(("embed", "slow")) == 1


@pytest.mark.parametrize("broker", ["there", "gone"])
def test_a_worker_ends_in_time_after_any_signals_and_gives_back_what_hangs(flow: Flow, broker: str) -> None:
    flow.send("hang")
    worker = flow.start()
    flow.wait(lambda: ("embed", "hang") in flow.seen())
    if broker == "gone":
        flow.redis.kill()
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGTERM, signal.SIGQUIT):
        os.killpg(worker.pid, number)
        worker.send_signal(number)
    assert worker.wait(10) == 0  # the bound that is promised
    given = flow.documents.get(document_id(DEFAULT_TENANT, "hang"))
    assert (given.state, given.attempt, given.lease_until) == ("running", 0, 0.0)
    with suppress(ProcessLookupError):
        flow.wait(lambda: os.killpg(worker.pid, 0) is not None)  # until none of the group is left
    if broker == "gone":
        flow.redis.start()


def test_a_worker_survives_a_broker_that_is_restarted(flow: Flow) -> None:
    flow.start()
    flow.send("before")
    flow.wait(lambda: flow.states() == {"ready": 1})
    flow.redis.kill()
    time.sleep(1)
    flow.redis.start()
    flow.send("after")
    flow.wait(lambda: flow.states() == {"ready": 2}, limit_s=90)


def test_a_worker_whose_acknowledgement_was_lost_goes_on_consuming(flow: Flow) -> None:
    flow.start()
    flow.send("slow")
    flow.wait(lambda: ("embed", "slow") in flow.seen())
    flow.redis.kill()
    time.sleep(2 * noting_worker.SLOW_S)
    flow.redis.start()
    flow.send("after")
    flow.wait(lambda: ("publish", "after") in flow.seen(), limit_s=90)


def test_what_waits_in_the_queues_can_be_told_from_what_was_taken(flow: Flow) -> None:
    flow.send("a", "b")
    flow.send("film", lane=Lane.RECORDING)
    flow.send("later")
    claims = {name: claim_of(flow.documents.get(document_id(DEFAULT_TENANT, name))) for name in ("a", "b", "later")}
    assert queued(flow.app, Lane.INTERACTIVE) == set(claims.values())
    with flow.redis.client() as client:
        client.rpop("parse")
    assert queued(flow.app, Lane.INTERACTIVE) == {claims["later"]}
    flow.redis.kill()
    assert queued(flow.app, Lane.INTERACTIVE) is None
    flow.redis.start()


def test_a_message_comes_back_no_sooner_than_its_task_can_be_done(flow: Flow) -> None:
    assert flow.app.conf.broker_transport_options["visibility_timeout"] == VISIBILITY_S > flow.app.conf.task_time_limit


def test_a_canary_comes_back_through_the_broker_and_leaves_word(flow: Flow) -> None:
    workers = [flow.start(), flow.start()]
    files = [flow.folder / f"alive-{worker.pid}" for worker in workers]
    flow.wait(lambda: all(file.exists() for file in files))
    workers[0].terminate()
    workers[0].wait(30)
    assert [file.exists() for file in files] == [False, True]


@pytest.mark.parametrize(("how", "busy"), [("fault", True), ("refused", False)])
def test_a_worker_that_cannot_start_its_stages_ends_and_says_why(flow: Flow, how: str, *, busy: bool) -> None:
    (flow.folder / "broken").write_text(how)
    if busy:
        flow.send("first")
    assert flow.start().wait(60) == 1
    assert "libvoice.so.1 is not there" in (flow.folder / "log").read_text().splitlines()[-1]
    if busy:
        assert flow.states() == {"running": 1}


def test_a_worker_whose_servers_are_away_waits_for_them(flow: Flow) -> None:
    (flow.folder / "broken").write_text("later")
    flow.send("first")
    worker = flow.start()
    flow.wait(lambda: "voice_down" in (flow.folder / "log").read_text())
    (flow.folder / "broken").unlink()
    flow.wait(lambda: flow.states() == {"ready": 1})
    assert worker.poll() is None
