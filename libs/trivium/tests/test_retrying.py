"""When a call is sent again, and after how long."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest

from trivium.retrying import MOST_S, Retries, asks_for_more_time, seconds_of


def test_pauses_are_never_shorter_than_asked_and_spread() -> None:
    pauses = [Retries().pause_s(1, "2") for _ in range(50)]
    assert all(pause is not None and 2 <= pause <= 2.25 for pause in pauses)
    assert len(set(pauses)) > 10


def test_pauses_end_and_are_bounded() -> None:
    assert Retries(2).pause_s(3) is None
    assert Retries().pause_s(1, "3600") is None, "a caller would not know why it waits an hour"
    longest = [Retries(50).pause_s(50) for _ in range(50)]
    assert all(pause is not None and pause <= MOST_S for pause in longest)


def test_a_date_is_understood_and_nonsense_is_nothing() -> None:
    assert 8 < seconds_of(format_datetime(datetime.now(UTC) + timedelta(seconds=10), usegmt=True)) <= 10
    assert seconds_of("Wed, 21 Oct 2015 07:28:00 GMT") == 0
    assert seconds_of(f"Mon, 01 Jan {'9' * 20} 00:00:00 GMT") == 0
    assert [seconds_of(text) for text in ("", "soon", "-5", "1e9", "\u0663")] == [0, 0, 0, 0, 0]


@pytest.mark.parametrize(
    ("method", "path", "status", "headers", "again"),
    [
        ("POST", "/v1/conversations", 429, {}, True),
        ("GET", "/v1/sources", 503, {"retry-after": "1"}, True),
        ("POST", "/v1/search", 503, {"retry-after": "1"}, True),
        ("POST", "/v1/conversations", 503, {"retry-after": "1"}, False),
        ("DELETE", "/v1/sources/1", 503, {"retry-after": "1"}, False),
        ("GET", "/v1/sources", 502, {}, False),
        ("GET", "/v1/sources", 404, {"retry-after": "1"}, False),
    ],
)
def test_what_may_be_sent_again(method: str, path: str, status: int, headers: dict[str, str], again: bool) -> None:
    assert asks_for_more_time(method, path, status, headers) is again
