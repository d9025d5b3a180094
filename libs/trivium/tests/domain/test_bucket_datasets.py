from __future__ import annotations

import pytest

from trivium.config import load_settings
from trivium.domain.errors import Refused


def test_rules_are_read_from_the_setting() -> None:
    settings = load_settings({"TRIVIUM_BUCKET_DATASETS": " archive/2023/=reports, drop/a=b/c=x , drop/=inbox,"})
    assert settings.dataset_rules == {"archive/2023/": "reports", "drop/a=b/c": "x", "drop/": "inbox"}


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("archive", "'archive', which is no rule"),
        ("archive=reports", "'archive=reports', which is no rule"),
        ("/2023=reports", "which is no rule"),
        ("archive/=", "'', which cannot name a dataset"),
        ("archive/=my reports", "'my reports', which cannot name a dataset"),
        ("archive/=" + "x" * 101, "which cannot name a dataset"),
        ("archive/=a,archive/=b", "gives 'archive/' two datasets"),
    ],
)
def test_what_is_no_rule_is_told_before_anything_starts(text: str, told: str) -> None:
    with pytest.raises(Refused) as refused:
        load_settings({"TRIVIUM_BUCKET_DATASETS": text})
    assert (refused.value.code, told in refused.value.message, refused.value.action != "") == (
        "bad_setting",
        True,
        True,
    )
