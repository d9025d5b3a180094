from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator, Sequence
from contextlib import closing

import numpy as np
import pytest

from trivium.domain.errors import TryLater
from trivium.ports.inference import Passage, PassageVectors, Vector
from trivium_query.question_vectors import REMEMBERED, QuestionVectors

WAIT_S = 5.0


class SlowEmbedder:
    """Says what it was asked; the first call waits until `go` is set. Texts become [length, 1], or more ones."""

    fingerprint = "slow"
    dimension = 2
    max_tokens = 10

    def __init__(self) -> None:
        self.calls: list[list[str]] = []
        self.begun = threading.Event()
        self.go = threading.Event()
        self.failing = False

    def embed_queries(self, texts: Sequence[str]) -> Vector:
        self.calls.append(list(texts))
        self.begun.set()
        assert self.go.wait(WAIT_S)
        if self.failing:
            raise TryLater("busy", "The model is busy.", "Wait.")
        return np.array([[len(text)] + [1] * (self.dimension - 1) for text in texts], np.float32)

    def embed_passages(self, passages: Sequence[Passage]) -> list[PassageVectors]:
        raise NotImplementedError

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        raise NotImplementedError


@pytest.fixture
def embedder() -> SlowEmbedder:
    return SlowEmbedder()


@pytest.fixture
def questions(embedder: SlowEmbedder) -> Iterator[QuestionVectors]:
    with closing(QuestionVectors(embedder)) as made:
        yield made


async def begun(embedder: SlowEmbedder) -> None:
    assert await asyncio.to_thread(embedder.begun.wait, WAIT_S)


async def test_questions_that_come_while_the_model_works_go_through_it_together(
    embedder: SlowEmbedder, questions: QuestionVectors
) -> None:
    first = asyncio.create_task(questions.embed(["a"]))
    await begun(embedder)
    others = [asyncio.create_task(questions.embed([text])) for text in ("bb", "ccc", "bb")]
    await asyncio.sleep(0)
    embedder.go.set()
    assert [(await task).tolist() for task in (first, *others)] == [[[1, 1]], [[2, 1]], [[3, 1]], [[2, 1]]]
    assert embedder.calls == [["a"], ["bb", "ccc"]]


async def test_a_question_is_embedded_once_and_remembered(embedder: SlowEmbedder, questions: QuestionVectors) -> None:
    embedder.go.set()
    assert (await questions.embed(["a", "bb"])).tolist() == [[1, 1], [2, 1]]
    assert (await questions.embed(["bb"])).tolist() == [[2, 1]]
    assert embedder.calls == [["a", "bb"]]


async def test_only_so_many_questions_are_remembered(embedder: SlowEmbedder, questions: QuestionVectors) -> None:
    embedder.go.set()
    await questions.embed(["first"])
    await questions.embed([str(number) for number in range(REMEMBERED)])
    embedder.calls.clear()
    await questions.embed(["first"])
    assert embedder.calls == [["first"]]


async def test_one_who_stops_waiting_takes_the_vector_from_nobody_else(
    embedder: SlowEmbedder, questions: QuestionVectors
) -> None:
    leaving = asyncio.create_task(questions.embed(["a"]))
    staying = asyncio.create_task(questions.embed(["a"]))
    await begun(embedder)
    leaving.cancel()
    embedder.go.set()
    assert (await staying).tolist() == [[1, 1]]


async def test_an_error_reaches_everybody_who_waits_and_is_not_remembered(
    embedder: SlowEmbedder, questions: QuestionVectors
) -> None:
    embedder.failing = True
    waiting = [asyncio.create_task(questions.embed(["a"])) for _ in range(2)]
    await begun(embedder)
    embedder.go.set()
    for task in waiting:
        with pytest.raises(TryLater):
            await task
    embedder.failing = False
    assert (await questions.embed(["a"])).tolist() == [[1, 1]]


async def test_what_another_model_made_of_a_question_is_forgotten(
    embedder: SlowEmbedder, questions: QuestionVectors
) -> None:
    embedder.go.set()
    await questions.embed(["a", "bb"])
    embedder.fingerprint, embedder.dimension = "other", 3
    assert (await questions.embed(["ccc"])).tolist() == [[3, 1, 1]]
    assert (await questions.embed(["a"])).tolist() == [[1, 1, 1]]


async def test_vectors_of_one_call_are_of_one_model(embedder: SlowEmbedder, questions: QuestionVectors) -> None:
    embedder.go.set()
    await questions.embed(["a"])
    embedder.fingerprint, embedder.dimension = "other", 3
    assert (await questions.embed(["a", "bb"])).tolist() == [[1, 1, 1], [2, 1, 1]]


async def test_no_texts_are_no_vectors(questions: QuestionVectors) -> None:
    assert (await questions.embed([])).shape == (0, 2)


async def test_with_no_room_to_remember_every_question_is_embedded_again(embedder: SlowEmbedder) -> None:
    embedder.go.set()
    with closing(QuestionVectors(embedder, remembered=0)) as vectors:
        for _ in range(2):
            async with asyncio.timeout(WAIT_S):
                assert (await vectors.embed(["heron"])).tolist() == [[5, 1]]
    assert embedder.calls == [["heron"], ["heron"]]
