"""Which HyperNodes a document has, and which passage is within which: from the passages' section paths alone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Protocol

from trivium.domain.ids import digest

MAX_DEPTH = 8  # headings above a passage; what is nested deeper belongs to the section of the eighth


class Placed(Protocol):
    """A passage with its place: `trivium.domain.chunks.Chunk`, or what of it was read."""

    @property
    def id(self) -> str:
        """Of the passage."""
        ...

    @property
    def section(self) -> tuple[str, ...]:
        """The headings above it, the widest first."""
        ...


def hypernode_id(document_id: str, version: str, section: tuple[str, ...] = ()) -> str:
    """One per version of a document and section path; without a path the document's own."""
    return digest("hypernode", document_id, version, *section)


def within(document_id: str, version: str, chunks: Iterable[Placed]) -> dict[str, tuple[str, ...]]:
    """The HyperNodes that each passage is within: the document's, then those of its sections, the widest first.

    Of sections that hold just the passages of what they stand in there is none: it would be the same node twice.
    """
    sections = {chunk.id: chunk.section[:MAX_DEPTH] for chunk in chunks}
    sizes = Counter(section[:depth] for section in sections.values() for depth in range(len(section) + 1))
    ids = {
        section: hypernode_id(document_id, version, section)
        for section, size in sizes.items()
        if not section or size < sizes[section[:-1]]
    }
    return {
        chunk: tuple(ids[section[:depth]] for depth in range(len(section) + 1) if section[:depth] in ids)
        for chunk, section in sections.items()
    }


def all_of(nodes: Mapping[str, tuple[str, ...]]) -> set[str]:
    """Every HyperNode that a passage is within."""
    return {node for of_one in nodes.values() for node in of_one}


def section_of(node: str, document_id: str, version: str, section: tuple[str, ...]) -> tuple[str, ...] | None:
    """Which part of a passage's section path the HyperNode stands for, () for the document's; None: it is no such."""
    for depth in range(min(len(section), MAX_DEPTH) + 1):
        if hypernode_id(document_id, version, section[:depth]) == node:
            return section[:depth]
    return None
