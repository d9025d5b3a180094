"""A chunk is a passage with an address: the unit of retrieval and of citation."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from trivium.domain.parsed import Position, UnitKind

_CHUNK_BYTES = 900  # with its names, section and position
_SPAN_BYTES = 104
_PLACE_BYTES = 440


class Span(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """Half-open character range [start, end)."""

    start: int
    end: int

    def of(self, text: str) -> str:
        """The characters of `text` in this range."""
        return text[self.start : self.end]

    def trimmed(self, text: str) -> Span:
        """Without white space at its edges in `text`; empty, where it begins, if there is nothing else."""
        whole = self.of(text)
        said = whole.strip()
        start = self.start + whole.index(said)
        return Span(start, start + len(said))


class SourceSpan(msgspec.Struct, frozen=True, array_like=True):
    """Where a part of a chunk's text stands in the original."""

    span: Span
    position: Position


class Chunk(msgspec.Struct, frozen=True, omit_defaults=True):
    """A passage of one version of one document.

    `span` counts in the parsed document's canonical text, and `text` is exactly that range.
    `sentences` count in `text`. `context` situates the chunk in its document (CORTEX C3): it is
    embedded and indexed before the text, and is never cited.
    `ordinal` counts from 0 within the version; people see `number`, which counts from 1.
    `kinds` are those of its units where they differ (a short table within a text), without headings.
    `hidden` tells that part of the text is not seen by who looks at the original; `assets` name the pictures of its
    units.
    `places` say where each of its units stands, in order; they are left out where `positions` say as much.
    """

    id: str
    document_id: str
    version: str
    ordinal: int
    text: str
    span: Span
    source: str
    sentences: tuple[Span, ...] = ()
    kind: UnitKind = UnitKind.TEXT
    title: str = ""
    section: tuple[str, ...] = ()
    positions: tuple[Position, ...] = ()
    context: str = ""
    hidden: bool = False
    assets: tuple[str, ...] = ()
    kinds: tuple[UnitKind, ...] = ()
    places: tuple[SourceSpan, ...] = ()

    @property
    def number(self) -> int:
        """The chunk's number as citations show it."""
        return self.ordinal + 1

    @property
    def held_kinds(self) -> tuple[UnitKind, ...]:
        """Its own kind, then the others that it has units of."""
        return tuple(dict.fromkeys((self.kind, *self.kinds)))

    def holds(self, kind: str) -> bool:
        """Whether it is, or has in it, a unit of this kind."""
        return kind in self.held_kinds

    def positions_of(self, quote: str) -> tuple[Position, ...]:
        """Where `quote` stands in the original, as exactly as is known; where it is not in the text, all positions."""
        start = self.text.find(quote) if quote else -1
        end = start + len(quote)
        places = self.places
        if not places and len(self.positions) == 1:
            places = (SourceSpan(Span(0, len(self.text)), self.positions[0]),)
        touched = [place for place in places if place.span.start < end and start < place.span.end]
        if start < 0 or not touched or len(touched) == len(self.places):
            return self.positions
        return tuple(_of_part(place, self.text, start, end) for place in touched)

    def sentence(self, ordinal: int) -> str:
        """The text of one sentence."""
        return self.sentences[ordinal].of(self.text)

    @property
    def heading(self) -> str:
        """Title and section path, as they are put before the text for embedding and BM25."""
        parts = [self.title, *self.section] if self.title else list(self.section)
        return " > ".join(dict.fromkeys(part for part in parts if part))


def memory_bytes(chunks: Iterable[Chunk]) -> int:
    """About what they take in memory, where text is one byte a character. Bytes; measured with tracemalloc."""
    return sum(
        _CHUNK_BYTES + len(chunk.text) + _SPAN_BYTES * len(chunk.sentences) + _PLACE_BYTES * len(chunk.places)
        for chunk in chunks
    )


def _of_part(place: SourceSpan, text: str, start: int, end: int) -> Position:
    """Where that part of text[start:end] stands which is in `place`."""
    first, last = place.span.start, place.span.end
    return place.position.part(place.span.of(text), max(start, first) - first, min(end, last) - first)


class ChunkVectors(msgspec.Struct, frozen=True):
    """A chunk's embedding and those of its sentences, float32, L2-normalised, as raw bytes.

    `passage` holds d values; `sentences` holds len(chunk.sentences) x d values, row by row.
    Both come from one forward pass (late chunking). `visual` is the vector of the chunk's pictures in a space of its
    own, empty without a picture or without a visual encoder.
    """

    chunk_id: str
    passage: bytes
    sentences: bytes = b""
    visual: bytes = b""
