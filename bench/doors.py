"""What OpenAI's interface costs over our own: the same questions, one after the other, through both.

Usage: python bench/doors.py [--rounds N]

A server of its own reads examples/. Each question is asked through both doors in turn, the first round is not measured.
"""

from __future__ import annotations

import argparse
import os
import statistics
import tempfile
import time
from pathlib import Path

import httpx2
from report import machine
from serving import running_server
from speed import wait_idle

EXAMPLES = Path(__file__).parents[1] / "examples" / "files"
QUESTIONS = (
    "How many salmon were counted at Lower Ford in 2023?",
    "Who leads the removal of Harrow Weir?",
    "When did the mill at Stennet close?",
    "Which fish ladder did the engineer who led the removal of Harrow Weir build before?",
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=50)
    rounds = parser.parse_args().rounds
    with tempfile.TemporaryDirectory() as folder, running_server(Path(folder) / "data") as running:
        client = running.client
        files = [("file", (path.name, path.read_bytes())) for path in sorted(EXAMPLES.iterdir()) if path.is_file()]
        client.post("/v1/sources", files=files).raise_for_status()
        wait_idle(client)
        spent: dict[str, list[float]] = {"own": [], "openai": []}
        for number in range(rounds + 1):
            for question in QUESTIONS:
                for door in ("own", "openai") if number % 2 else ("openai", "own"):
                    spent_ms = _asked(client, door, question)
                    if number:
                        spent[door].append(spent_ms)
    print(f"{machine()}; load {os.getloadavg()[0]:.1f}")
    for door, times in spent.items():
        print(f"{door}: p50 {statistics.median(times):.2f} ms, p95 {statistics.quantiles(times, n=20)[-1]:.2f} ms")
    paired = [after - before for before, after in zip(spent["own"], spent["openai"], strict=True)]
    print(f"openai - own: p50 {statistics.median(paired):+.2f} ms over {len(paired)} questions")


def _asked(client: httpx2.Client, door: str, question: str) -> float:
    began = time.perf_counter()
    if door == "own":
        client.post("/v1/queries", json={"query": question}).raise_for_status()
    else:
        body = {"model": "trivium", "messages": [{"role": "user", "content": question}]}
        client.post("/openai/v1/chat/completions", json=body).raise_for_status()
    return 1000 * (time.perf_counter() - began)


if __name__ == "__main__":
    main()
