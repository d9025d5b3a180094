"""An hour of searches, questions, uploads and deletes against `trivium serve`. Run with `make soak`.

In the first third it is stopped twice and killed twice. At the end the set of documents must be exactly what was
uploaded, by id and version; `trivium audit` must find nothing; and what the process holds must not have grown over the
last half. Documents are made here (soak_documents.py). From some number on each that comes replaces another, so the
store's size is steady and what grows is a leak. Exit status 1 when something is not as it should be.
"""

from __future__ import annotations

import argparse
import random
import signal
import statistics
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx2

sys.path.insert(0, str(Path(__file__).resolve().parent))
from report import p50_p95, report
from soak_documents import Made, Maker
from soak_server import Sample, Server, slope_mb_a_minute

KEPT = 150  # documents, without those inside them
UNFINISHED = 24  # more of them, and the writer waits
MODES = ("hybrid", "keyword", "vector", "graph", "bfs", "ppr", "rrf", "weighted")
INTERRUPTIONS = (("stop", 0.06), ("kill", 0.13), ("stop", 0.20), ("kill", 0.27))  # at which share of the time
STEADY_FROM = 0.5  # from this share on memory is judged: every cache has had its fill by then
MAX_SLOPE_MB = 0.5  # a minute
MAX_STOP_S = 10.0
SETTLED_S = 900.0


class Soak:
    """One run: three threads of work, and what came of it."""

    def __init__(self, server: Server, minutes: float, seed: int) -> None:
        self.server = server
        self.ends = time.monotonic() + 60 * minutes
        self.living: dict[str, Made] = {}
        self.gone: list[Made] = []
        self.done: Counter[str] = Counter()
        self.spent_ms: list[float] = []
        self.failures: list[str] = []
        self._maker = Maker(seed)
        self._asking = Maker(seed + 1)
        self._rng = random.Random(seed)

    def write(self) -> None:
        """Upload, replace and delete until the time is over; what got no answer is done again."""
        while not self.is_over():
            names = list(self.living)
            if len(names) >= KEPT:
                self._delete(self._rng.choice(names))
            elif names and self._rng.random() < 0.25:
                self._upload(self._rng.choice(names))
            else:
                self._upload(self._maker.new_name())
            while self._unfinished() > UNFINISHED and not self.is_over():
                time.sleep(1)

    def search(self) -> None:
        """In every mode, one search after the other."""
        while not self.is_over():
            mode = MODES[self.done["search"] % len(MODES)]
            began = time.monotonic()
            found = self._tried("search", "POST", "/v1/search", json={"query": self._asking.question(), "mode": mode})
            if found is not None:
                self.spent_ms.append(1000 * (time.monotonic() - began))
                self.done["degraded"] += bool(found.json()["degraded"])
            time.sleep(0.2)

    def ask(self) -> None:
        """One question after the other."""
        while not self.is_over():
            self._tried("question", "POST", "/v1/queries", json={"question": self._asking.question()})
            time.sleep(1)

    def look_up(self, word: str) -> list[dict[str, Any]]:
        """The passages that hold a word, once no source is too late to answer."""
        asked = {"query": word, "mode": "keyword", "top_k": 3}
        while True:
            found = self._settled("look-up", "POST", "/v1/search", {200}, json=asked).json()
            if not found["degraded"]:
                hits: list[dict[str, Any]] = found["hits"]
                return hits

    def is_over(self) -> bool:
        """Whether the time is."""
        return time.monotonic() > self.ends

    def _upload(self, name: str) -> None:
        made = self._maker.make(name)
        self._settled("upload", "POST", "/v1/sources", {202}, files={"file": (name, made.content)})
        if name in self.living:
            self.gone.append(self.living[name])
        self.living[name] = made

    def _delete(self, name: str) -> None:
        made = self.living.pop(name)
        self.gone.append(made)
        self._settled("delete", "DELETE", f"/v1/sources/{next(iter(made.versions()))}", {200, 404})

    def _settled(self, what: str, method: str, path: str, wanted: set[int], **more: object) -> httpx2.Response:
        """Ask until it is answered, whatever happens to the server meanwhile."""
        while True:
            answer = self._tried(what, method, path, **more)
            if answer is not None and answer.status_code in wanted:
                return answer
            time.sleep(0.5)

    def _tried(self, what: str, method: str, path: str, **more: object) -> httpx2.Response | None:
        """The answer; None where the server is away or refuses for now. Anything else is a failure of the soak."""
        try:
            answer = self.server.request(method, path, **more)
        except httpx2.TransportError:
            self.done[f"{what}, no answer"] += 1
            return None
        if answer.status_code in (429, 503):
            self.done[f"{what}, {answer.status_code}"] += 1
            return None
        if answer.status_code >= 400 and (what, answer.status_code) != ("delete", 404):
            self.failures.append(f"{what}: {answer.status_code} {answer.text[:200]}")
            time.sleep(1)
        self.done[what] += 1
        return answer

    def _unfinished(self) -> int:
        answer = self._tried("status", "GET", "/v1/status")
        counts = answer.json()["by_state"] if answer is not None else {}
        return int(counts.get("pending", 0)) + int(counts.get("running", 0))


def interrupt(soak: Soak, minutes: float) -> list[str]:
    """Stop and kill the server at the times of `INTERRUPTIONS`, and start it again; how long each took."""
    told, began = [], time.monotonic()
    for how, share in INTERRUPTIONS:
        while time.monotonic() < began + share * 60 * minutes:
            time.sleep(0.5)
        number = signal.SIGTERM if how == "stop" else signal.SIGKILL
        ended_s, status = soak.server.end(number)
        ready_s = soak.server.start()
        told.append(f"{how}: ended after {ended_s:.1f} s with {status}, answered again after {ready_s:.1f} s")
        print(f"{(time.monotonic() - began) / 60:5.1f} min  {told[-1]}", flush=True)
        if how == "stop" and (status != 0 or ended_s > MAX_STOP_S):
            soak.failures.append(told[-1])
    return told


def settle(soak: Soak) -> float:
    """Wait until nothing is unfinished; the seconds that it took."""
    began = time.monotonic()
    while soak._unfinished():
        if time.monotonic() > began + SETTLED_S:
            soak.failures.append(f"documents unfinished {SETTLED_S:.0f} s after the last upload")
            break
        time.sleep(0.5)
    return time.monotonic() - began


def compare(soak: Soak) -> list[str]:
    """What differs between the documents that are there and those that should be, by id, version and state."""
    wanted: dict[str, str] = {}
    for made in soak.living.values():
        wanted |= made.versions()
    found = {source["id"]: source for source in soak.server.sources()}
    lost = [id_ for id_ in wanted if id_ not in found]
    left = [found[id_]["name"] for id_ in found if id_ not in wanted]
    stale = [found[i]["name"] for i, version in wanted.items() if i in found and found[i]["active_version"] != version]
    failed = [f"{s['name']} ({s['state']}, {s['reason']})" for s in found.values() if s["state"] != "ready"]
    kinds = {"lost": lost, "not deleted": left, "not the newest version": stale, "not ready": failed}
    return [f"{len(some)} {kind}: {some[:5]}" for kind, some in kinds.items() if some]


def look_up(soak: Soak) -> list[str]:
    """Documents whose own word does not find them first, and versions that are gone whose word still finds them."""
    words = {made.word: made for made in soak.living.values() if not made.name.endswith("png")}  # OCR may misread
    lost = [made.name for word, made in words.items() if not _finds(soak, word, made)]
    left = [made.name for made in soak.gone[-KEPT:] if _finds(soak, made.word, made)]
    kinds = {"not found by their word": lost, "found after they went": left}
    return [f"{len(some)} {kind}: {some[:5]}" for kind, some in kinds.items() if some]


def _finds(soak: Soak, word: str, made: Made) -> bool:
    hits = soak.look_up(word)
    return any(hit["chunk"]["document_id"] in made.versions() and word in hit["chunk"]["text"] for hit in hits)


def run(minutes: float, seed: int, folder: Path) -> list[tuple[str, str, str]]:
    """The whole of it; rows for the report."""
    server = Server(folder / "data", folder / "server.log")
    server.start()
    soak = Soak(server, minutes, seed)
    watching = threading.Thread(target=server.watch, args=(soak.is_over,))
    threads = [watching, *(threading.Thread(target=work) for work in (soak.write, soak.search, soak.ask))]
    for thread in threads:
        thread.start()
    told = interrupt(soak, minutes)
    for thread in threads:
        thread.join()
    waited_s = settle(soak)
    differences = [*compare(soak), *look_up(soak), *soak.failures]
    documents = len(server.sources())
    ended_s, status = server.end(signal.SIGTERM)
    audit = server.audit()
    steady = [s for s in server.samples if s.at_s >= STEADY_FROM * 60 * minutes]
    slope = slope_mb_a_minute([(s.at_s, s.own_mb) for s in steady])
    tree = slope_mb_a_minute([(s.at_s, s.all_mb) for s in steady])
    work = ", ".join(f"{count:,} {what}" for what, count in sorted(soak.done.items()) if what != "status")
    return [
        ("work", work, ""),
        ("interruptions", "; ".join(told), "2 stops, 2 kills"),
        ("searches", p50_p95(soak.spent_ms), ""),
        (f"documents at the end ({documents:,})", "; ".join(differences) or "exact", "exact"),
        ("unfinished after the last upload", f"{waited_s:.0f} s", ""),
        ("last stop", f"{ended_s:.1f} s, status {status}", f"<= {MAX_STOP_S:.0f} s, 0"),
        ("audit", audit or "clean", "clean"),
        ("resident, server", _span(steady, lambda sample: sample.own_mb), ""),
        ("resident, with its children", _span(steady, lambda sample: sample.all_mb), ""),
        ("slope, server", f"{slope:+.2f} MB/min", f"<= {MAX_SLOPE_MB}"),
        ("slope, with its children", f"{tree:+.2f} MB/min", f"<= {MAX_SLOPE_MB}"),
    ]


def _span(samples: list[Sample], size: Callable[[Sample], float]) -> str:
    """Means of the first and the last fifth, and the largest."""
    sizes = [size(sample) for sample in samples]
    part = max(1, len(sizes) // 5)
    first, last = statistics.mean(sizes[:part]), statistics.mean(sizes[-part:])
    return f"{first:.0f} -> {last:.0f} MB, at most {max(sizes):.0f}"


def is_good(rows: list[tuple[str, str, str]]) -> bool:
    """Whether every figure is as it should be."""
    by_name = {name.partition(" (")[0]: measured for name, measured, _ in rows}
    exact = by_name["documents at the end"] == "exact" and by_name["audit"] == "clean"
    slopes = [float(measured.split()[0]) for name, measured in by_name.items() if name.startswith("slope")]
    return exact and max(slopes) <= MAX_SLOPE_MB


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=60.0)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="trivium-soak-") as folder:
        rows = run(options.minutes, options.seed, Path(folder))
    report("Soak", [lambda: rows])
    sys.exit(0 if is_good(rows) else 1)


if __name__ == "__main__":
    main()
