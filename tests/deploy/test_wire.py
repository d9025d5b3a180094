"""`make check-proto` refuses what breaks callers of the last release, and nothing else."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PROTO = ROOT / "proto"
PINNED = re.search(r"BUF_VERSION:=(\S+)}", (ROOT / "deploy/local/versions.env").read_text())
assert PINNED
BUF = Path(os.environ.get("TRIVIUM_SERVICES_DIR", ROOT / ".services")) / "buf" / PINNED[1] / "buf"

pytestmark = pytest.mark.skipif(not BUF.exists(), reason="buf is not built (make check-proto)")


@pytest.fixture
def changed(tmp_path: Path) -> Callable[[str, str], subprocess.CompletedProcess[str]]:
    """What buf says of proto/ with `old` in query.proto written as `new`."""
    shutil.copytree(PROTO, tmp_path, dirs_exist_ok=True)
    file = tmp_path / "trivium/v1/query.proto"

    def told(old: str, new: str) -> subprocess.CompletedProcess[str]:
        text = file.read_text()
        assert old in text
        file.write_text(text.replace(old, new, 1))
        words = [BUF, "breaking", "--against", "released.binpb"]
        return subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=False)

    return told


@pytest.mark.parametrize(
    ("old", "new", "rule"),
    [
        ("  uint32 top_k = 3;", "  uint32 top_k = 33;", "deleted"),
        ("  uint32 top_k = 3;", "  string top_k = 3;", "changed type"),
        ("  uint32 top_k = 3;", "  uint32 how_many = 3;", "changed name"),
        ("  rpc Ask(AskRequest) returns (AskResponse);", "", "RPC"),
    ],
)
def test_what_breaks_callers_is_refused(
    changed: Callable[[str, str], subprocess.CompletedProcess[str]], old: str, new: str, rule: str
) -> None:
    told = changed(old, new)
    assert told.returncode == 100, told.stderr
    assert rule in told.stdout


def test_another_field_breaks_nobody(changed: Callable[[str, str], subprocess.CompletedProcess[str]]) -> None:
    told = changed("  uint32 top_k = 3;", "  uint32 top_k = 3;\n  string tone = 99;")
    assert told.returncode == 0, told.stdout
