"""The knowledge graph: entities, relations, and the evidence that ties both to chunks."""

from __future__ import annotations

import enum

import msgspec

from trivium.domain.chunks import Span

MIN_RELATION_CONFIDENCE = 0.6  # CORTEX C4: relations below it are dropped
LINKS_TO = "LINKS_TO"  # from one document to another, whose ends are `document_key`s
CO_OCCURS = "CO_OCCURS_WITH"  # the untyped relation; directed from the smaller key to the larger


def document_key(document_id: str) -> str:
    """A document as the end of an edge; no folded name is spelt so."""
    return f"document:{document_id}"


def document_of(key: str) -> str:
    """The id in a `document_key`, "" for a name."""
    return key.removeprefix("document:") if key.startswith("document:") else ""


class EntityType(enum.StrEnum):
    """CORTEX C4's seven types."""

    PERSON = "person"
    ORGANIZATION = "organization"
    CONCEPT = "concept"
    TECHNOLOGY = "technology"
    EVENT = "event"
    LOCATION = "location"
    METRIC = "metric"


class MentionRole(enum.StrEnum):
    """TITLE: the chunk is *about* the name (document title, section heading, defined term).

    HEADING: the name is only a part of the title or of a heading ("Kansas" in "2018 Kansas elections").
    MENTION: the name stands in the chunk's text.
    CREATED: no chunk names it, an edit does.
    """

    TITLE = "title"
    HEADING = "heading"
    MENTION = "mention"
    CREATED = "created"


class Mention(msgspec.Struct, frozen=True, gc=False):
    """A name in one chunk. `key` is the folded name; `span` counts in the chunk's text.

    For the roles TITLE and HEADING the name may stand outside the text (in the title): then `span` is
    empty (0, 0) and `sentence` is 0.
    """

    key: str
    chunk_id: str
    sentence: int
    span: Span
    surface: str
    role: MentionRole = MentionRole.MENTION
    type: EntityType = EntityType.CONCEPT
    confidence: float = 1.0


class Alias(msgspec.Struct, frozen=True):
    """`key` and `canonical_key` name the same thing ("CNN", "convolutional neural network"), as one chunk says."""

    key: str
    canonical_key: str
    surface: str
    chunk_id: str


class Relation(msgspec.Struct, frozen=True):
    """A directed, typed relation as one chunk states it (its evidence).

    `snippet` is the exact text of `span` in the chunk. `operation` names what produced it
    (`pattern:born_in`, `co-occurrence`, `llm:extract@3`): RAGA's provenance (R6).
    """

    source_key: str
    target_key: str
    type: str
    confidence: float
    chunk_id: str
    span: Span
    snippet: str
    operation: str


class StepType(enum.StrEnum):
    """How one chunk of a document leads to another (MAHA's edges). Values are stored; never rename one.

    HAS_*: text to the table, picture, chart or formula that belongs to it. NEXT_*: to the next of the same modality.
    """

    HAS_TABLE = "HAS_TABLE"
    HAS_IMAGE = "HAS_IMAGE"
    HAS_FORMULA = "HAS_FORMULA"
    NEXT_TEXT = "NEXT_TEXT"
    NEXT_TABLE = "NEXT_TABLE"
    NEXT_IMAGE = "NEXT_IMAGE"
    NEXT_FORMULA = "NEXT_FORMULA"


class Step(msgspec.Struct, frozen=True, gc=False):
    """An edge between two chunks of one version; `chunk_id` is the other end."""

    type: StepType
    chunk_id: str


class ChunkGraph(msgspec.Struct, frozen=True):
    """Everything one chunk adds to the graph. `steps` leave it for other chunks of the same version.

    Deleting a chunk removes exactly this, so "ingest A, B, delete A" equals "ingest B".
    """

    chunk_id: str
    mentions: tuple[Mention, ...] = ()
    relations: tuple[Relation, ...] = ()
    aliases: tuple[Alias, ...] = ()
    steps: tuple[Step, ...] = ()


class Entity(msgspec.Struct, frozen=True):
    """A node as read back: aggregated over every active chunk that mentions it.

    `mentions` counts chunks, and edits that name it; `degree` counts distinct neighbours.
    """

    id: str
    key: str
    name: str
    type: EntityType
    aliases: tuple[str, ...] = ()
    mentions: int = 0
    degree: int = 0


class Edge(msgspec.Struct, frozen=True):
    """An edge as read back: one (source, type, target), its strongest confidence and its evidence count."""

    source_key: str
    target_key: str
    type: str
    confidence: float
    evidence: int = 1


class Mentioning(msgspec.Struct, frozen=True, gc=False):
    """Where a name occurs: `total` chunks in all, and (chunk id, sentence ordinal) for the first ones."""

    total: int
    places: tuple[tuple[str, int], ...] = ()

    def of_few(self, limit: int) -> Mentioning:
        """The total alone where it is more than `limit`."""
        return Mentioning(self.total) if self.total > limit else self
