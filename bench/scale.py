"""What a corpus needs: workers, cores, GPUs, disk, hours and money, from costs that were measured; a calculation.

`python bench/scale.py --days 7 --core-hour 0.04 --gb-month 0.08` prints the tables of docs/scale.md. Nothing is run:
the costs are those of bench/RESULTS.md, named beside each constant; prices and what was not measured are arguments.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Sequence
from typing import NamedTuple

SIZES = (1_000_000, 10_000_000, 100_000_000)
WORKERS = (1, 2, 4, 8, 16, 32)
SERVER_CORES = (2, 8, 32)
BUSY = 0.8  # of what is bought; the rest is for bursts, restarts and questions
HOURS_A_DAY = 24

# "Backfill on servers", machine A, 2026-11-21, the run at load 0.8 / 3.5: 2,000 pages of 2 kB, 2 passages each.
# CPU of a passage, seconds: all of it 33.8 ms; what the table does not name is the five servers'.
ALL_S, MODEL_S, CONTROL_S, WORKERS_S = 0.0338, 0.0139, 0.0015, 0.0060
SERVERS_S = ALL_S - MODEL_S - CONTROL_S - WORKERS_S
# Wall time of a passage in a worker: three workers made 46.6 passages a second, and so much of their time went there.
TIME_S = 3 / 46.6
INGEST_SHARE = 0.058 + 0.089 + 0.032  # parse, publish, index; what embedding waits for is the model's, below
GRAPH_SHARE = 0.057 + 0.023  # link, extract
QUEUE_SHARE = 0.102  # queue, artifacts, records: of the three tasks of a batch two are the ingest worker's
INGEST_S = TIME_S * (INGEST_SHARE + QUEUE_SHARE * 2 / 3) + MODEL_S
GRAPH_S = TIME_S * (GRAPH_SHARE + QUEUE_SHARE / 3)
PAGE_S = 0.90  # "Parts": 34 scanned pages of UDA, OCR in int8, CPU of a page
# "Growth", machine B, 2026-11-24, embedded: 4,857 MB on disk for 100,000 passages, sentences' vectors included.
DISK_BYTES = 48_570
# Arithmetic: a vector of 384 numbers of four bytes, which Milvus keeps in memory with an index of some links on top.
VECTOR_BYTES = 384 * 4


class Prices(NamedTuple):
    """In one currency."""

    core_hour: float
    gb_month: float
    gpu_hour: float = 0.0


class Corpus(NamedTuple):
    """`passages` and scanned `pages` of a document on the average; `copies` of everything on disk."""

    documents: int
    passages: float = 2.0
    pages: float = 0.0
    copies: int = 1


class Need(NamedTuple):
    """For one corpus. Workers are processes of one task each; cores are of machine A."""

    documents: int
    hours: float
    ingest_workers: int
    graph_workers: int
    model_cores: int
    gpus: int
    server_cores: int
    worker_cores: int
    disk_gb: float
    vectors_gb: float
    once: float
    monthly: float


def need(corpus: Corpus, days: float, prices: Prices, gpu_passages_s: float = 0.0) -> Need:
    """To take it in in so many days.

    With `gpu_passages_s`, what a GPU embeds in a second, passages are embedded on GPUs; OCR stays on cores.
    """
    hours, passages = days * HOURS_A_DAY, corpus.documents * corpus.passages
    rate, pages = (count / (hours * 3600) / BUSY for count in (passages, corpus.documents * corpus.pages))
    gpus = math.ceil(rate / gpu_passages_s) if gpu_passages_s else 0
    model = math.ceil((0.0 if gpus else rate * MODEL_S) + pages * PAGE_S)
    workers, servers = math.ceil(rate * (WORKERS_S + CONTROL_S)), math.ceil(rate * SERVERS_S)
    disk_gb = passages * DISK_BYTES * corpus.copies / 1e9
    cores = model + workers + servers
    return Need(
        documents=corpus.documents,
        hours=hours,
        ingest_workers=math.ceil(rate * INGEST_S + pages * PAGE_S),
        graph_workers=math.ceil(rate * GRAPH_S),
        model_cores=model,
        gpus=gpus,
        server_cores=servers,
        worker_cores=workers,
        disk_gb=disk_gb,
        vectors_gb=passages * VECTOR_BYTES / 1e9,
        once=hours * (cores * prices.core_hour + gpus * prices.gpu_hour),
        monthly=disk_gb * prices.gb_month,
    )


def throughput(workers: int, server_cores: int) -> float:
    """Passages a second of so many ingest workers, each with a model of its own, on servers of so many cores.

    Mean value analysis of a closed queueing network (Reiser and Lavenberg 1980): a worker's own time is a delay, the
    servers a queue; of several cores, after Seidmann, Schweitzer and Shalev-Oren (1987). Graph workers follow.
    """
    queue_s = SERVERS_S / server_cores
    own_s = INGEST_S - SERVERS_S + SERVERS_S * (server_cores - 1) / server_cores
    waiting = rate = 0.0
    for count in range(1, workers + 1):
        there_s = queue_s * (1 + waiting)
        rate = count / (own_s + there_s)
        waiting = rate * there_s
    return rate


def needs_table(needs: Sequence[Need]) -> str:
    """As Markdown."""
    lines = [
        "| documents | hours | ingest / graph workers | their cores | model: cores / GPUs | servers' cores"
        " | on disk, GB | vectors in memory, GB | taking in | a month |",
        f"|{'---|' * 10}",
    ]
    lines += [
        f"| {n.documents:,} | {n.hours:,.0f} | {n.ingest_workers:,} / {n.graph_workers:,}"
        f" | {n.worker_cores:,} | {n.model_cores:,} / {n.gpus:,}"
        f" | {n.server_cores:,} | {n.disk_gb:,.0f} | {n.vectors_gb:,.1f} | {n.once:,.0f} | {n.monthly:,.0f} |"
        for n in needs
    ]
    return "\n".join(lines)


def curve_table() -> str:
    """As Markdown: passages a second, and how many times those of one worker."""
    lines = [
        f"| ingest workers | {' | '.join(f'servers of {cores} cores' for cores in SERVER_CORES)} |",
        f"|---|{'---|' * len(SERVER_CORES)}",
    ]
    for count in WORKERS:
        cells = (
            f"{throughput(count, cores):,.0f}/s, x {throughput(count, cores) / throughput(1, cores):.2f}"
            for cores in SERVER_CORES
        )
        lines.append(f"| {count} | {' | '.join(cells)} |")
    return "\n".join(lines)


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--documents", type=int, nargs="+", default=SIZES, metavar="N")
    parser.add_argument("--passages", type=_positive, default=2.0, metavar="N", help="a document")
    parser.add_argument("--pages", type=_price, default=0.0, metavar="N", help="scanned, that OCR reads, a document")
    parser.add_argument("--days", type=_positive, default=7.0, help="that taking it in may last")
    parser.add_argument("--core-hour", type=_price, required=True, metavar="PRICE")
    parser.add_argument("--gb-month", type=_price, required=True, metavar="PRICE")
    parser.add_argument("--gpu-hour", type=_price, default=0.0, metavar="PRICE")
    parser.add_argument(
        "--gpu-passages", type=_price, default=0.0, metavar="N/s", help="that one GPU embeds; not measured here"
    )
    parser.add_argument("--copies", type=int, default=1, help="of everything on disk")
    given = parser.parse_args()
    if min(given.documents) < 1 or given.copies < 1:
        parser.error("--documents and --copies are at least 1")
    prices = Prices(given.core_hour, given.gb_month, given.gpu_hour)
    corpora = [Corpus(count, given.passages, given.pages, given.copies) for count in given.documents]
    needs = [need(corpus, given.days, prices, given.gpu_passages) for corpus in corpora]
    print(f"{needs_table(needs)}\n\n{curve_table()}")


def _positive(text: str) -> float:
    value = float(text)
    if not 0 < value < math.inf:
        raise argparse.ArgumentTypeError("a number above zero, please")
    return value


def _price(text: str) -> float:
    value = float(text)
    if not 0 <= value < math.inf:
        raise argparse.ArgumentTypeError("a number that is not negative, please")
    return value


if __name__ == "__main__":
    main()
