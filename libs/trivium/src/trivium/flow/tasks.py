"""Celery: the application's settings, and one task per stage."""

from __future__ import annotations

from typing import Any

from celery import Celery
from celery.exceptions import Ignore

from trivium.flow.chain import Message, send, task_name
from trivium.flow.envelope import Envelope
from trivium.flow.stage import StageWork


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
        broker_connection_retry_on_startup=True,
    )
    return app


def register(app: Celery, envelope: Envelope, work: StageWork) -> None:
    """Make `work` the task of its stage in this process."""

    def task(raw: dict[str, Any]) -> dict[str, Any]:
        handed = envelope.run(work, Message.from_wire(raw))
        for again in handed.again:
            send(app, again.message, work.stage, again.delay_s)
        if not handed.onward.entries:
            raise Ignore
        return handed.onward.to_wire()

    app.task(task, name=task_name(work.stage), ignore_result=True)
