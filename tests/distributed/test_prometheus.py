"""Debian's Prometheus reads all processes, and every panel can be drawn from it, those of faults by causing them."""

from __future__ import annotations

import os
import signal
import socket
import ssl
import subprocess
import threading
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

import httpx2
import pytest
from cluster import CONTROL, GRAPH, INFERENCE, INGEST, QUERY, Cluster, free_ports
from doors import TRIVIUM
from openai_peer import OpenAiPeer, Reply, Seen
from waiting import wait_until
from watched import ABSENT, alerts, asked, panels, prometheus, tool
from wire import Wire

from trivium.adapters.distributed.elasticsearch.keywords import ElasticKeywords
from trivium.config import load_settings
from trivium.domain.scope import DEFAULT_TENANT

pytestmark = pytest.mark.skipif(not tool("prometheus"), reason=ABSENT)

CERTIFICATE = Path(__file__).parents[1] / "peers/tls/youtube.pem"
BUSY = 2  # requests that wait for the model: a backfill gives way


class Vllm:
    """Refuses every third request, and says that so many wait."""

    waiting = 0.0
    asked = 0

    def __call__(self, seen: Seen) -> Reply:
        if seen.path == "/metrics":
            return Reply(raw=f'vllm:num_requests_waiting{{engine="0"}} {self.waiting}\n'.encode())
        self.asked += 1
        return Reply("It is told of a fish ladder.") if self.asked % 3 else Reply(status=400)


@contextmanager
def over_tls() -> Iterator[str]:
    """The address of a server that shows a certificate and says nothing."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(CERTIFICATE)
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def serve() -> None:
            while True:
                try:
                    connection, _ = listener.accept()
                except OSError:  # it was shut down
                    return
                with connection, suppress(OSError):
                    context.wrap_socket(connection, server_side=True).close()

        thread = threading.Thread(target=serve)
        thread.start()
        try:
            yield f"https://127.0.0.1:{listener.getsockname()[1]}"
        finally:
            listener.shutdown(socket.SHUT_RDWR)
            thread.join()


def started(cluster: Cluster, elasticsearch: str, certified: str) -> list[str]:
    """All processes; where each tells its metrics."""
    line = {"TRIVIUM_ELASTICSEARCH_URL": elasticsearch}
    ports = dict(zip((INGEST, GRAPH), free_ports(2), strict=True))
    for name, port in ports.items():
        cluster.start(name, TRIVIUM_WORKER_METRICS_PORT=str(port), **line)
    cluster.start(CONTROL, TRIVIUM_LLM_URL=certified)
    cluster.start(INFERENCE)
    cluster.start(QUERY, **line)
    local = (cluster.env["TRIVIUM_EVENTS_PORT"], cluster.env["TRIVIUM_INFERENCE_METRICS_PORT"], *ports.values())
    return [cluster.url.removeprefix("http://"), *(f"127.0.0.1:{port}" for port in local)]


class Faults:
    """Each thing of which a panel tells that is quiet without it. All of it ends well, and was counted."""

    def __init__(self, cluster: Cluster, told: httpx2.Client) -> None:
        self._cluster = cluster
        self._told = told
        self._taken = 0

    def counted(self, metric: str) -> None:
        """Wait until Prometheus has read that it happened."""
        wait_until(
            lambda: asked(self._told, f"{metric} > 0"), f"{metric} is above 0", told=self._cluster.logs, pause_s=0.2
        )

    def upload(self) -> str:
        """A new document's id."""
        self._taken += 1
        text = f"Ilse Brandt built ladder {self._taken} at Corrin Gorge in 2016."
        with self._cluster.http() as http:
            answer = http.post("/v1/sources", files={"file": (f"people-{self._taken}.txt", text)})
            return str(answer.raise_for_status().json()["id"])

    def ask(self) -> None:
        """A question."""
        with self._cluster.http() as http:
            http.post("/v1/queries", json={"query": "Who built the fish ladder?"}).raise_for_status()

    def damaged(self) -> None:
        """A document that cannot be read."""
        assert self._cluster.take("plan.docx", b"PK\x03\x04 not really")["state"] == "failed"

    def connected(self, folder: Path) -> None:
        """A folder that is followed."""
        shelf = {"id": "shelf", "kind": "folder", "location": str(folder), "every_s": 3600}
        with self._cluster.http() as http:
            http.post("/v1/connections", json=shelf).raise_for_status()

    def read_again(self) -> None:
        """By another extractor: what comes before it is not repeated."""
        for extractor in ("rules", "llm"):
            self._cluster.take("again.txt", "The barge Corrin carried lamps.", extractor=extractor)

    def model_is_busy(self, vllm: Vllm) -> None:
        """A backfill gives way, and goes on."""
        vllm.waiting = BUSY
        with (
            self._cluster.archive(old=b"Ledger: the barge Halvard carried slate.") as archive,
            subprocess.Popen([TRIVIUM, "backfill", archive], env=self._cluster.env) as backfill,
        ):
            self.counted("trivium_llm_gave_way_total")
            vllm.waiting = 0.0
            assert backfill.wait(120) == 0

    def store_is_lost(self, line: Wire) -> None:
        """For questions and for ingest."""
        line.cut()
        self.ask()
        lost = self.upload()
        self.counted("trivium_store_failed_total")
        line.mend()
        self._cluster.settled(lost)

    def rows_are_lost(self) -> None:
        """Between what wrote them and what reads them back."""
        settings, tenant = load_settings(self._cluster.env), DEFAULT_TENANT
        self._cluster.signal(GRAPH, signal.SIGSTOP)  # it stands between the two
        drifting = self.upload()
        with closing(ElasticKeywords(settings)) as keywords:
            writer = keywords.writer(tenant)
            wait_until(lambda: drifting in dict(writer.versions()), "its rows are there", told=self._cluster.logs)
            writer.delete(drifting)
        self._cluster.signal(GRAPH, signal.SIGCONT)
        self._cluster.settled(drifting)


@pytest.mark.timeout(600)
def test_prometheus_reads_every_process_and_every_panel_shows_something(
    new_cluster: Callable[..., Cluster], tmp_path: Path
) -> None:
    vllm, shelf = Vllm(), tmp_path / "shelf"
    shelf.mkdir()
    (shelf / "note.txt").write_text("The weir at Lower Ford is open.")
    with over_tls() as certified, OpenAiPeer(vllm) as peer, Wire(os.environ["TRIVIUM_ELASTICSEARCH_URL"]) as line:
        cluster = new_cluster(
            TRIVIUM_LLM="vllm",
            TRIVIUM_LLM_MODEL="m",
            TRIVIUM_LLM_URL=f"{peer.url}/v1",
            TRIVIUM_LLM_WAITING_LIMIT=str(BUSY),
            TRIVIUM_EXTRACTOR="rules",
            TRIVIUM_CONNECT_FOLDERS=str(tmp_path),
        )
        told_at = started(cluster, line.url, certified)
        with prometheus(tmp_path / "prometheus", told_at, *free_ports(1)) as client:
            faults = Faults(cluster, client)
            faults.damaged()
            faults.connected(shelf)
            faults.read_again()
            faults.model_is_busy(vllm)
            faults.rows_are_lost()
            faults.store_is_lost(line)

            def silent() -> list[str]:
                """Go on using it, and tell what shows nothing yet."""
                cluster.settled(faults.upload())
                faults.ask()
                return [
                    f"{name}: {line.expr}"
                    for name, panel in panels().items()
                    for line in panel.lines
                    if not [each for each in asked(client, line.expr) if each["value"][1] != "NaN"]
                ]

            wait_until(lambda: not silent(), "every panel shows something", told=silent, pause_s=1.0)
            for name, expression in alerts().items():
                asked(client, expression)
                assert expression, name
            assert len(asked(client, "trivium_build_info")) == len(told_at)
