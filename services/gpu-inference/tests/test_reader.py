"""The reader's files: off where they are not this embedder's, refused where they are not those that were shipped."""

from __future__ import annotations

from pathlib import Path

import msgspec
import numpy as np
import pytest
from tiny_reader import write_tiny_reader

from trivium.domain.errors import NeverWill
from trivium.ports.inference import Passage
from trivium_inference.reader import build_reader
from trivium_inference.reader_weights import FACTS, MAX_BYTES, WEIGHTS, changed, differences


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


def test_the_facts_name_what_the_weights_were_trained_on(tmp_path: Path) -> None:
    write_tiny_reader(tmp_path)
    facts = msgspec.json.decode((tmp_path / FACTS).read_bytes())
    assert facts["trained_on"]
    assert (tmp_path / WEIGHTS).stat().st_size <= MAX_BYTES
