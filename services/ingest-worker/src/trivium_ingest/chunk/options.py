"""Which chunker, and how large its chunks are."""

from __future__ import annotations

from typing import Final, Literal

import msgspec

from trivium.domain.errors import Refused

ChunkerName = Literal["structural", "semantic", "paragraph", "fixed", "tokens"]


class ChunkOptions(msgspec.Struct, frozen=True):
    """`size` bounds a chunk, `overlap` what it repeats of the one before it.

    Both count characters, for `tokens` the embedder's tokens. A short document is cut by `semantic` into windows of
    its own. RAGA's default is structural, 1200/120.
    """

    chunker: ChunkerName = "structural"
    size: int = 1200
    overlap: int = 120

    def check(self) -> None:
        """Raises `Refused` (`bad_chunk_options`) for sizes that cannot work."""
        if self.size < 1 or not 0 <= self.overlap < self.size:
            raise Refused(
                "bad_chunk_options",
                f"A chunk size of {self.size} with an overlap of {self.overlap} cannot work.",
                "Choose a size of at least 1 and an overlap smaller than it.",
            )


K2RAG_DENSE: Final = ChunkOptions("tokens", 256, 20)  # K²RAG's profile for dense and sparse indexes
K2RAG_GRAPH: Final = ChunkOptions("tokens", 300, 100)  # and for the graph
