"""Requests some at a time."""

from __future__ import annotations

import os
import threading

import pytest

from trivium.concurrent_calls import MAX_CONCURRENT, map_concurrent


def test_answers_stand_in_the_order_of_the_batch() -> None:
    assert map_concurrent(lambda number: number * number, range(40)) == [number * number for number in range(40)]


def test_some_run_at_a_time() -> None:
    together = threading.Barrier(MAX_CONCURRENT, timeout=30)
    assert len(map_concurrent(lambda _: together.wait(), range(MAX_CONCURRENT))) == MAX_CONCURRENT


def test_the_first_failure_is_raised_when_all_have_ended() -> None:
    ended: list[int] = []

    def call(number: int) -> None:
        if number in (1, 3):
            raise ValueError(number)
        ended.append(number)

    with pytest.raises(ValueError, match="1"):
        map_concurrent(call, range(20))
    assert sorted(ended) == [0, 2, *range(4, 20)]


def test_a_batch_of_batches_does_not_wait_for_itself() -> None:
    calls = 3 * MAX_CONCURRENT
    assert map_concurrent(lambda _: sum(map_concurrent(int, "123")), range(calls)) == [6] * calls


def test_a_forked_process_has_threads_of_its_own() -> None:
    map_concurrent(int, "12")
    child = os.fork()
    if not child:
        os._exit(0 if map_concurrent(int, "34") == [3, 4] else 1)
    assert os.waitpid(child, 0)[1] == 0
