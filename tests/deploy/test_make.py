"""What `make` would do."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_processes_start_once_the_servers_are_prepared_or_cannot_be(tmp_path: Path) -> None:
    (tmp_path / "deploy/local").mkdir(parents=True)
    shutil.copy(ROOT / "deploy/local/run.sh", tmp_path / "deploy/local")
    for name, does in (("trivium", "echo trivium $*; exit 1"), ("python", 'echo "${1##*/}"')):
        program = tmp_path / ".venv/bin" / name
        program.parent.mkdir(parents=True, exist_ok=True)
        program.write_text(f"#!/bin/sh\n{does}\n")
        program.chmod(0o755)
    (tmp_path / ".services").mkdir()
    (tmp_path / ".services/env").write_text("TRIVIUM_HTTP_PORT=9\n")  # the discard port: nothing listens there
    own = {name: value for name, value in os.environ.items() if not name.startswith("TRIVIUM_")}
    with (tmp_path / "printed").open("w") as printed:  # no pipe, which who waits for readiness would hold open
        subprocess.run([tmp_path / "deploy/local/run.sh"], env=own, stdout=printed, timeout=30, check=True)
    told = (tmp_path / "printed").read_text().splitlines()
    assert told == ["trivium prepare", "Starting all the same.", "keep_running.py"]


def would(target: str) -> list[str]:
    shown = subprocess.run(
        ["make", "--dry-run", "--no-print-directory", target], cwd=ROOT, capture_output=True, text=True, check=True
    )
    return shown.stdout.splitlines()


def test_running_on_servers_installs_what_that_needs_and_no_tools() -> None:
    assert would("run-distributed")[:2] == ["requirements/install.sh distributed", "deploy/local/run.sh"]


def test_speech_adds_what_the_extras_of_speech_and_media_name_and_the_locks_of_running_lack() -> None:
    assert would("speech") == ["requirements/install.sh speech"]
    extras: set[str] = set()
    for project, extra in (("gpu-inference", "speech"), ("ingest-worker", "media")):
        read = tomllib.loads((ROOT / "services" / project / "pyproject.toml").read_text())["project"]
        extras |= {re.split(r"[^\w-]", one)[0] for one in read["optional-dependencies"][extra]}
    (line,) = re.findall(r"= speech \] && (awk .*) \| add ", (ROOT / "requirements/install.sh").read_text())
    chosen = subprocess.run(["bash", "-c", line], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    assert set(re.findall(r"^([a-z0-9-]+)==", chosen, re.M)) == extras
    assert chosen.count("--hash=sha256:") > len(extras)
    images = json.loads((ROOT / "requirements/images.json").read_text())
    running = (ROOT / "requirements/runtime.txt").read_text()
    lacking = {name for name in images["inference"]["requirements"] if f"\n{name}==" not in f"\n{running}"}
    assert lacking == extras, "what these ask for in turn is there"
