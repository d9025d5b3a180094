"""A parsed document becomes chunks. The chunkers only choose the spans; this gives them their addresses."""

from __future__ import annotations

from typing import Final

import msgspec

from trivium.domain.chunks import Chunk, Span
from trivium.domain.errors import Refused
from trivium.domain.ids import chunk_id
from trivium.domain.parsed import ParsedDocument
from trivium.ports.inference import Embedder
from trivium_ingest.chunk.fixed import fixed, tokens
from trivium_ingest.chunk.layout import Layout, kind_of, kinds_of, places_of, positions_of, section_of
from trivium_ingest.chunk.options import K2RAG_DENSE, K2RAG_GRAPH, ChunkOptions
from trivium_ingest.chunk.paragraph import paragraph
from trivium_ingest.chunk.semantic import semantic
from trivium_ingest.chunk.structural import structural

__all__ = ["K2RAG_DENSE", "K2RAG_GRAPH", "ChunkOptions", "chunk_document", "fingerprint"]

CHUNK_VERSION: Final = 10
_NEED_EMBEDDER: Final = frozenset({"semantic", "tokens"})


def chunk_document(
    document: ParsedDocument,
    document_id: str,
    version: str,
    source: str,
    options: ChunkOptions,
    embedder: Embedder | None = None,
) -> list[Chunk]:
    """The chunks of one version, ordinals from 0; every visible character of the text is in one of them.

    Raises `Refused` (`bad_chunk_options`), also when a semantic or token chunker gets no embedder.
    """
    options.check()
    layout = Layout(document)
    return [
        _chunk(
            layout,
            span,
            document,
            Chunk(chunk_id(document_id, version, ordinal), document_id, version, ordinal, "", span, source),
        )
        for ordinal, span in enumerate(_spans(layout, options, embedder))
    ]


def fingerprint(options: ChunkOptions, embedder: Embedder | None = None) -> str:
    """Chunker, its options and the version of this code; the embedder's too where it decides the spans."""
    base = f"chunk:{CHUNK_VERSION}:{options.chunker}:{options.size}:{options.overlap}"
    if embedder is not None and options.chunker in _NEED_EMBEDDER:
        return f"{base}:{embedder.fingerprint}"
    return base


def _spans(layout: Layout, options: ChunkOptions, embedder: Embedder | None) -> list[Span]:
    size, overlap = options.size, options.overlap
    if options.chunker == "structural":
        return structural(layout, size, overlap)
    if options.chunker == "paragraph":
        return paragraph(layout, size, overlap)
    if options.chunker == "fixed":
        return fixed(layout, size, overlap)
    if embedder is None:
        raise Refused("bad_chunk_options", f"The {options.chunker} chunker needs an embedder.", "Configure one.")
    if options.chunker == "tokens":
        return tokens(layout, size, overlap, embedder)
    return semantic(layout, size, overlap, embedder)


def _chunk(layout: Layout, span: Span, document: ParsedDocument, bare: Chunk) -> Chunk:
    blocks = layout.blocks_in(span)
    return msgspec.structs.replace(
        bare,
        text=span.of(layout.text),
        sentences=layout.sentences_in(span),
        kind=kind_of(blocks),
        title=document.title,
        section=section_of(blocks),
        positions=positions_of(blocks, span),
        kinds=kinds_of(blocks),
        places=places_of(blocks, span),
        hidden=any(block.unit.hidden for block in blocks),
        assets=tuple(dict.fromkeys(block.unit.asset for block in blocks if block.unit.asset)),
    )
