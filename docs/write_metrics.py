"""Write docs/metrics.md from the metrics themselves. With --check: fail when the committed one is stale."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import msgspec
from prometheus_client.metrics import MetricWrapperBase
from prometheus_client.metrics_core import Metric
from written import write_or_check

from trivium import telemetry
from trivium.config import Settings
from trivium.flow.backlog import Backlog
from trivium.watching.scraped import collectors
from trivium_ingest.backlog_pages import BacklogCollector

TARGET = Path(__file__).parent / "metrics.md"
HEAD = """# Metrics

Every process tells Prometheus its metrics, without a setting:

| process | where |
|---|---|
| `trivium serve`, `trivium-query-api` | `/metrics` of the HTTP address (`:8080`) |
| `trivium-ingest-control` | `/metrics` of its webhook's address (`TRIVIUM_EVENTS_PORT`, `:8081`) |
| `trivium-gpu-inference` | `TRIVIUM_INFERENCE_METRICS_PORT` (`:9192`) |
| `trivium-ingest-worker`, `trivium-graph-worker` | `TRIVIUM_WORKER_METRICS_PORT` (`:9193`; in the chart `:9100`), each process of a worker at a port of its own; a port that is taken is passed over for the next |

A unit is in the name: `_seconds`, `_bytes`, `_timestamp_seconds` (Unix time); `_total` only grows. A histogram has `_bucket`, `_sum` and `_count`.
No label holds what a caller or a document brought, no name, tenant or text: what each may hold stands in
[labels.py](../libs/trivium/src/trivium/watching/labels.py). Beside these each process has `process_*` (CPU, memory, open files) and `python_*`.
What to do when a number is bad: [alerts.md](alerts.md). The dashboards: [panels.py](../deploy/dashboards/panels.py), as Grafana's JSON in
`deploy/helm/trivium/files/dashboards`: import them, or `monitoring.dashboards.enabled` in the chart.

| metric | kind | labels | what it tells |
|---|---|---|---|
"""
FOOT = """
Written by `docs/write_metrics.py`.
"""


class Row(msgspec.Struct, frozen=True, order=True):
    """One metric."""

    name: str
    kind: str
    labels: tuple[str, ...]
    text: str


def rows() -> Iterator[Row]:
    """Every metric of ours, whichever process tells it."""
    for metric in vars(telemetry).values():
        if isinstance(metric, MetricWrapperBase):
            told = next(iter(metric.describe()))
            yield _row(told, metric._labelnames)  # nothing public tells them before there is a sample
    for collector in (*collectors(Settings()), BacklogCollector(lambda: Backlog((), {}, {}))):
        for told in getattr(collector, "describe", collector.collect)():
            yield _row(told, told._labelnames)


def _row(told: Metric, labels: tuple[str, ...]) -> Row:
    name = f"{told.name}_total" if told.type == "counter" else told.name
    return Row(name, told.type, tuple(labels), told.documentation)


def document() -> str:
    """The page."""
    return HEAD + "".join(map(_line, sorted(rows()))) + FOOT


def _line(row: Row) -> str:
    labels = " ".join(f"`{label}`" for label in row.labels)
    return f"| `{row.name}` | {row.kind} | {labels} | {row.text} |\n"


if __name__ == "__main__":
    write_or_check(TARGET, document())
