"""The agent's tools that look: search_kg, explore_fusion, read_paragraph, browse_context, get_progress."""

from __future__ import annotations

from typing import Annotated, Any

from msgspec import Meta

from trivium.api import ONE_LINE, Input
from trivium.domain.chunks import Chunk
from trivium.domain.errors import NotFound
from trivium.graph_tools.values import Reference
from trivium.text.names import fold_name
from trivium_graph.agent.workbench import Workbench
from trivium_graph.llm_extract import places_of, unfenced

MAX_FOUND = 5
MAX_AROUND = 3
MAX_SHOWN_CHARS = 2000  # of a neighbour
EDGES_EACH = 5
MAX_QUERY_CHARS = 300
MAX_NAMED = 40


class SearchKg(Input, frozen=True):
    """Look for entities whose name is, or is like, this one, in the whole graph and in this document so far."""

    name: Reference


class ExploreFusion(Input, frozen=True):
    """What the graph and this document's other passages say about something, with the words that say it."""

    query: Annotated[str, Meta(min_length=1, max_length=MAX_QUERY_CHARS, pattern=ONE_LINE)]


class ReadParagraph(Input, frozen=True):
    """Read a passage of this document by its number, and what was constructed from it."""

    number: Annotated[int, Meta(ge=1, description="From 1.")]


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


async def explore_fusion(bench: Workbench, wanted: ExploreFusion) -> Any:
    """Names by likeness with what passages state of them; passages by how many of the words they hold."""
    words = set(fold_name(wanted.query).split())
    matches = (await bench.graph.match([wanted.query], MAX_FOUND)).get(wanted.query, [])
    said = [(entity, (await bench.graph.evidence(entity.key, EDGES_EACH))[1]) for entity, _ in matches]
    held = [(len(words & set(fold_name(chunk.text).split())), chunk) for chunk in bench.chunks]
    best = sorted(held, key=lambda each: -each[0])[:MAX_AROUND]
    return {
        "in_graph": [
            {
                "name": entity.name,
                "type": entity.type.value,
                "said": [
                    {"relation": f"{r.source_key} {r.type} {r.target_key}", "words": r.snippet} for r in relations
                ],
            }
            for entity, relations in said
        ],
        "in_this_document": [_shown(bench, chunk) for count, chunk in best if count and chunk is not bench.chunk],
    }


async def read_paragraph(bench: Workbench, wanted: ReadParagraph) -> Any:
    """Raises `NotFound` (`no_such_passage`)."""
    if wanted.number > len(bench.chunks):
        raise NotFound(
            "no_such_passage", f"There is no passage {wanted.number}.", f"The last one is {len(bench.chunks)}."
        )
    chunk = bench.chunks[wanted.number - 1]
    named = [one.name for one in bench.found.values() if places_of(chunk.text, one.name)]
    return {**_shown(bench, chunk), "entities": named[:MAX_NAMED]}


async def browse_context(bench: Workbench, wanted: BrowseContext) -> Any:
    """Raises `NotFound` (`no_such_passage`) at the only passage of a document."""
    first = max(0, bench.at - wanted.before)
    near = [chunk for chunk in bench.chunks[first : bench.at + wanted.after + 1] if chunk is not bench.chunk]
    if not near:
        raise NotFound("no_such_passage", "There is no other passage there.", "Go on with this one.")
    return [_shown(bench, chunk) for chunk in near]


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


def _shown(bench: Workbench, chunk: Chunk) -> dict[str, Any]:
    return {"number": bench.chunks.index(chunk) + 1, "text": unfenced(chunk.text[:MAX_SHOWN_CHARS])}
