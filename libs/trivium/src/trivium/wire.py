"""What the HTTP interface answers, as values.

Fields and their meaning are those of its OpenAPI document. Fields that this version does not know are ignored,
so an older client reads a newer server.
"""

from __future__ import annotations

import msgspec

from trivium.domain.answers import Turn, Usage, Verdict
from trivium.domain.crawl import Fate
from trivium.domain.documents import DocumentState
from trivium.domain.parsed import Position
from trivium.domain.retrieval import Bridge, Degraded, Mode, SourceRank


class Reason(msgspec.Struct, frozen=True):
    """Why a source failed."""

    code: str
    message: str
    action: str = ""
    stage: str = ""


class Source(msgspec.Struct, frozen=True):
    """A source and how far it has come. Times are Unix seconds; `progress` is 0 to 1."""

    id: str
    name: str
    state: DocumentState
    title: str = ""
    dataset: str = "default"
    stage: str = ""
    progress: float = 0.0
    media_type: str = ""
    size_bytes: int = 0
    chunks: int = 0
    version: str = ""
    active_version: str = ""
    attempt: int = 0
    reason: Reason | None = None
    warnings: tuple[str, ...] = ()
    waits_for: str = ""
    parent: str = ""
    children: int = 0
    created_at: float = 0.0
    updated_at: float = 0.0


class RefusedFile(msgspec.Struct, frozen=True):
    """A file of an upload that was not taken."""

    name: str
    code: str
    message: str
    action: str = ""


class Accepted(msgspec.Struct, frozen=True):
    """What an upload led to."""

    sources: tuple[Source, ...]
    refused: tuple[RefusedFile, ...] = ()


class Visited(msgspec.Struct, frozen=True):
    """Event `visited` of a crawl: a page, and the source that it is or the reason why it is none."""

    url: str
    fate: Fate
    source: Source | None = None
    reason: Reason | None = None


class LinkedSource(msgspec.Struct, frozen=True):
    """A source at the other end of a link."""

    id: str
    name: str
    title: str = ""


class SourceLinks(msgspec.Struct, frozen=True):
    """Links between sources that are here, by name."""

    links_to: tuple[LinkedSource, ...] = ()
    linked_from: tuple[LinkedSource, ...] = ()


class SourcePage(msgspec.Struct, frozen=True):
    """One page, newest first; `cursor` is "" on the last."""

    sources: tuple[Source, ...]
    cursor: str = ""


class Passage(msgspec.Struct, frozen=True):
    """A chunk with its address; `number` counts from 1, as citations do."""

    id: str
    document_id: str
    number: int
    source: str
    text: str
    title: str = ""
    section: tuple[str, ...] = ()
    kind: str = "text"
    context: str = ""
    version: str = ""
    positions: tuple[Position, ...] = ()
    hidden: bool = False
    assets: tuple[str, ...] = ()


class PassagePage(msgspec.Struct, frozen=True):
    """One page of a source's chunks, in order; `cursor` is "" on the last."""

    chunks: tuple[Passage, ...]
    cursor: str = ""


class Nearby(msgspec.Struct, frozen=True):
    """A step across modalities: the hit stands beside `from_chunk_id`; `type` is HAS_TABLE, HAS_IMAGE, ..."""

    from_chunk_id: str
    type: str


class Hit(msgspec.Struct, frozen=True):
    """A passage, its rank from 1, and why it is there."""

    rank: int
    score: float
    chunk: Passage
    sources: tuple[SourceRank, ...] = ()
    bridge: Bridge | None = None
    nearby: Nearby | None = None


class Found(msgspec.Struct, frozen=True):
    """Hits, best first, and what could not be asked."""

    query: str
    mode: Mode
    hits: tuple[Hit, ...]
    degraded: tuple[Degraded, ...] = ()
    timings_ms: dict[str, float] = {}
    uncovered: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


class Citation(msgspec.Struct, frozen=True):
    """A claim's way back; `marker` stands in the answer's text, `url` leads a browser there if it is of the web."""

    marker: str
    chunk_id: str
    document_id: str
    source: str
    chunk_number: int
    quote: str
    positions: tuple[Position, ...] = ()
    url: str = ""


class Answer(msgspec.Struct, frozen=True):
    """An answer with its citations; `found` is False when the documents do not hold it."""

    question: str
    text: str
    engine: str
    verdict: Verdict
    found: bool
    citations: tuple[Citation, ...] = ()
    hits: tuple[Hit, ...] = ()
    degraded: tuple[Degraded, ...] = ()
    sub_questions: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    usage: Usage = Usage()
    timings_ms: dict[str, float] = {}


class HitsFound(msgspec.Struct, frozen=True):
    """Event `hits`: what the answer will be made from."""

    hits: tuple[Hit, ...]
    degraded: tuple[Degraded, ...] = ()


class TextPiece(msgspec.Struct, frozen=True):
    """Event `text`: more of the answer's text."""

    text: str


class TextWithdrawn(msgspec.Struct, frozen=True):
    """Event `withdrawn`: forget the text so far."""

    reason: str = ""


class Judged(msgspec.Struct, frozen=True):
    """Event `verdict`: on the text so far; a repaired answer gets a second one."""

    verdict: Verdict
    sub_questions: tuple[str, ...] = ()


AnswerEvent = HitsFound | TextPiece | TextWithdrawn | Citation | Judged | Answer
"""What a streamed answer is made of; the `Answer` is last and holds everything."""


class Conversation(msgspec.Struct, frozen=True):
    """Turns, oldest first. Times are Unix seconds."""

    id: str
    title: str = ""
    turns: tuple[Turn, ...] = ()
    created_at: float = 0.0
    updated_at: float = 0.0


class ConversationPage(msgspec.Struct, frozen=True):
    """One page, newest change first; `cursor` is "" on the last."""

    conversations: tuple[Conversation, ...]
    cursor: str = ""


class Entity(msgspec.Struct, frozen=True):
    """A name with what is known of it: in how many chunks it stands, and its distinct neighbours."""

    id: str
    name: str
    type: str
    aliases: tuple[str, ...] = ()
    mentions: int = 0
    degree: int = 0


class EntityPage(msgspec.Struct, frozen=True):
    """One page, most mentioned first; `cursor` is "" on the last."""

    entities: tuple[Entity, ...]
    cursor: str = ""


class Neighbour(msgspec.Struct, frozen=True):
    """What is related to an entity, how, and which way the relation points."""

    entity: Entity
    relation: str
    outgoing: bool
    confidence: float
    evidence: int = 1


class Place(msgspec.Struct, frozen=True):
    """Which chunk of which source."""

    chunk_id: str
    document_id: str
    source: str
    chunk_number: int


class Mention(msgspec.Struct, frozen=True):
    """Where an entity is named, with the sentence around it."""

    place: Place
    surface: str
    role: str = "mention"
    sentence: str = ""


class Relation(msgspec.Struct, frozen=True):
    """A relation as one chunk states it; `snippet` is the chunk's own text."""

    place: Place
    source_key: str
    target_key: str
    type: str
    confidence: float
    snippet: str
    operation: str = ""


class EntityPicture(msgspec.Struct, frozen=True):
    """An entity with its neighbours and its evidence."""

    entity: Entity
    neighbours: tuple[Neighbour, ...] = ()
    mentions: tuple[Mention, ...] = ()
    relations: tuple[Relation, ...] = ()


class Status(msgspec.Struct, frozen=True):
    """Sources by state, running ones by stage, and chunks that can be found."""

    by_state: dict[str, int]
    by_stage: dict[str, int]
    chunks: int = 0
