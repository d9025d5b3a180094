"""Numbers of several parts: versions, clauses, decimals, dates, addresses of hosts."""

from __future__ import annotations

import re

_DOTTED = re.compile(r"(?<![\d.,])\d+(?:[.,]\d+)+")


def dotted_numbers(text: str) -> list[str]:
    """Each as often as it stands there, with dots: "4.0" of "v4.0", "1.234" of "1,234"."""
    return [number.replace(",", ".") for number in _DOTTED.findall(text)]
