from trivium.v1 import graph_pb2 as _graph_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class ListContradictionsRequest(_message.Message):
    __slots__ = ("dataset", "document_id", "kind", "min_confidence", "dismissed", "page_size", "page_token")
    DATASET_FIELD_NUMBER: _ClassVar[int]
    DOCUMENT_ID_FIELD_NUMBER: _ClassVar[int]
    KIND_FIELD_NUMBER: _ClassVar[int]
    MIN_CONFIDENCE_FIELD_NUMBER: _ClassVar[int]
    DISMISSED_FIELD_NUMBER: _ClassVar[int]
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    dataset: str
    document_id: str
    kind: str
    min_confidence: float
    dismissed: bool
    page_size: int
    page_token: str
    def __init__(self, dataset: _Optional[str] = ..., document_id: _Optional[str] = ..., kind: _Optional[str] = ..., min_confidence: _Optional[float] = ..., dismissed: _Optional[bool] = ..., page_size: _Optional[int] = ..., page_token: _Optional[str] = ...) -> None: ...

class ListContradictionsResponse(_message.Message):
    __slots__ = ("contradictions", "next_page_token", "pending")
    CONTRADICTIONS_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    PENDING_FIELD_NUMBER: _ClassVar[int]
    contradictions: _containers.RepeatedCompositeFieldContainer[Contradiction]
    next_page_token: str
    pending: int
    def __init__(self, contradictions: _Optional[_Iterable[_Union[Contradiction, _Mapping]]] = ..., next_page_token: _Optional[str] = ..., pending: _Optional[int] = ...) -> None: ...

class DismissContradictionRequest(_message.Message):
    __slots__ = ("id", "why", "actor")
    ID_FIELD_NUMBER: _ClassVar[int]
    WHY_FIELD_NUMBER: _ClassVar[int]
    ACTOR_FIELD_NUMBER: _ClassVar[int]
    id: str
    why: str
    actor: _graph_pb2.Actor
    def __init__(self, id: _Optional[str] = ..., why: _Optional[str] = ..., actor: _Optional[_Union[_graph_pb2.Actor, _Mapping]] = ...) -> None: ...

class DismissContradictionResponse(_message.Message):
    __slots__ = ("contradiction",)
    CONTRADICTION_FIELD_NUMBER: _ClassVar[int]
    contradiction: Contradiction
    def __init__(self, contradiction: _Optional[_Union[Contradiction, _Mapping]] = ...) -> None: ...

class Contradiction(_message.Message):
    __slots__ = ("id", "kind", "dataset", "subject", "attribute", "sides", "confidence", "operation", "since", "dismissed")
    ID_FIELD_NUMBER: _ClassVar[int]
    KIND_FIELD_NUMBER: _ClassVar[int]
    DATASET_FIELD_NUMBER: _ClassVar[int]
    SUBJECT_FIELD_NUMBER: _ClassVar[int]
    ATTRIBUTE_FIELD_NUMBER: _ClassVar[int]
    SIDES_FIELD_NUMBER: _ClassVar[int]
    CONFIDENCE_FIELD_NUMBER: _ClassVar[int]
    OPERATION_FIELD_NUMBER: _ClassVar[int]
    SINCE_FIELD_NUMBER: _ClassVar[int]
    DISMISSED_FIELD_NUMBER: _ClassVar[int]
    id: str
    kind: str
    dataset: str
    subject: str
    attribute: str
    sides: _containers.RepeatedCompositeFieldContainer[ContradictionSide]
    confidence: float
    operation: str
    since: float
    dismissed: Dismissal
    def __init__(self, id: _Optional[str] = ..., kind: _Optional[str] = ..., dataset: _Optional[str] = ..., subject: _Optional[str] = ..., attribute: _Optional[str] = ..., sides: _Optional[_Iterable[_Union[ContradictionSide, _Mapping]]] = ..., confidence: _Optional[float] = ..., operation: _Optional[str] = ..., since: _Optional[float] = ..., dismissed: _Optional[_Union[Dismissal, _Mapping]] = ...) -> None: ...

class ContradictionSide(_message.Message):
    __slots__ = ("citation", "value")
    CITATION_FIELD_NUMBER: _ClassVar[int]
    VALUE_FIELD_NUMBER: _ClassVar[int]
    citation: Citation
    value: str
    def __init__(self, citation: _Optional[_Union[Citation, _Mapping]] = ..., value: _Optional[str] = ...) -> None: ...

class Dismissal(_message.Message):
    __slots__ = ("why", "at", "by", "edit")
    WHY_FIELD_NUMBER: _ClassVar[int]
    AT_FIELD_NUMBER: _ClassVar[int]
    BY_FIELD_NUMBER: _ClassVar[int]
    EDIT_FIELD_NUMBER: _ClassVar[int]
    why: str
    at: float
    by: str
    edit: str
    def __init__(self, why: _Optional[str] = ..., at: _Optional[float] = ..., by: _Optional[str] = ..., edit: _Optional[str] = ...) -> None: ...

class SearchFilter(_message.Message):
    __slots__ = ("document_ids", "dataset", "kinds", "modalities", "since", "until", "time", "run")
    DOCUMENT_IDS_FIELD_NUMBER: _ClassVar[int]
    DATASET_FIELD_NUMBER: _ClassVar[int]
    KINDS_FIELD_NUMBER: _ClassVar[int]
    MODALITIES_FIELD_NUMBER: _ClassVar[int]
    SINCE_FIELD_NUMBER: _ClassVar[int]
    UNTIL_FIELD_NUMBER: _ClassVar[int]
    TIME_FIELD_NUMBER: _ClassVar[int]
    RUN_FIELD_NUMBER: _ClassVar[int]
    document_ids: _containers.RepeatedScalarFieldContainer[str]
    dataset: str
    kinds: _containers.RepeatedScalarFieldContainer[str]
    modalities: _containers.RepeatedScalarFieldContainer[str]
    since: str
    until: str
    time: str
    run: str
    def __init__(self, document_ids: _Optional[_Iterable[str]] = ..., dataset: _Optional[str] = ..., kinds: _Optional[_Iterable[str]] = ..., modalities: _Optional[_Iterable[str]] = ..., since: _Optional[str] = ..., until: _Optional[str] = ..., time: _Optional[str] = ..., run: _Optional[str] = ...) -> None: ...

class SearchRequest(_message.Message):
    __slots__ = ("query", "mode", "top_k", "filter")
    QUERY_FIELD_NUMBER: _ClassVar[int]
    MODE_FIELD_NUMBER: _ClassVar[int]
    TOP_K_FIELD_NUMBER: _ClassVar[int]
    FILTER_FIELD_NUMBER: _ClassVar[int]
    query: str
    mode: str
    top_k: int
    filter: SearchFilter
    def __init__(self, query: _Optional[str] = ..., mode: _Optional[str] = ..., top_k: _Optional[int] = ..., filter: _Optional[_Union[SearchFilter, _Mapping]] = ...) -> None: ...

class SearchResponse(_message.Message):
    __slots__ = ("hits", "degraded", "timings_ms", "mode", "uncovered", "notes")
    class TimingsMsEntry(_message.Message):
        __slots__ = ("key", "value")
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: str
        value: float
        def __init__(self, key: _Optional[str] = ..., value: _Optional[float] = ...) -> None: ...
    HITS_FIELD_NUMBER: _ClassVar[int]
    DEGRADED_FIELD_NUMBER: _ClassVar[int]
    TIMINGS_MS_FIELD_NUMBER: _ClassVar[int]
    MODE_FIELD_NUMBER: _ClassVar[int]
    UNCOVERED_FIELD_NUMBER: _ClassVar[int]
    NOTES_FIELD_NUMBER: _ClassVar[int]
    hits: _containers.RepeatedCompositeFieldContainer[Hit]
    degraded: _containers.RepeatedCompositeFieldContainer[Degraded]
    timings_ms: _containers.ScalarMap[str, float]
    mode: str
    uncovered: _containers.RepeatedScalarFieldContainer[str]
    notes: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, hits: _Optional[_Iterable[_Union[Hit, _Mapping]]] = ..., degraded: _Optional[_Iterable[_Union[Degraded, _Mapping]]] = ..., timings_ms: _Optional[_Mapping[str, float]] = ..., mode: _Optional[str] = ..., uncovered: _Optional[_Iterable[str]] = ..., notes: _Optional[_Iterable[str]] = ...) -> None: ...

class AskRequest(_message.Message):
    __slots__ = ("question", "mode", "top_k", "filter", "conversation_id", "kind", "rerank")
    QUESTION_FIELD_NUMBER: _ClassVar[int]
    MODE_FIELD_NUMBER: _ClassVar[int]
    TOP_K_FIELD_NUMBER: _ClassVar[int]
    FILTER_FIELD_NUMBER: _ClassVar[int]
    CONVERSATION_ID_FIELD_NUMBER: _ClassVar[int]
    KIND_FIELD_NUMBER: _ClassVar[int]
    RERANK_FIELD_NUMBER: _ClassVar[int]
    question: str
    mode: str
    top_k: int
    filter: SearchFilter
    conversation_id: str
    kind: str
    rerank: str
    def __init__(self, question: _Optional[str] = ..., mode: _Optional[str] = ..., top_k: _Optional[int] = ..., filter: _Optional[_Union[SearchFilter, _Mapping]] = ..., conversation_id: _Optional[str] = ..., kind: _Optional[str] = ..., rerank: _Optional[str] = ...) -> None: ...

class AskResponse(_message.Message):
    __slots__ = ("answer",)
    ANSWER_FIELD_NUMBER: _ClassVar[int]
    answer: Answer
    def __init__(self, answer: _Optional[_Union[Answer, _Mapping]] = ...) -> None: ...

class AskStreamRequest(_message.Message):
    __slots__ = ("request",)
    REQUEST_FIELD_NUMBER: _ClassVar[int]
    request: AskRequest
    def __init__(self, request: _Optional[_Union[AskRequest, _Mapping]] = ...) -> None: ...

class AskStreamResponse(_message.Message):
    __slots__ = ("hits", "text", "withdrawn", "citation", "verdict", "answer", "short")
    HITS_FIELD_NUMBER: _ClassVar[int]
    TEXT_FIELD_NUMBER: _ClassVar[int]
    WITHDRAWN_FIELD_NUMBER: _ClassVar[int]
    CITATION_FIELD_NUMBER: _ClassVar[int]
    VERDICT_FIELD_NUMBER: _ClassVar[int]
    ANSWER_FIELD_NUMBER: _ClassVar[int]
    SHORT_FIELD_NUMBER: _ClassVar[int]
    hits: HitsFound
    text: str
    withdrawn: str
    citation: Citation
    verdict: Judgement
    answer: Answer
    short: str
    def __init__(self, hits: _Optional[_Union[HitsFound, _Mapping]] = ..., text: _Optional[str] = ..., withdrawn: _Optional[str] = ..., citation: _Optional[_Union[Citation, _Mapping]] = ..., verdict: _Optional[_Union[Judgement, _Mapping]] = ..., answer: _Optional[_Union[Answer, _Mapping]] = ..., short: _Optional[str] = ...) -> None: ...

class HitsFound(_message.Message):
    __slots__ = ("hits", "degraded")
    HITS_FIELD_NUMBER: _ClassVar[int]
    DEGRADED_FIELD_NUMBER: _ClassVar[int]
    hits: _containers.RepeatedCompositeFieldContainer[Hit]
    degraded: _containers.RepeatedCompositeFieldContainer[Degraded]
    def __init__(self, hits: _Optional[_Iterable[_Union[Hit, _Mapping]]] = ..., degraded: _Optional[_Iterable[_Union[Degraded, _Mapping]]] = ...) -> None: ...

class Judgement(_message.Message):
    __slots__ = ("verdict", "sub_questions", "probability")
    VERDICT_FIELD_NUMBER: _ClassVar[int]
    SUB_QUESTIONS_FIELD_NUMBER: _ClassVar[int]
    PROBABILITY_FIELD_NUMBER: _ClassVar[int]
    verdict: str
    sub_questions: _containers.RepeatedScalarFieldContainer[str]
    probability: float
    def __init__(self, verdict: _Optional[str] = ..., sub_questions: _Optional[_Iterable[str]] = ..., probability: _Optional[float] = ...) -> None: ...

class Answer(_message.Message):
    __slots__ = ("question", "text", "engine", "verdict", "found", "citations", "hits", "degraded", "sub_questions", "notes", "usage", "timings_ms", "kind", "short", "probability", "contradictions")
    class TimingsMsEntry(_message.Message):
        __slots__ = ("key", "value")
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: str
        value: float
        def __init__(self, key: _Optional[str] = ..., value: _Optional[float] = ...) -> None: ...
    QUESTION_FIELD_NUMBER: _ClassVar[int]
    TEXT_FIELD_NUMBER: _ClassVar[int]
    ENGINE_FIELD_NUMBER: _ClassVar[int]
    VERDICT_FIELD_NUMBER: _ClassVar[int]
    FOUND_FIELD_NUMBER: _ClassVar[int]
    CITATIONS_FIELD_NUMBER: _ClassVar[int]
    HITS_FIELD_NUMBER: _ClassVar[int]
    DEGRADED_FIELD_NUMBER: _ClassVar[int]
    SUB_QUESTIONS_FIELD_NUMBER: _ClassVar[int]
    NOTES_FIELD_NUMBER: _ClassVar[int]
    USAGE_FIELD_NUMBER: _ClassVar[int]
    TIMINGS_MS_FIELD_NUMBER: _ClassVar[int]
    KIND_FIELD_NUMBER: _ClassVar[int]
    SHORT_FIELD_NUMBER: _ClassVar[int]
    PROBABILITY_FIELD_NUMBER: _ClassVar[int]
    CONTRADICTIONS_FIELD_NUMBER: _ClassVar[int]
    question: str
    text: str
    engine: str
    verdict: str
    found: bool
    citations: _containers.RepeatedCompositeFieldContainer[Citation]
    hits: _containers.RepeatedCompositeFieldContainer[Hit]
    degraded: _containers.RepeatedCompositeFieldContainer[Degraded]
    sub_questions: _containers.RepeatedScalarFieldContainer[str]
    notes: _containers.RepeatedScalarFieldContainer[str]
    usage: Usage
    timings_ms: _containers.ScalarMap[str, float]
    kind: str
    short: str
    probability: float
    contradictions: _containers.RepeatedCompositeFieldContainer[Contradiction]
    def __init__(self, question: _Optional[str] = ..., text: _Optional[str] = ..., engine: _Optional[str] = ..., verdict: _Optional[str] = ..., found: _Optional[bool] = ..., citations: _Optional[_Iterable[_Union[Citation, _Mapping]]] = ..., hits: _Optional[_Iterable[_Union[Hit, _Mapping]]] = ..., degraded: _Optional[_Iterable[_Union[Degraded, _Mapping]]] = ..., sub_questions: _Optional[_Iterable[str]] = ..., notes: _Optional[_Iterable[str]] = ..., usage: _Optional[_Union[Usage, _Mapping]] = ..., timings_ms: _Optional[_Mapping[str, float]] = ..., kind: _Optional[str] = ..., short: _Optional[str] = ..., probability: _Optional[float] = ..., contradictions: _Optional[_Iterable[_Union[Contradiction, _Mapping]]] = ...) -> None: ...

class Citation(_message.Message):
    __slots__ = ("marker", "chunk_id", "document_id", "source", "chunk_number", "quote", "positions", "url", "link")
    MARKER_FIELD_NUMBER: _ClassVar[int]
    CHUNK_ID_FIELD_NUMBER: _ClassVar[int]
    DOCUMENT_ID_FIELD_NUMBER: _ClassVar[int]
    SOURCE_FIELD_NUMBER: _ClassVar[int]
    CHUNK_NUMBER_FIELD_NUMBER: _ClassVar[int]
    QUOTE_FIELD_NUMBER: _ClassVar[int]
    POSITIONS_FIELD_NUMBER: _ClassVar[int]
    URL_FIELD_NUMBER: _ClassVar[int]
    LINK_FIELD_NUMBER: _ClassVar[int]
    marker: str
    chunk_id: str
    document_id: str
    source: str
    chunk_number: int
    quote: str
    positions: _containers.RepeatedCompositeFieldContainer[Position]
    url: str
    link: str
    def __init__(self, marker: _Optional[str] = ..., chunk_id: _Optional[str] = ..., document_id: _Optional[str] = ..., source: _Optional[str] = ..., chunk_number: _Optional[int] = ..., quote: _Optional[str] = ..., positions: _Optional[_Iterable[_Union[Position, _Mapping]]] = ..., url: _Optional[str] = ..., link: _Optional[str] = ...) -> None: ...

class Usage(_message.Message):
    __slots__ = ("input_tokens", "output_tokens", "calls", "prompts")
    INPUT_TOKENS_FIELD_NUMBER: _ClassVar[int]
    OUTPUT_TOKENS_FIELD_NUMBER: _ClassVar[int]
    CALLS_FIELD_NUMBER: _ClassVar[int]
    PROMPTS_FIELD_NUMBER: _ClassVar[int]
    input_tokens: int
    output_tokens: int
    calls: int
    prompts: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, input_tokens: _Optional[int] = ..., output_tokens: _Optional[int] = ..., calls: _Optional[int] = ..., prompts: _Optional[_Iterable[str]] = ...) -> None: ...

class Hit(_message.Message):
    __slots__ = ("rank", "score", "chunk", "sources", "bridge", "nearby", "topic", "hypernode")
    RANK_FIELD_NUMBER: _ClassVar[int]
    SCORE_FIELD_NUMBER: _ClassVar[int]
    CHUNK_FIELD_NUMBER: _ClassVar[int]
    SOURCES_FIELD_NUMBER: _ClassVar[int]
    BRIDGE_FIELD_NUMBER: _ClassVar[int]
    NEARBY_FIELD_NUMBER: _ClassVar[int]
    TOPIC_FIELD_NUMBER: _ClassVar[int]
    HYPERNODE_FIELD_NUMBER: _ClassVar[int]
    rank: int
    score: float
    chunk: Chunk
    sources: _containers.RepeatedCompositeFieldContainer[SourceRank]
    bridge: Bridge
    nearby: Nearby
    topic: str
    hypernode: str
    def __init__(self, rank: _Optional[int] = ..., score: _Optional[float] = ..., chunk: _Optional[_Union[Chunk, _Mapping]] = ..., sources: _Optional[_Iterable[_Union[SourceRank, _Mapping]]] = ..., bridge: _Optional[_Union[Bridge, _Mapping]] = ..., nearby: _Optional[_Union[Nearby, _Mapping]] = ..., topic: _Optional[str] = ..., hypernode: _Optional[str] = ...) -> None: ...

class Nearby(_message.Message):
    __slots__ = ("from_chunk_id", "type")
    FROM_CHUNK_ID_FIELD_NUMBER: _ClassVar[int]
    TYPE_FIELD_NUMBER: _ClassVar[int]
    from_chunk_id: str
    type: str
    def __init__(self, from_chunk_id: _Optional[str] = ..., type: _Optional[str] = ...) -> None: ...

class SourceRank(_message.Message):
    __slots__ = ("source", "rank", "score")
    SOURCE_FIELD_NUMBER: _ClassVar[int]
    RANK_FIELD_NUMBER: _ClassVar[int]
    SCORE_FIELD_NUMBER: _ClassVar[int]
    source: str
    rank: int
    score: float
    def __init__(self, source: _Optional[str] = ..., rank: _Optional[int] = ..., score: _Optional[float] = ...) -> None: ...

class Bridge(_message.Message):
    __slots__ = ("from_chunk_id", "name", "sentence", "strength")
    FROM_CHUNK_ID_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    SENTENCE_FIELD_NUMBER: _ClassVar[int]
    STRENGTH_FIELD_NUMBER: _ClassVar[int]
    from_chunk_id: str
    name: str
    sentence: str
    strength: float
    def __init__(self, from_chunk_id: _Optional[str] = ..., name: _Optional[str] = ..., sentence: _Optional[str] = ..., strength: _Optional[float] = ...) -> None: ...

class Degraded(_message.Message):
    __slots__ = ("source", "reason")
    SOURCE_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    source: str
    reason: str
    def __init__(self, source: _Optional[str] = ..., reason: _Optional[str] = ...) -> None: ...

class Chunk(_message.Message):
    __slots__ = ("id", "document_id", "version", "number", "text", "source", "kind", "title", "section", "positions", "context", "hidden", "assets")
    ID_FIELD_NUMBER: _ClassVar[int]
    DOCUMENT_ID_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    NUMBER_FIELD_NUMBER: _ClassVar[int]
    TEXT_FIELD_NUMBER: _ClassVar[int]
    SOURCE_FIELD_NUMBER: _ClassVar[int]
    KIND_FIELD_NUMBER: _ClassVar[int]
    TITLE_FIELD_NUMBER: _ClassVar[int]
    SECTION_FIELD_NUMBER: _ClassVar[int]
    POSITIONS_FIELD_NUMBER: _ClassVar[int]
    CONTEXT_FIELD_NUMBER: _ClassVar[int]
    HIDDEN_FIELD_NUMBER: _ClassVar[int]
    ASSETS_FIELD_NUMBER: _ClassVar[int]
    id: str
    document_id: str
    version: str
    number: int
    text: str
    source: str
    kind: str
    title: str
    section: _containers.RepeatedScalarFieldContainer[str]
    positions: _containers.RepeatedCompositeFieldContainer[Position]
    context: str
    hidden: bool
    assets: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, id: _Optional[str] = ..., document_id: _Optional[str] = ..., version: _Optional[str] = ..., number: _Optional[int] = ..., text: _Optional[str] = ..., source: _Optional[str] = ..., kind: _Optional[str] = ..., title: _Optional[str] = ..., section: _Optional[_Iterable[str]] = ..., positions: _Optional[_Iterable[_Union[Position, _Mapping]]] = ..., context: _Optional[str] = ..., hidden: _Optional[bool] = ..., assets: _Optional[_Iterable[str]] = ...) -> None: ...

class Position(_message.Message):
    __slots__ = ("page", "box", "slide", "sheet", "rows", "section", "offset", "seconds")
    PAGE_FIELD_NUMBER: _ClassVar[int]
    BOX_FIELD_NUMBER: _ClassVar[int]
    SLIDE_FIELD_NUMBER: _ClassVar[int]
    SHEET_FIELD_NUMBER: _ClassVar[int]
    ROWS_FIELD_NUMBER: _ClassVar[int]
    SECTION_FIELD_NUMBER: _ClassVar[int]
    OFFSET_FIELD_NUMBER: _ClassVar[int]
    SECONDS_FIELD_NUMBER: _ClassVar[int]
    page: int
    box: Box
    slide: int
    sheet: str
    rows: Range
    section: _containers.RepeatedScalarFieldContainer[str]
    offset: Range
    seconds: TimeRange
    def __init__(self, page: _Optional[int] = ..., box: _Optional[_Union[Box, _Mapping]] = ..., slide: _Optional[int] = ..., sheet: _Optional[str] = ..., rows: _Optional[_Union[Range, _Mapping]] = ..., section: _Optional[_Iterable[str]] = ..., offset: _Optional[_Union[Range, _Mapping]] = ..., seconds: _Optional[_Union[TimeRange, _Mapping]] = ...) -> None: ...

class TimeRange(_message.Message):
    __slots__ = ("start", "end")
    START_FIELD_NUMBER: _ClassVar[int]
    END_FIELD_NUMBER: _ClassVar[int]
    start: float
    end: float
    def __init__(self, start: _Optional[float] = ..., end: _Optional[float] = ...) -> None: ...

class Range(_message.Message):
    __slots__ = ("first", "last")
    FIRST_FIELD_NUMBER: _ClassVar[int]
    LAST_FIELD_NUMBER: _ClassVar[int]
    first: int
    last: int
    def __init__(self, first: _Optional[int] = ..., last: _Optional[int] = ...) -> None: ...

class Box(_message.Message):
    __slots__ = ("left", "top", "right", "bottom")
    LEFT_FIELD_NUMBER: _ClassVar[int]
    TOP_FIELD_NUMBER: _ClassVar[int]
    RIGHT_FIELD_NUMBER: _ClassVar[int]
    BOTTOM_FIELD_NUMBER: _ClassVar[int]
    left: float
    top: float
    right: float
    bottom: float
    def __init__(self, left: _Optional[float] = ..., top: _Optional[float] = ..., right: _Optional[float] = ..., bottom: _Optional[float] = ...) -> None: ...
