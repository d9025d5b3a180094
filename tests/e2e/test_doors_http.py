"""Every HTTP endpoint of a running server."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest

from trivium.domain.retrieval import Mode

from .conftest import Server

OPENAPI = Path(__file__).parents[2] / "docs" / "openapi.json"
LETTERS = {
    "letters/one.md": "# Letters of Ada Thornfield\n\nAda Thornfield designed the observatory of Brunnhalde in 1904.\n",
    "letters/two.md": "# The observatory\n\nThe observatory of Brunnhalde stands on Mount Kessel.\n",
    "letters/three.txt": "Oskar Pell repaired the telescope of Brunnhalde in 1931.",
}


@pytest.fixture(scope="module")
def ids(server: Server) -> dict[str, str]:
    """The letters, uploaded in one request; name to id."""
    with server.http() as client:
        files = [("file", (name, text.encode())) for name, text in LETTERS.items()]
        answer = client.post("/v1/sources", files=files, data={"dataset": "letters"})
    assert answer.status_code == 202
    taken = answer.json()
    assert taken["id"] == taken["sources"][0]["id"]
    assert answer.headers["location"] == f"/v1/sources/{taken['id']}"
    assert taken["refused"] == []
    for source in taken["sources"]:
        assert server.settled(source["id"])["state"] == "ready"
    return {source["name"]: source["id"] for source in taken["sources"]}


@pytest.fixture
def client(server: Server, ids: dict[str, str]) -> Iterator[httpx2.Client]:
    with server.http() as open_client:
        yield open_client


def is_a_problem(answer: httpx2.Response, status: int, code: str) -> None:
    assert answer.status_code == status, answer.text
    assert answer.headers["content-type"] == "application/problem+json"
    problem = answer.json()
    assert (problem["status"], problem["code"]) == (status, code)
    assert problem["detail"]
    assert problem["action"]
    assert problem["request_id"] == answer.headers["x-request-id"]


def test_several_files_are_taken_at_once_and_keep_their_folders(ids: dict[str, str]) -> None:
    assert set(ids) == set(LETTERS)
    assert len(set(ids.values())) == len(LETTERS)


@pytest.mark.parametrize(
    ("url", "code"),
    [
        ("http://127.0.0.1:9/secret", "forbidden_address"),
        ("http://[::1]/", "forbidden_address"),
        ("http://169.254.169.254/latest/meta-data/", "forbidden_address"),
        ("http://10.0.0.7/wiki", "forbidden_address"),
        ("http://0x7f000001/", "forbidden_address"),
    ],
)
def test_an_address_inside_the_network_is_refused(client: httpx2.Client, url: str, code: str) -> None:
    is_a_problem(client.post("/v1/sources", json={"url": url}), 400, code)


@pytest.mark.parametrize("url", ["file:///etc/passwd", "ftp://example.org/a", "example.org", ""])
def test_what_is_no_web_address_is_refused(client: httpx2.Client, url: str) -> None:
    is_a_problem(client.post("/v1/sources", json={"url": url}), 422, "invalid_request")


def test_a_listing_goes_on_where_its_cursor_says(client: httpx2.Client) -> None:
    names: list[str] = []
    cursor = ""
    for _ in LETTERS:
        page = client.get("/v1/sources", params={"limit": 1, "cursor": cursor}).json()
        names += [source["name"] for source in page["sources"]]
        cursor = page["cursor"]
    assert sorted(names) == sorted(LETTERS)
    assert cursor == ""
    assert client.get("/v1/sources", params={"state": "failed"}).json()["sources"] == []
    is_a_problem(client.get("/v1/sources", params={"cursor": "nonsense"}), 400, "bad_cursor")


def test_content_is_the_original_and_harmless_in_a_browser(client: httpx2.Client, ids: dict[str, str]) -> None:
    answer = client.get(f"/v1/sources/{ids['letters/one.md']}/content")
    assert answer.text == LETTERS["letters/one.md"]
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert "sandbox" in answer.headers["content-security-policy"]
    place = f"/v1/sources/{ids['letters/one.md']}/content"
    assert "Ada Thornfield designed" in client.get(place, params={"chunk": 1}).json()["text"]
    is_a_problem(client.get(place, params={"chunk": 99}), 404, "no_such_chunk")


@pytest.mark.parametrize("mode", [mode.value for mode in Mode])
def test_every_mode_tells_where_each_hit_comes_from(client: httpx2.Client, mode: str) -> None:
    found = client.post("/v1/search", json={"query": "Who designed the observatory of Brunnhalde?", "mode": mode})
    body = found.json()
    assert body["mode"] == mode
    assert body["degraded"] == []
    assert body["timings_ms"]
    hits = body["hits"]
    assert [hit["rank"] for hit in hits] == list(range(1, len(hits) + 1))
    assert "Brunnhalde" in hits[0]["chunk"]["text"]
    if mode != "graph":  # which gives only what names lead to
        assert {hit["chunk"]["source"] for hit in hits} == set(LETTERS)
    for hit in hits:
        assert hit["sources"]
        assert all(place["rank"] >= 1 for place in hit["sources"])
        if hit.get("bridge"):
            assert hit["bridge"]["name"] in hit["bridge"]["sentence"]


def test_filters_restrict_a_search(client: httpx2.Client, ids: dict[str, str]) -> None:
    def found(filters: dict[str, Any]) -> set[str]:
        body = client.post("/v1/search", json={"query": "observatory of Brunnhalde", "filters": filters}).json()
        return {hit["chunk"]["source"] for hit in body["hits"]}

    assert found({"document_ids": [ids["letters/two.md"]]}) == {"letters/two.md"}
    assert found({"dataset": "letters"}) == set(LETTERS)
    assert found({"dataset": "elsewhere"}) == set()


def test_a_question_is_answered_whole(client: httpx2.Client) -> None:
    given = client.post("/v1/queries", json={"question": "Who designed the observatory of Brunnhalde?"}).json()
    assert "Ada Thornfield" in given["text"]
    assert (given["engine"], given["verdict"], given["found"]) == ("extractive", "SUPPORTED", True)
    assert given["citations"][0]["marker"] in given["text"]
    assert given["usage"] == {"input_tokens": 0, "output_tokens": 0, "calls": 0, "prompts": []}


def test_what_is_not_there_is_not_found(client: httpx2.Client) -> None:
    given = client.post("/v1/queries", json={"question": "What is the boiling point of tungsten?"}).json()
    assert given["found"] is False
    assert given["citations"] == []
    assert given["verdict"] == "NOT_SUPPORTED"


def _events(client: httpx2.Client, body: dict[str, Any]) -> list[tuple[str, dict[str, Any]]]:
    with client.stream("POST", "/v1/queries", json=body, headers={"accept": "text/event-stream"}) as answer:
        assert answer.headers["content-type"].startswith("text/event-stream")
        blocks = "".join(answer.iter_text()).strip().split("\n\n")
    found = []
    for block in blocks:
        fields = dict(line.split(": ", 1) for line in block.splitlines() if not line.startswith(":"))
        if fields:
            found.append((fields["event"], json.loads(fields["data"])))
    return found


def test_a_streamed_answer_comes_in_order_and_equals_the_plain_one(client: httpx2.Client) -> None:
    body = {"question": "Who repaired the telescope of Brunnhalde?"}
    events = _events(client, body)
    names = [name for name, _ in events]
    assert names[0] == "hits"
    assert names[-1] == "answer"
    assert names.index("text") < names.index("citation") < names.index("verdict") < names.index("answer")
    whole = events[-1][1]
    assert "Oskar Pell" in whole["text"]
    last_withdrawn = max((i for i, name in enumerate(names) if name == "withdrawn"), default=-1)
    text = "".join(data["text"] for name, data in events[last_withdrawn + 1 :] if name == "text")
    assert text.strip() == whole["text"]
    plain = client.post("/v1/queries", json=body).json()
    assert (plain["text"], plain["citations"]) == (whole["text"], whole["citations"])


def test_a_stream_that_cannot_begin_is_a_plain_problem(client: httpx2.Client) -> None:
    body = {"question": "Who?", "conversation_id": "0" * 32, "stream": True}
    is_a_problem(client.post("/v1/queries", json=body), 404, "no_such_conversation")


def test_a_follow_up_sees_its_history(client: httpx2.Client) -> None:
    made = client.post("/v1/conversations", json={"title": "Brunnhalde"})
    assert made.status_code == 201
    place = made.headers["location"]
    first = client.post(f"{place}/queries", json={"question": "Who repaired the telescope of Brunnhalde?"}).json()
    assert "Oskar Pell" in first["text"]
    second = client.post(f"{place}/queries", json={"question": "When did he repair it?"}).json()
    assert "1931" in second["text"]
    kept = client.get(place).json()
    assert [turn["question"] for turn in kept["turns"]] == [
        "Who repaired the telescope of Brunnhalde?",
        "When did he repair it?",
    ]
    listed = client.get("/v1/conversations").json()["conversations"]
    assert kept["id"] in [conversation["id"] for conversation in listed]
    assert client.delete(place).status_code == 204
    is_a_problem(client.get(place), 404, "no_such_conversation")


def test_an_entity_comes_with_neighbours_and_evidence(client: httpx2.Client, ids: dict[str, str]) -> None:
    entities = client.get("/v1/graph/entities", params={"prefix": "ada"}).json()["entities"]
    assert [entity["name"] for entity in entities] == ["Ada Thornfield"]
    picture = client.get(f"/v1/graph/entities/{entities[0]['id']}").json()
    assert picture["entity"] == entities[0]
    assert any("Brunnhalde" in neighbour["entity"]["name"] for neighbour in picture["neighbours"])
    assert any(
        mention["place"]["document_id"] == ids["letters/one.md"] and "Ada Thornfield" in mention["sentence"]
        for mention in picture["mentions"]
    )
    is_a_problem(client.get(f"/v1/graph/entities/{'0' * 32}"), 404, "no_such_entity")


def test_health_readiness_and_metrics_answer(client: httpx2.Client) -> None:
    assert client.get("/healthz").json() == {"status": "ok"}
    ready = client.get("/readyz")
    assert ready.status_code == 200
    assert set(ready.json()["ready"]) >= {"registry", "conversations", "keywords", "vectors", "graph"}
    metrics = client.get("/metrics").text
    for stage in ("parse", "chunk", "enrich", "embed", "index", "extract", "link", "publish"):
        assert re.search(rf'stage="{stage}"', metrics), stage
    for source in ("vector", "keyword", "graph"):
        assert re.search(rf'source="{source}"', metrics), source


def test_the_documentation_needs_no_other_site(client: httpx2.Client) -> None:
    page = client.get("/docs").text
    assert not re.search(r"""(?:src|href)\s*=\s*["'](?:https?:)?//""", page)
    for asset in re.findall(r"""(?:src|href)\s*=\s*["'](/[^"']+)""", page):
        assert client.get(asset).status_code == 200, asset


def test_the_openapi_document_is_the_committed_one(client: httpx2.Client) -> None:
    assert client.get("/openapi.json").json() == json.loads(OPENAPI.read_text())


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [("GET", "/nowhere", 404), ("PUT", "/v1/sources", 405), ("GET", "/v1/search", 405), ("POST", "/v1/sources", 415)],
)
def test_a_wrong_turn_is_told(client: httpx2.Client, method: str, path: str, status: int) -> None:
    answer = client.request(method, path)
    assert answer.status_code == status
    assert answer.json()["action"]
