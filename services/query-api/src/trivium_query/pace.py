"""How slowly a caller may send: slow lines are served, and nobody holds a connection by dripping into it."""

from __future__ import annotations

HEADERS_S = 30.0  # a request's line and headers, all together
IDLE_S = 30.0  # the longest pause between two pieces of a body
START_S = 20.0  # before the rate counts
BYTES_PER_S = 500  # with START_S the defaults of Apache's mod_reqtimeout; a tenth of a modem's


def deadline(began: float, now: float, received: int) -> float:
    """When the next piece of a body must be here, of which `received` bytes came since `began`; on their clock."""
    return min(now + IDLE_S, began + START_S + received / BYTES_PER_S)
