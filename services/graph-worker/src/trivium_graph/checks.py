"""What every share of the graph passes before it is written, whoever read the passage: rules, model or agent.

The same gate and the same bounds that the sixteen tools apply (`trivium.graph_tools.desk`): a name that cannot be an
entity's, a typed relation below 0.6 or of a type that is none, and a span that is not exactly in the chunk are left
out.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from trivium.domain.chunks import Chunk, Span
from trivium.domain.errors import Refused
from trivium.domain.graph import CO_OCCURS, ChunkGraph, Mention, MentionRole, Relation
from trivium.graph_tools.desk import checked_confidence, checked_type
from trivium.text import gate


def checked_shares(chunks: Sequence[Chunk], shares: Sequence[ChunkGraph]) -> list[ChunkGraph]:
    """`shares` of `chunks`, in order, without what does not pass."""
    return [checked(chunk, share) for chunk, share in zip(chunks, shares, strict=True)]


def checked(chunk: Chunk, share: ChunkGraph) -> ChunkGraph:
    """The share without what does not pass; itself where everything does."""
    mentions = tuple(mention for mention in share.mentions if _stands(chunk, mention))
    relations = tuple(relation for relation in share.relations if _holds(chunk, relation))
    if len(mentions) == len(share.mentions) and len(relations) == len(share.relations):
        return share
    return msgspec.structs.replace(share, mentions=mentions, relations=relations)


def _stands(chunk: Chunk, mention: Mention) -> bool:
    if mention.role is not MentionRole.MENTION:  # of titles and headings, which may stand outside the text
        return True
    return _within(chunk, mention.span) and not gate.rejected(mention.surface)


def _holds(chunk: Chunk, relation: Relation) -> bool:
    if relation.source_key == relation.target_key or not _within(chunk, relation.span):
        return False
    if relation.span.of(chunk.text) != relation.snippet:
        return False
    if relation.type == CO_OCCURS:
        return True
    try:
        checked_confidence(relation.confidence)
        return checked_type(relation.type) == relation.type
    except Refused:
        return False


def _within(chunk: Chunk, span: Span) -> bool:
    return 0 <= span.start < span.end <= len(chunk.text)
