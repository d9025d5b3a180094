"""Scripts that put no space between words (Thai, Lao, Burmese, Khmer, kana, Han): what stands for words there.

Overlapping pairs of characters, as Lucene's CJK analysis takes them; better than single characters and as good as words
from a dictionary (Nie et al. 2000), with none to keep.
"""

from __future__ import annotations

import re
from typing import Final

SPACELESS: Final = (
    "\u0e00-\u0e4e\u0e80-\u0ece\u1000-\u103f\u1780-\u17d3\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
)
"""The letters and marks of these scripts, for a regular expression's class."""
MARKED: Final = "\u0900-\u0963\u0971-\u0dff\u0e00-\u0e4e\u0e80-\u0ece\u1000-\u103f\u1780-\u17d3"
"""Blocks of scripts whose vowels are marks, which `\\w` is not; for a regular expression's class."""
RUN: Final = re.compile(f"[{SPACELESS}]+")


def pairs(run: str) -> list[str]:
    """Every two neighbouring characters of a run; a single one is itself."""
    return [run[at : at + 2] for at in range(max(1, len(run) - 1))]
