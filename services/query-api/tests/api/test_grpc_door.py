"""The gRPC door over a real channel."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator

import grpc
import pytest
from grpc_doors import why
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection_pb2, reflection_pb2_grpc

from trivium.config import Settings
from trivium.domain.documents import Document
from trivium.domain.errors import Refused
from trivium.domain.scope import DEFAULT_TENANT
from trivium.v1 import conversations_pb2 as conversations
from trivium.v1 import conversations_pb2_grpc, graph_pb2, graph_pb2_grpc, ingest_pb2_grpc, query_pb2_grpc
from trivium.v1 import ingest_pb2 as ingest
from trivium.v1 import query_pb2 as query
from trivium_query import pace
from trivium_query.requests import Services
from trivium_query.rpc import server as rpc_server
from trivium_query.rpc.server import create_grpc_server


@pytest.fixture
def asks(channel: grpc.aio.Channel) -> query_pb2_grpc.QueryServiceStub:
    return query_pb2_grpc.QueryServiceStub(channel)


@pytest.fixture
def ingests(channel: grpc.aio.Channel) -> ingest_pb2_grpc.IngestServiceStub:
    return ingest_pb2_grpc.IngestServiceStub(channel)


def pieces(*contents: bytes, **header: str) -> list[ingest.SubmitSourceRequest]:
    return [
        ingest.SubmitSourceRequest(header=ingest.SourceHeader(**header)),
        *(ingest.SubmitSourceRequest(content=c) for c in contents),
    ]


async def test_what_is_inside_a_source_is_listed_by_it(ingests, services: Services) -> None:
    parent = (await ingests.SubmitSource(iter(pieces(b"mail", name="mail.eml")))).source
    inside = Document("f" * 32, "default", "mail.eml > a.txt", "1", parent=parent.id)
    services.registry.for_tenant(DEFAULT_TENANT).accept(inside)
    (child,) = (await ingests.ListSources(ingest.ListSourcesRequest(parent=parent.id))).sources
    assert (child.name, child.parent) == ("mail.eml > a.txt", parent.id)


async def test_the_sources_of_one_dataset_are_listed(ingests) -> None:
    for name in ("odd", "even"):
        await ingests.SubmitSource(iter(pieces(b"hello", name=f"{name}.txt", dataset=name)))
    (found,) = (await ingests.ListSources(ingest.ListSourcesRequest(dataset="odd"))).sources
    assert found.name == "odd.txt"


async def test_datasets_are_listed_by_name_page_by_page(ingests) -> None:
    for name in ("odd", "even"):
        await ingests.SubmitSource(iter(pieces(b"hello", name=f"{name}.txt", dataset=name)))
    first = await ingests.ListDatasets(ingest.ListDatasetsRequest(page_size=2))
    assert [(each.name, each.documents, each.chunks) for each in first.datasets] == [("default", 1, 3), ("even", 1, 0)]
    rest = await ingests.ListDatasets(ingest.ListDatasetsRequest(page_size=2, page_token=first.next_page_token))
    assert ([each.name for each in rest.datasets], rest.next_page_token) == (["odd"], "")


async def test_the_sources_of_one_run_are_listed_and_deleted(ingests) -> None:
    for name in ("odd", "even"):
        taken = await ingests.SubmitSource(iter(pieces(b"hello", name=f"{name}.txt", run=name)))
        assert taken.source.run == name
        assert taken.source.uploaded_at > 0
    (found,) = (await ingests.ListSources(ingest.ListSourcesRequest(run="odd", since="2020"))).sources
    assert found.name == "odd.txt"
    assert not (await ingests.ListSources(ingest.ListSourcesRequest(run="odd", until="2020"))).sources
    assert not (await ingests.ListSources(ingest.ListSourcesRequest(since="1900", time="dated"))).sources
    gone = await ingests.DeleteSources(ingest.DeleteSourcesRequest(run="odd"))
    assert (gone.deleted, gone.done) == (1, True)
    left = (await ingests.ListSources(ingest.ListSourcesRequest())).sources
    assert {source.name for source in left} & {"odd.txt", "even.txt"} == {"even.txt"}


async def test_a_source_comes_in_pieces_and_is_listed_shown_and_deleted(ingests) -> None:
    taken = (await ingests.SubmitSource(iter(pieces(b"hel", b"lo", name="a.txt", title="A")))).source
    assert (taken.name, taken.title, taken.size_bytes, taken.state) == ("a.txt", "A", 5, "pending")
    assert taken.waits_for == "its turn"
    shown = (await ingests.GetSource(ingest.GetSourceRequest(id=taken.id))).source
    assert shown == taken
    page = await ingests.ListSources(ingest.ListSourcesRequest(page_size=1))
    assert [s.name for s in page.sources] == ["a.txt"]
    rest = await ingests.ListSources(ingest.ListSourcesRequest(page_size=5, page_token=page.next_page_token))
    assert [s.name for s in rest.sources] == ["engine.html"]
    assert (await ingests.DeleteSource(ingest.DeleteSourceRequest(id=taken.id))).source.state == "deleted"
    fetched = (await ingests.SubmitSource(iter(pieces(url="https://example.org/a")))).source
    assert fetched.name.startswith("https:")


async def test_search_tells_per_source_ranks(asks) -> None:
    found = await asks.Search(query.SearchRequest(query="Who designed the Engine?", top_k=2, mode="keyword"))
    assert [h.rank for h in found.hits] == [1, 2]
    assert found.hits[0].sources[0].source == "keyword"
    assert not found.hits[0].HasField("bridge")
    assert found.hits[1].bridge.name == "Engine"
    assert found.hits[0].chunk.positions[0].page == 1
    assert found.mode == "keyword"


async def test_an_answer_comes_whole_or_as_it_is_written(asks) -> None:
    whole = (await asks.Ask(query.AskRequest(question="Who wrote notes?"))).answer
    assert whole.citations[0].marker in whole.text
    request = query.AskStreamRequest(request=query.AskRequest(question="Who wrote notes?"))
    events = [e async for e in asks.AskStream(request)]
    assert events[0].WhichOneof("event") == "hits"
    assert events[-1].answer == whole
    assert "".join(e.text for e in events).strip() == whole.text


async def test_an_answer_says_what_was_asked_for_and_itself_in_short(asks) -> None:
    whole = (await asks.Ask(query.AskRequest(question="Who wrote notes?", kind="reason"))).answer
    assert (whole.kind, whole.short, whole.probability) == ("reason", "Ada Lovelace", 0.75)
    request = query.AskStreamRequest(request=query.AskRequest(question="Who wrote notes?"))
    events = [e async for e in asks.AskStream(request)]
    assert events[1].short == "Ada Lovelace"
    assert events[-1].answer.kind == "fact"


async def test_a_conversation_is_begun_continued_listed_and_forgotten(channel, asks) -> None:
    talks = conversations_pb2_grpc.ConversationServiceStub(channel)
    begun = (await talks.CreateConversation(conversations.CreateConversationRequest(title="Notes"))).conversation
    for turn in range(2):
        question = query.AskRequest(question="Who wrote notes?", conversation_id=begun.id)
        assert f"turns before: {turn}" in (await asks.Ask(question)).answer.notes
    shown = (await talks.GetConversation(conversations.GetConversationRequest(id=begun.id))).conversation
    assert [(turn.question, turn.kind, turn.short) for turn in shown.turns] == [
        ("Who wrote notes?", "fact", "Ada Lovelace")
    ] * 2
    await talks.CreateConversation(conversations.CreateConversationRequest())
    pages = [await talks.ListConversations(conversations.ListConversationsRequest(page_size=1))]
    following = conversations.ListConversationsRequest(page_size=1, page_token=pages[0].next_page_token)
    pages.append(await talks.ListConversations(following))
    assert {one.title for page in pages for one in page.conversations} == {"Notes", ""}
    await talks.DeleteConversation(conversations.DeleteConversationRequest(id=begun.id))
    for call, request in (
        (talks.GetConversation, conversations.GetConversationRequest(id=begun.id)),
        (talks.DeleteConversation, conversations.DeleteConversationRequest(id="../x")),
    ):
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            await call(request)
        assert caught.value.code() == grpc.StatusCode.NOT_FOUND
        assert why(caught.value).reason == "NO_SUCH_CONVERSATION"


async def test_a_title_that_is_too_long_is_refused(channel) -> None:
    talks = conversations_pb2_grpc.ConversationServiceStub(channel)
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await talks.CreateConversation(conversations.CreateConversationRequest(title="a" * 5000))
    assert caught.value.code() == grpc.StatusCode.INVALID_ARGUMENT


async def test_a_caller_says_who_orders_the_passages_once_more(asks) -> None:
    answered = await asks.Ask(query.AskRequest(question="Who wrote notes?", rerank="llm"))
    assert "reranked: llm" in answered.answer.notes


async def test_less_than_no_contradiction_is_not_listed(asks) -> None:
    """Of all the sizes of a page this one alone has a sign."""
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await asks.ListContradictions(query.ListContradictionsRequest(page_size=-1))
    assert caught.value.code() == grpc.StatusCode.INVALID_ARGUMENT
    assert "page_size" in caught.value.details()


@pytest.mark.parametrize("arguments", ["[" * 3000, "[" * 3000 + "]" * 3000, '{"task": ' * 3000, "no JSON"])
async def test_arguments_that_are_no_json_or_have_no_end_are_refused(channel, arguments: str) -> None:
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await graph_pb2_grpc.GraphServiceStub(channel).RunTool(
            graph_pb2.RunToolRequest(name="create_todo", arguments=arguments)
        )
    assert caught.value.code() == grpc.StatusCode.INVALID_ARGUMENT
    assert why(caught.value).reason == "INVALID_REQUEST"


async def test_a_kind_that_is_none_is_refused_with_those_that_are(asks) -> None:
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await asks.Ask(query.AskRequest(question="Who wrote notes?", kind="riddle"))
    assert caught.value.code() == grpc.StatusCode.INVALID_ARGUMENT
    assert "Expected one of fact, yes_no, choice" in caught.value.details()


@pytest.mark.parametrize(
    ("request_", "reason"),
    [
        (query.SearchRequest(query=""), "INVALID_REQUEST"),
        (query.SearchRequest(query="x" * 100_000), "INVALID_REQUEST"),
        (query.SearchRequest(query="a\x00b"), "INVALID_REQUEST"),
        (query.SearchRequest(query="x", top_k=101), "INVALID_REQUEST"),
        (query.SearchRequest(query="x", mode="magic"), "INVALID_REQUEST"),
        (query.SearchRequest(query="x", filter=query.SearchFilter(kinds=["magic"])), "INVALID_REQUEST"),
        (query.SearchRequest(query="x", filter=query.SearchFilter(document_ids=["x"] * 101)), "INVALID_REQUEST"),
        (query.SearchRequest(query="x", filter=query.SearchFilter(dataset="a b")), "INVALID_REQUEST"),
        (query.SearchRequest(query="x", filter=query.SearchFilter(since="2020-02-30")), "INVALID_REQUEST"),
        (query.SearchRequest(query="x", filter=query.SearchFilter(time="read")), "INVALID_REQUEST"),
        (query.SearchRequest(query=" \n"), "INVALID_REQUEST"),
    ],
)
async def test_a_search_that_does_not_fit_is_told_what_to_do(asks, request_: query.SearchRequest, reason: str) -> None:
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await asks.Search(request_)
    assert caught.value.code() == grpc.StatusCode.INVALID_ARGUMENT
    info = why(caught.value)
    assert (info.reason, info.domain) == (reason, "trivium")
    assert info.metadata["action"]


async def test_unknown_things_are_not_found_and_faults_tell_nothing(asks, ingests) -> None:
    for wanted in ("0" * 32, "x", "", "../.."):
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            await ingests.GetSource(ingest.GetSourceRequest(id=wanted))
        assert caught.value.code() == grpc.StatusCode.NOT_FOUND
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await asks.Ask(query.AskRequest(question="x", conversation_id="0" * 32))
    assert caught.value.code() == grpc.StatusCode.NOT_FOUND
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await asks.Search(query.SearchRequest(query="explode"))
    assert caught.value.code() == grpc.StatusCode.INTERNAL
    assert "secret" not in str(caught.value)


async def test_a_stream_that_breaks_ends_with_a_rich_error(asks) -> None:
    call = asks.AskStream(query.AskStreamRequest(request=query.AskRequest(question="break engine")))
    events = aiter(call)
    assert (await anext(events)).WhichOneof("event") == "hits"
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await _drain(events)
    assert caught.value.code() == grpc.StatusCode.UNAVAILABLE
    assert why(caught.value).reason == "LLM_DOWN"


async def test_bytes_without_a_header_or_past_the_bound_are_refused(ingests) -> None:
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await ingests.SubmitSource(iter([ingest.SubmitSourceRequest(content=b"x")]))
    assert caught.value.code() == grpc.StatusCode.INVALID_ARGUMENT
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await ingests.SubmitSource(iter(pieces(*[b"x" * 50_000] * 10, name="big")))
    assert why(caught.value).reason == "TOO_LARGE"
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await ingests.SubmitSource(iter(pieces(b"x", name="a", dataset="../etc")))
    assert why(caught.value).reason == "INVALID_REQUEST"
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await ingests.SubmitSource(iter([]))
    assert caught.value.code() == grpc.StatusCode.INVALID_ARGUMENT


@pytest.mark.parametrize(
    ("header", "reason"),
    [
        ({"name": "a\tb.txt"}, "BAD_NAME"),
        ({"name": "x" * 1025}, "NAME_TOO_LONG"),
        ({"name": "a/.."}, "NAME_NEEDED"),
        ({"url": "https://a.org/" + "x" * 1024}, "NAME_TOO_LONG"),
    ],
)
async def test_names_are_checked_as_over_http(ingests, header: dict[str, str], reason: str) -> None:
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await ingests.SubmitSource(iter(pieces(b"x", **header)))
    assert why(caught.value).reason == reason
    assert (await ingests.SubmitSource(iter(pieces(b"x", name="C:\\a\\..\\b.txt")))).source.name == "C:/b.txt"


@pytest.mark.parametrize(
    ("service", "method", "streamed"),
    [
        ("trivium.v1.QueryService", "Search", False),
        ("trivium.v1.QueryService", "AskStream", False),
        ("trivium.v1.IngestService", "SubmitSource", True),
        ("grpc.health.v1.Health", "Check", False),
        ("grpc.reflection.v1alpha.ServerReflection", "ServerReflectionInfo", True),
    ],
)
async def test_a_request_that_is_no_message_is_refused_without_our_insides(
    channel: grpc.aio.Channel, service: str, method: str, streamed: bool, logged: list[dict[str, object]]
) -> None:
    junk = b"\xff\xff\xff\xff"
    if streamed:
        call = channel.stream_stream(f"/{service}/{method}")(iter([junk]))
    else:
        call = channel.unary_stream(f"/{service}/{method}")(junk)
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await _drain(call)
    assert caught.value.code() is grpc.StatusCode.INVALID_ARGUMENT
    assert why(caught.value).reason == "INVALID_REQUEST"
    assert "class" not in (caught.value.details() or "")
    assert logged == []


async def test_a_source_that_drips_is_refused(services: Services, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pace, "START_S", 0.2)
    door = create_grpc_server(services, "127.0.0.1:0")
    await door.start()
    ended = threading.Event()

    def dripping() -> Iterator[ingest.SubmitSourceRequest]:
        yield pieces(name="a.txt")[0]
        while not ended.wait(0.05):
            yield ingest.SubmitSourceRequest(content=b"x")

    def send() -> grpc.RpcError:
        # grpc's asyncio client tells a message that it sends as the call ends as an internal error, this one the status
        with grpc.insecure_channel(f"127.0.0.1:{door.port}") as opened, pytest.raises(grpc.RpcError) as caught:
            ingest_pb2_grpc.IngestServiceStub(opened).SubmitSource(dripping(), timeout=10)
        ended.set()
        return caught.value

    error = await asyncio.to_thread(send)
    await door.stop(0)
    assert error.code() is grpc.StatusCode.DEADLINE_EXCEEDED
    assert why(error).reason == "BODY_LATE"


HTTP2 = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + b"\0\0\0\4\0\0\0\0\0"  # the preface and empty settings (RFC 9113, 3.4)


@pytest.mark.parametrize("said", [b"", b"PRI", HTTP2], ids=["nothing", "half a preface", "no call"])
async def test_a_connection_without_a_call_ends(
    services: Services, monkeypatch: pytest.MonkeyPatch, said: bytes
) -> None:
    for bound in ("HANDSHAKE_S", "IDLE_S"):
        monkeypatch.setattr(rpc_server, bound, 0.3)
    door = create_grpc_server(services, "127.0.0.1:0")
    await door.start()
    reader, writer = await asyncio.open_connection("127.0.0.1", door.port)
    writer.write(said)
    async with asyncio.timeout(10):
        await reader.read()
    writer.close()
    await door.stop(0)


async def test_a_callers_deadline_stops_the_work(asks, services: Services) -> None:
    services.searcher.gate = asyncio.Event()
    for call in (
        asks.Search(query.SearchRequest(query="engine"), timeout=1),
        asks.Ask(query.AskRequest(question="engine"), timeout=1),
    ):
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            await call
        assert caught.value.code() == grpc.StatusCode.DEADLINE_EXCEEDED
    await services.searcher.reaches(cancelled=2)


async def test_a_cancelled_call_stops_the_work(asks, services: Services) -> None:
    services.searcher.gate = asyncio.Event()
    calls = [
        asks.Ask(query.AskRequest(question="engine")),
        asks.AskStream(query.AskStreamRequest(request=query.AskRequest(question="engine"))),
    ]
    await services.searcher.reaches(held=2)
    for call in calls:
        call.cancel()
    await services.searcher.reaches(cancelled=2)


async def _drain(events) -> None:
    async for _ in events:
        pass


class TestWithKeys:
    """A server with API keys."""

    @pytest.fixture
    def settings(self) -> Settings:
        return Settings(api_keys="default:alpha,other:beta")

    async def test_a_key_in_the_metadata_is_a_tenant(self, ingests, asks, engine: str) -> None:
        wanted = ingest.GetSourceRequest(id=engine)
        for metadata in ((), (("x-api-key", "no"),), (("authorization", "Basic alpha"),)):
            with pytest.raises(grpc.aio.AioRpcError) as caught:
                await ingests.GetSource(wanted, metadata=metadata)
            assert caught.value.code() == grpc.StatusCode.UNAUTHENTICATED
        for metadata in ((("x-api-key", "alpha"),), (("authorization", "Bearer alpha"),)):
            assert (await ingests.GetSource(wanted, metadata=metadata)).source.id == engine
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            await ingests.GetSource(wanted, metadata=(("x-api-key", "beta"),))
        assert caught.value.code() == grpc.StatusCode.NOT_FOUND
        for first, then in (("alpha", "beta"), ("alpha", "no")):
            told = await ingests.GetSource(wanted, metadata=(("x-api-key", first), ("x-api-key", then)))
            assert told.source.id == engine, "of several the first counts, as over HTTP"


async def test_health_and_reflection_answer(channel: grpc.aio.Channel) -> None:
    health = health_pb2_grpc.HealthStub(channel)
    for name in ("", "trivium.v1.QueryService", "trivium.v1.IngestService"):
        answer = await health.Check(health_pb2.HealthCheckRequest(service=name))
        assert answer.status == health_pb2.HealthCheckResponse.SERVING
    stub = reflection_pb2_grpc.ServerReflectionStub(channel)
    listed = stub.ServerReflectionInfo(iter([reflection_pb2.ServerReflectionRequest(list_services="")]))
    names = {s.name for s in (await anext(aiter(listed))).list_services_response.service}
    assert {"trivium.v1.QueryService", "trivium.v1.IngestService", "grpc.health.v1.Health"} <= names


async def test_a_port_in_use_is_told(services: Services) -> None:
    first = create_grpc_server(services, "127.0.0.1:0")
    await first.start()
    with pytest.raises(Refused) as caught:
        create_grpc_server(services, f"127.0.0.1:{first.port}")
    assert caught.value.code == "port_in_use"
    assert "TRIVIUM_GRPC_PORT" in caught.value.action
    await first.stop(0)


async def test_a_site_is_crawled_page_by_page(ingests, services: Services) -> None:
    request = ingest.CrawlSiteRequest(url="https://site.test/", depth=0, max_pages=3, dataset="web")
    pages = [page async for page in ingests.CrawlSite(request)]
    assert [(page.url, page.fate) for page in pages] == [
        ("https://site.test/1", "taken"),
        ("https://site.test/2", "taken"),
        ("https://site.test/no", "left_out"),
    ]
    assert (pages[0].source.dataset, pages[2].reason.code) == ("web", "robots")
    assert services.crawler.asked[0].depth == 0  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    "request_", [ingest.CrawlSiteRequest(url="https://a.test/", depth=21), ingest.CrawlSiteRequest(url="x" * 2001)]
)
async def test_a_crawl_without_end_is_refused(ingests, request_: ingest.CrawlSiteRequest) -> None:
    with pytest.raises(grpc.aio.AioRpcError) as refusal:
        await ingests.CrawlSite(request_).read()
    assert refusal.value.code() is grpc.StatusCode.INVALID_ARGUMENT
