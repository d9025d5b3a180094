"""Sentence vectors that are kept in memory: never too many, never too old, never what was just written over."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pybase64

from trivium.adapters.distributed.milvus.recent_sentences import KEPT_S, RecentSentences
from trivium.adapters.distributed.milvus.rows import Collections, Stored
from trivium.adapters.distributed.milvus.vectors import MilvusVectorReader
from trivium.adapters.narrow import quantized_int16
from trivium.domain.scope import Tenant


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def matrix(value: int) -> np.ndarray:
    return np.full((2, 4), value, np.int16)  # 16 bytes


def test_what_was_read_is_known_until_it_is_too_old() -> None:
    clock = Clock()
    recent = RecentSentences(now=clock)
    recent.keep({"a": matrix(1)})
    assert recent.known(["a", "b"]).keys() == {"a"}
    clock.now = KEPT_S + 1
    assert recent.known(["a"]) == {}


def test_the_least_recently_used_go_first() -> None:
    recent = RecentSentences(max_bytes=32)
    recent.keep({"a": matrix(1), "b": matrix(2)})
    recent.known(["a"])
    recent.keep({"c": matrix(3)})
    assert recent.known(["a", "b", "c"]).keys() == {"a", "c"}


def test_what_is_written_over_is_forgotten() -> None:
    recent = RecentSentences(max_bytes=32)
    recent.keep({"a": matrix(1), "b": matrix(2)})
    recent.forget(["a", "never"])
    assert recent.known(["a", "b"]).keys() == {"b"}
    recent.keep({"b": matrix(5)})
    assert recent.known(["b"])["b"][0, 0] == 5
    recent.forget()
    assert recent.known(["b"]) == {}
    recent.keep({"c": matrix(1), "d": matrix(1)})  # what was forgotten takes no room
    assert recent.known(["c", "d"]).keys() == {"c", "d"}


def test_what_is_larger_than_all_may_be_is_not_kept_and_costs_no_other_its_place() -> None:
    recent = RecentSentences(max_bytes=32)
    recent.keep({"a": matrix(1), "b": np.zeros((2, 9), np.int16)})
    assert recent.known(["a", "b"]).keys() == {"a"}
    recent.keep({"a": np.zeros((2, 9), np.int16)})
    assert recent.known(["a"]) == {}


class Refilled(MilvusVectorReader):
    """Reads two equal sentences of every passage, of the length that the model has by now."""

    length = 4

    def __init__(self) -> None:
        server: Any = None
        super().__init__(server, Collections("t_passages_"), RecentSentences(), Tenant("t"))

    async def _read(self, keys: Sequence[str], fields: list[str]) -> dict[str, Stored]:
        sentence = np.full(self.length, self.length**-0.5, np.float32)
        text = pybase64.b64encode(quantized_int16(sentence.tobytes() * 2)).decode()
        return {key: Stored(self.length, {"id": key, "parts": 1, "sentences": text}) for key in keys}


async def test_sentences_of_the_model_before_stand_beside_new_ones_and_are_compared_with_nothing() -> None:
    reader = Refilled()
    await reader.sentence_vectors(["old"])
    reader.length = 16
    both = await reader.sentence_vectors(["old", "new"])
    assert {key: rows.shape for key, rows in both.items()} == {"old": (2, 4), "new": (2, 16)}
    assert np.allclose(np.linalg.norm(both["new"], axis=1), 1, atol=1e-3)
    asked = np.full(16, 0.25, np.float32)
    assert (await reader.sentence_cosines(["old", "new"], asked)).keys() == {"new"}
