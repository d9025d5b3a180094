"""Between protobuf messages and what HTTP says, whose fields have the same names."""

from __future__ import annotations

import enum
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, TypeVar

import msgspec

from trivium import api
from trivium.domain import answers, contradictions, documents, retrieval
from trivium.domain import crawl as crawls
from trivium.domain.contradictions import ContradictionKind
from trivium.domain.edits import Actor, ActorKind
from trivium.domain.errors import Refused
from trivium.domain.runs import new_run
from trivium.domain.times import TimeOf
from trivium.invalid_request import InvalidRequest, misfit
from trivium.ports.conversations import Conversation
from trivium.v1 import conversations_pb2, graph_pb2, ingest_pb2, query_pb2
from trivium_query import views
from trivium_query.contradictions.find import Asked, CardPage
from trivium_query.handlers import sources
from trivium_query.validation import validated

E = TypeVar("E", bound=enum.StrEnum)
MAX_PAGE = 200
MAX_NAME_CHARS = 300  # of a field that names something
DEFAULT_PAGE = 50
_RANGES = {"rows": ("first", "last"), "offset": ("first", "last"), "seconds": ("start", "end")}


def one_of(kind: type[E], value: str, field: str) -> E:
    """`value`, which `field` says, as a member of `kind`. Raises `InvalidRequest` naming what it may be."""
    try:
        return kind(value)
    except ValueError:
        raise misfit(field, f"one of {', '.join(member.value for member in kind)}") from None


def actor(sent: graph_pb2.Actor) -> Actor:
    """Who decides. Raises `InvalidRequest`."""
    kind = one_of(ActorKind, sent.kind or ActorKind.PERSON.value, "actor.kind")
    return Actor(kind, short(sent.name, "actor.name"))


def short(text: str, field: str) -> str:
    """What `field` says, where it names something. Raises `InvalidRequest`."""
    if len(text) > MAX_NAME_CHARS:
        raise misfit(field, f"at most {MAX_NAME_CHARS} characters")
    if "\0" in text:
        raise misfit(field, "no null character")
    return text


def moment(unix_s: float, field: str) -> float:
    """A time that `field` says. Raises `InvalidRequest`, also for what is no number."""
    if not unix_s >= 0:
        raise misfit(field, "0 or more")
    return unix_s


def page_of(size: int, token: str) -> tuple[int, str]:
    """How many at most, and from where on. Raises `Refused` (`bad_cursor`), and `InvalidRequest` for less than none."""
    if size < 0:
        raise misfit("page_size", "0 or more")
    if len(token) > sources.MAX_CURSOR_CHARS:
        raise Refused("bad_cursor", "The page token is too long.", "Start again without one.")
    return min(size or DEFAULT_PAGE, MAX_PAGE), token


def conversation(kept: Conversation) -> conversations_pb2.Conversation:
    """With its turns."""
    return conversations_pb2.Conversation(**fields(views.to_api(api.Conversation, kept)))


def source(document: documents.Document) -> ingest_pb2.Source:
    """A registry record."""
    return ingest_pb2.Source(**fields(views.source(document)))


def crawl(request: ingest_pb2.CrawlSiteRequest) -> crawls.CrawlRequest:
    """A crawl as the handlers take it."""
    defaults = crawls.CrawlRequest(url=request.url)
    return crawls.CrawlRequest(
        url=request.url,
        depth=request.depth if request.HasField("depth") else defaults.depth,
        max_pages=request.max_pages or defaults.max_pages,
        dataset=request.dataset or defaults.dataset,
        sitemap=request.sitemap,
        run=request.run or new_run(),
        move=request.move,
    )


def wanted(request: query_pb2.SearchRequest) -> api.SearchRequest:
    """A search as the handlers take it. Raises `InvalidRequest`."""
    with _in_its_own_words({"filters": "filter"}):
        return validated(api.SearchRequest, _sent(request.query, request.mode, request.top_k, request.filter))


def asked(request: query_pb2.AskRequest) -> api.QueryRequest:
    """A question as the handlers take it. Raises `InvalidRequest`."""
    sent = _sent(request.question, request.mode, request.top_k, request.filter)
    more = {name: getattr(request, name) or None for name in ("kind", "rerank", "conversation_id")}
    with _in_its_own_words({"filters": "filter", "query": "question"}):
        return validated(api.QueryRequest, sent | more)


@contextmanager
def _in_its_own_words(names: Mapping[str, str]) -> Iterator[None]:
    """`InvalidRequest` in the block tells fields as the message calls them; `names` from HTTP's."""
    try:
        yield
    except InvalidRequest as error:
        raise error.renamed(names) from None


def _sent(query: str, mode: str, top_k: int, restrict: query_pb2.SearchFilter) -> dict[str, object]:
    """What is unset is left out."""
    filters = {
        "document_ids": list(restrict.document_ids),
        "kinds": list(restrict.kinds),
        "modalities": list(restrict.modalities),
        "time": restrict.time or TimeOf.UPLOADED.value,
        **{name: getattr(restrict, name) or None for name in ("dataset", "since", "until", "run")},
    }
    return {"query": query, "mode": mode or None, "top_k": top_k or api.DEFAULT_TOP_K, "filters": filters}


def found(mode: retrieval.Mode, result: retrieval.SearchResult) -> query_pb2.SearchResponse:
    """A search's answer; unlike HTTP's, it does not repeat the question."""
    told = fields(views.found("", mode, result))
    del told["query"]
    return query_pb2.SearchResponse(**told)


def event(happened: answers.AnswerEvent) -> query_pb2.AskStreamResponse:
    """One event of an answer's stream."""
    name, value = views.event(happened)
    match value:
        case api.ShortAnswer():
            return query_pb2.AskStreamResponse(short=value.short)
        case api.TextPiece():
            return query_pb2.AskStreamResponse(text=value.text)
        case api.TextWithdrawn():
            return query_pb2.AskStreamResponse(withdrawn=value.reason)
        case _:
            part: dict[str, Any] = {name: fields(value)}
            return query_pb2.AskStreamResponse(**part)


def edits(seen: Iterable[api.EditSeen]) -> list[graph_pb2.EditSeen]:
    """Edits of the graph."""
    return [graph_pb2.EditSeen(**fields(each)) for each in seen]


def cards(request: query_pb2.ListContradictionsRequest) -> Asked:
    """Which contradictions are asked for. Raises `InvalidRequest`."""
    kind = one_of(ContradictionKind, request.kind, "kind") if request.kind else None
    if not 0 <= request.min_confidence <= 1:
        raise misfit("min_confidence", "0 to 1")
    dataset, document_id = short(request.dataset, "dataset"), short(request.document_id, "document_id")
    return Asked(dataset, document_id, kind, request.min_confidence, request.dismissed)


def card(found: contradictions.Contradiction) -> query_pb2.Contradiction:
    """Two passages that cannot both be right."""
    return query_pb2.Contradiction(**fields(views.to_api(api.Contradiction, found)))


def card_page(page: CardPage) -> query_pb2.ListContradictionsResponse:
    """One page of them."""
    return query_pb2.ListContradictionsResponse(
        contradictions=map(card, page.contradictions), next_page_token=page.cursor, pending=page.pending
    )


def fields(value: api.Output) -> dict[str, Any]:
    """What a message of the same fields is made of."""
    told: dict[str, Any] = _message(msgspec.to_builtins(value))
    return told


def _message(value: Any) -> Any:
    """JSON's values as protobuf takes them: a pair of numbers is a message."""
    if isinstance(value, Mapping):
        return {name: _range(name, inner) if name in _RANGES else _message(inner) for name, inner in value.items()}
    return [_message(inner) for inner in value] if isinstance(value, list | tuple) else value


def _range(name: str, pair: Any) -> Any:
    return dict(zip(_RANGES[name], pair, strict=True)) if isinstance(pair, list | tuple) else pair
