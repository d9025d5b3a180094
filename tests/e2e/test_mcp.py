"""MCP by the official client, over HTTP and over standard input and output, and what a client may get wrong."""

from __future__ import annotations

import asyncio
import json
import re
import textwrap
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx2
import pytest
from doors import TRIVIUM
from site_peer import SitePeer, html, serving

from .conftest import Server

pytest.importorskip("mcp", reason="the extra trivium[mcp] is not installed")

from mcp import Client, MCPError, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client
from mcp.types import INVALID_PARAMS

DOCS = Path(__file__).parents[2] / "docs" / "doors.md"
QUESTION = "Who designed the observatory of Brunnhalde?"
LETTER = "Ada Thornfield designed the observatory of Brunnhalde in 1904."


@pytest.fixture(scope="module")
def letter(server: Server) -> str:
    """The id of a letter in the dataset `letters`."""
    taken = server.take("one.md", f"# Letters\n\n{LETTER}\n", dataset="letters")
    assert taken["state"] == "ready"
    return str(taken["id"])


@asynccontextmanager
async def over_http(server: Server, key: str = "") -> AsyncIterator[Client]:
    headers = {"authorization": f"Bearer {key}"} if key else {}
    async with (
        httpx2.AsyncClient(headers=headers, trust_env=False, timeout=60) as http,
        Client(streamable_http_client(f"{server.url}/mcp", http_client=http)) as client,
    ):
        yield client


@asynccontextmanager
async def over_stdio(server: Server, key: str = "") -> AsyncIterator[Client]:
    env = {**server.env, "TRIVIUM_URL": server.url, "TRIVIUM_API_KEY": key}
    async with Client(StdioServerParameters(command=str(TRIVIUM), args=["mcp"], env=env)) as client:
        yield client


WAYS = pytest.mark.parametrize("way", [over_http, over_stdio], ids=["http", "stdio"])


def told(result: Any) -> dict[str, Any]:
    assert not result.is_error, result.content
    value: dict[str, Any] = json.loads(result.content[0].text)
    return value


@WAYS
async def test_a_model_searches_asks_and_opens_a_source_at_its_place(
    server: Server, letter: str, way: Callable[..., Any]
) -> None:
    async with way(server) as client:
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        assert {"search", "ask", "open_source", "find_entities", "read_entity", "list_documents"} <= set(tools)
        assert all(tool.description for tool in tools.values())
        answer = told(await client.call_tool("ask", {"question": QUESTION, "dataset": "letters"}))
        assert "Ada Thornfield" in answer["answer"]
        cited = answer["citations"][0]
        assert cited["document_id"] == letter
        opened = told(await client.call_tool("open_source", {k: cited[k] for k in ("document_id", "chunk_number")}))
        assert any(LETTER in passage["text"] for passage in opened["passages"])
        hits = told(await client.call_tool("search", {"query": "observatory", "top_k": 3}))["hits"]
        assert hits[0]["citation"].startswith("[Source: one.md, chunk ")
        assert told(await client.call_tool("search", {"query": "observatory", "dataset": "other"}))["hits"] == []
        names = told(await client.call_tool("find_entities", {"prefix": "Ada"}))["entities"]
        seen = told(await client.call_tool("read_entity", {"entity_id": names[0]["id"]}))
        assert seen["entity"]["name"] == "Ada Thornfield"


@WAYS
async def test_documents_are_resources(server: Server, letter: str, way: Callable[..., Any]) -> None:
    async with way(server) as client:
        listed = {str(each.uri): each for each in (await client.list_resources()).resources}
        assert listed[f"trivium://sources/{letter}"].name == "one.md"
        read = await client.read_resource(f"trivium://sources/{letter}")
        assert LETTER in read.contents[0].text
        assert (await client.read_resource(f"trivium://sources/{letter}/1")).contents[0].text
        assert len((await client.list_resource_templates()).resource_templates) == 2
        numbers = [f"trivium://sources/{letter}/{number}" for number in ("9999", "0", "two", "1.5", "9" * 5000)]
        ids = [f"trivium://sources/{identifier}" for identifier in ("0" * 32, "x" * 65, ".")]
        for wrong in (*ids, *numbers, "file:///etc/passwd"):
            with pytest.raises(MCPError) as caught:
                await client.read_resource(wrong)
            assert caught.value.code == INVALID_PARAMS, wrong


async def test_the_text_of_a_document_says_each_sentence_once_and_loses_none(server: Server) -> None:
    """Its passages repeat the end of the one before; rows that are alike are no repetition."""
    pages = [[f"The keeper of lock {page}-{n} wrote entry {n}." for n in range(20)] for page in range(5)]
    table = "| gate | level |\n|---|---|\n" + "| upper gate | not measured |\n" * 80
    text = "\n\n".join(" ".join(page) for page in pages)
    taken = server.take("locks.md", f"{text}\n\n{table}", dataset="locks")
    assert taken["chunks"] > 5
    async with over_http(server) as client:
        read = (await client.read_resource(f"trivium://sources/{taken['id']}")).contents[0].text
    assert text in read
    assert read.count("not measured") == 80


async def test_a_document_is_added_and_then_listed(server: Server, letter: str) -> None:
    async with over_http(server) as client:
        text = "Oskar Pell repaired the telescope of Brunnhalde in 1931."
        added = told(await client.call_tool("add_text", {"name": "two.txt", "text": text, "dataset": "mcp"}))
        await asyncio.to_thread(server.settled, added["document_id"])
        (listed,) = told(await client.call_tool("list_documents", {"dataset": "mcp"}))["documents"]
        assert (listed["name"], listed["state"]) == ("two.txt", "ready")


@WAYS
async def test_a_page_of_the_web_is_added_and_cited(
    start_server: Callable[..., Server], way: Callable[..., Any]
) -> None:
    server = start_server(TRIVIUM_URL_ALLOW="127.0.0.1")
    page = html(f"<h1>Letters</h1><p>{LETTER}</p>", "<title>Letters of Ada Thornfield</title>")
    with serving(SitePeer({"/letters": page})) as site:
        async with way(server) as client:
            added = told(await client.call_tool("add_url", {"url": f"{site}/letters", "dataset": "web"}))
            settled = await asyncio.to_thread(server.settled, added["document_id"])
            assert (settled["state"], settled["dataset"]) == ("ready", "web")
            answer = told(await client.call_tool("ask", {"question": QUESTION, "dataset": "web"}))
    assert [cited["document_id"] for cited in answer["citations"]] == [added["document_id"]]


@WAYS
async def test_nonsense_is_told_to_the_model_and_the_next_call_works(
    server: Server, letter: str, way: Callable[..., Any]
) -> None:
    async with way(server) as client:
        for name, arguments, words in (
            ("search", {}, "query"),
            ("search", {"query": ""}, "query"),
            ("search", {"query": "x", "top_k": 10**9}, "top_k"),
            ("search", {"query": "x", "mode": "magic"}, "mode"),
            ("search", {"query": "a\x00b"}, "NUL"),
            ("search", {"query": "x", "dataset": "a b"}, "dataset"),
            ("open_source", {"document_id": "nobody"}, "no such source"),
            ("open_source", {"document_id": "../../status"}, "Not Found"),
            ("open_source", {"document_id": letter, "chunk_number": 9999}, "no chunk 9999"),
            ("read_entity", {"entity_id": "x"}, "no such entity"),
            ("add_url", {"url": "file:///etc/passwd"}, "url"),
            ("add_url", {"url": "http://127.0.0.1:1/"}, ""),
            ("list_documents", {"cursor": "???"}, "cursor"),
        ):
            result = await client.call_tool(name, arguments)
            assert result.is_error, (name, arguments)
            assert words in result.content[0].text, result.content
            assert "Traceback" not in result.content[0].text
        with pytest.raises((MCPError, AssertionError)):
            assert not (await client.call_tool("drop_everything", {})).is_error
        assert told(await client.call_tool("search", {"query": "observatory"}))["hits"]


def test_what_is_no_mcp_is_refused(server: Server, letter: str) -> None:
    asks = {"content-type": "application/json", "accept": "application/json, text/event-stream"}
    with server.http() as client:
        for body in (b"", b"{", b"[]", b"null", b'{"jsonrpc": "1.0"}', b"\xff\xfe", b'{"jsonrpc":"2.0","id":1}'):
            answer = client.post("/mcp", content=body, headers=asks)
            assert 400 <= answer.status_code < 500, (body, answer.status_code, answer.text)
        assert client.post("/mcp", content=b"x" * 3_000_000, headers=asks).status_code == 413
        assert client.post("/mcp", content=b"{}", headers={"content-type": "text/plain"}).status_code in (400, 406, 415)
        unknown = {"jsonrpc": "2.0", "id": 1, "method": "no/such", "params": {}}
        assert "error" in client.post("/mcp", json=unknown, headers=asks).json()
        assert client.get("/mcp", headers={"host": "evil.example"}).status_code == 403


async def test_the_lines_of_the_docs(server: Server, letter: str, capsys: pytest.CaptureFixture[str]) -> None:
    found = re.search(r"<!-- run: mcp -->\n```python\n(.*?)```", DOCS.read_text(encoding="utf-8"), re.S)
    assert found
    space: dict[str, Any] = {"TRIVIUM_URL": server.url, "QUESTION": QUESTION}
    exec(f"async def lines():\n{textwrap.indent(found[1], '    ')}", space)
    await space["lines"]()
    assert "Ada Thornfield" in capsys.readouterr().out


async def test_a_key_opens_its_tenant_alone(start_server: Callable[..., Server]) -> None:
    server = start_server(TRIVIUM_API_KEYS="one:alpha,two:beta")
    server.key = "alpha"
    server.take("one.md", LETTER)
    async with httpx2.AsyncClient(trust_env=False) as nobody:
        assert (await nobody.post(f"{server.url}/mcp", json={})).status_code == 401
    for way in (over_http, over_stdio):
        async with way(server, "alpha") as client:
            assert told(await client.call_tool("search", {"query": "observatory"}))["hits"]
        async with way(server, "beta") as client:
            assert told(await client.call_tool("search", {"query": "observatory"}))["hits"] == []
            assert (await client.list_resources()).resources == []
    async with over_stdio(server, "wrong") as client:
        refused = await client.call_tool("search", {"query": "observatory"})
        assert refused.is_error
        assert "key" in refused.content[0].text


async def test_what_cannot_be_listed_is_told_why(start_server: Callable[..., Server]) -> None:
    server = start_server(TRIVIUM_API_KEYS="default:alpha")
    async with over_stdio(server, "guess") as client:
        with pytest.raises(MCPError, match="key is missing or unknown"):
            await client.list_resources()


async def test_a_readers_key_reads_and_adds_nothing(start_server: Callable[..., Server]) -> None:
    server = start_server(TRIVIUM_API_KEYS="one:alpha")
    server.key = "alpha"
    with server.http() as client:
        key = client.post("/v1/keys", json={"name": "a model's", "role": "reader"}).json()["secret"]
    for way in (over_http, over_stdio):
        async with way(server, key) as client:
            assert told(await client.call_tool("search", {"query": "observatory"}))["hits"] == []
            refused = await client.call_tool("add_text", {"name": "one.md", "text": LETTER})
            assert refused.is_error
            assert "reader" in refused.content[0].text
            assert told(await client.call_tool("list_documents", {}))["documents"] == []
