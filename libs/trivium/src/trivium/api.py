"""What the HTTP interface says: each shape and each bound, once.

The server answers with these types and checks what it is sent against them, the OpenAPI document is made of them,
and the client hands them out. A field that this version does not know is ignored in an answer, so an older client
reads a newer server, and refused in a request.
"""

from __future__ import annotations

import enum
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from trivium.domain.access import MAX_KEY_KEEP_S, MAX_KEY_LIFE_S, MAX_KEY_NAME_CHARS, Role, TrailOutcome
from trivium.domain.answers import Kind, Turn, Usage, Verdict
from trivium.domain.connections import (
    CONNECTION_ID,
    CREDENTIAL_NAME,
    DEFAULT_PER_S,
    MAX_EVERY_S,
    MAX_LOCATION_CHARS,
    MAX_PER_S,
    MIN_EVERY_S,
    MIN_PER_S,
    Activity,
    ConnectorKind,
)
from trivium.domain.contradictions import ContradictionKind
from trivium.domain.crawl import MAX_DEPTH, MAX_PAGES, Fate
from trivium.domain.documents import DATASET, DEFAULT_DATASET, MAX_DATASET_CHARS, MAX_RUN_CHARS, DocumentState
from trivium.domain.edits import MAX_WHY_CHARS
from trivium.domain.exports import ExportFormat
from trivium.domain.extractors import Extractor
from trivium.domain.graph import EntityType, MentionRole, StepType
from trivium.domain.graph_schema import Compliance, ProposalKind, Targets
from trivium.domain.ids import Id
from trivium.domain.parsed import Position, UnitKind
from trivium.domain.password import MAX_CHARS as MAX_PASSWORD_CHARS
from trivium.domain.retrieval import Bridge, Degraded, Mode, Rerank, SourceRank
from trivium.domain.source_names import MAX_NAME_CHARS
from trivium.domain.times import EXAMPLES, MAX_TIME_CHARS, TIME, TimeOf
from trivium.edits.fold import Standing

MAX_QUESTION_CHARS = 4_000
MAX_TOP_K = 100
MAX_FILTER_VALUES = 100
DEFAULT_TOP_K = 10
END = r"\Z"  # as JSON Schema, `$` (`json_schemas`), which in Python also stands before a last line break
NO_NUL = r"^[^\x00]*$"
MAX_PAIRED_CHARS = 1000  # of a name
ONE_LINE = r"^[^\x00-\x1f\x7f]*" + END
WITH_A_WORD = r"^[^\x00]*[^\x00\s][^\x00]*$"
DATASET_NAME = DATASET.removesuffix("$") + END
CONNECTION_NAME = CONNECTION_ID.removesuffix("$") + END
SECRET_NAME = CREDENTIAL_NAME.removesuffix("$") + END
WEB_ADDRESS = r"^https?://[^\s\x00-\x20\x7f-\x9f]+" + END
MOMENT = f"^{TIME}{END}"
EXPORT_FORMATS = tuple(form.value for form in ExportFormat)
MATCHING = {
    MOMENT: f"a time of ISO 8601, as {EXAMPLES}",
    NO_NUL: "text without a NUL character",
    ONE_LINE: "one line of text without control characters",
    WITH_A_WORD: "text that is more than spaces, without a NUL character",
    DATASET_NAME: "letters, digits, '.', '_' or '-', beginning with a letter or digit",
    CONNECTION_NAME: "up to 63 lower-case letters, digits, '-' or '_', beginning with a letter or digit",
    SECRET_NAME: "up to 63 letters, digits, '.', '_' or '-', beginning with a letter or digit",
    WEB_ADDRESS: "an address that begins with http:// or https://, without spaces",
}
"""What matches a pattern, for a person."""


def _one_of(kind: type[enum.StrEnum]) -> Meta:
    """Told as one of `kind`, and read as any text: a newer server may know more of them."""
    return Meta(extra_json_schema={"$ref": f"#/components/schemas/{kind.__name__}"})


Question = Annotated[
    str,
    Meta(
        min_length=1,
        max_length=MAX_QUESTION_CHARS,
        pattern=WITH_A_WORD,
        description="What to ask, in plain words. `question` is understood too.",
        examples=["Who designed the Analytical Engine?"],
    ),
]
Dataset = Annotated[
    str,
    Meta(
        min_length=1,
        max_length=MAX_DATASET_CHARS,
        pattern=DATASET_NAME,
        description="A named group of sources.",
        examples=[DEFAULT_DATASET],
    ),
]
Run = Annotated[
    str,
    Meta(
        min_length=1,
        max_length=MAX_RUN_CHARS,
        pattern=DATASET_NAME,
        description="Names one call that hands sources over.",
        examples=["20261124T183000-5f0c6e2a"],
    ),
]
Moment = Annotated[
    str,
    Meta(
        min_length=1,
        max_length=MAX_TIME_CHARS,
        pattern=MOMENT,
        description=f"ISO 8601, in UTC where it has no time zone: {EXAMPLES}.",
        examples=["2026-11-24"],
    ),
]
Title = Annotated[str, Meta(max_length=300, pattern=NO_NUL, examples=["Notes on engines"])]
FilePassword = Annotated[
    str,
    Meta(
        max_length=MAX_PASSWORD_CHARS,
        description="Opens what is sent where it, or a file inside it, is encrypted.",
        # Only told: what does not match is refused as `bad_password`, without repeating it.
        extra_json_schema={"pattern": ONE_LINE, "writeOnly": True},
    ),
]
ExtractorName = Annotated[
    str,
    Meta(
        description="Who reads the passages for the graph; empty: as the dataset's setting or the server's says.",
        examples=["rules"],
        max_length=max(map(len, Extractor)),
        pattern=f"^({'|'.join(Extractor)})?{END}",
    ),
]
PassageKind = Annotated[str, _one_of(UnitKind)]
FromOne = Annotated[int, Meta(ge=1)]
Cursor = Annotated[str, Meta(description='Where the next page begins; "" on the last page.')]


class Input(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """What a caller sends: an unknown field is a mistake worth telling. What shows values shows none of these."""

    def __repr__(self) -> str:
        return f"{type(self).__name__}(...)"

    def __rich_repr__(self) -> list[tuple[str, Any]]:
        return []


class Output(msgspec.Struct, frozen=True, omit_defaults=True):
    """What a caller gets. Absent fields do not apply; nothing else has a default."""


class Problem(Output, frozen=True):
    """An error (RFC 9457)."""

    type: Annotated[
        str, Meta(description="A stable identifier of the kind.", examples=["urn:trivium:problem:no_such_document"])
    ]
    title: Annotated[str, Meta(examples=["Not found"])]
    status: Annotated[int, Meta(ge=400, le=599, examples=[404])]
    detail: Annotated[str, Meta(description="What was wrong with which input.", examples=["There is no such source."])]
    code: Annotated[str, Meta(description="For programs; never changes its meaning.", examples=["no_such_document"])]
    action: Annotated[
        str, Meta(description="What you can do about it.", examples=["List sources with GET /v1/sources."])
    ]
    request_id: Annotated[str, Meta(description="The X-Request-Id of this answer.", examples=["5f0c6e2a9b1d4c37"])]
    errors: Annotated[
        tuple[FieldProblem, ...] | None, Meta(description="With invalid_request: each field that does not fit.")
    ] = None


class FieldProblem(Output, frozen=True):
    """One field that does not fit."""

    field: Annotated[str, Meta(examples=["body.top_k"])]
    message: Annotated[str, Meta(examples=["Expected integer <= 100"])]


class WebAddress(Input, frozen=True):
    """Where on the web to begin."""

    url: Annotated[
        str,
        Meta(
            min_length=1,
            pattern=WEB_ADDRESS,
            examples=["https://example.org/paper.pdf"],
            extra_json_schema={"maxLength": MAX_NAME_CHARS},  # refused as for any other name
        ),
    ]
    dataset: Dataset = DEFAULT_DATASET
    run: Annotated[Run | None, Meta(description="Absent: this call's own.")] = None
    move: Annotated[
        bool, Meta(description="Move a source that is in another dataset to this one; without, it is refused.")
    ] = False


class UrlSource(WebAddress, frozen=True):
    """A source to fetch."""

    password: FilePassword = ""
    extractor: ExtractorName = ""


class CrawlRequest(WebAddress, frozen=True):
    """A site to take in: the pages of one host, breadth first, as its robots.txt allows."""

    depth: Annotated[int, Meta(ge=0, le=MAX_DEPTH, description="How many links from the first page.")] = 2
    max_pages: Annotated[int, Meta(ge=1, le=MAX_PAGES, description="At most so many requests.")] = 100
    sitemap: Annotated[bool, Meta(description="Begin with the pages of the site's own sitemap, too.")] = False


class UploadFields(Input, frozen=True):
    """What is said of the files of an upload."""

    title: Annotated[Title, Meta(description="The title of what is sent.")] = ""
    dataset: Dataset = DEFAULT_DATASET
    password: FilePassword = ""
    run: Annotated[Run | None, Meta(description="Absent: this call's own.")] = None
    move: Annotated[
        bool, Meta(description="Move a source that is in another dataset to this one; without, it is refused.")
    ] = False
    extractor: ExtractorName = ""


class GivenPassword(Input, frozen=True):
    """What opens a source that failed for want of it."""

    password: Annotated[FilePassword, Meta(min_length=1)]


class Reason(Output, frozen=True):
    """Why a source failed."""

    code: Annotated[str, Meta(examples=["password_needed"])]
    message: Annotated[str, Meta(examples=["This PDF is protected by a password."])]
    action: Annotated[str, Meta(examples=["Give the password with: trivium unlock."])]
    stage: Annotated[str, Meta(examples=["parse"])]


class About(Output, frozen=True):
    """What a document says of itself beside its title and date; "" where it says nothing."""

    author: Annotated[str, Meta(examples=["Petra Anselm"])]
    site: Annotated[str, Meta(examples=["The Vellan Gazette"])]
    description: str


class Source(Output, frozen=True):
    """A source and how far it has come. Times are Unix seconds."""

    id: Id
    name: Annotated[
        str,
        Meta(
            description="The file's name or URL; of a file inside another, both.",
            examples=["reports/engine.pdf", "mail.eml > offer.pdf"],
        ),
    ]
    title: str
    dataset: str
    state: DocumentState
    stage: Annotated[str, Meta(description='The stage running now, "" when none.', examples=["embed"])]
    progress: Annotated[float, Meta(ge=0, le=1, description="Share of the stages done.")]
    media_type: Annotated[str, Meta(examples=["application/pdf"])]
    size_bytes: int
    chunks: int
    version: Annotated[str, Meta(description="The version being ingested: a hash of its bytes.")]
    active_version: Annotated[str, Meta(description='The version that queries see, "" when none.')]
    attempt: int
    warnings: tuple[str, ...]
    waits_for: Annotated[
        str,
        Meta(
            description='What an unfinished one waits for, for a person; "" while it is worked on.',
            examples=["its turn"],
        ),
    ]
    parent: Annotated[
        str, Meta(description='The source that this one was found inside of, "" when it was handed over itself.')
    ]
    children: Annotated[int, Meta(description="How many sources were found inside: list them with `?parent=`.")]
    created_at: float
    updated_at: float
    uploaded_at: Annotated[float, Meta(description="When the newest version was handed over.")]
    run: Annotated[
        str, Meta(description='The call or backfill that handed the newest version over, "" when none is known.')
    ]
    dated_at: Annotated[float | None, Meta(description="The date that the document gives itself, if any.")] = None
    about: Annotated[About | None, Meta(description="What else the document says of itself, if anything.")] = None
    reason: Reason | None = None


class DeletedSources(Output, frozen=True):
    """What one call deleted of many."""

    deleted: Annotated[
        int, Meta(description="Sources that were handed over by themselves; those inside them went too.")
    ]
    done: Annotated[bool, Meta(description="Whether none is left; else the same call, with `cursor`, goes on.")]
    cursor: Annotated[str, Meta(description="Where the next call goes on.")]
    warnings: Annotated[tuple[str, ...], Meta(description="As of files that stay in a bucket.")]


class RefusedFile(Output, frozen=True):
    """One file of several that was not taken."""

    name: str
    code: str
    message: str
    action: str


class Accepted(Output, frozen=True):
    """What was taken. `id` is the first source's, for those who send one."""

    id: Id
    sources: tuple[Source, ...]
    refused: Annotated[
        tuple[RefusedFile, ...], Meta(description="Files of this upload that were not taken; the others were.")
    ]


class Visited(Output, frozen=True):
    """Event `visited` of a crawl: what became of a page."""

    url: str
    fate: Fate
    source: Source | None = None
    reason: Reason | None = None


class Crawled(Output, frozen=True):
    """Event `crawled`, the last of a crawl: how many pages came to what."""

    taken: int
    unchanged: int
    left_out: int
    failed: int


class SourcePage(Output, frozen=True):
    """Newest first."""

    sources: tuple[Source, ...]
    cursor: Cursor


class DatasetTotals(Output, frozen=True):
    """What is in one dataset now: deleted sources count nowhere, those inside others do."""

    name: str
    documents: int
    chunks: int


class DatasetPage(Output, frozen=True):
    """By name."""

    datasets: tuple[DatasetTotals, ...]
    cursor: Cursor


class Chunk(Output, frozen=True):
    """A passage with its address."""

    id: Id
    document_id: Id
    version: str
    number: Annotated[int, Meta(ge=1, description="As citations show it.")]
    source: str
    title: str
    section: tuple[str, ...]
    kind: PassageKind
    text: str
    context: Annotated[str, Meta(description="Places the passage in its document; indexed, never cited.")]
    positions: tuple[Position, ...]
    hidden: Annotated[bool, Meta(description="Part of the text is not seen by who looks at the original.")]
    assets: Annotated[tuple[str, ...], Meta(description="Names of the pictures of what the passage describes.")]


class ChunkPage(Output, frozen=True):
    """A source's chunks in order."""

    chunks: tuple[Chunk, ...]
    cursor: Cursor


class LinkedSource(Output, frozen=True):
    """A source at the other end of a link."""

    id: Id
    name: Annotated[str, Meta(examples=["https://example.org/paper.pdf"])]
    title: str


class SourceLinks(Output, frozen=True):
    """Links between sources that are here, by name."""

    links_to: tuple[LinkedSource, ...]
    linked_from: tuple[LinkedSource, ...]


class Filters(Input, frozen=True):
    """Restricts a search; what is absent does not restrict."""

    document_ids: Annotated[
        tuple[Annotated[str, Meta(max_length=64, pattern=NO_NUL)], ...],
        Meta(max_length=MAX_FILTER_VALUES, description="Only these sources.", examples=[[]]),
    ] = ()
    dataset: Dataset | None = None
    kinds: Annotated[
        tuple[UnitKind, ...], Meta(max_length=len(UnitKind), description="Only these modalities.", examples=[[]])
    ] = ()
    modalities: Annotated[
        tuple[UnitKind, ...],
        Meta(
            max_length=len(UnitKind),
            description="Have hits of each of these modalities among the results where there are any; "
            "restricts nothing.",
            examples=[[]],
        ),
    ] = ()
    since: Annotated[Moment | None, Meta(description="Only what is not older.")] = None
    until: Annotated[Moment | None, Meta(description="Only what is not newer; all of a day, month or year.")] = None
    time: Annotated[TimeOf, Meta(description="Of which time `since` and `until` speak.")] = TimeOf.UPLOADED
    run: Annotated[Run | None, Meta(description="Only what this call or backfill brought.")] = None


class SearchRequest(Input, frozen=True):
    """A search without an answer."""

    query: Question
    mode: Annotated[Mode | None, Meta(description="Absent: the configured one, `hybrid` as delivered.")] = None
    top_k: Annotated[int, Meta(ge=1, le=MAX_TOP_K)] = DEFAULT_TOP_K
    filters: Filters = Filters()


class FollowUp(SearchRequest, frozen=True):
    """A question within a conversation."""

    stream: Annotated[bool, Meta(description="Answer as text/event-stream, as `Accept: text/event-stream` does.")] = (
        False
    )
    kind: Annotated[
        Kind | None, Meta(description="What the question asks for. Absent: it is decided by its words.")
    ] = None
    rerank: Annotated[
        Rerank | None, Meta(description="Who orders the passages once more. Absent: as configured, first `none`.")
    ] = None


class QueryRequest(FollowUp, frozen=True):
    """A question."""

    conversation_id: Annotated[
        Annotated[str, Meta(max_length=64, pattern=NO_NUL)] | None, Meta(description="Continue this conversation.")
    ] = None


class Nearby(Output, frozen=True):
    """The hit stands beside chunk `from_chunk_id`: a text and its table, picture or formula."""

    from_chunk_id: Id
    type: Annotated[str, _one_of(StepType)]


class Hit(Output, frozen=True):
    """A passage, its rank, and why it is there."""

    rank: FromOne
    score: float
    chunk: Chunk
    sources: tuple[SourceRank, ...]
    bridge: Bridge | None = None
    nearby: Nearby | None = None
    topic: Annotated[str | None, Meta(description="The topic that it is central to, in mode `topics`.")] = None
    hypernode: Annotated[
        str | None, Meta(description="The section or document whose HyperNode led to it, in mode `deep`.")
    ] = None


class SearchResponse(Output, frozen=True):
    """Hits, best first."""

    query: str
    mode: Mode
    hits: tuple[Hit, ...]
    degraded: tuple[Degraded, ...]
    timings_ms: dict[str, float]
    uncovered: Annotated[
        tuple[PassageKind, ...], Meta(description="Modalities that were asked for and that no hit has.")
    ]
    notes: Annotated[tuple[str, ...], Meta(description="For the reader, as that nothing has been read yet.")]


class Citation(Output, frozen=True):
    """A claim's way back. `marker` stands in the answer's text."""

    marker: Annotated[str, Meta(examples=["[Source: engine.pdf, chunk 3]"])]
    chunk_id: Id
    document_id: Id
    source: str
    chunk_number: FromOne
    quote: str
    positions: tuple[Position, ...]
    url: Annotated[
        str,
        Meta(
            description='Where a browser shows the passage, at its second or page; "" for what is not from the web.',
            examples=["https://youtu.be/dQw4w9WgXcQ?t=65"],
        ),
    ]
    link: Annotated[
        str,
        Meta(
            description="The path that shows the passage of any source with the quote marked, as a page of HTML."
            " Where keys are needed and links are signed, it opens without one for a while.",
            examples=["/v1/sources/0123456789abcdef0123456789abcdef/view?unit=3&quote=It%20opens%20at%20dawn.#quote"],
        ),
    ]


AnswerKind = Annotated[
    str,
    Meta(description='What the question asks for, as in a request; "" where nothing decided it.', examples=["fact"]),
]
Short = Annotated[str, Meta(description='The answer in a word or two; "" where there is none.', examples=["412"])]
Probability = Annotated[float, Meta(ge=0, le=1, description="That the answer is right.")]


class Dismissal(Output, frozen=True):
    """Why a card was put aside, and since when (Unix seconds)."""

    why: str
    at: float
    by: Annotated[str, Meta(description="Kind and name of who decided.", examples=["person anna"])]
    edit: Annotated[str, Meta(description="The edit, for `undo`.", examples=["12.0"])]


class Side(Output, frozen=True):
    """One of the two passages, and its value as it stands there ("" where it is the whole sentence)."""

    citation: Citation
    value: str


class Contradiction(Output, frozen=True):
    """Two passages that cannot both be right. The id is made from what they say, so another ingest leaves it."""

    id: Id
    kind: Annotated[str, _one_of(ContradictionKind)]
    dataset: str
    subject: Annotated[str, Meta(description="What both tell of, folded.", examples=["skerry point"])]
    attribute: Annotated[str, Meta(description='What of it, "" where no word names it.', examples=["height"])]
    sides: tuple[Side, Side]
    confidence: Annotated[float, Meta(ge=0, le=1)]
    operation: Annotated[str, Meta(description="What found it.", examples=["rule:quantity"])]
    since: Annotated[float, Meta(description="When the later of both was published, Unix seconds.")]
    dismissed: Dismissal | None = None


class ContradictionPage(Output, frozen=True):
    """The surest first. `pending` sources were not looked at yet."""

    contradictions: tuple[Contradiction, ...]
    cursor: Cursor
    pending: int


class DismissRequest(Input, frozen=True):
    """Why a card is put aside."""

    why: Annotated[str, Meta(min_length=1, max_length=1_000, pattern=WITH_A_WORD, examples=["Two different towers."])]


class Answer(Output, frozen=True):
    """An answer with its citations. `engine` says who wrote it: `extractive`, `tables`, or `provider:model`."""

    question: str
    kind: AnswerKind
    short: Short
    text: str
    engine: str
    verdict: Verdict
    found: Annotated[bool, Meta(description="False when the documents do not hold the answer.")]
    citations: tuple[Citation, ...]
    hits: tuple[Hit, ...]
    degraded: tuple[Degraded, ...]
    sub_questions: tuple[str, ...]
    notes: tuple[str, ...]
    usage: Usage
    timings_ms: dict[str, float]
    contradictions: Annotated[
        tuple[Contradiction, ...], Meta(description="Open ones that a cited sentence takes part in.")
    ]
    probability: Probability | None = None


class HitsFound(Output, frozen=True):
    """Event `hits`: what the answer will be made from."""

    hits: tuple[Hit, ...]
    degraded: tuple[Degraded, ...]


class ShortAnswer(Output, frozen=True):
    """Event `short`: the answer in a word or two, before the text; only where there is one."""

    short: Short


class TextPiece(Output, frozen=True):
    """Event `text`: more of the answer's text."""

    text: str


class TextWithdrawn(Output, frozen=True):
    """Event `withdrawn`: forget the text so far."""

    reason: str


class Judged(Output, frozen=True):
    """Event `verdict`: on the text so far; a repaired answer gets a second one."""

    verdict: Verdict
    sub_questions: tuple[str, ...]
    probability: Probability | None = None


AnswerEvent = HitsFound | ShortAnswer | TextPiece | TextWithdrawn | Citation | Judged | Answer
"""What a streamed answer is made of; the `Answer` is last and holds everything."""
ANSWER_EVENTS: dict[str, type[AnswerEvent]] = {
    "hits": HitsFound,
    "short": ShortAnswer,
    "text": TextPiece,
    "withdrawn": TextWithdrawn,
    "citation": Citation,
    "verdict": Judged,
    "answer": Answer,
}


class NewConversation(Input, frozen=True):
    """A conversation to begin."""

    title: Title = ""


class Conversation(Output, frozen=True):
    """Turns, oldest first; in a listing the newest ten. Times are Unix seconds."""

    id: str
    title: str
    turns: tuple[Turn, ...]
    created_at: float
    updated_at: float


class ConversationPage(Output, frozen=True):
    """Newest change first."""

    conversations: tuple[Conversation, ...]
    cursor: Cursor


class Entity(Output, frozen=True):
    """A name with what is known of it. `mentions` counts chunks, `degree` distinct neighbours."""

    id: Id
    name: str
    type: Annotated[str, _one_of(EntityType)]
    aliases: tuple[str, ...]
    mentions: int
    degree: int


class EntityPage(Output, frozen=True):
    """Most mentioned first."""

    entities: tuple[Entity, ...]
    cursor: Cursor


class Neighbour(Output, frozen=True):
    """What is related to the entity, how, and which way the relation points."""

    entity: Entity
    relation: Annotated[str, Meta(examples=["BORN_IN"])]
    outgoing: bool
    confidence: float
    evidence: Annotated[int, Meta(description="Chunks that say so.")]


class Place(Output, frozen=True):
    """Which chunk of which source."""

    chunk_id: Id
    document_id: Id
    source: str
    chunk_number: FromOne


class Mention(Output, frozen=True):
    """Where the entity is named. `sentence` is the text around it."""

    place: Place
    surface: str
    role: Annotated[str, _one_of(MentionRole)]
    sentence: str


class Relation(Output, frozen=True):
    """A relation as one chunk states it; `snippet` is the chunk's own text."""

    place: Place
    source_key: str
    target_key: str
    type: str
    confidence: float
    snippet: str
    operation: Annotated[str, Meta(description="What found it.", examples=["pattern:born_in"])]
    compliance: Annotated[str, Meta(description="How it stands to the schema of its dataset."), _one_of(Compliance)]


class Quote(Output, frozen=True):
    """Where something is said: `snippet` is the text from character `start` to `end` of the passage."""

    document_id: str
    chunk_id: str
    start: int
    end: int
    snippet: str


class EditSeen(Output, frozen=True):
    """An edit, and whether it counts."""

    id: Annotated[str, Meta(description="What `undo` takes.", examples=["12.0"])]
    kind: Annotated[str, Meta(examples=["merge"])]
    what: Annotated[str, Meta(description="In words.", examples=['"A. Lovelace" is "ada lovelace"'])]
    standing: Annotated[str, _one_of(Standing)]
    by: Annotated[str, Meta(description="Kind and name of who decided.", examples=["person anna"])]
    at: Annotated[float, Meta(description="Unix seconds.")]
    why: str
    confidence: float
    evidence: tuple[Quote, ...]
    undone_by: Annotated[str, Meta(description='"" where nothing undid it.')]


class Edited(Output, frozen=True):
    """What was appended, and the entities it is about as they are now."""

    edits: tuple[EditSeen, ...]
    entities: tuple[Entity, ...]


class EditPage(Output, frozen=True):
    """Newest first."""

    edits: tuple[EditSeen, ...]
    cursor: Cursor


class Reasoned(Input, frozen=True):
    """Why something is done."""

    why: Annotated[str, Meta(max_length=MAX_WHY_CHARS, pattern=ONE_LINE, description="The reason.")] = ""


class Said(Output, frozen=True):
    """What a passage or an edit says: a name (`type` is "" and so is `target_key`) or a relation.

    `start` and `end` count characters of the passage. `invalid_by` is the edit that says that it does not hold.
    """

    source_key: str
    type: str
    target_key: str
    place: Annotated[Place | None, Meta(description="Absent where an edit says it without a passage.")]
    start: int
    end: int
    snippet: str
    confidence: float
    operation: Annotated[str, Meta(description="What found it.", examples=["pattern:born_in", "edit:12.0"])]
    at: Annotated[float, Meta(description="Unix seconds: when the document was read last, or the edit was made.")]
    invalid_by: Annotated[str, Meta(description='"" where it holds.')]


class Likeness(Output, frozen=True):
    """What rules say of two names, folded: `key` is another name of `other` where it `merges`, else it may be.

    Each reason says what it weighs, the kind of likeness first.
    """

    key: str
    other: str
    score: float
    reasons: Annotated[
        tuple[str, ...], Meta(examples=[["+0.40 the last name alone", "+0.30 both are related to oslo"]])
    ]
    merges: bool


class Provenance(Output, frozen=True):
    """Why the graph is as it is: what passages and edits say, the surest first, and the edits, newest first.

    `joined` tells by which rules the names of the entity that was asked for are one.
    """

    said: tuple[Said, ...]
    edits: tuple[EditSeen, ...]
    notes: tuple[str, ...]
    joined: tuple[Likeness, ...]


class Duplicate(Output, frozen=True):
    """Two names that may be one thing, and the entities that they stand for now."""

    likeness: Likeness
    entity: Entity
    other_entity: Entity
    dismissed: Annotated[EditSeen | None, Meta(description="The edit that put it aside.")]


class DuplicatePage(Output, frozen=True):
    """The likeliest first; a page may be shorter than asked for before the last one."""

    duplicates: tuple[Duplicate, ...]
    cursor: Cursor


class NamePair(Input, frozen=True):
    """Two names that rules find alike, and why they are one thing or two."""

    name: Annotated[str, Meta(min_length=1, max_length=MAX_PAIRED_CHARS, pattern=ONE_LINE, examples=["J. Smith"])]
    other: Annotated[str, Meta(min_length=1, max_length=MAX_PAIRED_CHARS, pattern=ONE_LINE, examples=["John Smith"])]
    why: Annotated[str, Meta(max_length=MAX_WHY_CHARS, pattern=ONE_LINE, description="The reason.")] = ""


class ToolDescription(Output, frozen=True):
    """A tool: POST its arguments to /v1/graph/tools/{name}."""

    name: str
    description: str
    arguments: Annotated[dict[str, Any], Meta(description="JSON Schema.")]


class ToolList(Output, frozen=True):
    """What may be done with the graph."""

    tools: tuple[ToolDescription, ...]


class HyperNode(Output, frozen=True):
    """A section or document that names an entity in `passages` of those told with it; `name` is its heading."""

    id: Id
    document_id: Id
    source: str
    name: str
    passages: FromOne


class EntityPicture(Output, frozen=True):
    """An entity with its surroundings. `edits` made it what it is, newest first; `undo` takes their ids.

    `evidenced_by` are the HyperNodes of its mentions, those with most of them first.
    """

    entity: Entity
    neighbours: tuple[Neighbour, ...]
    mentions: tuple[Mention, ...]
    relations: tuple[Relation, ...]
    edits: tuple[EditSeen, ...]
    evidenced_by: tuple[HyperNode, ...]
    cursor: Annotated[str, Meta(description='Where further neighbours begin; "" where there are none.')]


class TopicMember(Output, frozen=True):
    """A name of a topic. `passages` counts those of the topic that hold it; the higher `weight`, the more telling."""

    id: Id
    name: str
    type: Annotated[str, _one_of(EntityType)]
    passages: int
    weight: float


class Topic(Output, frozen=True):
    """A community of names and the passages that are most about them; `members` are the most telling of `names`."""

    id: Id
    level: Annotated[int, Meta(ge=0, description="0 is the coarsest.")]
    parent: Annotated[str, Meta(description='The topic that it is a part of; "" where it is of none.')]
    name: str
    named_by: Annotated[str, Meta(description="`terms`, or the language model that gave the name.")]
    terms: Annotated[tuple[str, ...], Meta(description="Words of its passages that others seldom use.")]
    members: tuple[TopicMember, ...]
    names: int
    passages: int
    documents: int


class TopicPage(Output, frozen=True):
    """The topics of a level, the largest first; `levels` counts the levels, `left` the names that belong to none."""

    topics: tuple[Topic, ...]
    level: int
    levels: int
    left: int
    made_at: Annotated[float, Meta(description="Unix seconds.")]
    stale: Annotated[bool, Meta(description="Documents came since; new topics are being made.")]
    cursor: Cursor


class CentralPassage(Output, frozen=True):
    """A passage that a topic is told by. `quote` is its most telling sentence, `link` shows it in its document."""

    place: Place
    quote: str
    link: Annotated[str, Meta(description="As in a citation.")]


class TopicPicture(Output, frozen=True):
    """A topic with its central passages, the topics that it is divided into, and the one that it is a part of."""

    topic: Topic
    central: tuple[CentralPassage, ...]
    children: tuple[Topic, ...]
    parent: Topic | None
    made_at: float
    stale: bool


Who = Annotated[str, Meta(max_length=200, pattern=ONE_LINE, description="Who does it; kept with the version.")]
Why = Annotated[str, Meta(max_length=2000, pattern=ONE_LINE, description="The reason; kept with the version.")]
SchemaNumber = Annotated[int, Meta(ge=0, le=10**8 - 1, description="A version of a schema; 0 is before the first.")]
RelationName = Annotated[str, Meta(min_length=1, max_length=200, pattern=ONE_LINE, examples=["WORKS_FOR"])]
MAX_NAMES_AT_ONCE = 400


class SchemaExample(Output, frozen=True):
    """Where a relation of the type is stated; `snippet` is the passage's own text."""

    place: Place
    snippet: str


class RelationType(Output, frozen=True):
    """A relation type: which types of entities it may join, and how many targets a source has."""

    name: str
    domain: Annotated[tuple[str, ...], Meta(description="Types of the source.", examples=[["person"]])]
    range: Annotated[tuple[str, ...], Meta(description="Types of the target.", examples=[["organization"]])]
    targets: Annotated[str, _one_of(Targets)]
    symmetric: bool
    aliases: Annotated[tuple[str, ...], Meta(description="Other names of the same type.")]
    description: str
    relations: Annotated[int, Meta(description="How many statements of it discovery saw.")]
    examples: tuple[SchemaExample, ...]


class SchemaProposal(Output, frozen=True):
    """What waits for a decision. With problems, it is accepted by its name alone."""

    kind: Annotated[str, _one_of(ProposalKind)]
    type: RelationType
    of: Annotated[str, Meta(description="Of an alias: the type that it is another name of.")]
    problems: tuple[str, ...]
    by: Annotated[str, Meta(description="Who proposes it: a rule, a model with its prompt, or a person.")]


class SchemaRejection(Output, frozen=True):
    """What is not proposed again: a name, or with ends or a number of targets only those of the type in force."""

    name: str
    domain: tuple[str, ...]
    range: tuple[str, ...]
    targets: Annotated[str, _one_of(Targets)]


class SchemaChange(Output, frozen=True):
    """Who made the version, when (Unix seconds), why, and what it changed, a line each."""

    by: str
    at: float
    why: str
    what: tuple[str, ...]


class GraphSchema(Output, frozen=True):
    """The schema of a dataset's graph."""

    dataset: str
    number: Annotated[int, Meta(description="Counts its changes; 0: there is none.")]
    active: Annotated[int, Meta(description="The last change of `types`; 0: nothing is in force.")]
    domain: Annotated[str, Meta(description="What the dataset is about.")]
    types: Annotated[tuple[RelationType, ...], Meta(description="In force.")]
    proposed: tuple[SchemaProposal, ...]
    rejected: tuple[SchemaRejection, ...]
    change: SchemaChange
    notes: Annotated[tuple[str, ...], Meta(description="On how the proposals just made came about.")]


class ProposedType(Input, frozen=True):
    """A relation type as a person writes it down."""

    name: RelationName
    domain: Annotated[tuple[EntityType, ...], Meta(max_length=len(EntityType))]
    range: Annotated[tuple[EntityType, ...], Meta(max_length=len(EntityType))]
    targets: Targets = Targets.UNKNOWN
    symmetric: bool = False
    description: Annotated[str, Meta(max_length=200, pattern=ONE_LINE)] = ""


class ProposeSchema(Input, frozen=True):
    """Without `types`, they are found in what the dataset's graph says."""

    dataset: Dataset = DEFAULT_DATASET
    types: Annotated[tuple[ProposedType, ...], Meta(max_length=MAX_NAMES_AT_ONCE)] = ()
    by: Who = ""
    why: Why = ""


class DecideSchema(Input, frozen=True):
    """Which proposals. `number` is the version that was looked at: another's change since then refuses this one."""

    dataset: Dataset = DEFAULT_DATASET
    names: Annotated[tuple[RelationName, ...], Meta(max_length=MAX_NAMES_AT_ONCE)] = ()
    number: SchemaNumber | None = None
    by: Who = ""
    why: Why = ""


class ChangedType(Output, frozen=True):
    """A type in force as it was, and as it is."""

    before: RelationType
    after: RelationType


class SchemaDifference(Output, frozen=True):
    """What lies between two versions, oldest change first."""

    older: int
    newer: int
    added: tuple[RelationType, ...]
    removed: tuple[RelationType, ...]
    changed: tuple[ChangedType, ...]
    proposed: tuple[str, ...]
    no_longer_proposed: tuple[str, ...]
    changes: Annotated[tuple[NumberedChange, ...], Meta(description="The newest of them, at most 100.")]


class NumberedChange(Output, frozen=True):
    """A change, and the version that it made."""

    number: int
    change: SchemaChange


class Status(Output, frozen=True):
    """Sources by state, running ones by stage, and chunks that can be found."""

    by_state: dict[str, int]
    by_stage: dict[str, int]
    chunks: int


class Health(Output, frozen=True):
    """The process answers."""

    status: Annotated[str, Meta(examples=["ok"])]


class Readiness(Output, frozen=True):
    """Each part (a store, the inference service): which answer, and which do not, with the reason."""

    status: Annotated[
        Literal["ready", "degraded", "not_ready"],
        Meta(description="`degraded`: questions are answered without what is missing."),
    ]
    ready: tuple[str, ...]
    missing: dict[str, str]


class Key(Output, frozen=True):
    """A key without its secret. Times are Unix seconds; absent: never. `used_at` and `uses` lag a minute behind."""

    id: str
    name: str
    role: Annotated[str, _one_of(Role)]
    created_at: float
    created_by: Annotated[str, Meta(description="The id of the key that made it.")]
    uses: Annotated[
        dict[str, int],
        Meta(
            description="How many requests of each kind: `search`, `ask`, `read`, ..., for changes the trail's actions;"
            " `refused`: what its role does not permit.",
            examples=[{"search": 12, "ask": 3}],
        ),
    ]
    expires_at: float | None = None
    ended_at: Annotated[float | None, Meta(description="Since when it is revoked, or replaced.")] = None
    used_at: float | None = None


class Keys(Output, frozen=True):
    """A tenant's keys, newest first, ended ones too."""

    keys: tuple[Key, ...]


class NewKey(Output, frozen=True):
    """A key, and its text, which is shown this once."""

    key: Key
    secret: str


class CreateKey(Input, frozen=True):
    """A key for a person or a program. Without `expires_in_s` it does not expire."""

    name: Annotated[str, Meta(min_length=1, max_length=MAX_KEY_NAME_CHARS, pattern=ONE_LINE)]
    role: Role = Role.READER
    expires_in_s: Annotated[int, Meta(ge=1, le=MAX_KEY_LIFE_S)] | None = None


class RotateKey(Input, frozen=True):
    """How long the replaced key goes on opening."""

    keep_s: Annotated[int, Meta(ge=0, le=MAX_KEY_KEEP_S)] = 0


class TrailEntry(Output, frozen=True):
    """Who did what, and when (Unix seconds); never what was in it."""

    at: float
    key_id: Annotated[
        str,
        Meta(
            description="Of the key that did it; `environment-N`: of TRIVIUM_API_KEYS; `operator`: `trivium tenants`."
        ),
    ]
    by: Annotated[str, Meta(description="The name of that key.")]
    action: Annotated[str, Meta(examples=["source.delete"])]
    targets: Annotated[
        tuple[str, ...],
        Meta(description="Ids of documents, keys, edits; names of datasets. More than a hundred are several entries."),
    ]
    outcome: Annotated[
        Annotated[str, _one_of(TrailOutcome)] | None,
        Meta(description="`broke_off`: it failed or was given up once begun. Entries of older releases have none."),
    ] = None


class TrailPage(Output, frozen=True):
    """Oldest first."""

    entries: tuple[TrailEntry, ...]
    cursor: Cursor


class CreateConnection(Input, frozen=True, kw_only=True):
    """A place whose files become sources, and go with them."""

    id: Annotated[str, Meta(pattern=CONNECTION_NAME, description="Its sources are called `ID://path`.")]
    kind: ConnectorKind
    location: Annotated[
        str,
        Meta(
            min_length=1,
            max_length=MAX_LOCATION_CHARS,
            pattern=ONE_LINE,
            description="As its kind has it: a folder's full path, an address. It holds no password.",
            examples=["/srv/papers"],
        ),
    ]
    dataset: Dataset = DEFAULT_DATASET
    every_s: Annotated[int, Meta(ge=MIN_EVERY_S, le=MAX_EVERY_S)] | None = None
    max_per_s: Annotated[
        float, Meta(ge=MIN_PER_S, le=MAX_PER_S, description="Requests to the place a second, at most.")
    ] = DEFAULT_PER_S
    credential: Annotated[
        str,
        Meta(
            pattern=SECRET_NAME,
            description="The name of a file among the tenant's secrets (TRIVIUM_CONNECT_SECRETS); empty: none.",
        ),
    ] = ""


class Connection(Output, frozen=True, kw_only=True):
    """A connection, and what is known of its newest look. Times are Unix seconds; absent: never."""

    id: str
    kind: Annotated[str, _one_of(ConnectorKind)]
    location: str
    dataset: str
    every_s: Annotated[int, Meta(description="0: only when asked.")]
    max_per_s: float
    credential: Annotated[str, Meta(description="The name of a file; the secret itself is nowhere in here.")]
    created_at: float
    created_by: Annotated[str, Meta(description="The id of the key that made it.")]
    activity: Annotated[str, _one_of(Activity)]
    run: Annotated[str, Meta(description="The run of the sources that the newest look brought.")]
    started_at: float | None = None
    ended_at: float | None = None
    next_at: Annotated[float | None, Meta(description="When it is due; absent: when asked, or now.")] = None
    stored: Annotated[int, Meta(description="Files that the newest look brought; known ones are not counted.")]
    deleted: int
    failed: Annotated[int, Meta(description="Files that could not be had; the next look tries them again.")]
    error: Annotated[
        Reason | None,
        Meta(description="Of the look, else of its first file that failed; when added, of a folder not there."),
    ] = None


class Connections(Output, frozen=True):
    """A tenant's connections, by id."""

    connections: tuple[Connection, ...]
