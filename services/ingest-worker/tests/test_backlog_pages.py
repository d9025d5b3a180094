"""The control process tells the backlog over HTTP: for Prometheus, for a scaler, and for people."""

from __future__ import annotations

import json
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager

from prometheus_client.parser import text_string_to_metric_families

from trivium.domain.documents import STAGES, Lane, Stage
from trivium.domain.errors import TryLater
from trivium.flow.backlog import Backlog, Waiting, backlog
from trivium.ports.work_measures import StageCost, WorkerSeen
from trivium_ingest.backlog_pages import backlog_pages
from trivium_ingest.uploads.webhook import webhook

NOW = 1000.0
FOUND = backlog(
    [Waiting(Stage.PARSE, Lane.BACKFILL, 100, NOW - 60)],
    [Waiting(Stage.ENRICH, Lane.BACKFILL, 10, NOW)],
    [StageCost(stage, Lane.BACKFILL, 2.0, 4) for stage in STAGES if stage is not Stage.EMBED],
    [WorkerSeen("a", 2, ("llm.backfill",))],
    {Lane.BACKFILL: 12},
    NOW,
)


class Looked:
    """Answers what it was given, or raises it, and counts."""

    def __init__(self, found: Backlog | Exception) -> None:
        self.found = found
        self.times = 0

    def __call__(self) -> Backlog:
        self.times += 1
        if isinstance(self.found, Exception):
            raise self.found
        return self.found


@contextmanager
def served(look: Looked) -> Iterator[str]:
    with backlog_pages(look) as pages, webhook("127.0.0.1", 0, "secret", lambda _: None, pages) as port:
        yield f"http://127.0.0.1:{port}"


def get(url: str) -> tuple[int, bytes]:
    try:
        with urllib.request.urlopen(url, timeout=5) as answer:
            return answer.status, answer.read()
    except urllib.error.HTTPError as error:
        with error:
            return error.code, error.read()


def values(text: bytes) -> dict[tuple[str, ...], float]:
    return {
        (sample.name, *(sample.labels[name] for name in ("queue", "lane") if name in sample.labels)): sample.value
        for family in text_string_to_metric_families(text.decode())
        for sample in family.samples
    }


def test_prometheus_reads_documents_seconds_and_workers_of_every_queue() -> None:
    with served(Looked(FOUND)) as url:
        status, text = get(f"{url}/metrics")
    found = values(text)
    assert status == 200
    assert found["trivium_backlog_documents", "parse", "backfill"] == 100
    assert found["trivium_backlog_oldest_seconds", "parse", "backfill"] == 60
    assert found["trivium_backlog_work_seconds", "llm", "backfill"] == 55
    assert found["trivium_backlog_seconds", "llm", "backfill"] == 27.5
    assert found["trivium_backlog_workers", "llm", "backfill"] == 2
    assert ("trivium_backlog_work_seconds", "embed", "backfill") not in found, "nobody has measured it"
    assert found["trivium_documents_in_hand", "backfill"] == 2
    assert ("trivium_documents_inflight",) in found


def test_a_scaler_asks_for_the_queues_of_its_worker() -> None:
    look = Looked(FOUND)
    with served(look) as url:
        total = json.loads(get(f"{url}/backlog?queues=llm,llm.backfill")[1])["total"]
        whole = json.loads(get(f"{url}/backlog")[1])
    assert total == {
        "documents": 10,
        "active_documents": 12,
        "oldest_s": 0.0,
        "work_s": 55.0,
        "measured": True,
        "workers": 2,
        "seconds": 27.5,
    }
    assert whole["total"]["documents"] == 110
    assert whole["costs"]["parse:backfill"] == 0.5
    assert look.times == 1, "who asks soon again is told the same"


def test_nonsense_is_refused_and_a_server_that_is_away_is_told() -> None:
    with served(Looked(TryLater("redis_down", "Redis did not answer.", "Start it."))) as url:
        assert get(f"{url}/backlog?queues=llm;drop")[0] == 400
        assert get(f"{url}/backlog?{'&'.join(f'a{n}=1' for n in range(100))}")[0] == 400
        assert get(f"{url}/backlogs")[0] == 404
        assert get(f"{url}//[")[0] in (400, 404)
        assert get(f"{url}/healthz")[0] == 200
        status, told = get(f"{url}/backlog")
        assert (status, json.loads(told)["code"]) == (503, "redis_down")
        assert values(get(f"{url}/metrics")[1])["trivium_backlog_readable",] == 0
