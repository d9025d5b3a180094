"""Search over HTTP on the servers, and where its time goes."""

from __future__ import annotations

import time

from cluster import INFERENCE, QUERY, Cluster
from filling import fill
from report import Row, p50_p95
from speed import Writer
from urllib3 import connection_from_url

from trivium.adapters.models import connect_models
from trivium.config import load_settings

WARM_UP = 50  # questions: Neo4j plans and compiles while it answers the first ones
FILLED_SEED = 2
SOURCES = ("vector", "keyword", "graph")


def search(cluster: Cluster, passages: int, questions: int) -> list[Row]:
    """Hybrid search of one client over `passages` passages and what was there before.

    `waited` is when the service waited for at least one store or the model; what is left of the whole, as the client
    sees it, is the service's own: HTTP, JSON, ranking. A source's time holds its driver's work, and the vectors' holds
    the question's embedding, which is also measured alone.
    """
    settings = load_settings(cluster.env)
    cluster.stop(*(name for name in cluster.running if name not in (INFERENCE, QUERY)))  # else they ingest what is made
    started = time.perf_counter()
    filled = fill(settings, passages, FILLED_SEED)
    filling_s = time.perf_counter() - started
    writer = Writer(FILLED_SEED)  # the passages' names and words
    asked = [writer.question() for _ in range(WARM_UP + questions)]
    whole: list[float] = []
    told: list[dict[str, float]] = []
    with connection_from_url(cluster.url) as client:  # a client's own work counts, so one that does little
        chunks = client.request("GET", "/v1/status").json()["chunks"]
        for question in asked:
            started = time.perf_counter()
            response = client.request("POST", "/v1/search", json={"query": question, "top_k": 10})
            answer = response.json()
            whole.append(1000 * (time.perf_counter() - started))
            told.append(answer["timings_ms"])
            if response.status != 200 or answer.get("degraded"):
                raise SystemExit(f"A source took no part: {answer}")
    whole, told = whole[WARM_UP:], told[WARM_UP:]
    own = [all_of_it - timings["waited"] for all_of_it, timings in zip(whole, told, strict=True)]
    slowest = [max(timings[source] for source in SOURCES) for timings in told]
    return [
        (f"{filled:,} passages written, named and published", f"{filling_s:.0f} s", ""),
        (f"search over {chunks:,} passages, hybrid, one client", p50_p95(whole), "60 / 150 ms"),
        ("  the service itself: whole less the time that it waited", p50_p95(own), "p50 <= 5 ms"),
        ("  the slowest of the sources, all its reads", p50_p95(slowest), ""),
        *((f"  {source}, all its reads", p50_p95([timings[source] for timings in told]), "") for source in SOURCES),
        ("  the hits' text", p50_p95([timings["load"] for timings in told]), ""),
        ("  embedding a question, alone", p50_p95(_embedding_ms(cluster, asked[WARM_UP:])), ""),
    ]


def _embedding_ms(cluster: Cluster, questions: list[str]) -> list[float]:
    spent = []
    with connect_models(load_settings(cluster.env)) as models:
        for question in questions:
            started = time.perf_counter()
            models.embedder.embed_queries([question])
            spent.append(1000 * (time.perf_counter() - started))
    return spent
