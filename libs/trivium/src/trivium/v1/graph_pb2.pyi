from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class Actor(_message.Message):
    __slots__ = ("name", "kind")
    NAME_FIELD_NUMBER: _ClassVar[int]
    KIND_FIELD_NUMBER: _ClassVar[int]
    name: str
    kind: str
    def __init__(self, name: _Optional[str] = ..., kind: _Optional[str] = ...) -> None: ...

class ListToolsRequest(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class ListToolsResponse(_message.Message):
    __slots__ = ("tools",)
    TOOLS_FIELD_NUMBER: _ClassVar[int]
    tools: _containers.RepeatedCompositeFieldContainer[GraphTool]
    def __init__(self, tools: _Optional[_Iterable[_Union[GraphTool, _Mapping]]] = ...) -> None: ...

class GraphTool(_message.Message):
    __slots__ = ("name", "description", "arguments")
    NAME_FIELD_NUMBER: _ClassVar[int]
    DESCRIPTION_FIELD_NUMBER: _ClassVar[int]
    ARGUMENTS_FIELD_NUMBER: _ClassVar[int]
    name: str
    description: str
    arguments: str
    def __init__(self, name: _Optional[str] = ..., description: _Optional[str] = ..., arguments: _Optional[str] = ...) -> None: ...

class RunToolRequest(_message.Message):
    __slots__ = ("name", "arguments", "actor")
    NAME_FIELD_NUMBER: _ClassVar[int]
    ARGUMENTS_FIELD_NUMBER: _ClassVar[int]
    ACTOR_FIELD_NUMBER: _ClassVar[int]
    name: str
    arguments: str
    actor: Actor
    def __init__(self, name: _Optional[str] = ..., arguments: _Optional[str] = ..., actor: _Optional[_Union[Actor, _Mapping]] = ...) -> None: ...

class RunToolResponse(_message.Message):
    __slots__ = ("result",)
    RESULT_FIELD_NUMBER: _ClassVar[int]
    result: str
    def __init__(self, result: _Optional[str] = ...) -> None: ...

class UndoEditRequest(_message.Message):
    __slots__ = ("id", "why", "actor")
    ID_FIELD_NUMBER: _ClassVar[int]
    WHY_FIELD_NUMBER: _ClassVar[int]
    ACTOR_FIELD_NUMBER: _ClassVar[int]
    id: str
    why: str
    actor: Actor
    def __init__(self, id: _Optional[str] = ..., why: _Optional[str] = ..., actor: _Optional[_Union[Actor, _Mapping]] = ...) -> None: ...

class UndoEditResponse(_message.Message):
    __slots__ = ("edits",)
    EDITS_FIELD_NUMBER: _ClassVar[int]
    edits: _containers.RepeatedCompositeFieldContainer[EditSeen]
    def __init__(self, edits: _Optional[_Iterable[_Union[EditSeen, _Mapping]]] = ...) -> None: ...

class DismissEditRequest(_message.Message):
    __slots__ = ("id", "why", "actor")
    ID_FIELD_NUMBER: _ClassVar[int]
    WHY_FIELD_NUMBER: _ClassVar[int]
    ACTOR_FIELD_NUMBER: _ClassVar[int]
    id: str
    why: str
    actor: Actor
    def __init__(self, id: _Optional[str] = ..., why: _Optional[str] = ..., actor: _Optional[_Union[Actor, _Mapping]] = ...) -> None: ...

class DismissEditResponse(_message.Message):
    __slots__ = ("edits",)
    EDITS_FIELD_NUMBER: _ClassVar[int]
    edits: _containers.RepeatedCompositeFieldContainer[EditSeen]
    def __init__(self, edits: _Optional[_Iterable[_Union[EditSeen, _Mapping]]] = ...) -> None: ...

class ListEditsRequest(_message.Message):
    __slots__ = ("entity", "kind", "actor", "page_size", "page_token")
    ENTITY_FIELD_NUMBER: _ClassVar[int]
    KIND_FIELD_NUMBER: _ClassVar[int]
    ACTOR_FIELD_NUMBER: _ClassVar[int]
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    entity: str
    kind: str
    actor: str
    page_size: int
    page_token: str
    def __init__(self, entity: _Optional[str] = ..., kind: _Optional[str] = ..., actor: _Optional[str] = ..., page_size: _Optional[int] = ..., page_token: _Optional[str] = ...) -> None: ...

class ListEditsResponse(_message.Message):
    __slots__ = ("edits", "next_page_token")
    EDITS_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    edits: _containers.RepeatedCompositeFieldContainer[EditSeen]
    next_page_token: str
    def __init__(self, edits: _Optional[_Iterable[_Union[EditSeen, _Mapping]]] = ..., next_page_token: _Optional[str] = ...) -> None: ...

class EditSeen(_message.Message):
    __slots__ = ("id", "kind", "what", "standing", "by", "at", "why", "confidence", "evidence", "undone_by")
    ID_FIELD_NUMBER: _ClassVar[int]
    KIND_FIELD_NUMBER: _ClassVar[int]
    WHAT_FIELD_NUMBER: _ClassVar[int]
    STANDING_FIELD_NUMBER: _ClassVar[int]
    BY_FIELD_NUMBER: _ClassVar[int]
    AT_FIELD_NUMBER: _ClassVar[int]
    WHY_FIELD_NUMBER: _ClassVar[int]
    CONFIDENCE_FIELD_NUMBER: _ClassVar[int]
    EVIDENCE_FIELD_NUMBER: _ClassVar[int]
    UNDONE_BY_FIELD_NUMBER: _ClassVar[int]
    id: str
    kind: str
    what: str
    standing: str
    by: str
    at: float
    why: str
    confidence: float
    evidence: _containers.RepeatedCompositeFieldContainer[Quote]
    undone_by: str
    def __init__(self, id: _Optional[str] = ..., kind: _Optional[str] = ..., what: _Optional[str] = ..., standing: _Optional[str] = ..., by: _Optional[str] = ..., at: _Optional[float] = ..., why: _Optional[str] = ..., confidence: _Optional[float] = ..., evidence: _Optional[_Iterable[_Union[Quote, _Mapping]]] = ..., undone_by: _Optional[str] = ...) -> None: ...

class Quote(_message.Message):
    __slots__ = ("document_id", "chunk_id", "start", "end", "snippet")
    DOCUMENT_ID_FIELD_NUMBER: _ClassVar[int]
    CHUNK_ID_FIELD_NUMBER: _ClassVar[int]
    START_FIELD_NUMBER: _ClassVar[int]
    END_FIELD_NUMBER: _ClassVar[int]
    SNIPPET_FIELD_NUMBER: _ClassVar[int]
    document_id: str
    chunk_id: str
    start: int
    end: int
    snippet: str
    def __init__(self, document_id: _Optional[str] = ..., chunk_id: _Optional[str] = ..., start: _Optional[int] = ..., end: _Optional[int] = ..., snippet: _Optional[str] = ...) -> None: ...

class GetProvenanceRequest(_message.Message):
    __slots__ = ("entity", "relation", "other", "document", "chunk", "operation", "actor", "since", "until", "limit")
    ENTITY_FIELD_NUMBER: _ClassVar[int]
    RELATION_FIELD_NUMBER: _ClassVar[int]
    OTHER_FIELD_NUMBER: _ClassVar[int]
    DOCUMENT_FIELD_NUMBER: _ClassVar[int]
    CHUNK_FIELD_NUMBER: _ClassVar[int]
    OPERATION_FIELD_NUMBER: _ClassVar[int]
    ACTOR_FIELD_NUMBER: _ClassVar[int]
    SINCE_FIELD_NUMBER: _ClassVar[int]
    UNTIL_FIELD_NUMBER: _ClassVar[int]
    LIMIT_FIELD_NUMBER: _ClassVar[int]
    entity: str
    relation: str
    other: str
    document: str
    chunk: str
    operation: str
    actor: str
    since: float
    until: float
    limit: int
    def __init__(self, entity: _Optional[str] = ..., relation: _Optional[str] = ..., other: _Optional[str] = ..., document: _Optional[str] = ..., chunk: _Optional[str] = ..., operation: _Optional[str] = ..., actor: _Optional[str] = ..., since: _Optional[float] = ..., until: _Optional[float] = ..., limit: _Optional[int] = ...) -> None: ...

class GetProvenanceResponse(_message.Message):
    __slots__ = ("said", "edits", "notes", "joined")
    SAID_FIELD_NUMBER: _ClassVar[int]
    EDITS_FIELD_NUMBER: _ClassVar[int]
    NOTES_FIELD_NUMBER: _ClassVar[int]
    JOINED_FIELD_NUMBER: _ClassVar[int]
    said: _containers.RepeatedCompositeFieldContainer[Said]
    edits: _containers.RepeatedCompositeFieldContainer[EditSeen]
    notes: _containers.RepeatedScalarFieldContainer[str]
    joined: _containers.RepeatedCompositeFieldContainer[Likeness]
    def __init__(self, said: _Optional[_Iterable[_Union[Said, _Mapping]]] = ..., edits: _Optional[_Iterable[_Union[EditSeen, _Mapping]]] = ..., notes: _Optional[_Iterable[str]] = ..., joined: _Optional[_Iterable[_Union[Likeness, _Mapping]]] = ...) -> None: ...

class ListDuplicatesRequest(_message.Message):
    __slots__ = ("dismissed", "page_size", "page_token")
    DISMISSED_FIELD_NUMBER: _ClassVar[int]
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    dismissed: bool
    page_size: int
    page_token: str
    def __init__(self, dismissed: _Optional[bool] = ..., page_size: _Optional[int] = ..., page_token: _Optional[str] = ...) -> None: ...

class ListDuplicatesResponse(_message.Message):
    __slots__ = ("duplicates", "next_page_token")
    DUPLICATES_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    duplicates: _containers.RepeatedCompositeFieldContainer[Duplicate]
    next_page_token: str
    def __init__(self, duplicates: _Optional[_Iterable[_Union[Duplicate, _Mapping]]] = ..., next_page_token: _Optional[str] = ...) -> None: ...

class AcceptDuplicateRequest(_message.Message):
    __slots__ = ("name", "other", "why", "actor")
    NAME_FIELD_NUMBER: _ClassVar[int]
    OTHER_FIELD_NUMBER: _ClassVar[int]
    WHY_FIELD_NUMBER: _ClassVar[int]
    ACTOR_FIELD_NUMBER: _ClassVar[int]
    name: str
    other: str
    why: str
    actor: Actor
    def __init__(self, name: _Optional[str] = ..., other: _Optional[str] = ..., why: _Optional[str] = ..., actor: _Optional[_Union[Actor, _Mapping]] = ...) -> None: ...

class AcceptDuplicateResponse(_message.Message):
    __slots__ = ("edits",)
    EDITS_FIELD_NUMBER: _ClassVar[int]
    edits: _containers.RepeatedCompositeFieldContainer[EditSeen]
    def __init__(self, edits: _Optional[_Iterable[_Union[EditSeen, _Mapping]]] = ...) -> None: ...

class DismissDuplicateRequest(_message.Message):
    __slots__ = ("name", "other", "why", "actor")
    NAME_FIELD_NUMBER: _ClassVar[int]
    OTHER_FIELD_NUMBER: _ClassVar[int]
    WHY_FIELD_NUMBER: _ClassVar[int]
    ACTOR_FIELD_NUMBER: _ClassVar[int]
    name: str
    other: str
    why: str
    actor: Actor
    def __init__(self, name: _Optional[str] = ..., other: _Optional[str] = ..., why: _Optional[str] = ..., actor: _Optional[_Union[Actor, _Mapping]] = ...) -> None: ...

class DismissDuplicateResponse(_message.Message):
    __slots__ = ("edits",)
    EDITS_FIELD_NUMBER: _ClassVar[int]
    edits: _containers.RepeatedCompositeFieldContainer[EditSeen]
    def __init__(self, edits: _Optional[_Iterable[_Union[EditSeen, _Mapping]]] = ...) -> None: ...

class ListEntitiesRequest(_message.Message):
    __slots__ = ("prefix", "type", "page_size", "page_token")
    PREFIX_FIELD_NUMBER: _ClassVar[int]
    TYPE_FIELD_NUMBER: _ClassVar[int]
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    prefix: str
    type: str
    page_size: int
    page_token: str
    def __init__(self, prefix: _Optional[str] = ..., type: _Optional[str] = ..., page_size: _Optional[int] = ..., page_token: _Optional[str] = ...) -> None: ...

class ListEntitiesResponse(_message.Message):
    __slots__ = ("entities", "next_page_token")
    ENTITIES_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    entities: _containers.RepeatedCompositeFieldContainer[NamedEntity]
    next_page_token: str
    def __init__(self, entities: _Optional[_Iterable[_Union[NamedEntity, _Mapping]]] = ..., next_page_token: _Optional[str] = ...) -> None: ...

class GetEntityRequest(_message.Message):
    __slots__ = ("id", "neighbours", "evidence", "page_token")
    ID_FIELD_NUMBER: _ClassVar[int]
    NEIGHBOURS_FIELD_NUMBER: _ClassVar[int]
    EVIDENCE_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    id: str
    neighbours: int
    evidence: int
    page_token: str
    def __init__(self, id: _Optional[str] = ..., neighbours: _Optional[int] = ..., evidence: _Optional[int] = ..., page_token: _Optional[str] = ...) -> None: ...

class GetEntityResponse(_message.Message):
    __slots__ = ("entity", "neighbours", "mentions", "relations", "edits", "evidenced_by", "next_page_token")
    ENTITY_FIELD_NUMBER: _ClassVar[int]
    NEIGHBOURS_FIELD_NUMBER: _ClassVar[int]
    MENTIONS_FIELD_NUMBER: _ClassVar[int]
    RELATIONS_FIELD_NUMBER: _ClassVar[int]
    EDITS_FIELD_NUMBER: _ClassVar[int]
    EVIDENCED_BY_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    entity: NamedEntity
    neighbours: _containers.RepeatedCompositeFieldContainer[Neighbour]
    mentions: _containers.RepeatedCompositeFieldContainer[Mention]
    relations: _containers.RepeatedCompositeFieldContainer[StatedRelation]
    edits: _containers.RepeatedCompositeFieldContainer[EditSeen]
    evidenced_by: _containers.RepeatedCompositeFieldContainer[HyperNode]
    next_page_token: str
    def __init__(self, entity: _Optional[_Union[NamedEntity, _Mapping]] = ..., neighbours: _Optional[_Iterable[_Union[Neighbour, _Mapping]]] = ..., mentions: _Optional[_Iterable[_Union[Mention, _Mapping]]] = ..., relations: _Optional[_Iterable[_Union[StatedRelation, _Mapping]]] = ..., edits: _Optional[_Iterable[_Union[EditSeen, _Mapping]]] = ..., evidenced_by: _Optional[_Iterable[_Union[HyperNode, _Mapping]]] = ..., next_page_token: _Optional[str] = ...) -> None: ...

class Neighbour(_message.Message):
    __slots__ = ("entity", "relation", "outgoing", "confidence", "evidence")
    ENTITY_FIELD_NUMBER: _ClassVar[int]
    RELATION_FIELD_NUMBER: _ClassVar[int]
    OUTGOING_FIELD_NUMBER: _ClassVar[int]
    CONFIDENCE_FIELD_NUMBER: _ClassVar[int]
    EVIDENCE_FIELD_NUMBER: _ClassVar[int]
    entity: NamedEntity
    relation: str
    outgoing: bool
    confidence: float
    evidence: int
    def __init__(self, entity: _Optional[_Union[NamedEntity, _Mapping]] = ..., relation: _Optional[str] = ..., outgoing: _Optional[bool] = ..., confidence: _Optional[float] = ..., evidence: _Optional[int] = ...) -> None: ...

class Mention(_message.Message):
    __slots__ = ("place", "surface", "role", "sentence")
    PLACE_FIELD_NUMBER: _ClassVar[int]
    SURFACE_FIELD_NUMBER: _ClassVar[int]
    ROLE_FIELD_NUMBER: _ClassVar[int]
    SENTENCE_FIELD_NUMBER: _ClassVar[int]
    place: Place
    surface: str
    role: str
    sentence: str
    def __init__(self, place: _Optional[_Union[Place, _Mapping]] = ..., surface: _Optional[str] = ..., role: _Optional[str] = ..., sentence: _Optional[str] = ...) -> None: ...

class StatedRelation(_message.Message):
    __slots__ = ("place", "source_key", "target_key", "type", "confidence", "snippet", "operation", "compliance")
    PLACE_FIELD_NUMBER: _ClassVar[int]
    SOURCE_KEY_FIELD_NUMBER: _ClassVar[int]
    TARGET_KEY_FIELD_NUMBER: _ClassVar[int]
    TYPE_FIELD_NUMBER: _ClassVar[int]
    CONFIDENCE_FIELD_NUMBER: _ClassVar[int]
    SNIPPET_FIELD_NUMBER: _ClassVar[int]
    OPERATION_FIELD_NUMBER: _ClassVar[int]
    COMPLIANCE_FIELD_NUMBER: _ClassVar[int]
    place: Place
    source_key: str
    target_key: str
    type: str
    confidence: float
    snippet: str
    operation: str
    compliance: str
    def __init__(self, place: _Optional[_Union[Place, _Mapping]] = ..., source_key: _Optional[str] = ..., target_key: _Optional[str] = ..., type: _Optional[str] = ..., confidence: _Optional[float] = ..., snippet: _Optional[str] = ..., operation: _Optional[str] = ..., compliance: _Optional[str] = ...) -> None: ...

class HyperNode(_message.Message):
    __slots__ = ("id", "document_id", "source", "name", "passages")
    ID_FIELD_NUMBER: _ClassVar[int]
    DOCUMENT_ID_FIELD_NUMBER: _ClassVar[int]
    SOURCE_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    PASSAGES_FIELD_NUMBER: _ClassVar[int]
    id: str
    document_id: str
    source: str
    name: str
    passages: int
    def __init__(self, id: _Optional[str] = ..., document_id: _Optional[str] = ..., source: _Optional[str] = ..., name: _Optional[str] = ..., passages: _Optional[int] = ...) -> None: ...

class GetLinksRequest(_message.Message):
    __slots__ = ("id",)
    ID_FIELD_NUMBER: _ClassVar[int]
    id: str
    def __init__(self, id: _Optional[str] = ...) -> None: ...

class GetLinksResponse(_message.Message):
    __slots__ = ("links_to", "linked_from")
    LINKS_TO_FIELD_NUMBER: _ClassVar[int]
    LINKED_FROM_FIELD_NUMBER: _ClassVar[int]
    links_to: _containers.RepeatedCompositeFieldContainer[LinkedSource]
    linked_from: _containers.RepeatedCompositeFieldContainer[LinkedSource]
    def __init__(self, links_to: _Optional[_Iterable[_Union[LinkedSource, _Mapping]]] = ..., linked_from: _Optional[_Iterable[_Union[LinkedSource, _Mapping]]] = ...) -> None: ...

class LinkedSource(_message.Message):
    __slots__ = ("id", "name", "title")
    ID_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    TITLE_FIELD_NUMBER: _ClassVar[int]
    id: str
    name: str
    title: str
    def __init__(self, id: _Optional[str] = ..., name: _Optional[str] = ..., title: _Optional[str] = ...) -> None: ...

class Duplicate(_message.Message):
    __slots__ = ("likeness", "entity", "other_entity", "dismissed")
    LIKENESS_FIELD_NUMBER: _ClassVar[int]
    ENTITY_FIELD_NUMBER: _ClassVar[int]
    OTHER_ENTITY_FIELD_NUMBER: _ClassVar[int]
    DISMISSED_FIELD_NUMBER: _ClassVar[int]
    likeness: Likeness
    entity: NamedEntity
    other_entity: NamedEntity
    dismissed: EditSeen
    def __init__(self, likeness: _Optional[_Union[Likeness, _Mapping]] = ..., entity: _Optional[_Union[NamedEntity, _Mapping]] = ..., other_entity: _Optional[_Union[NamedEntity, _Mapping]] = ..., dismissed: _Optional[_Union[EditSeen, _Mapping]] = ...) -> None: ...

class Likeness(_message.Message):
    __slots__ = ("key", "other", "score", "reasons", "merges")
    KEY_FIELD_NUMBER: _ClassVar[int]
    OTHER_FIELD_NUMBER: _ClassVar[int]
    SCORE_FIELD_NUMBER: _ClassVar[int]
    REASONS_FIELD_NUMBER: _ClassVar[int]
    MERGES_FIELD_NUMBER: _ClassVar[int]
    key: str
    other: str
    score: float
    reasons: _containers.RepeatedScalarFieldContainer[str]
    merges: bool
    def __init__(self, key: _Optional[str] = ..., other: _Optional[str] = ..., score: _Optional[float] = ..., reasons: _Optional[_Iterable[str]] = ..., merges: _Optional[bool] = ...) -> None: ...

class NamedEntity(_message.Message):
    __slots__ = ("id", "name", "type", "aliases", "mentions", "degree")
    ID_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    TYPE_FIELD_NUMBER: _ClassVar[int]
    ALIASES_FIELD_NUMBER: _ClassVar[int]
    MENTIONS_FIELD_NUMBER: _ClassVar[int]
    DEGREE_FIELD_NUMBER: _ClassVar[int]
    id: str
    name: str
    type: str
    aliases: _containers.RepeatedScalarFieldContainer[str]
    mentions: int
    degree: int
    def __init__(self, id: _Optional[str] = ..., name: _Optional[str] = ..., type: _Optional[str] = ..., aliases: _Optional[_Iterable[str]] = ..., mentions: _Optional[int] = ..., degree: _Optional[int] = ...) -> None: ...

class Said(_message.Message):
    __slots__ = ("source_key", "type", "target_key", "place", "start", "end", "snippet", "confidence", "operation", "at", "invalid_by")
    SOURCE_KEY_FIELD_NUMBER: _ClassVar[int]
    TYPE_FIELD_NUMBER: _ClassVar[int]
    TARGET_KEY_FIELD_NUMBER: _ClassVar[int]
    PLACE_FIELD_NUMBER: _ClassVar[int]
    START_FIELD_NUMBER: _ClassVar[int]
    END_FIELD_NUMBER: _ClassVar[int]
    SNIPPET_FIELD_NUMBER: _ClassVar[int]
    CONFIDENCE_FIELD_NUMBER: _ClassVar[int]
    OPERATION_FIELD_NUMBER: _ClassVar[int]
    AT_FIELD_NUMBER: _ClassVar[int]
    INVALID_BY_FIELD_NUMBER: _ClassVar[int]
    source_key: str
    type: str
    target_key: str
    place: Place
    start: int
    end: int
    snippet: str
    confidence: float
    operation: str
    at: float
    invalid_by: str
    def __init__(self, source_key: _Optional[str] = ..., type: _Optional[str] = ..., target_key: _Optional[str] = ..., place: _Optional[_Union[Place, _Mapping]] = ..., start: _Optional[int] = ..., end: _Optional[int] = ..., snippet: _Optional[str] = ..., confidence: _Optional[float] = ..., operation: _Optional[str] = ..., at: _Optional[float] = ..., invalid_by: _Optional[str] = ...) -> None: ...

class Place(_message.Message):
    __slots__ = ("chunk_id", "document_id", "source", "chunk_number")
    CHUNK_ID_FIELD_NUMBER: _ClassVar[int]
    DOCUMENT_ID_FIELD_NUMBER: _ClassVar[int]
    SOURCE_FIELD_NUMBER: _ClassVar[int]
    CHUNK_NUMBER_FIELD_NUMBER: _ClassVar[int]
    chunk_id: str
    document_id: str
    source: str
    chunk_number: int
    def __init__(self, chunk_id: _Optional[str] = ..., document_id: _Optional[str] = ..., source: _Optional[str] = ..., chunk_number: _Optional[int] = ...) -> None: ...
