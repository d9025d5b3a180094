"""Rows as requests."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from trivium.batches import batches


@given(rows=st.lists(st.integers(0, 9)), limit=st.integers(1, 20))
def test_batches_keep_the_order_and_the_limit(rows: list[int], limit: int) -> None:
    made = list(batches(rows, limit, lambda row: row))
    assert [row for batch in made for row in batch] == rows
    assert all(batch and (sum(batch) <= limit or len(batch) == 1) for batch in made)
    assert all(sum(batch) + after[0] > limit for batch, after in pairwise(made))
