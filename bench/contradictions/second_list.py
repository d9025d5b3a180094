"""The second list: 132 documents about 66 things, written after the first was tuned on, in wordings unlike its.

The third (`third_list.txt`, 60 documents about 30 things) was written before any rule was changed after that, and is
measured as a whole. The fourth (`fourth_list.txt`, 98 documents about 49 things) was written blind, without a look at
the code that finds, and has halves again.

`second_list.txt` is read by people as it is. A block begins with "# domain"; of its two documents ("> title") each has
a sentence a line: the first "+" of the one contradicts the first "+" of the other, the "-" only seem to, "." are
others. Blocks are to work with and set apart by turns.
"""

from __future__ import annotations

import re
from pathlib import Path

from documents import Document, Twins

LIST = Path(__file__).with_name("second_list.txt")
THIRD = Path(__file__).with_name("third_list.txt")
FOURTH = Path(__file__).with_name("fourth_list.txt")


def second_half(*, apart: bool) -> list[Twins]:
    """Those to work with, or those set apart."""
    return _read(LIST)[apart::2]


def third_list() -> list[Twins]:
    """All of it."""
    return _read(THIRD)


def fourth_half(*, apart: bool) -> list[Twins]:
    """Those to work with, or those set apart."""
    return _read(FOURTH)[apart::2]


def _read(path: Path) -> list[Twins]:
    return [_twins(block) for block in re.split(r"^# .*\n", path.read_text(encoding="utf-8"), flags=re.M)[1:]]


def _twins(block: str) -> Twins:
    one, other = (part.strip().split("\n") for part in block.split("> ")[1:])
    told = {mark: tuple(zip(_marked(one, mark), _marked(other, mark), strict=True)) for mark in "+-"}
    return Twins(_document(one), _document(other), told["+"], told["-"])


def _marked(lines: list[str], mark: str) -> list[str]:
    return [line[2:] for line in lines[1:] if line.startswith(mark)]


def _document(lines: list[str]) -> Document:
    said = " ".join(line[2:] for line in lines[1:])
    name = re.sub(r"[^a-z0-9]+", "-", lines[0].lower()).strip("-")
    return Document(f"{name}.md", f"# {lines[0]}\n\n{said}\n")
