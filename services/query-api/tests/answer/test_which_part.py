"""Which numbered part of a document deals with something."""

from __future__ import annotations

import msgspec
import pytest

from trivium.domain.answers import Verdict
from trivium.domain.chunks import Chunk, Span
from trivium.domain.retrieval import Hit
from trivium.text.sentences import split_sentences
from trivium_query.answer.answerers.which_part import answer_which_part, part_sought

LEASE = """Lease of the mill

1. Rent

The tenant pays 900 euros a month.

2. Insurance and repairs

2.1 The landlord insures the building against fire.

2.2 The tenant mends what breaks.

3. Notice

Either side may end the lease with three months' notice. The tenant pays until then; the insurance is paid back."""


def chunk(text: str) -> Chunk:
    return Chunk("c1", "d1", "v", 0, text, Span(0, len(text)), "lease.txt", tuple(split_sentences(text)))


@pytest.mark.parametrize(
    ("question", "short"),
    [
        ("Which clause deals with insurance?", "clause 2"),  # its heading, though clause 3 mentions it
        ("What section of the lease is about notice?", "section 3"),
        ("Which clause covers fire?", "clause 2.1"),
        ("In which clause of the lease covers fire?", "clause 2.1"),
    ],
)
def test_the_part_that_deals_with_something_is_told_by_its_number(question: str, short: str) -> None:
    sought = part_sought(question)
    assert sought is not None
    answered = answer_which_part(sought, [[chunk(LEASE)]], [Hit(chunk(LEASE), 1, 1.0)])
    assert answered is not None
    assert (answered.draft.short, answered.verdict) == (short, Verdict.SUPPORTED)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("2. Scope\n\nThis clause is short. It holds for moths.", ["2. Scope", "It holds for moths."]),
        ("2. Scope\n\nThis clause does not cover moths.", None),
        ("2. Scope\n\nMoths are treated in another paper.", None),
        ("2. Moths are not covered here.", None),
    ],
)
def test_a_part_that_mentions_it_is_not_sure_and_one_that_leaves_it_out_is_none(
    text: str, said: list[str] | None
) -> None:
    sought, known = part_sought("Which clause covers moths?"), chunk("Rent is paid.")
    assert sought is not None
    whole = msgspec.structs.replace(chunk(f"1. Rent\n\nIt is paid.\n\n{text}\n\n3. Notice\n\nA month."), id="c2")
    answered = answer_which_part(sought, [[whole]], [Hit(known, 1, 1.0)])
    assert (answered and [one.quote for one in answered.draft.citations]) == said
    if answered is not None:
        assert answered.verdict is Verdict.PARTIALLY_SUPPORTED
        assert [hit.chunk.id for hit in answered.hits or ()] == ["c1", "c2"]


@pytest.mark.parametrize(
    "question",
    [
        "Which clause deals with dogs?",  # none
        "Which clause covers what the tenant pays?",  # several
        "Which clause of the charter deals with fire?",  # of another document
        "Which chapter deals with fire in the cellar?",
    ],
)
def test_what_no_part_or_several_deal_with_is_left_to_others(question: str) -> None:
    sought = part_sought(question)
    assert sought is not None
    assert answer_which_part(sought, [[chunk(LEASE)]], [Hit(chunk(LEASE), 1, 1.0)]) is None


@pytest.mark.parametrize("question", ["Which club deals with boats?", "What does clause 2 say?", "Which section won?"])
def test_other_questions_are_none_of_these(question: str) -> None:
    assert part_sought(question) is None
