from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trivium.adapters.embedded.buckets import MemoryBuckets
from trivium.ports.buckets import Charge


@given(st.floats(4000.0, 4200.0), st.sampled_from([60.0, 3600.0]), st.integers(1, 50))
async def test_a_full_bucket_gives_all_it_has_at_any_time(now: float, period_s: float, amount: int) -> None:
    one = Charge("one", amount / period_s, float(amount), 1.0)
    buckets = MemoryBuckets()
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(time, "monotonic", lambda: now)
        assert [await buckets.take([one]) for _ in range(amount)] == [0.0] * amount
        assert await buckets.take([one]) == pytest.approx(period_s / amount, rel=1e-3)
