"""MCP's own inspector in its command-line mode, over streamable HTTP with a key and over standard input and output."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from doors import TRIVIUM

from .conftest import LETTERS, QUESTION

TOOLS = {"search", "ask", "open_source", "find_entities", "read_entity", "list_documents", "add_text", "add_url"}
NOT_AUTHENTICATED, TOOL_FAILED = 3, 5  # how the inspector ends then
Inspect = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture(params=["http", "stdio"])
def inspect(request: pytest.FixtureRequest, server: Any, node_modules: Path, tmp_path: Path) -> Inspect:
    """Have the inspector ask one thing."""

    def asked(method: str, *arguments: str, key: str = "alpha") -> subprocess.CompletedProcess[str]:
        target = [f"{server.url}/mcp", "--transport", "http", "--header", f"Authorization: Bearer {key}"]
        if request.param == "stdio":
            target = [str(TRIVIUM), "mcp", "-e", f"TRIVIUM_URL={server.url}", "-e", f"TRIVIUM_API_KEY={key}"]
        command = [str(node_modules / ".bin" / "mcp-inspector"), "--cli", *target, "--format", "json"]
        return subprocess.run(
            [*command, "--method", method, *arguments],
            check=False,
            env={**server.env, "HOME": str(tmp_path), "NO_PROXY": "127.0.0.1"},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=120,
        )

    return asked


def told(done: subprocess.CompletedProcess[str]) -> dict[str, Any]:
    """The result; the inspector finds nothing to say against it."""
    assert (done.returncode, done.stderr.strip()) == (0, ""), done.stdout + done.stderr
    value: dict[str, Any] = json.loads(done.stdout)["result"]
    return value


@pytest.mark.parametrize("era", ["legacy", "modern"])
def test_every_tool_is_listed_with_a_schema_that_every_client_takes(inspect: Inspect, era: str) -> None:
    """`--strict` reports what of a schema some clients do not understand."""
    tools = told(inspect("tools/list", "--strict", "--protocol-era", era))["tools"]
    assert {tool["name"] for tool in tools} == TOOLS


def test_documents_are_listed_as_resources_and_read(inspect: Inspect) -> None:
    listed = {each["name"]: each["uri"] for each in told(inspect("resources/list"))["resources"]}
    assert set(listed) == set(LETTERS)
    (read,) = told(inspect("resources/read", "--uri", listed["three.txt"]))["contents"]
    assert read["text"] == LETTERS["three.txt"]


def test_a_tool_is_called(inspect: Inspect) -> None:
    arguments = json.dumps({"question": QUESTION, "dataset": "letters"})
    called = told(inspect("tools/call", "--tool-name", "ask", "--tool-args-json", arguments))
    assert "Ada Thornfield" in called["structuredContent"]["answer"]
    assert json.loads(called["content"][0]["text"]) == called["structuredContent"]


def test_a_call_that_fails_is_told_as_a_failed_call(inspect: Inspect) -> None:
    done = inspect("tools/call", "--tool-name", "open_source", "--tool-args-json", '{"document_id": "nobody"}')
    assert done.returncode == TOOL_FAILED, done.stdout + done.stderr
    assert "no such source" in done.stdout


@pytest.mark.parametrize("inspect", ["http"], indirect=True)
def test_a_wrong_key_is_told_as_such(inspect: Inspect) -> None:
    done = inspect("tools/list", "--stored-auth-only", key="wrong")
    assert done.returncode == NOT_AUTHENTICATED, done.stdout + done.stderr
    assert json.loads(done.stderr)["error"]["code"] == "auth_required"
