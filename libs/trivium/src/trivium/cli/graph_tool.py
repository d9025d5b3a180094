"""`trivium graph tool`: any tool of the graph, called as a program or a model calls it."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import click
import msgspec

from trivium import api
from trivium.cli.curate import me
from trivium.cli.session import connected
from trivium.cli.terminal import note, one_line, print_json, say
from trivium.domain.errors import NotFound, Refused

if TYPE_CHECKING:
    from trivium.graph_tools.tools import GraphTool

STANDARD_INPUT = "-"


@click.command()
@click.argument("name", default="")
@click.argument("arguments", default="{}", metavar="[JSON|-]")
@click.option("--json", "as_json", is_flag=True, help="List the tools as JSON, each with its whole JSON Schema.")
def tool(name: str, arguments: str, as_json: bool) -> None:
    r"""Call the tool NAME with its arguments as JSON, or as `-` from standard input; without NAME list the tools.

    What it answers is printed as JSON.

    \b
      trivium graph tool search_kg '{"name": "Ilse Brandt"}'
      trivium graph tool create_todo '{"task": "Look for the second fish ladder."}'
    """
    if not name:
        _list(as_json)
        return
    wanted = _tool(name)
    given = _arguments(wanted, sys.stdin.buffer.read() if arguments == STANDARD_INPUT else arguments)
    with connected() as client:
        print_json(client.tool(name, given, wanted.result, actor=me()))


def _list(as_json: bool) -> None:
    with connected() as client:
        tools = client.tools().tools
    if as_json:
        print_json(tools)
        return
    for each in tools:
        say(f"{each.name}: {one_line(each.description)}")
        for line in _argument_lines(each.arguments):
            say(f"    {line}")
    note("To call one: trivium graph tool NAME JSON. Their JSON Schemas: trivium graph tool --json")


def _argument_lines(schema: Mapping[str, Any]) -> Iterator[str]:
    """A line for each argument of a tool: what it is called, of which type, and what it means."""
    kinds: Mapping[str, Any] = schema.get("$defs", {})
    _, _, own = str(schema.get("$ref", "")).rpartition("/")
    told = kinds.get(own, schema)
    for name, argument in told["properties"].items():
        needed = ", needed" if name in told.get("required", ()) else ""
        meaning = f": {one_line(argument['description'])}" if "description" in argument else ""
        yield f"{name} ({_type(argument, kinds)}{needed}){meaning}"


def _type(schema: Mapping[str, Any], kinds: Mapping[str, Any]) -> str:
    """In a few words, as "string", "array of {chunk_id, snippet}" or "one of person, event"."""
    if "anyOf" in schema:
        return " or ".join(_type(each, kinds) for each in schema["anyOf"])
    if "enum" in schema:
        return f"one of {', '.join(map(str, schema['enum']))}"
    if "$ref" in schema:
        _, _, kind = schema["$ref"].rpartition("/")
        meant = kinds[kind]
        return _type(meant, kinds) if "enum" in meant else f"{{{', '.join(meant['properties'])}}}"
    if schema.get("type") == "array" and "items" in schema:
        return f"array of {_type(schema['items'], kinds)}"
    return str(schema.get("type", "value"))


def _tool(name: str) -> GraphTool:
    from trivium.graph_tools.tools import CALLABLE

    if name not in CALLABLE:
        raise NotFound("unknown_tool", f"There is no tool {name!r}.", f"Use one of {', '.join(CALLABLE)}.")
    return CALLABLE[name]


def _arguments(wanted: GraphTool, text: str | bytes) -> api.Input:
    try:
        return msgspec.json.decode(text, type=wanted.arguments)
    except (msgspec.DecodeError, UnicodeError) as error:  # also what does not fit
        action = f"`trivium graph tool` lists what {wanted.name} takes."
        raise Refused("bad_arguments", f"The arguments are not what {wanted.name} takes: {error}.", action) from error
