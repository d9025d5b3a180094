"""`trivium connect`: places outside whose files become documents, and go with them."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import click

from trivium import api
from trivium.cli.keys import Span
from trivium.cli.session import connected
from trivium.cli.terminal import counted, json_option, note, one_line, print_json, print_table, say
from trivium.cli.walk import expanded
from trivium.domain.connections import (
    DEFAULT_PER_S,
    MAX_PER_S,
    MIN_EVERY_S,
    MIN_PER_S,
    Activity,
    ConnectorKind,
    leads_over_ssh,
)
from trivium.domain.documents import DEFAULT_DATASET, DocumentState
from trivium.domain.errors import NotFound
from trivium.within import Within

if TYPE_CHECKING:
    from trivium.client import TriviumClient

_POLL_S = 0.25


@click.group(invoke_without_command=True)
@click.pass_context
def connect(context: click.Context) -> None:
    r"""Places outside whose files become documents, and go with them.

    \b
      trivium connect add papers folder /srv/papers --every 10m
      trivium connect list
      trivium connect run papers
      trivium connect remove papers --documents

    A look costs what has changed since the last one. Its documents are called ID://path.
    """
    if context.invoked_subcommand is None:
        context.invoke(list_connections)


@connect.command()
@click.argument("connection_id", metavar="ID")
@click.argument("kind", type=click.Choice([kind.value for kind in ConnectorKind]))
@click.argument("location")
@click.option("--dataset", default=DEFAULT_DATASET, show_default=True)
@click.option("--every", type=Span(), default=None, help="Look at it every 10m, 1h or 1d; without it, when asked.")
@click.option("--credential", default="", help="The name of a file among your tenant's secrets.")
@click.option(
    "--max-per-s",
    type=click.FloatRange(MIN_PER_S, MAX_PER_S),
    default=DEFAULT_PER_S,
    show_default=True,
    help="Requests to the place a second.",
)
@json_option
def add(
    connection_id: str,
    kind: str,
    location: str,
    dataset: str,
    every: int | None,
    credential: str,
    max_per_s: float,
    as_json: bool,
) -> None:
    r"""Connect the place LOCATION under the name ID.

    \b
      folder   /srv/papers
      s3       https://s3.example.org/bucket/prefix, or s3://bucket/prefix on AWS
      feed     https://example.org/feed.xml
      sitemap  https://example.org/sitemap.xml
      git      https://example.org/repo.git#branch, git@example.org:repo.git, or /srv/repo
      webdav   https://cloud.example.org/dav/papers
      imap     imaps://imap.example.org/INBOX, or .../INBOX,Projects/*
    """
    local = "://" not in location and not leads_over_ssh(ConnectorKind(kind), location)
    if kind == ConnectorKind.FOLDER or (kind == ConnectorKind.GIT and local):
        location = str(expanded(location).absolute())
    wanted = api.CreateConnection(
        id=connection_id,
        kind=ConnectorKind(kind),
        location=location,
        dataset=dataset,
        every_s=every and max(every, MIN_EVERY_S),
        max_per_s=max_per_s,
        credential=credential,
    )
    with connected() as client:
        made = client.connect(wanted)
    if as_json:
        print_json(made)
        return
    say(f"Connected: {made.id}")
    if made.error:
        note(f"{one_line(made.error.message)} {one_line(made.error.action)}")
    if made.every_s:
        note(f"It is looked at every {made.every_s} s while `trivium serve` runs.")
    else:
        note(f"Look at it with: trivium connect run {made.id}")


@connect.command("list")
@json_option
def list_connections(as_json: bool = False) -> None:
    """List connections with what their last looks came to."""
    with connected() as client:
        found = client.connections()
    if as_json:
        print_json(found)
        return
    if not found.connections:
        note("There are no connections. Add one with: trivium connect add")
        return
    heads = dict.fromkeys(("Id", "Kind", "Location", "Dataset", "State", "Last look", "Came to"), "left")
    print_table(heads, [_row(each) for each in found.connections])


@connect.command()
@click.argument("connection_id", metavar="ID")
@json_option
def run(connection_id: str, as_json: bool) -> None:
    """Look at ID now, and wait until what it brought is read."""
    with connected() as client:
        before = client.run_connection(connection_id)
        found = _ended(client, connection_id, before)
        _wait_for_documents(client, found)
    if as_json:
        print_json(found)
    else:
        say(f"{found.id}: {_came_to(found).removesuffix('.')}.")
    if found.error:
        why = f"{one_line(found.error.message)} {one_line(found.error.action)}".strip()
        raise click.ClickException(why)


@connect.command()
@click.argument("connection_id", metavar="ID")
@click.option("--documents", is_flag=True, help="Delete the documents that it brought, too.")
def remove(connection_id: str, documents: bool) -> None:
    """Take ID back. Its documents stay unless asked otherwise."""
    with connected() as client:
        client.disconnect(connection_id, documents=documents)
        try:
            while True:
                client.connection(connection_id)
                time.sleep(_POLL_S)
        except NotFound:
            pass
    say(f"Removed: {connection_id}")


def _ended(client: TriviumClient, connection_id: str, before: api.Connection) -> api.Connection:
    """The connection once a look has ended that began after `before`."""
    while True:
        found = client.connection(connection_id)
        done = found.activity not in (Activity.RUNNING, Activity.REMOVING)
        if done and found.started_at is not None and found.started_at != before.started_at:
            return found
        time.sleep(_POLL_S)


def _wait_for_documents(client: TriviumClient, found: api.Connection) -> None:
    if not found.stored:
        return
    within = Within(run=found.run)
    for state in (DocumentState.PENDING, DocumentState.RUNNING):
        client.wait([source.id for source in client.all_sources(state, within=within)])


def _row(found: api.Connection) -> tuple[str, ...]:
    when = time.strftime("%Y-%m-%d %H:%M", time.localtime(found.started_at)) if found.started_at else "never"
    return found.id, found.kind, found.location, found.dataset, found.activity, when, _came_to(found)


def _came_to(found: api.Connection) -> str:
    if not found.started_at:
        return ""
    if not (found.stored or found.deleted or found.failed or found.error):
        return "nothing had changed"
    told = f"{counted(found.stored, 'file')} stored, {found.deleted} deleted, {found.failed} failed"
    return f"{told}; {found.error.message}" if found.error else told
