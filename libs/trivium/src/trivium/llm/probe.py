"""Whether the configured language model answers."""

from __future__ import annotations

from collections.abc import Iterator

from trivium.checkup import Finding
from trivium.config import Settings
from trivium.llm.connect import llm_address
from trivium.ports.llm import Message

TIMEOUT_S = 15.0


def probe_llm(settings: Settings) -> Iterator[Finding]:
    """Nothing when none is configured; else one question of one token. Raises `TryLater`, `NeverWill`, `Refused`."""
    address = llm_address(settings)
    if address is None:
        return
    question = [Message("user", "Are you there?")]
    address.run(lambda llm: llm.complete(question, max_tokens=1, timeout_s=TIMEOUT_S))
    yield Finding("language model", "answers", True, address.name)
