"""`trivium graph schema`: which relation types a dataset's graph has, and between what."""

from __future__ import annotations

from typing import Any

import click

from trivium import api
from trivium.cli.session import connected
from trivium.cli.terminal import counted, json_option, note, one_line, print_json, say
from trivium.domain.documents import DEFAULT_DATASET
from trivium.domain.errors import Refused
from trivium.domain.graph import EntityType
from trivium.domain.graph_schema import ProposalKind, Targets

MAX_QUOTE_CHARS = 160
SHOWN_EXAMPLES = 2

_dataset = click.option("--dataset", default=DEFAULT_DATASET, show_default=True, help="Whose graph.")
_by = click.option("--by", default="", help="Who does it; kept with the version.")
_why = click.option("--why", default="", help="The reason; kept with the version.")
_number = click.option(
    "--version", "number", type=click.IntRange(0), help="The version you looked at: refuse if it is not the newest."
)
_types = click.Choice([kind.value for kind in EntityType])


@click.group()
def schema() -> None:
    r"""Relation types of a dataset's graph: proposed from what it says, in force once accepted.

    \b
      trivium graph schema propose               # read the graph, propose what is new
      trivium graph schema show                  # in force, proposed, examples
      trivium graph schema accept                # all that have no problem
      trivium graph schema accept WORKS_FOR --why "the staff list needs it"
      trivium graph schema reject WROTE
      trivium graph schema diff 1 3
    """


@schema.command()
@_dataset
@click.option("--version", "number", type=click.IntRange(0), help="An older one.")
@json_option
def show(dataset: str, number: int | None, as_json: bool) -> None:
    """Show what is in force and what is proposed, with passages that state it."""
    with connected() as client:
        seen = client.schema(dataset, number)
    _shown(seen, as_json=as_json)


@schema.command()
@click.argument("name", default="")
@click.option("--from", "domain", type=_types, multiple=True, help="With NAME: a type of its source; may be repeated.")
@click.option("--to", "range_", type=_types, multiple=True, help="With NAME: a type of its target; may be repeated.")
@click.option("--targets", type=click.Choice([each.value for each in Targets]), help="How many a source has.")
@click.option("--symmetric", is_flag=True, help="It holds both ways.")
@click.option("--description", default="", help="What it says.")
@_dataset
@_by
@_why
@json_option
def propose(name: str, dataset: str, by: str, why: str, *, as_json: bool, **said: Any) -> None:
    """Read the graph and propose what no type in force covers; with NAME propose that type."""
    if not name and any(said.values()):
        raise Refused("bad_usage", "Those options belong to a type.", "Say its NAME first, as in WORKS_FOR.")
    kind = api.ProposedType(
        name,
        tuple(map(EntityType, said["domain"])),
        tuple(map(EntityType, said["range_"])),
        Targets(said["targets"] or Targets.UNKNOWN),
        said["symmetric"],
        said["description"],
    )
    with connected() as client:
        made = client.propose_schema(dataset, (kind,) if name else (), by=by, why=why)
    if as_json or made.number:
        _shown(made, as_json=as_json)
        return
    note(f"Nothing was found to propose for {made.dataset}. List datasets with: trivium datasets")


@schema.command()
@click.argument("names", nargs=-1)
@_dataset
@_number
@_by
@_why
@json_option
def accept(names: tuple[str, ...], dataset: str, number: int | None, by: str, why: str, as_json: bool) -> None:
    """Put NAMES in force; without any, every proposal that has no problem."""
    with connected() as client:
        made = client.accept_schema(names, dataset, number=number, by=by, why=why)
    _told(made, as_json=as_json)


@schema.command()
@click.argument("names", nargs=-1, required=True)
@_dataset
@_number
@_by
@_why
@json_option
def reject(names: tuple[str, ...], dataset: str, number: int | None, by: str, why: str, as_json: bool) -> None:
    """Have NAMES not proposed again; one that is in force is so no longer."""
    with connected() as client:
        made = client.reject_schema(names, dataset, number=number, by=by, why=why)
    _told(made, as_json=as_json)


@schema.command()
@click.argument("older", type=click.IntRange(0), required=False)
@click.argument("newer", type=click.IntRange(0), required=False)
@_dataset
@json_option
def diff(older: int | None, newer: int | None, dataset: str, as_json: bool) -> None:
    """Show what lies between two versions, who changed it and why; by default what the last change did."""
    with connected() as client:
        found = client.schema_diff(dataset, older, newer)
    if as_json:
        print_json(found)
        return
    say(f"Version {found.older} to {found.newer}")
    for sign, kinds in (("+", found.added), ("-", found.removed)):
        for kind in kinds:
            say(f"{sign} {_line(kind)}")
    for each in found.changed:
        say(f"- {_line(each.before)}")
        say(f"+ {_line(each.after)}")
    for words, names in (("Proposed", found.proposed), ("No longer proposed", found.no_longer_proposed)):
        if names:
            say(f"{words}: {', '.join(names)}")
    for made in found.changes:
        say(_change(made.number, made.change))


def _told(made: api.GraphSchema, *, as_json: bool) -> None:
    if as_json:
        print_json(made)
        return
    say(_change(made.number, made.change))
    note(f"{counted(len(made.types), 'type')} in force, {len(made.proposed)} proposed.")


def _shown(seen: api.GraphSchema, *, as_json: bool) -> None:
    if as_json:
        print_json(seen)
        return
    for told in seen.notes:
        note(told)
    if not seen.number:
        options = "" if seen.dataset == DEFAULT_DATASET else f" --dataset {seen.dataset}"
        note(f"{seen.dataset} has no schema. Have one proposed with: trivium graph schema propose{options}")
        return
    about = f", about {one_line(seen.domain)}" if seen.domain else ""
    say(f"Schema of {seen.dataset}, version {seen.number}{about}")
    if seen.types:
        say("\nIn force")
    for kind in seen.types:
        say(f"  {_line(kind)}")
    if seen.proposed:
        say("\nProposed")
    for one in seen.proposed:
        _say_proposal(one)
    if seen.rejected:
        say(f"\nRejected: {', '.join(map(_rejection, seen.rejected))}")
    say("")
    say(_change(seen.number, seen.change))
    if any(not one.problems for one in seen.proposed):
        note("Put in force what has no problem with: trivium graph schema accept")


def _say_proposal(one: api.SchemaProposal) -> None:
    say(f"  {_proposal(one)}")
    for problem in one.problems:
        say(f"    ! {one_line(problem)}")
    for example in one.type.examples[:SHOWN_EXAMPLES]:
        place = f"{one_line(example.place.source)}, chunk {example.place.chunk_number}"
        say(f"    “{one_line(example.snippet, MAX_QUOTE_CHARS)}”  {place}")


def _proposal(one: api.SchemaProposal) -> str:
    if one.kind == ProposalKind.ALIAS:
        return f"{one_line(one.type.name)}: another name of {one_line(one.of)}, stated {one.type.relations} times"
    return f"{'more of ' if one.kind == ProposalKind.CHANGED else ''}{_line(one.type)}"


def _rejection(one: api.SchemaRejection) -> str:
    told = ", ".join([*([_ends(one)] if one.domain or one.range else []), *_targets(one)])
    return one_line(one.name) + (f" ({told})" if told else "")


def _ends(kind: api.RelationType | api.SchemaRejection) -> str:
    return f"{' | '.join(kind.domain) or '·'} -> {' | '.join(kind.range) or '·'}"


def _targets(kind: api.RelationType | api.SchemaRejection) -> list[str]:
    return [f"{kind.targets} target{'s' if kind.targets == Targets.MANY else ''}"] if kind.targets != "unknown" else []


def _line(kind: api.RelationType) -> str:
    more = _targets(kind)
    more += ["both ways"] if kind.symmetric else []
    more += [f"stated {counted(kind.relations, 'time')}"] if kind.relations else []
    more += [f"also {', '.join(kind.aliases)}"] if kind.aliases else []
    said = f": {one_line(kind.description)}" if kind.description else ""
    told = f" ({one_line(', '.join(more))})" if more else ""
    return f"{one_line(kind.name)}  {_ends(kind)}{told}{said}"


def _change(number: int, change: api.SchemaChange) -> str:
    what = one_line("; ".join(change.what) or "nothing")
    by = f" by {one_line(change.by)}" if change.by else ""
    why = f" ({one_line(change.why)})" if change.why else ""
    return f"Version {number}{by}: {what}{why}"
