"""A real Celery worker inside this process, on kombu's memory transport."""

from __future__ import annotations

import threading
from typing import Any

from celery import Celery
from celery.worker import WorkController, state

# Measured: memory transport with the solo pool runs 650 chains of three tasks a second; with the threads pool it
# consumed nothing. Several documents overlap little anyway, because embedding keeps every core busy.
POOL = "solo"
BROKER_URL = "memory://localhost/"
STOP_TIMEOUT_S = 30.0
_WAKE = "trivium.wake"  # does nothing; it lets an idle worker notice that it should stop


class InProcessWorker:
    """Runs the tasks registered on `app`, one at a time, in a thread of its own."""

    def __init__(self, app: Celery) -> None:
        self._controller: Any = WorkController(
            app=app, pool=POOL, concurrency=1, without_gossip=True, without_mingle=True, without_heartbeat=True
        )
        self._app = app
        app.task(_wake, name=_WAKE)
        self._thread = threading.Thread(target=self._controller.start, name="celery", daemon=True)

    def start(self) -> None:
        """Consume until `stop`."""
        self._app.set_default()  # chains go on, and retries come back, through the threads' default application
        self._thread.start()

    def stop(self) -> None:
        """Finish the task in hand, then stop; unfinished documents are resumed at the next start."""
        state.should_stop = 0
        self._app.send_task(_WAKE)
        self._thread.join(STOP_TIMEOUT_S)
        state.should_stop = None


def _wake() -> None:
    """The task that does nothing."""
