"""How many questions of two lists are told to be of their kind.

Both lists were written before the rules. `questions_apart` was not read while they were made.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import msgspec
import pytest

from trivium.domain.answers import Kind
from trivium_query.answer.kinds import kind_of


class Labelled(msgspec.Struct, frozen=True):
    kind: Kind
    question: str


def labelled(name: str) -> list[Labelled]:
    lines = (Path(__file__).parent / name).read_bytes().splitlines()
    return [msgspec.json.decode(line, type=Labelled) for line in lines]


@pytest.mark.parametrize(
    ("name", "share", "least_recall"), [("questions.jsonl", 0.99, 0.9), ("questions_apart.jsonl", 0.98, 0.85)]
)
def test_most_questions_are_told_by_their_words(name: str, share: float, least_recall: float) -> None:
    questions = labelled(name)
    missed = [
        (one.kind.value, kind_of(one.question).value, one.question)
        for one in questions
        if kind_of(one.question) is not one.kind
    ]
    assert len(missed) <= (1 - share) * len(questions), missed
    asked = Counter(one.kind for one in questions)
    wrong = Counter(wanted for wanted, _, _ in missed)
    recalls = {kind: 1 - wrong[kind.value] / asked[kind] for kind in Kind}
    assert min(recalls.values()) >= least_recall, recalls


@pytest.mark.parametrize("text", ["?!", "", "\u4f60\u597d\u5417", "a" * 4000, "or or or", "12 34", "\ud83d\ude00"])
def test_any_text_has_a_kind(text: str) -> None:
    assert kind_of(text) in Kind


def test_articles_on_a_list_are_goods() -> None:
    assert kind_of("How many articles on herons are there?") is Kind.COLLECTION
    assert kind_of("How many of the articles on the stock list are ours?") is Kind.COUNT


@pytest.mark.parametrize(
    "question",
    [
        "Which command finds the file on a bad disk?",
        "What does the report say about the weather?",
        "Which program opens the report on Linux?",
        "How many people read the paper on Sundays?",
        "Does the report mention a fine?",
    ],
)
def test_what_is_asked_of_a_document_or_beside_it_asks_for_no_documents(question: str) -> None:
    assert kind_of(question) is not Kind.COLLECTION


@pytest.mark.parametrize(
    "question",
    [
        "Which of the documents mention otters?",
        "How many of our reports mention bees?",
        "Which of my three files talk about taxes?",
        "How many annual reports deal with water?",
        "Do any of the papers discuss bees?",
        "Find the article about the bridge.",
        "Welche meiner Dokumente handeln von Bienen?",
    ],
)
def test_documents_that_tell_of_something_are_asked_for(question: str) -> None:
    assert kind_of(question) is Kind.COLLECTION
