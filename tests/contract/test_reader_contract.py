"""What a `Reader` (`trivium.ports.inference`) promises: here, and behind the service."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from itertools import pairwise
from pathlib import Path

import pytest
from inference_peer import inference_service
from tiny_reader import write_tiny_reader

from trivium.adapters.distributed.inference.models import RemoteReader
from trivium.adapters.distributed.inference.server import Inference
from trivium.config import load_settings
from trivium.domain.errors import NeverWill
from trivium.ports.inference import Passage, Reader, Reading
from trivium_inference.model_files import ModelFiles
from trivium_inference.reader import build_reader
from trivium_inference.reader_weights import FACTS

QUESTION = "see the river"
PASSAGES = [
    Passage("people walk over the old river"),
    Passage("a long bridge", "the river"),
    Passage("river stone riverside"),
    Passage(""),
    Passage("people walk over the old river"),
]
CLOSE = 0.05  # of bf16 scores: the company in a batch moves the last digits


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> ModelFiles:
    return write_tiny_reader(tmp_path_factory.mktemp("reader"))


@pytest.fixture(scope="module")
def embedded(model: ModelFiles) -> Reader:
    reader = build_reader(model, load_settings().cache_dir.expanduser())
    assert reader is not None
    return reader


@pytest.fixture(scope="module")
def remote(model: ModelFiles) -> Iterator[Reader]:
    with (
        inference_service(embed_model=str(model.path)) as service,
        closing(Inference(service.address)) as client,
    ):
        yield RemoteReader(client)


@pytest.fixture(params=["embedded", "remote"])
def reader(request: pytest.FixtureRequest) -> Reader:
    found: Reader = request.getfixturevalue(request.param)
    return found


def best(reading: Reading, passage: Passage) -> str:
    return passage.text[reading.spans[0].start : reading.spans[0].end] if reading.spans else ""


async def test_empty_no_passages_have_no_readings(reader: Reader) -> None:
    assert await reader.read(QUESTION, []) == []


async def test_missing_a_passage_without_words_has_no_spans(reader: Reader) -> None:
    (reading,) = await reader.read(QUESTION, [Passage(" \n ", "the river")])
    assert reading.spans == ()


async def test_order_each_passage_has_the_reading_that_it_has_alone(reader: Reader) -> None:
    together = await reader.read(QUESTION, PASSAGES)
    alone = [(await reader.read(QUESTION, [passage]))[0] for passage in PASSAGES]
    for passage, one, other in zip(PASSAGES, together, alone, strict=True):
        assert best(one, passage) == best(other, passage)
        assert one.no_answer == pytest.approx(other.no_answer, abs=CLOSE)


async def test_duplicate_passages_have_equal_readings(reader: Reader) -> None:
    readings = await reader.read(QUESTION, PASSAGES)
    assert best(readings[0], PASSAGES[0]) == best(readings[4], PASSAGES[4])
    assert readings[0].spans[0].score == pytest.approx(readings[4].spans[0].score, abs=CLOSE)


async def test_spans_are_whole_words_of_the_text_and_do_not_overlap_and_come_best_first(reader: Reader) -> None:
    for passage, reading in zip(PASSAGES, await reader.read(QUESTION, PASSAGES), strict=True):
        words = passage.text.split()
        assert all(set(passage.text[span.start : span.end].split()) <= set(words) for span in reading.spans)
        assert [span.score for span in reading.spans] == sorted((span.score for span in reading.spans), reverse=True)
        places = sorted((span.start, span.end) for span in reading.spans)
        assert all(end <= start for (_, end), (start, _) in pairwise(places))


async def test_the_prefix_is_read_but_has_no_spans(reader: Reader) -> None:
    passage = Passage("a long bridge", "the river")
    (reading,) = await reader.read("river", [passage])
    assert all(0 <= span.start < span.end <= len(passage.text) for span in reading.spans)
    assert reading.no_answer > reading.spans[0].score, "its words are only in the prefix"


async def test_a_passage_longer_than_the_models_window_is_read_to_its_end(reader: Reader) -> None:
    passage = Passage("people walk over a long stone bridge " * 120 + "river")
    (reading,) = await reader.read("river", [passage])
    assert best(reading, passage) == "river"


async def test_what_answers_is_more_probable_than_what_does_not(reader: Reader) -> None:
    right, wrong = await reader.read("river", [Passage("people see the river"), Passage("people walk over a bridge")])
    assert right.spans[0].probability > 0.5 > wrong.spans[0].probability
    assert right.spans[0].score > right.no_answer


async def test_a_question_without_words_is_read_too(reader: Reader) -> None:
    assert len(await reader.read("", PASSAGES)) == len(PASSAGES)


async def test_readings_are_the_same_of_both(embedded: Reader, remote: Reader) -> None:
    assert remote.fingerprint == embedded.fingerprint
    here, there = await embedded.read(QUESTION, PASSAGES), await remote.read(QUESTION, PASSAGES)
    assert [best(reading, passage) for reading, passage in zip(here, PASSAGES, strict=True)] == [
        best(reading, passage) for reading, passage in zip(there, PASSAGES, strict=True)
    ]


async def test_a_service_whose_embedder_has_no_reader_says_so(tmp_path: Path) -> None:
    (write_tiny_reader(tmp_path).path / FACTS).unlink()
    with (
        inference_service(embed_model=str(tmp_path)) as service,
        closing(Inference(service.address)) as client,
        pytest.raises(NeverWill, match="runs no reader"),
    ):
        await RemoteReader(client).read(QUESTION, PASSAGES)
