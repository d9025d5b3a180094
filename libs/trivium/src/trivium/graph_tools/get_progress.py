"""get_progress: how far things are."""

from __future__ import annotations

import asyncio
from collections import Counter
from typing import Annotated

from msgspec import Meta

from trivium.api import EditSeen, Input, Output
from trivium.domain.edits import Todo
from trivium.graph_tools.create_todo import MAX_RUN_CHARS
from trivium.graph_tools.desk import Desk, seen_edits

MAX_TOLD = 100


class GetProgress(Input, frozen=True):
    """How far things are: what is open, and what has been done."""

    run: Annotated[str, Meta(max_length=MAX_RUN_CHARS, description="Only the tasks of this work.")] = ""


class Progress(Output, frozen=True):
    """Open tasks and reviews, oldest first; edits by kind; documents by state."""

    todos: tuple[EditSeen, ...]
    reviews: tuple[EditSeen, ...]
    done: Annotated[int, Meta(description="Tasks that are done.")]
    edits: dict[str, int]
    documents: dict[str, int]


async def get_progress(desk: Desk, wanted: GetProgress) -> Progress:
    """What is open and what is done."""
    curated, counts = await asyncio.gather(desk.curated(), asyncio.to_thread(desk.sources.registry.counts))
    folded = curated.folded
    todos = [edit for edit in curated.edits if isinstance(edit.change, Todo) and wanted.run in ("", edit.change.run)]
    still = [edit for edit in todos if edit.id in folded.todos]
    return Progress(
        seen_edits(still[:MAX_TOLD], curated),
        seen_edits(list(folded.reviews.values())[:MAX_TOLD], curated),
        len(todos) - len(still),
        dict(Counter(edit.kind for edit in curated.edits)),
        dict(counts.by_state),
    )
