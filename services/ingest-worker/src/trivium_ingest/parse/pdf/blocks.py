"""Lines to paragraphs, lists and headings."""

from __future__ import annotations

import itertools
import re
from collections import Counter
from collections.abc import Sequence
from statistics import median

import msgspec

from trivium.domain.parsed import UnitKind
from trivium_ingest.parse.images.ocr import join_words
from trivium_ingest.parse.pdf.lines import Piece, columns, rows_of
from trivium_ingest.parse.pdf.tables import aligned_table
from trivium_ingest.parse.pdf.words import Word
from trivium_ingest.parse.table import Table

HEADING_RATIO = 1.12  # of the body's line height
MAX_HEADING_CHARS = 200
MAX_BOLD_HEADING_CHARS = 100
_ITEM = re.compile(r"(?:[•‣◦▪●■\u2013\uf0b7]|[-*](?=\s)|\(?\d{1,2}[.)](?=\s)|\(?[a-z][.)](?=\s))\s*\S")
_NUMBERED = re.compile(r"(\d{1,2}(?:\.\d{1,2}){0,3})\.?\s+[^\W\d_]")
_SENTENCE_END = (".", "!", "?", ":", ";", "。", "؟", "”", '"')
_FORMULA = re.compile(r"[=∈∑∫⊕≈]")
MAX_PAGE_BLOCKS = 1_000  # of a page whose blocks are compared with each other
_FEW_LINES = 6
MAX_EDGE_LINES = 3  # of a running header or footer


class Block(msgspec.Struct):
    """A paragraph, list, heading candidate or table of one page, in points of the page as laid out.

    `hidden` text is there for machines only: nobody who looks at the page sees it. `kind` is set where the block is
    something else than body text, list, heading or table; `asset` then shows it, and `ocr` tells that part of its
    text was read in pixels. `level` is that of a heading that the document's outline names. `parts` are the
    lines of a short paragraph, divided at wide gaps.
    """

    text: str
    left: float
    top: float
    right: float
    bottom: float
    size: float
    index: int
    lines: int = 1
    bold: bool = False
    table: Table | None = None
    page: int = 0
    hidden: bool = False
    kind: UnitKind | None = None
    asset: str = ""
    ocr: bool = False
    level: int = 0
    parts: tuple[str, ...] = ()


def page_blocks(pieces: Sequence[Piece]) -> list[Block]:
    """The page in reading order."""
    blocks: list[Block] = []
    for stretch in columns(pieces):
        blocks.extend(_stretch_blocks(rows_of(stretch)))
    return blocks


def margin_block(words: Sequence[Word]) -> Block:
    """Text that runs sideways in the margin, after everything else, never a heading."""
    box = _around([Piece(w.text, w.left, w.top, w.right, w.bottom, w.index) for w in words])
    return Block(" ".join(word.text for word in words), *box, 0.0, words[0].index, lines=len(words))


def _stretch_blocks(rows: list[list[Piece]]) -> list[Block]:
    blocks: list[Block] = []
    lines: list[Piece] = []
    number = 0
    while number < len(rows):
        row = rows[number]
        found = aligned_table(rows[number : number + 400]) if len(row) > 1 else None
        if found or row[0].table is not None:
            blocks.extend(_paragraphs(lines))
            lines = []
            taken, table = found if found else (1, row[0].table)
            blocks.append(_table_block([p for r in rows[number : number + taken] for p in r], table))
            number += taken
        else:
            lines.append(_line(row))
            number += 1
    blocks.extend(_paragraphs(lines))
    return blocks


def _line(row: list[Piece]) -> Piece:
    if len(row) == 1:
        return row[0]
    if _right_to_left(row):
        row = row[::-1]
    box = _around(row)
    size = max(row, key=lambda piece: len(piece.text)).size
    parts = tuple(p.text for p in row)
    return Piece(" ".join(parts), *box, row[0].index, size, bold=all(p.bold for p in row), parts=parts)


def _right_to_left(row: list[Piece]) -> bool:
    letters = [c for piece in row for c in piece.text if c.isalpha()]
    return sum("\u0590" <= c <= "\u08ff" for c in letters) > 0.5 * len(letters)


def _paragraphs(lines: list[Piece]) -> list[Block]:
    if not lines:
        return []
    leading = _leading(lines)
    right = max(line.right for line in lines)
    groups = [[lines[0]]]
    for above, line in itertools.pairwise(lines):
        if _breaks(above, line, leading, right, groups[-1]):
            groups.append([line])
        else:
            groups[-1].append(line)
    return [_paragraph(group) for group in groups]


def _leading(lines: list[Piece]) -> float:
    """The usual step from line to line; a few lines do not tell, so theirs is bounded."""
    steps = [below.top - above.top for above, below in itertools.pairwise(lines)]
    height = median(line.size for line in lines)
    usual = median(steps or [height])
    return min(usual, (2.4 if len(lines) > _FEW_LINES else 1.5) * height)


def _breaks(above: Piece, line: Piece, leading: float, right: float, group: list[Piece]) -> bool:
    """True when `line` begins a new paragraph."""
    step, height = line.top - above.top, max(4.0, min(above.size, line.size))
    if step > max(1.35 * leading, 1.25 * height) or step < -height or above.bold != line.bold:
        return True
    inside_sentence = line.text[:1].islower() and not above.text.endswith(_SENTENCE_END)
    if max(above.size, line.size) > (1.3 if inside_sentence else 1.15) * height or _ITEM.match(line.text):
        return True
    ended_short = above.right < right - 3 * height
    indented = line.left > group[-1].left + 0.8 * height and len(group) > 1
    return above.text.endswith(_SENTENCE_END) and (ended_short or indented)


def _paragraph(lines: list[Piece]) -> Block:
    size = median(line.size for line in lines)
    text = join_words([line.text for line in lines])
    bold = all(line.bold for line in lines)
    parts = tuple(part for line in lines for part in line.parts or (line.text,)) if len(lines) <= MAX_EDGE_LINES else ()
    return Block(text, *_around(lines), size, lines[0].index, len(lines), bold, parts=parts)


def _table_block(pieces: list[Piece], table: Table | None) -> Block:
    return Block("", *_around(pieces), 0.0, pieces[0].index, table=table)


def _around(pieces: Sequence[Piece]) -> tuple[float, float, float, float]:
    return (
        min(p.left for p in pieces),
        min(p.top for p in pieces),
        max(p.right for p in pieces),
        max(p.bottom for p in pieces),
    )


def rejoin(blocks: list[Block]) -> list[Block]:
    """Put a sentence together that a column's or a page's end divides; it keeps the place where it begins.

    Footnotes, figures and hidden text stand in between without being in the way.
    """
    joined: list[Block] = []
    last: Block | None = None
    for block in blocks:
        if last is not None and _goes_on(last, block):
            last.text = join_words([last.text, block.text])
            last.lines += block.lines
            continue
        joined.append(block)
        if block.kind not in (UnitKind.NOTE, UnitKind.IMAGE) and not block.hidden:
            last = block
    return joined


def _goes_on(above: Block, below: Block) -> bool:
    if above.table is not None or below.table is not None or above.bold or below.bold or is_list(below.text):
        return False
    if above.hidden or below.hidden or above.kind or below.kind or above.level or below.level:
        return False
    same_size = abs(above.size - below.size) <= 0.06 * above.size
    begun = above.lines > 1 or len(above.text) > 60
    return same_size and begun and not above.text.endswith(_SENTENCE_END) and below.text[:1].islower()


def is_list(text: str) -> bool:
    """True when the paragraph begins with a bullet or a number."""
    return bool(_ITEM.match(text))


class Style(msgspec.Struct, frozen=True):
    """What the document's body looks like, and the sizes of its headings, largest first."""

    body: float
    bold_body: bool
    sizes: tuple[float, ...]

    def level(self, block: Block) -> int:
        """The heading level of a block, 0 for body text."""
        if block.level or not _may_head(block):
            return block.level
        numbered = _NUMBERED.match(block.text)
        larger = block.size >= HEADING_RATIO * self.body
        bold = block.bold and not self.bold_body and len(block.text) <= MAX_BOLD_HEADING_CHARS
        if not larger and (not bold or block.lines > 2 or (block.text.endswith((".", ",")) and not numbered)):
            return 0
        if larger and len(block.text) > 90 and block.text.endswith("."):
            return 0
        if numbered:
            return min(6, 2 + numbered.group(1).count("."))
        for level, size in enumerate(self.sizes, 1):
            if block.size >= 0.97 * size:
                return level
        return len(self.sizes) + 1


def _may_head(block: Block) -> bool:
    if block.hidden or block.kind or block.lines > 3 or len(block.text) > MAX_HEADING_CHARS:
        return False
    return _wordy(block.text)


def _wordy(text: str) -> bool:
    """Words rather than a formula or a number."""
    letters = sum(character.isalpha() for character in text)
    return letters >= 0.5 * len(text.replace(" ", "")) and not _FORMULA.search(text)


def document_style(pages: Sequence[Sequence[Block]]) -> Style:
    """The most frequent line height by characters, and the larger ones that headings use."""
    weights: Counter[float] = Counter()
    bold = total = 0
    for page in pages:
        for block in page:
            if block.table is None and not block.hidden:
                weights[round(block.size * 2) / 2] += len(block.text)
                total += len(block.text)
                bold += len(block.text) if block.bold else 0
    if not weights:
        return Style(10.0, bold_body=False, sizes=())
    body = weights.most_common(1)[0][0]
    larger = sorted({size for size in weights if size >= HEADING_RATIO * body}, reverse=True)
    sizes: list[float] = []
    for size in larger:
        if not sizes or size < 0.93 * sizes[-1]:
            sizes.append(size)
    return Style(body, bold > 0.5 * total, tuple(sizes[:4]))
