"""The table of stages, spelled out: keys, queues and tasks of what is stored and on its way were made by it."""

from __future__ import annotations

import pytest

from trivium.domain.documents import STAGES, Document, Lane, Stage
from trivium.domain.ids import digest
from trivium.flow.artifacts import artifact_key
from trivium.flow.chain import Entry, task_name
from trivium.flow.pipeline import PIPELINE, Worker, group_from, stages_of
from trivium.flow.queues import consumed_by, queue_of

ORDER = ["parse", "chunk", "enrich", "embed", "index", "extract", "link", "publish"]
INPUTS = {
    "parse": [],
    "chunk": ["parse"],
    "enrich": ["chunk"],
    "embed": ["enrich"],
    "index": ["enrich", "embed"],
    "extract": ["chunk"],
    "link": ["extract"],
    "publish": ["index", "link"],
}
QUEUES = {
    "parse": "parse",
    "chunk": "embed",
    "enrich": "llm",
    "embed": "embed",
    "index": "index",
    "extract": "graph",
    "link": "graph",
    "publish": "index",
}
INGEST = ["parse", "chunk", "enrich", "embed", "index", "publish"]
GRAPH = ["extract", "link"]


def test_every_stage_has_its_row_in_their_order() -> None:
    assert [stage.value for stage in PIPELINE] == [stage.value for stage in STAGES] == ORDER


def test_a_stage_comes_behind_its_inputs() -> None:
    for stage, step in PIPELINE.items():
        assert all(STAGES.index(needed) < STAGES.index(stage) for needed in step.inputs)


@pytest.mark.parametrize("stage", STAGES)
def test_an_artifacts_key_is_made_of_the_stages_inputs(stage: Stage) -> None:
    entry = Entry("document", "v", 2, {name: f"artifacts/document/v/{name}-made" for name in ORDER})
    inputs = [entry.artifacts[name] for name in INPUTS[stage.value]]
    assert artifact_key(entry, stage, "code 1") == f"artifacts/document/v/{stage.value}-{digest('code 1', *inputs)}"


@pytest.mark.parametrize("stage", STAGES)
def test_queues_and_tasks_have_the_names_that_messages_on_their_way_carry(stage: Stage) -> None:
    lanes = [queue_of(stage, lane).removeprefix(QUEUES[stage.value]) for lane in Lane]
    assert lanes == ["", ".recording", ".large", ".backfill"]
    assert task_name(stage) == f"trivium.{stage.value}"


def test_each_service_does_its_own_stages_and_looks_into_their_queues() -> None:
    assert stages_of(Worker.INGEST) == INGEST
    assert stages_of(Worker.GRAPH) == GRAPH
    assert consumed_by(stages_of(Worker.INGEST), [Lane.INTERACTIVE]) == ["index", "embed", "llm", "parse"]
    assert consumed_by(stages_of(Worker.GRAPH), [Lane.INTERACTIVE]) == ["graph"]


def test_what_follows_in_one_process_is_one_task_and_publishing_is_one_by_itself() -> None:
    assert group_from(Stage.PARSE, stages_of(Worker.INGEST)) == ["parse", "chunk", "enrich", "embed", "index"]
    assert group_from(Stage.EMBED, stages_of(Worker.INGEST)) == ["embed", "index"]
    assert group_from(Stage.EXTRACT, stages_of(Worker.GRAPH)) == ["extract", "link"]
    assert group_from(Stage.PUBLISH, stages_of(Worker.INGEST)) == ["publish"]
    assert group_from(Stage.PARSE, STAGES) == ORDER[:-1]


def test_progress_counts_the_stages_that_are_done() -> None:
    shares = [Document("id", "default", "a.txt", "v", stage=name).progress for name in ORDER]
    assert shares == [number / len(ORDER) for number in range(len(ORDER))]
