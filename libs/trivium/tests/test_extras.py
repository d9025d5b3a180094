"""Without an extra of the library, whoever needs it is told what to install."""

from __future__ import annotations

import subprocess
import sys

import pytest

HIDDEN = """
import sys
sys.modules["{}"] = None  # importing it raises ModuleNotFoundError, as when it is not installed
from trivium.cli.main import main
main()
"""


@pytest.mark.parametrize("command", ["doctor", "audit"])
@pytest.mark.parametrize(
    ("missing", "said"),
    [("minio", "clients are not installed (minio is missing)"), ("numpy", "Only Trivium's client is installed here")],
)
def test_what_is_missing_is_told_with_what_to_install(command: str, missing: str, said: str) -> None:
    told = subprocess.run(
        [sys.executable, "-c", HIDDEN.format(missing), command],
        env={"TRIVIUM_BACKEND": "distributed", "PATH": ""},
        capture_output=True,
        text=True,
        check=False,
    )
    assert told.returncode == 1
    assert said in told.stderr
    assert "distributed]" in told.stderr
    assert "Traceback" not in told.stderr
