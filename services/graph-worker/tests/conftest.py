from __future__ import annotations

from collections.abc import Callable

import pytest

from trivium.domain.chunks import Chunk, Span
from trivium.text.sentences import split_sentences

MakeChunk = Callable[..., Chunk]


def chunk_of(text: str, title: str = "", section: tuple[str, ...] = (), ordinal: int = 0) -> Chunk:
    return Chunk(
        id=f"c{ordinal}",
        document_id="d",
        version="v",
        ordinal=ordinal,
        text=text,
        span=Span(0, len(text)),
        source="guide.txt",
        sentences=split_sentences(text),
        title=title,
        section=section,
    )


@pytest.fixture
def make_chunk() -> MakeChunk:
    return chunk_of
