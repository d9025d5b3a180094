"""The client of Trivium's HTTP interface: plain calls in, values of `trivium.api` out.

    with TriviumClient("http://127.0.0.1:8080") as client:
        source = client.submit_file(Path("report.pdf"))
        client.wait([source.id])
        print(client.ask("What did it find?").text)

Every failure is one of `trivium.domain.errors`, rebuilt from the server's problem report (RFC 9457).
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TypeVar
from urllib.parse import quote

import httpx
import msgspec

from trivium import api
from trivium.config import LOOPBACK
from trivium.domain.access import Role
from trivium.domain.answers import Kind
from trivium.domain.documents import DEFAULT_DATASET, DocumentState
from trivium.domain.edits import Actor
from trivium.domain.errors import Conflict, NeverWill, NotFound, Refused, TriviumError, TryLater
from trivium.domain.parsed import UnitKind
from trivium.domain.retrieval import Mode, Rerank
from trivium.retrying import RETRIES, Retries, asks_for_more_time
from trivium.watched_file import Progress, WatchedFile
from trivium.within import EVERYTHING, Within

CONNECT_TIMEOUT_S = 5.0
DEFAULT_TIMEOUT_S = 120.0
POLL_S = 0.25
PATIENCE_S = 30.0  # how long `watch` bears a server that is away (a restart) before it gives up
LOOK_AHEAD = 8  # unfinished sources that `watch` looks at each time: they finish nearly in the order they came
PAGE = 100
NOBODY = Actor()

T = TypeVar("T")


class _Problem(msgspec.Struct):
    """The fields of a problem report that a client needs."""

    detail: str = ""
    code: str = ""
    action: str = ""
    status: int = 0


class TriviumClient:
    """Calls one server. Not thread-safe in `ask_stream`; close it, or use it as a context manager.

    `timeout_s` bounds the silence of the server within one call, not a whole stream. A server that says that it has too
    much to do, or that something behind it is away for now, is asked again as `retries` has it.
    """

    def __init__(
        self, url: str, api_key: str = "", timeout_s: float = DEFAULT_TIMEOUT_S, retries: Retries = RETRIES
    ) -> None:
        self.url = str(_base_url(url)).rstrip("/")
        self._retries = retries
        self._http = httpx.Client(**_connection(url, api_key, timeout_s))

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Give the connections back."""
        self._http.close()

    def submit_file(
        self,
        path: Path,
        name: str = "",
        *,
        dataset: str = "default",
        password: str = "",
        run: str = "",
        move: bool = False,
        extractor: str = "",
        progress: Progress | None = None,
    ) -> api.Source:
        """Upload a file under `name` (default: the file's own). Known bytes under a known name change nothing.

        `password` opens it where it, or a file inside it, is encrypted. `run` names the calls that belong together;
        with `move` it leaves the dataset that it is in. `extractor` reads it for the graph.
        `progress` is told how much has been sent.
        Raises `OSError` when the file cannot be read, `Refused` when the server does not take it.
        """
        with path.open("rb") as content:
            form = {"file": (name or path.name, WatchedFile(content, progress), "application/octet-stream")}
            fields = api.UploadFields(
                dataset=dataset, password=password, run=run or None, move=move, extractor=extractor
            )
            said = msgspec.to_builtins(fields)
            return _taken(self._call("POST", "/v1/sources", api.Accepted, files=form, data=said))

    def submit_url(
        self,
        url: str,
        *,
        dataset: str = "default",
        password: str = "",
        run: str = "",
        move: bool = False,
        extractor: str = "",
    ) -> api.Source:
        """Have the server fetch a web page or file; `run`, `move` and `extractor` as for a file."""
        body = api.UrlSource(
            url=url, dataset=dataset, password=password, run=run or None, move=move, extractor=extractor
        )
        return _taken(self._call("POST", "/v1/sources", api.Accepted, **_json(body)))

    def unlock(self, source_id: str, password: str) -> api.Source:
        """Have a source that failed for want of its password read with it, and such ones inside it.

        Raises `NotFound`, and `Refused` when nothing waits for a password.
        """
        path = f"/v1/sources/{_part(source_id)}/password"
        return self._call("POST", path, api.Source, **_json(api.GivenPassword(password)))

    def crawl(
        self,
        url: str,
        *,
        depth: int,
        max_pages: int,
        sitemap: bool = False,
        dataset: str = "default",
        run: str = "",
        move: bool = False,
    ) -> Iterator[api.Visited]:
        """Have the server take in a whole site; each page as it happens. Closing the iterator ends the crawl."""
        bounds: dict[str, Any] = {"depth": depth, "max_pages": max_pages, "sitemap": sitemap}
        body = api.CrawlRequest(url=url, dataset=dataset, run=run or None, move=move, **bounds)
        with self._streamed("/v1/crawls", body) as lines:
            for name, data in _sent_events(lines):
                if name == "visited":
                    yield _decoded(data, api.Visited)
                elif name == "crawled":
                    return
                elif name == "error":
                    raise _told(data)
        raise TryLater("connection_lost", "The crawl broke off before its end.", "Begin it again: it goes on.")

    def sources(
        self,
        state: DocumentState | None = None,
        *,
        parent: str = "",
        within: Within = EVERYTHING,
        limit: int = PAGE,
        cursor: str = "",
    ) -> api.SourcePage:
        """One page of sources, newest first, `within` some; with `parent`, of those found inside it."""
        wanted = {"state": state and state.value, "parent": parent or None, **within.parameters()}
        return self._get("/v1/sources", api.SourcePage, limit=limit, cursor=cursor, **wanted)

    def all_sources(
        self, state: DocumentState | None = None, *, parent: str = "", within: Within = EVERYTHING
    ) -> Iterator[api.Source]:
        """Every source, page by page, in the order of `sources`."""
        cursor = ""
        while True:
            page = self.sources(state, parent=parent, within=within, cursor=cursor)
            yield from page.sources
            cursor = page.cursor
            if not cursor:
                return

    def source(self, source_id: str) -> api.Source:
        """One source. Raises `NotFound`."""
        return self._get(f"/v1/sources/{_part(source_id)}", api.Source)

    def delete(self, source_id: str) -> api.Source:
        """Remove a source from every store; its last record. Raises `NotFound`.

        One with much inside it takes several calls.
        """
        while True:
            try:
                return self._call("DELETE", f"/v1/sources/{_part(source_id)}", api.Source)
            except TryLater as error:
                if error.code != "deletion_goes_on":
                    raise

    def delete_sources(self, *, dataset: str = "", run: str = "") -> Iterator[api.DeletedSources]:
        """Remove every source of a dataset, of a run, or of both at once; what each of the calls it takes did."""
        cursor, done = "", False
        while not done:
            given = {"dataset": dataset, "run": run, "cursor": cursor}
            sent = {name: value for name, value in given.items() if value}
            told = self._call("DELETE", "/v1/sources", api.DeletedSources, params=sent)
            yield told
            cursor, done = told.cursor, told.done

    def chunks(self, source_id: str) -> Iterator[api.Chunk]:
        """A source's chunks that queries see, in order. Raises `NotFound`."""
        cursor = ""
        while True:
            page = self._get(f"/v1/sources/{_part(source_id)}/chunks", api.ChunkPage, limit=PAGE, cursor=cursor)
            yield from page.chunks
            cursor = page.cursor
            if not cursor:
                return

    def links(self, source_id: str) -> api.SourceLinks:
        """The sources that one links to, and those that link to it. Raises `NotFound`."""
        return self._get(f"/v1/graph/links/{_part(source_id)}", api.SourceLinks)

    def status(self) -> api.Status:
        """How many sources are in which state and stage."""
        return self._get("/v1/status", api.Status)

    def watch(self, source_ids: Iterable[str], timeout_s: float | None = None) -> Iterator[list[api.Source]]:
        """Yield, at each look, the sources that have settled since the last one, until all have.

        What is found inside a source is waited for too, once that source has settled.
        A source deleted meanwhile is left out. Raises `TryLater` when `timeout_s` passes, or when the server is
        away for longer than a restart takes.
        """
        waiting, parents = deque(dict.fromkeys(source_ids)), deque[str]()
        end = None if timeout_s is None else time.monotonic() + timeout_s
        heard = time.monotonic()
        settled: list[api.Source] = []
        while waiting or parents:
            try:
                settled = self._look(waiting)
                parents += [source.id for source in settled if source.children]
                while parents:
                    waiting += [child.id for child in self.all_sources(parent=parents[0])]
                    parents.popleft()
                heard = time.monotonic()
            except NotFound:
                parents.popleft()
            except TryLater:
                if time.monotonic() - heard > PATIENCE_S:
                    raise
            yield settled
            settled = []
            if not waiting and not parents:
                return
            if end is not None and time.monotonic() > end:
                raise TryLater("still_running", f"{len(waiting)} sources were not done in time.", "Wait longer.")
            time.sleep(POLL_S)

    def wait(self, source_ids: Sequence[str], timeout_s: float | None = None) -> list[api.Source]:
        """The sources once all have settled (ready, empty or failed), in the order of settling; see `watch`."""
        return [source for settled in self.watch(source_ids, timeout_s) for source in settled]

    def _look(self, waiting: deque[str]) -> list[api.Source]:
        """Take the settled ones from the front of `waiting`."""
        settled: list[api.Source] = []
        running: list[str] = []
        while waiting and len(running) < LOOK_AHEAD:
            source_id = waiting[0]
            try:
                source = self.source(source_id)
            except NotFound:
                waiting.popleft()
                continue
            waiting.popleft()
            if source.state.terminal:
                settled.append(source)
            else:
                running.append(source_id)
        waiting.extendleft(reversed(running))
        return settled

    def search(
        self,
        query: str,
        *,
        mode: Mode | None = None,
        top_k: int | None = None,
        modalities: Sequence[UnitKind] = (),
        within: Within = EVERYTHING,
    ) -> api.SearchResponse:
        """Passages, best first, `within` some documents; `modalities` as in `SearchFilter`."""
        filters = within.filters(tuple(modalities))
        body = api.SearchRequest(query=query, mode=mode, top_k=_or_default(top_k), filters=filters)
        return self._call("POST", "/v1/search", api.SearchResponse, **_json(body))

    def ask(
        self,
        question: str,
        *,
        mode: Mode | None = None,
        top_k: int | None = None,
        conversation: str = "",
        kind: Kind | None = None,
        within: Within = EVERYTHING,
        rerank: Rerank | None = None,
    ) -> api.Answer:
        """A cited answer from `within` some documents; without `kind` the words decide it.

        `rerank` says who orders the passages once more (unset: as the server is configured), `conversation` is the id
        of one to continue.
        """
        body = _question(question, mode, top_k, conversation, kind, within, rerank)
        return self._call("POST", "/v1/queries", api.Answer, **_json(body))

    def ask_stream(
        self,
        question: str,
        *,
        mode: Mode | None = None,
        top_k: int | None = None,
        conversation: str = "",
        kind: Kind | None = None,
        within: Within = EVERYTHING,
        rerank: Rerank | None = None,
    ) -> Iterator[api.AnswerEvent]:
        """The same answer as it is written; the `Answer` comes last. Raises as `ask`, also in mid-stream."""
        body = _question(question, mode, top_k, conversation, kind, within, rerank, stream=True)
        with self._streamed("/v1/queries", body) as lines:
            yield from _events(lines)

    @contextmanager
    def _streamed(self, path: str, body: api.Input) -> Iterator[Iterator[str]]:
        """The lines of an answer as they come."""
        with self._failures():
            response = self._answered("POST", path, stream=True, **_json(body))
            try:
                yield response.iter_lines()
            finally:
                response.close()

    def conversations(self, *, limit: int = PAGE, cursor: str = "") -> api.ConversationPage:
        """One page of conversations, newest change first."""
        return self._get("/v1/conversations", api.ConversationPage, limit=limit, cursor=cursor)

    def create_conversation(self, title: str = "") -> api.Conversation:
        """A new conversation, whose id `ask` takes."""
        return self._call("POST", "/v1/conversations", api.Conversation, **_json(api.NewConversation(title)))

    def conversation(self, conversation_id: str) -> api.Conversation:
        """One conversation with its turns. Raises `NotFound`."""
        return self._get(f"/v1/conversations/{_part(conversation_id)}", api.Conversation)

    def delete_conversation(self, conversation_id: str) -> None:
        """Forget a conversation. Raises `NotFound`."""
        self._call("DELETE", f"/v1/conversations/{_part(conversation_id)}", None)

    def entities(self, prefix: str = "", kind: str = "", *, limit: int = PAGE, cursor: str = "") -> api.EntityPage:
        """One page of entities, most mentioned first; `prefix` matches names and aliases."""
        return self._get(
            "/v1/graph/entities", api.EntityPage, prefix=prefix, type=kind or None, limit=limit, cursor=cursor
        )

    def entity(self, entity_id: str) -> api.EntityPicture:
        """One entity with its neighbours and evidence. Raises `NotFound`."""
        return self._get(f"/v1/graph/entities/{_part(entity_id)}", api.EntityPicture)

    def tools(self) -> api.ToolList:
        """What may be done with the graph, each with the JSON Schema of its arguments."""
        return self._get("/v1/graph/tools", api.ToolList)

    def tool(self, name: str, arguments: api.Input, kind: type[T], *, actor: Actor = NOBODY) -> T:
        """Run a tool of `trivium.graph_tools`; what it gives is of its `kind`. Raises `Refused` and `NotFound`."""
        return self._call("POST", f"/v1/graph/tools/{_part(name)}", kind, params=_by(actor), **_json(arguments))

    def undo(self, edit_id: str, why: str = "", *, actor: Actor = NOBODY) -> api.Edited:
        """Undo an edit (`12.0`), or all that one call did (`12`). Raises `NotFound`, `Refused`."""
        path = f"/v1/graph/edits/{_part(edit_id)}/undo"
        return self._call("POST", path, api.Edited, params=_by(actor), **_json(api.Reasoned(why)))

    def dismiss(self, edit_id: str, why: str = "", *, actor: Actor = NOBODY) -> api.Edited:
        """Settle a review or a task. Raises `NotFound`, `Refused`."""
        path = f"/v1/graph/edits/{_part(edit_id)}/dismiss"
        return self._call("POST", path, api.Edited, params=_by(actor), **_json(api.Reasoned(why)))

    def edits(
        self,
        entity: str = "",
        *,
        kind: str = "",
        actor: str = "",
        standing: str = "",
        limit: int = PAGE,
        cursor: str = "",
    ) -> api.EditPage:
        """One page of the log of edits, newest first."""
        wanted = {"entity": entity, "kind": kind, "actor": actor, "standing": standing, "cursor": cursor}
        given = {name: value for name, value in wanted.items() if value}
        return self._call("GET", "/v1/graph/edits", api.EditPage, params={**given, "limit": limit})

    def provenance(self, *, limit: int = PAGE, **wanted: str | float) -> api.Provenance:
        """Why the graph is as it is; `wanted` as the parameters of `GET /v1/graph/provenance`."""
        return self._get("/v1/graph/provenance", api.Provenance, limit=limit, **wanted)

    def duplicates(self, *, dismissed: bool = False, limit: int = PAGE, cursor: str = "") -> api.DuplicatePage:
        """One page of names that may be one thing, the likeliest first; with `dismissed` those put aside."""
        given = {"dismissed": "true"} if dismissed else {}
        return self._get("/v1/graph/duplicates", api.DuplicatePage, limit=limit, cursor=cursor, **given)

    def accept_duplicate(self, name: str, other: str, why: str = "", *, actor: Actor = NOBODY) -> api.Edited:
        """Two names that rules find alike are one thing. Raises `NotFound`, `Refused`."""
        pair = api.NamePair(name, other, why)
        return self._call("POST", "/v1/graph/duplicates/accept", api.Edited, params=_by(actor), **_json(pair))

    def dismiss_duplicate(self, name: str, other: str, why: str = "", *, actor: Actor = NOBODY) -> api.Edited:
        """They are two. Raises `NotFound`, `Refused`."""
        pair = api.NamePair(name, other, why)
        return self._call("POST", "/v1/graph/duplicates/dismiss", api.Edited, params=_by(actor), **_json(pair))

    def contradictions(
        self,
        *,
        dataset: str = "",
        document_id: str = "",
        kind: str = "",
        min_confidence: float = 0.0,
        dismissed: bool = False,
        limit: int = PAGE,
        cursor: str = "",
    ) -> api.ContradictionPage:
        """One page of passages that cannot both be right, the surest first; with `dismissed` those put aside."""
        given = {
            "dataset": dataset,
            "document": document_id,
            "kind": kind,
            "min_confidence": min_confidence or "",
            "dismissed": "true" if dismissed else "",
            "limit": limit,
            "cursor": cursor,
        }
        params = {name: value for name, value in given.items() if value != ""}
        return self._call("GET", "/v1/contradictions", api.ContradictionPage, params=params)

    def dismiss_contradiction(self, contradiction_id: str, why: str, *, actor: Actor = NOBODY) -> api.Contradiction:
        """Put one aside until its passages say something else. Raises `NotFound`."""
        path = f"/v1/contradictions/{_part(contradiction_id)}/dismiss"
        return self._call("POST", path, api.Contradiction, params=_by(actor), **_json(api.DismissRequest(why)))

    def topics(self, level: int = 0, *, dataset: str = "", limit: int = PAGE, cursor: str = "") -> api.TopicPage:
        """One page of what the documents are about, the largest topic first; with `dataset` of that one alone.

        Raises `TryLater` (`topics_in_the_making`) while they are made anew, which takes a minute where documents are
        very many.
        """
        return self._get("/v1/graph/topics", api.TopicPage, level=level, dataset=dataset, limit=limit, cursor=cursor)

    def topic(self, topic_id: str, *, dataset: str = "") -> api.TopicPicture:
        """One topic with its central passages. Raises `NotFound`, and as `topics`."""
        return self._get(f"/v1/graph/topics/{_part(topic_id)}", api.TopicPicture, dataset=dataset)

    @contextmanager
    def export(
        self, form: str = "jsonl", *, entity: str = "", depth: int = 1, dataset: str = ""
    ) -> Iterator[Iterator[bytes]]:
        """The graph as a file in pieces (jsonl, graphml, cypher or rdf): everything, around an entity, or of a dataset.

        Raises `NotFound` for an unknown entity, and `TryLater` where the file breaks off.
        """
        asked: dict[str, str | int] = {"format": form, "dataset": dataset, "entity": entity}
        given = {name: value for name, value in asked.items() if value} | ({"depth": depth} if entity else {})
        with self._failures(), self._http.stream("GET", "/v1/graph/export", params=given) as response:
            if response.is_error:
                response.read()
                raise _error(response)
            yield response.iter_bytes()

    def schema(self, dataset: str = DEFAULT_DATASET, number: int | None = None) -> api.GraphSchema:
        """The schema of a dataset's graph, or one version of it. Raises `NotFound`."""
        return self._get("/v1/graph/schema", api.GraphSchema, dataset=dataset, number=number)

    def propose_schema(
        self,
        dataset: str = DEFAULT_DATASET,
        types: Sequence[api.ProposedType] = (),
        *,
        by: str = "",
        why: str = "",
    ) -> api.GraphSchema:
        """Propose the types given; without any, what the dataset's graph says. Raises `Refused`."""
        body = api.ProposeSchema(dataset=dataset, types=tuple(types), by=by, why=why)
        return self._call("POST", "/v1/graph/schema/propose", api.GraphSchema, **_json(body))

    def accept_schema(
        self,
        names: Sequence[str] = (),
        dataset: str = DEFAULT_DATASET,
        *,
        number: int | None = None,
        by: str = "",
        why: str = "",
    ) -> api.GraphSchema:
        """Put proposals in force; without names, all that have no problem.

        Raises `NotFound`, `Refused`, and `Conflict` when the newest version is not `number` any more.
        """
        body = api.DecideSchema(dataset=dataset, names=tuple(names), number=number, by=by, why=why)
        return self._call("POST", "/v1/graph/schema/accept", api.GraphSchema, **_json(body))

    def reject_schema(
        self,
        names: Sequence[str],
        dataset: str = DEFAULT_DATASET,
        *,
        number: int | None = None,
        by: str = "",
        why: str = "",
    ) -> api.GraphSchema:
        """Have proposals not made again, or types no longer in force. Raises as `accept_schema`."""
        body = api.DecideSchema(dataset=dataset, names=tuple(names), number=number, by=by, why=why)
        return self._call("POST", "/v1/graph/schema/reject", api.GraphSchema, **_json(body))

    def schema_diff(
        self, dataset: str = DEFAULT_DATASET, older: int | None = None, newer: int | None = None
    ) -> api.SchemaDifference:
        """What lies between two versions; by default what the last one changed. Raises `NotFound`."""
        return self._get("/v1/graph/schema/diff", api.SchemaDifference, dataset=dataset, older=older, newer=newer)

    def keys(self) -> api.Keys:
        """The tenant's keys, newest first. As all of these: `Refused` (`forbidden`) unless ours is an admin's."""
        return self._get("/v1/keys", api.Keys)

    def create_key(self, name: str, role: Role = Role.READER, expires_in_s: int | None = None) -> api.NewKey:
        """A new key; its secret is shown this once."""
        return self._call("POST", "/v1/keys", api.NewKey, **_json(api.CreateKey(name, role, expires_in_s)))

    def rotate_key(self, key_id: str, keep_s: int = 0) -> api.NewKey:
        """Replace a key; the old one opens for `keep_s` more. Raises `NotFound`, `Refused` (`key_ended`)."""
        return self._call("POST", f"/v1/keys/{_part(key_id)}/rotate", api.NewKey, **_json(api.RotateKey(keep_s)))

    def revoke_key(self, key_id: str) -> api.Key:
        """Take a key back. Raises `NotFound`."""
        return self._call("DELETE", f"/v1/keys/{_part(key_id)}", api.Key)

    def trail(self, *, since: str = "", limit: int = PAGE, cursor: str = "") -> api.TrailPage:
        """One page of who did what, oldest first. Raises `Refused` (`forbidden`)."""
        return self._get("/v1/trail", api.TrailPage, since=since, limit=limit, cursor=cursor)

    def _get(self, path: str, kind: type[T], **query: str | float | None) -> T:
        given = {name: value for name, value in query.items() if value not in (None, "")}
        return self._call("GET", path, kind, params=given)

    def _call(self, method: str, path: str, kind: type[T] | None, **sent: Any) -> T:
        with self._failures():
            response = self._answered(method, path, **sent)
        return _decoded(response.content, kind) if kind else None  # type: ignore[return-value]

    def _answered(self, method: str, path: str, *, stream: bool = False, **sent: Any) -> httpx.Response:
        """What is no failure; raises what is one, once it has been waited for as it asks."""
        tried = 0
        while True:
            tried += 1
            response = self._http.send(self._http.build_request(method, path, **sent), stream=stream)
            if not response.is_error:
                return response
            response.read()
            pause_s = self._retries.pause_s(tried, response.headers.get("retry-after", ""))
            if pause_s is None or not asks_for_more_time(method, path, response.status_code, response.headers):
                raise _error(response)
            time.sleep(pause_s)

    def _failures(self) -> AbstractContextManager[None]:
        return _failures(self.url)


@contextmanager
def _failures(url: str) -> Iterator[None]:
    """Httpx's own failures in our words."""
    try:
        yield
    except httpx.ConnectError as error:
        raise TryLater(
            "server_unreachable",
            f"No Trivium server answers at {url}.",
            "Start one with: trivium serve. Or point TRIVIUM_URL at one that runs.",
        ) from error
    except httpx.TimeoutException as error:
        raise TryLater("server_slow", f"The server at {url} did not answer in time.", "Try again later.") from error
    except httpx.TransportError as error:
        raise TryLater(
            "connection_lost", f"The connection to {url} was lost: {error or type(error).__name__}.", "Try again."
        ) from error


def _connection(url: str, api_key: str, timeout_s: float) -> dict[str, Any]:
    """What both of httpx's clients are made with."""
    base = _base_url(url)
    return {
        "base_url": base,
        "headers": {"Authorization": f"Bearer {api_key}"} if api_key else {},
        "timeout": httpx.Timeout(timeout_s, connect=CONNECT_TIMEOUT_S),
        "trust_env": base.host not in LOOPBACK,  # a proxy cannot reach this machine's own loopback
    }


def _base_url(url: str) -> httpx.URL:
    try:
        base = httpx.URL(url)
    except httpx.InvalidURL:
        base = httpx.URL("")
    if base.scheme not in ("http", "https") or not base.host:
        raise Refused("bad_setting", f"{url!r} is not the address of a server.", "Write it as http://127.0.0.1:8080.")
    return base


def _by(actor: Actor) -> dict[str, str]:
    return {"actor": actor.name, "actor_kind": actor.kind.value} if actor.name else {}


def _part(identifier: str) -> str:
    return quote(identifier, safe="")


def _question(
    question: str,
    mode: Mode | None,
    top_k: int | None,
    conversation: str,
    kind: Kind | None,
    within: Within,
    rerank: Rerank | None,
    *,
    stream: bool = False,
) -> api.QueryRequest:
    return api.QueryRequest(
        query=question,
        mode=mode,
        top_k=_or_default(top_k),
        filters=within.filters(),
        stream=stream,
        kind=kind,
        rerank=rerank,
        conversation_id=conversation or None,
    )


def _or_default(top_k: int | None) -> int:
    return api.DEFAULT_TOP_K if top_k is None else top_k


def _json(body: api.Input) -> dict[str, Any]:
    return {"content": msgspec.json.encode(body), "headers": {"content-type": "application/json"}}


def _taken(accepted: api.Accepted) -> api.Source:
    if accepted.sources:
        return accepted.sources[0]
    if not accepted.refused:
        raise Refused("refused", "The server took nothing.")
    refused = accepted.refused[0]
    raise Refused(refused.code, refused.message, refused.action)


def _decoded(content: bytes, kind: type[T]) -> T:
    try:
        return msgspec.json.decode(content, type=kind)
    except msgspec.DecodeError as error:
        raise NeverWill(
            "foreign_answer",
            f"The server's answer is not one of Trivium's: {error}.",
            "Check TRIVIUM_URL, and that client and server have the same version.",
        ) from error


def _error(response: httpx.Response) -> TriviumError:
    """The failure that a response tells of, in the family that says what to do next."""
    try:
        problem = msgspec.json.decode(response.content, type=_Problem)
    except msgspec.DecodeError:
        problem = _Problem()
    return _rebuilt(problem, response.status_code)


def _rebuilt(problem: _Problem, status: int) -> TriviumError:
    code = problem.code or f"http_{status}"
    family = Refused if code == "invalid_request" else _FAMILIES.get(status)
    if family is None:
        family = TriviumError if status >= httpx.codes.INTERNAL_SERVER_ERROR else Refused
    detail = problem.detail or f"The server answered {status} {httpx.codes.get_reason_phrase(status)}.".strip()
    return family(code, detail, problem.action)


_FAMILIES: Mapping[int, type[TriviumError]] = {
    404: NotFound,
    408: TryLater,
    409: Conflict,
    422: NeverWill,
    429: TryLater,
    502: TryLater,
    503: TryLater,
    504: TryLater,
}


def _events(lines: Iterator[str]) -> Iterator[api.AnswerEvent]:
    """The events of an answer as values; ends with the `Answer`, or raises."""
    for name, data in _sent_events(lines):
        event = _event(name, data)
        if event is not None:
            yield event
        if isinstance(event, api.Answer):
            return
    raise TryLater("connection_lost", "The answer broke off before its end.", "Ask again.")


def _sent_events(lines: Iterator[str]) -> Iterator[tuple[str, bytes]]:
    """Server-sent events (WHATWG HTML 9.2): name and data."""
    parts = _SentEvents()
    yield from filter(None, map(parts.take, lines))


class _SentEvents:
    """An event's lines as they come."""

    def __init__(self) -> None:
        self._name = self._data = ""

    def take(self, line: str) -> tuple[str, bytes] | None:
        """Name and data of the event that ends with this line, if one does."""
        field, _, value = line.partition(":")
        if field == "event":
            self._name = value.strip()
        elif field == "data":
            self._data += value.removeprefix(" ")
        elif not line and self._data:
            sent = self._name, self._data.encode()
            self._name = self._data = ""
            return sent
        return None


def _told(data: bytes) -> TriviumError:
    """The failure that an `error` event tells of."""
    problem = _decoded(data, _Problem)
    return _rebuilt(problem, problem.status)


def _event(name: str, data: bytes) -> api.AnswerEvent | None:
    """One event; None for a kind that this version does not know."""
    if name == "error":
        raise _told(data)
    kind = api.ANSWER_EVENTS.get(name)
    return _decoded(data, kind) if kind else None
