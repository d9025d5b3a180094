"""Metrics: one place for their names, so that dashboards survive refactoring; and how a fault of ours is told."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager

import structlog
from prometheus_client import Counter, Gauge, Histogram

from trivium.domain.errors import TriviumError
from trivium.full_disk import full_disk

_FAST = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0)

STAGE_SECONDS = Histogram(
    "trivium_stage_seconds", "Time of one ingest stage of one batch of documents", ["stage"], buckets=_FAST
)
TASK_SECONDS = Histogram(
    "trivium_task_seconds", "Time of one task: the stage, its records and its artifacts", ["stage"], buckets=_FAST
)
QUEUE_SECONDS = Histogram(
    "trivium_queue_seconds",
    "Time of a worker's process without a task while one was sent to it",
    ["stage"],
    buckets=_FAST,
)
ARTIFACT_SECONDS = Histogram(
    "trivium_artifact_seconds", "Time of one request for an artifact", ["operation"], buckets=_FAST
)
STAGE_SKIPPED = Counter("trivium_stage_skipped_total", "Stages whose artifact existed already", ["stage"])
DOCUMENTS = Counter(
    "trivium_documents_total", "Documents that came to an end, by it and the failure's code", ["state", "code"]
)
DRIFT = Counter("trivium_store_drift_total", "Times a store held not what it should", ["store", "found_by"])
CHUNKS = Counter("trivium_chunks_indexed_total", "Chunks written to the stores")
INFLIGHT = Gauge("trivium_documents_inflight", "Documents claimed and not yet terminal, of all processes")
SOURCE_SECONDS = Histogram(
    "trivium_retrieval_source_seconds",
    "Time of one retrieval source for one query",
    ["source"],
    buckets=_FAST,
)
SOURCE_FAILED = Counter("trivium_retrieval_source_failed_total", "Sources dropped from an answer", ["source", "reason"])
QUERY_SECONDS = Histogram("trivium_query_seconds", "Time of one step of a query", ["step"], buckets=_FAST)
ANSWERS = Counter("trivium_answers_total", "Answers by engine and verdict", ["engine", "verdict"])
ANSWERS_DEGRADED = Counter(
    "trivium_answers_degraded_total", "Answers made without a part of what they are made with", ["part"]
)
LLM_SECONDS = Histogram(
    "trivium_llm_seconds", "Time of one call of a language model, retries included", ["llm"], buckets=_FAST
)
LLM_FAILED = Counter("trivium_llm_failed_total", "Calls of a language model that failed", ["llm", "code"])
LLM_TOKENS = Counter("trivium_llm_tokens_total", "Tokens of language models, also of ingest", ["llm", "direction"])
STORE_SECONDS = Histogram(
    "trivium_store_seconds",
    "Time of one call that writes to a store or reads back from it",
    ["store", "operation"],
    buckets=_FAST,
)
STORE_FAILED = Counter("trivium_store_failed_total", "Such calls that failed", ["store", "operation"])
SPANS_LOST = Counter("trivium_spans_lost_total", "Spans of traces that the collector did not take")
CANARY = Gauge(
    "trivium_worker_canary_timestamp_seconds", "When a canary task last came to this worker through the broker"
)
CONNECTION_LOOKS = Counter(
    "trivium_connection_looks_total",
    "Looks at connections: done to the end (single files may have failed), failed, abandoned",
    ["kind", "outcome"],
)
CONNECTION_LOOK_SECONDS = Histogram(
    "trivium_connection_look_seconds", "Time of one look at a connection", ["kind"], buckets=(*_FAST, 300, 1800, 7200)
)
CONNECTION_DOCUMENTS = Counter(
    "trivium_connection_documents_total", "Files of connections: stored, deleted, failed", ["kind", "change"]
)
CONNECTION_LOOKED = Gauge(
    "trivium_connection_looked_timestamp_seconds",
    "When this process last looked at a connection of the kind to its end",
    ["kind"],
)
CONNECTION_FAILING = Gauge(
    "trivium_connection_failing_seconds",
    "How long every look at one and the same connection of the kind has failed, of those with a schedule; else 0",
    ["kind"],
)
REQUESTS = Counter("trivium_requests_total", "Requests by protocol, method and result", ["protocol", "method", "code"])
REQUEST_SECONDS = Histogram("trivium_request_seconds", "Time of one request", ["protocol", "method"], buckets=_FAST)
GAVE_WAY = Counter(
    "trivium_llm_gave_way_total", "Documents that waited because the language model was busy", ["stage", "lane"]
)
REQUESTS_INFLIGHT = Gauge("trivium_requests_inflight", "Requests that are being served, over HTTP and gRPC")
INFERENCE_QUEUED = Gauge("trivium_inference_queued", "Tokens (or items) waiting for an engine", ["engine"])
INFERENCE_WAIT_SECONDS = Histogram(
    "trivium_inference_wait_seconds", "Time of one item in the queue", ["engine"], buckets=_FAST
)
INFERENCE_BATCH_COST = Histogram(
    "trivium_inference_batch_cost", "Tokens (or items) of one batch", ["engine"], buckets=[2**n for n in range(18)]
)
INFERENCE_BATCH_SECONDS = Histogram(
    "trivium_inference_batch_seconds", "Time of one batch in the engine", ["engine"], buckets=_FAST
)
INFERENCE_ITEMS = Counter(
    "trivium_inference_items_total", "Items by outcome: done, failed, abandoned, late, refused", ["engine", "outcome"]
)
INFERENCE_HEALTHY = Gauge("trivium_inference_healthy", "Whether the engine's last batch went through", ["engine"])
CANARY_LIMIT = Gauge(
    "trivium_worker_canary_limit_seconds", "How long a canary may take at most: as long as the longest task"
)


@contextmanager
def timed(histogram: Histogram, *labels: str) -> Iterator[None]:
    """Observe the seconds that the block takes, also when it raises."""
    started = time.perf_counter()
    try:
        yield
    finally:
        histogram.labels(*labels).observe(time.perf_counter() - started)


def told_fault(error: BaseException, request_id: str) -> TriviumError:
    """Log a fault of ours; the caller hears how to report it, and nothing of its insides. A full disk is `TryLater`."""
    structlog.get_logger().error("internal_error", trace=request_id, exc_info=error)
    return full_disk(error) or TriviumError(
        "internal",
        "Something went wrong inside Trivium.",
        f"Try again; if it stays, report request {request_id} with the server's log.",
    )
