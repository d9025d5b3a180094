"""Sentence vectors that are kept in memory: never too many, never too old, never what was just written over."""

from __future__ import annotations

import numpy as np

from trivium.adapters.distributed.milvus.recent_sentences import KEPT_S, RecentSentences


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
