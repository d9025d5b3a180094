"""Speed and memory of the embedded product, through its own doors. Run with `make bench`.

Everything is made here: pages of 2 kB for the ingest figure, short passages for the index of 20,000 chunks, a PDF.
`--quick` divides the sizes by ten, to see that it works.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from http.client import HTTPConnection
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx2

sys.path.insert(0, str(Path(__file__).resolve().parent))
from report import Row, p50_p95, report
from serving import running_server

TRIVIUM = Path(sys.executable).with_name("trivium")
FIRST = "Ada Ben Clara David Elena Felix Greta Hugo Iris Jonas Karin Liam Mara Nils Olga Paul Rosa Simon Tessa Victor"
LAST = (
    "Abbot Barlow Carver Dalton Ellis Foster Granger Holt Irving Jarvis Keller Lang Mercer North Osborne Parker Quinn"
)
PLACES = "Harbour Valley Bridge Institute Society Museum River Castle Railway Council Observatory Market Forest Mill"


def vocabulary() -> list[str]:
    """English words, commonest first: those of the Python reference, which comes with every interpreter."""
    from pydoc_data.topics import topics

    counts = Counter(re.findall(r"\b[a-z]{2,}\b", " ".join(topics.values())))
    return [word for word, count in counts.most_common(6000) if count > 1]


class Writer:
    """English-shaped text: real words with skewed frequencies, recurring names, sentences."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)
        self.words = vocabulary()
        people = [f"{first} {last}" for first in FIRST.split() for last in LAST.split()]
        places = [f"{last} {place}" for last in LAST.split() for place in PLACES.split()]
        both = [
            f"{first} {last} {place}" for first in FIRST.split() for last in LAST.split() for place in PLACES.split()
        ]
        self.names = [*people, *places, *both]
        self.rng.shuffle(self.names)

    def sentence(self) -> str:
        rng = self.rng
        size = rng.randint(8, 22)
        body = [
            rng.choice(self.names) if rng.random() < 0.05 else self.words[int(len(self.words) * rng.random() ** 3)]
            for _ in range(size)
        ]
        return " ".join(body).capitalize() + "."

    def text(self, size: int) -> str:
        parts: list[str] = []
        while sum(map(len, parts)) + len(parts) < size:
            parts.append(self.sentence())
        return " ".join(parts)[:size]

    def question(self) -> str:
        return (
            f"Which {self.rng.choice(self.words[200:2000])} of {self.rng.choice(self.names)} "
            f"was near {self.rng.choice(self.names)}?"
        )


def submit(client: httpx2.Client, writer: Writer, count: int, size: int, first: int = 0) -> None:
    for start in range(first, first + count, 50):
        files = [
            ("file", (f"page-{i}.txt", f"{writer.names[i % len(writer.names)]}\n\n{writer.text(size)}".encode()))
            for i in range(start, min(start + 50, first + count))
        ]
        client.post("/v1/sources", files=files).raise_for_status()


def wait_idle(client: httpx2.Client, poll_s: float = 0.1) -> dict[str, Any]:
    while True:
        status: dict[str, Any] = client.get("/v1/status").json()
        counts = status["by_state"]
        if not counts.get("pending") and not counts.get("running"):
            return status
        time.sleep(poll_s)


def stage_seconds(client: httpx2.Client) -> dict[str, float]:
    text = client.get("/metrics").text
    return {m[1]: float(m[2]) for m in re.finditer(r'trivium_stage_seconds_sum\{stage="(\w+)"\} ([\d.e+-]+)', text)}


def ingest(pages: int) -> list[Row]:
    """1,000 pages of 2 kB, from the first upload to the last document being ready."""
    with tempfile.TemporaryDirectory() as folder, running_server(Path(folder)) as server:
        client = server.client
        submit(client, Writer(0), 3, 300)
        wait_idle(client)
        chunks_before, stages_before = client.get("/v1/status").json()["chunks"], stage_seconds(client)
        started = time.perf_counter()
        submit(client, Writer(1), pages, 2000)
        status = wait_idle(client)
        wall = time.perf_counter() - started
        chunks = int(str(status["chunks"])) - chunks_before
        spent = {k: v - stages_before.get(k, 0.0) for k, v in stage_seconds(client).items()}
        shares = ", ".join(f"{k} {100 * v / wall:.0f} %" for k, v in sorted(spent.items(), key=lambda i: -i[1]))
    return [
        (f"ingest of {pages:,} pages of 2 kB, {chunks:,} chunks", f"{chunks / wall:.1f} chunks/s", ">= 60"),
        ("  share of the wall time by stage", shares, "embed >= 80 %"),
    ]


def search(passages: int) -> list[Row]:
    """Hybrid search, no generation; one client, then sixteen. Then memory after a restart."""
    with tempfile.TemporaryDirectory() as folder:
        writer = Writer(2)
        with running_server(Path(folder)) as server:
            submit(server.client, writer, passages, 350)
            wait_idle(server.client)
        with running_server(Path(folder)) as server:
            ask = {"mode": "hybrid", "top_k": 10}
            for _ in range(20):
                server.client.post("/v1/search", json={"query": writer.question(), **ask}).raise_for_status()
            spent = []
            for _ in range(300):
                question = writer.question()
                started = time.perf_counter()
                server.client.post("/v1/search", json={"query": question, **ask}).raise_for_status()
                spent.append((time.perf_counter() - started) * 1000)
            rate, errors = sixteen_clients(server.url, [writer.question() for _ in range(960)])
            time.sleep(2)
            resident = int(re.search(r"VmRSS:\s+(\d+)", Path(f"/proc/{server.pid}/status").read_text())[1]) / 1e6  # type: ignore[index]
    return [
        (f"search over {passages:,} chunks, one client", p50_p95(spent), "25 / 60 ms"),
        ("  16 clients", f"{rate:.0f} requests/s, {errors} errors", ">= 60/s, 0"),
        (f"memory, {passages:,} chunks, after those searches", f"{resident:.2f} GB resident", "<= 1.5 GB"),
    ]


def sixteen_clients(url: str, questions: list[str]) -> tuple[float, int]:
    """Requests a second and errors. `http.client`, because the clients share the server's cores: 0.3 ms a request."""
    server = urlsplit(url)

    def status(connection: HTTPConnection, question: str) -> int:
        body = json.dumps({"query": question})
        connection.request("POST", "/v1/search", body, {"Content-Type": "application/json"})
        response = connection.getresponse()
        response.read()
        return response.status

    def one(share: list[str]) -> int:
        with closing(HTTPConnection(server.hostname or "", server.port, timeout=60)) as connection:
            return sum(status(connection, question) != 200 for question in share)

    started = time.perf_counter()
    with ThreadPoolExecutor(16) as pool:
        errors = sum(pool.map(one, [questions[i::16] for i in range(16)]))
    return len(questions) / (time.perf_counter() - started), errors


def pdf(pages: int) -> list[Row]:
    """Text, headings and layout of a made PDF, one core."""
    from trivium.ports.parser import Blob, ParseLimits, ParserModels
    from trivium_ingest.parse.build import parse_blob

    content = made_pdf(pages)
    parse_blob(Blob("warm.pdf", made_pdf(3)), ParseLimits(), ParserModels())
    started = time.perf_counter()
    parsed = parse_blob(Blob("made.pdf", content), ParseLimits(), ParserModels())
    return [
        (f"PDF text, {parsed.pages} pages", f"{parsed.pages / (time.perf_counter() - started):.0f} pages/s", ">= 100")
    ]


def made_pdf(pages: int) -> bytes:
    from io import BytesIO

    from reportlab.lib.styles import getSampleStyleSheet
    from reportlab.platypus import PageBreak, Paragraph, SimpleDocTemplate

    writer, styles, story = Writer(3), getSampleStyleSheet(), []
    for number in range(pages):
        story += [Paragraph(f"Section {number + 1}", styles["Heading1"])]
        story += [Paragraph(writer.text(800), styles["BodyText"]) for _ in range(3)] + [PageBreak()]
    out = BytesIO()
    SimpleDocTemplate(out).build(story)
    return out.getvalue()


def help_time() -> list[Row]:
    spent = []
    for _ in range(5):
        started = time.perf_counter()
        subprocess.run([TRIVIUM, "--help"], check=True, stdout=subprocess.DEVNULL)
        spent.append(time.perf_counter() - started)
    return [("trivium --help", f"{statistics.median(spent):.2f} s", "<= 0.4 s")]


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--quick", action="store_true")
    scale = 10 if arguments.parse_args().quick else 1
    report(
        "Trivium, embedded",
        (
            help_time,
            lambda: pdf(300 // scale),
            lambda: ingest(1000 // scale),
            lambda: search(20_000 // scale),
        ),
    )


if __name__ == "__main__":
    main()
