"""`trivium backlog`: what waits in every queue, since when, and how many seconds of work that is.

It reads the servers themselves, as the control process does for its `/backlog` and `/metrics`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import click

from trivium.cli import runtime
from trivium.cli.session import settings_of_stores
from trivium.cli.terminal import note, print_json, print_table
from trivium.domain.errors import Refused

if TYPE_CHECKING:
    from trivium.flow.backlog import QueueBacklog
    from trivium.ports.stores import BucketStores


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print JSON, every queue included.")
def backlog(as_json: bool) -> None:
    """Show what waits in the queues, and how long that takes.

    "work" is measured seconds of one worker for all that has still to come to the queue's resource; "takes" is that
    divided by the workers that look into the queue now. "?": no worker has measured it yet.
    """
    settings = settings_of_stores()
    if settings.backend != "distributed":
        raise Refused(
            "no_queues",
            "Queues that one can look into are those of the servers.",
            "Set TRIVIUM_BACKEND=distributed, or use: trivium status",
        )
    from trivium.flow.look_at_backlog import look_at_backlog
    from trivium.flow.tasks import make_app

    with runtime.stores(settings) as stores:
        served = cast("BucketStores", stores)
        found = look_at_backlog(make_app(settings.broker, settings.ca_file), served.registry, served.work_measures)
    if as_json:
        print_json(found)
        return
    rows = [_row(queue) for queue in found.queues if queue.documents or queue.work_s or queue.work_s is None]
    if rows:
        print_table(
            dict.fromkeys(("queue", "lane"), "left")
            | dict.fromkeys(("documents", "oldest", "work", "workers", "takes"), "right"),
            rows,
        )
    else:
        note("Nothing waits.")
    if in_hand := sum(found.in_hand.values()):
        note(f"{in_hand:,} in hand.")


def _row(queue: QueueBacklog) -> tuple[str, ...]:
    takes = _seconds(queue.seconds) if queue.workers else "for ever: nobody looks into it"
    return (
        queue.resource,
        queue.lane.value,
        f"{queue.documents:,}",
        _seconds(queue.oldest_s),
        _seconds(queue.work_s),
        str(queue.workers),
        takes,
    )


def _seconds(seconds: float | None) -> str:
    return "?" if seconds is None else f"{seconds:,.1f} s"
