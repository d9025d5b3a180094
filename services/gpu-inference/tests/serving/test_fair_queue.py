from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trivium_inference.serving.fair_queue import FairQueue

CALLERS = st.sampled_from("abc")


def drained(queue: FairQueue[str], budget: int) -> list[str]:
    found: list[str] = []
    while batch := queue.take(budget):
        found.extend(entry for _, entry in batch)
    return found


@given(st.lists(st.tuples(CALLERS, st.integers(1, 50), st.booleans())), st.integers(1, 60))
def test_every_item_comes_out_once_unless_it_was_withdrawn(items: list[tuple[str, int, bool]], budget: int) -> None:
    queue: FairQueue[str] = FairQueue()
    tickets = [queue.push(caller, f"{caller}{number}", cost, 0.0) for number, (caller, cost, _) in enumerate(items)]
    queue.withdraw(ticket for ticket, (_, _, leaves) in zip(tickets, items, strict=True) if leaves)
    staying = [f"{caller}{number}" for number, (caller, _, leaves) in enumerate(items) if not leaves]
    assert len(queue) == len(staying)
    assert queue.cost == sum(cost for _, cost, leaves in items if not leaves)
    found = drained(queue, budget)
    assert sorted(found) == sorted(staying)
    assert queue.cost == 0
    for caller in "abc":  # nobody's own items change places
        mine = [entry for entry in found if entry.startswith(caller)]
        assert mine == sorted(mine, key=lambda entry: int(entry[1:]))


@given(st.lists(st.tuples(CALLERS, st.integers(1, 50)), min_size=1), st.integers(1, 60))
def test_a_batch_keeps_to_its_budget_or_holds_one_item(items: list[tuple[str, int]], budget: int) -> None:
    queue: FairQueue[int] = FairQueue()
    for caller, cost in items:
        queue.push(caller, cost, cost, 0.0)
    while batch := queue.take(budget):
        assert len(batch) == 1 or sum(cost for _, cost in batch) <= budget


def test_a_caller_with_little_is_served_among_the_first_of_one_with_much() -> None:
    queue: FairQueue[str] = FairQueue()
    for number in range(1000):
        queue.push("greedy", f"greedy{number}", 10, 0.0)
    queue.take(100)
    for number in range(3):
        queue.push("modest", f"modest{number}", 10, 0.0)
    following = [entry for _, entry in queue.take(80)]
    assert [entry for entry in following if entry.startswith("modest")] == ["modest0", "modest1", "modest2"]


def test_callers_share_by_tokens_not_by_items() -> None:
    queue: FairQueue[str] = FairQueue()
    for _ in range(100):
        queue.push("long", "long", 100, 0.0)
        queue.push("short", "short", 10, 0.0)
    taken = [entry for _, entry in queue.take(1000)]
    assert 4 <= taken.count("long") <= 6
    assert taken.count("short") >= 40


@pytest.mark.parametrize("taken", [0, 100])
def test_what_was_withdrawn_is_on_nobodys_account(taken: int) -> None:
    queue: FairQueue[str] = FairQueue()
    for _ in range(100):
        queue.push("patient", "patient", 10, 0.0)
    left = [queue.push("hasty", "left", 10, 0.0) for _ in range(1000)]
    queue.take(taken)
    queue.withdraw(left)
    queue.push("hasty", "hasty", 10, 0.0)
    assert "hasty" in [entry for _, entry in queue.take(30)]


def test_a_caller_pays_for_what_it_still_waits_for() -> None:
    queue: FairQueue[str] = FairQueue()
    tickets = [queue.push("a", f"a{number}", 10, 0.0) for number in range(10)]
    queue.withdraw(tickets[:5])
    queue.push("a", "a10", 10, 0.0)
    assert drained(queue, 10) == [*(f"a{number}" for number in range(5, 10)), "a10"]


def test_a_batch_is_due_when_it_is_full_or_has_waited() -> None:
    queue: FairQueue[str] = FairQueue()
    assert queue.due_in(0.0, 100, 0.005) is None
    ticket = queue.push("a", "x", 60, 1.0)
    assert queue.due_in(1.0, 100, 0.5) == 0.5
    assert queue.due_in(1.6, 100, 0.5) == 0.0
    queue.push("b", "y", 60, 1.25)
    assert queue.due_in(1.25, 100, 0.5) == 0.0
    queue.withdraw([ticket])
    assert [entry for _, entry in queue.take(100)] == ["y"]
    assert queue.due_in(1.0, 100, 0.005) is None
