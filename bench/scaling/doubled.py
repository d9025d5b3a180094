"""Two ingest workers instead of one, on the real servers, with a model that sleeps what it was measured to cost.

`python bench/scaling/doubled.py [--pages N]`, on `make services`. Each document is a scanned page, whose OCR is
`PAGE_S` of one core (bench/RESULTS.md, "Parts": 34 UDA pages, int8), and whose passages are embedded at `PASSAGE_S`
(bench/RESULTS.md, "Backfill on servers"). Queue, workers, parser, stores and graph are real; the model is
`simulated_inference.py`. The corpus is taken in by one worker, then another of the same size by two.
"""

from __future__ import annotations

import argparse
import io
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from PIL import Image

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tests" / "peers"))
from cluster import CONTROL, GRAPH, INGEST, QUERY, Cluster
from waiting import wait_until

PAGE_S = 0.90
PASSAGE_S = 0.0139
SIDE = 200  # pixels of a page; only its bytes matter: 64 KB of noise, so that a batch is of four


def page(number: int) -> bytes:
    """A picture that no other is equal to, of some 64 KB."""
    noise = np.random.default_rng(number).integers(0, 255, (320, SIDE), dtype=np.uint8)
    out = io.BytesIO()
    Image.fromarray(noise).save(out, "PNG")
    return out.getvalue()


def taken_in(cluster: Cluster, name: str, pages: int) -> float:
    """Seconds from the first upload to the last document's end."""
    before, began = len(cluster.documents()), time.monotonic()
    for number in range(pages):
        cluster.upload(f"{name}/{number:04}.png", page(hash((name, number)) & 0xFFFFFFFF))

    def ended() -> bool:
        found = cluster.documents()
        return len(found) == before + pages and all(each["state"] in ("ready", "empty", "failed") for each in found)

    wait_until(ended, f"{name} is taken in", limit_s=3600, told=cluster.logs, pause_s=0.5)
    spent = time.monotonic() - began
    assert all(each["state"] == "ready" for each in cluster.documents()), "a document is not ready"
    return spent


def main() -> None:
    """Print both, and how many times as much two did."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pages", type=int, default=64)
    pages = parser.parse_args().pages
    with tempfile.TemporaryDirectory() as folder:
        cluster = Cluster(Path(folder))
        port = cluster.env["TRIVIUM_INFERENCE_PORT"]
        peer = Path(__file__).with_name("simulated_inference.py")
        model = subprocess.Popen([sys.executable, str(peer), port, str(PAGE_S), str(PASSAGE_S)])
        try:
            cluster.make_buckets()
            cluster.start(CONTROL, INGEST, GRAPH, QUERY)
            cluster.upload("first.png", page(1))
            cluster.document("first.png")
            print(f"load {os.getloadavg()[0]:.1f}", flush=True)
            one = taken_in(cluster, "one", pages)
            print(f"one ingest worker: {pages} pages in {one:.1f} s, {pages / one:.2f}/s", flush=True)
            cluster.start(f"{INGEST}#2")
            wait_until(lambda: cluster.workers("parse") == 2, "the second worker is there", limit_s=120)
            two = taken_in(cluster, "two", pages)
            print(f"two ingest workers: {pages} pages in {two:.1f} s, {pages / two:.2f}/s: x {one / two:.2f}")
            print(f"load {os.getloadavg()[0]:.1f}", flush=True)
        finally:
            cluster.remove()
            model.kill()
            model.wait()


if __name__ == "__main__":
    main()
