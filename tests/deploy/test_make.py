"""What `make` would do."""

from __future__ import annotations

import subprocess
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_running_on_servers_installs_what_that_needs_and_no_tools() -> None:
    shown = subprocess.run(
        ["make", "--dry-run", "--no-print-directory", "run-distributed"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    assert shown.stdout.split("\n")[:2] == ["requirements/install.sh distributed", "deploy/local/run.sh"]
