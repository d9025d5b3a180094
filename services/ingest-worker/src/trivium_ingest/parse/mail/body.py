"""The lines of a mail's text: paragraphs by how often they are quoted, and where a signature begins."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

import msgspec

from trivium.domain.parsed import Unit, UnitKind

_MARKS = re.compile(r"(?:\s{0,3}>)+ ?")
_SIGNATURE = re.compile(r"-- ?")
_SIGNATURE_LINE = "-- "  # RFC 3676, 4.3; two dashes without the blank part what is written
_SIGNATURE_LINES = 20


class Block(msgspec.Struct, frozen=True):
    """A paragraph that was quoted `depth` times: its `lines` without the marks of that, and `written` with them.

    `unit` is what of an HTML page it is, or is a part of. There a program may say that it `introduces` a quotation, or
    is the headers of a mail (`heads`).
    """

    depth: int
    lines: tuple[str, ...]
    written: str
    unit: Unit | None = None
    introduces: bool = False
    heads: bool = False

    @property
    def is_prose(self) -> bool:
        """Whether it is lines of text and nothing else."""
        return self.unit is None or self.unit.kind is UnitKind.TEXT


def paragraphs(text: str, depth: int = 0) -> Iterator[Block]:
    """Those of a text that was quoted `depth` times as a whole."""
    lines: list[str] = []
    written: list[str] = []
    at = 0
    for line in (*text.replace("\r\n", "\n").split("\n"), ""):
        marks = _MARKS.match(line)
        said = line[marks.end() :] if marks else line
        said = said if said == _SIGNATURE_LINE else said.rstrip()
        deep = marks[0].count(">") if marks else 0
        if lines and (not said or deep != at):
            yield Block(depth + at, tuple(lines), "\n".join(written))
            lines, written = [], []
        at = deep
        if said:
            lines.append(said)
            written.append(line)


def without_signature(blocks: Sequence[Block]) -> list[Block]:
    """What somebody wrote, without the signature at its end. On a page "-- " is code: its text has no blank there."""
    left = _SIGNATURE_LINES + 1
    for at in range(len(blocks) - 1, -1, -1):
        lines = blocks[at].lines
        for number in range(len(lines) - 1, max(-1, len(lines) - left - 1), -1):
            if lines[number] == _SIGNATURE_LINE and blocks[at].unit is None:
                return [*blocks[:at], *(cut(blocks[at], number)[:1] if number else [])]
        left -= len(lines)
        if left <= 0:
            break
    return list(blocks)


def cut(block: Block, *places: int) -> list[Block]:
    """The block in parts, each but the first beginning at the line of that number."""
    written = block.written.split("\n")
    return [_part(block, written, *ends) for ends in pairwise((0, *places, len(block.lines)))]


def joined(block: Block, below: Block) -> Block:
    """Two blocks of text as one."""
    return Block(block.depth, (*block.lines, *below.lines), f"{block.written}\n{below.written}", block.unit)


def _part(block: Block, written: list[str], start: int, end: int) -> Block:
    return Block(block.depth, block.lines[start:end], "\n".join(written[start:end]), block.unit)


def unwrapped(text: str, *, delete_space: bool) -> str:
    """Text in `format=flowed` (RFC 3676): lines that end in a space go on in the next."""
    joined: list[list[str]] = []
    open_line = False
    for line in text.replace("\r\n", "\n").split("\n"):
        stuffed = line[1:] if line.startswith(" ") else line
        quoted = stuffed.startswith(">")
        if open_line and not quoted and not _SIGNATURE.fullmatch(stuffed):
            joined[-1].append(stuffed)
        else:
            joined.append([stuffed])
        open_line = stuffed.endswith(" ") and not quoted and not _SIGNATURE.fullmatch(stuffed)
        if open_line and delete_space:
            joined[-1][-1] = stuffed[:-1]
    return "\n".join(map("".join, joined))
