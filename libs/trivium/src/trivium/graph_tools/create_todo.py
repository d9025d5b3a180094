"""create_todo: something left to do."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from trivium.api import ONE_LINE, Input
from trivium.domain.edits import MAX_WHY_CHARS, Todo
from trivium.graph_tools.desk import Desk

MAX_RUN_CHARS = 200


class CreateTodo(Input, frozen=True):
    """Something left to do; `dismiss` of its id says that it is done."""

    task: Annotated[
        str, Meta(min_length=1, max_length=MAX_WHY_CHARS, pattern=ONE_LINE, description="What is to be done.")
    ]
    run: Annotated[
        str, Meta(max_length=MAX_RUN_CHARS, pattern=ONE_LINE, description="The work that it belongs to.")
    ] = ""


async def create_todo(desk: Desk, wanted: CreateTodo) -> None:
    """An open task."""
    desk.draft(Todo(wanted.run, wanted.task))
