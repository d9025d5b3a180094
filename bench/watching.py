"""What traces and a scrape cost a search: two servers over the same documents, asked the same questions in turns.

One sends traces to a collector and is scraped with every ten searches, the other does neither. CPU time of each
server's threads, by the kernel's own clock, so that what else the machine does counts little.
"""

from __future__ import annotations

import argparse
import shutil
import statistics
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests/peers"))
from otlp_receiver import otlp_receiver
from report import Row, report
from serving import Running, running_server
from speed import Writer, submit, wait_idle

SCRAPED_EVERY = 10
WARM = 30


def cpu_ms(pid: int) -> float:
    """Of all threads that there are."""
    spent = 0
    for path in Path(f"/proc/{pid}/task").glob("*/schedstat"):
        try:
            spent += int(path.read_text().split()[0])
        except OSError:  # it ended meanwhile
            continue
    return spent / 1e6


def asked(server: Running, question: str) -> tuple[float, float]:
    """CPU and wall milliseconds of one search."""
    before, started = cpu_ms(server.pid), time.perf_counter()
    server.client.post("/v1/search", json={"query": question, "top_k": 10}).raise_for_status()
    wall = (time.perf_counter() - started) * 1000
    return cpu_ms(server.pid) - before, wall


def compared(documents: int, questions: int) -> list[Row]:
    """Medians of both, and by how much the watched one is above the other."""
    with tempfile.TemporaryDirectory() as folder, otlp_receiver() as receiver:
        writer, plain, watched = Writer(3), Path(folder) / "plain", Path(folder) / "watched"
        with running_server(plain) as server:
            submit(server.client, writer, documents, 350)
            wait_idle(server.client)
        (plain / "server.json").unlink(missing_ok=True)
        shutil.copytree(plain, watched)
        with running_server(plain) as off, running_server(watched, TRIVIUM_TRACES_URL=receiver.url) as on:
            for server in (off, on):
                for _ in range(WARM):
                    asked(server, writer.question())
            spent: dict[Running, list[tuple[float, float]]] = {off: [], on: []}
            whole = {server: cpu_ms(server.pid) for server in (off, on)}
            for number in range(questions):
                question = writer.question()
                for server in (off, on) if number % 2 else (on, off):
                    spent[server].append(asked(server, question))
                if number % SCRAPED_EVERY == 0:
                    on.client.get("/metrics").raise_for_status()
            time.sleep(3)  # what is sent later counts too
            whole = {server: (cpu_ms(server.pid) - whole[server]) / questions for server in whole}
    cpu, wall = ({server: [each[i] for each in spent[server]] for server in (off, on)} for i in (0, 1))
    return [
        ("search, CPU p50", _both(statistics.median(cpu[off]), statistics.median(cpu[on])), "<= 3 % more"),
        ("search, wall p50", _both(statistics.median(wall[off]), statistics.median(wall[on])), ""),
        ("CPU of all of it, a search", _both(whole[off], whole[on]), ""),
        ("spans received", f"{len(receiver.spans) / (questions + WARM):.1f} a search", ""),
    ]


def _both(off: float, on: float) -> str:
    return f"{off:.2f} ms, watched {on:.2f} ms ({on / off - 1:+.1%})"


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--documents", type=int, default=2000)
    parser.add_argument("--questions", type=int, default=400)
    chosen = parser.parse_args()
    report("Traces and metrics", [lambda: compared(chosen.documents, chosen.questions)])
