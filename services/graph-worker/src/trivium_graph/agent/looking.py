"""The agent's tools that look: search_kg, browse_context, get_progress."""

from __future__ import annotations

from typing import Annotated, Any

from msgspec import Meta

from trivium.api import Input
from trivium.domain.errors import NotFound
from trivium.graph_tools.values import Reference
from trivium.text.names import fold_name
from trivium_graph.agent.workbench import Workbench
from trivium_graph.llm_extract import unfenced

MAX_FOUND = 5
MAX_AROUND = 3
MAX_SHOWN_CHARS = 2000  # of a neighbour
EDGES_EACH = 5


class SearchKg(Input, frozen=True):
    """Look for entities whose name is, or is like, this one, in the whole graph and in this document so far."""

    name: Reference


class BrowseContext(Input, frozen=True):
    """Read the passages before and after this one."""

    before: Annotated[int, Meta(ge=0, le=MAX_AROUND, description="How many passages before.")] = 1
    after: Annotated[int, Meta(ge=0, le=MAX_AROUND, description="How many passages after.")] = 1


class GetProgress(Input, frozen=True):
    """What is in the graph from this passage by now, and what is left to do."""


async def search_kg(bench: Workbench, wanted: SearchKg) -> Any:
    """Nothing found is an empty list."""
    key = fold_name(wanted.name)
    if key and key not in bench.draft.searched:
        bench.change(searched=(*bench.draft.searched, key))
    matches = (await bench.graph.match([wanted.name], MAX_FOUND)).get(wanted.name, [])
    edges = await bench.graph.edges([entity.key for entity, _ in matches], EDGES_EACH)
    here = [entity for other, entity in bench.found.items() if key and (key in other or other in key)]
    return {
        "in_graph": [
            {
                "name": entity.name,
                "type": entity.type.value,
                "also": list(entity.aliases[:MAX_FOUND]),
                "similarity": round(score, 2),
                "relations": [f"{e.source_key} {e.type} {e.target_key}" for e in edges.get(entity.key, [])],
            }
            for entity, score in matches
        ],
        "in_this_document": [{"name": one.name, "type": one.type.value} for one in here[:MAX_FOUND]],
    }


async def browse_context(bench: Workbench, wanted: BrowseContext) -> Any:
    """Raises `NotFound` (`no_such_passage`) at the only passage of a document."""
    first = max(0, bench.at - wanted.before)
    near = [chunk for chunk in bench.chunks[first : bench.at + wanted.after + 1] if chunk is not bench.chunk]
    if not near:
        raise NotFound("no_such_passage", "There is no other passage there.", "Go on with this one.")
    return [{"number": chunk.number, "text": unfenced(chunk.text[:MAX_SHOWN_CHARS])} for chunk in near]


async def get_progress(bench: Workbench, _: GetProgress) -> Any:
    """Counts and names."""
    draft = bench.draft
    return {
        "passage": bench.at + 1,
        "of": len(bench.chunks),
        "entities": [entity.name for entity in draft.entities],
        "relations": [f"{one.source} {one.type} {one.target}" for one in draft.relations],
        "open_todos": [f"{todo.number}: {todo.task}" for todo in bench.todos if todo.number not in draft.settled],
    }
