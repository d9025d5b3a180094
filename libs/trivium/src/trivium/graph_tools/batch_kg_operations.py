"""batch_kg_operations: several changes, all of them or none."""

from __future__ import annotations

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
    for number, operation in enumerate(wanted.operations, start=1):
        try:
            await _one(desk, operation)
        except NotFound as error:
            raise NotFound(error.code, f"Operation {number}: {error.message}", error.action) from error
        except Refused as error:
            raise Refused(error.code, f"Operation {number}: {error.message}", error.action) from error


async def _one(desk: Desk, operation: Operation) -> None:
    tool = WRITING.get(operation.tool)
    if tool is None:
        raise Refused(
            "unknown_tool", f"{operation.tool!r} is no tool that writes.", f"Use one of {', '.join(WRITING)}."
        )
    try:
        arguments = msgspec.convert(operation.arguments, tool.arguments)
    except msgspec.ValidationError as error:
        raise Refused("bad_arguments", f"{error}.", f"Correct the arguments of {operation.tool}.") from error
    await tool.draft(desk, arguments)
