"""`trivium trail`: who did what."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from trivium.cli.session import connected
from trivium.cli.terminal import note, one_line, print_json, say
from trivium.domain.access import TrailOutcome
from trivium.domain.errors import Refused
from trivium.domain.times import named_span

if TYPE_CHECKING:
    from trivium import api
    from trivium.client import TriviumClient


@click.command()
@click.option("--since", default="", help="From this time of ISO 8601 on: 2026, 2026-11-24, 2026-11-24T18:30.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON, an entry a line: an export.")
def trail(since: str, as_json: bool) -> None:
    """Print who did what to which document, key or edit, oldest first; never what was in it.

    Needs an admin's key. `trivium keys list` names the keys.
    """
    try:
        if since:
            named_span(since)
    except Refused as error:
        raise click.BadParameter(str(error), param_hint="--since") from error
    entry = None
    with connected() as client:
        for entry in _entries(client, since):
            if as_json:
                print_json(entry, indent=0)
            else:
                at = time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(entry.at))
                who = f"{entry.key_id} ({one_line(entry.by)})" if entry.by else entry.key_id
                ended = "" if entry.outcome in (None, TrailOutcome.DONE) else one_line(entry.outcome.replace("_", " "))
                did = f"{entry.action} ({ended})" if ended else entry.action
                say(f"{at}  {who}  {did}  {' '.join(map(one_line, entry.targets))}".rstrip())
    if entry is None:
        note("Nothing was done.")


def _entries(client: TriviumClient, since: str) -> Iterator[api.TrailEntry]:
    cursor = ""
    while True:
        page = client.trail(since=since, limit=200, cursor=cursor)
        yield from page.entries
        cursor = page.cursor
        if not cursor:
            return
