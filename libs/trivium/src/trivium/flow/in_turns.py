"""Stages that take long on one document and let others in between: to read by a language model or hear takes hours."""

from __future__ import annotations

from trivium.domain.documents import Lane
from trivium.domain.errors import TryLater


class GoesOn(TryLater):
    """The stage goes on with the document at once, behind those that wait; `asks_model`: in the language model's queue.

    What it has done so far is kept. `share` of the stage is done, 0 to 1.
    """

    def __init__(self, share: float = 0.0, *, asks_model: bool = True) -> None:
        super().__init__("goes_on", "The document is read in turns with others.", "It goes on by itself.")
        self.share = share
        self.asks_model = asks_model


def patient_lane(lane: Lane) -> Lane:
    """The lane of a document that takes its turns: an upload's is that of large ones."""
    return Lane.LARGE if lane is Lane.INTERACTIVE else lane
