"""A process whose event loop is stuck ends at SIGTERM all the same, in its bound."""

from __future__ import annotations

import subprocess
import sys

STUCK = """
import sys, time
from contextlib import asynccontextmanager, nullcontext
from trivium.config import load_settings
from trivium_inference.serving import server

@asynccontextmanager
async def stuck(*_, **__):
    print("stuck", flush=True)
    time.sleep(20)
    yield 0

server.STOP_S = 0.5
server._metrics = lambda _: nullcontext("")
server.open_engines = lambda _: nullcontext(None)
server.running = stuck
server.serve(load_settings({}), lambda _: None, lambda: None)
"""


def test_a_stuck_loop_does_not_keep_a_process() -> None:
    with subprocess.Popen([sys.executable, "-c", STUCK], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "stuck\n"
        process.terminate()
        assert process.wait(10) == 0
