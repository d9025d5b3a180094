"""A worker process: Celery's prefork pool on the queues of some stages, and a canary that shows that it lives.

A worker can be there, answer pings and consume nothing. So each sends a canary task into a queue of its own; the file
that it leaves is younger than its period plus the longest task (`TASK_LIMIT_S`; where it takes recordings,
`RECORDING_LIMIT_S`) for as long as tasks get done.
The first canary also opens what the stages need: a worker that cannot start them ends, and says why.
"""

from __future__ import annotations

import logging
import os
import signal
import socket
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager, ExitStack, suppress
from functools import partial
from multiprocessing import Pipe
from pathlib import Path
from typing import Any

import msgspec
import structlog
from billiard.process import current_process  # type: ignore[import-untyped]
from billiard.util import get_logger as multiprocessing_log  # type: ignore[import-untyped]
from celery import Celery, signals
from celery.worker import state
from kombu.exceptions import OperationalError

from trivium import telemetry
from trivium.config import Settings
from trivium.domain.documents import Lane, Stage
from trivium.domain.errors import Refused, TriviumError, TryLater
from trivium.extras import explained
from trivium.flow.chain import Message
from trivium.flow.envelope import Envelope, TaskResult, postponed
from trivium.flow.erase import clear_up
from trivium.flow.heartbeat import give_back_all
from trivium.flow.queues import (
    RECORDING_LIMIT_S,
    TASK_LIMIT_S,
    consumed_by,
    consumed_in_turn_by,
    of_resources,
    read_resources,
    resource_of,
)
from trivium.flow.recent import RecentArtifacts
from trivium.flow.remote_control import allow_looking
from trivium.flow.stage import StageWork, group_of
from trivium.flow.tasks import make_app, register
from trivium.full_disk import full_disk
from trivium.ports.stores import BucketStores
from trivium.ports.work_measures import WorkerSeen, WorkMeasures
from trivium.ports.work_signal import WorkSignal
from trivium.stopping import GIVE_BACK_S, STOP_S, STOP_SIGNALS, Stopping, end_in_time
from trivium.watching.scraped import scraped

CANARY_PERIOD_S = 10.0
_KIB = 1024

log = structlog.get_logger()


class Equipment(msgspec.Struct, frozen=True):
    """What a process of the pool works with. It is opened after the fork, because no connection survives one."""

    envelope: Envelope
    works: Sequence[StageWork]


def envelope_of(settings: Settings, stores: BucketStores, work_signal: WorkSignal, stopping: Stopping) -> Envelope:
    """The envelope of the settings over one deployment's stores; `work_signal` is sent when a place is free."""
    objects = RecentArtifacts(stores.objects)
    late = partial(clear_up, stores)
    return Envelope(
        stores.registry,
        objects,
        settings.lease_s,
        settings.max_attempts,
        work_signal.notify,
        late,
        stopping=stopping,
        measured=stores.work_measures.note,
    )


Equip = Callable[[Stopping], AbstractContextManager[Equipment]]


def run_worker(settings: Settings, stages: Iterable[Stage], equip: Equip, measures: WorkMeasures | None = None) -> None:
    """Consume what `stages` are to do, until SIGTERM or its like.

    Raises what `equip` raised in a process of the pool, unless it was `TryLater`: such a worker would hand every
    document back for ever. Raises `TryLater` (`worker_failed`) when the worker ends for another reason of its own.
    The first signal stops it within `STOP_S`, whatever is in hand, and with every server gone; further ones change
    nothing. A task in hand ends at its next slice; what has not ended after `GIVE_BACK_S` is given back.
    `measures` hears from time to time that the worker is there.
    """
    allow_looking()
    resources = read_resources(settings.worker_queues)
    mine = of_resources(stages, resources)
    if not mine:
        raise Refused(
            "bad_setting",
            f"No stage of this worker waits in the queues {', '.join(sorted(resources))}.",
            "Set TRIVIUM_WORKER_QUEUES to queues of its kind, or leave it empty.",
        )
    app = make_app(settings.broker, settings.ca_file)
    stopping = Stopping()
    pool = _PoolProcess(settings, mine, equip, stopping)
    signals.setup_logging.connect(_logs_are_ours, weak=False)
    signals.worker_process_shutdown.connect(pool.close, weak=False)
    for stage in mine:
        register(app, stage, partial(pool.run, stage))
    every = [*consumed_by(mine, settings.lanes), *consumed_in_turn_by(mine, settings.lanes)]
    queues = [queue for queue in every if resource_of(queue) in resources]
    canary = Canary(app, alive_file(settings), pool.prepare)
    seen = WorkerSeen(canary.name, settings.worker_processes, tuple(queues))
    worker = _worker(stopping)(
        app=app,
        hostname=canary.name,
        pool="prefork",
        concurrency=settings.worker_processes,
        max_memory_per_child=settings.worker_memory_bytes // _KIB,
        queues=[canary.queue, *queues],
        without_gossip=True,
        without_mingle=True,
        without_heartbeat=False,  # what Flower tells a living worker by
        quiet=True,
        loglevel="WARNING",
    )
    end_in_time(stopping, STOP_S)
    canary.tell(seen, measures)
    with canary:
        worker.start()
    if failure := pool.failure():
        raise failure
    if worker.exitcode:
        raise TryLater("worker_failed", f"The worker ended with status {worker.exitcode}.", "Look at its log.")


def alive_file(settings: Settings) -> Path:
    """The one of this process."""
    return Path(str(settings.alive_file).replace("{pid}", str(os.getpid())))


def _worker(stopping: Stopping) -> Any:
    """Celery's worker with one answer to every signal: its own second and third are to break off what is in hand."""
    from celery.apps.worker import Worker  # noqa: PLC0415 - what else it installs is not wanted where tasks are sent

    class Stoppable(Worker):  # type: ignore[misc]
        def install_platform_tweaks(self, worker: object) -> None:
            for number in STOP_SIGNALS:
                signal.signal(number, _stop)

    def _stop(*_: object) -> None:
        stopping.begin()
        state.should_stop = 0

    return Stoppable


class Canary:
    """Sends its task through the broker and the pool again and again, for as long as the block runs.

    Not before the worker is ready: a process forked while this thread holds the broker's connections would hang.
    """

    def __init__(self, app: Celery, alive_file: Path, prepare: Callable[[], None]) -> None:
        self.name = f"{socket.gethostname()}-{os.getpid()}"
        self.queue = f"canary.{self.name}"
        self._alive_file = alive_file
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._sing, name="canary", daemon=True)

        def sing() -> None:  # a bound method would not do: Celery takes its first argument for the task
            prepare()
            telemetry.CANARY.set_to_current_time()
            alive_file.touch()

        self._task = app.task(sing, name=f"trivium.{self.queue}", ignore_result=True)
        self._announce: Callable[[], None] = lambda: None
        self._withdraw: Callable[[], None] = lambda: None

    def tell(self, seen: WorkerSeen, measures: WorkMeasures | None) -> None:
        """Whom to tell, with each canary, that the worker is there."""
        if measures:
            self._announce, self._withdraw = partial(measures.announce, seen), partial(measures.withdraw, seen)

    def __enter__(self) -> None:
        signals.worker_ready.connect(self._begin)

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        self._withdraw()
        self._alive_file.unlink(missing_ok=True)

    def _begin(self, **_: Any) -> None:
        self._thread.start()

    def _sing(self) -> None:
        while not self._ended.is_set():
            with suppress(OperationalError):  # without a broker no canary comes back, which is the message
                self._task.apply_async(queue=self.queue, expires=CANARY_PERIOD_S)
            self._announce()
            self._ended.wait(CANARY_PERIOD_S)


class _PoolProcess:
    """This process's equipment, from its first task to its end.

    Made in the worker's own process; what a process of the pool could not open comes back through a pipe.
    """

    def __init__(self, settings: Settings, mine: Sequence[Stage], equip: Equip, stopping: Stopping) -> None:
        self._heard, self._telling = Pipe(duplex=False)
        self._settings = settings
        self._mine = frozenset(mine)
        self._equip = equip
        self._stopping = stopping
        self._busy = False
        self._closing = ExitStack()
        self._equipment: Equipment | None = None
        self._idle_since = time.time()

    def run(self, stage: Stage, message: Message) -> TaskResult:
        try:
            equipment = self._opened()
        except TriviumError as error:
            return postponed(message, stage, error)
        self._busy = True
        waited = time.time() - max(self._idle_since, message.due_at)
        telemetry.QUEUE_SECONDS.labels(stage.value).observe(max(0.0, waited))
        try:
            with telemetry.timed(telemetry.TASK_SECONDS, stage.value):
                mine = [work for work in equipment.works if work.stage in self._mine]
                return equipment.envelope.run(group_of(mine, stage), message)
        finally:
            self._idle_since, self._busy = time.time(), False

    def prepare(self) -> None:
        """Open the equipment before the first task needs it."""
        with suppress(TriviumError):  # the first task tells it, or the worker ends
            self._opened()

    def failure(self) -> TriviumError | None:
        """Why no stage could be started, where that ended the worker."""
        return TriviumError(*self._heard.recv()) if self._heard.poll() else None

    def _opened(self) -> Equipment:
        if self._equipment is None:
            self._end_in_time()
            try:
                self._equipment = self._closing.enter_context(self._equip(self._stopping))
            except TryLater:
                raise
            except Exception as error:
                if (full := full_disk(error)) is not None:
                    raise full from error
                failure = _unstartable(error)
                self._telling.send((failure.code, failure.message, failure.action))
                os.kill(os.getppid(), signal.SIGTERM)
                raise failure from error
            recordings = Lane.RECORDING in self._settings.lanes
            telemetry.CANARY_LIMIT.set((RECORDING_LIMIT_S if recordings else TASK_LIMIT_S) + CANARY_PERIOD_S)
            self._tell_metrics()
        return self._equipment

    def _end_in_time(self) -> None:
        """Who signals the whole group signals this process too: a task in hand is to be given back first."""
        for number in STOP_SIGNALS:
            signal.signal(number, self._on_signal)
        end_in_time(self._stopping, GIVE_BACK_S, give_back_all)

    def _on_signal(self, *_: object) -> None:
        if not self._busy:
            raise SystemExit
        self._stopping.begin_here()

    def _tell_metrics(self) -> None:
        if not self._settings.worker_metrics_port:
            return
        host, first = self._settings.worker_metrics_host, self._settings.worker_metrics_port + current_process().index
        try:
            port = self._closing.enter_context(scraped(host, first))
        except OSError as error:  # no reason not to work
            log.warning("metrics_untold", port=first, reason=str(error))
            return
        log.info("metrics_told", port=port)

    def close(self, **_: Any) -> None:
        self._closing.close()
        logging.shutdown()  # a process of the pool ends without it, and its lines that were counted with it


def _logs_are_ours(**_: Any) -> None:
    """Heard, Celery sets nothing up itself. Its pool's own logger would go past all handlers."""
    multiprocessing_log().propagate = True


def _unstartable(error: Exception) -> TriviumError:
    """What the operator is told of a worker that cannot open what its stages need."""
    told = explained(error) if isinstance(error, ModuleNotFoundError) else error
    if isinstance(told, TriviumError):
        return told
    return TriviumError(
        "worker_broken",
        f"The worker cannot start its stages: {type(error).__name__}: {error}",
        "Repair the installation or its settings, and start it again; the documents wait.",
    )
