"""The real servers of `make services`, to be started, stopped and killed by tests."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

_ROOT = Path(__file__).parents[2]
SERVICES_DIR = Path(os.environ.get("TRIVIUM_SERVICES_DIR") or _ROOT / ".services")
LIMIT_S = 600


def services(action: str, *names: str, **variables: str) -> str:
    """`deploy/local/services.sh ACTION NAMES`; what it printed. Fails the test with that when it fails.

    `start`, `restart`, `stop` and `kill` (SIGKILL) return when the server answers, or is gone.
    """
    done = subprocess.run(
        [_ROOT / "deploy/local/services.sh", action, *names],
        env={**os.environ, **variables},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=LIMIT_S,
        check=False,
    )
    assert done.returncode == 0, done.stdout
    return done.stdout
