"""Source code as prose: comments are read without the marks of their lines, and cited as they stand. Pure."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from trivium.domain.answers import Citation
from trivium.domain.chunks import Chunk
from trivium.domain.parsed import UnitKind
from trivium.domain.retrieval import Hit
from trivium.text.source_code import without_marks
from trivium_query.answer.citations import Draft


def as_read(hits: Sequence[Hit]) -> tuple[Hit, ...]:
    """The hits, with blanks for the marks in code: every other character keeps its place, every sentence its number."""
    return tuple(
        msgspec.structs.replace(hit, chunk=_unmarked(hit.chunk)) if hit.chunk.kind is UnitKind.CODE else hit
        for hit in hits
    )


def as_written(draft: Draft, hits: Sequence[Hit]) -> Draft:
    """What was read `as_read`, with quotes as the hits have them, and the short answer on one line."""
    code = {hit.chunk.id: hit.chunk for hit in hits if hit.chunk.kind is UnitKind.CODE}
    quoted = (_quoted(one, code[one.chunk_id]) if one.chunk_id in code else one for one in draft.citations)
    return msgspec.structs.replace(draft, citations=tuple(quoted), short=" ".join(draft.short.split()))


def _unmarked(chunk: Chunk) -> Chunk:
    text = without_marks(chunk.text)
    trimmed = ((span, span.trimmed(text)) for span in chunk.sentences)
    sentences = tuple(said if said.of(text) else span for span, said in trimmed)
    return msgspec.structs.replace(chunk, text=text, sentences=sentences)


def _quoted(citation: Citation, chunk: Chunk) -> Citation:
    place = without_marks(chunk.text).find(citation.quote)
    if place < 0:
        return citation
    quote = chunk.text[place : place + len(citation.quote)]
    return msgspec.structs.replace(citation, quote=quote, positions=chunk.positions_of(quote))
