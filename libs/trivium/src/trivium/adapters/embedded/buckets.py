"""Token buckets in memory, for a deployment of one process."""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence

from trivium.ports.buckets import Charge

SWEEP_AT = 10_000
"""So many buckets are looked through for full ones, which need not be remembered."""
ROUNDING_S = 1e-6
"""A wait of less is what sums of times are rounded by."""


class MemoryBuckets:
    """See `trivium.ports.buckets`. The generic cell rate algorithm (ITU-T I.371): when each bucket is full again."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._full_at: dict[str, float] = {}

    async def take(self, charges: Sequence[Charge], *, owe: bool = False) -> float:
        """See the port."""
        with self._lock:
            now = time.monotonic()
            after = [(charge, self._after(charge, now, owe=owe)) for charge in charges]
            wait = max((full_at - now - charge.capacity / charge.per_s for charge, full_at in after), default=0.0)
            if wait > ROUNDING_S and not owe:
                return wait
            self._full_at |= {charge.bucket: full_at for charge, full_at in after}
            if len(self._full_at) > SWEEP_AT:
                self._full_at = {bucket: full_at for bucket, full_at in self._full_at.items() if full_at > now}
            return 0.0

    def _after(self, charge: Charge, now: float, *, owe: bool) -> float:
        cost = charge.cost if owe else min(charge.cost, charge.capacity)
        return max(self._full_at.get(charge.bucket, now), now) + cost / charge.per_s
