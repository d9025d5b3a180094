"""Every role against every route and every call: what the table of rules says is what the doors do."""

from __future__ import annotations

import json
from pathlib import Path
from types import ModuleType

import grpc
import httpx2
import pytest
from fastapi import APIRouter
from fastapi.routing import APIWebSocketRoute
from starlette.routing import BaseRoute, Host, Mount, Route, WebSocketRoute

from trivium.access.stored_keys import StoredKeys
from trivium.config import Settings
from trivium.domain.access import Role
from trivium.domain.scope import DEFAULT_TENANT
from trivium_query.access.rules import CALLS, ROUTES
from trivium_query.http import app, mcp
from trivium_query.http.app import create_app
from trivium_query.http.middleware import OPEN_PATHS
from trivium_query.http.openai.errors import BASE
from trivium_query.http.permitted import route_names
from trivium_query.requests import Services
from trivium_query.rpc.server import DESCRIPTORS

DOCUMENT = json.loads((Path(__file__).parents[4] / "docs" / "openapi.json").read_text(encoding="utf-8"))
DOCUMENTED = {
    f"{method.upper()} {path}"
    for path, methods in DOCUMENT["paths"].items()
    if path not in OPEN_PATHS
    for method in methods
}


@pytest.fixture
def settings() -> Settings:
    return Settings(api_keys="default:alpha,other:beta")


@pytest.fixture
def by_role(services: Services) -> dict[Role, str]:
    """A key of each role."""
    keys = StoredKeys(services.objects)
    return {role: keys.create(DEFAULT_TENANT, role, role)[1] for role in Role}


def test_each_route_and_no_other_has_a_rule_and_ours_are_documented(services: Services) -> None:
    assert set(ROUTES) == set(route_names(create_app(services)))
    assert {route for route in ROUTES if f" {BASE}/" not in route} == DOCUMENTED


def test_each_call_of_the_protos_and_no_other_has_a_rule() -> None:
    calls = [method.name for service in DESCRIPTORS for method in service.methods]
    assert sorted(calls) == sorted(CALLS), "a call without a rule, a rule without a call, or two calls of one name"


def test_what_only_writers_and_admins_may_do_is_told_by_the_trail() -> None:
    reads = {"GET /v1/keys", "GET /v1/trail", "ListKeys", "ListTrail"}
    silent = {name for name, rule in (ROUTES | CALLS).items() if rule.role is not Role.READER and not rule.action}
    assert silent == reads


def put_in(router: APIRouter, monkeypatch: pytest.MonkeyPatch) -> None:
    """The application has it in the place of another."""
    module = ModuleType("forgotten")
    monkeypatch.setattr(module, "router", router, raising=False)
    monkeypatch.setattr(app, "operations", module)


def test_a_route_without_a_rule_stops_the_server(services: Services, monkeypatch: pytest.MonkeyPatch) -> None:
    router = APIRouter()
    router.add_api_route("/v1/forgotten", lambda: None)
    put_in(router, monkeypatch)
    with pytest.raises(RuntimeError, match="GET /v1/forgotten"):
        create_app(services)


async def _answer(*_: object) -> None:
    """What a forgotten route would do."""


@pytest.mark.parametrize(
    ("forgotten", "told"),
    [
        (Route("/v1/plain", _answer), "Route /v1/plain"),
        (Mount("/v1/mounted", _answer), "Mount /v1/mounted"),
        (Mount("/docs", _answer), "Mount /docs"),
        (WebSocketRoute("/v1/socket", _answer), "WebSocketRoute /v1/socket"),
        (WebSocketRoute("/mcp", _answer), "WebSocketRoute /mcp"),
        (APIWebSocketRoute("/v1/socket", _answer), "APIWebSocketRoute /v1/socket"),
        (Host("other.example", _answer), "Host"),
    ],
    ids=lambda case: case if isinstance(case, str) else "",
)
def test_what_asks_for_no_rule_stops_the_server_wherever_it_is_added(
    services: Services, monkeypatch: pytest.MonkeyPatch, forgotten: BaseRoute, told: str
) -> None:
    monkeypatch.setattr(mcp, "route", lambda _: forgotten)
    with pytest.raises(RuntimeError, match=told):
        create_app(services)
    monkeypatch.undo()
    router = APIRouter()
    router.routes.append(forgotten)
    put_in(router, monkeypatch)
    with pytest.raises(RuntimeError, match=told):
        create_app(services)


@pytest.mark.parametrize("route", sorted(ROUTES))
async def test_each_role_reaches_each_route_as_the_table_says(
    client: httpx2.AsyncClient, by_role: dict[Role, str], route: str
) -> None:
    method, path = route.split(" ")
    for role, key in by_role.items():
        answer = await client.request(
            method, path.replace("{", "").replace("}", ""), headers={"x-api-key": key}, content=b"nonsense"
        )
        refused = answer.status_code == 403 and answer.json()["code"] == "forbidden"
        assert refused != role.covers(ROUTES[route].role), (role, answer.status_code, answer.text)


async def test_each_role_reaches_each_call_as_the_table_says(
    channel: grpc.aio.Channel, by_role: dict[Role, str]
) -> None:
    for service in DESCRIPTORS:
        for method in service.methods:
            for role, key in by_role.items():
                call = channel.stream_stream(f"/{service.full_name}/{method.name}")(
                    [b""], metadata=(("x-api-key", key),)
                )
                code = grpc.StatusCode.OK
                try:
                    async for _ in call:
                        pass
                except grpc.aio.AioRpcError as error:
                    code = error.code()
                refused = code is grpc.StatusCode.PERMISSION_DENIED
                assert refused != role.covers(CALLS[method.name].role), (method.name, role, code)


async def test_a_reader_runs_no_editing_tool_over_grpc(channel: grpc.aio.Channel, by_role: dict[Role, str]) -> None:
    from trivium.v1 import graph_pb2, graph_pb2_grpc

    graph = graph_pb2_grpc.GraphServiceStub(channel)
    for name, refused in (("delete_entity", True), ("search_kg", False)):
        with pytest.raises(grpc.aio.AioRpcError) as error:
            await graph.RunTool(
                graph_pb2.RunToolRequest(name=name, arguments="{}"), metadata=(("x-api-key", by_role[Role.READER]),)
            )
        assert (error.value.code() is grpc.StatusCode.PERMISSION_DENIED) == refused
