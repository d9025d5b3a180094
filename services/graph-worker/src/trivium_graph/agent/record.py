"""What is kept of each passage's reading, so that a killed worker goes on where it was and pays for nothing twice.

A record is written after each answer of the model, before the answer's calls are run: they run again on the draft as it
was. Records lie among the version's artifacts and go with them.
"""

from __future__ import annotations

import enum

import msgspec

from trivium.domain.errors import NotFound
from trivium.domain.graph import EntityType
from trivium.domain.ids import digest
from trivium.flow.artifacts import artifact_prefix
from trivium.ports.llm import ToolCall
from trivium.ports.objects import ObjectStore
from trivium_graph.llm_extract import ExtractedEntity, ExtractedRelation


class State(enum.StrEnum):
    """PENDING -> READING -> VERIFIED -> ARCHIVED.

    VERIFIED: the model is done with it, and every construction was checked against the passage. ARCHIVED: what it left
    to later passages was taken up by them, and only its constructions are kept.
    """

    PENDING = "pending"
    READING = "reading"
    VERIFIED = "verified"
    ARCHIVED = "archived"


class Turn(msgspec.Struct, frozen=True):
    """An answer of the model and the results of its calls: none yet where they have not been run."""

    text: str
    calls: tuple[ToolCall, ...] = ()
    results: tuple[str, ...] = ()


class OtherName(msgspec.Struct, frozen=True):
    """`name`, which stands in the passage, is `into`: by the passage's own word where both names stand in the snippet.

    One that stands only inside the other does not count. `into_key` is the key of the entity that is meant, `into_type`
    its type.
    """

    name: str
    into: str
    into_key: str
    snippet: str
    why: str
    within: bool
    into_type: EntityType = EntityType.CONCEPT


class Question(msgspec.Struct, frozen=True):
    """What a person shall decide about an entity."""

    subject: str
    question: str


class Draft(msgspec.Struct, frozen=True):
    """What was constructed from a passage so far; `searched` are the folded names that were looked for."""

    entities: tuple[ExtractedEntity, ...] = ()
    relations: tuple[ExtractedRelation, ...] = ()
    names: tuple[OtherName, ...] = ()
    questions: tuple[Question, ...] = ()
    todos: tuple[str, ...] = ()
    settled: tuple[int, ...] = ()
    searched: tuple[str, ...] = ()
    finished: bool = False


class Reading(msgspec.Struct, frozen=True):
    """A passage's record. `tokens` were paid for it; `failure` says why the model did not finish it."""

    state: State = State.PENDING
    turns: tuple[Turn, ...] = ()
    draft: Draft = Draft()
    tokens: int = 0
    failure: str = ""

    @property
    def over(self) -> bool:
        """Whether nothing more is asked about it."""
        return self.state in (State.VERIFIED, State.ARCHIVED)


class Readings(msgspec.Struct, frozen=True):
    """The records of one version of one document; `reader` names the model and the prompt."""

    objects: ObjectStore
    document_id: str
    version: str
    reader: str

    def load(self, chunk_id: str) -> Reading:
        """What is kept of a passage; PENDING where there is nothing, or it is damaged."""
        try:
            return msgspec.msgpack.decode(self.objects.get(self._key(chunk_id)), type=Reading)
        except (NotFound, msgspec.DecodeError):
            return Reading()

    def save(self, chunk_id: str, reading: Reading) -> None:
        """Keep it."""
        self.objects.put(self._key(chunk_id), msgspec.msgpack.encode(reading))

    def _key(self, chunk_id: str) -> str:
        return f"{artifact_prefix(self.document_id, self.version)}reading/{digest(self.reader)}/{chunk_id}"
