"""Real Celery workers inside this process, on kombu's memory transport."""

from __future__ import annotations

import threading
from typing import Any

from celery import Celery
from celery.worker import WorkController, state

from trivium.domain.documents import STAGES
from trivium.flow.queues import consumed_by

# Measured: memory transport with the solo pool runs 650 chains of three tasks a second; with the threads pool it
# consumed nothing. Several documents overlap little anyway, because embedding keeps every core busy.
POOL = "solo"
BROKER_URL = "memory://localhost/"
STOP_TIMEOUT_S = 30.0
POLL_S = 0.05  # how long an idle worker sleeps: what a lone document waits for, and a stop
_WAKE = "trivium.wake"  # does nothing; it lets an idle worker notice that it should stop
_WAKES = 2  # one ends the wait in hand; the other the last wait, which a worker begins when it has noticed


class InProcessWorkers:
    """Run the tasks registered on `app`, each worker one at a time, in a thread of its own."""

    def __init__(self, app: Celery, count: int) -> None:
        app.conf.broker_transport_options = {"polling_interval": POLL_S}
        app.task(_wake, name=_WAKE)
        self._app = app
        self._workers = [_Worker(app) for _ in range(count)]

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
    def __init__(self, app: Celery) -> None:
        super().__init__(name="celery", daemon=True)
        self._controller: Any = WorkController(
            app=app,
            pool=POOL,
            concurrency=1,
            queues=[*consumed_by(STAGES), app.conf.task_default_queue],
            without_gossip=True,
            without_mingle=True,
            without_heartbeat=True,
        )

    def run(self) -> None:
        self._controller.start()


def _wake() -> None:
    """The task that does nothing."""
