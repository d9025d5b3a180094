"""A real vLLM that is more and less busy, and which lanes ask it: back-pressure on the real servers.

`python bench/scaling/held_back.py`, on `make services`, with `make torch` and vLLM installed
(`deploy/local/services.sh install vllm`). vLLM serves a model whose words are noise, `SEATS` requests at a time, and
callers who never stop keep so many more waiting that first every lane is held back, then each but uploads, then the
backfill alone, then none. Its own metrics are what Trivium goes by. Each time what is to pass has to become ready, and
what becomes ready of the others meanwhile is told. At the end everything is ready, and nothing failed.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tests" / "peers"))
from cluster import Cluster
from local_services import SERVICES_DIR
from saturated import ANSWER_TOKENS, MODEL, SEATS, backfilled
from tiny_model import write_tiny_model
from vllm_server import SERVER, VllmServer, crowd, vllm_server
from waiting import wait_until

from trivium.config import Settings
from trivium.domain.documents import Lane
from trivium.flow.queues import LARGE_BYTES
from trivium.llm.load import TIMES_LIMIT

BUSY = tuple(  # waiting requests that hold back a lane, in the middle between its limit and that of the next
    Settings().llm_waiting_limit * (TIMES_LIMIT[lane] + TIMES_LIMIT.get(following, 2 * TIMES_LIMIT[lane])) // 2
    for lane, following in ((Lane.BACKFILL, Lane.LARGE), (Lane.LARGE, Lane.INTERACTIVE), (Lane.INTERACTIVE, None))
)
UPLOAD, LARGE, BACKFILL = LANES = ("upload", "large", "archive")  # what the names of their documents hold
PATIENCE_S = 900.0  # until what is to pass is ready
SAMPLE_S = 1.0


def hand_in(cluster: Cluster, name: str, padding: str = "") -> str:
    """Upload a document of one sentence; its id."""
    page = f"<html><body><p>The seal of {name} shows a heron.</p>{padding}</body></html>"
    with cluster.http() as client:
        sent = client.post("/v1/sources", files={"file": (f"{name}.html", page)})
        return str(sent.raise_for_status().json()["id"])


class Watched:
    """Documents of every lane on a cluster, and vLLM's own account beside them."""

    def __init__(self, cluster: Cluster, vllm: VllmServer, held_s: float) -> None:
        self._cluster, self._vllm, self._held_s = cluster, vllm, held_s

    def phase(self, passing: str, wanted: int, held: Sequence[str]) -> None:
        """Until `wanted` of a lane are ready, and for `held_s` at least; print what else became ready meanwhile."""
        began, before, waiting, passed_s = time.monotonic(), self._ready(), [], 0.0
        while (spent_s := time.monotonic() - began) < self._held_s or (passing and not passed_s):
            assert spent_s < PATIENCE_S, f"{passing} does not pass\n{self._cluster.logs()}"
            waiting.append(self._vllm.waiting)
            if passing and not passed_s and self._ready()[passing] >= wanted:
                passed_s = time.monotonic() - began
            time.sleep(SAMPLE_S)
        after = self._ready()
        passed = f"{passing}, after {passed_s:.0f} s" if passing else "nothing"
        stood = ", ".join(f"{lane}: {after[lane] - before[lane]}" for lane in held)
        print(f"| {min(waiting)} to {max(waiting)} | {passed} | {stood} | {spent_s:.0f} |", flush=True)

    def _ready(self) -> dict[str, int]:
        found = self._cluster.documents()
        assert not [each for each in found if each["state"] == "failed"], self._cluster.logs()
        return {lane: sum(lane in each["name"] and each["state"] == "ready" for each in found) for lane in LANES}


def measure(cluster: Cluster, vllm: VllmServer, held_s: float, documents: int) -> None:
    """From the busiest on: the rest of a crowd stays when a part of it leaves."""
    least, more, most = BUSY
    watched = Watched(cluster, vllm, held_s)
    print("| waiting in vLLM | becomes ready | of those held back | seconds |\n|---|---|---|---|", flush=True)
    with ExitStack() as after_all, crowd(MODEL, SEATS + least, ANSWER_TOKENS):
        with crowd(MODEL, more - least, ANSWER_TOKENS):
            with crowd(MODEL, most - more, ANSWER_TOKENS):
                wait_until(lambda: vllm.waiting > (more + most) / 2, "the crowd waits", limit_s=PATIENCE_S)
                after_all.enter_context(backfilled(cluster, documents))
                hand_in(cluster, UPLOAD)
                hand_in(cluster, LARGE, f"<!-- {'-' * LARGE_BYTES} -->")
                watched.phase("", 0, LANES)
            watched.phase(UPLOAD, 1, (LARGE, BACKFILL))
        watched.phase(LARGE, 1, (BACKFILL,))
    watched.phase(BACKFILL, documents, ())


def main() -> None:
    """One run."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--held", type=float, default=30.0, help="seconds that each step is watched at least")
    parser.add_argument("--documents", type=int, default=10, help="of the backfill")
    chosen = parser.parse_args()
    model = SERVICES_DIR.resolve() / "vllm" / MODEL
    write_tiny_model(model)
    with tempfile.TemporaryDirectory() as folder, vllm_server(model, options=f"--max-num-seqs {SEATS}") as vllm:
        asks = {"TRIVIUM_LLM": "vllm", "TRIVIUM_LLM_MODEL": MODEL, "TRIVIUM_LLM_URL": f"{SERVER}/v1"}
        cluster = Cluster(Path(folder), **asks, TRIVIUM_EXTRACTOR="rules")
        try:
            cluster.make_buckets(events=False)
            cluster.start()
            cluster.settled(hand_in(cluster, "first"), timeout_s=PATIENCE_S)  # the processes have opened all they need
            measure(cluster, vllm, chosen.held, chosen.documents)
        finally:
            cluster.remove()
    print(f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")


if __name__ == "__main__":
    main()
