"""`trivium graph merge|rename|...`: correcting the graph, and why it is as it is."""

from __future__ import annotations

import getpass
import time
from collections.abc import Iterator, Sequence

import click

from trivium import api
from trivium.cli.session import connected
from trivium.cli.terminal import json_option, note, one_line, print_json, say
from trivium.domain.edits import Actor
from trivium.domain.graph import EntityType

MAX_QUOTE_CHARS = 200
_TYPES = click.Choice([kind.value for kind in EntityType])
_why = click.option("--why", default="", help="The reason, kept with the edit.")


@click.command()
@click.argument("entity")
@click.argument("into")
@click.option("--force", is_flag=True, help="Even if they were born or died elsewhere.")
@_why
def merge(entity: str, into: str, force: bool, why: str) -> None:
    """ENTITY is another name of INTO: what is said of either, now and later, is said of INTO."""
    from trivium.graph_tools.merge_entity import MergeEntity

    _edit("merge_entity", MergeEntity(entity, into, why=why, force=force))


@click.command()
@click.argument("name")
@_why
def split(name: str, why: str) -> None:
    """NAME is not another name of the entity that it leads to, whatever documents claim: it is one of its own."""
    from trivium.graph_tools.update_entity import UpdateEntity

    _edit("update_entity", UpdateEntity(name, remove_aliases=(name,), why=why))


@click.command()
@click.argument("entity")
@click.argument("name")
@_why
def rename(entity: str, name: str, why: str) -> None:
    """ENTITY is called NAME; it is found by its old names too."""
    from trivium.graph_tools.update_entity import UpdateEntity

    _edit("update_entity", UpdateEntity(entity, name=name, why=why))


@click.command()
@click.argument("entity")
@click.argument("kind", type=_TYPES, metavar="TYPE")
@_why
def retype(entity: str, kind: str, why: str) -> None:
    """ENTITY is a TYPE: person, organization, concept, technology, event, location or metric."""
    from trivium.graph_tools.update_entity import UpdateEntity

    _edit("update_entity", UpdateEntity(entity, type=EntityType(kind), why=why))


@click.command()
@click.argument("name")
@click.argument("kind", type=_TYPES, metavar="TYPE")
@click.option("--also", multiple=True, help="Another name of it; may be repeated.")
@_why
def add(name: str, kind: str, also: tuple[str, ...], why: str) -> None:
    """Add an entity called NAME that no document has to name."""
    from trivium.graph_tools.create_entity import CreateEntity

    _edit("create_entity", CreateEntity(name, EntityType(kind), also, why=why))


@click.command()
@click.argument("source")
@click.argument("kind", metavar="TYPE")
@click.argument("target")
@click.option("--chunk", default="", help="The passage that says so, by its id.")
@click.option("--quote", default="", help="The words that say so, as they stand there.")
@_why
def relate(source: str, kind: str, target: str, chunk: str, quote: str, why: str) -> None:
    """Add a relation: SOURCE TYPE TARGET, as "Ilse Brandt" LEADS "Weir removal"."""
    from trivium.graph_tools.create_relation import CreateRelation
    from trivium.graph_tools.values import Passage

    if quote and not chunk:
        raise click.UsageError("Name the passage that says so: --chunk ID --quote WORDS")
    evidence = (Passage(chunk, quote),) if chunk else ()
    _edit("create_relation", CreateRelation(source, kind, target, why=why, evidence=evidence))


@click.command()
@click.argument("source")
@click.argument("kind", metavar="TYPE")
@click.argument("target")
@_why
def invalidate(source: str, kind: str, target: str, why: str) -> None:
    """The relation does not hold, whoever says so; `why` goes on showing it."""
    from trivium.graph_tools.delete_relation import DeleteRelation

    _edit("delete_relation", DeleteRelation(source, kind, target, why=why))


@click.command()
@click.argument("entity")
@_why
def remove(entity: str, why: str) -> None:
    """Take ENTITY out of the graph, whatever documents say of it."""
    from trivium.graph_tools.delete_entity import DeleteEntity

    _edit("delete_entity", DeleteEntity(entity, why=why))


@click.command()
@click.argument("edit")
@_why
def undo(edit: str, why: str) -> None:
    """Undo EDIT, a number from `trivium graph log`: 12.0, or 12 for all that one call did."""
    with connected() as client:
        say_edited(client.undo(edit, why, actor=me()))


@click.command()
@click.argument("entity", required=False)
@click.argument("question", required=False)
@click.option("--done", metavar="EDIT", default="", help="Settle the review or task of this number.")
@_why
@json_option
def review(entity: str | None, question: str | None, done: str, why: str, as_json: bool) -> None:
    """List what is to be looked at; with ENTITY and QUESTION, add to it; with --done, settle one."""
    from trivium.graph_tools.get_progress import GetProgress, Progress
    from trivium.graph_tools.mark_for_review import MarkForReview

    if why and not done:
        raise click.UsageError("--why goes with --done; what is to be looked at is the QUESTION.")
    if done and entity:
        raise click.UsageError("--done settles one and adds none: leave ENTITY out.")
    if entity and not question:
        raise click.UsageError("Say what is to be looked at: trivium graph review ENTITY QUESTION")
    if entity and question:
        _edit("mark_for_review", MarkForReview(entity, question))
        return
    with connected() as client:
        if done:
            say_edited(client.dismiss(done, why, actor=me()))
            return
        progress = client.tool("get_progress", GetProgress(), Progress)
    if as_json:
        print_json(progress)
        return
    for line in edit_lines((*progress.reviews, *progress.todos)):
        say(line)
    if not progress.reviews and not progress.todos:
        note("Nothing is waiting to be looked at.")


@click.command()
@click.argument("entity", default="")
@click.option("--kind", default="", help="Only edits of this kind, as merge.")
@click.option("--by", default="", help="Only edits of who has this in the name.")
@click.option("--limit", type=click.IntRange(1, 200), default=50, show_default=True, help="How many.")
@json_option
def log(entity: str, kind: str, by: str, limit: int, as_json: bool) -> None:
    """List the edits of the graph, newest first; with ENTITY, those that are about it."""
    with connected() as client:
        page = client.edits(entity, kind=kind, actor=by, limit=limit)
    if as_json:
        print_json(page.edits)
        return
    for line in edit_lines(page.edits):
        say(line)
    if not page.edits:
        note("There are no such edits." if entity or kind or by else "Nobody has edited the graph.")
    elif page.cursor:
        note("There are more: raise --limit or name an ENTITY.")


@click.command()
@click.argument("entity", default="")
@click.argument("relation", default="")
@click.argument("other", default="")
@click.option("--document", default="", help="What this document says, by its id.")
@click.option("--chunk", default="", help="What this passage says, by its id.")
@click.option("--limit", type=click.IntRange(1, 200), default=20, show_default=True, help="How many.")
@json_option
def why(entity: str, relation: str, other: str, document: str, chunk: str, limit: int, as_json: bool) -> None:
    """Show who says so: of ENTITY, or of its RELATION (a type) to OTHER; passages, and edits with their numbers."""
    if not (entity or document or chunk):
        raise click.UsageError('Name an entity: trivium graph why "Ilse Brandt"')
    with connected() as client:
        found = client.provenance(
            entity=entity, relation=relation, other=other, document=document, chunk=chunk, limit=limit
        )
    if as_json:
        print_json(found)
        return
    for told in found.notes:
        note(told)
    for line in _why_lines(found):
        say(line)
    if not found.said and not found.edits:
        note("Nothing says so.")


COMMANDS: Sequence[click.Command] = (
    merge,
    split,
    rename,
    retype,
    add,
    relate,
    invalidate,
    remove,
    undo,
    why,
    log,
    review,
)


def edit_lines(edits: Sequence[api.EditSeen]) -> Iterator[str]:
    """A line for each edit, and one for its reason and each of its snippets."""
    for edit in edits:
        at = time.strftime("%Y-%m-%d %H:%M", time.localtime(edit.at))
        stands = (
            ""
            if edit.standing == "counts"
            else f"  [{edit.standing.replace('_', ' ')}" + (f" by {edit.undone_by}]" if edit.undone_by else "]")
        )
        yield f"{edit.id}  {at}  {one_line(edit.by)}: {one_line(edit.what, MAX_QUOTE_CHARS)}{stands}"
        if edit.why:
            yield f"      because {one_line(edit.why, MAX_QUOTE_CHARS)}"
        for quote in edit.evidence:
            yield f"      “{one_line(quote.snippet, MAX_QUOTE_CHARS)}”  (passage {quote.chunk_id})"


def _why_lines(found: api.Provenance) -> Iterator[str]:
    for said in found.said:
        yield from _said_lines(said)
    if found.joined:
        yield "\nOne thing by rules"
    for one in found.joined:
        yield f"  {one_line(one.key)} is {one_line(one.other)}, {one.score:.2f}"
        for reason in one.reasons:
            yield f"      {one_line(reason)}"
    if found.edits:
        yield "\nEdited" if found.said else "Edited"
    for line in edit_lines(found.edits):
        yield f"  {line}"


def _said_lines(said: api.Said) -> Iterator[str]:
    invalid = f"  [invalid by {said.invalid_by}]" if said.invalid_by else ""
    what = f"{said.source_key} {said.type} {said.target_key}" if said.type else said.source_key
    place = f"{one_line(said.place.source)}, chunk {said.place.chunk_number}" if said.place else "no passage"
    yield f"{one_line(what)}: {place}, {said.operation}, {said.confidence:.2f}{invalid}"
    if said.snippet:
        yield f"    “{one_line(said.snippet, MAX_QUOTE_CHARS)}”"


def me() -> Actor:
    """Who calls, for the log."""
    try:
        return Actor(name=getpass.getuser())
    except (OSError, KeyError, ImportError):  # a user without a name; before Python 3.13 a KeyError
        return Actor(name="somebody")


def _edit(tool: str, arguments: api.Input) -> None:
    with connected() as client:
        say_edited(client.tool(tool, arguments, api.Edited, actor=me()))


def say_edited(edited: api.Edited) -> None:
    """Say what was appended, and how to undo it."""
    for line in edit_lines(edited.edits):
        say(line)
    for entity in edited.entities:
        also = f", also called {one_line(', '.join(entity.aliases))}" if entity.aliases else ""
        say(f"{one_line(entity.name)} ({one_line(entity.type)}): in {entity.mentions}, {entity.degree} related{also}")
    numbers = sorted({edit.id.partition(".")[0] for edit in edited.edits if edit.kind != "undo"}, key=int)
    if numbers:
        note(f"To undo: trivium graph undo {numbers[0]}")
