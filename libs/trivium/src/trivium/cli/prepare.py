"""`trivium prepare`: have the servers ready before Trivium's processes start on them."""

from __future__ import annotations

import click

from trivium.cli import runtime
from trivium.cli.main import EXIT_FAILED
from trivium.cli.session import settings_of_stores
from trivium.cli.terminal import note
from trivium.domain.errors import Refused


@click.command()
@click.option("--wait", "wait_s", type=click.FloatRange(0), default=60.0, show_default=True, metavar="SECONDS")
@click.pass_context
def prepare(ctx: click.Context, wait_s: float) -> None:
    """Wait until every server answers, and make what they need to hold before the first document.

    It may be done at any time, by several at once, and changes nothing the second time. Exit code 1 when a server
    stands in the way, with the reason and what to do. `trivium doctor` looks at more.
    """
    settings = settings_of_stores()
    if settings.backend != "distributed":
        raise Refused("no_servers", "Embedded, there are no servers to prepare.", "Set TRIVIUM_BACKEND=distributed.")
    in_the_way = runtime.prepare()(settings, wait_s)
    for finding in in_the_way:
        note(f"{finding.part}: {finding.check}: {finding.found} {finding.action}".rstrip())
    if in_the_way:
        ctx.exit(EXIT_FAILED)
    note("Every server is ready.")
