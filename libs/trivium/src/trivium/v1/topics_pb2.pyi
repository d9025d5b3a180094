from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class ListTopicsRequest(_message.Message):
    __slots__ = ("level", "dataset", "page_size", "page_token")
    LEVEL_FIELD_NUMBER: _ClassVar[int]
    DATASET_FIELD_NUMBER: _ClassVar[int]
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    level: int
    dataset: str
    page_size: int
    page_token: str
    def __init__(self, level: _Optional[int] = ..., dataset: _Optional[str] = ..., page_size: _Optional[int] = ..., page_token: _Optional[str] = ...) -> None: ...

class ListTopicsResponse(_message.Message):
    __slots__ = ("topics", "level", "levels", "left", "made_at", "stale", "next_page_token")
    TOPICS_FIELD_NUMBER: _ClassVar[int]
    LEVEL_FIELD_NUMBER: _ClassVar[int]
    LEVELS_FIELD_NUMBER: _ClassVar[int]
    LEFT_FIELD_NUMBER: _ClassVar[int]
    MADE_AT_FIELD_NUMBER: _ClassVar[int]
    STALE_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    topics: _containers.RepeatedCompositeFieldContainer[Topic]
    level: int
    levels: int
    left: int
    made_at: float
    stale: bool
    next_page_token: str
    def __init__(self, topics: _Optional[_Iterable[_Union[Topic, _Mapping]]] = ..., level: _Optional[int] = ..., levels: _Optional[int] = ..., left: _Optional[int] = ..., made_at: _Optional[float] = ..., stale: _Optional[bool] = ..., next_page_token: _Optional[str] = ...) -> None: ...

class GetTopicRequest(_message.Message):
    __slots__ = ("id", "dataset")
    ID_FIELD_NUMBER: _ClassVar[int]
    DATASET_FIELD_NUMBER: _ClassVar[int]
    id: str
    dataset: str
    def __init__(self, id: _Optional[str] = ..., dataset: _Optional[str] = ...) -> None: ...

class GetTopicResponse(_message.Message):
    __slots__ = ("topic", "central", "children", "parent", "made_at", "stale")
    TOPIC_FIELD_NUMBER: _ClassVar[int]
    CENTRAL_FIELD_NUMBER: _ClassVar[int]
    CHILDREN_FIELD_NUMBER: _ClassVar[int]
    PARENT_FIELD_NUMBER: _ClassVar[int]
    MADE_AT_FIELD_NUMBER: _ClassVar[int]
    STALE_FIELD_NUMBER: _ClassVar[int]
    topic: Topic
    central: _containers.RepeatedCompositeFieldContainer[CentralPassage]
    children: _containers.RepeatedCompositeFieldContainer[Topic]
    parent: Topic
    made_at: float
    stale: bool
    def __init__(self, topic: _Optional[_Union[Topic, _Mapping]] = ..., central: _Optional[_Iterable[_Union[CentralPassage, _Mapping]]] = ..., children: _Optional[_Iterable[_Union[Topic, _Mapping]]] = ..., parent: _Optional[_Union[Topic, _Mapping]] = ..., made_at: _Optional[float] = ..., stale: _Optional[bool] = ...) -> None: ...

class Topic(_message.Message):
    __slots__ = ("id", "level", "parent", "name", "named_by", "terms", "members", "names", "passages", "documents")
    ID_FIELD_NUMBER: _ClassVar[int]
    LEVEL_FIELD_NUMBER: _ClassVar[int]
    PARENT_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    NAMED_BY_FIELD_NUMBER: _ClassVar[int]
    TERMS_FIELD_NUMBER: _ClassVar[int]
    MEMBERS_FIELD_NUMBER: _ClassVar[int]
    NAMES_FIELD_NUMBER: _ClassVar[int]
    PASSAGES_FIELD_NUMBER: _ClassVar[int]
    DOCUMENTS_FIELD_NUMBER: _ClassVar[int]
    id: str
    level: int
    parent: str
    name: str
    named_by: str
    terms: _containers.RepeatedScalarFieldContainer[str]
    members: _containers.RepeatedCompositeFieldContainer[TopicMember]
    names: int
    passages: int
    documents: int
    def __init__(self, id: _Optional[str] = ..., level: _Optional[int] = ..., parent: _Optional[str] = ..., name: _Optional[str] = ..., named_by: _Optional[str] = ..., terms: _Optional[_Iterable[str]] = ..., members: _Optional[_Iterable[_Union[TopicMember, _Mapping]]] = ..., names: _Optional[int] = ..., passages: _Optional[int] = ..., documents: _Optional[int] = ...) -> None: ...

class TopicMember(_message.Message):
    __slots__ = ("id", "name", "type", "passages", "weight")
    ID_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    TYPE_FIELD_NUMBER: _ClassVar[int]
    PASSAGES_FIELD_NUMBER: _ClassVar[int]
    WEIGHT_FIELD_NUMBER: _ClassVar[int]
    id: str
    name: str
    type: str
    passages: int
    weight: float
    def __init__(self, id: _Optional[str] = ..., name: _Optional[str] = ..., type: _Optional[str] = ..., passages: _Optional[int] = ..., weight: _Optional[float] = ...) -> None: ...

class CentralPassage(_message.Message):
    __slots__ = ("place", "quote", "link")
    PLACE_FIELD_NUMBER: _ClassVar[int]
    QUOTE_FIELD_NUMBER: _ClassVar[int]
    LINK_FIELD_NUMBER: _ClassVar[int]
    place: PassagePlace
    quote: str
    link: str
    def __init__(self, place: _Optional[_Union[PassagePlace, _Mapping]] = ..., quote: _Optional[str] = ..., link: _Optional[str] = ...) -> None: ...

class PassagePlace(_message.Message):
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

class ExportGraphRequest(_message.Message):
    __slots__ = ("format", "entity", "depth", "dataset", "topics")
    FORMAT_FIELD_NUMBER: _ClassVar[int]
    ENTITY_FIELD_NUMBER: _ClassVar[int]
    DEPTH_FIELD_NUMBER: _ClassVar[int]
    DATASET_FIELD_NUMBER: _ClassVar[int]
    TOPICS_FIELD_NUMBER: _ClassVar[int]
    format: str
    entity: str
    depth: int
    dataset: str
    topics: bool
    def __init__(self, format: _Optional[str] = ..., entity: _Optional[str] = ..., depth: _Optional[int] = ..., dataset: _Optional[str] = ..., topics: _Optional[bool] = ...) -> None: ...

class ExportGraphResponse(_message.Message):
    __slots__ = ("content",)
    CONTENT_FIELD_NUMBER: _ClassVar[int]
    content: bytes
    def __init__(self, content: _Optional[bytes] = ...) -> None: ...
