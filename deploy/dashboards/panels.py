"""What the dashboards show: each panel a question, its unit and its expressions; nothing of how Grafana writes them."""

from __future__ import annotations

from typing import Final, NamedTuple

SECONDS, PER_SECOND, COUNT, SHARE, BYTES, DATE = "s", "ops", "short", "percentunit", "bytes", "dateTimeAsIso"


class Line(NamedTuple):
    """One expression, and what its series are called."""

    expr: str
    legend: str = ""


class Panel(NamedTuple):
    """One graph. `quiet` says when it rightly shows nothing: "" where it must always have data."""

    title: str
    unit: str
    lines: tuple[Line, ...]
    tells: str = ""
    quiet: str = ""


class Board(NamedTuple):
    """One dashboard."""

    name: str
    title: str
    panels: tuple[Panel, ...]


def quantile(q: float, histogram: str, by: str) -> Line:
    """Of a histogram, over five minutes."""
    inner = f"sum by (le, {by}) (rate({histogram}_bucket[5m]))"
    return Line(f"histogram_quantile({q}, {inner})", f"p{round(q * 100)} {{{{{by}}}}}")


def rate(counter: str, by: str) -> Line:
    """A second, over five minutes."""
    return Line(f"sum by ({by}) (rate({counter}[5m]))", f"{{{{{by}}}}}")


def mean(histogram: str, by: str) -> Line:
    """Seconds of one, over five minutes."""
    return Line(
        f"sum by ({by}) (rate({histogram}_sum[5m])) / sum by ({by}) (rate({histogram}_count[5m]))", f"{{{{{by}}}}}"
    )


_NO_FAULT: Final = "nothing failed"
_NO_MODEL: Final = "no language model is configured"
_NOT_SERVED: Final = "models run in the processes that use them, without an inference service"
_NO_CONTROL: Final = "no control process: the embedded product"
_NO_CONNECTION: Final = "nothing is connected"
_NO_WORKERS: Final = "no workers: the embedded product"
BOARDS: Final = (
    Board(
        "ingest",
        "Trivium: ingest",
        (
            Panel("Documents that came to an end", PER_SECOND, (rate("trivium_documents_total", "state"),)),
            Panel(
                "Failed, by reason",
                PER_SECOND,
                (Line('sum by (code) (rate(trivium_documents_total{state="failed"}[5m]))', "{{code}}"),),
                quiet=_NO_FAULT,
            ),
            Panel("Documents in flight", COUNT, (Line("max(trivium_documents_inflight)", "in flight"),)),
            Panel("Passages indexed", PER_SECOND, (Line("sum(rate(trivium_chunks_indexed_total[5m]))", "passages"),)),
            Panel("Stage of a batch, median", SECONDS, (quantile(0.5, "trivium_stage_seconds", "stage"),)),
            Panel("Stage of a batch, slow", SECONDS, (quantile(0.95, "trivium_stage_seconds", "stage"),)),
            Panel(
                "Stages that were done before",
                PER_SECOND,
                (rate("trivium_stage_skipped_total", "stage"),),
                "What a retry need not repeat.",
                "nothing was repeated",
            ),
            Panel(
                "Looks at connections",
                PER_SECOND,
                (Line("sum by (kind, outcome) (rate(trivium_connection_looks_total[5m]))", "{{kind}} {{outcome}}"),),
                quiet=_NO_CONNECTION,
            ),
            Panel(
                "Files of connections",
                PER_SECOND,
                (Line("sum by (kind, change) (rate(trivium_connection_documents_total[5m]))", "{{kind}} {{change}}"),),
                quiet=_NO_CONNECTION,
            ),
            Panel(
                "Workers' seconds since the last canary",
                SECONDS,
                (
                    Line(
                        "time() - max by (instance, pod) (trivium_worker_canary_timestamp_seconds > 0)",
                        "{{pod}} {{instance}}",
                    ),
                ),
                quiet=_NO_WORKERS,
            ),
        ),
    ),
    Board(
        "queues",
        "Trivium: queues",
        (
            Panel(
                "Backlog in seconds",
                SECONDS,
                (Line("max by (queue, lane) (trivium_backlog_seconds)", "{{queue}} {{lane}}"),),
                "Measured work that waits, divided by the workers of its queue.",
                _NO_CONTROL,
            ),
            Panel(
                "Documents that wait",
                COUNT,
                (Line("max by (queue, lane) (trivium_backlog_documents)", "{{queue}} {{lane}}"),),
                quiet=_NO_CONTROL,
            ),
            Panel(
                "Oldest that waits",
                SECONDS,
                (Line("max by (queue, lane) (trivium_backlog_oldest_seconds)", "{{queue}} {{lane}}"),),
                quiet=_NO_CONTROL,
            ),
            Panel(
                "Workers of a queue",
                COUNT,
                (Line("max by (queue, lane) (trivium_backlog_workers)", "{{queue}} {{lane}}"),),
                quiet=_NO_CONTROL,
            ),
            Panel(
                "Documents in hand",
                COUNT,
                (Line("max by (lane) (trivium_documents_in_hand)", "{{lane}}"),),
                "Claimed and in no queue: a lane that fills all workers keeps the others waiting.",
                _NO_CONTROL,
            ),
            Panel(
                "Gave way to a busy language model",
                PER_SECOND,
                (Line("sum by (stage, lane) (rate(trivium_llm_gave_way_total[5m]))", "{{stage}} {{lane}}"),),
                "Each comes back within seconds; nothing failed.",
                "nothing gave way",
            ),
            Panel(
                "Task: stage, records and artifacts",
                SECONDS,
                (mean("trivium_task_seconds", "stage"),),
                quiet=_NO_WORKERS,
            ),
            Panel(
                "Worker idle while a task was sent",
                SECONDS,
                (mean("trivium_queue_seconds", "stage"),),
                quiet=_NO_WORKERS,
            ),
        ),
    ),
    Board(
        "query",
        "Trivium: questions",
        (
            Panel("Requests", PER_SECOND, (rate("trivium_requests_total", "method"),)),
            Panel(
                "Requests by result",
                PER_SECOND,
                (rate('trivium_requests_total{method!~"GET /(healthz|readyz|metrics)"}', "code"),),
                "Without probes and scrapes.",
            ),
            Panel("Request, median", SECONDS, (quantile(0.5, "trivium_request_seconds", "method"),)),
            Panel("Request, slow", SECONDS, (quantile(0.95, "trivium_request_seconds", "method"),)),
            Panel("Retrieval source, median", SECONDS, (quantile(0.5, "trivium_retrieval_source_seconds", "source"),)),
            Panel("Retrieval source, slow", SECONDS, (quantile(0.95, "trivium_retrieval_source_seconds", "source"),)),
            Panel(
                "Sources that were left out",
                PER_SECOND,
                (
                    Line(
                        "sum by (source, reason) (rate(trivium_retrieval_source_failed_total[5m]))",
                        "{{source}} {{reason}}",
                    ),
                ),
                quiet=_NO_FAULT,
            ),
            Panel("Steps of an answer", SECONDS, (mean("trivium_query_seconds", "step"),)),
            Panel("Answers by verdict", PER_SECOND, (rate("trivium_answers_total", "verdict"),)),
            Panel(
                "Answers made without a part",
                PER_SECOND,
                (rate("trivium_answers_degraded_total", "part"),),
                quiet=_NO_FAULT,
            ),
        ),
    ),
    Board(
        "inference",
        "Trivium: inference",
        (
            Panel(
                "Waiting", COUNT, (Line("sum by (engine) (trivium_inference_queued)", "{{engine}}"),), quiet=_NOT_SERVED
            ),
            Panel(
                "Wait of an item, slow",
                SECONDS,
                (quantile(0.95, "trivium_inference_wait_seconds", "engine"),),
                quiet=_NOT_SERVED,
            ),
            Panel(
                "Batch in the model", SECONDS, (mean("trivium_inference_batch_seconds", "engine"),), quiet=_NOT_SERVED
            ),
            Panel("Size of a batch", COUNT, (mean("trivium_inference_batch_cost", "engine"),), quiet=_NOT_SERVED),
            Panel(
                "Items by outcome",
                PER_SECOND,
                (Line("sum by (engine, outcome) (rate(trivium_inference_items_total[5m]))", "{{engine}} {{outcome}}"),),
                quiet=_NOT_SERVED,
            ),
            Panel(
                "The last batch went through",
                COUNT,
                (Line("min by (engine) (trivium_inference_healthy)", "{{engine}}"),),
                quiet=_NOT_SERVED,
            ),
            Panel(
                "Language model, slow calls", SECONDS, (quantile(0.95, "trivium_llm_seconds", "llm"),), quiet=_NO_MODEL
            ),
            Panel(
                "Language model, failed calls",
                PER_SECOND,
                (Line("sum by (llm, code) (rate(trivium_llm_failed_total[5m]))", "{{llm}} {{code}}"),),
                quiet=_NO_FAULT,
            ),
        ),
    ),
    Board(
        "stores",
        "Trivium: stores",
        (
            Panel(
                "Calls of ingest, mean",
                SECONDS,
                (
                    Line(
                        "sum by (store, operation) (rate(trivium_store_seconds_sum[5m]))"
                        " / sum by (store, operation) (rate(trivium_store_seconds_count[5m]))",
                        "{{store}} {{operation}}",
                    ),
                ),
            ),
            Panel("Calls of ingest", PER_SECOND, (rate("trivium_store_seconds_count", "store"),)),
            Panel("Calls that failed", PER_SECOND, (rate("trivium_store_failed_total", "store"),), quiet=_NO_FAULT),
            Panel(
                "Drift",
                COUNT,
                (
                    Line(  # a series that was not there an hour ago begins with its first drift, which is no increase
                        "sum by (store, found_by) (max_over_time(trivium_store_drift_total[1h])"
                        " unless max_over_time(trivium_store_drift_total[1h] offset 1h)"
                        " or increase(trivium_store_drift_total[1h]))",
                        "{{store}} {{found_by}}",
                    ),
                ),
                "How often in an hour a store held not what it should.",
                "no store drifted",
            ),
            Panel(
                "Free on a volume",
                SHARE,
                (
                    Line(
                        "min by (instance, volume) (trivium_disk_free_bytes / trivium_disk_size_bytes)",
                        "{{volume}} {{instance}}",
                    ),
                ),
            ),
            Panel(
                "Days until a certificate ends",
                COUNT,
                (
                    Line(
                        "(min by (server) (trivium_certificate_expiry_timestamp_seconds) - time()) / 86400",
                        "{{server}}",
                    ),
                ),
                quiet="no server is talked to over TLS",
            ),
        ),
    ),
    Board(
        "cost",
        "Trivium: cost",
        (
            Panel(
                "Tokens of language models",
                PER_SECOND,
                (Line("sum by (llm, direction) (rate(trivium_llm_tokens_total[5m]))", "{{llm}} {{direction}}"),),
                quiet=_NO_MODEL,
            ),
            Panel(
                "Tokens in 24 hours",
                COUNT,
                (Line("sum by (llm, direction) (increase(trivium_llm_tokens_total[24h]))", "{{llm}} {{direction}}"),),
                quiet=_NO_MODEL,
            ),
            Panel(
                "Seconds of work of one passage",
                SECONDS,
                (
                    Line(
                        "sum(rate(trivium_stage_seconds_sum[1h])) / sum(rate(trivium_chunks_indexed_total[1h]))",
                        "ingest",
                    ),
                ),
            ),
            Panel(
                "Cores used",
                COUNT,
                (Line("sum by (instance, job) (rate(process_cpu_seconds_total[5m]))", "{{job}} {{instance}}"),),
            ),
            Panel(
                "Memory",
                BYTES,
                (Line("sum by (instance, job) (process_resident_memory_bytes)", "{{job}} {{instance}}"),),
            ),
            Panel("Spans lost", PER_SECOND, (Line("sum(rate(trivium_spans_lost_total[5m]))", "spans"),)),
        ),
    ),
)
