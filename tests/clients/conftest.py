"""A running server with three documents, and the programs in their environments."""

from __future__ import annotations

import importlib.util
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import client_environments as environments
import pytest

ROOT = Path(__file__).parents[2]
QUESTION = "Who designed the observatory of Brunnhalde?"
LETTERS = {
    "one.md": "# Letters of Ada Thornfield\n\nAda Thornfield designed the observatory of Brunnhalde in 1904.\n",
    "two.md": "# The observatory\n\nThe observatory of Brunnhalde stands on Mount Kessel.\n",
    "three.txt": "Oskar Pell repaired the telescope of Brunnhalde in 1931.",
}


def _module(name: str, path: Path):
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


e2e = _module("e2e_server", ROOT / "tests" / "e2e" / "conftest.py")


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[object]:
    """Trivium with a key, holding three letters."""
    running = e2e.Server(tmp_path_factory.mktemp("trivium") / "data", TRIVIUM_API_KEYS="default:alpha")
    running.key = "alpha"
    running.start()
    try:
        for name, text in LETTERS.items():
            assert running.take(name, text, dataset="letters")["state"] == "ready"
        yield running
    finally:
        running.stop()


@pytest.fixture(scope="session")
def python() -> Path:
    """The interpreter with the other programs."""
    if not environments.python().exists():
        pytest.skip("The clients' environment is not there: make test-clients")
    return environments.python()


@pytest.fixture(scope="session", params=[environments.NEWEST, environments.OLDEST])
def python_of_each_age(request: pytest.FixtureRequest) -> Path:
    """The interpreters with the newest and with the oldest frameworks that the client's extras permit."""
    if not environments.python(request.param).exists():
        pytest.skip("The clients' environments are not there: make test-clients")
    found: Path = environments.python(request.param)
    return found


@pytest.fixture(scope="session")
def node_modules() -> Path:
    """Where Node finds the other programs."""
    if not environments.node_modules().exists():
        pytest.skip("The Node clients are not there (npm is needed): make test-clients")
    return environments.node_modules()


@pytest.fixture(scope="session")
def typescript() -> Path:
    """The folder of the client for TypeScript, with what it needs."""
    if not (environments.TYPESCRIPT / "node_modules").exists():
        pytest.skip("What the TypeScript client needs is not there (npm is needed): make test-clients")
    folder: Path = environments.TYPESCRIPT
    return folder


def run(command: list[object], env: dict[str, str], cwd: Path | None = None) -> str:
    """What the program prints. It has to end well."""
    done = subprocess.run(
        list(map(str, command)), check=False, env=env, cwd=cwd, capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def program(name: str) -> str:
    """The program that docs/doors.md shows under `<!-- run: NAME -->`."""
    text = (ROOT / "docs" / "doors.md").read_text(encoding="utf-8")
    found = re.search(rf"<!-- run: {name} -->\n```\w+\n(.*?)```", text, re.S)
    assert found, name
    return found[1].replace('"KEY"', '"alpha"')
