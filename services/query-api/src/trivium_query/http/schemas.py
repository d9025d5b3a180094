"""The wire shapes of HTTP: the OpenAPI document is made of these, and every answer is one of them."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import (
    AliasChoices,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    SecretStr,
    StrictBool,
    StrictInt,
    WithJsonSchema,
)

from trivium.domain.answers import Verdict
from trivium.domain.documents import DocumentState
from trivium.domain.graph import EntityType, MentionRole, StepType
from trivium.domain.parsed import UnitKind
from trivium.domain.password import MAX_CHARS as MAX_PASSWORD_CHARS
from trivium.domain.retrieval import Mode
from trivium.domain.source_names import MAX_NAME_CHARS
from trivium_query.answer.understand import MAX_QUESTION_CHARS
from trivium_query.handlers.queries import DEFAULT_TOP_K, MAX_FILTER_VALUES, MAX_TOP_K
from trivium_query.handlers.sources import DATASET, MAX_DATASET_CHARS

NO_NUL = r"^[^\x00]*$"
NO_CONTROLS = r"^[^\x00-\x1f\x7f]*$"
WITH_A_WORD = r"^[^\x00]*[^\x00\s][^\x00]*$"
EXAMPLE_ID = "9f86d081884c7d659a2feaa0c55ad015"

Id = Annotated[str, Field(examples=[EXAMPLE_ID])]
Question = Annotated[
    str,
    Field(
        min_length=1,
        max_length=MAX_QUESTION_CHARS,
        pattern=WITH_A_WORD,
        validation_alias=AliasChoices("query", "question"),
        description="What to ask, in plain words. `question` is understood too.",
        examples=["Who designed the Analytical Engine?"],
    ),
]
Dataset = Annotated[
    str,
    Field(
        min_length=1,
        max_length=MAX_DATASET_CHARS,
        pattern=DATASET,
        description="A named group of sources.",
        examples=["default"],
    ),
]
Title = Annotated[str, Field(max_length=300, pattern=NO_NUL, examples=["Notes on engines"])]

FilePassword = Annotated[
    SecretStr,
    Field(
        max_length=MAX_PASSWORD_CHARS,
        description="Opens what is sent where it, or a file inside it, is encrypted.",
    ),
    WithJsonSchema(
        {"type": "string", "pattern": NO_CONTROLS, "maxLength": MAX_PASSWORD_CHARS, "writeOnly": True},
    ),
]


def _whole(value: object) -> object:
    return int(value) if isinstance(value, float) and value.is_integer() else value


Whole = Annotated[StrictInt, BeforeValidator(_whole)]
"""An integer as JSON Schema has it: 10 and 10.0, and not "10"."""
Cursor = Annotated[str, Field(description='Where the next page begins; "" on the last page.')]


class Given(BaseModel):
    """What a caller sends: an unknown field is a mistake worth telling."""

    model_config = ConfigDict(extra="forbid", strict=False)


class Shown(BaseModel):
    """What a caller gets. Absent fields do not apply."""

    model_config = ConfigDict(extra="forbid")


class Problem(Shown):
    """An error (RFC 9457)."""

    type: str = Field(description="A stable identifier of the kind.", examples=["urn:trivium:problem:no_such_document"])
    title: str = Field(examples=["Not found"])
    status: int = Field(ge=400, le=599, examples=[404])
    detail: str = Field(description="What was wrong with which input.", examples=["There is no such source."])
    code: str = Field(description="For programs; never changes its meaning.", examples=["no_such_document"])
    action: str = Field(description="What you can do about it.", examples=["List sources with GET /v1/sources."])
    request_id: str = Field(description="The X-Request-Id of this answer.", examples=["5f0c6e2a9b1d4c37"])
    errors: list[FieldProblem] | None = Field(
        default=None, description="With invalid_request: each field that does not fit."
    )


class FieldProblem(Shown):
    """One field that does not fit."""

    field: str = Field(examples=["body.top_k"])
    message: str = Field(examples=["Input should be less than or equal to 100"])


class WebAddress(Given):
    """Where on the web to begin."""

    url: str = Field(
        min_length=1,
        json_schema_extra={"maxLength": MAX_NAME_CHARS},  # told as for any other name
        pattern=r"^https?://[^\s\x00-\x20\x7f-\x9f]+$",
        examples=["https://example.org/paper.pdf"],
    )
    dataset: Dataset = "default"


class UrlSource(WebAddress):
    """A source to fetch."""

    password: FilePassword = SecretStr("")


class GivenPassword(Given):
    """What opens a source that failed for want of it."""

    password: Annotated[FilePassword, Field(min_length=1, json_schema_extra={"minLength": 1})]


class Reason(Shown):
    """Why a source failed."""

    code: str = Field(examples=["password_needed"])
    message: str = Field(examples=["This PDF is protected by a password."])
    action: str = Field(examples=["Give the password with: trivium unlock."])
    stage: str = Field(examples=["parse"])


class Source(Shown):
    """A source and how far it has come. Times are Unix seconds."""

    id: Id
    name: str = Field(
        description="The file's name or URL; of a file inside another, both.",
        examples=["reports/engine.pdf", "mail.eml > offer.pdf"],
    )
    title: str
    dataset: str
    state: DocumentState
    stage: str = Field(description='The stage running now, "" when none.', examples=["embed"])
    progress: float = Field(ge=0, le=1, description="Share of the stages done.")
    media_type: str = Field(examples=["application/pdf"])
    size_bytes: int
    chunks: int
    version: str = Field(description="The version being ingested: a hash of its bytes.")
    active_version: str = Field(description='The version that queries see, "" when none.')
    attempt: int
    reason: Reason | None = None
    warnings: list[str]
    waits_for: str = Field(
        description='What an unfinished one waits for, for a person; "" while it is worked on.', examples=["its turn"]
    )
    parent: str = Field(description='The source that this one was found inside of, "" when it was handed over itself.')
    children: int = Field(description="How many sources were found inside: list them with `?parent=`.")
    created_at: float
    updated_at: float


class RefusedFile(Shown):
    """One file of several that was not taken."""

    name: str
    code: str
    message: str
    action: str


class Accepted(Shown):
    """What was taken. `id` is the first source's, for those who send one."""

    id: Id
    sources: list[Source]
    refused: list[RefusedFile] = Field(description="Files of this upload that were not taken; the others were.")


class SourcePage(Shown):
    """Newest first."""

    sources: list[Source]
    cursor: Cursor


class Box(Shown):
    """Points (1/72 inch) on a page or pixels of an image, origin top left."""

    left: float
    top: float
    right: float
    bottom: float


class Position(Shown):
    """Where a passage stands in the original. Pages, slides and rows count from 1."""

    page: int | None = None
    box: Box | None = None
    slide: int | None = None
    sheet: str | None = None
    rows: tuple[int, int] | None = Field(default=None, description="First and last row, inclusive.")
    section: list[str] | None = None
    offset: tuple[int, int] | None = Field(
        default=None, description="Half-open range of characters of the original text."
    )
    seconds: tuple[float, float] | None = Field(
        default=None, description="Start and end in a recording, in seconds from its beginning."
    )


class Chunk(Shown):
    """A passage with its address."""

    id: Id
    document_id: Id
    version: str
    number: int = Field(ge=1, description="As citations show it.")
    source: str
    title: str
    section: list[str]
    kind: UnitKind
    text: str
    context: str = Field(description="Places the passage in its document; indexed, never cited.")
    positions: list[Position]
    hidden: bool = Field(description="Part of the text is not seen by who looks at the original.")
    assets: list[str] = Field(description="Names of the pictures of what the passage describes.")


class ChunkPage(Shown):
    """A source's chunks in order."""

    chunks: list[Chunk]
    cursor: Cursor


class LinkedSource(Shown):
    """A source at the other end of a link."""

    id: Id
    name: str = Field(examples=["https://example.org/paper.pdf"])
    title: str


class SourceLinks(Shown):
    """Links between sources that are here, by name."""

    links_to: list[LinkedSource]
    linked_from: list[LinkedSource]


class Filters(Given):
    """Restricts a search; what is absent does not restrict."""

    document_ids: list[Annotated[str, Field(max_length=64, pattern=NO_NUL)]] = Field(
        default=[], max_length=MAX_FILTER_VALUES, description="Only these sources.", examples=[[]]
    )
    dataset: Dataset | None = None
    kinds: list[UnitKind] = Field(
        default=[], max_length=len(UnitKind), description="Only these modalities.", examples=[[]]
    )
    modalities: list[UnitKind] = Field(
        default=[],
        max_length=len(UnitKind),
        description="Have hits of each of these modalities among the results where there are any; restricts nothing.",
        examples=[[]],
    )


class SearchRequest(Given):
    """A search without an answer."""

    query: Question
    mode: Mode | None = Field(default=None, description="Absent: the configured one, `hybrid` as delivered.")
    top_k: Whole = Field(default=DEFAULT_TOP_K, ge=1, le=MAX_TOP_K)
    filters: Filters = Filters()


class SourceRank(Shown):
    """A hit's place in one ranking. Scores compare only within one ranking."""

    source: str = Field(examples=["vector"])
    rank: int = Field(ge=1)
    score: float


class Bridge(Shown):
    """The step of a path: `sentence` of chunk `from_chunk_id` mentions `name`, which leads to the hit."""

    from_chunk_id: Id
    name: str
    sentence: str
    strength: float


class Nearby(Shown):
    """The hit stands beside chunk `from_chunk_id`: a text and its table, picture or formula."""

    from_chunk_id: Id
    type: StepType


class Hit(Shown):
    """A passage, its rank, and why it is there."""

    rank: int = Field(ge=1)
    score: float
    chunk: Chunk
    sources: list[SourceRank]
    bridge: Bridge | None = None
    nearby: Nearby | None = None


class Degraded(Shown):
    """A source that was late or down, and what that cost the answer."""

    source: str
    reason: str


class SearchResponse(Shown):
    """Hits, best first."""

    query: str
    mode: Mode
    hits: list[Hit]
    degraded: list[Degraded]
    timings_ms: dict[str, float]
    uncovered: list[UnitKind] = Field(description="Modalities that were asked for and that no hit has.")
    notes: list[str] = Field(description="For the reader, as that nothing has been read yet.")


class FollowUp(Given):
    """A question within a conversation."""

    query: Question
    mode: Mode | None = Field(default=None, description="Absent: the configured one, `hybrid` as delivered.")
    top_k: Whole = Field(default=DEFAULT_TOP_K, ge=1, le=MAX_TOP_K)
    filters: Filters = Filters()
    stream: StrictBool = Field(
        default=False, description="Answer as text/event-stream, as `Accept: text/event-stream` does."
    )


class QueryRequest(FollowUp):
    """A question."""

    conversation_id: str | None = Field(
        default=None, max_length=64, pattern=NO_NUL, description="Continue this conversation."
    )


class Citation(Shown):
    """A claim's way back. `marker` stands in the answer's text."""

    marker: str = Field(examples=["[Source: engine.pdf, chunk 3]"])
    chunk_id: Id
    document_id: Id
    source: str
    chunk_number: int = Field(ge=1)
    quote: str
    positions: list[Position]
    url: str = Field(
        description='Where a browser shows the passage, at its second or page; "" for what is not from the web.',
        examples=["https://youtu.be/dQw4w9WgXcQ?t=65"],
    )


class Usage(Shown):
    """Language-model tokens spent."""

    input_tokens: int
    output_tokens: int
    calls: int


class Answer(Shown):
    """An answer with its citations. `engine` says who wrote it: `extractive`, or `provider:model`."""

    question: str
    text: str
    engine: str
    verdict: Verdict
    found: bool = Field(description="False when the documents do not hold the answer.")
    citations: list[Citation]
    hits: list[Hit]
    degraded: list[Degraded]
    sub_questions: list[str]
    notes: list[str]
    usage: Usage
    timings_ms: dict[str, float]


class HitsFound(Shown):
    """Event `hits`: what the answer will be made from."""

    hits: list[Hit]
    degraded: list[Degraded]


class TextPiece(Shown):
    """Event `text`: more of the answer's text."""

    text: str


class TextWithdrawn(Shown):
    """Event `withdrawn`: forget the text so far."""

    reason: str


class Judged(Shown):
    """Event `verdict`: on the text so far; a repaired answer gets a second one."""

    verdict: Verdict
    sub_questions: list[str]


class Turn(Shown):
    """One exchange."""

    question: str
    answer: str


class NewConversation(Given):
    """A conversation to begin."""

    title: Title = ""


class Conversation(Shown):
    """Turns, oldest first. Times are Unix seconds."""

    id: str
    title: str
    turns: list[Turn]
    created_at: float
    updated_at: float


class ConversationPage(Shown):
    """Newest change first."""

    conversations: list[Conversation]
    cursor: Cursor


class Entity(Shown):
    """A name with what is known of it. `mentions` counts chunks, `degree` distinct neighbours."""

    id: Id
    name: str
    type: EntityType
    aliases: list[str]
    mentions: int
    degree: int


class EntityPage(Shown):
    """Most mentioned first."""

    entities: list[Entity]
    cursor: Cursor


class Neighbour(Shown):
    """What is related to the entity, how, and which way the relation points."""

    entity: Entity
    relation: str = Field(examples=["BORN_IN"])
    outgoing: bool
    confidence: float
    evidence: int = Field(description="Chunks that say so.")


class Place(Shown):
    """Which chunk of which source."""

    chunk_id: Id
    document_id: Id
    source: str
    chunk_number: int = Field(ge=1)


class Mention(Shown):
    """Where the entity is named. `sentence` is the text around it."""

    place: Place
    surface: str
    role: MentionRole
    sentence: str


class Relation(Shown):
    """A relation as one chunk states it; `snippet` is the chunk's own text."""

    place: Place
    source_key: str
    target_key: str
    type: str
    confidence: float
    snippet: str
    operation: str = Field(description="What found it.", examples=["pattern:born_in"])


class EntityPicture(Shown):
    """An entity with its surroundings."""

    entity: Entity
    neighbours: list[Neighbour]
    mentions: list[Mention]
    relations: list[Relation]


class Status(Shown):
    """Sources by state, running ones by stage, and chunks that can be found."""

    by_state: dict[str, int]
    by_stage: dict[str, int]
    chunks: int


class Health(Shown):
    """The process answers."""

    status: str = Field(examples=["ok"])


class Readiness(Shown):
    """Each part (a store, the inference service): which answer, and which do not, with the reason."""

    status: Literal["ready", "degraded", "not_ready"] = Field(
        description="`degraded`: questions are answered without what is missing."
    )
    ready: list[str]
    missing: dict[str, str]
