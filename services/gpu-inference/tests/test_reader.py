"""The reader's files: off where they are not this embedder's, refused where they are not those that were shipped."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import msgspec
import numpy as np
import pytest
from tiny_reader import write_tiny_reader

from trivium.config import load_settings
from trivium.domain.errors import NeverWill
from trivium.ports.inference import Passage
from trivium_inference.model_files import locate_model
from trivium_inference.reader import SpanReader, build_reader
from trivium_inference.reader_weights import FACTS, MAX_BYTES, SHIPPED, WEIGHTS, changed, differences, read_facts

READ = [
    ("Who designed the bridge at Corrin?", "Ilse Brandt"),
    ("When was the bridge at Corrin opened?", "2016"),
    ("How many salmon were counted at Lower Ford?", "412"),
    ("Where does the botanist live?", "Norwich"),
]
LIBRARY = [
    Passage("The bridge at Corrin was designed by Ilse Brandt. It was opened in 2016 and crosses the Harrow."),
    Passage("In the autumn of 2023, 412 salmon were counted at Lower Ford, and none at the weir."),
    Passage("The botanist of the survey lives in Norwich and has written two books on the plants of the fens."),
    Passage("Bread is made of flour, water and salt. Some like it dark, others do not."),
]


async def test_it_points_at_the_words_that_its_weights_raise(tmp_path: Path) -> None:
    reader = build_reader(write_tiny_reader(tmp_path), tmp_path)
    assert reader is not None
    text = "the old stone bridge over the river"
    (reading,) = await reader.read("river", [Passage(text)])
    assert text[reading.spans[0].start : reading.spans[0].end] == "river"


def test_there_is_no_reader_where_there_are_no_weights(tmp_path: Path) -> None:
    files = write_tiny_reader(tmp_path)
    (tmp_path / WEIGHTS).unlink()
    assert build_reader(files, tmp_path) is None
    (tmp_path / FACTS).unlink()
    assert build_reader(files, tmp_path) is None


def test_there_is_no_reader_for_another_embedder(tmp_path: Path) -> None:
    files = write_tiny_reader(tmp_path)
    assert build_reader(msgspec.structs.replace(files, digest="another"), tmp_path) is None


async def test_weights_that_are_not_the_shipped_ones_are_refused(tmp_path: Path) -> None:
    files = write_tiny_reader(tmp_path)
    content = bytearray((tmp_path / WEIGHTS).read_bytes())
    content[-1] ^= 1
    (tmp_path / WEIGHTS).write_bytes(content)
    reader = build_reader(files, tmp_path)
    assert reader is not None
    with pytest.raises(NeverWill, match=r"reader\.weights is not the file") as refused:
        await reader.read("river", [Passage("the river")])
    assert refused.value.code == "reader_altered"


def test_differences_make_the_trained_weights_again_to_half_a_step() -> None:
    random = np.random.default_rng(7)
    base = {"layer.weight": random.normal(size=(6, 9)).astype(np.float32), "layer.bias": np.ones(6, np.float32)}
    trained = {name: value + random.normal(size=value.shape).astype(np.float32) for name, value in base.items()}
    trained["head.weight"] = random.normal(size=(2, 9)).astype(np.float32)
    again = changed(base, differences(base, trained))
    steps = np.abs(trained["layer.weight"] - base["layer.weight"]).max(axis=1, keepdims=True) / 127
    assert (np.abs(again["layer.weight"] - trained["layer.weight"]) <= steps / 2 + 1e-5).all()
    assert again["layer.bias"] == pytest.approx(trained["layer.bias"], abs=2e-3)
    assert again["head.weight"] == pytest.approx(trained["head.weight"], abs=2e-3)


def test_a_row_that_training_left_alone_stays_as_it_was() -> None:
    base = {"layer.weight": np.ones((2, 3), np.float32)}
    assert (changed(base, differences(base, base))["layer.weight"] == base["layer.weight"]).all()


@pytest.fixture(scope="module", params=["f32", "int8"])
def shipped(request: pytest.FixtureRequest) -> Iterator[SpanReader]:
    """The reader that is installed with Trivium, of its own embedder, in each precision."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("trivium_inference.reader.reader_precision", lambda _: request.param)
        reader = build_reader(locate_model(), load_settings().cache_dir.expanduser())
        assert reader is not None
        yield reader


@pytest.mark.parametrize(("question", "answer"), READ)
async def test_the_shipped_reader_reads_the_answer_off_the_passage_that_holds_it(
    shipped: SpanReader, question: str, answer: str
) -> None:
    readings = await shipped.read(question, LIBRARY)
    best = max(zip(LIBRARY, readings, strict=True), key=lambda pair: pair[1].spans[0].probability)
    span = best[1].spans[0]
    assert answer in best[0].text[span.start : span.end]


async def test_the_shipped_reader_finds_no_answer_in_a_passage_about_something_else(shipped: SpanReader) -> None:
    (reading,) = await shipped.read("Who designed the bridge at Corrin?", LIBRARY[3:])
    assert reading.no_answer > reading.spans[0].score
    assert reading.spans[0].probability < 0.1


def test_whole_numbers_change_the_shipped_readers_scores_little(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    margins = []
    for precision in ("f32", "int8"):
        monkeypatch.setattr("trivium_inference.reader.reader_precision", lambda _, precision=precision: precision)
        reader = build_reader(locate_model(), tmp_path)
        assert reader is not None
        readings = [reading for question, _ in READ for reading in reader.read_now(question, LIBRARY)]
        margins.append([reading.spans[0].score - reading.no_answer for reading in readings])
    assert np.abs(np.subtract(*margins)).max() < 0.1 * np.std(margins[0])


def test_the_shipped_weights_are_small_and_name_their_sets() -> None:
    facts = read_facts(SHIPPED)
    assert (SHIPPED / WEIGHTS).stat().st_size <= MAX_BYTES
    assert {"2wiki_dev", "xquad/en"} <= set(facts.trained_on)
