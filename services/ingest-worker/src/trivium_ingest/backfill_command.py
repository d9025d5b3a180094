"""`trivium backfill` behind the command line: progress, and a summary at the end."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from trivium.cli.runtime import BackfillRequest
from trivium.config import Settings
from trivium.domain.scope import DEFAULT_TENANT
from trivium.flow.intake import StoreIntake
from trivium.ports.stores import BucketStores
from trivium.stopping import Stopping, on_signals
from trivium_ingest.backfill import Backfill, Checkpoint, DryRun, dry_run
from trivium_ingest.backfill_cost import Estimate, ForTheAgent, estimated
from trivium_ingest.control import no_urls
from trivium_ingest.uploads.follow import Bucket

LINE_EVERY = 1000  # objects, where standard error is no terminal

CONSOLE = Console(stderr=True, highlight=False)


def backfill_bucket(settings: Settings, stores: BucketStores, request: BackfillRequest) -> bool:
    """Do what was asked for; whether all of it went well."""
    bucket = Bucket(request.bucket, stores.uploads(request.bucket), settings.uploads_tenant)
    intake = StoreIntake(
        *(stores, stores.work_signal.notify, no_urls, settings.max_upload_bytes, stores.uploads),
        dataset_rules=settings.dataset_rules,
    )
    with _interruptible() as stopped:
        work = Backfill(bucket, request, intake, stores.objects.for_tenant(DEFAULT_TENANT), stopped)
        if request.from_start and not request.dry_run:
            work.start_again()
        resumed, cursor = (0, "") if request.from_start else (work.checkpoint.looked_at, work.checkpoint.cursor)
        if resumed:
            CONSOLE.print(f"Going on after {resumed:,} objects, at {cursor!r}.", markup=False)
        for_the_agent = ForTheAgent(settings, bucket, request.dataset)
        ahead = dry_run(bucket, request.prefix, stores.registry, cursor, for_the_agent.add, stopped)
        if stopped():
            return _told_to_stop()
        _announce(ahead)
        if request.dry_run:
            cost = estimated(settings, bucket, for_the_agent, stopped)
            if stopped():
                return _told_to_stop()
            if for_the_agent.documents:
                _tell_cost(cost, settings)
            return True
        with _bar(resumed + ahead.uploads) as tell:
            done = work.run(tell)
    return _summary(work, done)


def _told_to_stop() -> bool:
    CONSOLE.print("Stopped.")
    return False


def _announce(ahead: DryRun) -> None:
    CONSOLE.print(f"{ahead.uploads:,} objects, {ahead.changed:,} of them new or changed ({ahead.size_bytes:,} bytes).")


def _tell_cost(found: Estimate, settings: Settings) -> None:
    if found.tokens is None:
        CONSOLE.print("What the agent would cost is not known: no document that it would read could be looked into.")
        return
    looked_into = "" if found.read == found.documents else f", by {found.read:,} that were looked into"
    unread = f"; {found.unread:,} could not be" if found.unread else ""
    CONSOLE.print(
        f"The agent would take about {found.tokens:,} tokens for {found.documents:,} of them{looked_into}{unread}."
    )
    CONSOLE.print(
        f"A document may cost {settings.agent_budget_tokens:,} tokens (TRIVIUM_AGENT_BUDGET_TOKENS);"
        " what is beyond is read by rules."
    )


def _summary(work: Backfill, done: bool) -> bool:
    checkpoint, failures = work.checkpoint, work.failures()
    if not done:
        CONSOLE.print("Stopped. The same command goes on from here.")
    CONSOLE.print(
        f"accepted {checkpoint.accepted:,}, unchanged {checkpoint.unchanged:,}, refused {checkpoint.refused:,},"
        f" failed {failures.total():,}"
    )
    for code, count in failures.most_common():
        CONSOLE.print(f"  {code}: {count:,}")
    if checkpoint.accepted:
        CONSOLE.print(f"This was run {checkpoint.run}: trivium documents --run {checkpoint.run}", markup=False)
    if failures:
        CONSOLE.print("Look at them with: trivium dead list")
    return done and not failures and not checkpoint.refused


@contextmanager
def _interruptible() -> Iterator[Callable[[], bool]]:
    """SIGINT and SIGTERM ask to stop instead of stopping; whether one came."""
    stopping = Stopping()
    with on_signals(stopping.begin):
        yield lambda: stopping.begun


class _Lines:
    """A line from time to time, for logs."""

    def __init__(self, total: int) -> None:
        self._total = total
        self._told = -1

    def __call__(self, checkpoint: Checkpoint) -> None:
        if checkpoint.looked_at // LINE_EVERY != self._told:
            self._told = checkpoint.looked_at // LINE_EVERY
            CONSOLE.print(f"{checkpoint.looked_at:,} of {self._total:,}, {checkpoint.unfinished:,} unfinished")


class _Bar:
    """Objects that are done, of all."""

    def __init__(self, bars: Progress, total: int) -> None:
        self._bars = bars
        self._task = bars.add_task("documents", total=total, unfinished="")

    def __call__(self, checkpoint: Checkpoint) -> None:
        done = max(0, checkpoint.looked_at - checkpoint.unfinished)
        self._bars.update(self._task, completed=done, unfinished=f"{checkpoint.unfinished:,} unfinished")


@contextmanager
def _bar(total: int) -> Iterator[_Bar | _Lines]:
    if not CONSOLE.is_terminal:
        yield _Lines(total)
        return
    columns = (
        *(TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TextColumn("{task.fields[unfinished]}")),
        *(TimeElapsedColumn(), TimeRemainingColumn()),
    )
    with Progress(*columns, console=CONSOLE) as bars:
        yield _Bar(bars, total)
