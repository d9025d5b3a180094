"""What the parsers call a date, as the time it means."""

from __future__ import annotations

import pytest

from trivium.domain.times import written
from trivium_ingest.own_date import own_date


@pytest.mark.parametrize(
    ("metadata", "expected"),
    [
        ({"date": "Tue, 24 Nov 2026 18:30:00 +0100"}, "2026-11-24T17:30:00Z"),  # a mail
        ({"creationdate": "D:20230102030405+02'00'", "moddate": "D:2024"}, "2023-01-02T01:04:05Z"),  # PDF
        ({"creationdate": "D:2023"}, "2023-01-01T00:00:00Z"),
        ({"created": "2019-03-04T05:06:07.123456789"}, "2019-03-04T05:06:07Z"),  # OpenDocument
        ({"created": "2023-05-01T10:00:00Z", "modified": "2024-01-01T00:00:00Z"}, "2023-05-01T10:00:00Z"),  # Office
        ({"date": "<2023-05-01 Mon>"}, "2023-05-01T00:00:00Z"),  # Org
        ({"date": "'2023-05-01 10:00:00 +0200'"}, "2023-05-01T08:00:00Z"),  # front matter
        ({"date": "2023:05:01 10:11:12"}, "2023-05-01T10:11:12Z"),  # a camera
        ({"date": "2023:05:01 10:11:12+02:00"}, "2023-05-01T08:11:12Z"),
        ({"creation_time": "2023-05-01T10:00:00.000000Z"}, "2023-05-01T10:00:00Z"),  # a film
        ({"date": "2023-05-01T10:00:00+0200"}, "2023-05-01T08:00:00Z"),  # PHP, Drupal, strftime
        ({"date": "2023-05-01T10:00:00.123+0200", "creation_time": "2024-01-01T00:00:00Z"}, "2023-05-01T08:00:00Z"),
        ({"creationdate": "D:2023-05-01"}, "2023-05-01T00:00:00Z"),  # a PDF that has ISO 8601 behind its own mark
        ({"creationdate": "D:2023-05-01T10:00:00+02:00"}, "2023-05-01T08:00:00Z"),
        ({"creationdate": "D:2023-05-00", "moddate": "D:20240203"}, "2024-02-03T00:00:00Z"),
        ({"creationdate": "D:202305-01", "moddate": "D:20240203"}, "2024-02-03T00:00:00Z"),
        ({"creationdate": "D:20230501100000Z00'00'"}, "2023-05-01T10:00:00Z"),
        ({"creationdate": "D:20230501-05'00'"}, "2023-05-01T05:00:00Z"),
        ({"date": "Mon, 01 May 2023 10:00 PM"}, "2023-05-01T22:00:00Z"),
        ({"date": "Mon, 01 May 2023 12:30:00 am"}, "2023-05-01T00:30:00Z"),
        ({"date": "Mon, 01 May 2023 22:00 PM"}, "2023-05-01T22:00:00Z"),
        ({"date": "May 2023"}, "2023-05-01T00:00:00Z"),
        ({"date": "2023"}, "2023-01-01T00:00:00Z"),
        ({"date": "1601"}, "1601-01-01T00:00:00Z"),
        ({"created": "1601-01-01T00:00:00Z", "modified": "2020-01-01"}, "2020-01-01T00:00:00Z"),  # a clock never set
        ({"created": "2100-01-01T00:00:00Z", "modified": "2099-12-31"}, "2099-12-31T00:00:00Z"),
        ({"date": "yesterday", "modified": "2020-01-01"}, "2020-01-01T00:00:00Z"),
    ],
)
def test_a_date_is_read_as_each_format_writes_it(metadata: dict[str, str], expected: str) -> None:
    seconds = own_date(metadata)
    assert seconds is not None
    assert written(seconds) == expected


@pytest.mark.parametrize(
    "text", ["", "yesterday", "0000-00-00", "12:30", "1", "0001-01-01T00:00:00+10:00", "D:99999999", "\\today", "\x00"]
)
def test_what_is_no_date_gives_none(text: str) -> None:
    assert own_date({"date": text}) is None
    assert own_date({}) is None
