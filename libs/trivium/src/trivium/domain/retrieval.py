"""Rankings and hits: every hit says why it is there."""

from __future__ import annotations

import enum
from collections.abc import Mapping, Sequence
from typing import Annotated

import msgspec

from trivium.domain.chunks import Chunk
from trivium.domain.documents import Document
from trivium.domain.graph import Mentioning, StepType
from trivium.domain.ids import Id
from trivium.domain.times import Period


class Mode(enum.StrEnum):
    """Named retrieval strategies; `hybrid` is the default, the best measured combination."""

    VECTOR = "vector"
    KEYWORD = "keyword"
    GRAPH = "graph"  # path retrieval alone, explained by its bridges
    BFS = "bfs"  # CORTEX C5
    PPR = "ppr"  # personalized PageRank over the entity-chunk graph
    RRF = "rrf"  # three-way reciprocal rank fusion, k = 60 (CORTEX C6)
    WEIGHTED = "weighted"  # lambda * dense + (1 - lambda) * sparse (K2RAG K3)
    HYBRID = "hybrid"
    TOPICS = "topics"  # central passages of the collection's topics
    DEEP = "deep"  # down from the nearest sections and documents, and on over shared names (RAGA R8, R11)


class Rerank(enum.StrEnum):
    """Who orders the hits once more before an answer is written from them."""

    NONE = "none"
    CROSS_ENCODER = "cross-encoder"
    LLM = "llm"


class Scored(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """One row of a ranking, best first. Scores compare only within one ranking."""

    chunk_id: str
    score: float


class SourceRank(msgspec.Struct, frozen=True, gc=False):
    """A hit's place in one ranking. Scores compare only within one ranking."""

    source: Annotated[str, msgspec.Meta(examples=["vector"])]
    rank: Annotated[int, msgspec.Meta(ge=1)]
    score: float


class Bridge(msgspec.Struct, frozen=True):
    """The step of a path: `sentence` of chunk `from_chunk_id` mentions `name`, which leads to the hit."""

    from_chunk_id: Id
    name: str
    sentence: str
    strength: float


class Nearby(msgspec.Struct, frozen=True):
    """A step across modalities: the hit stands beside `from_chunk_id`; `type` as in `domain.graph.StepType`."""

    from_chunk_id: str
    type: StepType


class Hit(msgspec.Struct, frozen=True):
    """A result with its text. `rank` counts from 1. `topic` names the one that it is central to, in mode `topics`.

    `hypernode` names the section or document that it was found by, in mode `deep`.
    """

    chunk: Chunk
    rank: int
    score: float
    sources: tuple[SourceRank, ...] = ()
    bridge: Bridge | None = None
    nearby: Nearby | None = None
    topic: str | None = None
    hypernode: str | None = None


class Degraded(msgspec.Struct, frozen=True):
    """A source that was late or down, and what that cost the answer."""

    source: str
    reason: str


class SearchResult(msgspec.Struct, frozen=True):
    """Hits best first, the sources that failed, and where the time went (milliseconds per step).

    `uncovered` are the modalities that were asked for and that no hit has; `notes` are for the reader.
    """

    hits: tuple[Hit, ...]
    degraded: tuple[Degraded, ...] = ()
    timings_ms: dict[str, float] = {}
    uncovered: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


class RowFilter(msgspec.Struct, frozen=True):
    """Which rows of its tenant a store may answer with.

    `document_ids` None does not restrict, an empty tuple finds nothing; "", no `kinds` and no `period` do not restrict.
    A passage passes when it is, or has in it, a unit of one of the `kinds`.
    """

    document_ids: tuple[str, ...] | None = None
    dataset: str = ""
    kinds: tuple[str, ...] = ()
    run: str = ""
    period: Period | None = None


EVERYWHERE = RowFilter()


class SearchFilter(msgspec.Struct, frozen=True):
    """Restricts a search within its tenant; empty means no restriction.

    `modalities` restricts nothing: hits of each of these kinds shall be among the results (MAHA's modality coverage).
    """

    document_ids: tuple[str, ...] = ()
    dataset: str = ""
    kinds: tuple[str, ...] = ()
    modalities: tuple[str, ...] = ()
    run: str = ""
    period: Period | None = None

    def rows(self) -> RowFilter:
        """What of it the stores apply."""
        return RowFilter(self.document_ids or None, self.dataset, self.kinds, self.run, self.period)

    @property
    def asks_documents(self) -> bool:
        """Whether it asks anything of documents that `admits` would look at."""
        return bool(self.document_ids or self.dataset or self.run or self.period)

    def admits(self, document: Document) -> bool:
        """Whether the record of a document's newest version passes; `kinds` are asked of its passages."""
        return (
            (not self.document_ids or document.id in self.document_ids)
            and self.dataset in ("", document.dataset)
            and self.run in ("", document.run)
            and (self.period is None or self.period.holds(document.uploaded, document.dated_at))
        )


class Places(msgspec.Struct, frozen=True, gc=False):
    """Where names lead: chunks about each name, those with it in a heading, and those that mention it."""

    about: Mapping[str, Sequence[Scored]]
    headings: Mapping[str, Mentioning]
    mentioned: Mapping[str, Mentioning]
