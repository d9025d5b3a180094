"""Queues: which a worker looks into, and in which order."""

from __future__ import annotations

from trivium.domain.documents import STAGES, Lane, Stage
from trivium.flow.queues import consumed_by, queue_of


def test_uploads_come_before_a_backfill_and_late_stages_before_early_ones() -> None:
    assert consumed_by(STAGES) == [
        *("index", "graph", "embed", "llm", "parse"),
        *("index.backfill", "graph.backfill", "embed.backfill", "llm.backfill", "parse.backfill"),
    ]


def test_a_worker_of_some_stages_looks_into_their_queues_alone() -> None:
    assert consumed_by({Stage.EXTRACT, Stage.LINK}) == ["graph", "graph.backfill"]


def test_stages_that_share_a_queue_are_done_by_the_same_worker() -> None:
    """A worker that takes a message whose task it does not know throws it away."""
    graph = {Stage.EXTRACT, Stage.LINK}
    ingest = set(STAGES) - graph
    for lane in Lane:
        assert not {queue_of(stage, lane) for stage in graph} & {queue_of(stage, lane) for stage in ingest}
