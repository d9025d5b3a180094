"""What a language model is told of the answer's form, by the kind of the question."""

from __future__ import annotations

from trivium.domain.answers import Kind

_INSTRUCTIONS = {
    Kind.FACT: "Begin with the fact itself, in a few words.",
    Kind.YES_NO: "Begin with yes or no.",
    Kind.CHOICE: "Begin with the one that is right, then give the value of each.",
    Kind.ORDER: "Begin with the one that is right, then give the date of each.",
    Kind.LIST: "Answer with a list, an item a line.",
    Kind.COUNT: "Begin with the number.",
    Kind.ARITHMETIC: "Begin with the result, then show what it was computed from.",
    Kind.DEFINITION: "Begin with a definition of one sentence.",
    Kind.REASON: "Give the reason that the sources give, and no other.",
    Kind.PROCEDURE: "Answer with numbered steps, in order.",
    Kind.ABOUT: "Say in three sentences at most what the document is about.",
    Kind.SUMMARY: "Summarise in five sentences at most.",
}


def instruction(kind: Kind) -> str:
    """A sentence; "" for a kind that has no form of its own."""
    return _INSTRUCTIONS.get(kind, "")
