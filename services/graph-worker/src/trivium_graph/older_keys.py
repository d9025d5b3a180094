"""Names whose key was another before marks were part of letters: those that edits are about keep it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence

import msgspec

from trivium.domain.graph import Alias, ChunkGraph
from trivium.text.names import key_without_marks

_replaced = msgspec.structs.replace


def with_older_keys(shares: Sequence[ChunkGraph], decided: Callable[[], Collection[str]]) -> list[ChunkGraph]:
    """`shares`, where a name whose old key edits are about has that one, and its new key as another name.

    `decided` gives the names that edits are about; it is asked only where a key has become another.
    """
    older = {
        mention.key: before
        for share in shares
        for mention in share.mentions
        if (before := key_without_marks(mention.key)) != mention.key
    }
    if not older:
        return list(shares)
    known = decided()
    kept = {key: before for key, before in older.items() if before in known and key not in known}
    return [_with_keys(share, kept) for share in shares] if kept else list(shares)


def _with_keys(share: ChunkGraph, kept: Mapping[str, str]) -> ChunkGraph:
    def key_of(key: str) -> str:
        return kept.get(key, key)

    surfaces = {mention.key: mention.surface for mention in share.mentions if mention.key in kept}
    return _replaced(
        share,
        mentions=tuple(_replaced(one, key=key_of(one.key)) for one in share.mentions),
        relations=tuple(
            _replaced(one, source_key=key_of(one.source_key), target_key=key_of(one.target_key))
            for one in share.relations
        ),
        aliases=(
            *(_replaced(one, key=key_of(one.key), canonical_key=key_of(one.canonical_key)) for one in share.aliases),
            *(Alias(key, kept[key], surface, share.chunk_id) for key, surface in surfaces.items()),
        ),
    )
