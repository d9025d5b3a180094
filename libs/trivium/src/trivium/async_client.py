"""The client of Trivium's HTTP interface: plain calls in, values of `trivium.api` out.

    async with AsyncTriviumClient("http://127.0.0.1:8080") as client:
        source = await client.submit_file(Path("report.pdf"))
        await client.wait([source.id])
        answer = await client.ask("What did it find?")

Every failure is one of `trivium.domain.errors`, rebuilt from the server's problem report (RFC 9457).
`trivium.client` is this file without its event loop, written by `make client`.
"""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import AsyncGenerator, AsyncIterator, Iterable, Sequence
from contextlib import aclosing, asynccontextmanager
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TypeVar

import httpx2
import msgspec

from trivium import api
from trivium.client_wire import (
    SentEvents,
    connection,
    decided_by,
    decoded,
    error_of,
    event_of,
    failure_told,
    failures,
    in_unicode,
    json_body,
    or_default,
    part,
    question_body,
    shown_url,
    taken,
)
from trivium.domain.access import Role
from trivium.domain.answers import Kind
from trivium.domain.documents import DEFAULT_DATASET, DocumentState
from trivium.domain.edits import Actor
from trivium.domain.errors import NotFound, TryLater
from trivium.domain.parsed import UnitKind
from trivium.domain.retrieval import Mode, Rerank
from trivium.retrying import RETRIES, Retries, asks_for_more_time
from trivium.watched_file import Progress, WatchedFile, opened
from trivium.within import EVERYTHING, Within

DEFAULT_TIMEOUT_S = 120.0
POLL_S = 0.25
PATIENCE_S = 30.0  # how long `watch` bears a server that is away (a restart) before it gives up
LOOK_AHEAD = 8  # unfinished sources that `watch` looks at each time: they finish nearly in the order they came
PAGE = 100
NOBODY = Actor()

T = TypeVar("T")


class AsyncTriviumClient:
    """Calls one server. Not thread-safe in `ask_stream`; close it, or use it as a context manager.

    `timeout_s` bounds the silence of the server within one call, not a whole stream. A server that says that it has too
    much to do, or that something behind it is away for now, is asked again as `retries` has it.
    `ca_file` names authorities (PEM) to believe beside the system's. `transport` leads there otherwise than over the
    network.
    """

    def __init__(
        self,
        url: str,
        api_key: str = "",
        timeout_s: float = DEFAULT_TIMEOUT_S,
        retries: Retries = RETRIES,
        transport: httpx2.AsyncBaseTransport | None = None,
        ca_file: str = "",
    ) -> None:
        self.url = shown_url(url)
        self._retries = retries
        self._http = httpx2.AsyncClient(**connection(url, api_key, timeout_s, ca_file), transport=transport)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """Give the connections back."""
        await self._http.aclose()

    async def submit_file(
        self,
        path: Path | str,
        name: str = "",
        *,
        dataset: str = DEFAULT_DATASET,
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
        Raises `OSError` when the file cannot be read or shrinks meanwhile (of one that grows, what it held at first is
        sent), `Refused` when the server does not take it.
        """
        with opened(path) as content:
            form = {"file": (name or Path(path).name, WatchedFile(content, progress), "application/octet-stream")}
            fields = api.UploadFields(
                dataset=dataset, password=password, run=run or None, move=move, extractor=extractor
            )
            said = msgspec.to_builtins(fields)
            return taken(await self._call("POST", "/v1/sources", api.Accepted, files=form, data=said))

    async def submit_text(self, name: str, text: str, *, dataset: str = DEFAULT_DATASET) -> api.Source:
        """Upload a text under the name of a file, whose ending says what it is."""
        with in_unicode():
            form = {"file": (name, text.encode(), "application/octet-stream")}
        return taken(await self._call("POST", "/v1/sources", api.Accepted, files=form, data={"dataset": dataset}))

    async def submit_url(
        self,
        url: str,
        *,
        dataset: str = DEFAULT_DATASET,
        password: str = "",
        run: str = "",
        move: bool = False,
        extractor: str = "",
    ) -> api.Source:
        """Have the server fetch a web page or file; `run`, `move` and `extractor` as for a file."""
        body = api.UrlSource(
            url=url, dataset=dataset, password=password, run=run or None, move=move, extractor=extractor
        )
        return taken(await self._call("POST", "/v1/sources", api.Accepted, **json_body(body)))

    async def unlock(self, source_id: str, password: str) -> api.Source:
        """Have a source that failed for want of its password read with it, and such ones inside it.

        Raises `NotFound`, and `Refused` when nothing waits for a password.
        """
        path = f"/v1/sources/{part(source_id)}/password"
        return await self._call("POST", path, api.Source, **json_body(api.GivenPassword(password)))

    async def crawl(
        self,
        url: str,
        *,
        depth: int,
        max_pages: int,
        sitemap: bool = False,
        dataset: str = DEFAULT_DATASET,
        run: str = "",
        move: bool = False,
    ) -> AsyncIterator[api.Visited]:
        """Have the server take in a whole site; each page as it happens. Closing the iterator ends the crawl."""
        bounds: dict[str, Any] = {"depth": depth, "max_pages": max_pages, "sitemap": sitemap}
        body = api.CrawlRequest(url=url, dataset=dataset, run=run or None, move=move, **bounds)
        async with self._events("/v1/crawls", body) as events:
            async for name, data in events:
                if name == "visited":
                    yield decoded(data, api.Visited)
                elif name == "crawled":
                    return
                elif name == "error":
                    raise failure_told(data)
        raise TryLater("connection_lost", "The crawl broke off before its end.", "Begin it again: it goes on.")

    async def sources(
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
        return await self._get("/v1/sources", api.SourcePage, limit=limit, cursor=cursor, **wanted)

    async def all_sources(
        self, state: DocumentState | None = None, *, parent: str = "", within: Within = EVERYTHING
    ) -> AsyncIterator[api.Source]:
        """Every source, page by page, in the order of `sources`."""
        cursor = ""
        while True:
            page = await self.sources(state, parent=parent, within=within, cursor=cursor)
            for source in page.sources:
                yield source
            cursor = page.cursor
            if not cursor:
                return

    async def datasets(self, *, limit: int = PAGE, cursor: str = "") -> api.DatasetPage:
        """One page of the datasets that have a source, by name."""
        return await self._get("/v1/datasets", api.DatasetPage, limit=limit, cursor=cursor)

    async def all_datasets(self) -> AsyncIterator[api.DatasetTotals]:
        """Every dataset, page by page."""
        cursor = ""
        while True:
            page = await self.datasets(cursor=cursor)
            for dataset in page.datasets:
                yield dataset
            cursor = page.cursor
            if not cursor:
                return

    async def source(self, source_id: str) -> api.Source:
        """One source. Raises `NotFound`."""
        return await self._get(f"/v1/sources/{part(source_id)}", api.Source)

    async def delete(self, source_id: str) -> api.Source:
        """Remove a source from every store; its last record. Raises `NotFound`.

        One with much inside it takes several calls.
        """
        while True:
            try:
                return await self._call("DELETE", f"/v1/sources/{part(source_id)}", api.Source)
            except TryLater as error:
                if error.code != "deletion_goes_on":
                    raise

    async def delete_sources(self, *, dataset: str = "", run: str = "") -> AsyncIterator[api.DeletedSources]:
        """Remove every source of a dataset, of a run, or of both at once; what each of the calls it takes did."""
        cursor, done = "", False
        while not done:
            given = {"dataset": dataset, "run": run, "cursor": cursor}
            sent = {name: value for name, value in given.items() if value}
            told = await self._call("DELETE", "/v1/sources", api.DeletedSources, params=sent)
            yield told
            cursor, done = told.cursor, told.done

    async def chunk(self, source_id: str, number: int) -> api.Chunk:
        """The passage that a citation names. Raises `NotFound`."""
        return await self._get(f"/v1/sources/{part(source_id)}/content", api.Chunk, chunk=number)

    async def chunks(self, source_id: str) -> AsyncIterator[api.Chunk]:
        """A source's chunks that queries see, in order. Raises `NotFound`."""
        cursor = ""
        while True:
            page = await self._get(f"/v1/sources/{part(source_id)}/chunks", api.ChunkPage, limit=PAGE, cursor=cursor)
            for chunk in page.chunks:
                yield chunk
            cursor = page.cursor
            if not cursor:
                return

    async def links(self, source_id: str) -> api.SourceLinks:
        """The sources that one links to, and those that link to it. Raises `NotFound`."""
        return await self._get(f"/v1/graph/links/{part(source_id)}", api.SourceLinks)

    async def status(self) -> api.Status:
        """How many sources are in which state and stage."""
        return await self._get("/v1/status", api.Status)

    async def watch(self, source_ids: Iterable[str], timeout_s: float | None = None) -> AsyncIterator[list[api.Source]]:
        """Yield, at each look, the sources that have settled since the last one, until all have.

        What is found inside a source is waited for too, once that source has settled.
        A source deleted meanwhile is left out. Raises `TryLater` when `timeout_s` passes, or when the server is
        away for longer than a restart takes.
        """
        waiting, parents = deque(dict.fromkeys(source_ids)), deque[str]()
        end = None if timeout_s is None else time.monotonic() + timeout_s
        away_since: float | None = None
        settled: list[api.Source] = []
        while waiting or parents:
            try:
                async for source in self._look(waiting):
                    settled.append(source)
                    parents += [source.id] if source.children else []
                while parents:
                    waiting += [child.id async for child in self.all_sources(parent=parents[0])]
                    parents.popleft()
                away_since = None
            except NotFound:
                parents.popleft()
            except TryLater:
                away_since = away_since or time.monotonic()
                if time.monotonic() - away_since > PATIENCE_S:
                    if settled:
                        yield settled
                    raise
            yield settled
            settled = []
            if not waiting and not parents:
                return
            if end is not None and time.monotonic() > end:
                raise TryLater("still_running", f"{len(waiting)} sources were not done in time.", "Wait longer.")
            await asyncio.sleep(POLL_S)

    async def wait(self, source_ids: Sequence[str], timeout_s: float | None = None) -> list[api.Source]:
        """The sources once all have settled (ready, empty or failed), in the order of settling; see `watch`."""
        return [source async for settled in self.watch(source_ids, timeout_s) for source in settled]

    async def _look(self, waiting: deque[str]) -> AsyncIterator[api.Source]:
        """Take the settled ones from the front of `waiting`; the others stay there, also when a call fails."""
        running: list[str] = []
        try:
            while waiting and len(running) < LOOK_AHEAD:
                source_id = waiting[0]
                try:
                    source = await self.source(source_id)
                except NotFound:
                    waiting.popleft()
                    continue
                waiting.popleft()
                if source.state.terminal:
                    yield source
                else:
                    running.append(source_id)
        finally:
            waiting.extendleft(reversed(running))

    async def search(
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
        body = api.SearchRequest(query=query, mode=mode, top_k=or_default(top_k), filters=filters)
        return await self._call("POST", "/v1/search", api.SearchResponse, **json_body(body))

    async def ask(
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
        body = question_body(question, mode, top_k, conversation, kind, within, rerank)
        return await self._call("POST", "/v1/queries", api.Answer, **json_body(body))

    async def ask_stream(
        self,
        question: str,
        *,
        mode: Mode | None = None,
        top_k: int | None = None,
        conversation: str = "",
        kind: Kind | None = None,
        within: Within = EVERYTHING,
        rerank: Rerank | None = None,
    ) -> AsyncIterator[api.AnswerEvent]:
        """The same answer as it is written; the `Answer` comes last. Raises as `ask`, also in mid-stream."""
        body = question_body(question, mode, top_k, conversation, kind, within, rerank, stream=True)
        async with self._events("/v1/queries", body) as events:
            async for name, data in events:
                event = event_of(name, data)
                if event is not None:
                    yield event
                if isinstance(event, api.Answer):
                    return
        raise TryLater("connection_lost", "The answer broke off before its end.", "Ask again.")

    @asynccontextmanager
    async def _events(self, path: str, body: api.Input) -> AsyncIterator[AsyncIterator[tuple[str, bytes]]]:
        """Server-sent events (WHATWG HTML 9.2) as they come: name and data."""
        with failures(self.url):
            response = await self._answered("POST", path, stream=True, **json_body(body))
            try:
                async with aclosing(_sent_events(response)) as events:
                    yield events
            finally:
                await response.aclose()

    async def conversations(self, *, limit: int = PAGE, cursor: str = "") -> api.ConversationPage:
        """One page of conversations, newest change first."""
        return await self._get("/v1/conversations", api.ConversationPage, limit=limit, cursor=cursor)

    async def create_conversation(self, title: str = "") -> api.Conversation:
        """A new conversation, whose id `ask` takes."""
        return await self._call("POST", "/v1/conversations", api.Conversation, **json_body(api.NewConversation(title)))

    async def conversation(self, conversation_id: str) -> api.Conversation:
        """One conversation with its turns. Raises `NotFound`."""
        return await self._get(f"/v1/conversations/{part(conversation_id)}", api.Conversation)

    async def delete_conversation(self, conversation_id: str) -> None:
        """Forget a conversation. Raises `NotFound`."""
        await self._call("DELETE", f"/v1/conversations/{part(conversation_id)}", None)

    async def entities(
        self, prefix: str = "", kind: str = "", *, limit: int = PAGE, cursor: str = ""
    ) -> api.EntityPage:
        """One page of entities, most mentioned first; `prefix` matches names and aliases."""
        return await self._get(
            "/v1/graph/entities", api.EntityPage, prefix=prefix, type=kind or None, limit=limit, cursor=cursor
        )

    async def entity(self, entity_id: str, *, neighbours: int | None = None, cursor: str = "") -> api.EntityPicture:
        """One entity with its strongest neighbours and its evidence; `cursor` leads to further neighbours.

        Raises `NotFound`.
        """
        path = f"/v1/graph/entities/{part(entity_id)}"
        return await self._get(path, api.EntityPicture, neighbours=neighbours, cursor=cursor)

    async def tools(self) -> api.ToolList:
        """What may be done with the graph, each with the JSON Schema of its arguments."""
        return await self._get("/v1/graph/tools", api.ToolList)

    async def tool(self, name: str, arguments: api.Input, kind: type[T], *, actor: Actor = NOBODY) -> T:
        """Run a tool of `trivium.graph_tools`; what it gives is of its `kind`. Raises `Refused` and `NotFound`."""
        return await self._call(
            "POST", f"/v1/graph/tools/{part(name)}", kind, params=decided_by(actor), **json_body(arguments)
        )

    async def undo(self, edit_id: str, why: str = "", *, actor: Actor = NOBODY) -> api.Edited:
        """Undo an edit (`12.0`), or all that one call did (`12`). Raises `NotFound`, `Refused`."""
        path = f"/v1/graph/edits/{part(edit_id)}/undo"
        return await self._call("POST", path, api.Edited, params=decided_by(actor), **json_body(api.Reasoned(why)))

    async def dismiss(self, edit_id: str, why: str = "", *, actor: Actor = NOBODY) -> api.Edited:
        """Settle a review or a task. Raises `NotFound`, `Refused`."""
        path = f"/v1/graph/edits/{part(edit_id)}/dismiss"
        return await self._call("POST", path, api.Edited, params=decided_by(actor), **json_body(api.Reasoned(why)))

    async def edits(
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
        return await self._call("GET", "/v1/graph/edits", api.EditPage, params={**given, "limit": limit})

    async def provenance(self, *, limit: int = PAGE, **wanted: str | float) -> api.Provenance:
        """Why the graph is as it is; `wanted` as the parameters of `GET /v1/graph/provenance`."""
        return await self._get("/v1/graph/provenance", api.Provenance, limit=limit, **wanted)

    async def duplicates(self, *, dismissed: bool = False, limit: int = PAGE, cursor: str = "") -> api.DuplicatePage:
        """One page of names that may be one thing, the likeliest first; with `dismissed` those put aside."""
        given = {"dismissed": "true"} if dismissed else {}
        return await self._get("/v1/graph/duplicates", api.DuplicatePage, limit=limit, cursor=cursor, **given)

    async def accept_duplicate(self, name: str, other: str, why: str = "", *, actor: Actor = NOBODY) -> api.Edited:
        """Two names that rules find alike are one thing. Raises `NotFound`, `Refused`."""
        pair = api.NamePair(name, other, why)
        return await self._call(
            "POST", "/v1/graph/duplicates/accept", api.Edited, params=decided_by(actor), **json_body(pair)
        )

    async def dismiss_duplicate(self, name: str, other: str, why: str = "", *, actor: Actor = NOBODY) -> api.Edited:
        """They are two. Raises `NotFound`, `Refused`."""
        pair = api.NamePair(name, other, why)
        return await self._call(
            "POST", "/v1/graph/duplicates/dismiss", api.Edited, params=decided_by(actor), **json_body(pair)
        )

    async def contradictions(
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
        return await self._call("GET", "/v1/contradictions", api.ContradictionPage, params=params)

    async def dismiss_contradiction(
        self, contradiction_id: str, why: str, *, actor: Actor = NOBODY
    ) -> api.Contradiction:
        """Put one aside until its passages say something else. Raises `NotFound`."""
        path = f"/v1/contradictions/{part(contradiction_id)}/dismiss"
        return await self._call(
            "POST", path, api.Contradiction, params=decided_by(actor), **json_body(api.DismissRequest(why))
        )

    async def topics(self, level: int = 0, *, dataset: str = "", limit: int = PAGE, cursor: str = "") -> api.TopicPage:
        """One page of what the documents are about, the largest topic first; with `dataset` of that one alone.

        Raises `TryLater` (`topics_in_the_making`) while they are made anew, which takes a minute where documents are
        very many.
        """
        return await self._get(
            "/v1/graph/topics", api.TopicPage, level=level, dataset=dataset, limit=limit, cursor=cursor
        )

    async def topic(self, topic_id: str, *, dataset: str = "") -> api.TopicPicture:
        """One topic with its central passages. Raises `NotFound`, and as `topics`."""
        return await self._get(f"/v1/graph/topics/{part(topic_id)}", api.TopicPicture, dataset=dataset)

    @asynccontextmanager
    async def export(
        self, form: str = "jsonl", *, entity: str = "", depth: int = 1, dataset: str = "", topics: bool = False
    ) -> AsyncIterator[AsyncIterator[bytes]]:
        """The graph as a file in pieces (jsonl, graphml, cypher or rdf): everything, around an entity, or of a dataset.

        With `topics` these come last, in jsonl or graphml and not around an entity.
        Raises `NotFound` for an unknown entity, and `TryLater` where the file breaks off.
        """
        asked: dict[str, str | int] = {
            "format": form,
            "dataset": dataset,
            "entity": entity,
            "topics": "true" if topics else "",
        }
        given = {name: value for name, value in asked.items() if value} | ({"depth": depth} if entity else {})
        with failures(self.url):
            response = await self._answered("GET", "/v1/graph/export", stream=True, params=given)
            try:
                yield response.aiter_bytes()
            finally:
                await response.aclose()

    async def schema(self, dataset: str = DEFAULT_DATASET, number: int | None = None) -> api.GraphSchema:
        """The schema of a dataset's graph, or one version of it. Raises `NotFound`."""
        return await self._get("/v1/graph/schema", api.GraphSchema, dataset=dataset, number=number)

    async def propose_schema(
        self,
        dataset: str = DEFAULT_DATASET,
        types: Sequence[api.ProposedType] = (),
        *,
        by: str = "",
        why: str = "",
    ) -> api.GraphSchema:
        """Propose the types given; without any, what the dataset's graph says. Raises `Refused`."""
        body = api.ProposeSchema(dataset=dataset, types=tuple(types), by=by, why=why)
        return await self._call("POST", "/v1/graph/schema/propose", api.GraphSchema, **json_body(body))

    async def accept_schema(
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
        return await self._call("POST", "/v1/graph/schema/accept", api.GraphSchema, **json_body(body))

    async def reject_schema(
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
        return await self._call("POST", "/v1/graph/schema/reject", api.GraphSchema, **json_body(body))

    async def schema_diff(
        self, dataset: str = DEFAULT_DATASET, older: int | None = None, newer: int | None = None
    ) -> api.SchemaDifference:
        """What lies between two versions; by default what the last one changed. Raises `NotFound`."""
        return await self._get("/v1/graph/schema/diff", api.SchemaDifference, dataset=dataset, older=older, newer=newer)

    async def keys(self) -> api.Keys:
        """The tenant's keys, newest first. As all of these: `Refused` (`forbidden`) unless ours is an admin's."""
        return await self._get("/v1/keys", api.Keys)

    async def create_key(self, name: str, role: Role = Role.READER, expires_in_s: int | None = None) -> api.NewKey:
        """A new key; its secret is shown this once."""
        return await self._call("POST", "/v1/keys", api.NewKey, **json_body(api.CreateKey(name, role, expires_in_s)))

    async def rotate_key(self, key_id: str, keep_s: int = 0) -> api.NewKey:
        """Replace a key; the old one opens for `keep_s` more. Raises `NotFound`, `Refused` (`key_ended`)."""
        return await self._call(
            "POST", f"/v1/keys/{part(key_id)}/rotate", api.NewKey, **json_body(api.RotateKey(keep_s))
        )

    async def revoke_key(self, key_id: str) -> api.Key:
        """Take a key back. Raises `NotFound`."""
        return await self._call("DELETE", f"/v1/keys/{part(key_id)}", api.Key)

    async def connections(self) -> api.Connections:
        """The tenant's connections, by id."""
        return await self._get("/v1/connections", api.Connections)

    async def connection(self, connection_id: str) -> api.Connection:
        """One connection. Raises `NotFound`."""
        return await self._get(f"/v1/connections/{part(connection_id)}", api.Connection)

    async def connect(self, wanted: api.CreateConnection) -> api.Connection:
        """Connect a place. Raises `Refused`."""
        return await self._call("POST", "/v1/connections", api.Connection, **json_body(wanted))

    async def run_connection(self, connection_id: str) -> api.Connection:
        """Have it looked at now; what it was before. Raises `NotFound`."""
        return await self._call("POST", f"/v1/connections/{part(connection_id)}/run", api.Connection)

    async def disconnect(self, connection_id: str, *, documents: bool = False) -> api.Connection:
        """Take it back; it is gone once it is not found any more. Raises `NotFound`."""
        sent = {"documents": "true"} if documents else {}
        return await self._call("DELETE", f"/v1/connections/{part(connection_id)}", api.Connection, params=sent)

    async def trail(self, *, since: str = "", limit: int = PAGE, cursor: str = "") -> api.TrailPage:
        """One page of who did what, oldest first. Raises `Refused` (`forbidden`)."""
        return await self._get("/v1/trail", api.TrailPage, since=since, limit=limit, cursor=cursor)

    async def _get(self, path: str, kind: type[T], **query: str | float | None) -> T:
        given = {name: value for name, value in query.items() if value not in (None, "")}
        return await self._call("GET", path, kind, params=given)

    async def _call(self, method: str, path: str, kind: type[T] | None, **sent: Any) -> T:
        with failures(self.url):
            response = await self._answered(method, path, **sent)
        return decoded(response.content, kind) if kind else None  # type: ignore[return-value]

    async def _answered(self, method: str, path: str, *, stream: bool = False, **sent: Any) -> httpx2.Response:
        """What is no failure; raises what is one, once it has been waited for as it asks."""
        tried = 0
        while True:
            tried += 1
            with in_unicode():
                request = self._http.build_request(method, path, **sent)
            response = await self._http.send(request, stream=stream)
            if response.is_success:
                return response
            await response.aread()
            pause_s = self._retries.pause_s(tried, response.headers.get("retry-after", ""))
            if pause_s is None or not asks_for_more_time(method, path, response.status_code, response.headers):
                raise error_of(response)
            await asyncio.sleep(pause_s)


async def _sent_events(response: httpx2.Response) -> AsyncGenerator[tuple[str, bytes], None]:
    events = SentEvents()
    async for piece in response.aiter_bytes():
        for sent in events.take(piece):
            yield sent
