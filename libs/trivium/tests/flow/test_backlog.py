"""The backlog in documents and in seconds, from what waits and what was measured."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trivium.domain.documents import STAGES, Lane, Stage
from trivium.flow.backlog import Backlog, QueueBacklog, Waiting, backlog, summary
from trivium.flow.pipeline import Worker, stages_of
from trivium.flow.queues import consumed_by, consumed_in_turn_by
from trivium.ports.work_measures import StageCost, WorkerSeen

NOW = 1000.0
COSTS = [StageCost(stage, Lane.BACKFILL, seconds=2.0, documents=4) for stage in STAGES]
IN_HAND = dict.fromkeys(Lane, 0)
GRAPH = ("graph", "graph.backfill", "llm.graph")


def queue(found: Backlog, name: str) -> QueueBacklog:
    return next(each for each in found.queues if each.queue == name)


def test_what_waits_to_be_parsed_is_work_for_every_resource_behind_it() -> None:
    pending = [Waiting(Stage.PARSE, Lane.BACKFILL, 100, NOW - 60)]
    queued = [Waiting(Stage.EXTRACT, Lane.BACKFILL, 16, NOW - 5), Waiting(Stage.EXTRACT, Lane.BACKFILL, 4, NOW - 9)]
    workers = [WorkerSeen("a", 2, GRAPH), WorkerSeen("b", 1, GRAPH)]
    found = backlog(pending, queued, COSTS, workers, IN_HAND | {Lane.BACKFILL: 23}, NOW)
    parse, graph = queue(found, "parse.backfill"), queue(found, "graph.backfill")
    assert (parse.documents, parse.oldest_s, parse.work_s, parse.workers, parse.seconds) == (100, 60, 50, 0, None)
    assert (graph.documents, graph.oldest_s, graph.workers) == (20, 9, 3)
    assert graph.work_s == 120 * 2 * 0.5  # extract and link of all of them
    assert graph.seconds == graph.work_s / 3
    assert queue(found, "parse").documents == 0
    assert queue(found, "parse").work_s == 0
    assert found.in_hand[Lane.BACKFILL] == 3


def test_what_nobody_has_measured_is_not_guessed() -> None:
    waiting = [Waiting(Stage.ENRICH, Lane.BACKFILL, 10, NOW)]
    known = [cost for cost in COSTS if cost.stage is not Stage.EMBED]
    found = backlog(waiting, [], known, [], IN_HAND, NOW)
    assert queue(found, "llm.backfill").work_s == 5
    assert queue(found, "embed.backfill").work_s is None
    both = summary(found, ("llm.backfill", "embed.backfill"))
    assert (both.documents, both.work_s, both.measured, both.seconds) == (10, 5, False, None)
    assert summary(backlog([], [], [], [], IN_HAND, NOW)).measured, "nothing waits, so nothing is unknown"


def test_a_lane_without_measurements_is_taken_for_an_average_one() -> None:
    costs = [StageCost(Stage.LINK, Lane.BACKFILL, 2, 1), StageCost(Stage.LINK, Lane.LARGE, 4, 1)]
    found = backlog([], [Waiting(Stage.LINK, Lane.INTERACTIVE, 2, NOW)], costs, [], IN_HAND, NOW)
    assert queue(found, "graph").work_s == 6


def test_what_the_language_model_reads_in_turns_waits_in_its_own_queue() -> None:
    found = backlog([], [Waiting(Stage.EXTRACT, Lane.LARGE, 3, NOW, in_turn=True)], [], [], IN_HAND, NOW)
    assert queue(found, "llm.graph.large").documents == 3
    assert queue(found, "graph.large").documents == 0


@pytest.mark.parametrize("kind", list(Worker))
def test_every_queue_that_a_worker_looks_into_is_told(kind: Worker) -> None:
    told = {each.queue for each in backlog([], [], [], [], IN_HAND, NOW).queues}
    stages = stages_of(kind)
    assert {*consumed_by(stages), *consumed_in_turn_by(stages)} <= told


waitings = st.builds(
    Waiting, st.sampled_from(STAGES), st.sampled_from(Lane), st.integers(0, 1000), st.floats(0, 2 * NOW)
)


@given(st.lists(waitings), st.lists(waitings), st.integers(0, 8))
def test_all_that_waits_is_told_once_and_more_workers_never_make_it_longer(
    pending: list[Waiting], queued: list[Waiting], count: int
) -> None:
    def told(workers: int) -> Backlog:
        seen = [WorkerSeen(str(number), 1, tuple(consumed_by(STAGES))) for number in range(workers)]
        return backlog(pending, queued, COSTS, seen, IN_HAND, NOW)

    found, more = told(count), told(count + 1)
    assert summary(found).documents == sum(each.documents for each in (*pending, *queued))
    for one, other in zip(found.queues, more.queues, strict=True):
        assert one.oldest_s >= 0
        assert one.seconds is None or (other.seconds is not None and other.seconds <= one.seconds)
