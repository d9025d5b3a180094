"""The options that say which documents a command is about."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

import click

from trivium.domain.errors import Refused
from trivium.domain.times import EXAMPLES, TimeOf, period
from trivium.within import Within

P = ParamSpec("P")
R = TypeVar("R")

_OPTIONS = (
    click.option("--dataset", default="", metavar="NAME", help="Only what is in this dataset."),
    click.option("--since", default="", metavar="TIME", help=f"Only what is not older: {EXAMPLES}; else UTC."),
    click.option("--until", default="", metavar="TIME", help="Only what is not newer; all of a day, month or year."),
    click.option(
        "--time",
        type=click.Choice([time.value for time in TimeOf]),
        default=TimeOf.UPLOADED.value,
        show_default=True,
        help="Which time: when it was handed over, or the date that the document gives itself.",
    ),
    click.option("--run", default="", metavar="NAME", help="Only what one ingest or backfill brought, by its name."),
)


def takes_within(command: Callable[P, R]) -> Callable[P, R]:
    """A command with these options, given as `within`."""

    @wraps(command)
    def called(*args: P.args, **options: P.kwargs) -> R:
        said = {name: str(options.pop(name)) for name in ("dataset", "since", "until", "time", "run")}
        within = Within(**said | {"time": TimeOf(said["time"])})  # type: ignore[arg-type]
        try:
            period(within.since, within.until, within.time)
        except Refused as error:
            raise click.BadParameter(str(error), param_hint="--since, --until") from error
        options["within"] = within
        return command(*args, **options)

    for option in reversed(_OPTIONS):
        called = option(called)
    return called
