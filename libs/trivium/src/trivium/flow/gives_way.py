"""Stages that ask later because what they ask is busy: nothing failed, and nothing was begun."""

from __future__ import annotations

import random

from trivium.domain.documents import Lane
from trivium.domain.errors import TryLater
from trivium.llm.address import LlmAddress

PAUSE_S = {Lane.INTERACTIVE: 0.5}  # somebody waits
OTHERS_PAUSE_S = 2.0


class GivesWay(TryLater):
    """The document comes back to the stage in `delay_s` seconds; it counts as no attempt and no retry."""

    def __init__(self, why: str, lane: Lane) -> None:
        super().__init__("llm_busy", f"The document waits: {why}", "It goes on by itself.")
        self.delay_s = PAUSE_S.get(lane, OTHERS_PAUSE_S) * random.uniform(0.5, 1.5)  # noqa: S311 - not a secret


def gives_way_to(llm: LlmAddress, lane: Lane) -> GivesWay | None:
    """What to raise while the model is too busy for this lane, else None. It never raises."""
    why = llm.reason_to_wait(lane)
    return GivesWay(why, lane) if why else None
