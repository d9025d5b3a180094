"""Embedding speed: `python bench/embed.py [--passages 96] [--threads N] [--backend openvino|torch]`.

Per back end, each in a process of its own: passages of 180 words a second, milliseconds for one query (alone,
16 at once, and while passages are embedded), and resident memory. Needs no network and no data.
"""

from __future__ import annotations

import argparse
import json
import random
import subprocess
import sys
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

WORDS_PER_PASSAGE = 180
QUERY = "who was president of the association that published the first journal?"
VOCABULARY = (
    "the of and in to a was is for as on by with from at it that are were his an be this which or has had also not"
    " first city river people system government university history world language national company population film"
    " album season team music century school family art science water church number part power area group year day"
    " railway station bridge museum island mountain university professor engineer president election parliament war"
)


def main() -> None:
    arguments = _arguments()
    if arguments.measure:
        print(json.dumps(measure(arguments.measure, arguments.passages, arguments.threads, Path(arguments.cache))))
        return
    print(f"{'':10} {'passages/s':>10} {'per cpu-s':>10} {'query ms':>9} {'16 at once':>11} {'busy':>7} {'MB':>6}")
    with tempfile.TemporaryDirectory() as cache:
        for backend in [arguments.backend] if arguments.backend else ["openvino", "torch"]:
            command = [sys.executable, __file__, "--measure", backend, "--cache", cache]
            command += ["--passages", str(arguments.passages), "--threads", str(arguments.threads)]
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            if done.returncode:
                print(f"{backend:10} not available: {(done.stderr.strip().splitlines() or ['?'])[-1][:90]}")
                continue
            found = json.loads(done.stdout.splitlines()[-1])
            print(
                f"{backend:10} {found['rate']:10.1f} {found['rate_cpu']:10.1f} {found['query']:9.1f}"
                f" {found['sixteen']:11.1f} {found['busy']:7.1f} {found['mb']:6.0f}  {found['name']}"
            )


def measure(backend: str, count: int, threads: int, cache: Path) -> dict[str, float | str]:
    from trivium.ports.inference import Passage
    from trivium.text.sentences import split_sentences
    from trivium_inference.embed import EmbedOptions, build_embedder

    embedder = build_embedder(EmbedOptions(cache, backend=backend, threads=threads))  # type: ignore[arg-type]
    passages = [Passage(text, "", split_sentences(text)) for text in make_passages(count)]
    embedder.embed_passages(passages[:8])
    embedder.embed_queries([QUERY])

    rate, rate_cpu = 0.0, 0.0
    for _ in range(3):
        wall, cpu = time.perf_counter(), time.process_time()
        embedder.embed_passages(passages)
        rate = max(rate, count / (time.perf_counter() - wall))
        rate_cpu = max(rate_cpu, count / (time.process_time() - cpu))

    def one(_: int = 0) -> float:
        start = time.perf_counter()
        embedder.embed_queries([QUERY])
        return (time.perf_counter() - start) * 1e3

    alone = median([one() for _ in range(50)])
    with ThreadPoolExecutor(16) as pool:
        sixteen = median(list(pool.map(one, range(320))))
    ingest = threading.Thread(target=embedder.embed_passages, args=(passages,))
    ingest.start()
    busy = median([one() for _ in range(50)])
    ingest.join()
    return {
        "name": embedder.fingerprint,
        "rate": rate,
        "rate_cpu": rate_cpu,
        "query": alone,
        "sixteen": sixteen,
        "busy": busy,
        "mb": resident_mb(),
    }


def make_passages(count: int) -> list[str]:
    """Passages of 180 words in sentences of 8 to 24, the same at every run."""
    chance = random.Random(7)
    vocabulary = VOCABULARY.split()
    passages = []
    for _ in range(count):
        words = [chance.choice(vocabulary) for _ in range(WORDS_PER_PASSAGE)]
        at = 0
        while at < len(words):
            words[at] = words[at].capitalize()
            at += chance.randint(8, 24)
            words[min(at, len(words)) - 1] += "."
        passages.append(" ".join(words))
    return passages


def median(values: list[float]) -> float:
    return sorted(values)[len(values) // 2]


def resident_mb() -> float:
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmRSS"):
            return int(line.split()[1]) / 1024
    return 0.0


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--passages", type=int, default=96)
    parser.add_argument("--threads", type=int, default=0, help="0: one per usable core")
    parser.add_argument("--backend", choices=["openvino", "torch"])
    parser.add_argument("--measure", help=argparse.SUPPRESS)
    parser.add_argument("--cache", default="", help=argparse.SUPPRESS)
    return parser.parse_args()


if __name__ == "__main__":
    main()
