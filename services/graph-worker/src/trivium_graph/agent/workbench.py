"""What the agent's tools work at: one passage among its neighbours, the graph as it is, and the draft.

Names, types, confidences and quotations pass the checks of the sixteen tools (`trivium.graph_tools.desk`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from difflib import SequenceMatcher
from typing import Any

import msgspec

from trivium.domain.chunks import Chunk
from trivium.domain.errors import NotFound, Refused
from trivium.graph_tools.desk import NEAREST, unknown_entity
from trivium.ports.graph import GraphReader
from trivium.text.names import fold_name
from trivium_graph.agent.record import Draft
from trivium_graph.llm_extract import ExtractedEntity, ExtractedRelation, places_of


class Todo(msgspec.Struct, frozen=True):
    """Left open by an earlier passage; `number` counts from 1 over the document."""

    number: int
    task: str


class Workbench:
    """One passage's work.

    `found` are the entities of the document's earlier passages, by folded name, `stated` their relations.
    """

    def __init__(
        self,
        chunks: Sequence[Chunk],
        at: int,
        graph: GraphReader,
        found: Mapping[str, ExtractedEntity],
        todos: Sequence[Todo],
        draft: Draft,
        stated: Sequence[ExtractedRelation] = (),
    ) -> None:
        self.chunks = chunks
        self.at = at
        self.graph = graph
        self.found = found
        self.todos = todos
        self.draft = draft
        self.stated = stated

    @property
    def chunk(self) -> Chunk:
        """The passage."""
        return self.chunks[self.at]

    def change(self, **changes: Any) -> None:
        """The draft with other values."""
        self.draft = msgspec.structs.replace(self.draft, **changes)

    def entity(self, name: str) -> ExtractedEntity:
        """An entity of this passage. Raises `NotFound` (`unknown_entity`) with the three nearest."""
        key = fold_name(name)
        for entity in self.draft.entities:
            if fold_name(entity.name) == key:
                return entity
        raise self.unknown(name)

    def unknown(self, name: str) -> NotFound:
        """No entity of this passage is called so."""
        names = [entity.name for entity in self.draft.entities]
        nearest = sorted(names, key=lambda other: -SequenceMatcher(None, other.lower(), name.lower()).ratio())
        error = unknown_entity(name, nearest[:NEAREST])
        return error if nearest else NotFound(error.code, error.message, "Create the passage's entities first.")

    def require_in_passage(self, words: str) -> None:
        """Raises `Refused` (`not_in_passage`) unless the words stand there exactly so."""
        if not words.strip() or words not in self.chunk.text:
            raise Refused(
                "not_in_passage",
                f"The passage does not say {words[:80]!r}.",
                "Copy the words exactly as they stand there.",
            )

    def require_name_in_passage(self, name: str) -> None:
        """Raises `Refused` (`not_in_passage`) unless the name stands there as whole words."""
        if not places_of(self.chunk.text, name):
            raise Refused(
                "not_in_passage", f"The passage does not name {name[:80]!r}.", "Copy the name letter by letter."
            )
