"""Citations: where in which document something is said."""

from __future__ import annotations

import msgspec

from trivium.domain.parsed import Position
from trivium.domain.places import view_link, web_address


class Citation(msgspec.Struct, frozen=True):
    """A claim's way back: `marker` stands in the answer's text as `[Source: file, chunk N]`."""

    marker: str
    chunk_id: str
    document_id: str
    source: str
    chunk_number: int
    quote: str
    positions: tuple[Position, ...] = ()

    @property
    def url(self) -> str:
        """Where a browser shows the passage; "" for what is not from the web."""
        return web_address(self.source, self.positions)

    @property
    def link(self) -> str:
        """The path of the HTTP API that shows the passage with the quote marked, whatever the format (`view_link`)."""
        return view_link(self.document_id, self.chunk_id, self.chunk_number, self.quote)
