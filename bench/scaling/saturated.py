"""Uploads beside a backfill whose language model is saturated: a real vLLM, kept full by a crowd, on the real servers.

`python bench/scaling/saturated.py [--kept]`, on `make services`, with `make torch` and vLLM installed
(`deploy/local/services.sh install vllm`). One ingest and one graph worker take everything; `--kept` adds one of each
with `TRIVIUM_WORKER_LANES=uploads`. vLLM serves a model whose words are noise, `SEATS` requests at a time, and takes of
the processors what the others leave, as if it had a machine of its own. Each passage's context is asked of it; the
graph is read by rules, as noise would make answers as long as they may be. The uploads come one after the other; each
is timed from the request to the search that finds it. What the processes wrote stands on stderr after one that took
longer than the reach.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tests" / "peers"))
from cluster import GRAPH, INGEST, Cluster
from doors import TRIVIUM
from local_services import SERVICES_DIR
from tiny_model import write_tiny_model
from vllm_server import SERVER, VllmServer, crowd, vllm_server
from waiting import wait_until

MODEL = "tiny"
REACH_S = 10.0  # of an upload; what takes longer shows what the processes have written
SEATS = 4  # requests that vLLM works on at a time
PEOPLE = 10  # always more than that, and fewer waiting than a backfill's limit: it goes on, and waits for every answer
ANSWER_TOKENS = 64
PARAGRAPHS = 6  # of a backfill's document: some 3 kB, three passages
LIMIT_S = 600.0  # of one upload


def text(name: str) -> str:
    """A document that no other is equal to."""
    told = "The keeper of {0} wrote down every barge that passed {0}, its cargo, its master and the toll. "
    return "\n\n".join(told.format(f"the lock {name}-{number}") * 5 for number in range(PARAGRAPHS))


@contextmanager
def backfilled(cluster: Cluster, documents: int) -> Iterator[None]:
    """A backfill of so many documents, for the length of the block; it is stopped at its end."""
    contents = {f"archive-{number:05}": text(f"archive-{number}").encode() for number in range(documents)}
    with cluster.archive(**contents) as archive:
        backfill = subprocess.Popen([TRIVIUM, "backfill", archive], env=cluster.env, stdout=sys.stderr)
        try:
            wait_until(lambda: states(cluster)["running"], "the backfill is worked on", limit_s=120, told=cluster.logs)
            yield
        finally:
            backfill.terminate()
            backfill.wait(60)


def states(cluster: Cluster) -> Counter[str]:
    """Documents by state."""
    return Counter(document["state"] for document in cluster.documents())


def answerable_s(cluster: Cluster, name: str) -> float:
    """Seconds from the upload to the search that finds it."""
    began = time.monotonic()
    with cluster.http() as client:
        source = client.post(
            "/v1/sources", files={"file": (f"{name}.txt", f"The seal of {name} shows a heron.")}
        ).json()
        ended = cluster.settled(source["id"], timeout_s=LIMIT_S)
    assert ended["state"] == "ready", ended
    hits = cluster.search(f"What does the seal of {name} show?", mode="keyword")
    assert any(hit["chunk"]["source"] == f"{name}.txt" for hit in hits[:3]), hits
    return time.monotonic() - began


def measure(cluster: Cluster, vllm: VllmServer, uploads: int) -> None:
    """Print each upload, and what came of all."""
    seconds, waiting = [], []
    for number in range(uploads):
        waiting.append(vllm.waiting)
        seconds.append(answerable_s(cluster, f"Corrin{number}"))
        print(f"upload {number}: {seconds[-1]:.1f} s, {waiting[-1]} requests waited before it", flush=True)
        if seconds[-1] > REACH_S:
            print(cluster.logs(), file=sys.stderr, flush=True)
    p95 = statistics.quantiles(seconds, n=20, method="inclusive")[-1] if uploads > 1 else seconds[0]
    median, found = statistics.median(seconds), states(cluster)
    left = found["running"] + found["pending"]
    print(f"upload to answerable: median {median:.1f} s, p95 {p95:.1f} s, maximum {max(seconds):.1f} s")
    print(f"waiting in vLLM: {min(waiting)} to {max(waiting)} requests")
    print(f"failed: {found['failed']}; of the backfill are done {found['ready'] - uploads - 1}, {left} are left")
    print(f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")


def main() -> None:
    """One run, with or without workers that are kept for uploads."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kept", action="store_true", help="add a worker of each kind for uploads alone")
    parser.add_argument("--uploads", type=int, default=20)
    parser.add_argument("--documents", type=int, default=200, help="of the backfill")
    chosen = parser.parse_args()
    model = SERVICES_DIR.resolve() / "vllm" / MODEL
    write_tiny_model(model)
    with (
        tempfile.TemporaryDirectory() as folder,
        vllm_server(model, last=True, options=f"--max-num-seqs {SEATS}") as vllm,
    ):
        asks = {"TRIVIUM_LLM": "vllm", "TRIVIUM_LLM_MODEL": MODEL, "TRIVIUM_LLM_URL": f"{SERVER}/v1"}
        cluster = Cluster(Path(folder), **asks, TRIVIUM_EXTRACTOR="rules")
        try:
            cluster.make_buckets(events=False)
            cluster.start()
            if chosen.kept:
                cluster.start(f"{INGEST}#2", f"{GRAPH}#2", TRIVIUM_WORKER_LANES="uploads")
                wait_until(
                    lambda: {cluster.workers(one) for one in ("parse", "graph")} == {2}, "all are there", limit_s=120
                )
            cluster.take("first.txt", "The first document opens what the workers open when they first need it.")
            with crowd(MODEL, PEOPLE, ANSWER_TOKENS), backfilled(cluster, chosen.documents):
                measure(cluster, vllm, chosen.uploads)
        finally:
            cluster.remove()


if __name__ == "__main__":
    main()
