"""The scorer against a labelled list, half of which no weight or threshold has seen."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

from trivium.resolution.blocking import blocks_of
from trivium.resolution.score import ONE_THING, judge

FOLDER = Path(__file__).parents[4] / "bench" / "resolution"


@pytest.fixture(scope="module")
def labelled() -> ModuleType:
    spec = importlib.util.spec_from_file_location("labelled", FOLDER / "labelled.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("held_out", [False, True])
def test_merges_of_the_labelled_list_are_right_and_most_are_made(labelled: ModuleType, held_out: bool) -> None:
    pairs = [pair for pair in labelled.labelled_pairs() if pair.held_out == held_out]
    made = [pair for pair in pairs if judge(pair.left, pair.right, pair.others).score >= ONE_THING]
    right = sum(pair.same for pair in made)
    assert len(pairs) >= 150
    assert right >= 0.97 * len(made)
    assert right >= 0.75 * sum(pair.same for pair in pairs)


def test_whatever_is_merged_shares_a_block(labelled: ModuleType) -> None:
    merged = [p for p in labelled.labelled_pairs() if p.same and judge(p.left, p.right, p.others).score >= ONE_THING]
    found = [pair for pair in merged if blocks_of(pair.left.key) & blocks_of(pair.right.key)]
    assert len(found) >= 0.97 * len(merged)


def test_a_judgement_is_symmetric(labelled: ModuleType) -> None:
    for pair in labelled.labelled_pairs():
        assert judge(pair.left, pair.right, pair.others) == judge(pair.right, pair.left, pair.others)
