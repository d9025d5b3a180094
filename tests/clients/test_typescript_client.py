"""The client for TypeScript: its own tests with a running server, and the lines of docs/doors.md."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from .conftest import QUESTION, program, run


def test_its_own_tests_pass_with_a_running_server(server: Any, typescript: Path) -> None:
    env = {**server.env, "TRIVIUM_URL": server.url, "TRIVIUM_API_KEY": "alpha", "QUESTION": QUESTION}
    told = run(["npm", "test"], env, typescript)
    assert "a running server answers" in told
    assert "SKIP" not in told


def test_the_lines_of_the_docs(server: Any, typescript: Path, tmp_path: Path) -> None:
    run(["npm", "run", "build"], server.env, typescript)
    modules = tmp_path / "node_modules"
    modules.mkdir()
    (modules / "trivium-client").symlink_to(typescript)
    constants = f"const TRIVIUM_URL = {json.dumps(server.url)}, QUESTION = {json.dumps(QUESTION)};\n"
    (tmp_path / "docs.mjs").write_text(constants + program("typescript"))
    assert "Ada Thornfield" in run(["node", tmp_path / "docs.mjs"], server.env)
