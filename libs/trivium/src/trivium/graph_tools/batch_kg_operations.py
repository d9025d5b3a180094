"""batch_kg_operations: several changes, all of them or none."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from trivium.api import Input
from trivium.domain.edits import MAX_EDITS_AT_ONCE
from trivium.domain.errors import NotFound, Refused
from trivium.graph_tools.desk import Desk
from trivium.graph_tools.writing import WRITING


class Operation(Input, frozen=True):
    """One call of a tool that writes."""

    tool: Annotated[str, Meta(max_length=40, examples=["create_relation"])]
    arguments: dict[str, Any]


class BatchKgOperations(Input, frozen=True):
    """Several changes in order; a later one may use what an earlier one creates. All of them count, or none."""

    operations: Annotated[tuple[Operation, ...], Meta(min_length=1, max_length=MAX_EDITS_AT_ONCE)]


async def batch_kg_operations(desk: Desk, wanted: BatchKgOperations) -> None:
    """Raises what the tools raise, with the operation's number before it; then nothing was done."""
    kinds = {name: tool.arguments for name, tool in WRITING.items()}
    for number, operation in enumerate(wanted.operations, start=1):
        with numbered(number):
            arguments = arguments_of(operation, kinds)
            await WRITING[operation.tool].draft(desk, arguments)


@contextmanager
def numbered(number: int) -> Iterator[None]:
    """What is refused within names the operation; numbers count from 1."""
    try:
        yield
    except (NotFound, Refused) as error:
        raise type(error)(error.code, f"Operation {number}: {error.message}", error.action) from error


def arguments_of(operation: Operation, kinds: Mapping[str, type[Input]]) -> Any:
    """As its tool takes them, one of those named. Raises `Refused` (`unknown_tool`, `bad_arguments`)."""
    kind = kinds.get(operation.tool)
    if kind is None:
        raise Refused("unknown_tool", f"{operation.tool!r} is no tool that writes.", f"Use one of {', '.join(kinds)}.")
    try:
        return msgspec.convert(operation.arguments, kind)
    except msgspec.ValidationError as error:
        raise Refused("bad_arguments", f"{error}.", f"Correct the arguments of {operation.tool}.") from error
