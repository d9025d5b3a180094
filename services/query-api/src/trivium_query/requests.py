"""READ FIRST: what serves a request. HTTP and gRPC both call `trivium_query.handlers`, and those call this.

request -> http/ or rpc/ (decode, who is asking) -> handlers/ (what it means) -> Services (who does it)
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from typing import Protocol

import msgspec

from trivium.config import Settings
from trivium.domain.answers import Answer, AnswerEvent, Kind, Turn
from trivium.domain.crawl import CrawlRequest, Visit
from trivium.domain.retrieval import Mode, Rerank, SearchFilter, SearchResult
from trivium.domain.scope import Tenant
from trivium.edits.curation import Curation
from trivium.flow.asking import Asking
from trivium.ports.buckets import Buckets
from trivium.ports.conversations import Conversations
from trivium.ports.graph import Graphs
from trivium.ports.inference import Embedder
from trivium.ports.intake import Intake
from trivium.ports.keywords import Keywords
from trivium.ports.llm import Llm
from trivium.ports.objects import Objects
from trivium.ports.registry import Registry
from trivium.ports.vectors import Vectors
from trivium_query.access.uses import Uses
from trivium_query.connect.driver import Connecting
from trivium_query.contradictions.find import Contradictions
from trivium_query.question_vectors import QuestionVectors
from trivium_query.retrieve.warmth import Warmth
from trivium_query.topics.kept import Current


class AskRequest(msgspec.Struct, frozen=True, kw_only=True):
    """A question with everything that shapes its answer.

    `history` is oldest first, `forgotten` how many turns of the conversation stand before it.
    `timeout_s` bounds the whole answer: what it cannot afford is left out and noted. Without `kind` the question's
    words decide it, without `rerank` the settings.
    """

    question: str
    mode: Mode = Mode.HYBRID
    top_k: int = 10
    filter: SearchFilter = SearchFilter()
    history: tuple[Turn, ...] = ()
    forgotten: int = 0
    timeout_s: float = 30.0
    kind: Kind | None = None
    rerank: Rerank | None = None


class Searcher(Protocol):
    """Ranked passages. A source that is late or down is named in `degraded`; raises `TryLater` when none is left."""

    async def search(
        self, tenant: Tenant, question: str, mode: Mode, top_k: int, restrict: SearchFilter
    ) -> SearchResult:
        """At most `top_k` hits, best first."""
        ...


class Answerer(Protocol):
    """Cited answers. Cancelling the call, or closing the generator, stops the work."""

    async def answer(self, tenant: Tenant, ask: AskRequest) -> Answer:
        """The whole answer at once."""
        ...

    def stream(self, tenant: Tenant, ask: AskRequest) -> AsyncGenerator[AnswerEvent, None]:
        """The same answer as it is written; ends with `Finished` or `Failed`."""
        ...


class SiteCrawler(Protocol):
    """Takes in whole sites."""

    def visits(self, tenant: Tenant, request: CrawlRequest) -> AsyncGenerator[Visit, None]:
        """Each page looked at, as it happens; closing the generator ends the crawl.

        Raises as the intake's `accept_url` for the first page's address, and `TryLater` (`busy`).
        """
        ...


class PresentTopics(Protocol):
    """What each tenant's documents are about."""

    async def of(self, tenant: Tenant, dataset: str, wait_s: float) -> Current:
        """The topics of a dataset, of "" those of everything, made first where need be.

        Raises `TryLater` when that takes longer than `wait_s`.
        """
        ...

    def close(self) -> None:
        """End the making of topics."""
        ...


class Embeddings(msgspec.Struct, frozen=True):
    """The model of questions, for who wants vectors themselves; its texts go through `questions` with all others."""

    questions: QuestionVectors
    embedder: Embedder


Probe = Callable[[], Awaitable[None]]
"""Returns when its subject is ready, raises `TriviumError` with the reason when it is not."""


class Services(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that requests need; built once by the wiring.

    `llm`, where one is configured, proposes relation types. `probes` are asked by `/readyz` beside the stores: of the
    object store, and of an inference service.
    """

    settings: Settings
    intake: Intake
    registry: Registry
    keywords: Keywords
    vectors: Vectors
    graphs: Graphs
    curation: Curation
    objects: Objects
    conversations: Conversations
    searcher: Searcher
    answerer: Answerer
    crawler: SiteCrawler
    contradictions: Contradictions
    topics: PresentTopics
    connecting: Connecting
    hypernodes: Vectors | None = None
    buckets: Buckets | None = None
    llm: Llm | None = None
    embeddings: Embeddings | None = None
    probes: Mapping[str, Probe] = msgspec.field(default_factory=dict)
    warmth: Warmth = msgspec.field(default_factory=Warmth)
    asking: Asking = msgspec.field(default_factory=Asking)
    uses: Uses = msgspec.field(default_factory=Uses)
