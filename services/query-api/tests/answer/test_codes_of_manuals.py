"""What a manual says of a code, and of a value that a setting is given."""

from __future__ import annotations

import pytest

from trivium.domain.answers import Verdict
from trivium.domain.chunks import Chunk, Span
from trivium.domain.retrieval import Hit
from trivium.text.sentences import split_sentences
from trivium_query.answer.answerers.coded import answer_by_code, answer_by_value

CODES = """EXIT CODES
0 - Hived went into the background.

2 - A problem with the meadow occurred (fence in use, attempt to
use another meadow)."""
OTHERS = """EXIT CODES
There are many.

1 Unsupported queen.

22 Page not found. The page that was asked for was not
there."""
OPTIONS = """-p, --port=<port>
Listen on <port> instead of the usual one (53). Setting
this to zero completely disables the door.

--query-port=<port>
Send from a fixed port. Setting this option to zero makes it use a single
port.

doorport port
The doorport directive allows the port that is used for watching
to be altered. If set to 0, hived will not open the port.

--age=N
Drop what is older. With 10 or more, nothing is kept."""


def hit(text: str, source: str) -> Hit:
    return Hit(Chunk(source, source, "v", 0, text, Span(0, len(text)), source, tuple(split_sentences(text))), 1, 1.0)


HITS = (hit(CODES, "hived.txt"), hit(OTHERS, "man-fetch.txt"), hit(OPTIONS, "hived.conf.txt"))


@pytest.mark.parametrize(
    ("question", "says"),
    [
        ("What does exit code 2 of hived mean?", "2 - A problem with the meadow occurred (fence in use, attempt to"),
        ("What does exit code 22 mean in fetch?", "22 Page not found."),
        ("What does exit status 1 of fetch mean?", "1 Unsupported queen."),
    ],
)
def test_a_list_of_codes_says_what_one_means(question: str, says: str) -> None:
    answered = answer_by_code(question, HITS)
    assert answered is not None
    assert answered.draft.text.startswith(says)
    assert answered.verdict is Verdict.SUPPORTED


def test_whose_code_it_is_may_be_left_open() -> None:
    answered = answer_by_code("What is error 22?", HITS)
    assert answered is not None
    assert answered.draft.text.startswith("22 Page not found.")
    assert answered.verdict is Verdict.PARTIALLY_SUPPORTED


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("What does code 2 mean?", "Pancakes\n2 eggs\n3 cups of flour"),
        ("What is error 3?", "Agenda\n2 Minutes\n3 Error in the budget"),
        ("What is status 3?", "2 Methods 9\n3 Status of the code 12"),
    ],
)
def test_what_is_numbered_is_no_code(question: str, text: str) -> None:
    assert answer_by_code(question, [hit(text, "cake.txt")]) is None


@pytest.mark.parametrize(
    "question",
    [
        "What does exit code 7 of hived mean?",
        "What does exit code 2 of antd mean?",
        "What is code 53?",
        "Who wrote error 22?",
        "What is the status of error 22 in the meadow?",
    ],
)
def test_of_what_no_list_has_nothing_is_said(question: str) -> None:
    assert answer_by_code(question, HITS) is None


@pytest.mark.parametrize(
    ("question", "says"),
    [
        ("What happens if I set hived's port to 0?", "Setting this to zero completely disables the door."),
        ("What happens if doorport is 0?", "If set to 0, hived will not open the port."),
        ("What happens when the query-port is zero?", "Setting this option to zero makes it use a single port."),
    ],
)
def test_an_entry_says_what_a_value_does(question: str, says: str) -> None:
    answered = answer_by_value(question, HITS)
    assert answered is not None
    assert answered.draft.text.startswith(says)
    assert answered.verdict is Verdict.SUPPORTED


@pytest.mark.parametrize(
    "question",
    [
        "What happens if the age is 1?",
        "What happens if the honey is 0?",
        "What happens if I set the port to 53?",
        "What happens if the port is closed?",
        "What happens if antd's port is 0?",
    ],
)
def test_of_another_value_or_setting_nothing_is_said(question: str) -> None:
    assert answer_by_value(question, HITS) is None


@pytest.mark.parametrize(
    "told",
    [
        "It may be any number in the range of 0 to 100.",
        "The default is 0.",
        "It goes from 5 down to 0.",
        "It is 0-10 euros.",
        "Unless it is 0, the price is shown.",
        "If the weight is 0, it is sent by air.",
        "Setting the weight to 0 hides it.",
        "If set to 05 or 0.5, nothing is kept.",
    ],
)
def test_a_number_that_is_told_of_something_else_is_not_what_a_value_does(told: str) -> None:
    assert answer_by_value("What happens if the price is 0?", [hit(f"--price=N\n{told}", "shop.txt")]) is None


@pytest.mark.parametrize(
    "told", ["A value of 0 hides it.", "If the price is 0, it is hidden.", "If <N> is 0, it hides."]
)
def test_what_a_value_does_is_told_in_several_ways(told: str) -> None:
    assert answer_by_value("What happens if the price is 0?", [hit(f"--price=N\n{told}", "shop.txt")]) is not None
