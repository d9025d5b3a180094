"""How many follow-ups of three lists are understood on their own.

`follow_ups_apart` was written before the rules, `follow_ups_unseen` after them; no rule was made for either.
"""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from trivium.domain.answers import Turn
from trivium_query.answer.follow_up import completed
from trivium_query.answer.understand import understand


class FollowUp(msgspec.Struct, frozen=True):
    """`asked` after `history` must be searched for with every word of `has`, and with none of `lacks`."""

    history: tuple[Turn, ...]
    asked: str
    has: tuple[str, ...]
    lacks: tuple[str, ...]

    def understood(self) -> bool:
        said = understand(self.asked, self.history).standalone.casefold()
        wanted = all(word.casefold() in said for word in self.has)
        return wanted and not any(word.casefold() in said for word in self.lacks)


def follow_ups(name: str) -> list[FollowUp]:
    lines = (Path(__file__).parent / name).read_bytes().splitlines()
    return [msgspec.json.decode(line, type=FollowUp) for line in lines]


@pytest.mark.parametrize(
    ("name", "share"), [("follow_ups.jsonl", 0.95), ("follow_ups_apart.jsonl", 0.9), ("follow_ups_unseen.jsonl", 0.55)]
)
def test_most_follow_ups_can_be_searched_for_on_their_own(name: str, share: float) -> None:
    turns = follow_ups(name)
    missed = [(turn.asked, understand(turn.asked, turn.history).standalone) for turn in turns if not turn.understood()]
    assert len(missed) <= (1 - share) * len(turns), missed


def test_a_code_takes_the_place_of_a_code_alone() -> None:
    assert completed("And P3?", "How long does program P1 take?") == "How long does program P3 take?"
    assert completed("what about e-17", "What does E-12 of the kiln mean?") == "What does e-17 of the kiln mean?"
    assert completed("And P3?", "How long does P1 take in kiln K2?") == "How long does P3 take in kiln K2?"
    assert completed("And P3?", "How long does drying take?") == "How long does drying take? P3"
    assert completed("And glazing?", "How long does P1 take?") == "How long does P1 take? glazing"


@pytest.mark.parametrize(
    ("asked", "before", "whole"),
    [
        ("Tobias Renner?", "When did Ingrid Solheim start?", "When did Tobias Renner start?"),
        ("P3?", "How long does P1 take?", "How long does P3 take?"),
        ("Tobias Renner", "When did Ingrid Solheim start?", ""),  # something is looked for
        ("Lower Ford?", "When was the mill built?", ""),
        ("And Amara's?", "Where is Ingrid's desk?", "Where is Amara's desk?"),
        ("And Tobias?", "Where is Ingrid's desk?", "Where is Tobias's desk?"),
        ("And since when does Amara keep the books?", "What does Tobias Renner do?", ""),
    ],
)
def test_a_name_alone_takes_the_place_of_a_name(asked: str, before: str, whole: str) -> None:
    assert completed(asked, before) == whole
