"""Celery: the application's settings, and one task per stage."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from urllib.parse import quote

from celery import Celery, Task
from celery.exceptions import Ignore

from trivium.domain.documents import Stage
from trivium.flow.chain import Message, send, task_name
from trivium.flow.envelope import TaskResult
from trivium.flow.queues import RECORDING_LIMIT_S, TASK_LIMIT_S, WARNING_S
from trivium.tracing import spans

# A message that nobody acknowledged comes back after this: a worker may hold one for a back-off and a task's length.
VISIBILITY_S = RECORDING_LIMIT_S + TASK_LIMIT_S


def make_app(broker_url: str, ca_file: str = "") -> Celery:
    """A Celery application that loses nothing it need not lose (RELIABILITY in the design). `ca_file` is the setting.

    JSON only, no result backend; a message is acknowledged when its task is done, and comes back when its worker
    dies; nothing is fetched ahead. On Redis, queues are emptied in the order in which a worker names them.
    """
    app = Celery("trivium", broker=_verifying(broker_url, ca_file), set_as_current=False)
    app.conf.update(
        task_serializer="json",
        accept_content=["json"],
        task_ignore_result=True,
        task_store_errors_even_if_ignored=False,
        result_backend=None,
        task_acks_late=True,
        task_reject_on_worker_lost=True,
        task_time_limit=TASK_LIMIT_S,
        task_soft_time_limit=TASK_LIMIT_S - WARNING_S,
        worker_prefetch_multiplier=1,
        worker_hijack_root_logger=False,
        worker_redirect_stdouts=False,
        worker_send_task_events=False,
        worker_enable_remote_control=True,  # `remote_control.py` says what of it
        broker_connection_retry_on_startup=True,
        broker_connection_max_retries=None,  # a broker that is away for long is waited for
    )
    if broker_url.startswith(("redis", "sentinel")):
        from trivium.flow import redis_transport  # noqa: PLC0415 - a broker without Redis needs no client

        redis_transport.use()
        app.conf.broker_transport_options = {
            "queue_order_strategy": "priority",
            "visibility_timeout": VISIBILITY_S,
            "socket_keepalive": True,
        }
    return app


def _verifying(broker_url: str, ca_file: str) -> str:
    """The address, or several with `;` between; each of Redis over TLS says whom to believe where it did not.

    For kombu believes any certificate where neither address nor settings have an option of TLS, and forgets the
    settings' where the address has one.
    """
    wanted = {"ssl_cert_reqs": "required"} | ({"ssl_ca_certs": quote(ca_file)} if ca_file else {})

    def verifying(url: str) -> str:
        address, _, query = url.partition("#")[0].partition("?")
        said = query.split("&") if query else []
        added = [f"{name}={value}" for name, value in wanted.items() if f"{name}=" not in query]
        return f"{address}?{'&'.join([*said, *added])}"

    addresses = broker_url.split(";")
    return ";".join(verifying(url) if url.strip().lower().startswith("rediss:") else url for url in addresses)


def register(app: Celery, stage: Stage, run: Callable[[Message], TaskResult]) -> None:
    """Make `run` the task of a stage in this process; it may do stages that follow as well."""

    def task(celery: Task, raw: dict[str, Any]) -> dict[str, Any]:
        sent_by = str(celery.request.get(spans.TRACEPARENT) or "") if spans.listening() else ""
        with spans.consuming(f"task {stage.value}", sent_by, messaging__system="celery"):
            result = run(Message.from_wire(raw))
            for redelivery in result.redeliveries:
                send(app, redelivery.message, redelivery.stage, redelivery.delay_s)
        if not result.onward.entries:
            raise Ignore
        for _ in range(result.done - 1):  # what comes next is the last of Celery's list
            celery.request.chain.pop()
        return result.onward.due().to_wire()

    # each application has its own
    app.task(task, name=task_name(stage), ignore_result=True, shared=False, bind=True)
