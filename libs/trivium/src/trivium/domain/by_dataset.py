"""Settings that hold for some datasets: `DATASET=CHOICE`, separated by commas."""

from __future__ import annotations

import enum
import re
from typing import TypeVar

from trivium.domain.documents import DATASET, MAX_DATASET_CHARS
from trivium.domain.errors import Refused

E = TypeVar("E", bound=enum.StrEnum)


def read_by_dataset(setting: str, text: str, choices: type[E], noun: str) -> dict[str, E]:
    """The choice of each dataset that `text` names. Raises `Refused` (`bad_setting`); `noun` says what a choice is."""
    rules: dict[str, E] = {}
    for entry in filter(None, (part.strip() for part in text.split(","))):
        dataset, equals, name = entry.partition("=")
        if not equals or not re.fullmatch(DATASET, dataset) or len(dataset) > MAX_DATASET_CHARS:
            how = f"Write DATASET={noun.upper()}, several separated by commas: reports={list(choices)[-1]}."
            raise Refused("bad_setting", f"{setting} has {entry[:80]!r}, which is no rule.", how)
        if name not in list(choices):
            known = ", ".join(choices)
            raise Refused("bad_setting", f"{setting} has {name[:80]!r}, which is no {noun}.", f"Use {known}.")
        if rules.setdefault(dataset, choices(name)) != name:
            raise Refused("bad_setting", f"{setting} gives {dataset!r} two {noun}s.", "Name one.")
    return rules
