"""Search, questions and conversations over HTTP."""

from __future__ import annotations

import asyncio
import json
from collections.abc import MutableMapping
from typing import Any

import httpx2
import msgspec
import pytest

from trivium.api import MAX_QUESTION_CHARS
from trivium.config import Settings
from trivium.domain.contradictions import Contradiction
from trivium_query.contradictions.find import Contradictions
from trivium_query.http.app import create_app
from trivium_query.requests import Services


def events_of(text: str) -> list[tuple[str, dict[str, object]]]:
    """(name, data) of each event in a text/event-stream."""
    blocks = [b.split("\n") for b in text.split("\n\n") if b and not b.startswith(":")]
    return [(b[0].removeprefix("event: "), json.loads(b[1].removeprefix("data: "))) for b in blocks]


async def test_every_hit_tells_why_it_is_there(client: httpx2.AsyncClient) -> None:
    answer = (await client.post("/v1/search", json={"query": "Who designed the Engine?", "top_k": 2})).json()
    assert [h["rank"] for h in answer["hits"]] == [1, 2]
    assert answer["hits"][0]["sources"] == [{"source": "keyword", "rank": 1, "score": 3.0}]
    assert "bridge" not in answer["hits"][0]
    assert answer["hits"][1]["bridge"]["name"] == "Engine"
    assert answer["mode"] == "hybrid"
    assert answer["timings_ms"] == {"keyword": 0.1}


async def test_a_filter_restricts_the_search(client: httpx2.AsyncClient) -> None:
    body = {"query": "engine", "filters": {"document_ids": ["0" * 32]}}
    assert (await client.post("/v1/search", json=body)).json()["hits"] == []


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"query": ""},
        {"query": " \n"},
        {"query": "x" * 100_000},
        {"query": "x" * (MAX_QUESTION_CHARS + 1)},
        {"query": "a\x00b"},
        {"query": "x", "top_k": 0},
        {"query": "x", "top_k": 101},
        {"query": "x", "top_k": "5"},
        {"query": "x", "top_k": 10**400},
        {"query": "x", "mode": "magic"},
        {"query": "x", "filters": {"document_ids": ["a"] * 101}},
        {"query": "x", "filters": {"unknown": 1}},
        {"query": ["x"]},
        {"query": "x", "surprise": True},
        [],
        None,
    ],
)
async def test_a_search_that_does_not_fit_is_422_naming_the_field(client: httpx2.AsyncClient, body: object) -> None:
    answer = await client.post("/v1/search", json=body)
    assert answer.status_code == 422, answer.text
    problem = answer.json()
    assert problem["code"] == "invalid_request"
    assert problem["errors"][0]["field"].startswith("body")


async def test_every_field_that_does_not_fit_is_named_with_what_it_may_be(client: httpx2.AsyncClient) -> None:
    filters = {"kinds": ["text", "zz"], "document_ids": [5], "dataset": "a b", "surprise": 1}
    answer = await client.post("/v1/search", json={"query": " ", "top_k": 101, "mode": "magic", "filters": filters})
    assert {problem["field"]: problem["message"] for problem in answer.json()["errors"]} == {
        "body.query": "Expected text that is more than spaces, without a NUL character",
        "body.mode": "Expected one of vector, keyword, graph, bfs, ppr, rrf, weighted, hybrid, topics, deep",
        "body.top_k": "Expected integer <= 100",
        "body.filters.document_ids.0": "Expected string, got integer",
        "body.filters.dataset": "Expected letters, digits, '.', '_' or '-', beginning with a letter or digit",
        "body.filters.kinds.1": "Expected one of text, heading, list, table, image, equation, chart, code, note",
        "body.filters.surprise": "Unknown field",
    }


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
@pytest.mark.parametrize("kind", ["application/json; charset=utf-8", "application/vnd.search+json"])
async def test_json_is_taken_as_others_write_it(client: httpx2.AsyncClient, encoding: str, kind: str) -> None:
    raw = '{"query": "engine", "top_k": 2.0, "mode": null}'.encode(encoding)
    answer = await client.post("/v1/search", content=raw, headers={"content-type": kind})
    assert (answer.status_code, len(answer.json()["hits"])) == (200, 2), answer.text


async def test_text_that_is_no_unicode_is_422(client: httpx2.AsyncClient) -> None:
    for raw in (b'{"query": "\\ud800"}', b'{"query": "\xff"}', b'{"query": "\\u0000 x"}', b"[" * 100_000):
        answer = await client.post("/v1/search", content=raw, headers={"content-type": "application/json"})
        assert answer.status_code in (400, 422), answer.text
        assert answer.json()["code"]


async def test_an_answer_cites_its_passages(client: httpx2.AsyncClient) -> None:
    answer = (await client.post("/v1/queries", json={"question": "Who wrote notes?"})).json()
    assert answer["citations"][0]["marker"] in answer["text"]
    assert (answer["verdict"], answer["found"], answer["engine"]) == ("SUPPORTED", True, "extractive")
    nothing = (await client.post("/v1/queries", json={"question": "zebra"})).json()
    assert (nothing["found"], nothing["verdict"]) == (False, "NOT_SUPPORTED")


async def test_an_answer_says_what_was_asked_for_and_itself_in_short(client: httpx2.AsyncClient) -> None:
    answer = (await client.post("/v1/queries", json={"query": "Who wrote notes?"})).json()
    assert (answer["kind"], answer["short"], answer["probability"]) == ("fact", "Ada Lovelace", 0.75)
    streamed = await client.post("/v1/queries", json={"query": "Who wrote notes?", "stream": True})
    events = dict(events_of(streamed.text))
    assert list(events)[:3] == ["hits", "short", "text"]
    assert events["short"] == {"short": "Ada Lovelace"}
    assert events["verdict"]["probability"] == 0.75
    assert (events["answer"]["kind"], events["answer"]["short"]) == ("fact", "Ada Lovelace")


@pytest.mark.parametrize("path", ["/v1/queries", "/v1/conversations/{talk}/queries"])
async def test_a_caller_says_what_a_question_asks_for(client: httpx2.AsyncClient, path: str) -> None:
    talk = (await client.post("/v1/conversations")).json()["id"]
    answer = await client.post(path.format(talk=talk), json={"query": "Who wrote notes?", "kind": "reason"})
    assert answer.json()["kind"] == "reason"


async def test_a_caller_says_who_orders_the_passages_once_more(client: httpx2.AsyncClient) -> None:
    answer = await client.post("/v1/queries", json={"query": "Who wrote notes?", "rerank": "cross-encoder"})
    assert "reranked: cross-encoder" in answer.json()["notes"]
    refused = await client.post("/v1/queries", json={"query": "Who wrote notes?", "rerank": "best"})
    assert refused.json()["errors"] == [{"field": "body.rerank", "message": "Expected one of none, cross-encoder, llm"}]


async def test_a_kind_that_is_none_is_422_with_those_that_are(client: httpx2.AsyncClient) -> None:
    answer = await client.post("/v1/queries", json={"query": "Who wrote notes?", "kind": "riddle"})
    assert answer.status_code == 422
    assert answer.json()["errors"] == [
        {
            "field": "body.kind",
            "message": "Expected one of fact, yes_no, choice, order, list, count, arithmetic, definition, reason, "
            "procedure, about, summary, themes, collection, keywords, not_a_question",
        }
    ]


async def test_a_turn_keeps_the_kind_and_the_short_answer(client: httpx2.AsyncClient) -> None:
    where = (await client.post("/v1/conversations")).headers["location"]
    await client.post(f"{where}/queries", json={"query": "Who wrote notes?"})
    (turn,) = (await client.get(where)).json()["turns"]
    assert (turn["kind"], turn["short"]) == ("fact", "Ada Lovelace")


@pytest.mark.parametrize("path", ["/v1/search", "/v1/queries", "/v1/conversations/{talk}/queries"])
async def test_a_question_is_called_query_everywhere_and_question_is_understood(
    client: httpx2.AsyncClient, path: str
) -> None:
    talk = (await client.post("/v1/conversations")).json()["id"]
    answers = [
        await client.post(path.format(talk=talk), json={name: "Who wrote notes?"}) for name in ("query", "question")
    ]
    assert [answer.status_code for answer in answers] == [200, 200], answers[0].text
    assert answers[0].json()["hits"] == answers[1].json()["hits"]
    neither = await client.post(path.format(talk=talk), json={})
    assert neither.json()["errors"][0]["field"] == "body.query"


async def test_an_empty_store_says_that_nothing_has_been_read_and_what_to_do(
    client: httpx2.AsyncClient, engine: str
) -> None:
    await client.delete(f"/v1/sources/{engine}")
    searched = (await client.post("/v1/search", json={"query": "zebra"})).json()
    asked = (await client.post("/v1/queries", json={"query": "zebra"})).json()
    streamed = await client.post("/v1/queries", json={"query": "zebra", "stream": True})
    events = events_of(streamed.text)
    assert (asked["found"], asked["verdict"]) == (False, "NOT_SUPPORTED")
    for told in (*searched["notes"], asked["text"], events[-1][1]["text"]):
        assert told == "Nothing has been read yet. Add documents with: trivium ingest FOLDER, or POST /v1/sources."
    assert [data["text"] for name, data in events if name == "text"] == [asked["text"]]
    await client.post("/v1/sources", files={"file": ("a.txt", b"hello")})
    waiting = (await client.post("/v1/queries", json={"query": "zebra"})).json()["text"]
    assert waiting.startswith("Nothing has been read yet. Waiting to be read: 1.")


@pytest.mark.usefixtures("engine")
async def test_a_dataset_that_is_not_there_is_told(client: httpx2.AsyncClient) -> None:
    there = {"query": "zebra", "filters": {"dataset": "default"}}
    misspelt = {"query": "zebra", "filters": {"dataset": "defualt"}}
    searched = (await client.post("/v1/search", json=misspelt)).json()
    asked = (await client.post("/v1/queries", json=misspelt)).json()
    for told in (*searched["notes"], asked["text"]):
        assert told == (
            "There is no dataset 'defualt'. Do you mean default? All of them: trivium datasets, or GET /v1/datasets."
        )
    assert searched["notes"]
    assert (await client.post("/v1/search", json=there)).json()["notes"] == []


@pytest.mark.parametrize("by", ["accept", "field"])
async def test_a_streamed_answer_is_named_events_that_end_with_the_answer(client: httpx2.AsyncClient, by: str) -> None:
    headers = {"accept": "text/event-stream"} if by == "accept" else {}
    body = {"question": "Who wrote notes?", "stream": by == "field"}
    answer = await client.post("/v1/queries", json=body, headers=headers)
    assert answer.headers["content-type"].startswith("text/event-stream")
    events = events_of(answer.text)
    names = [name for name, _ in events]
    assert names[0] == "hits"
    assert names[-3:] == ["citation", "verdict", "answer"]
    whole = events[-1][1]
    assert "".join(str(data["text"]) for name, data in events if name == "text").strip() == whole["text"]


class BrokenContradictions(Contradictions):
    """A fault of ours."""

    def __init__(self) -> None:
        pass

    async def touching(self, *_: Any) -> tuple[Contradiction, ...]:
        raise ZeroDivisionError


@pytest.mark.parametrize("stream", [False, True])
async def test_no_fault_of_the_contradictions_takes_the_answer(
    services: Services, logged: list[MutableMapping[str, Any]], stream: bool
) -> None:
    broken = msgspec.structs.replace(services, contradictions=BrokenContradictions())
    transport = httpx2.ASGITransport(create_app(broken), raise_app_exceptions=False)
    async with httpx2.AsyncClient(transport=transport, base_url="http://localhost:8080") as client:
        body = {"question": "Who wrote notes?", "stream": stream}
        answer = await client.post("/v1/queries", json=body)
    told = events_of(answer.text)[-1][1] if stream else answer.json()
    assert (told["found"], bool(told["citations"]), told.get("contradictions", [])) == (True, True, [])
    assert "contradictions_failed" in {line["event"] for line in logged if line["log_level"] == "error"}


async def test_a_stream_that_fails_ends_with_a_problem(client: httpx2.AsyncClient) -> None:
    answer = await client.post("/v1/queries", json={"question": "break engine", "stream": True})
    name, problem = events_of(answer.text)[-1]
    assert (name, problem["code"], problem["status"]) == ("error", "llm_down", 503)
    answer = await client.post("/v1/queries", json={"question": "explode", "stream": True})
    name, problem = events_of(answer.text)[-1]
    assert (name, problem["code"]) == ("error", "internal")
    assert "secret" not in answer.text


@pytest.mark.parametrize("stream", [False, True])
async def test_a_question_without_a_word_is_refused_before_anything_is_streamed(
    client: httpx2.AsyncClient, stream: bool
) -> None:
    answer = await client.post("/v1/queries", json={"question": "???", "stream": stream})
    assert (answer.status_code, answer.json()["code"]) == (400, "question_empty")


async def test_a_follow_up_sees_its_history(client: httpx2.AsyncClient) -> None:
    made = await client.post("/v1/conversations", json={"title": "Engines"})
    assert made.status_code == 201
    where = made.headers["location"]
    first = (await client.post(f"{where}/queries", json={"question": "Who wrote notes?"})).json()
    assert first["notes"] == ["turns before: 0"]
    second = await client.post(f"{where}/queries", json={"question": "Who designed it?", "stream": True})
    assert events_of(second.text)[-1][1]["notes"] == ["turns before: 1"]
    third = {"question": "engine?", "conversation_id": made.json()["id"]}
    assert (await client.post("/v1/queries", json=third)).json()["notes"] == ["turns before: 2"]
    kept = (await client.get(where)).json()
    assert [t["question"] for t in kept["turns"]] == ["Who wrote notes?", "Who designed it?", "engine?"]
    listed = (await client.get("/v1/conversations")).json()
    assert listed["conversations"] == [kept]
    assert (await client.delete(where)).status_code == 204
    assert (await client.get(where)).status_code == 404
    assert (await client.delete(where)).status_code == 404
    assert (await client.post(f"{where}/queries", json={"question": "x", "stream": True})).status_code == 404


@pytest.mark.parametrize("stream", [False, True])
async def test_a_long_conversation_is_bounded_and_says_so(client: httpx2.AsyncClient, stream: bool) -> None:
    where = (await client.post("/v1/conversations")).headers["location"]
    for _ in range(12):
        await client.post(f"{where}/queries", json={"question": "engine?"})
    answer = await client.post(f"{where}/queries", json={"question": "engine?", "stream": stream})
    given = events_of(answer.text)[-1][1] if stream else answer.json()
    assert given["notes"] == [
        "turns before: 10",
        "Of this conversation the newest 10 turns took part, the 2 before them did not.",
    ]


async def test_a_conversation_needs_no_body(client: httpx2.AsyncClient) -> None:
    assert (await client.post("/v1/conversations")).json()["title"] == ""


class TestWithLittleTime:
    """A query that outlives its time."""

    @pytest.fixture
    def settings(self) -> Settings:
        return Settings(query_timeout_s=0.05)

    @pytest.mark.parametrize(
        ("path", "body"), [("/v1/search", {"query": "engine"}), ("/v1/queries", {"question": "engine"})]
    )
    async def test_a_late_answer_is_504_and_its_work_is_stopped(
        self, client: httpx2.AsyncClient, services: Services, path: str, body: dict[str, str]
    ) -> None:
        services.searcher.gate = asyncio.Event()
        answer = await client.post(path, json=body)
        assert (answer.status_code, answer.json()["code"]) == (504, "deadline_passed")
        assert "TRIVIUM_QUERY_TIMEOUT_S" in answer.text
        assert services.searcher.cancelled == 1


async def test_entities_are_found_by_the_beginning_of_a_name(client: httpx2.AsyncClient) -> None:
    page = (await client.get("/v1/graph/entities", params={"prefix": "Ada"})).json()
    assert [e["name"] for e in page["entities"]] == ["Ada Lovelace"]
    assert (await client.get("/v1/graph/entities", params={"type": "dragon"})).status_code == 422


async def test_an_entity_shows_neighbours_and_the_passages_that_name_it(client: httpx2.AsyncClient) -> None:
    listed = (await client.get("/v1/graph/entities", params={"prefix": "Ada"})).json()
    seen = (await client.get(f"/v1/graph/entities/{listed['entities'][0]['id']}", params={"neighbours": 1})).json()
    assert [n["entity"]["name"] for n in seen["neighbours"]] == ["Analytical Engine"]
    assert seen["mentions"][0]["sentence"] == "Ada Lovelace wrote notes on the Analytical Engine."
    assert seen["mentions"][0]["place"]["chunk_number"] == 2
    assert seen["relations"][0]["snippet"] == "Charles Babbage designed the Analytical Engine."


@pytest.mark.parametrize(
    "kind", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=b", ""]
)
@pytest.mark.parametrize("path", ["search", "queries", "conversations", "crawls", f"sources/{'0' * 32}/password"])
async def test_a_wrong_content_type_is_told_as_such(client: httpx2.AsyncClient, path: str, kind: str) -> None:
    headers = {"content-type": kind} if kind else {}
    answer = await client.post(f"/v1/{path}", content=b'{"query": "engine"}', headers=headers)
    assert (answer.status_code, answer.json()["code"]) == (415, "wrong_content_type")
    assert "application/json" in answer.json()["action"]


async def test_no_body_at_all_is_a_missing_one(client: httpx2.AsyncClient) -> None:
    answer = await client.post("/v1/search")
    assert (answer.status_code, answer.json()["detail"]) == (422, "body: Field required.")
