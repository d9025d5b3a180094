"""Words of scripts that part them by no space (Thai, Lao, Burmese, Khmer, kana, Han) or whose vowels are marks.

In place of words that no space parts stand overlapping pairs of letters, as Lucene's CJK analysis takes them; better
than single ones and as good as words from a dictionary (Nie et al. 2000), with none to keep.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Final

SPACELESS: Final = (
    "\u0e00-\u0e4e\u0e80-\u0ece\u1000-\u103f\u1780-\u17d3\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
)
"""The letters and marks of these scripts, for a regular expression's class."""
MARKED: Final = (
    "\u0900-\u0963\u0971-\u0dff\u0e00-\u0e4e\u0e80-\u0ece\u0f40-\u0fbc\u1000-\u103f\u1780-\u17d3\u3099\u309a"
)
"""Blocks of scripts whose vowels are marks, which `\\w` is not, and kana's marks of voicing; for the same."""
MARKS: Final = "".join(
    mark
    for mark in map(chr, range(0x900, 0x3100))
    if unicodedata.category(mark)[0] == "M" and re.match(f"[{MARKED}]", mark)
)
"""The marks among them."""
_UNWRITTEN: Final = re.compile(
    "[\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u064b-\u0652\u0670"  # Hebrew's, Arabic's points
    f"\u093c\u09bc\u0a3c\u0abc\u0b3c\u0cbc\u200d]+|(?<=[{MARKS}])\u200c"  # dots below Indian letters, joiners
)
RUN: Final = re.compile(f"[{SPACELESS}]+")
_LETTER: Final = re.compile(f".[{MARKS}]*")


def pairs(run: str) -> list[str]:
    """Every two neighbouring letters of a run, each with its marks; a single one is itself."""
    letters = _LETTER.findall(run)
    return ["".join(letters[at : at + 2]) for at in range(max(1, len(letters) - 1))]


def spelt(text: str) -> str:
    """Composed, and without the marks that are as often left out: spellings of one word are one."""
    return text if text.isascii() else _UNWRITTEN.sub("", unicodedata.normalize("NFC", text))
