"""`trivium graph`: names, what they are related to, and the passages that say so."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click
import msgspec

from trivium import api
from trivium.cli.curate import COMMANDS, edit_lines, me
from trivium.cli.documents import resolve
from trivium.cli.duplicates import duplicates
from trivium.cli.graph_schema import schema
from trivium.cli.graph_tool import tool
from trivium.cli.import_list import import_list
from trivium.cli.session import connected
from trivium.cli.terminal import address, counted, json_option, note, one_line, print_json, print_table, say
from trivium.domain.contradictions import ContradictionKind
from trivium.domain.errors import NotFound
from trivium.domain.graph import CO_OCCURS, EntityType
from trivium.domain.graph_schema import Compliance
from trivium.domain.ids import is_id
from trivium.text.names import fold_name, key_without_marks

if TYPE_CHECKING:
    from trivium.client import TriviumClient

MAX_QUOTE_CHARS = 200
MAX_SUGGESTIONS = 5
MAX_MEMBERS = 20
MAX_NEIGHBOURS = 100  # a page
MAX_PAGES = 100  # of names that begin alike
_OUTSIDE = (Compliance.PROPOSED, Compliance.REJECTED)


@click.group()
def graph() -> None:
    r"""Look at the knowledge graph, and correct it.

    Every correction is an edit in a log: it says who, when and why, and it can be undone.

    \b
      trivium graph merge "I. Brandt" "Ilse Brandt"
      trivium graph why "Ilse Brandt"
      trivium graph undo 1
    """


graph.add_command(schema)
graph.add_command(import_list)
graph.add_command(duplicates)
graph.add_command(tool)


@graph.command(name="list")
@click.argument("prefix", default="")
@click.option("--type", "kind", type=click.Choice([kind.value for kind in EntityType]), help="Only this type.")
@click.option("--limit", type=click.IntRange(1, 200), default=50, show_default=True, help="How many.")
@json_option
def list_entities(prefix: str, kind: str | None, limit: int, as_json: bool) -> None:
    """List entities, most mentioned first; with PREFIX, those whose name begins so."""
    with connected() as client:
        page = client.entities(prefix, kind or "", limit=limit)
    if as_json:
        print_json(page.entities)
        return
    if not page.entities:
        note("No such entities." if prefix or kind else "The graph is empty. Add documents with: trivium ingest FOLDER")
        return
    columns = {"chunks": "right", "related": "right", "type": "left", "name": "left", "also": "left"}
    rows = [(str(e.mentions), str(e.degree), e.type, e.name, ", ".join(e.aliases)) for e in page.entities]
    print_table(columns, rows)
    if page.cursor:
        note("There are more: raise --limit or give a PREFIX.")


@graph.command()
@click.argument("entity")
@click.option("--limit", type=click.IntRange(1), default=25, show_default=True, help="How many neighbours.")
@json_option
def show(entity: str, limit: int, as_json: bool) -> None:
    """Show ENTITY, a name or an id: its relations and the passages that name it."""
    with connected() as client:
        picture = _picture(client, entity if is_id(entity) else _by_name(client, entity).id, limit)
    if as_json:
        print_json(picture)
        return
    seen = picture.entity
    size = f"in {counted(seen.mentions, 'chunk')}, {counted(seen.degree, 'neighbour')}"
    say(f"{one_line(seen.name)} ({one_line(seen.type)}), {size}")
    if seen.aliases:
        say(f"Also called: {one_line(', '.join(seen.aliases))}")
    if picture.neighbours:
        say("\nRelated to")
    for neighbour in picture.neighbours:
        say(f"  {_relation(neighbour)}")
    if picture.cursor:
        note("It has more neighbours: raise --limit.")
    if picture.relations:
        say("\nStated in")
    for relation in picture.relations:
        stands = f" ({relation.compliance})" if relation.compliance in _OUTSIDE else ""
        stated = f"{one_line(relation.source_key)} {relation.type} {one_line(relation.target_key)}{stands}"
        say(f"  {stated}: {_at(relation.place)}")
        say(f"    “{one_line(relation.snippet, MAX_QUOTE_CHARS)}”")
    _say_where(picture)


@graph.command()
@click.argument("topic", default="")
@click.option("--level", type=click.IntRange(0, 9), help="How fine; 0, the coarsest, unless given.")
@click.option("--dataset", default="", metavar="NAME", help="Only what this dataset is about.")
@click.option("--limit", type=click.IntRange(1, 200), default=25, show_default=True, help="How many.")
@json_option
def topics(topic: str, level: int | None, dataset: str, limit: int, as_json: bool) -> None:
    """List what the documents are about, the largest topic first; with TOPIC, an id or a part of a name, show that one.

    Topics are communities of names that stand together, made anew when documents have come or gone.
    """
    with connected() as client:
        if topic:
            seen = client.topic(topic if is_id(topic) else _topic_id(client, topic, level, dataset), dataset=dataset)
            print_json(seen) if as_json else _show_topic(seen)
            return
        page = client.topics(level or 0, dataset=dataset, limit=limit)
    if as_json:
        print_json(page)
        return
    if not page.topics:
        of = f" of dataset {dataset}. List datasets with: trivium datasets" if dataset else ""
        note(f"No topics{of or '. Add documents with: trivium ingest FOLDER'}")
        return
    columns = {"passages": "right", "documents": "right", "names": "right", "topic": "left", "id": "left"}
    print_table(columns, [(str(t.passages), str(t.documents), str(t.names), t.name, t.id) for t in page.topics])
    _note_topics(page, limit)


@graph.command()
@click.option(
    "--format", "form", type=click.Choice(api.EXPORT_FORMATS), default="jsonl", show_default=True, help="How."
)
@click.option("--entity", default="", metavar="NAME", help="Only what is around this entity, a name or an id.")
@click.option("--depth", type=click.IntRange(0, 5), default=1, show_default=True, help="How many steps from it.")
@click.option("--dataset", default="", metavar="NAME", help="Only what this dataset says.")
@click.option("--topics", "with_topics", is_flag=True, help="With the topics last; jsonl and graphml.")
@click.option("-o", "--output", type=click.Path(dir_okay=False, path_type=Path), help="To this file; unset: printed.")
def export(form: str, entity: str, depth: int, dataset: str, with_topics: bool, output: Path | None) -> None:
    """Write the graph as a file: entities, and each relation with the passage that states it.

    jsonl is JSON Lines, graphml opens in yEd, Gephi and networkx, cypher runs in Neo4j, rdf is N-Triples.
    """
    with connected() as client:
        around = _by_name(client, entity).id if entity and not is_id(entity) else entity
        with client.export(form, entity=around, depth=depth, dataset=dataset, topics=with_topics) as pieces:
            if output is not None:
                size = _saved(pieces, output)
                note(f"{output}: {size:,} bytes")
            else:
                size = sum(map(_print_piece, pieces))
    if not size:
        of = (
            f" of dataset {dataset}. List datasets with: trivium datasets"
            if dataset
            else ": no document names anything."
        )
        note(f"There is nothing to export{of}")


def _print_piece(piece: bytes) -> int:
    click.echo(piece, nl=False)
    return len(piece)


@graph.command()
@click.argument("document")
@json_option
def links(document: str, as_json: bool) -> None:
    """Show which documents DOCUMENT, an id or a name, links to, and which link to it."""
    with connected() as client:
        source = resolve(client, document)
        found = client.links(source.id)
    if as_json:
        print_json(found)
        return
    if not found.links_to and not found.linked_from:
        note(f"{one_line(source.name)} has no links to or from other documents.")
    for words, linked in (("Links to", found.links_to), ("Linked from", found.linked_from)):
        if linked:
            say(words)
        for other in linked:
            say(f"  {one_line(other.name)}" + (f"  ({one_line(other.title)})" if other.title else ""))


for command in COMMANDS:
    graph.add_command(command)


@graph.group(invoke_without_command=True)
@click.option("--document", default="", metavar="ID|NAME", help="Only those that this document takes part in.")
@click.option("--dataset", default="", metavar="NAME", help="Only within this dataset.")
@click.option("--kind", type=click.Choice([kind.value for kind in ContradictionKind]), help="Only this kind.")
@click.option("--min-confidence", type=click.FloatRange(0, 1), default=0.0, help="Only those at least so sure.")
@click.option("--dismissed", is_flag=True, help="Those that were put aside, instead of the others.")
@click.option("--limit", type=click.IntRange(1, 200), default=50, show_default=True, help="How many.")
@json_option
@click.pass_context
def contradictions(
    context: click.Context,
    document: str,
    dataset: str,
    kind: str | None,
    min_confidence: float,
    dismissed: bool,
    limit: int,
    as_json: bool,
) -> None:
    """Show passages that cannot both be right, the surest first."""
    if context.invoked_subcommand:
        return
    with connected() as client:
        page = client.contradictions(
            document_id=resolve(client, document).id if document else "",
            dataset=dataset,
            kind=kind or "",
            min_confidence=min_confidence,
            dismissed=dismissed,
            limit=limit,
        )
    if as_json:
        print_json(page.contradictions)
    for card in () if as_json else page.contradictions:
        _show_card(card)
    if not page.contradictions:
        note("None were put aside." if dismissed else "No contradictions were found.")
    if page.pending:
        note(f"{counted(page.pending, 'document')} still to be looked at: ask again in a while.")
    if page.cursor:
        note("There are more: raise --limit, or --min-confidence.")


@contradictions.command()
@click.argument("card_id", metavar="ID")
@click.option("--why", required=True, metavar="TEXT", help="The reason, for whoever looks at it later.")
def dismiss(card_id: str, why: str) -> None:
    """Put the contradiction ID aside, until its passages say something else."""
    with connected() as client:
        card = client.dismiss_contradiction(card_id, why, actor=me())
    say(f"Put aside: {one_line(_title(card))}")
    if card.dismissed:
        note(f"To see it again: trivium graph undo {card.dismissed.edit}")


def _show_card(card: api.Contradiction) -> None:
    """A line for what it is, and two for each passage."""
    say(f"{card.id}  {one_line(_title(card))}  ({card.confidence:.2f}, since {_day(card.since)})")
    for side in card.sides:
        cited = side.citation
        say(f"  {address(cited.source, cited.chunk_number, cited.positions)}")
        say(f"    “{one_line(cited.quote, MAX_QUOTE_CHARS)}”")
    if card.dismissed:
        by = one_line(f"{card.dismissed.by}, edit {card.dismissed.edit}")
        say(f"  Put aside on {_day(card.dismissed.at)} ({by}): {one_line(card.dismissed.why)}")


def _title(card: api.Contradiction) -> str:
    """As "skerry point, height: 31 metres or 24 m"."""
    values = " or ".join(side.value for side in card.sides if side.value)
    about = ", ".join(filter(None, (card.subject, card.attribute.replace("_", " ").lower())))
    return f"{card.kind}: {about}" + (f": {values}" if values else "")


def _day(seconds: float) -> str:
    return time.strftime("%Y-%m-%d", time.localtime(seconds))


def _saved(pieces: Iterable[bytes], output: Path) -> int:
    """Bytes written; a file that broke off is not left behind under its name.

    What is no file (a device, a pipe) stays what it is, and so does a link.
    """
    if output.exists() and not output.is_file():
        with output.open("wb") as stream:
            return sum(stream.write(piece) for piece in pieces)
    output = output.resolve()
    unfinished = output.with_name(f"{output.name}.unfinished")
    try:
        with unfinished.open("wb") as file:
            size = sum(file.write(piece) for piece in pieces)
        unfinished.replace(output)
    finally:
        unfinished.unlink(missing_ok=True)
    return size


def _note_topics(page: api.TopicPage, limit: int) -> None:
    if page.levels > page.level + 1:
        note(f"Level {page.level} of {page.levels}; finer: --level {page.level + 1}.")
    if page.cursor:
        note(f"There are more than {limit}: raise --limit.")
    if page.stale:
        note("Documents came since these were made; new ones are being made.")


def _show_topic(seen: api.TopicPicture) -> None:
    topic = seen.topic
    size = f"{counted(topic.passages, 'passage')} of {counted(topic.documents, 'document')}"
    say(f"{one_line(topic.name)}: {counted(topic.names, 'name')} in {size}")
    if seen.parent:
        say(f"Part of: {one_line(seen.parent.name)}")
    if topic.terms:
        say(f"Words: {one_line(', '.join(topic.terms))}")
    say("\nNames")
    for member in topic.members[:MAX_MEMBERS]:
        say(f"  {one_line(member.name)} ({one_line(member.type)}), in {counted(member.passages, 'passage')}")
    if seen.central:
        say("\nCentral passages")
    for passage in seen.central:
        say(f"  {_at(passage.place)}")
        say(f"    “{one_line(passage.quote, MAX_QUOTE_CHARS)}”")
    if seen.children:
        say("\nDivided into")
    for child in seen.children:
        say(f"  {one_line(child.name)} ({counted(child.passages, 'passage')})")


def _topic_id(client: TriviumClient, wanted: str, level: int | None, dataset: str) -> str:
    """The topic whose name holds the words, at the level or else at the coarsest that has one."""
    words = wanted.casefold().split()
    levels = 1
    near: list[str] = []
    at = level or 0
    while at < levels:
        cursor = ""
        while True:
            page = client.topics(at, dataset=dataset, limit=200, cursor=cursor)
            for topic in page.topics:
                if all(word in topic.name.casefold() for word in words):
                    return topic.id
            near = near or [topic.name for topic in page.topics[:MAX_SUGGESTIONS]]
            if not (cursor := page.cursor):
                break
        levels = page.levels if level is None else 0
        at += 1
    action = f"Perhaps: {'; '.join(near)}" if near else "Add documents with: trivium ingest FOLDER"
    raise NotFound("unknown_topic", f"No topic's name holds {wanted!r}.", action)


def _picture(client: TriviumClient, entity_id: str, limit: int) -> api.EntityPicture:
    """With as many neighbours, page by page."""
    picture = client.entity(entity_id, neighbours=min(limit, MAX_NEIGHBOURS))
    around, cursor = list(picture.neighbours), picture.cursor
    while cursor and len(around) < limit:
        page = client.entity(entity_id, neighbours=min(limit - len(around), MAX_NEIGHBOURS), cursor=cursor)
        around, cursor = [*around, *page.neighbours], page.cursor
    return msgspec.structs.replace(picture, neighbours=tuple(around), cursor=cursor)


def _by_name(client: TriviumClient, name: str) -> api.Entity:
    """The entity of that name or alias, spelt alike; else the only one whose name begins so."""
    key, older = fold_name(name), key_without_marks(name)
    found: tuple[api.Entity, ...] = ()
    for page in _pages(client, name) if key else ():
        if entity := _spelt(page, key):
            return entity
        found = found or page
    for page in _pages(client, older) if older != key else ():
        if entity := _spelt(page, key):
            return entity
    if len(found) == 1:
        return found[0]
    action = "Look for it with: trivium graph list BEGINNING"
    if found:
        action = "Perhaps: " + ", ".join(entity.name for entity in found[:MAX_SUGGESTIONS])
    raise NotFound("unknown_entity", f"There is no entity called {name!r}.", action)


def _spelt(page: Sequence[api.Entity], key: str) -> api.Entity | None:
    spellings = ((entity, (entity.name, *entity.aliases)) for entity in page)
    return next((entity for entity, names in spellings if key in map(fold_name, names)), None)


def _pages(client: TriviumClient, beginning: str) -> Iterator[tuple[api.Entity, ...]]:
    """Entities whose name begins so, page by page, up to some."""
    cursor = ""
    for _ in range(MAX_PAGES):
        page = client.entities(beginning, cursor=cursor)
        yield page.entities
        if not (cursor := page.cursor):
            return


def _say_where(picture: api.EntityPicture) -> None:
    """The passages that name it, and the edits that made it what it is."""
    if picture.mentions:
        say("\nNamed in")
    for place, sentences in _by_place(picture.mentions).items():
        say(f"  {place}")
        for sentence in sentences:
            say(f"    “{sentence}”")
    if picture.evidenced_by:
        say("\nSections")
    for node in picture.evidenced_by:
        say(f"  {one_line(node.name, MAX_QUOTE_CHARS)} ({one_line(node.source)}): {counted(node.passages, 'passage')}")
    if picture.edits:
        say("\nEdited")
    for line in edit_lines(picture.edits):
        say(f"  {line}")


def _by_place(mentions: tuple[api.Mention, ...]) -> dict[str, list[str]]:
    """Each sentence once, under its chunk, in the order given."""
    places: dict[str, list[str]] = {}
    for mention in mentions:
        sentences = places.setdefault(_at(mention.place), [])
        sentence = one_line(mention.sentence or mention.surface, MAX_QUOTE_CHARS)
        if sentence not in sentences:
            sentences.append(sentence)
    return places


def _relation(neighbour: api.Neighbour) -> str:
    name = f"{one_line(neighbour.entity.name)} ({one_line(neighbour.entity.type)})"
    if neighbour.relation == CO_OCCURS:
        return f"-- together in {counted(neighbour.evidence, 'chunk')} -- {name}"
    arrow = f"--{one_line(neighbour.relation)}-->" if neighbour.outgoing else f"<--{one_line(neighbour.relation)}--"
    return f"{arrow} {name}  ({neighbour.confidence:.2f}, {counted(neighbour.evidence, 'chunk')})"


def _at(place: api.Place) -> str:
    return f"{one_line(place.source)}, chunk {place.chunk_number}"
