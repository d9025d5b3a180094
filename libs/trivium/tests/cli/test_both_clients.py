"""The client with an event loop and the one without have one surface, and one is written from the other."""

from __future__ import annotations

import inspect
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from trivium.async_client import AsyncTriviumClient
from trivium.client import TriviumClient

ROOT = Path(__file__).parents[4]
SOURCE, WRITTEN, INIT = (f"libs/trivium/src/trivium/{name}.py" for name in ("async_client", "client", "__init__"))
WRITER = "libs/trivium/write_client.py"


def surface(client: type) -> dict[str, str]:
    """Every public method and how it is called; what it gives is left out."""
    methods = {name: method for name, method in inspect.getmembers(client, callable) if not name.startswith("_")}
    called = {name: inspect.signature(method).replace(return_annotation="") for name, method in methods.items()}
    return {name: str(signature) for name, signature in called.items()}


def gives(client: type, name: str) -> str:
    """What a method gives, without the words of an event loop."""
    told: str = inspect.signature(getattr(client, name)).return_annotation
    return told.replace("Async", "")


def test_each_method_has_its_twin() -> None:
    waiting, plain = surface(AsyncTriviumClient), surface(TriviumClient)
    assert waiting == plain
    assert {"undo", "topics", "export", "propose_schema", "create_key", "trail", "crawl"} <= set(waiting)
    for name in plain:
        assert gives(AsyncTriviumClient, name) == gives(TriviumClient, name), name


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    for file in (WRITER, SOURCE, WRITTEN, INIT, "pyproject.toml"):
        (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / file, tmp_path / file)
    return tmp_path


def written(checkout: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, checkout / WRITER, *words], capture_output=True, text=True, check=False)


def test_a_new_method_without_its_twin_is_refused(checkout: Path) -> None:
    assert written(checkout, "--check").returncode == 0
    source = checkout / SOURCE
    status = "    async def status(self)"
    source.write_text(source.read_text().replace(status, f"    async def news(self) -> None:\n        ...\n\n{status}"))
    refused = written(checkout, "--check")
    assert refused.returncode == 1
    assert "make client" in refused.stderr
    assert written(checkout).returncode == 0
    assert "    def news(self)" in (checkout / WRITTEN).read_text()
    assert written(checkout, "--check").returncode == 0
