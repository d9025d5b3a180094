"""Real Celery workers inside this process, on kombu's memory transport."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Any

from celery import Celery
from celery.worker import WorkController, state

from trivium.domain.documents import STAGES, Lane
from trivium.flow.queues import consumed_by
from trivium.flow.tasks import make_app

# Measured: memory transport with the solo pool runs 650 chains of three tasks a second; with the threads pool it
# consumed nothing. Several documents overlap little anyway, because embedding keeps every core busy.
POOL = "solo"
BROKER_URL = "memory://localhost/"
STOP_TIMEOUT_S = 30.0
POLL_S = 0.05  # how long an idle worker sleeps: what a lone document waits for, and a stop
_WAKE = "trivium.wake"  # does nothing; it lets an idle worker notice that it should stop
_WAKES = 2  # one ends the wait in hand; the other the last wait, which a worker begins when it has noticed


class InProcessWorkers:
    """Run the tasks registered on `app`, each worker one at a time, in a thread of its own.

    `count` workers, and one more for recordings alone: however long they are, nobody waits behind them.
    """

    def __init__(self, app: Celery, count: int) -> None:
        app.conf.broker_transport_options = {"polling_interval": POLL_S}
        app.task(_wake, name=_WAKE)
        self._app = app
        others = [lane for lane in Lane if lane is not Lane.RECORDING]
        recordings = _Worker(_with_the_tasks_of(app), [Lane.RECORDING])
        self._workers = [recordings, *(_Worker(app, others) for _ in range(count))]

    def start(self) -> None:
        """Consume until `stop`."""
        self._app.set_default()  # chains go on, and retries come back, through the threads' default application
        for worker in self._workers:
            worker.start()

    def stop(self) -> None:
        """Let every worker finish the task in hand, then stop; unfinished documents are resumed at the next start."""
        state.should_stop = 0
        for _ in range(_WAKES * len(self._workers)):
            self._app.send_task(_WAKE)
        for worker in self._workers:
            worker.join(STOP_TIMEOUT_S)
        state.should_stop = None


class _Worker(threading.Thread):
    def __init__(self, app: Celery, lanes: Sequence[Lane]) -> None:
        super().__init__(name="celery", daemon=True)
        self._controller: Any = WorkController(
            app=app,
            pool=POOL,
            concurrency=1,
            queues=[*consumed_by(STAGES, lanes), app.conf.task_default_queue],
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
