"""Two passages that cannot both be right, as a card for a person."""

from __future__ import annotations

import enum

import msgspec

from trivium.domain.citations import Citation
from trivium.domain.ids import digest


class ContradictionKind(enum.StrEnum):
    """What the passages disagree in."""

    RELATION = "relation"  # a thing of which there is one at a time
    DATE = "date"  # a day or a time of day
    NUMBER = "number"  # a count, an amount of money, a share
    QUANTITY = "quantity"  # with a unit
    COLOUR = "colour"
    NEGATION = "negation"  # the one denies what the other says
    MEANING = "meaning"  # by a language model


class Dismissal(msgspec.Struct, frozen=True):
    """Why a card is not to be shown any more, since when (Unix seconds), who said so, and the edit that says it."""

    why: str
    at: float
    by: str
    edit: str


class Side(msgspec.Struct, frozen=True):
    """One of the two passages, and its value as it is written there ("" where it is the whole sentence)."""

    citation: Citation
    value: str = ""


class Contradiction(msgspec.Struct, frozen=True):
    """A card. `confidence` is 0 to 1; `operation` names what found it (`rule:quantity`, `llm:contradict@1`).

    `since`: when the later of both was published, Unix seconds. The id is made from what both say and where, so it is
    the same after another ingest, and another once either says something else.
    """

    id: str
    kind: ContradictionKind
    dataset: str
    subject: str
    attribute: str
    sides: tuple[Side, Side]
    confidence: float
    operation: str
    since: float
    dismissed: Dismissal | None = None


def contradiction_id(kind: str, one: tuple[str, str], other: tuple[str, str]) -> str:
    """From the kind and both (document id, sentence), in any order."""
    first, second = sorted((one, other))
    return digest("contradiction", kind, *first, *second)
