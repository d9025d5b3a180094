"""Debian's Prometheus reads all processes, and every panel that is not about faults can be drawn from it."""

from __future__ import annotations

import shutil
import socket
from contextlib import closing
from pathlib import Path

import pytest
from cluster import CONTROL, GRAPH, INFERENCE, INGEST, QUERY
from waiting import wait_until
from watched import OF_EMBEDDED, alerts, asked, panels, prometheus

pytestmark = pytest.mark.skipif(
    not shutil.which("prometheus"), reason="prometheus is not installed (Debian: prometheus)"
)


def _free_port() -> int:
    with closing(socket.create_server(("127.0.0.1", 0))) as listener:
        return int(listener.getsockname()[1])


def test_prometheus_reads_every_process_and_every_panel_shows_something(new_cluster, tmp_path: Path):
    cluster = new_cluster()
    ports = {name: _free_port() for name in (INGEST, GRAPH)}
    for name, port in ports.items():
        cluster.start(name, TRIVIUM_WORKER_METRICS_PORT=str(port))
    cluster.start(INFERENCE, CONTROL, QUERY)
    told_at = {
        QUERY: cluster.url.removeprefix("http://"),
        CONTROL: f"127.0.0.1:{cluster.env['TRIVIUM_EVENTS_PORT']}",
        INFERENCE: f"127.0.0.1:{cluster.env['TRIVIUM_INFERENCE_METRICS_PORT']}",
        **{name: f"127.0.0.1:{port}" for name, port in ports.items()},
    }
    taken: list[str] = []

    def silent() -> list[str]:
        """Go on using it, and tell what shows nothing yet."""
        taken.append(f"people-{len(taken)}.txt")
        cluster.take(taken[-1], f"Ilse Brandt built ladder {len(taken)} at Corrin Gorge in 2016.")
        with cluster.http() as http:
            http.post("/v1/queries", json={"query": "Who built the fish ladder?"})
        return [
            f"{name}: {line.expr}"
            for name, panel in panels().items()
            if not panel.quiet or panel.quiet in OF_EMBEDDED
            for line in panel.lines
            if not [each for each in asked(client, line.expr) if each["value"][1] != "NaN"]
        ]

    with prometheus(tmp_path / "prometheus", list(told_at.values()), _free_port()) as client:
        wait_until(lambda: not silent(), "every panel shows something", told=silent, pause_s=1.0)
        for name, expression in alerts().items():
            asked(client, expression)
            assert expression, name
        assert len(asked(client, "trivium_build_info")) == len(told_at)
