"""Tokens of a language model are charged to who asked, also where nobody waited for the end of the answer."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import httpx2
import pytest
from openai_peer import OpenAiPeer, Reply
from scripted_model import BRIDGE, GOOD, QUESTION, Model, work_of
from waiting import wait_until

from trivium.v1 import query_pb2, query_pb2_grpc

from .conftest import Server

TENANTS = ("by-http", "by-chat", "by-response", "by-grpc", "whole")
LIMIT = 100  # an hour
CHAT = {"model": "trivium", "messages": [{"role": "user", "content": QUESTION}], "stream": True}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory, peer: OpenAiPeer) -> Iterator[Server]:
    running = Server(
        tmp_path_factory.mktemp("charges") / "data",
        TRIVIUM_LLM="openai",
        TRIVIUM_LLM_URL=peer.url,
        TRIVIUM_LLM_MODEL="scripted",
        TRIVIUM_API_KEYS=",".join(f"{name}:{name}" for name in TENANTS),
        TRIVIUM_LIMITS=f"tenant.tokens={LIMIT}/h",
    ).start()
    for name in TENANTS:
        assert running.take("bridge.md", BRIDGE, name)["state"] == "ready"
    yield running
    running.stop()


def read_by(peer: OpenAiPeer, since: int) -> int:
    """What the newest answer's prompt has in tokens, of four bytes each."""
    (asked,) = [seen for seen in peer.seen[since:] if work_of(seen) == "write"]
    return sum(len(message["content"].encode()) for message in asked.body["messages"]) // 4


def charged(server: Server, key: str) -> float:
    """What the tenant took in all, from how long it has to wait now."""

    def refused() -> httpx2.Response | None:
        with server.http(key) as client:
            answer = client.post("/v1/queries", json={"query": "Thanks!"})  # no model is asked for that
        return answer if answer.status_code == 429 else None

    told = wait_until(refused, f"{key} has to wait")
    assert told is not None
    return LIMIT - 1 + int(told.headers["retry-after"]) * LIMIT / 3600


def leave_http(server: Server, key: str, path: str, body: dict[str, object], until: str) -> None:
    with server.http(key) as client, client.stream("POST", path, json=body) as answer:
        assert next(line for line in answer.iter_lines() if until in line)


def leave_grpc(server: Server, key: str) -> None:
    ask = query_pb2.AskStreamRequest(request=query_pb2.AskRequest(question=QUESTION))
    with server.channel() as channel:
        events = query_pb2_grpc.QueryServiceStub(channel).AskStream(ask, metadata=(("x-api-key", key),))
        assert next(event for event in events if event.WhichOneof("event") == "text")
        events.cancel()


LEAVES: dict[str, Callable[[Server], None]] = {
    "by-http": lambda server: leave_http(
        server, "by-http", "/v1/queries", {"query": QUESTION, "stream": True}, "event: text"
    ),
    "by-chat": lambda server: leave_http(server, "by-chat", "/openai/v1/chat/completions", CHAT, '"content":"M'),
    "by-response": lambda server: leave_http(
        server,
        "by-response",
        "/openai/v1/responses",
        {"model": "trivium", "input": QUESTION, "stream": True},
        "output_text.delta",
    ),
    "by-grpc": lambda server: leave_grpc(server, "by-grpc"),
}


@pytest.mark.parametrize("tenant", LEAVES)
def test_a_stream_that_is_left_is_charged_for_what_was_read_and_written(
    server: Server, model: Model, peer: OpenAiPeer, tenant: str
) -> None:
    model.behave(write=Reply(GOOD, pause_s=0.5))
    since = len(peer.seen)
    LEAVES[tenant](server)
    took = charged(server, tenant)
    assert [work_of(seen) for seen in peer.seen[since:]] == ["write"], "nobody judged what nobody waited for"
    assert read_by(peer, since) < took < read_by(peer, since) + len(GOOD) / 4 + 3


def test_an_answer_that_is_left_is_charged_for_what_was_read(server: Server, model: Model, peer: OpenAiPeer) -> None:
    """It is not streamed, so nothing of it is known to have been written."""
    model.behave(write=Reply(GOOD, delay_s=3.0))
    since = len(peer.seen)
    with server.http("whole") as client, pytest.raises(httpx2.ReadTimeout):
        client.post("/v1/queries", json={"query": QUESTION}, timeout=1.5)
    assert read_by(peer, since) <= charged(server, "whole") < read_by(peer, since) + 4
