from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class SubmitSourceRequest(_message.Message):
    __slots__ = ("header", "content")
    HEADER_FIELD_NUMBER: _ClassVar[int]
    CONTENT_FIELD_NUMBER: _ClassVar[int]
    header: SourceHeader
    content: bytes
    def __init__(self, header: _Optional[_Union[SourceHeader, _Mapping]] = ..., content: _Optional[bytes] = ...) -> None: ...

class SourceHeader(_message.Message):
    __slots__ = ("name", "title", "dataset", "media_type", "url", "password", "run", "move", "extractor")
    NAME_FIELD_NUMBER: _ClassVar[int]
    TITLE_FIELD_NUMBER: _ClassVar[int]
    DATASET_FIELD_NUMBER: _ClassVar[int]
    MEDIA_TYPE_FIELD_NUMBER: _ClassVar[int]
    URL_FIELD_NUMBER: _ClassVar[int]
    PASSWORD_FIELD_NUMBER: _ClassVar[int]
    RUN_FIELD_NUMBER: _ClassVar[int]
    MOVE_FIELD_NUMBER: _ClassVar[int]
    EXTRACTOR_FIELD_NUMBER: _ClassVar[int]
    name: str
    title: str
    dataset: str
    media_type: str
    url: str
    password: str
    run: str
    move: bool
    extractor: str
    def __init__(self, name: _Optional[str] = ..., title: _Optional[str] = ..., dataset: _Optional[str] = ..., media_type: _Optional[str] = ..., url: _Optional[str] = ..., password: _Optional[str] = ..., run: _Optional[str] = ..., move: _Optional[bool] = ..., extractor: _Optional[str] = ...) -> None: ...

class SubmitSourceResponse(_message.Message):
    __slots__ = ("source",)
    SOURCE_FIELD_NUMBER: _ClassVar[int]
    source: Source
    def __init__(self, source: _Optional[_Union[Source, _Mapping]] = ...) -> None: ...

class CrawlSiteRequest(_message.Message):
    __slots__ = ("url", "dataset", "depth", "max_pages", "sitemap", "run", "move")
    URL_FIELD_NUMBER: _ClassVar[int]
    DATASET_FIELD_NUMBER: _ClassVar[int]
    DEPTH_FIELD_NUMBER: _ClassVar[int]
    MAX_PAGES_FIELD_NUMBER: _ClassVar[int]
    SITEMAP_FIELD_NUMBER: _ClassVar[int]
    RUN_FIELD_NUMBER: _ClassVar[int]
    MOVE_FIELD_NUMBER: _ClassVar[int]
    url: str
    dataset: str
    depth: int
    max_pages: int
    sitemap: bool
    run: str
    move: bool
    def __init__(self, url: _Optional[str] = ..., dataset: _Optional[str] = ..., depth: _Optional[int] = ..., max_pages: _Optional[int] = ..., sitemap: _Optional[bool] = ..., run: _Optional[str] = ..., move: _Optional[bool] = ...) -> None: ...

class CrawlSiteResponse(_message.Message):
    __slots__ = ("url", "fate", "source", "reason")
    URL_FIELD_NUMBER: _ClassVar[int]
    FATE_FIELD_NUMBER: _ClassVar[int]
    SOURCE_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    url: str
    fate: str
    source: Source
    reason: Reason
    def __init__(self, url: _Optional[str] = ..., fate: _Optional[str] = ..., source: _Optional[_Union[Source, _Mapping]] = ..., reason: _Optional[_Union[Reason, _Mapping]] = ...) -> None: ...

class GetSourceRequest(_message.Message):
    __slots__ = ("id",)
    ID_FIELD_NUMBER: _ClassVar[int]
    id: str
    def __init__(self, id: _Optional[str] = ...) -> None: ...

class GetSourceResponse(_message.Message):
    __slots__ = ("source",)
    SOURCE_FIELD_NUMBER: _ClassVar[int]
    source: Source
    def __init__(self, source: _Optional[_Union[Source, _Mapping]] = ...) -> None: ...

class ListSourcesRequest(_message.Message):
    __slots__ = ("state", "page_size", "page_token", "parent", "dataset", "since", "until", "time", "run")
    STATE_FIELD_NUMBER: _ClassVar[int]
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    PARENT_FIELD_NUMBER: _ClassVar[int]
    DATASET_FIELD_NUMBER: _ClassVar[int]
    SINCE_FIELD_NUMBER: _ClassVar[int]
    UNTIL_FIELD_NUMBER: _ClassVar[int]
    TIME_FIELD_NUMBER: _ClassVar[int]
    RUN_FIELD_NUMBER: _ClassVar[int]
    state: str
    page_size: int
    page_token: str
    parent: str
    dataset: str
    since: str
    until: str
    time: str
    run: str
    def __init__(self, state: _Optional[str] = ..., page_size: _Optional[int] = ..., page_token: _Optional[str] = ..., parent: _Optional[str] = ..., dataset: _Optional[str] = ..., since: _Optional[str] = ..., until: _Optional[str] = ..., time: _Optional[str] = ..., run: _Optional[str] = ...) -> None: ...

class ListSourcesResponse(_message.Message):
    __slots__ = ("sources", "next_page_token")
    SOURCES_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    sources: _containers.RepeatedCompositeFieldContainer[Source]
    next_page_token: str
    def __init__(self, sources: _Optional[_Iterable[_Union[Source, _Mapping]]] = ..., next_page_token: _Optional[str] = ...) -> None: ...

class ListDatasetsRequest(_message.Message):
    __slots__ = ("page_size", "page_token")
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    page_size: int
    page_token: str
    def __init__(self, page_size: _Optional[int] = ..., page_token: _Optional[str] = ...) -> None: ...

class ListDatasetsResponse(_message.Message):
    __slots__ = ("datasets", "next_page_token")
    DATASETS_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    datasets: _containers.RepeatedCompositeFieldContainer[DatasetTotals]
    next_page_token: str
    def __init__(self, datasets: _Optional[_Iterable[_Union[DatasetTotals, _Mapping]]] = ..., next_page_token: _Optional[str] = ...) -> None: ...

class DatasetTotals(_message.Message):
    __slots__ = ("name", "documents", "chunks")
    NAME_FIELD_NUMBER: _ClassVar[int]
    DOCUMENTS_FIELD_NUMBER: _ClassVar[int]
    CHUNKS_FIELD_NUMBER: _ClassVar[int]
    name: str
    documents: int
    chunks: int
    def __init__(self, name: _Optional[str] = ..., documents: _Optional[int] = ..., chunks: _Optional[int] = ...) -> None: ...

class UnlockSourceRequest(_message.Message):
    __slots__ = ("id", "password")
    ID_FIELD_NUMBER: _ClassVar[int]
    PASSWORD_FIELD_NUMBER: _ClassVar[int]
    id: str
    password: str
    def __init__(self, id: _Optional[str] = ..., password: _Optional[str] = ...) -> None: ...

class UnlockSourceResponse(_message.Message):
    __slots__ = ("source",)
    SOURCE_FIELD_NUMBER: _ClassVar[int]
    source: Source
    def __init__(self, source: _Optional[_Union[Source, _Mapping]] = ...) -> None: ...

class DeleteSourceRequest(_message.Message):
    __slots__ = ("id",)
    ID_FIELD_NUMBER: _ClassVar[int]
    id: str
    def __init__(self, id: _Optional[str] = ...) -> None: ...

class DeleteSourceResponse(_message.Message):
    __slots__ = ("source",)
    SOURCE_FIELD_NUMBER: _ClassVar[int]
    source: Source
    def __init__(self, source: _Optional[_Union[Source, _Mapping]] = ...) -> None: ...

class DeleteSourcesRequest(_message.Message):
    __slots__ = ("dataset", "run", "page_token")
    DATASET_FIELD_NUMBER: _ClassVar[int]
    RUN_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    dataset: str
    run: str
    page_token: str
    def __init__(self, dataset: _Optional[str] = ..., run: _Optional[str] = ..., page_token: _Optional[str] = ...) -> None: ...

class DeleteSourcesResponse(_message.Message):
    __slots__ = ("deleted", "done", "next_page_token", "warnings")
    DELETED_FIELD_NUMBER: _ClassVar[int]
    DONE_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    WARNINGS_FIELD_NUMBER: _ClassVar[int]
    deleted: int
    done: bool
    next_page_token: str
    warnings: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, deleted: _Optional[int] = ..., done: _Optional[bool] = ..., next_page_token: _Optional[str] = ..., warnings: _Optional[_Iterable[str]] = ...) -> None: ...

class Source(_message.Message):
    __slots__ = ("id", "name", "title", "dataset", "state", "stage", "progress", "media_type", "size_bytes", "chunks", "version", "active_version", "attempt", "reason", "warnings", "created_at", "updated_at", "parent", "children", "waits_for", "uploaded_at", "dated_at", "run", "about")
    ID_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    TITLE_FIELD_NUMBER: _ClassVar[int]
    DATASET_FIELD_NUMBER: _ClassVar[int]
    STATE_FIELD_NUMBER: _ClassVar[int]
    STAGE_FIELD_NUMBER: _ClassVar[int]
    PROGRESS_FIELD_NUMBER: _ClassVar[int]
    MEDIA_TYPE_FIELD_NUMBER: _ClassVar[int]
    SIZE_BYTES_FIELD_NUMBER: _ClassVar[int]
    CHUNKS_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    ACTIVE_VERSION_FIELD_NUMBER: _ClassVar[int]
    ATTEMPT_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    WARNINGS_FIELD_NUMBER: _ClassVar[int]
    CREATED_AT_FIELD_NUMBER: _ClassVar[int]
    UPDATED_AT_FIELD_NUMBER: _ClassVar[int]
    PARENT_FIELD_NUMBER: _ClassVar[int]
    CHILDREN_FIELD_NUMBER: _ClassVar[int]
    WAITS_FOR_FIELD_NUMBER: _ClassVar[int]
    UPLOADED_AT_FIELD_NUMBER: _ClassVar[int]
    DATED_AT_FIELD_NUMBER: _ClassVar[int]
    RUN_FIELD_NUMBER: _ClassVar[int]
    ABOUT_FIELD_NUMBER: _ClassVar[int]
    id: str
    name: str
    title: str
    dataset: str
    state: str
    stage: str
    progress: float
    media_type: str
    size_bytes: int
    chunks: int
    version: str
    active_version: str
    attempt: int
    reason: Reason
    warnings: _containers.RepeatedScalarFieldContainer[str]
    created_at: float
    updated_at: float
    parent: str
    children: int
    waits_for: str
    uploaded_at: float
    dated_at: float
    run: str
    about: About
    def __init__(self, id: _Optional[str] = ..., name: _Optional[str] = ..., title: _Optional[str] = ..., dataset: _Optional[str] = ..., state: _Optional[str] = ..., stage: _Optional[str] = ..., progress: _Optional[float] = ..., media_type: _Optional[str] = ..., size_bytes: _Optional[int] = ..., chunks: _Optional[int] = ..., version: _Optional[str] = ..., active_version: _Optional[str] = ..., attempt: _Optional[int] = ..., reason: _Optional[_Union[Reason, _Mapping]] = ..., warnings: _Optional[_Iterable[str]] = ..., created_at: _Optional[float] = ..., updated_at: _Optional[float] = ..., parent: _Optional[str] = ..., children: _Optional[int] = ..., waits_for: _Optional[str] = ..., uploaded_at: _Optional[float] = ..., dated_at: _Optional[float] = ..., run: _Optional[str] = ..., about: _Optional[_Union[About, _Mapping]] = ...) -> None: ...

class About(_message.Message):
    __slots__ = ("author", "site", "description")
    AUTHOR_FIELD_NUMBER: _ClassVar[int]
    SITE_FIELD_NUMBER: _ClassVar[int]
    DESCRIPTION_FIELD_NUMBER: _ClassVar[int]
    author: str
    site: str
    description: str
    def __init__(self, author: _Optional[str] = ..., site: _Optional[str] = ..., description: _Optional[str] = ...) -> None: ...

class Reason(_message.Message):
    __slots__ = ("code", "message", "action", "stage")
    CODE_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_FIELD_NUMBER: _ClassVar[int]
    ACTION_FIELD_NUMBER: _ClassVar[int]
    STAGE_FIELD_NUMBER: _ClassVar[int]
    code: str
    message: str
    action: str
    stage: str
    def __init__(self, code: _Optional[str] = ..., message: _Optional[str] = ..., action: _Optional[str] = ..., stage: _Optional[str] = ...) -> None: ...
