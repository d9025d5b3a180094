"""Requests some at a time."""

from __future__ import annotations

import os
import threading

import pytest

from trivium.at_once import AT_ONCE, at_once


def test_answers_stand_in_the_order_of_the_batch() -> None:
    assert at_once(lambda number: number * number, range(40)) == [number * number for number in range(40)]


def test_some_run_at_a_time() -> None:
    together = threading.Barrier(AT_ONCE, timeout=30)
    assert len(at_once(lambda _: together.wait(), range(AT_ONCE))) == AT_ONCE


def test_the_first_failure_is_raised_when_all_have_ended() -> None:
    ended: list[int] = []

    def call(number: int) -> None:
        if number in (1, 3):
            raise ValueError(number)
        ended.append(number)

    with pytest.raises(ValueError, match="1"):
        at_once(call, range(20))
    assert sorted(ended) == [0, 2, *range(4, 20)]


def test_a_batch_of_batches_does_not_wait_for_itself() -> None:
    assert at_once(lambda _: sum(at_once(int, "123")), range(3 * AT_ONCE)) == [6] * 3 * AT_ONCE


def test_a_forked_process_has_threads_of_its_own() -> None:
    at_once(int, "12")
    child = os.fork()
    if not child:
        os._exit(0 if at_once(int, "34") == [3, 4] else 1)
    assert os.waitpid(child, 0)[1] == 0
