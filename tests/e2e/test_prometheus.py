"""Debian's Prometheus reads the real process, and every panel and alert can be answered from what it read."""

from __future__ import annotations

import shutil
import socket
from contextlib import closing
from pathlib import Path

import pytest
from waiting import wait_until
from watched import alerts, asked, panels, prometheus

pytestmark = pytest.mark.skipif(
    not shutil.which("prometheus"), reason="prometheus is not installed (Debian: prometheus)"
)
TEXT = "Ilse Brandt built the fish ladder at Corrin Gorge in 2016. The ladder has twelve steps."


def _free_port() -> int:
    with closing(socket.create_server(("127.0.0.1", 0))) as listener:
        return int(listener.getsockname()[1])


def test_every_panel_shows_something_and_every_alert_is_quiet(server, tmp_path: Path):
    with prometheus(tmp_path / "prometheus", [server.url.removeprefix("http://")], _free_port()) as client:

        def worked() -> list[str]:
            """Go on using it, and tell what shows nothing yet: a rate needs a change between two scrapes."""
            server.take(f"people-{worked.calls}.txt", f"{TEXT} {worked.calls}")
            worked.calls += 1
            with server.http() as http:
                http.post("/v1/queries", json={"query": "Who built the fish ladder?"})
                http.get("/v1/sources/none")
            return [
                f"{name}: {line.expr}"
                for name, panel in panels().items()
                if not panel.quiet
                for line in panel.lines
                if not [each for each in asked(client, line.expr) if each["value"][1] != "NaN"]
            ]

        worked.calls = 0
        wait_until(lambda: not worked(), "every panel shows something", told=worked, pause_s=1.0)
        for name, panel in panels().items():
            for line in panel.lines:
                asked(client, line.expr)  # a quiet one can be answered too
                assert line.expr, name
        firing = {name for name, expression in alerts().items() if asked(client, expression)}
        assert firing <= {"TriviumDiskFilling", "TriviumDiskFull"}  # which this machine's disks decide
        rules = client.get("/rules").json()["data"]["groups"]
        assert {rule["health"] for group in rules for rule in group["rules"]} <= {"ok", "unknown"}
        assert {rule["name"] for group in rules for rule in group["rules"]} == set(alerts())
