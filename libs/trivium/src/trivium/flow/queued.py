"""What waits in the broker's queues, as far as the broker lets one look."""

from __future__ import annotations

import json
from typing import NamedTuple

from celery import Celery
from kombu.exceptions import OperationalError

from trivium.domain.documents import STAGES, Document, Lane, Stage
from trivium.domain.errors import TryLater
from trivium.flow.backlog import Waiting
from trivium.flow.chain import Message, task_name
from trivium.flow.queues import consumed_by, consumed_in_turn_by


class Claim(NamedTuple):
    """What a message carries of a document: whoever claims it later has a greater fence."""

    tenant: str
    document_id: str
    fence: int


def claim_of(document: Document) -> Claim:
    """The claim that the record tells of."""
    return Claim(document.tenant, document.id, document.fence)


def queued(app: Celery, lane: Lane) -> set[Claim] | None:
    """The claims whose messages wait in a lane; None where that cannot be told, as by a broker other than Redis."""
    messages = _messages(app, lane)
    return None if messages is None else {claim for _, message in messages for claim in _claims(message)}


def waiting(app: Celery) -> list[Waiting]:
    """What waits in all queues; raises `TryLater` where that cannot be told."""
    found: list[Waiting] = []
    for lane in Lane:
        messages = _messages(app, lane)
        if messages is None:
            raise TryLater(
                "queues_untold",
                "The broker's queues cannot be looked into: it is away, or is not Redis.",
                "See that TRIVIUM_BROKER_URL (or TRIVIUM_REDIS_URL) names a Redis that answers.",
            )
        found += [
            Waiting(stage, lane, len(message.entries), message.due_at, message.in_turn) for stage, message in messages
        ]
    return found


def _messages(app: Celery, lane: Lane) -> list[tuple[Stage, Message]] | None:
    queues = dict.fromkeys([*consumed_by(STAGES, [lane]), *consumed_in_turn_by(STAGES, [lane])])
    with app.connection_for_read() as connection:
        if connection.transport.driver_type != "redis":
            return None
        try:
            channel = connection.channel()
            raw = [text for queue in queues for text in channel.client.lrange(queue, 0, -1)]
            messages = [channel.message_to_python(json.loads(text)) for text in raw]
        except (OperationalError, *connection.connection_errors):
            return None
    return [
        (_STAGES[each.headers["task"]], Message.from_wire(each.payload[0][0]))
        for each in messages
        if each.headers.get("task") in _STAGES
    ]


_STAGES = {task_name(stage): stage for stage in STAGES}


def _claims(message: Message) -> list[Claim]:
    return [Claim(message.tenant, entry.document_id, entry.fence) for entry in message.entries]
