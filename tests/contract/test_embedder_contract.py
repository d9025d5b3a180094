"""What `trivium.ports.inference.Embedder` promises, of the one in this process and of the one behind the service."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing

import numpy as np
import pytest

from trivium.adapters.distributed.inference.models import RemoteEmbedder
from trivium.adapters.distributed.inference.server import Inference
from trivium.config import load_settings
from trivium.domain.chunks import Span
from trivium.ports.inference import Embedder, Passage, PassageVectors
from trivium.text.sentences import split_sentences
from trivium_inference.embed import EmbedOptions, build_embedder
from trivium_query.question_vectors import QuestionVectors

TEXTS = [
    "The bridge over the river was built in 1867. It carries two railway lines.",
    "Überall in der Stadt hört man Musik. 今天天气很好。 🎉 👩‍🔬!",
    "A short one",
    "word " * 600,
    "Bread is made of flour, water and salt.\n\nIt is baked.\x00 Some like it dark, others do not! Who knows why?",
    "   ",
]
CLOSE = 0.9995  # of bf16 vectors: the company in a batch moves the last digits


@pytest.fixture(scope="module")
def embedded() -> Iterator[Embedder]:
    settings = load_settings({})
    with closing(build_embedder(EmbedOptions(settings.cache_dir.expanduser()))) as embedder:
        yield embedder


@pytest.fixture(scope="module")
def remote(inference: Inference) -> Embedder:
    return RemoteEmbedder(inference)


@pytest.fixture(params=["embedded", "remote"])
def embedder(request: pytest.FixtureRequest) -> Embedder:
    found: Embedder = request.getfixturevalue(request.param)
    return found


def passage(text: str, prefix: str = "") -> Passage:
    return Passage(text, prefix, split_sentences(text))


def close(one: PassageVectors, other: PassageVectors) -> bool:
    sentences = (one.sentences * other.sentences).sum(axis=-1)
    return float(one.passage @ other.passage) > CLOSE and bool((sentences > CLOSE - 0.002).all())


def test_nothing_in_gives_nothing_out(embedder: Embedder) -> None:
    assert embedder.embed_passages([]) == []
    assert embedder.embed_queries([]).shape == (0, embedder.dimension)
    assert embedder.embed_queries([]).dtype == np.float32
    assert embedder.count_tokens([]) == []


def test_an_empty_text_has_a_vector(embedder: Embedder) -> None:
    (found,) = embedder.embed_passages([Passage("")])
    assert np.isfinite(found.passage).all()
    assert found.sentences.shape == (0, embedder.dimension)
    assert np.isfinite(embedder.embed_queries([""])).all()


def test_answers_come_in_the_order_of_the_questions_and_twice_for_what_is_asked_twice(embedder: Embedder) -> None:
    alone = [embedder.embed_passages([passage(text, "Title")])[0] for text in TEXTS]
    order = [3, 0, 5, 1, 0, 2, 4, 3, 3]
    together = embedder.embed_passages([passage(TEXTS[number], "Title") for number in order])
    assert all(close(found, alone[number]) for found, number in zip(together, order, strict=True))
    queries = embedder.embed_queries([TEXTS[number] for number in order])
    for row, number in zip(queries, order, strict=True):
        assert float(row @ embedder.embed_queries([TEXTS[number]])[0]) > CLOSE


def test_every_vector_has_length_one(embedder: Embedder) -> None:
    for found, text in zip(embedder.embed_passages([passage(text) for text in TEXTS]), TEXTS, strict=True):
        assert found.passage.shape == (embedder.dimension,)
        assert found.passage.dtype == found.sentences.dtype == np.float32
        assert found.sentences.shape == (len(split_sentences(text)), embedder.dimension)
        assert np.linalg.norm(found.passage) == pytest.approx(1, abs=1e-4)
        assert np.linalg.norm(found.sentences, axis=1) == pytest.approx(1, abs=1e-4)


def test_sentences_past_the_window_get_the_passages_vector(embedder: Embedder) -> None:
    text = "word " * 600 + ". The end is here."
    (found,) = embedder.embed_passages([Passage(text, "", (Span(0, 20), Span(len(text) - 16, len(text))))])
    assert np.array_equal(found.sentences[1], found.passage)
    assert not np.array_equal(found.sentences[0], found.passage)


def test_a_very_long_text_is_read_as_far_as_the_window_goes(embedder: Embedder) -> None:
    huge, cut = embedder.embed_passages([Passage("river bridge " * 200_000), Passage("river bridge " * 400)])
    assert float(huge.passage @ cut.passage) > CLOSE


def test_tokens_are_counted_without_marks_and_without_a_window(embedder: Embedder) -> None:
    assert embedder.count_tokens(["the river", "", "word " * 1000, "the"]) == [2, 0, 1000, 1]
    assert embedder.max_tokens == 256


def test_many_passages_are_more_than_one_message_holds(embedder: Embedder) -> None:
    many = [Passage(f"river {number}", "", tuple(Span(0, 5) for _ in range(200))) for number in range(120)]
    found = embedder.embed_passages(many)
    assert len(found) == 120
    assert sum(one.sentences.nbytes for one in found) > 16 * 1024 * 1024
    assert all(close(found[number], embedder.embed_passages([many[number]])[0]) for number in (0, 57, 119))


def test_many_threads_get_their_own_answers(embedder: Embedder) -> None:
    expected = embedder.embed_queries(TEXTS)
    with ThreadPoolExecutor(8) as threads:
        ingest = threads.submit(embedder.embed_passages, [passage(text) for text in TEXTS * 4])
        rows = list(threads.map(lambda text: embedder.embed_queries([text])[0], TEXTS * 4))
    assert ((np.stack(rows) * np.tile(expected, (4, 1))).sum(axis=1) > CLOSE).all()
    assert len(ingest.result()) == 4 * len(TEXTS)


async def test_questions_of_the_query_service_go_through_it(embedder: Embedder) -> None:
    with closing(QuestionVectors(embedder)) as questions:
        rows = await questions.embed(["who?", "where?", "who?"])
    expected = embedder.embed_queries(["who?", "where?"])
    assert ((rows * expected[[0, 1, 0]]).sum(axis=1) > CLOSE).all()


def test_artifacts_are_shared_between_both(embedded: Embedder, remote: Embedder) -> None:
    assert remote.fingerprint == embedded.fingerprint
    assert (remote.dimension, remote.max_tokens) == (embedded.dimension, embedded.max_tokens)
    here, there = (one.embed_passages([passage(text) for text in TEXTS]) for one in (embedded, remote))
    assert all(close(one, other) for one, other in zip(here, there, strict=True))
