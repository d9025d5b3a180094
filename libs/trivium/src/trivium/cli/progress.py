"""How an ingest shows its progress: a bar per stage on a terminal that `rich` can draw on, plain lines elsewhere."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from typing import TYPE_CHECKING, Protocol

from trivium import api
from trivium.cli.terminal import counted, note
from trivium.domain.documents import STAGES, DocumentState, Stage

if TYPE_CHECKING:
    from rich.progress import Progress as RichProgress
    from rich.progress import TaskID

EVERY_SENT = 100  # plain lines tell every hundredth file that was sent


class Progress(Protocol):
    """What an ingest tells as it goes on."""

    def sent(self, count: int) -> None:
        """So many of the sources have been handed over."""
        ...

    def awaiting(self, total: int) -> None:
        """So many sources are now waited for."""
        ...

    def looked(self, counts: api.Status | None, settled: Sequence[api.Source]) -> None:
        """How it stands (None: the server is away), and what has settled since the last look."""
        ...


@contextmanager
def progress(total: int) -> Iterator[Progress]:
    """The right kind for standard error, for `total` sources to send; lines too where `rich` is not installed."""
    if not sys.stderr.isatty() or find_spec("rich") is None:
        yield PlainLines(total)
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn
    from rich.progress import Progress as RichProgress

    columns = (TextColumn("{task.description:>8}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with RichProgress(*columns, console=Console(stderr=True)) as bars:
        yield StageBars(bars, total)


class PlainLines:
    """One line per event, for logs."""

    def __init__(self, total: int) -> None:
        self._total = total

    def sent(self, count: int) -> None:
        """Every hundredth, and the last."""
        if count % EVERY_SENT == 0 or count == self._total:
            note(f"sent {count} of {self._total}")

    def awaiting(self, total: int) -> None:
        """Nothing to add: the lines to come tell it."""

    def looked(self, counts: api.Status | None, settled: Sequence[api.Source]) -> None:
        """A line for each source that has settled."""
        for source in settled:
            passages = f" ({counted(source.chunks, 'passage')})" if source.state is DocumentState.READY else ""
            note(f"{source.state.value}: {source.name}{passages}")


class StageBars:
    """A bar for sending and one for each stage."""

    def __init__(self, bars: RichProgress, total: int) -> None:
        self._bars = bars
        self._sending = bars.add_task("send", total=total)
        self._stages: dict[Stage, TaskID] = {}
        self._total = 0
        self._settled = 0

    def sent(self, count: int) -> None:
        """Move the first bar."""
        self._bars.update(self._sending, completed=count)

    def awaiting(self, total: int) -> None:
        """Show the bars of the stages."""
        self._total = total
        self._stages = {stage: self._bars.add_task(stage.value, total=total) for stage in STAGES}

    def looked(self, counts: api.Status | None, settled: Sequence[api.Source]) -> None:
        """Move the bars; none goes back."""
        self._settled += len(settled)
        done = passed(self._total, counts) if counts else {}
        for stage, task in self._stages.items():
            before = self._bars.tasks[task].completed
            self._bars.update(task, completed=max(before, self._settled, done.get(stage, 0)))


def passed(total: int, counts: api.Status) -> Mapping[Stage, int]:
    """How many of `total` sources have each stage behind them, when they are the newest that the server works on."""
    left = counts.by_state.get(DocumentState.PENDING, 0)
    done = {}
    for stage in STAGES:
        left += counts.by_stage.get(stage, 0)
        done[stage] = max(0, total - left)
    return done
