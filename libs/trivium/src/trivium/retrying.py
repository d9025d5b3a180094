"""When a call is sent again, and after how long: exponential back-off with full jitter, never sooner than asked for.

Source: M. Brooker, "Exponential Backoff And Jitter", AWS Architecture Blog, 2015; Retry-After: RFC 9110, 10.2.3.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

import msgspec

BASE_S = 0.25
MOST_S = 8.0  # of one pause that nobody asked for
UNCHANGING = ("/v1/search", "/v1/queries", "/v1/sources")  # POSTs that may come twice; known bytes change nothing
TOO_MANY_REQUESTS = 429
AWAY = (502, 503, 504)


class Retries(msgspec.Struct, frozen=True):
    """How often a call is sent again, and how long a server may make it wait in one pause."""

    times: int = 3
    longest_s: float = 60.0

    def pause_s(self, tried: int, retry_after: str = "") -> float | None:
        """Seconds to wait after `tried` (1, 2, ...) attempts; None: no more, or the server asks for too long."""
        asked = seconds_of(retry_after)
        if tried > self.times or asked > self.longest_s:
            return None
        return asked + random.uniform(0, min(MOST_S, BASE_S * 2 ** (tried - 1)))  # noqa: S311  spreads, hides nothing


RETRIES = Retries()
NO_RETRIES = Retries(0)


def may_come_twice(method: str, path: str) -> bool:
    """Whether a call that may have been served already does no harm when it comes again."""
    return method == "GET" or (method == "POST" and path in UNCHANGING)


def asks_for_more_time(method: str, path: str, status: int, headers: Mapping[str, str]) -> bool:
    """Whether an answer is to be waited for and the call sent again.

    Too many requests: it was not served. Something is away: only what may come twice, where the answer says when.
    """
    if status == TOO_MANY_REQUESTS:
        return True
    return status in AWAY and "retry-after" in headers and may_come_twice(method, path)


def seconds_of(retry_after: str) -> float:
    """Of a `Retry-After` header, seconds or a date; 0 where it says nothing that can be read."""
    if retry_after.isascii() and retry_after.isdecimal():
        return float(retry_after)
    try:
        when = parsedate_to_datetime(retry_after)
    except (ValueError, OverflowError):  # no date, or one whose numbers no clock holds
        return 0.0
    return max(0.0, (when.replace(tzinfo=when.tzinfo or UTC) - datetime.now(UTC)).total_seconds())
