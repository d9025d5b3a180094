from __future__ import annotations

import os
import subprocess
import sys

BODY = "from trivium.process import run_process; run_process('worker', lambda settings: None)"


def test_a_process_warns_of_misspelt_variables_once() -> None:
    env = {**os.environ, "TRIVIUM_CHUNKR": "fixed"}
    done = subprocess.run([sys.executable, "-c", BODY], env=env, capture_output=True, text=True, check=True)
    assert done.stderr.count("did you mean TRIVIUM_CHUNKER?") == 1
