"""Where a parsed document's units and sentences stand in its canonical text."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from typing import TypeVar

import msgspec

from trivium.domain.chunks import SourceSpan, Span
from trivium.domain.parsed import UNIT_SEPARATOR, Box, ParsedDocument, Position, Unit, UnitKind
from trivium.text.sentences import MAX_SENTENCE_CHARS, split_sentences
from trivium.text.source_code import split_source_code

Number = TypeVar("Number", int, float)

_LINE = re.compile(r"[^\n]+")


class Block(msgspec.Struct, frozen=True):
    """A unit and the range of the canonical text that it fills."""

    unit: Unit
    span: Span


class Layout:
    """A document's canonical text with its blocks and sentences. Units without visible text are left out."""

    def __init__(self, document: ParsedDocument) -> None:
        self.text = document.text
        self.blocks = tuple(_blocks(document.units))
        self._ends = [block.span.end for block in self.blocks]
        self._starts = [block.span.start for block in self.blocks]
        self.sentences = tuple(span for block in self.blocks for span in _sentences(block))
        self._sentence_ends = [span.end for span in self.sentences]
        self._sentence_starts = [span.start for span in self.sentences]

    def blocks_in(self, span: Span) -> Sequence[Block]:
        """Blocks that share a character with `span`, in order."""
        return self.blocks[bisect_right(self._ends, span.start) : bisect_left(self._starts, span.end)]

    def sentences_in(self, span: Span) -> tuple[Span, ...]:
        """Sentences that share a character with `span`, cut to it, counted from its start."""
        first = bisect_right(self._sentence_ends, span.start)
        last = bisect_left(self._sentence_starts, span.end)
        return tuple(
            Span(max(s.start, span.start) - span.start, min(s.end, span.end) - span.start)
            for s in self.sentences[first:last]
        )


def lines_of(text: str, span: Span) -> Iterator[Span]:
    """The lines of `span` that hold visible text, trimmed."""
    for match in _LINE.finditer(text, span.start, span.end):
        line = Span(*match.span()).trimmed(text)
        if line.of(text):  # told here: a pattern that asks for a visible character backs over every blank
            yield line


def positions_of(blocks: Iterable[Block], span: Span) -> tuple[Position, ...]:
    """Where `span` stands in the original: one position per page, slide, sheet or time range, merged in order.

    Where a section path is all that is known, one per section.
    """
    merged: list[Position] = []
    for block in blocks:
        position = _narrowed(block, span)
        if merged and _place(merged[-1]) == _place(position):
            merged[-1] = _joined(merged[-1], position)
        else:
            merged.append(position)
    return tuple(position for position in merged if position != Position())


def places_of(blocks: Iterable[Block], span: Span) -> tuple[SourceSpan, ...]:
    """Where each block's part of `span` stands, counted from its start; () where all stand at one place."""
    places = tuple(
        SourceSpan(
            Span(max(block.span.start, span.start) - span.start, min(block.span.end, span.end) - span.start),
            _narrowed(block, span),
        )
        for block in blocks
    )
    return places if len({place.position for place in places}) > 1 else ()


def section_of(blocks: Sequence[Block]) -> tuple[str, ...]:
    """The section path that all blocks share."""
    paths = [block.unit.position.section for block in blocks]
    if not paths:
        return ()
    shared = paths[0]
    for path in paths[1:]:
        shared = shared[: _common(shared, path)]
    return shared


def kind_of(blocks: Iterable[Block]) -> UnitKind:
    """The kind of a chunk: that of its blocks when they agree, headings aside, else text."""
    kinds = _kinds(blocks)
    return kinds[0] if len(kinds) == 1 else UnitKind.TEXT


def kinds_of(blocks: Iterable[Block]) -> tuple[UnitKind, ...]:
    """The kinds of a chunk's blocks where they differ, in order."""
    kinds = _kinds(blocks)
    return kinds if len(kinds) > 1 else ()


def _kinds(blocks: Iterable[Block]) -> tuple[UnitKind, ...]:
    return tuple(dict.fromkeys(block.unit.kind for block in blocks if block.unit.kind is not UnitKind.HEADING))


def _blocks(units: Iterable[Unit]) -> Iterator[Block]:
    at = 0
    for unit in units:
        if not unit.text:
            continue
        end = at + len(unit.text)
        if unit.text.strip():
            yield Block(unit, Span(at, end))
        at = end + len(UNIT_SEPARATOR)


def _sentences(block: Block) -> Iterator[Span]:
    text, start = block.unit.text, block.span.start
    if block.unit.kind is not UnitKind.TABLE:
        split = split_source_code if block.unit.kind is UnitKind.CODE else split_sentences
        yield from (Span(start + s.start, start + s.end) for s in split(text))
        return
    for row in lines_of(text, Span(0, len(text))):  # a row is one statement, whatever marks its cells hold
        if row.end - row.start <= MAX_SENTENCE_CHARS:
            yield Span(start + row.start, start + row.end)
        else:
            base = start + row.start
            yield from (Span(base + s.start, base + s.end) for s in split_sentences(row.of(text)))


def _narrowed(block: Block, span: Span) -> Position:
    """The position of the part of `block` in `span`."""
    first, last = block.span.start, block.span.end
    start, end = max(first, span.start), min(last, span.end)
    if (start, end) == (first, last):
        return block.unit.position
    return block.unit.position.part(block.unit.text, start - first, end - first)


def _place(position: Position) -> tuple[object, ...]:
    place = (position.page, position.slide, position.sheet, position.seconds)
    return place if any(place) or position.offset else position.section


def _joined(one: Position, other: Position) -> Position:
    return msgspec.structs.replace(
        one,
        box=_union(one.box, other.box),
        rows=_range(one.rows, other.rows),
        offset=_range(one.offset, other.offset),
        seconds=_range(one.seconds, other.seconds),
        section=one.section[: _common(one.section, other.section)],
    )


def _union(one: Box | None, other: Box | None) -> Box | None:
    if one is None or other is None:
        return one or other
    return Box(
        min(one.left, other.left),
        min(one.top, other.top),
        max(one.right, other.right),
        max(one.bottom, other.bottom),
    )


def _range(one: tuple[Number, Number] | None, other: tuple[Number, Number] | None) -> tuple[Number, Number] | None:
    if one is None or other is None:
        return one or other
    return min(one[0], other[0]), max(one[1], other[1])


def _common(one: tuple[str, ...], other: tuple[str, ...]) -> int:
    same = 0
    for left, right in zip(one, other, strict=False):
        if left != right:
            break
        same += 1
    return same
