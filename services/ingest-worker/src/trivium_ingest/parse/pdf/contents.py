"""Tables of contents and indexes: lines that only tell on which page something stands.

They are left out: what they name stands on that page, and a passage of nothing but names and page numbers answers no
question. A menu or a list of fees has the same leaders; its names do not stand on the pages of its numbers. What names
something that stands nowhere else stays.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final, TypeAlias

import msgspec

from trivium_ingest.parse.pdf.blocks import Block

LEAST_ENTRIES: Final = 4
LEAST_SHARE: Final = 0.6  # of a run's entries, that stand on their page
_LOOKED_UP: Final = 60  # entries that decide how far the printed page numbers are from the file's
_MAX_NAME_CHARS: Final = 200
_MAX_BETWEEN_CHARS: Final = 80  # a running line or a part's name, between entries
_WORD = re.compile(r"[^\W\d_]+|\d{3,}")
_END = re.compile(
    r"(?<![.·…])(?<![.·]\s)(?:(?:\s?[.·]){4,}+|…{2,}+)\s*+(?:(\d{1,4})(?:,\s?\d{1,4})*|[ivxlcdm]{1,7})(?=\s|\Z)"
)
_BARE_END = re.compile(r"\s(\d{1,4})\Z")

_Where: TypeAlias = Mapping[str, set[int]]  # a word's pages


class _Entry(msgspec.Struct, frozen=True):
    """What is printed, the words of its name and the first number behind them: 0 for a Roman one."""

    text: str
    words: frozenset[str]
    page: int


def without_contents(blocks: Sequence[Block]) -> list[Block]:
    """The blocks, in reading order, less tables of contents and indexes with dots up to their numbers."""
    entries = {at: found for at, block in enumerate(blocks) if (found := _entries(block)) is not None}
    if sum(map(len, entries.values())) < LEAST_ENTRIES:
        return list(blocks)
    where = _where(block for at, block in enumerate(blocks) if at not in entries and not block.hidden)
    half = len(set().union(*where.values())) / 2
    left: dict[int, str] = {}
    for run in _runs(blocks, entries):
        left |= _contents(blocks, run, entries, where, half)
    return [_with(block, left.get(at, block.text)) for at, block in enumerate(blocks) if left.get(at) != ""]


def _with(block: Block, text: str) -> Block:
    return block if text == block.text else msgspec.structs.replace(block, text=text, parts=())


def _entries(block: Block) -> list[_Entry] | None:
    """The entries of a block that holds nothing else, those without a word left out; None for another block."""
    found, at = [], 0
    for match in _END.finditer(block.text):
        name = block.text[at : match.start()]
        if len(name) > _MAX_NAME_CHARS:
            return None
        found.append(_Entry(match.string[at : match.end()].strip(), _words(name), int(match[1] or 0)))
        at = match.end()
    is_whole = bool(found) and block.table is None and not block.text[at:].strip()
    return [entry for entry in found if entry.words] if is_whole else None


def _words(text: str) -> frozenset[str]:
    return frozenset(_WORD.findall(text.casefold()))


def _where(blocks: Iterable[Block]) -> _Where:
    """The pages of each word."""
    where: defaultdict[str, set[int]] = defaultdict(set)
    for block in blocks:
        for word in _words(block.text):
            where[word].add(block.page)
    return where


def _pages(entry: _Entry, where: _Where) -> set[int]:
    """Those on which all words of the name stand."""
    return set.intersection(*sorted((where.get(word, set()) for word in entry.words), key=len))


def _runs(blocks: Sequence[Block], entries: Mapping[int, Sequence[_Entry]]) -> Iterator[range]:
    """Where entries follow each other, what is short between them included."""
    first = last = -1
    for at in entries:
        between = blocks[last + 1 : at]
        if first < 0 or any(len(block.text) > _MAX_BETWEEN_CHARS or block.table for block in between):
            if first >= 0:
                yield range(first, last + 1)
            first = at
        last = at
    yield range(first, last + 1)


def _contents(
    blocks: Sequence[Block], run: range, entries: Mapping[int, Sequence[_Entry]], where: _Where, half: float
) -> dict[int, str]:
    """What is left of each block of the run that changes; nothing does unless enough entries stand on their page.

    Those have to be of different pages. A name on more than `half` the pages counts neither for nor against.
    """
    placed = {at: [(entry, _pages(entry, where)) for entry in entries[at]] for at in run if at in entries}
    told = [(entry.page, pages) for row in placed.values() for entry, pages in row]
    found = [(printed, pages) for printed, pages in told if printed and len(pages) <= half]
    offset = _offset(found)
    shown = [printed for printed, pages in found if printed + offset in pages]
    if len(set(shown)) < LEAST_ENTRIES or len(shown) < LEAST_SHARE * len(found):
        return {}
    left = {at: " ".join(entry.text for entry, pages in row if not pages) for at, row in placed.items()}
    left |= {at: "" for at in run if at not in left and _is_bare(blocks[at].text, offset, where)}
    before, after = run.start - 1, blocks[run.stop : run.stop + 1]
    is_last = all(0 < block.level <= blocks[before].level for block in after)
    if before >= 0 and blocks[before].level and is_last and len(left) == len(run) and not any(left.values()):
        left[before] = ""  # "Contents", with nothing left under it
    return left


def _offset(found: Sequence[tuple[int, set[int]]]) -> int:
    """How far the file's pages are from the printed numbers, by where the names stand."""
    votes: Counter[int] = Counter()
    for printed, pages in found[:: max(1, len(found) // _LOOKED_UP)]:
        votes.update(page - printed for page in pages)
    return votes.most_common(1)[0][0] if votes else 0


def _is_bare(text: str, offset: int, where: _Where) -> bool:
    """Whether it is an entry without leaders: a part's name and its page."""
    match = _BARE_END.search(text)
    entry = _Entry(text, _words(text[: match.start()]), int(match[1])) if match else None
    return entry is not None and bool(entry.words) and entry.page + offset in _pages(entry, where)
