from __future__ import annotations

import pytest

from trivium.domain.parsed import Position
from trivium.domain.places import web_address


@pytest.mark.parametrize(
    ("source", "positions", "address"),
    [
        ("report.pdf", [Position(page=2)], ""),
        ("s3://bucket/report.pdf", [], ""),
        ("https://a.test/page", [Position(section=("A",))], "https://a.test/page"),
        ("https://a.test/report.pdf", [Position(page=4), Position(page=3)], "https://a.test/report.pdf#page=3"),
        ("https://youtu.be/dQw4w9WgXcQ", [Position(seconds=(65.9, 80)), Position(seconds=(80, 90))],
         "https://youtu.be/dQw4w9WgXcQ?t=65"),
        ("https://youtu.be/dQw4w9WgXcQ", [Position(seconds=(0, 2.5))], "https://youtu.be/dQw4w9WgXcQ?t=0"),
        ("https://a.test/talk.mp3", [Position(seconds=(61, 63))], "https://a.test/talk.mp3#t=61"),
    ],
)  # fmt: skip
def test_a_passage_from_the_web_has_an_address_that_leads_to_it(
    source: str, positions: list[Position], address: str
) -> None:
    assert web_address(source, positions) == address
