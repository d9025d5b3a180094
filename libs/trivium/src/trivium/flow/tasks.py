"""Celery: the application's settings, and one task per stage."""

from __future__ import annotations

from typing import Any

from celery import Celery, Task
from celery.exceptions import Ignore

from trivium.flow.chain import Message, task_name
from trivium.flow.envelope import Envelope, RetryAt, Superseded
from trivium.flow.stage import StageWork

QUEUE = "trivium"


def make_app(broker_url: str) -> Celery:
    """A Celery application as RELIABILITY asks: JSON only, no result backend, late acks, prefetch 1."""
    app = Celery("trivium", broker=broker_url, set_as_current=False)
    app.conf.update(
        task_serializer="json",
        accept_content=["json"],
        task_ignore_result=True,
        task_store_errors_even_if_ignored=False,
        result_backend=None,
        task_acks_late=True,
        task_reject_on_worker_lost=True,
        worker_prefetch_multiplier=1,
        worker_hijack_root_logger=False,
        worker_send_task_events=False,
        worker_enable_remote_control=False,
        task_default_queue=QUEUE,
        broker_connection_retry_on_startup=True,
    )
    return app


def register(app: Celery, envelope: Envelope, work: StageWork) -> None:
    """Make `work` the task of its stage in this process."""

    def task(self: Task, raw: dict[str, Any]) -> dict[str, Any]:
        try:
            return envelope.run(work, Message.from_wire(raw), self.request.retries).to_wire()
        except RetryAt as again:
            raise self.retry(countdown=again.delay_s, max_retries=None) from again
        except Superseded:
            raise Ignore from None

    app.task(task, bind=True, name=task_name(work.stage), ignore_result=True)
