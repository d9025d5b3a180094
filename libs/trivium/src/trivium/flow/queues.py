"""Queues: one per resource and lane: a worker is sized for what it does, and no upload waits for a backfill."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from pathlib import PurePosixPath

from trivium.domain.documents import STAGES, Lane, Stage
from trivium.domain.errors import Refused
from trivium.flow.pipeline import PIPELINE, Worker

RECORDINGS = frozenset(
    "avi flac m4a m4b m4v mkv mov mp3 mp4 oga ogg opus wav webm".split()  # noqa: SIM905 - reads best as words
)
"""How files are named that take as long as they play."""
LARGE_BYTES = 1024 * 1024  # of an original
TASK_LIMIT_S = 1800.0  # of one stage of one batch; a worker that takes longer hangs, and is killed
RECORDING_LIMIT_S = 4 * 3600.0  # of one recording, heard at the pace of speech
WARNING_S = 60.0  # before that, the document in hand is told to have taken too long


def queue_of(stage: Stage, lane: Lane, *, in_turn: bool = False) -> str:
    """The queue's name: `embed` for uploads, `embed.backfill` for a backfill.

    `in_turn`: what a language model reads for the graph waits in `llm.graph`, and leaves the graph's own queue free.
    """
    queue = PIPELINE[stage].queue
    if in_turn and PIPELINE[stage].worker is Worker.GRAPH:
        queue = f"llm.{queue}"
    return queue if lane is Lane.INTERACTIVE else f"{queue}.{lane.value}"


def lane_of(name: str, media_type: str, size_bytes: int, lane: Lane) -> Lane:
    """The lane of a document that came in `lane`: uploaded recordings and large files have lanes of their own.

    Content is not looked at; what turns out to take long changes lanes later (`large.py`).

    A backfill keeps all of its files together: nobody waits for them.
    """
    named = PurePosixPath(name).suffix.lower().removeprefix(".") in RECORDINGS
    recording = named or media_type.startswith(("audio/", "video/"))
    if lane is not Lane.INTERACTIVE:
        return lane
    if recording:
        return Lane.RECORDING
    return Lane.LARGE if size_bytes > LARGE_BYTES else lane


RESOURCES = frozenset(
    {
        *(step.queue for step in PIPELINE.values()),
        *(f"llm.{s.queue}" for s in PIPELINE.values() if s.worker is Worker.GRAPH),
    }
)
"""What queues are named after, whatever the lane."""


def read_resources(setting: str) -> frozenset[str]:
    """Of the setting `worker_queues`; all of them where it is empty. Raises `Refused` (`bad_setting`)."""
    named = frozenset(filter(None, (name.strip() for name in setting.split(","))))
    if unknown := sorted(named - RESOURCES):
        known = ", ".join(sorted(RESOURCES))
        raise Refused("bad_setting", f"TRIVIUM_WORKER_QUEUES: {unknown[0]!r} is no queue.", f"Name some of: {known}.")
    return named or RESOURCES


def resource_of(queue: str) -> str:
    """A queue's name without its lane."""
    for lane in Lane:
        queue = queue.removesuffix(f".{lane.value}")
    return queue


def of_resources(stages: Iterable[Stage], resources: Collection[str]) -> list[Stage]:
    """The stages that wait in queues of these resources."""
    return [stage for stage in stages if any(resource in resources for resource in _resources_of(stage))]


def _resources_of(stage: Stage) -> tuple[str, str]:
    return queue_of(stage, Lane.INTERACTIVE), queue_of(stage, Lane.INTERACTIVE, in_turn=True)


def consumed_in_turn_by(stages: Collection[Stage], lanes: Iterable[Lane] = Lane) -> list[str]:
    """The language model's queues of such a worker, which it looks into when the others are empty."""
    graph = [stage for stage in STAGES if stage in stages and PIPELINE[stage].worker is Worker.GRAPH]
    return list(dict.fromkeys(queue_of(stage, lane, in_turn=True) for lane in lanes for stage in graph))


def consumed_by(stages: Collection[Stage], lanes: Iterable[Lane] = Lane) -> list[str]:
    """The queues of a worker that does `stages`, in the order in which it should look into them.

    Uploads come before a backfill, and late stages before early ones: what is begun is finished first.
    """
    last_first = [stage for stage in reversed(STAGES) if stage in stages]
    return list(dict.fromkeys(queue_of(stage, lane) for lane in lanes for stage in last_first))
