"""Which dataset an object of a bucket belongs to: rules by the beginning of its address, the longest that fits."""

from __future__ import annotations

import re
from collections.abc import Mapping

from trivium.domain.documents import DATASET, DEFAULT_DATASET, MAX_DATASET_CHARS
from trivium.domain.errors import Refused

SETTING = "TRIVIUM_BUCKET_DATASETS"
_HOW = "Write BUCKET/PREFIX=DATASET, several separated by commas: archive/2023/=reports,drop/=inbox."


def read_rules(text: str) -> dict[str, str]:
    """`BUCKET/PREFIX=DATASET`, separated by commas, as a mapping of beginnings. Raises `Refused` (`bad_setting`)."""
    rules: dict[str, str] = {}
    for entry in filter(None, (part.strip() for part in text.split(","))):
        start, equals, dataset = entry.rpartition("=")
        if not equals or not start.partition("/")[0] or "/" not in start:
            raise Refused("bad_setting", f"{SETTING} has {entry[:80]!r}, which is no rule.", _HOW)
        if not re.fullmatch(DATASET, dataset) or len(dataset) > MAX_DATASET_CHARS:
            raise Refused(
                "bad_setting",
                f"{SETTING} has {dataset[:80]!r}, which cannot name a dataset.",
                f"Use letters, digits, '_', '.' and '-', at most {MAX_DATASET_CHARS}.",
            )
        if rules.setdefault(start, dataset) != dataset:
            raise Refused(
                "bad_setting", f"{SETTING} gives {start[:80]!r} two datasets.", "Name one, or a longer beginning."
            )
    return rules


def dataset_of(rules: Mapping[str, str], bucket: str, key: str) -> str:
    """That of the longest beginning of `bucket/key`; the default one where none fits."""
    address = f"{bucket}/{key}"
    return rules[max(fitting, key=len)] if (fitting := [s for s in rules if address.startswith(s)]) else DEFAULT_DATASET
