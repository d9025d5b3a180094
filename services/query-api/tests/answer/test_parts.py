"""Two questions in one."""

from __future__ import annotations

import pytest

from trivium.domain.answers import Verdict
from trivium_query.answer.citations import Draft
from trivium_query.answer.parts import joined, parts_of


@pytest.mark.parametrize(
    ("question", "first", "second"),
    [
        ("Who built the mill, and when?", "Who built the mill?", "When built the mill?"),
        ("Who moved the mill and in which year?", "Who moved the mill?", "In which year moved the mill?"),
        ("When and where was Ada born?", "When was Ada born?", "Where was Ada born?"),
        ("What is the rent and who collects it?", "What is the rent?", "Who collects the rent?"),
        ("Why was it moved and by whom?", "Why was it moved?", "By whom was it moved?"),
    ],
)
def test_the_second_takes_from_the_first_what_it_leaves_out(question: str, first: str, second: str) -> None:
    assert parts_of(question) == (first, second)


@pytest.mark.parametrize(
    "question",
    [
        "Which schools and clubs take part?",
        "What is the difference between who and whom?",
        "Did Ada and Karin meet, and why?",
        "Who is the man and the woman?",
    ],
)
def test_one_question_stays_one(question: str) -> None:
    assert parts_of(question) is None


def test_what_was_not_found_of_two_is_said_and_the_answer_is_partial() -> None:
    parts, found = ("Who?", "When?"), Draft("Ada. [Source: a.md, chunk 1]", found=True, short="Ada")
    both, sure = joined(parts, (found, found), (Verdict.SUPPORTED, Verdict.SUPPORTED))
    assert (both.text, both.short, sure) == (found.text, "Ada; Ada", Verdict.SUPPORTED)
    half, verdict = joined(parts, (found, Draft("Not found.", found=False)), (Verdict.SUPPORTED, None))
    assert (half.notes, half.short, verdict) == (("Not found: When?",), "Ada", Verdict.PARTIALLY_SUPPORTED)
    none, verdict = joined(parts, (Draft("Not found.", found=False),) * 2, (None, None))
    assert (none.found, verdict) == (False, Verdict.NOT_SUPPORTED)
