"""The likeliest spans are read again in their sentences alone: what still is an answer there comes first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pytest

from trivium.domain.chunks import Chunk, Span
from trivium.domain.retrieval import Hit
from trivium.ports.inference import Passage, Reading, ReadSpan
from trivium.text.sentences import split_sentences
from trivium_query.answer.direct.choose import Chosen
from trivium_query.answer.direct.close import read_closely
from trivium_query.answer.direct.hops import Found

TEXT = "The hall was let to Ana Roth. Tom Vasquez mends the roof. He comes on Mondays."
WEIGHTS = {"likely": 1.0, "close": 1.6, "unread": -0.5}


def span(passage: Passage, words: str, probability: float) -> ReadSpan:
    start = passage.text.index(words)
    return ReadSpan(start, start + len(words), 1.0, probability)


def chosen(*told: tuple[str, float], question: str = "Who?") -> list[Chosen]:
    chunk = Chunk("c", "d", "v", 0, TEXT, Span(0, len(TEXT)), "d.txt", tuple(split_sentences(TEXT)))
    rows = []
    for words, likely in told:
        start = TEXT.index(words)
        rows.append(Chosen(Found(Hit(chunk, 1, 1.0), start, start + len(words), 0.0, question), likely, {}, likely))
    return rows


class Reader:
    """Finds these words, each with its probability, in whatever passage has them."""

    def __init__(self, words: Mapping[str, float]) -> None:
        self.words = words
        self.read: list[str] = []

    async def __call__(self, _question: str, passages: Sequence[Passage]) -> list[Reading]:
        self.read += [passage.text for passage in passages]
        return [
            Reading(tuple(span(passage, *one) for one in self.words.items() if one[0] in passage.text), 0.0)
            for passage in passages
        ]


async def test_what_is_an_answer_in_its_sentence_alone_comes_first() -> None:
    reader = Reader({"Tom Vasquez": 0.9, "Ana Roth": 0.01})
    told = await read_closely(chosen(("Ana Roth", 0.5), ("Tom Vasquez", 0.4)), reader, WEIGHTS)
    assert [one.short for one in told] == ["Tom Vasquez", "Ana Roth"]
    assert told[0].likely > told[1].likely
    assert told[0].probability == 0.4
    assert set(reader.read) == {
        "The hall was let to Ana Roth.",
        "Tom Vasquez mends the roof.",
        "The hall was let to Ana Roth. Tom Vasquez mends the roof.",
    }


async def test_without_weights_the_order_stays() -> None:
    reader = Reader({"Tom Vasquez": 0.9, "Ana Roth": 0.01})
    told = await read_closely(chosen(("Ana Roth", 0.5), ("Tom Vasquez", 0.4)), reader, {})
    assert [one.short for one in told] == ["Ana Roth", "Tom Vasquez"]
    assert told[0].signals["close"] < told[1].signals["close"]


@pytest.mark.parametrize(("read", "unread"), [("Tom Vasquez", 0.0), ("Tom Vasquez mends the roof", 1.0), ("Ana", 1.0)])
async def test_only_the_same_words_count(read: str, unread: float) -> None:
    (told,) = await read_closely(chosen(("Tom Vasquez", 0.4)), Reader({read: 0.9}), WEIGHTS)
    assert told.signals["unread"] == unread


async def test_nothing_chosen_is_nothing_read() -> None:
    reader = Reader({})
    assert await read_closely([], reader, WEIGHTS) == []
    assert reader.read == []


@pytest.mark.parametrize(
    ("question", "own", "read", "unread"),
    [
        ("What does Tom Vasquez mend?", "roof", "Tom Vasquez mends the roof", 0.0),
        ("What is mended?", "roof", "Tom Vasquez mends the roof", 1.0),  # who does it is no word of the question
        ("What does Tom Vasquez mend?", "roof", "Tom Vasquez mends", 1.0),
        ("To which Ana was it let?", "Roth", "let to Ana Roth", 1.0),  # "Ana" is of the name
    ],
)
async def test_words_of_the_question_may_stand_before_it(question: str, own: str, read: str, unread: float) -> None:
    (told,) = await read_closely(chosen((own, 0.4), question=question), Reader({read: 0.9}), WEIGHTS)
    assert told.signals["unread"] == unread
