"""READ FIRST: the order of ingest, and how a document enters it.

parse -> chunk -> enrich -> embed -> index -> extract -> link -> publish. Each task gets a `Message` (ids and
artifact keys, never content), does its stage once (`envelope.py`) and hands the message on with its own artifact's key.
The broker is a doorbell: losing a message costs a delay, because the registry knows what is unfinished.
"""

from __future__ import annotations

from typing import Any

import msgspec
from celery import Celery, chain, signature

from trivium.domain.documents import STAGES, Document, Stage


class Message(msgspec.Struct, frozen=True):
    """What travels: which version of which document, the claim's fence, and where each stage's output lies."""

    tenant: str
    document_id: str
    version: str
    fence: int
    artifacts: dict[str, str] = {}

    def to_wire(self) -> dict[str, Any]:
        """As JSON types, for Celery."""
        return msgspec.structs.asdict(self)

    @classmethod
    def from_wire(cls, raw: dict[str, Any]) -> Message:
        """The inverse of `to_wire`; raises `msgspec.ValidationError` for anything else."""
        return msgspec.convert(raw, cls)


def task_name(stage: Stage) -> str:
    """The Celery name of a stage; workers of any service register it, anybody may send it."""
    return f"trivium.{stage.value}"


def send(app: Celery, document: Document) -> None:
    """Ring the doorbell for a claimed document. Raises kombu's `OperationalError` when the broker is away."""
    message = Message(document.tenant, document.id, document.version, document.fence)
    # Celery would write every argument out for its logs, at a tenth of the cost of the message.
    first, *rest = (signature(task_name(stage), app=app, options={"argsrepr": ""}) for stage in STAGES)
    chain(first.clone(args=(message.to_wire(),)), *rest, app=app).apply_async()
