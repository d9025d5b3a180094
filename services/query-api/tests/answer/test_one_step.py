"""Of a numbered list: how many steps it has, which is the third or last, and what comes behind one that is told."""

from __future__ import annotations

import pytest
from growth import LINEAR, growth

from trivium.domain.answers import Verdict
from trivium.domain.chunks import Chunk, Span
from trivium.domain.retrieval import Hit
from trivium.text.sentences import split_sentences
from trivium_query.answer.answerers.one_step import answer_by_one_step

GUIDE = """Change the filter

To change the filter of the pump:

1. Switch the pump off at the wall.
2. Turn the lid to the left and lift out the old filter.

Wear gloves.

3. Rinse the housing. Use cold water only.
4. Press the new filter in until it clicks.

Bleed the pump

1. Open the valve.
2. Close it once water runs without bubbles. Dry the floor after the water has run.
3. Note the pressure.

The pump was built in Graz."""
START = """Pack the tent

1. Beat the dust out of the tent.
2. Fold both poles."""
REST = """3. Roll the tent around the poles.
4. Tie the bag."""


def hit(text: str, number: int = 1, source: str = "pump.html") -> Hit:
    spans = tuple(split_sentences(text))
    return Hit(Chunk(f"{source}{number}", source, "v", number - 1, text, Span(0, len(text)), source, spans), 1, 1.0)


HITS = (hit(GUIDE), hit(REST, 2, "tent.html"), hit(START, 1, "tent.html"))


@pytest.mark.parametrize(
    ("question", "short"),
    [
        ("How many steps does it take to change the filter?", "4"),
        ("How many steps are there to bleed the pump?", "3"),
        ("What is the last step of changing the filter?", "Press the new filter in until it clicks."),
        ("What's the first step to bleed the pump?", "Open the valve."),
        ("What is the 3rd step when I change the filter?", "Rinse the housing. Use cold water only."),
        ("What do I do after lifting out the old filter?", "Rinse the housing."),
        ("Once I have switched off the pump at the wall, what should I do next?", "Turn the lid to the left and lift"),
        ("What is the third step of packing the tent?", "Roll the tent around the poles."),
    ],
)
def test_a_step_is_told_by_its_place(question: str, short: str) -> None:
    answered = answer_by_one_step(question, HITS)

    assert answered is not None
    assert answered.draft.short.startswith(short)


def test_a_list_with_something_behind_it_is_told_whole() -> None:
    answered = answer_by_one_step("How many steps are there to bleed the pump?", HITS)

    assert answered is not None
    assert answered.verdict is Verdict.SUPPORTED


@pytest.mark.parametrize(
    "question",
    [
        "How many steps does the stair have?",
        "How many pumps are there?",
        "What is the first step the mayor took against the flood?",
        "What is the last step to change the oil?",
        "What is the ninth step to bleed the pump?",
        "What do I do after noting the pressure?",
        "What do I do after the water has run?",
        "What comes after the interval?",
        "What happened after the pump was switched off at the wall?",
        "What is the second to last step to bleed the pump?",
        "Who does the first step of bleeding the pump?",
        "How long does the first step of bleeding the pump take?",
        "What comes before the third step of bleeding the pump?",
        "How many steps does the filter have?",
        "What do I do after lifting out the old filter if it is torn?",
        "Once I have lifted out the old filter, what should I do if it is torn?",
        "What do I do after turning the lid of the pump until it clicks?",
    ],
)
def test_no_step_is_told_where_no_list_or_several_may_be_meant(question: str) -> None:
    assert answer_by_one_step(question, HITS) is None


def test_a_list_that_ends_its_passage_may_go_on() -> None:
    answered = answer_by_one_step("How many steps does packing the tent have?", (hit(START, 1, "tent.html"),))

    assert answered is not None
    assert answered.verdict is Verdict.PARTIALLY_SUPPORTED


def test_what_is_no_deed_has_no_step_behind_it() -> None:
    rules = (hit("Faults\n\n1. If the pump leaks, close the valve.\n2. Never run it dry.\n3. Call the service."),)

    assert answer_by_one_step("What do I do after the pump leaks?", rules) is None
    assert answer_by_one_step("What should I do after running it dry?", rules) is None


@pytest.mark.parametrize("words", ["once a ", "what do i do after ", "what is the first step "])
def test_a_long_question_costs_no_more_than_its_length(words: str) -> None:
    assert growth(lambda times: answer_by_one_step(words * times, ()), 200) < LINEAR
