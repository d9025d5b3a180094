"""A document's own date in stores that have no empty value: what says none has a number that no date has."""

from __future__ import annotations

UNDATED = -(2**62)


def dated_number(dated: int | None) -> int:
    """As stored."""
    return UNDATED if dated is None else dated
