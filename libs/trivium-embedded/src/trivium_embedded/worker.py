"""Real Celery workers inside this process, on kombu's memory transport."""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from typing import Any

from celery import Celery
from celery.worker import WorkController, state

from trivium.domain.documents import STAGES, Lane
from trivium.flow.heartbeat import give_back_all
from trivium.flow.queues import consumed_by, consumed_in_turn_by
from trivium.flow.tasks import make_app
from trivium.stopping import GIVE_BACK_S

# Measured: memory transport with the solo pool runs 650 chains of three tasks a second; with the threads pool it
# consumed nothing. Several documents overlap little anyway, because embedding keeps every core busy.
POOL = "solo"
BROKER_URL = "memory://localhost/"
POLL_S = 0.05  # how long an idle worker sleeps: what a lone document waits for, and a stop
LARGE_AT_ONCE = 2  # while one is parsed the other is embedded; each holds its passages and vectors in memory
_WAKE = "trivium.wake"  # does nothing; it lets an idle worker notice that it should stop
_WAKES = 2  # one ends the wait in hand; the other the last wait, which a worker begins when it has noticed


class InProcessWorkers:
    """Run the tasks registered on `app`, each worker one at a time, in a thread of its own.

    `count` workers for what is quick, one for recordings, `LARGE_AT_ONCE` for large files and backfills, and one for
    what a language model reads for the graph: however long those take, no page waits behind them.
    """

    def __init__(self, app: Celery, count: int) -> None:
        app.conf.broker_transport_options = {"polling_interval": POLL_S}
        app.task(_wake, name=_WAKE)
        self._app, self._twins = app, [_with_the_tasks_of(app) for _ in range(3)]
        recordings, large, read = self._twins
        self._workers = [
            _Worker(recordings, consumed_by(STAGES, [Lane.RECORDING])),
            _Worker(read, consumed_in_turn_by(STAGES)),
            *(_Worker(large, consumed_by(STAGES, [Lane.LARGE, Lane.BACKFILL])) for _ in range(LARGE_AT_ONCE)),
            *(_Worker(app, consumed_by(STAGES, [Lane.INTERACTIVE])) for _ in range(count)),
        ]

    def start(self) -> None:
        """Consume until `stop`. What waits from before, of another product in this process, is nobody's."""
        for each in (self._app, *self._twins):
            each.control.purge()  # the transport keeps its queues as long as the process lives
        self._app.set_default()  # chains go on, and retries come back, through the threads' default application
        for worker in self._workers:
            worker.start()

    def stop(self) -> None:
        """Wait until every worker has finished the task in hand, or given it back; after `GIVE_BACK_S` it is taken.

        The tasks end early where they look for a stop, which their envelope is told of. Unfinished documents are
        resumed at the next start.
        """
        until = time.monotonic() + GIVE_BACK_S
        state.should_stop = 0
        for _ in range(_WAKES * len(self._workers)):
            self._app.send_task(_WAKE)
        for worker in self._workers:
            worker.join(max(0.0, until - time.monotonic()))
        if any(worker.is_alive() for worker in self._workers):
            give_back_all()
        state.should_stop = None


class _Worker(threading.Thread):
    def __init__(self, app: Celery, queues: Sequence[str]) -> None:
        super().__init__(name="celery", daemon=True)
        self._controller: Any = WorkController(
            app=app,
            pool=POOL,
            concurrency=1,
            queues=[*queues, app.conf.task_default_queue],
            without_gossip=True,
            without_mingle=True,
            without_heartbeat=True,
        )

    def run(self) -> None:
        self._controller.start()


def _with_the_tasks_of(app: Celery) -> Celery:
    """Another application: the workers of one all look into the same queues."""
    twin = make_app(BROKER_URL)
    twin.conf.broker_transport_options = app.conf.broker_transport_options
    twin.tasks.update(app.tasks)
    return twin


def _wake() -> None:
    """The task that does nothing."""
