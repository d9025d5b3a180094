"""`trivium status`, `documents`, `datasets`, `chunks` and `delete`: what has been read."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from contextlib import suppress
from datetime import datetime
from itertools import islice
from typing import TYPE_CHECKING

import click

from trivium import api
from trivium.cli.session import connected
from trivium.cli.terminal import counted, json_option, note, one_line, print_json, print_table, say, where
from trivium.cli.within import takes_within
from trivium.domain.documents import INSIDE, STAGES, DocumentState
from trivium.domain.errors import NotFound, Refused
from trivium.domain.ids import is_id
from trivium.domain.times import written
from trivium.within import EVERYTHING, Within

if TYPE_CHECKING:
    from trivium.client import TriviumClient

MAX_AMBIGUOUS = 5
NONE_YET = "No documents. Add some with: trivium ingest FOLDER"
NONE_SUCH = "There are no such documents. List all with: trivium documents"
MAX_WARNINGS = 20
_COLUMNS = ("state", "chunks", "uploaded", "id", "name", "dated", "run", "by", "remark")
_VISIBLE = [state for state in DocumentState if state is not DocumentState.DELETED]


@click.command()
@json_option
def status(as_json: bool) -> None:
    """Show how much is done, running and failed."""
    with connected() as client:
        counts, where_it_runs = client.status(), client.url
    if as_json:
        print_json(counts)
        return
    say(f"Server     {where_it_runs}")
    say(f"Documents  {sum(counts.by_state.get(state, 0) for state in _VISIBLE)}")
    for state in _VISIBLE:
        if counts.by_state.get(state):
            say(f"  {state.value:<8} {counts.by_state[state]}")
    for stage in STAGES:
        if counts.by_stage.get(stage):
            say(f"    in {stage.value:<8} {counts.by_stage[stage]}")
    say(f"Passages   {counts.chunks}")
    if counts.by_state.get(DocumentState.FAILED):
        say("Why they failed: trivium documents --state failed")


@click.command()
@click.option("--state", type=click.Choice([state.value for state in _VISIBLE]), help="Only those in this state.")
@click.option("--inside", metavar="DOCUMENT", help="Only what was found inside this one, an id or a name.")
@takes_within
@click.option("--limit", type=click.IntRange(1), help="At most so many, newest first.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object a line.")
def documents(state: str | None, inside: str | None, limit: int | None, as_json: bool, within: Within) -> None:
    """List the documents and their states, newest first.

    `uploaded` is when the newest version was handed over, `dated` the date that the document gives itself, `run` the
    call that brought it, `by` the author and the site that the document names. One that was found inside another (an
    attachment, a member of an archive) stands under both names.
    """
    with connected() as client:
        wanted = DocumentState(state) if state else None
        parent = resolve(client, inside).id if inside else ""
        found = list(islice(_visible(client.all_sources(wanted, parent=parent, within=within)), limit))
    if as_json:
        for source in found:
            print_json(source, indent=0)
        return
    if not found:
        note(NONE_SUCH if state or inside or within != EVERYTHING else NONE_YET)
        return
    print_table(dict.fromkeys(_COLUMNS, "left") | {"chunks": "right"}, [_row(source) for source in found])


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object a line.")
def datasets(as_json: bool) -> None:
    """List the datasets by name, with the documents and passages in each.

    What was found inside a document counts as one of its own.
    """
    with connected() as client:
        found = list(client.all_datasets())
    if as_json:
        for dataset in found:
            print_json(dataset, indent=0)
        return
    if not found:
        note(NONE_YET)
        return
    rows = [(dataset.name, str(dataset.documents), str(dataset.chunks)) for dataset in found]
    print_table({"dataset": "left", "documents": "right", "passages": "right"}, rows)


@click.command()
@click.argument("document")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object a line.")
def chunks(document: str, as_json: bool) -> None:
    """Print the passages of DOCUMENT, an id or a name, below what it says of itself."""
    with connected() as client:
        source = resolve(client, document)
        count = 0
        if not as_json:
            description = source.about.description if source.about else ""
            for line in filter(None, (source.title, by(source), description)):
                say(one_line(line))
        for chunk in client.chunks(source.id):
            count += 1
            if as_json:
                print_json(chunk, indent=0)
            else:
                _print_chunk(chunk)
    if not count:
        note(f"{source.name} has no passages: it is {source.state.value}. {remark(source)}")


@click.command()
@click.argument("document", required=False)
@click.option("--dataset", default="", metavar="NAME", help="DOCUMENT of this dataset; without one, the whole dataset.")
@click.option("--run", default="", metavar="NAME", help="Without DOCUMENT: all that one ingest or backfill brought.")
@click.option("--yes", "-y", is_flag=True, help="Do not ask.")
def delete(document: str | None, dataset: str, run: str, yes: bool) -> None:
    """Remove DOCUMENT, an id or a name, and what was found inside it, from everywhere."""
    if not document and not dataset and not run:
        raise click.UsageError("Name a document, a dataset with --dataset, or a run with --run.")
    if document and run:
        raise click.UsageError("--run does not go with a document.")
    with connected() as client:
        if document:
            source = resolve(client, document, dataset)
            if not yes:
                inside = f" and the {counted(source.children, 'document')} inside it" if source.children else ""
                what = f"{one_line(source.name)} with its {counted(source.chunks, 'passage')}{inside}"
                click.confirm(f"Delete {what}?", abort=True, err=True)
            delete_one(client, source)
        else:
            _delete_many(client, Within(dataset, run=run), yes)


def _delete_many(client: TriviumClient, within: Within, yes: bool) -> None:
    """Every document of a dataset or a run that was handed over by itself; what was found inside goes with each."""
    named = (("dataset", within.dataset), ("run", within.run))
    what = " and ".join(f"{kind} {name}" for kind, name in named if name)
    count = sum(not source.parent for source in _visible(client.all_sources(within=within)))
    if not count:
        raise NotFound("unknown_dataset", f"There is no document in {what}.", "See: trivium documents")
    if not yes:
        click.confirm(f"Delete {what} with its {counted(count, 'document')}?", abort=True, err=True)
    deleted, warnings = 0, dict[str, None]()
    for told in client.delete_sources(dataset=within.dataset, run=within.run):
        deleted += told.deleted
        warnings |= dict.fromkeys(told.warnings)
        if not told.done:
            note(f"{deleted:,} of {count:,} deleted ...")
    say(f"Deleted {counted(deleted, 'document')} of {what}.")
    for warning in list(warnings)[:MAX_WARNINGS]:
        note(one_line(warning))
    if len(warnings) > MAX_WARNINGS:
        note(f"... and {len(warnings) - MAX_WARNINGS:,} more stay where they are.")


def delete_one(client: TriviumClient, source: api.Source) -> None:
    """Remove it, and say so."""
    gone = client.delete(source.id)
    say(f"Deleted {one_line(source.name)}.")
    for warning in gone.warnings[len(source.warnings) :]:
        note(one_line(warning))


def resolve(client: TriviumClient, wanted: str, dataset: str = "") -> api.Source:
    """The source with that id, that name, or a name that ends so and no other does; with `dataset`, of that one.

    Raises `NotFound`, or `Refused` (`ambiguous_name`).
    """
    source = _by_id(client, wanted)
    if source is not None:
        if dataset in ("", source.dataset):
            return source
        raise NotFound("unknown_source", f"{source.name} is in dataset {source.dataset!r}.", "Name that one, or none.")
    spelt = {wanted, unicodedata.normalize("NFC", wanted)}  # files are named in the latter, however a disk spells them
    ends = tuple(before + name for before in ("/", INSIDE) for name in spelt)
    endings = []
    for source in _visible(client.all_sources(within=Within(dataset))):
        if source.name in spelt:
            return source
        if source.name.endswith(ends):
            endings.append(source)
    if not endings:
        raise NotFound(
            "unknown_source", f"There is no document called {wanted!r}.", "List them with: trivium documents"
        )
    if len(endings) > 1:
        names = ", ".join(source.name for source in endings[:MAX_AMBIGUOUS])
        raise Refused("ambiguous_name", f"{len(endings)} documents are called so: {names}.", "Give more of the name.")
    return endings[0]


def _by_id(client: TriviumClient, wanted: str) -> api.Source | None:
    """None where it is no document's id; a file may be called as ids are, by its hash."""
    if is_id(wanted):
        with suppress(NotFound):
            return client.source(wanted)
    return None


def _visible(sources: Iterator[api.Source]) -> Iterator[api.Source]:
    return (source for source in sources if source.state is not DocumentState.DELETED)


def _row(source: api.Source) -> tuple[str, ...]:
    state = (
        f"{source.state.value} ({source.stage})" if source.stage and not source.state.terminal else source.state.value
    )
    uploaded = datetime.fromtimestamp(source.uploaded_at).astimezone().strftime("%Y-%m-%d %H:%M")
    dated = "" if source.dated_at is None else written(source.dated_at)[:10]
    return state, str(source.chunks), uploaded, source.id, source.name, dated, source.run, by(source), remark(source)


def by(source: api.Source) -> str:
    """Whose the document says that it is, and of which site."""
    return ", ".join(filter(None, (source.about.author, source.about.site))) if source.about else ""


def remark(source: api.Source) -> str:
    """Why it failed and what to do, what it waits for, else what could not be read of it."""
    if source.reason:
        return f"{source.reason.message} {source.reason.action}".strip()
    if source.waits_for:
        return f"waits for {source.waits_for}"
    return "; ".join(source.warnings)


def _print_chunk(chunk: api.Chunk) -> None:
    place = where(chunk.positions)
    say(f"--- chunk {chunk.number} [{chunk.kind}]{place and f' {one_line(place)}'}")
    if chunk.context:
        say(f"({one_line(chunk.context)})")
    say(chunk.text)
    say()
