"""Where the page of a citation says that a passage stands."""

from __future__ import annotations

import pytest

from trivium.domain.parsed import Position
from trivium_query.pages.view import where


@pytest.mark.parametrize(("second", "shown"), [(65.9, "1:05"), (3599.0, "59:59"), (4505.0, "1:15:05")])
def test_a_place_in_a_recording_is_told_as_players_show_it(second: float, shown: str) -> None:
    assert where(Position(seconds=(second, second + 1))) == shown
