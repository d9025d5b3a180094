"""`trivium graph duplicates`: names that may be one thing, for a person to decide."""

from __future__ import annotations

import click

from trivium import api
from trivium.cli.curate import me, say_edited
from trivium.cli.session import connected
from trivium.cli.terminal import counted, json_option, note, one_line, print_json, say

_why = click.option("--why", default="", help="The reason, kept with the edit.")


@click.group(invoke_without_command=True)
@click.option("--dismissed", is_flag=True, help="Those that were put aside, instead of the others.")
@click.option("--limit", type=click.IntRange(1, 200), default=50, show_default=True, help="How many.")
@json_option
@click.pass_context
def duplicates(context: click.Context, dismissed: bool, limit: int, as_json: bool) -> None:
    r"""List names that may be one thing, the likeliest first, with the reasons.

    What is sure is merged without asking; `trivium graph why NAME` says by which rule.

    \b
      trivium graph duplicates accept "J. Smith" "John Smith"
      trivium graph duplicates dismiss "J. Smith" "John Smith"
    """
    if context.invoked_subcommand is not None:
        return
    with connected() as client:
        page = client.duplicates(dismissed=dismissed, limit=limit)
    if as_json:
        print_json(page)
        return
    for each in page.duplicates:
        _say(each)
    if not page.duplicates:
        note("Nothing was dismissed." if dismissed else "No names are waiting to be told apart.")
    if page.cursor:
        note("There are more: raise --limit.")


@duplicates.command()
@click.argument("name")
@click.argument("other")
@_why
def accept(name: str, other: str, why: str) -> None:
    """NAME and OTHER are one thing: merge them."""
    with connected() as client:
        say_edited(client.accept_duplicate(name, other, why, actor=me()))


@duplicates.command()
@click.argument("name")
@click.argument("other")
@_why
def dismiss(name: str, other: str, why: str) -> None:
    """NAME and OTHER are two things; those that a rule merged are parted.

    A pair that was only asked about comes back once something else is known of the two.
    """
    with connected() as client:
        say_edited(client.dismiss_duplicate(name, other, why, actor=me()))


def _say(each: api.Duplicate) -> None:
    told = each.likeness
    say(f"{told.score:.2f}  {one_line(told.key)}  =  {one_line(told.other)} ?")
    for entity in (each.entity, each.other_entity):
        say(f"      {one_line(entity.name)} ({one_line(entity.type)}), in {counted(entity.mentions, 'chunk')}")
    for reason in told.reasons:
        say(f"      {one_line(reason)}")
    if each.dismissed:
        say(f"      dismissed by edit {each.dismissed.id}: {one_line(each.dismissed.by)}")
