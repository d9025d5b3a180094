"""What waits in the broker's queues, as far as the broker lets one look."""

from __future__ import annotations

import json
from typing import NamedTuple

from celery import Celery
from kombu.exceptions import OperationalError

from trivium.domain.documents import STAGES, Document, Lane
from trivium.flow.chain import Message
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
    queues = dict.fromkeys([*consumed_by(STAGES, [lane]), *consumed_in_turn_by(STAGES, [lane])])
    with app.connection_for_read() as connection:
        if connection.transport.driver_type != "redis":
            return None
        try:
            channel = connection.channel()
            raw = [text for queue in queues for text in channel.client.lrange(queue, 0, -1)]
            messages = [channel.message_to_python(json.loads(text)).payload for text in raw]
        except (OperationalError, *connection.connection_errors):
            return None
    return {claim for (arguments, *_) in messages for claim in _claims(Message.from_wire(arguments[0]))}


def _claims(message: Message) -> list[Claim]:
    return [Claim(message.tenant, entry.document_id, entry.fence) for entry in message.entries]
