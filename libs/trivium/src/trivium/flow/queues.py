"""Queues: one per resource and lane: a worker is sized for what it does, and no upload waits for a backfill."""

from __future__ import annotations

from collections.abc import Collection

from trivium.domain.documents import STAGES, Lane, Stage

RESOURCES: dict[Stage, str] = {
    Stage.PARSE: "parse",  # memory and a sandbox; OCR happens there
    Stage.CHUNK: "embed",  # counts the model's tokens; behind `parse`, it would wait for every file that is not begun
    Stage.ENRICH: "llm",
    Stage.EMBED: "embed",
    Stage.INDEX: "index",
    Stage.EXTRACT: "graph",
    Stage.LINK: "graph",
    Stage.PUBLISH: "index",
}
GRAPH_STAGES = (Stage.EXTRACT, Stage.LINK)
"""The graph worker's; the others are the ingest worker's."""


def queue_of(stage: Stage, lane: Lane) -> str:
    """The queue's name: `embed` for uploads, `embed.backfill` for a backfill."""
    return RESOURCES[stage] if lane is Lane.INTERACTIVE else f"{RESOURCES[stage]}.{lane.value}"


def consumed_by(stages: Collection[Stage]) -> list[str]:
    """The queues of a worker that does `stages`, in the order in which it should look into them.

    Uploads come before a backfill, and late stages before early ones: what is begun is finished first.
    """
    last_first = [stage for stage in reversed(STAGES) if stage in stages]
    return list(dict.fromkeys(queue_of(stage, lane) for lane in Lane for stage in last_first))
