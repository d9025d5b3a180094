from __future__ import annotations

import pytest

from trivium.domain.chunks import Chunk, Span
from trivium.domain.retrieval import Hit
from trivium.text.sentences import split_sentences
from trivium_query.answer.direct.contacts import contacts_in
from trivium_query.answer.direct.opposites import is_switched_otherwise

OFFICE = (
    "From: Dilwyn Heating <office@dilwyn.example>\n\nThe head coach is Callum Reyes. Hannah Adair runs the office:"
    " 0555 20 117, weekdays 9 to 1. For a smell of gas ring the emergency line +44 800 111 999 at any time."
    " Invoice 2024 0117 is paid."
)


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("What is Hannah's phone number?", ["0555 20 117"]),
        ("phone number of the office", ["0555 20 117"]),
        ("Which number do I ring for a smell of gas?", ["+44 800 111 999"]),
        ("What is the email address of Dilwyn Heating?", ["office@dilwyn.example"]),
        ("What is the phone number of Callum Reyes?", []),
        ("What is the number of the invoice?", []),
        ("Who runs the office?", []),
        ("Does Hannah have a phone?", []),
    ],
)
def test_numbers_to_ring_are_known_by_their_form(question: str, said: list[str]) -> None:
    chunk = Chunk("c", "d", "v", 0, OFFICE, Span(0, len(OFFICE)), "d.txt", tuple(split_sentences(OFFICE)))
    assert [OFFICE[one.start : one.end] for one in contacts_in(question, Hit(chunk, 1, 1.0))] == said


@pytest.mark.parametrize(
    ("question", "sentence", "otherwise"),
    [
        ("are the taps on in march?", "The taps are turned off until the end of March.", True),
        ("Is the heating on?", "The heating is switched off in May.", True),
        ("Are the taps off in March?", "The taps are turned off until the end of March.", False),
        ("Is the heating on now?", "The heating is on.", False),
        ("Is there a tap on the terrace?", "The taps are turned off.", False),
    ],
)
def test_what_is_off_is_not_on(question: str, sentence: str, otherwise: bool) -> None:
    assert is_switched_otherwise(question, sentence) is otherwise
