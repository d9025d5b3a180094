"""The version stands in files of other tools too: `make version` writes it, `make check-generated` refuses another."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

from trivium.release import VERSION

ROOT = Path(__file__).parents[2]
WRITER = "deploy/write_version.py"
FILES = (
    "deploy/helm/trivium/Chart.yaml",
    "docker/compose.yaml",
    "docker/compose.gpu.yaml",
    "docker/Dockerfile",
    "docs/kubernetes.md",
    "clients/typescript/package.json",
)


def test_another_version_in_any_file_is_refused_and_written_over(tmp_path: Path) -> None:
    for file in (WRITER, *FILES):
        (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / file, tmp_path / file)
    assert _ran(tmp_path, "--check").returncode == 0
    for file in FILES:
        text = (ROOT / file).read_text()
        (tmp_path / file).write_text(text.replace(VERSION, "0.0.9"))
        refused = _ran(tmp_path, "--check")
        assert refused.returncode == 1
        assert file in refused.stderr
        assert _ran(tmp_path).returncode == 0
        assert (tmp_path / file).read_text() == text


def _ran(root: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, str(root / WRITER), *words], capture_output=True, text=True, check=False)
