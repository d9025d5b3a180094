"""READ FIRST: the order of ingest, and how documents enter it.

parse -> chunk -> enrich -> embed -> index -> extract -> link -> publish. Each task gets a `Message` (ids and
artifact keys of a batch of documents, never content), does its stage and those that it may do right behind it once for
each (`envelope.py`) and hands on those that are done. What a stage works from, where it waits and whose it is stands in
one table (`pipeline.py`). The broker keeps no truth: losing a message costs a delay, because
the registry knows what is unfinished.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from typing import Any

import msgspec
from celery import Celery, chain, signature

from trivium.domain.documents import STAGES, Document, Lane, Stage
from trivium.flow.pipeline import following
from trivium.flow.queues import RECORDING_LIMIT_S, WARNING_S, queue_of
from trivium.tracing import spans


class Entry(msgspec.Struct, frozen=True):
    """One document of a batch: which version of it, the claim's fence, and where each stage's output lies."""

    document_id: str
    version: str
    fence: int
    artifacts: dict[str, str] = {}


class Message(msgspec.Struct, frozen=True):
    """What travels: some documents of one tenant in one lane. `retries` counts those of the stage that comes next.

    `due_at` is from when on a worker may have it, in Unix seconds. `in_turn`: its documents are read by a language
    model, and go through the graph's stages in its queue.
    """

    tenant: str
    lane: Lane
    entries: tuple[Entry, ...]
    retries: int = 0
    due_at: float = 0.0
    in_turn: bool = False

    def of(self, entries: Iterable[Entry], retries: int = 0) -> Message:
        """The same for other entries."""
        return msgspec.structs.replace(self, entries=tuple(entries), retries=retries)

    def due(self, delay_s: float = 0.0) -> Message:
        """The same, on its way from now on."""
        return msgspec.structs.replace(self, due_at=time.time() + delay_s)

    def to_wire(self) -> dict[str, Any]:
        """As JSON types, for Celery."""
        wire: dict[str, Any] = msgspec.to_builtins(self)
        return wire

    @classmethod
    def from_wire(cls, raw: dict[str, Any]) -> Message:
        """The inverse of `to_wire`; raises `msgspec.ValidationError` for anything else."""
        return msgspec.convert(raw, cls)


def message_for(documents: Sequence[Document]) -> Message:
    """The message of claimed documents, all of one tenant and lane."""
    entries = tuple(Entry(document.id, document.version, document.fence) for document in documents)
    return Message(documents[0].tenant, documents[0].lane, entries)


def task_name(stage: Stage) -> str:
    """The Celery name of a stage; workers of any service register it, anybody may send it."""
    return f"trivium.{stage.value}"


def send(app: Celery, message: Message, start: Stage = STAGES[0], delay_s: float = 0.0) -> None:
    """Have `start` run, and all that follows, in `delay_s` seconds.

    Raises kombu's `OperationalError` when the broker is away.
    """
    headers = spans.headers()
    first, *rest = (_signature(app, stage, message, headers) for stage in (start, *following(start)))
    first = first.clone(args=(message.due(delay_s).to_wire(),)).set(countdown=delay_s or None)
    chain(first, *rest, app=app).apply_async()


def _signature(app: Celery, stage: Stage, message: Message, headers: dict[str, str]) -> Any:
    # Celery would write every argument out for its logs, at a tenth of the cost of the message.
    options: dict[str, Any] = {"queue": queue_of(stage, message.lane, in_turn=message.in_turn), "argsrepr": ""}
    if headers:
        options["headers"] = headers
    if message.lane is Lane.RECORDING:
        options |= {"time_limit": RECORDING_LIMIT_S, "soft_time_limit": RECORDING_LIMIT_S - WARNING_S}
    return signature(task_name(stage), app=app, options=options)
