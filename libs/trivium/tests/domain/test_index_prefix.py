from __future__ import annotations

import pytest

from trivium.config import load_settings
from trivium.domain.errors import Refused


@pytest.mark.parametrize("prefix", ["Trivium", "2nd", "my-own", "_a", "a" * 65])
def test_a_prefix_that_a_server_would_not_take_is_told_before_anything_starts(prefix: str) -> None:
    with pytest.raises(Refused, match="TRIVIUM_INDEX_PREFIX") as refused:
        load_settings({"TRIVIUM_BACKEND": "distributed", "TRIVIUM_INDEX_PREFIX": prefix})
    assert refused.value.code == "bad_setting"


@pytest.mark.parametrize("prefix", ["trivium", "green_2", "a" * 64])
def test_one_that_they_take_is_taken(prefix: str) -> None:
    assert load_settings({"TRIVIUM_BACKEND": "distributed", "TRIVIUM_INDEX_PREFIX": prefix}).index_prefix == prefix
