"""The table of stages: what each works from, where it waits, whose work it is, and what it may be one task with.

Keys, queues, workers and tasks follow from it; names and order are `Stage`'s. A new stage is its name there, its row
here, and a `StageWork` (`stage.py`).
"""

from __future__ import annotations

import enum
from collections.abc import Container
from itertools import takewhile
from typing import NamedTuple

from trivium.domain.documents import STAGES, Stage


class Worker(enum.Enum):
    """Whose process does a stage, where there is one for each service."""

    INGEST = enum.auto()
    GRAPH = enum.auto()


class StageGroup(enum.Enum):
    """Stages of one group that follow one another in one process are one task, and stored as one object."""

    BUILD = enum.auto()
    PUBLISH = enum.auto()  # what a version was made from is stored before queries see it


class Step(NamedTuple):
    """A row. `inputs`: whose outputs its artifact's key is made of, in this order; it may read those behind them too.

    `queue`: the resource that it needs, which its queues are named after; one queue's stages are one worker's.
    `writes_rows`: what the rows say of their document (`Scope`) is an input too.
    """

    inputs: tuple[Stage, ...]
    queue: str
    worker: Worker
    group: StageGroup
    writes_rows: bool = False


PIPELINE: dict[Stage, Step] = {
    # memory and a sandbox; OCR happens there
    Stage.PARSE: Step((), "parse", Worker.INGEST, StageGroup.BUILD),
    # counts the model's tokens; behind `parse`, it would wait for every file that is not begun
    Stage.CHUNK: Step((Stage.PARSE,), "embed", Worker.INGEST, StageGroup.BUILD),
    Stage.ENRICH: Step((Stage.CHUNK,), "llm", Worker.INGEST, StageGroup.BUILD),
    Stage.EMBED: Step((Stage.ENRICH,), "embed", Worker.INGEST, StageGroup.BUILD),
    Stage.INDEX: Step((Stage.ENRICH, Stage.EMBED), "index", Worker.INGEST, StageGroup.BUILD, writes_rows=True),
    Stage.EXTRACT: Step((Stage.CHUNK,), "graph", Worker.GRAPH, StageGroup.BUILD),
    Stage.LINK: Step((Stage.EXTRACT,), "graph", Worker.GRAPH, StageGroup.BUILD, writes_rows=True),
    Stage.PUBLISH: Step((Stage.INDEX, Stage.LINK), "index", Worker.INGEST, StageGroup.PUBLISH),
}


def stages_of(worker: Worker) -> list[Stage]:
    """What a worker does, in order."""
    return [stage for stage in STAGES if PIPELINE[stage].worker is worker]


def following(stage: Stage) -> tuple[Stage, ...]:
    """The stages behind one, in order."""
    return STAGES[STAGES.index(stage) + 1 :]


def group_from(start: Stage, mine: Container[Stage]) -> list[Stage]:
    """`start` and what may be done right behind it by a process that does `mine`."""
    group = PIPELINE[start].group
    return [start, *takewhile(lambda stage: stage in mine and PIPELINE[stage].group is group, following(start))]
