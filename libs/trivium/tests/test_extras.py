"""Without the servers' clients, whoever needs them is told what to install."""

from __future__ import annotations

import subprocess
import sys

import pytest

HIDDEN = """
import sys
sys.modules["minio"] = None  # importing it raises ModuleNotFoundError, as when it is not installed
from trivium.cli.main import main
main()
"""


@pytest.mark.parametrize("command", ["doctor", "audit"])
def test_a_missing_client_is_told_with_what_to_install(command: str) -> None:
    told = subprocess.run(
        [sys.executable, "-c", HIDDEN, command],
        env={"TRIVIUM_BACKEND": "distributed", "PATH": ""},
        capture_output=True,
        text=True,
        check=False,
    )
    assert told.returncode == 1
    assert "clients are not installed (minio is missing)" in told.stderr
    assert "trivium[distributed]" in told.stderr
    assert "Traceback" not in told.stderr
