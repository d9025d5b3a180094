"""Speed of the product on the servers of `make services`, each of its processes as an operator starts it.

`make bench-distributed`. Everything is made here: pages of 2 kB in a bucket of their own, taken in by `trivium
backfill` while single uploads are timed; and passages for searches, written past the queue. `--quick` divides the
sizes by ten, to see that it works.
"""

from __future__ import annotations

import argparse
import io
import os
import re
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import httpx2
from minio.notificationconfig import NotificationConfig, QueueConfig

sys.path.insert(0, str(Path(__file__).resolve().parent))
sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests" / "peers"))
from cluster import CONTROL, GRAPH, INFERENCE, INGEST, QUERY, Cluster, named
from distributed_search import search
from processes import servers, usage
from report import Row, report
from speed import Writer

ROOT = Path(__file__).resolve().parent.parent
WORKERS = (INGEST, f"{INGEST}#2", GRAPH)
FIRST_METRICS_PORT = 18900
PORTS_A_WORKER = 10
PROBE_PAUSE_S = 0.1
SAMPLE_S = 1.0
QUARTERS = (25, 50, 75, 100)


class Bench:
    """A cluster with workers whose metrics are told, and what it is measured by."""

    def __init__(self, folder: Path, processes: int) -> None:
        self.processes = processes
        self.cluster = Cluster(
            folder,
            TRIVIUM_WORKER_PROCESSES=str(processes),
            TRIVIUM_EMBED_THREADS=str(max(1, (os.cpu_count() or 1) - 1)),  # as deploy/local/run.sh does
            TRIVIUM_EVENTS_PORT=named("TRIVIUM_EVENTS_PORT"),  # the one that the object server's webhook calls
        )
        self.pages = f"{self.cluster.name}-pages"
        self.ports = {name: FIRST_METRICS_PORT + number * PORTS_A_WORKER for number, name in enumerate(WORKERS)}
        self.roots: dict[str, int] = {}

    def start(self) -> None:
        self.cluster.make_buckets(events=False)
        queue = QueueConfig(queue="arn:minio:sqs::TRIVIUM:webhook", events=["s3:ObjectCreated:*"])
        self.cluster.s3.set_bucket_notification(self.cluster.uploads, NotificationConfig(queue_config_list=[queue]))
        self.cluster.s3.make_bucket(self.pages)
        self.cluster.start(INFERENCE, CONTROL, QUERY)
        for name, port in self.ports.items():
            self.cluster.start(name, TRIVIUM_WORKER_METRICS_PORT=str(port))
        self.cluster.take("first.txt", "The first document opens what the workers open when they first need it.")
        folder_of_servers = Path(os.environ.get("TRIVIUM_SERVICES_DIR", ROOT / ".services"))
        self.roots = {name: process.pid for name, process in self.cluster.running.items()} | servers(folder_of_servers)

    def close(self) -> None:
        for found in self.cluster.s3.list_objects(self.pages, recursive=True):
            self.cluster.s3.remove_object(self.pages, str(found.object_name))
        self.cluster.s3.remove_bucket(self.pages)
        self.cluster.remove()

    def seconds(self, metric: str) -> Counter[str]:
        """Sum of a histogram over all worker processes, by its label."""
        found: Counter[str] = Counter()
        for port in (first + number for first in self.ports.values() for number in range(self.processes)):
            try:
                text = httpx2.get(f"http://127.0.0.1:{port}/metrics", timeout=10, trust_env=False).text
            except httpx2.ConnectError:  # a process that has had no task yet
                continue
            for label, value in re.findall(rf'^{metric}_sum{{\w+="(\w+)"}} (\S+)$', text, re.MULTILINE):
                found[label] += float(value)
        return found

    def answerable_s(self, number: int) -> float:
        """From an upload with an S3 client until a search finds it."""
        word = f"zyx{number:04}quagga"
        started = time.perf_counter()
        self.cluster.upload(f"single/{word}.txt", f"The keeper of the {word} lives by the harbour.\n".encode())
        with self.cluster.http() as client:
            while time.perf_counter() - started < 120:
                hits = client.post("/v1/search", json={"query": word, "mode": "keyword"}).json()["hits"]
                if any(word in hit["chunk"]["text"] for hit in hits):
                    return time.perf_counter() - started
                time.sleep(PROBE_PAUSE_S)
        raise SystemExit(f"{word} was not answerable after two minutes.")

    def status(self) -> tuple[int, int]:
        """Documents that are ready, and chunks."""
        with self.cluster.http() as client:
            status = client.get("/v1/status").json()
        return int(status["by_state"].get("ready", 0)), int(status["chunks"])


@contextmanager
def running(folder: Path, processes: int) -> Iterator[Bench]:
    bench = Bench(folder, processes)
    try:
        bench.start()
        yield bench
    finally:
        bench.close()


class Sampler:
    """Watches memory while documents become ready; the samples at each quarter of them are kept."""

    def __init__(self, bench: Bench, pages: int) -> None:
        self._bench = bench
        self._pages = pages
        self._before = bench.status()[0]
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)
        self.resident: dict[int, dict[str, float]] = {}
        self.ready = 0

    @contextmanager
    def watching(self) -> Iterator[None]:
        self._thread.start()
        yield
        self._ended.set()
        self._thread.join()
        self._sample()

    def _watch(self) -> None:
        while not self._ended.wait(SAMPLE_S):
            self._sample()

    def _sample(self) -> None:
        self.ready = self._bench.status()[0] - self._before
        for quarter in QUARTERS:
            if quarter not in self.resident and self.ready * 100 >= self._pages * quarter:
                self.resident[quarter] = usage(self._bench.roots)[1]


def idle(bench: Bench, tries: int) -> list[Row]:
    spent = [bench.answerable_s(number) for number in range(tries)]
    return [("upload to answerable, idle", f"{statistics.median(spent):.1f} s, worst {max(spent):.1f} s", "<= 3 s")]


def backfill(bench: Bench, pages: int) -> list[Row]:
    """From the command's start to its end: everything listed, taken in and published."""
    fill_bucket(bench, pages)
    sampler = Sampler(bench, pages)
    chunks_before = bench.status()[1]
    metrics = ("trivium_stage_seconds", "trivium_task_seconds", "trivium_artifact_seconds", "trivium_queue_seconds")
    before = {metric: bench.seconds(metric) for metric in metrics}
    cpu_before = usage(bench.roots)[0]
    uploads: list[float] = []
    started = time.perf_counter()
    with sampler.watching():
        command = subprocess.Popen(
            [Path(sys.executable).with_name("trivium"), "backfill", f"s3://{bench.pages}"],
            env=bench.cluster.env,
            stderr=(bench.cluster.folder / "backfill.log").open("wb"),
        )
        while command.poll() is None:
            if len(uploads) < 3 and sampler.ready * 4 >= pages * (len(uploads) + 1):
                uploads.append(bench.answerable_s(1000 + len(uploads)))
            time.sleep(SAMPLE_S / 10)
        wall = time.perf_counter() - started
    if command.returncode:
        raise SystemExit((bench.cluster.folder / "backfill.log").read_text())
    cpu = {name: spent - cpu_before[name] for name, spent in usage(bench.roots)[0].items()}
    chunks = bench.status()[1] - chunks_before
    spent = {metric: bench.seconds(metric) - before[metric] for metric in metrics}
    return [
        (f"backfill of {pages:,} pages of 2 kB, {chunks:,} chunks", f"{chunks / wall:.1f} chunks/s", ">= 40"),
        *overheads(*(spent[metric] for metric in metrics), wall * bench.processes * len(WORKERS)),
        ("  CPU, ms a chunk", by_name({name: 1000 * value / chunks for name, value in cpu.items()}), ""),
        ("  CPU, ms a chunk, all", f"{1000 * sum(cpu.values()) / chunks:.1f}", f"{2000 / 40:.0f} on 2 cores"),
        ("  load average", f"{os.getloadavg()[0]:.1f}", ""),
        *(
            (f"  resident MB at {quarter} %", by_name({name: resident[name] for name in WORKERS}), "flat")
            for quarter, resident in sorted(sampler.resident.items())
        ),
        ("upload to answerable, during the backfill", ", ".join(f"{spent:.1f} s" for spent in uploads), "<= 10 s"),
    ]


def overheads(
    stages: Counter[str], tasks: Counter[str], artifacts: Counter[str], queue: Counter[str], available: float
) -> list[Row]:
    """`available` is the wall time of all worker processes together.

    The queue's share is what passes between a message that is sent, or a task that is done, whichever is later, and
    the next task; while nothing is sent a worker has nothing to do.
    """
    inside = tasks.total() - stages.total() + artifacts["get"]  # reading happens within the stage's time
    idle = available - tasks.total() - queue.total()

    def share(seconds: float) -> str:
        return f"{100 * seconds / available:.1f} %"

    return [
        ("  worker time by stage", ", ".join(f"{k} {share(v)}" for k, v in stages.most_common()), ""),
        ("  queue, artifacts and records", share(queue.total() + inside), "<= 15 %"),
        ("  ... queue", ", ".join(f"{k} {share(v)}" for k, v in queue.most_common()), ""),
        ("  ... artifacts", ", ".join(f"{k} {share(v)}" for k, v in artifacts.most_common()), ""),
        ("  nothing to do", share(idle), ""),
    ]


def fill_bucket(bench: Bench, pages: int) -> None:
    writer = Writer(1)
    texts = [f"{writer.names[i % len(writer.names)]}\n\n{writer.text(2000)}".encode() for i in range(pages)]

    def put(number: int) -> None:
        body = texts[number]
        bench.cluster.s3.put_object(bench.pages, f"page-{number:05}.txt", io.BytesIO(body), len(body))

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(put, range(pages)))


def by_name(values: dict[str, float]) -> str:
    return ", ".join(f"{name.removeprefix('trivium-')} {value:.1f}" for name, value in values.items())


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--quick", action="store_true")
    arguments.add_argument("--processes", type=int, default=1, help="tasks at a time of each worker")
    arguments.add_argument("--only", choices=["idle", "backfill", "search"], help="measure this alone")
    given = arguments.parse_args()
    scale = 10 if given.quick else 1
    with tempfile.TemporaryDirectory() as folder, running(Path(folder), given.processes) as bench:
        measurements: dict[str, Callable[[], list[Row]]] = {
            "idle": lambda: idle(bench, 5),
            "backfill": lambda: backfill(bench, 2000 // scale),
            "search": lambda: search(bench.cluster, 20_000 // scale, 200),
        }
        chosen = [measure for name, measure in measurements.items() if given.only in (None, name)]
        report("Trivium on its servers", chosen)


if __name__ == "__main__":
    main()
