"""Who may ask, what is kept apart, and how errors look."""

from __future__ import annotations

import re
from pathlib import Path

import httpx2
import pytest

from trivium.config import Settings
from trivium.domain.errors import TryLater
from trivium_query.handlers.readiness import Readiness
from trivium_query.http.app import create_app
from trivium_query.requests import Services


class TestWithKeys:
    """A server with API keys."""

    @pytest.fixture
    def settings(self) -> Settings:
        return Settings(api_keys="default:alpha,other:beta")

    @pytest.mark.parametrize(
        "headers", [{}, {"x-api-key": "wrong"}, {"authorization": "Basic alpha"}, {"authorization": "Bearer"}]
    )
    async def test_without_a_known_key_nothing_is_told(
        self, client: httpx2.AsyncClient, headers: dict[str, str]
    ) -> None:
        for path in ("/v1/sources", "/v1/nowhere", "/v1/sources/" + "0" * 32):
            answer = await client.get(path, headers=headers)
            assert (answer.status_code, answer.json()["code"]) == (401, "unauthenticated")
            assert answer.headers["www-authenticate"].startswith("Bearer")

    @pytest.mark.parametrize("headers", [{"x-api-key": "alpha"}, {"authorization": "Bearer alpha"}])
    async def test_a_key_opens_its_tenant(self, client: httpx2.AsyncClient, headers: dict[str, str]) -> None:
        assert (await client.get("/v1/sources", headers=headers)).status_code == 200

    async def test_health_metrics_and_docs_need_no_key(self, client: httpx2.AsyncClient) -> None:
        for path in ("/healthz", "/readyz", "/metrics", "/openapi.json", "/docs"):
            assert (await client.get(path)).status_code == 200

    async def test_another_tenants_things_do_not_exist(
        self, client: httpx2.AsyncClient, services: Services, engine: str
    ) -> None:
        mine, theirs = {"x-api-key": "alpha"}, {"x-api-key": "beta"}
        made = (await client.post("/v1/conversations", headers=mine)).json()["id"]
        listed = (await client.get("/v1/graph/entities", headers=mine)).json()
        entity = listed["entities"][0]["id"]
        for method, path in (
            ("GET", f"/v1/sources/{engine}"),
            ("DELETE", f"/v1/sources/{engine}"),
            ("GET", f"/v1/sources/{engine}/content"),
            ("GET", f"/v1/sources/{engine}/content?chunk=1"),
            ("GET", f"/v1/sources/{engine}/chunks"),
            ("GET", f"/v1/graph/entities/{entity}"),
            ("GET", f"/v1/conversations/{made}"),
            ("DELETE", f"/v1/conversations/{made}"),
        ):
            foreign = await client.request(method, path, headers=theirs)
            unknown = await client.request(method, re.sub(r"[0-9a-f]{32}", "0" * 32, path), headers=theirs)
            assert foreign.status_code == unknown.status_code == 404, path
            # An id that exists elsewhere reads exactly like one that never was.
            assert _anonymous(foreign, engine, entity, made) == _anonymous(unknown, "0" * 32)
        found = (await client.post("/v1/search", headers=theirs, json={"query": "engine"})).json()
        assert {h["chunk"]["document_id"] for h in found["hits"]} == {services.keywords.kept["other"][0].document_id}


def _anonymous(answer: httpx2.Response, *ids: str) -> dict[str, object]:
    problem = {k: v for k, v in answer.json().items() if k != "request_id"}
    for wanted in ids:
        problem["detail"] = str(problem["detail"]).replace(wanted, "ID")
    return problem


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:8080", "localhost.evil.example", "127.0.0.1.nip.io", ""]
)
async def test_without_keys_a_rebound_name_is_refused(services: Services, host: str) -> None:
    async with httpx2.AsyncClient(transport=httpx2.ASGITransport(create_app(services)), base_url="http://x") as client:
        for path in ("/v1/sources", "/docs", "/metrics"):
            answer = await client.get(path, headers={"host": host})
            assert (answer.status_code, answer.json()["code"]) == (403, "foreign_host")


@pytest.mark.parametrize("host", ["localhost", "localhost:8080", "127.0.0.1:1", "[::1]:8080", "LOCALHOST"])
async def test_without_keys_every_name_of_this_machine_is_served(services: Services, host: str) -> None:
    async with httpx2.AsyncClient(transport=httpx2.ASGITransport(create_app(services)), base_url="http://x") as client:
        assert (await client.get("/v1/sources", headers={"host": host})).status_code == 200


async def test_without_keys_another_sites_page_cannot_upload(client: httpx2.AsyncClient) -> None:
    for origin in ("https://evil.example", "null", "http://localhost:3000"):
        answer = await client.post("/v1/sources", files={"file": ("a", b"x")}, headers={"origin": origin})
        assert (answer.status_code, answer.json()["code"]) == (403, "foreign_origin")
    own = {"origin": "http://localhost:8080"}
    assert (await client.post("/v1/sources", files={"file": ("a", b"x")}, headers=own)).status_code == 202


async def test_every_answer_carries_a_request_id(client: httpx2.AsyncClient) -> None:
    for path in ("/healthz", "/nowhere", "/v1/sources/x", "/docs"):
        assert re.fullmatch(r"[0-9a-f]{16}", (await client.get(path)).headers["x-request-id"])
    kept = await client.get("/nowhere", headers={"x-request-id": "from-caller-1"})
    assert kept.headers["x-request-id"] == kept.json()["request_id"] == "from-caller-1"
    forged = await client.get("/healthz", headers={"x-request-id": "a b<script>"})
    assert "script" not in forged.headers["x-request-id"]


async def test_a_fault_of_ours_is_a_500_without_its_insides_and_logged_with_the_request(
    client: httpx2.AsyncClient, logged: list[dict[str, object]]
) -> None:
    answer = await client.post("/v1/search", json={"query": "explode"})
    assert (answer.status_code, answer.json()["code"]) == (500, "internal")
    assert "secret" not in answer.text
    assert answer.json()["request_id"] in answer.json()["action"]
    assert [e["trace"] for e in logged if e["event"] == "internal_error"] == [answer.json()["request_id"]]


async def test_a_damaged_registry_is_the_servers_fault_and_told_without_its_insides(
    client: httpx2.AsyncClient, services: Services, tmp_path: Path, logged: list[dict[str, object]]
) -> None:
    services.registry.close()
    (tmp_path / "registry.sqlite").write_bytes(b"This is no database, although it is quite long. " * 200)
    ready = (await client.get("/readyz")).json()["missing"]["registry"]
    for answer in (
        await client.get("/v1/sources"),
        await client.post("/v1/sources", files={"file": ("a.txt", b"words")}),
        await client.get("/v1/sources/" + "0" * 32),
    ):
        assert (answer.status_code, answer.json()["code"]) == (500, "store_corrupt")
        assert answer.json()["detail"] == "The registry of documents is damaged."
        assert f"{answer.json()['detail']} {answer.json()['action']}" == ready
        assert str(tmp_path) not in answer.text
        assert "SQLITE" not in answer.text
    assert str(tmp_path / "registry.sqlite") in {entry.get("file") for entry in logged}


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [("GET", "/nowhere", 404), ("GET", "/v1/search", 405), ("PUT", "/v1/sources", 405), ("GET", "/v1/sources/", 404)],
)
async def test_paths_and_methods_that_are_none_are_problems(
    client: httpx2.AsyncClient, method: str, path: str, status: int
) -> None:
    answer = await client.request(method, path)
    assert answer.status_code == status
    assert answer.headers["content-type"] == "application/problem+json"
    assert set(answer.json()) == {"type", "title", "status", "detail", "code", "action", "request_id"}


async def test_a_wrong_method_is_told_every_right_one(client: httpx2.AsyncClient) -> None:
    assert (await client.put("/v1/sources")).headers["allow"] == "DELETE, GET, POST"
    assert (await client.put("/v1/sources/x")).headers["allow"] == "DELETE, GET"
    assert (await client.post("/healthz")).headers["allow"] == "GET"


async def test_readyz_names_what_does_not_answer(client: httpx2.AsyncClient, services: Services) -> None:
    ready = await client.get("/readyz")
    assert ready.status_code == 200
    parts = {"registry", "listing", "conversations", "keywords", "vectors", "graph"}
    assert (ready.json()["status"], set(ready.json()["ready"])) == ("ready", parts)
    services.keywords.down = True
    missing = await client.get("/readyz")
    assert missing.json()["missing"] == {"keywords": "The keyword store does not answer. Start it."}
    assert (await client.get("/healthz")).status_code == 200


async def test_a_service_that_lost_a_store_stays_in_rotation(
    client: httpx2.AsyncClient, services: Services, monkeypatch: pytest.MonkeyPatch
) -> None:
    services.keywords.down = True
    lost = await client.get("/readyz")
    assert (lost.status_code, lost.json()["status"]) == (200, "degraded")

    def away(_: object) -> None:
        raise TryLater("vectors_down", "The vector store does not answer.", "Start it.")

    monkeypatch.setattr(services.vectors, "reader", away)
    lost = await client.get("/readyz")
    assert (lost.status_code, lost.json()["status"]) == (503, "not_ready")


@pytest.mark.parametrize(
    ("missing", "answers"),
    [
        ("conversations listing objects inference graph vectors", True),
        ("keywords inference", True),
        ("keywords graph", True),
        ("keywords graph inference", False),
        ("keywords vectors", False),
        ("keywords objects", False),
        ("registry", False),
    ],
)
def test_one_source_that_finds_and_one_that_holds_the_text_are_enough(missing: str, *, answers: bool) -> None:
    assert Readiness((), dict.fromkeys(missing.split(), "It is away.")).can_answer == answers


async def test_metrics_count_requests_by_route_and_not_by_id(client: httpx2.AsyncClient) -> None:
    await client.get("/v1/sources/" + "0" * 32)
    await client.get("/no/such/" + "1" * 32)
    text = (await client.get("/metrics")).text
    assert 'trivium_requests_total{code="404",method="GET /v1/sources/{id}",protocol="http"}' in text
    assert 'method="unmatched"' in text
    assert "1" * 32 not in text


async def test_the_docs_page_asks_no_other_host(client: httpx2.AsyncClient) -> None:
    page = (await client.get("/docs")).text
    assert not re.findall(r"(?:src|href)=[\"'](?:https?:)?//", page)
    for asset in re.findall(r"(?:src|href)=\"(/docs/[^\"]+)\"", page):
        assert (await client.get(asset)).status_code == 200


async def test_a_large_json_body_is_refused_whole(client: httpx2.AsyncClient) -> None:
    answer = await client.post("/v1/search", json={"query": "x" * 2_000_000})
    assert (answer.status_code, answer.json()["code"]) == (413, "too_large")
