"""READ FIRST: how an agent reads a document for the graph (RAGA, R2 and R3).

Passages are read in their order. For each: what earlier ones left open is told, the model reads, searches, verifies
and constructs in rounds (`read_passage.py`), and its draft becomes the passage's share of the graph, through the same
checks as what the rules found (`checks.py`). What needs more than the passage's word becomes edits (`decisions.py`). A
record is kept of every passage (`record.py`), so that reading goes on where it was.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import msgspec

from trivium.domain.chunks import Chunk
from trivium.domain.errors import NeverWill
from trivium.domain.graph import Alias, ChunkGraph
from trivium.domain.graph_schema import GraphSchema
from trivium.ports.graph import GraphReader
from trivium.ports.llm import Llm
from trivium.text.names import fold_name
from trivium_graph.agent.limits import Limits, Turns
from trivium_graph.agent.one_person import of_one_person
from trivium_graph.agent.read_passage import PROMPT, Carried, read_passage
from trivium_graph.agent.record import Reading, Readings, State
from trivium_graph.agent.workbench import Todo, Workbench
from trivium_graph.llm_extract import ExtractedEntity, ExtractedRelation, Extraction, grounded
from trivium_graph.told_schema import NO_SCHEMA

MAX_FAILURES = 3  # passages in a row: then the model is taken to be unfit, and asked no more for this document
MAX_TODOS = 20  # that a passage is told of, the newest


class ReadDocument(msgspec.Struct, frozen=True):
    """The shares of all passages, and what the agent left of each; `unread` ones are the rules', with the reason."""

    shares: list[ChunkGraph]
    readings: list[Reading]
    unread: int = 0
    reason: str = ""
    tokens: int = 0


def prompt_label() -> str:
    """Names the agent and its words, as artifacts and edits do."""
    return PROMPT.label


def provenance(model: str) -> str:
    """The operation of what the agent constructs: `agent:<model>@<prompt version>`."""
    return f"agent:{model}@{PROMPT.version}"


async def read_document(
    llm: Llm,
    chunks: Sequence[Chunk],
    by_rules: Sequence[ChunkGraph],
    graph: GraphReader,
    kept: Readings,
    limits: Limits,
    turns: Turns,
    schema: GraphSchema = NO_SCHEMA,
) -> ReadDocument:
    """Read what has not been read; what has is kept. Raises `TryLater` as the model does, and what `turns` raise."""
    readings: list[Reading] = []
    handed = _HandedOn()
    for at, chunk in enumerate(chunks):
        turns.share = at / len(chunks)
        reading = kept.load(chunk.id) if chunk.text.strip() else Reading(State.ARCHIVED)
        if not reading.over and not handed.reason:
            todos = handed.todos[-MAX_TODOS:]
            bench = Workbench(chunks, at, graph, handed.found, todos, reading.draft, handed.stated)
            try:
                keep = partial(kept.save, chunk.id)
                reading = await read_passage(llm, bench, reading, handed.carried, limits, turns, keep, schema)
                keep(reading)
            except NeverWill as error:
                handed.reason = " ".join(filter(None, (error.message, error.action)))
                reading = msgspec.structs.replace(kept.load(chunk.id), draft=bench.draft)  # what was paid for counts
        handed.take(reading)
        if reading.state is State.VERIFIED:
            reading = msgspec.structs.replace(reading, state=State.ARCHIVED, turns=())
            kept.save(chunk.id, reading)
        readings.append(reading)
    readings = await of_one_person(graph, readings)
    by = provenance(llm.name)
    shares = [_share(*each, by, schema) for each in zip(chunks, readings, by_rules, strict=True)]
    unread = [reading for reading in readings if not _counts(reading)]
    reason = handed.reason or next((one.failure for one in unread if one.failure), "")
    return ReadDocument(shares, readings, len(unread), reason, handed.carried.spent)


class _HandedOn:
    """What earlier passages hand on to later ones; with a `reason`, nothing more is asked about the document."""

    def __init__(self) -> None:
        self.found: dict[str, ExtractedEntity] = {}
        self.stated: list[ExtractedRelation] = []
        self.todos: list[Todo] = []
        self.carried = Carried()
        self.reason = ""
        self._numbered = self._failures = 0

    def take(self, reading: Reading) -> None:
        """What is left of the passage that comes next in order."""
        draft = reading.draft
        self.found.update((fold_name(entity.name), entity) for entity in draft.entities)
        self.stated += draft.relations
        self.todos = [todo for todo in self.todos if todo.number not in draft.settled]
        self.todos += [Todo(self._numbered + number, task) for number, task in enumerate(draft.todos, start=1)]
        self._numbered += len(draft.todos)
        self.carried = Carried(self.carried.spent + reading.tokens, reading.failure)
        self._failures = self._failures + 1 if reading.failure and not draft.entities else 0
        if self._failures >= MAX_FAILURES:
            self.reason = self.reason or reading.failure


def _counts(reading: Reading) -> bool:
    """Whether the passage's share is the agent's: it finished, or constructed something before it was stopped."""
    return bool(reading.draft.entities) or (reading.over and not reading.failure)


def _share(chunk: Chunk, reading: Reading, by_rules: ChunkGraph, by: str, schema: GraphSchema) -> ChunkGraph:
    if not _counts(reading):
        return by_rules
    draft = reading.draft
    aliases = [Alias(fold_name(one.name), one.into_key, one.name, chunk.id) for one in draft.names if one.within]
    found = Extraction(list(draft.entities), list(draft.relations))
    return grounded(chunk, found, by_rules, schema, by=by, aliases=aliases)
