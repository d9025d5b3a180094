"""Whether the configured language model answers."""

from __future__ import annotations

from collections.abc import Iterator

from trivium.checkup import Finding
from trivium.config import Settings
from trivium.llm.connect import llm_address
from trivium.llm.transport import BadRequest
from trivium.ports.llm import Message

TIMEOUT_S = 15.0
_THOUGHT = "output limit was reached"  # what OpenAI refuses with where a model had no room left behind its thoughts


def probe_llm(settings: Settings) -> Iterator[Finding]:
    """Nothing when none is configured; else one question of one token. Raises `TryLater`, `NeverWill`, `Refused`."""
    address = llm_address(settings)
    if address is None:
        return
    question = [Message("user", "Are you there?")]
    try:
        address.run(lambda llm: llm.complete(question, max_tokens=1, timeout_s=TIMEOUT_S))
    except BadRequest as refusal:
        if _THOUGHT not in refusal.complaint:
            raise
    yield Finding("language model", "answers", True, address.name)
