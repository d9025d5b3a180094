"""Of several values the one whose condition the question meets; what is denied of another thing is not of this."""

from __future__ import annotations

import pytest

from trivium.domain.chunks import Chunk, Span
from trivium.domain.parsed import UnitKind
from trivium.domain.retrieval import Hit
from trivium.text.sentences import split_sentences
from trivium_query.answer.direct.conditions import (
    is_no_age,
    is_no_count,
    is_of_a_case,
    is_of_another_row,
    is_of_the_other,
    meets,
)
from trivium_query.answer.direct.hops import Found

HOURS = "The house is open from 6 am to 9 pm; in winter (November to February) only from 10 am to 4 pm."
FEES = "Fees: adults 240 euros a year, juniors (under 18) 95, over 65 120, students 140."
AGES = "The ride costs 4 euros from 12 years on, 2 euros for children aged 4 to 11 years."


BOATS = "Boat: Curlew; Type: motor boat; Licensed until: 1 October\nBoat: Plover; Type: punt; Licensed until: 15 March"


def found(text: str, words: str, kind: UnitKind = UnitKind.TEXT) -> Found:
    start = text.index(words)
    chunk = Chunk("c", "d", "v", 0, text, Span(0, len(text)), "d.txt", tuple(split_sentences(text)), kind)
    return Found(Hit(chunk, 1, 1.0), start, start + len(words), 0.0, "?")


@pytest.mark.parametrize(
    ("question", "text", "words", "meeting"),
    [
        ("When can I get in in January?", HOURS, "10 am to 4 pm", True),
        ("When can I get in in January?", HOURS, "6 am to 9 pm", False),
        ("When can I get in in May?", HOURS, "6 am to 9 pm", None),
        ("When can I get in?", HOURS, "6 am to 9 pm", None),
        ("How much is it for a 16 year old?", FEES, "95", True),
        ("How much is it for a 16 year old?", FEES, "240 euros", False),
        ("I'm 70, what do I pay?", FEES, "120", True),
        ("What does a 30-year-old pay?", FEES, "240 euros", None),
        ("What does the ride cost for a 7 year old?", AGES, "2 euros", True),
        ("What does the ride cost for a 12 year old?", AGES, "2 euros", False),
    ],
)
def test_a_value_stands_under_its_condition(question: str, text: str, words: str, meeting: bool | None) -> None:
    assert meets(question, found(text, words)) is meeting


@pytest.mark.parametrize(
    ("question", "text", "words", "no_age"),
    [
        ("How old is Jens Holt?", "Jens Holt retires after 22 years.", "22 years", True),
        ("How old is Jens Holt?", "Jens Holt is 61 years old.", "61 years", False),
        ("How old is Jens Holt?", "His birthday is on 4 October.", "4 October", True),
        ("How long was Jens Holt here?", "Jens Holt retires after 22 years.", "22 years", False),
    ],
)
def test_how_long_something_went_on_is_no_age(question: str, text: str, words: str, no_age: bool) -> None:
    assert is_no_age(question, found(text, words)) is no_age


TENTS = "We have room for 14 people; the Lindens bring another for 6. The mixed four (9.20) starts first with 4 boats."


@pytest.mark.parametrize(
    ("question", "words", "no_count"),
    [
        ("How many tents do the Lindens bring?", "6", True),
        ("How many can sleep there?", "14 people", False),
        ("For how many do the Lindens bring one?", "6", False),
        ("How many start in the mixed four?", "9.20", True),
        ("How many boats start first?", "4 boats", False),
        ("When does the mixed four start?", "9.20", False),
    ],
)
def test_a_time_and_for_how_many_are_no_count(question: str, words: str, no_count: bool) -> None:
    assert is_no_count(question, found(TENTS, words)) is no_count


@pytest.mark.parametrize(
    ("question", "words", "other"),
    [
        ("Who was the boatman before Nadia?", "Nadia Prell", True),
        ("Who was the boatman before Nadia?", "Jens Holt", False),
        ("Who takes over from Jens Holt?", "Nadia Prell", False),
    ],
)
def test_who_came_before_somebody_is_another(question: str, words: str, other: bool) -> None:
    assert is_of_the_other(question, found("Nadia Prell takes over from Jens Holt.", words)) is other


@pytest.mark.parametrize(
    ("question", "words", "other"),
    [
        ("When does the licence of the Plover expire?", "1 October", True),
        ("When does the licence of the Plover expire?", "15 March", False),
        ("Until when is the motor boat licensed?", "1 October", False),
        ("Until when are boats licensed?", "1 October", False),
    ],
)
def test_a_cell_stands_in_the_row_that_has_most_of_the_question(question: str, words: str, *, other: bool) -> None:
    assert is_of_another_row(question, found(BOATS, words, UnitKind.TABLE)) is other
    assert not is_of_another_row(question, found(BOATS, words))


@pytest.mark.parametrize(
    ("question", "text", "words", "of_a_case"),
    [
        ("How many members can the board have?", "When there are 5 members or fewer it may name more.", "5", True),
        ("How many members can the board have?", "The board has up to 8 members.", "8", False),
        ("How many members can the board have?", "If the board has fewer than 4 members, it names more.", "4", True),
        ("How many members are needed for a new one?", "When there are 5 members or fewer it names more.", "5", False),
        ("How many cabins had the ship?", "When the ship was launched it had 40 cabins.", "40", False),
        ("How many schools are in Harrow?", "Otto moved to Harrow, where there are 3 schools.", "3", False),
        ("How many lifeboats are there?", "While there are 12 lifeboats, two leak.", "12", False),
        ("What does the board do?", "When there are 5 members or fewer it may name more.", "5", False),
    ],
)
def test_the_case_in_which_something_holds_is_no_count(question: str, text: str, words: str, of_a_case: bool) -> None:
    assert is_of_a_case(question, found(text, words)) is of_a_case
