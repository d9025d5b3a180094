"""The documents themselves, as questions about the collection and about one document need them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import msgspec

from trivium.domain.chunks import Chunk
from trivium.domain.documents import Document
from trivium.domain.retrieval import Hit


class Listing(msgspec.Struct, frozen=True):
    """How many documents there are, and one passage of each that is shown; `exact` is False for "at least"."""

    total: int
    hits: tuple[Hit, ...] = ()
    exact: bool = True


class Documents(msgspec.Struct, frozen=True):
    """Documents of a collection, newest first; `exact` is False where it may have more."""

    found: Sequence[Document]
    exact: bool = True


class Collection(Protocol):
    """What one caller may see: documents of his tenant and filter that were published. All raise `TryLater`."""

    async def documents(self) -> Documents:
        """All of them; of a very large collection the newest."""
        ...

    async def first_passages(self, documents: Documents) -> Listing:
        """Those that have a passage of the kinds that may be seen, each told by its first."""
        ...

    async def mentioning(self, words: str) -> Listing:
        """Those with a passage that holds the content words of `words` in their order."""
        ...

    async def passages(self, document_id: str, version: str) -> Sequence[Chunk]:
        """A version's passages of these kinds in order, of a very long document the first."""
        ...
