from trivium.v1 import ingest_pb2 as _ingest_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class Connection(_message.Message):
    __slots__ = ("id", "kind", "location", "dataset", "every_s", "max_per_s", "credential", "created_at", "created_by", "activity", "run", "started_at", "ended_at", "next_at", "stored", "deleted", "failed", "error")
    ID_FIELD_NUMBER: _ClassVar[int]
    KIND_FIELD_NUMBER: _ClassVar[int]
    LOCATION_FIELD_NUMBER: _ClassVar[int]
    DATASET_FIELD_NUMBER: _ClassVar[int]
    EVERY_S_FIELD_NUMBER: _ClassVar[int]
    MAX_PER_S_FIELD_NUMBER: _ClassVar[int]
    CREDENTIAL_FIELD_NUMBER: _ClassVar[int]
    CREATED_AT_FIELD_NUMBER: _ClassVar[int]
    CREATED_BY_FIELD_NUMBER: _ClassVar[int]
    ACTIVITY_FIELD_NUMBER: _ClassVar[int]
    RUN_FIELD_NUMBER: _ClassVar[int]
    STARTED_AT_FIELD_NUMBER: _ClassVar[int]
    ENDED_AT_FIELD_NUMBER: _ClassVar[int]
    NEXT_AT_FIELD_NUMBER: _ClassVar[int]
    STORED_FIELD_NUMBER: _ClassVar[int]
    DELETED_FIELD_NUMBER: _ClassVar[int]
    FAILED_FIELD_NUMBER: _ClassVar[int]
    ERROR_FIELD_NUMBER: _ClassVar[int]
    id: str
    kind: str
    location: str
    dataset: str
    every_s: int
    max_per_s: float
    credential: str
    created_at: float
    created_by: str
    activity: str
    run: str
    started_at: float
    ended_at: float
    next_at: float
    stored: int
    deleted: int
    failed: int
    error: _ingest_pb2.Reason
    def __init__(self, id: _Optional[str] = ..., kind: _Optional[str] = ..., location: _Optional[str] = ..., dataset: _Optional[str] = ..., every_s: _Optional[int] = ..., max_per_s: _Optional[float] = ..., credential: _Optional[str] = ..., created_at: _Optional[float] = ..., created_by: _Optional[str] = ..., activity: _Optional[str] = ..., run: _Optional[str] = ..., started_at: _Optional[float] = ..., ended_at: _Optional[float] = ..., next_at: _Optional[float] = ..., stored: _Optional[int] = ..., deleted: _Optional[int] = ..., failed: _Optional[int] = ..., error: _Optional[_Union[_ingest_pb2.Reason, _Mapping]] = ...) -> None: ...

class AddConnectionRequest(_message.Message):
    __slots__ = ("id", "kind", "location", "dataset", "every_s", "max_per_s", "credential")
    ID_FIELD_NUMBER: _ClassVar[int]
    KIND_FIELD_NUMBER: _ClassVar[int]
    LOCATION_FIELD_NUMBER: _ClassVar[int]
    DATASET_FIELD_NUMBER: _ClassVar[int]
    EVERY_S_FIELD_NUMBER: _ClassVar[int]
    MAX_PER_S_FIELD_NUMBER: _ClassVar[int]
    CREDENTIAL_FIELD_NUMBER: _ClassVar[int]
    id: str
    kind: str
    location: str
    dataset: str
    every_s: int
    max_per_s: float
    credential: str
    def __init__(self, id: _Optional[str] = ..., kind: _Optional[str] = ..., location: _Optional[str] = ..., dataset: _Optional[str] = ..., every_s: _Optional[int] = ..., max_per_s: _Optional[float] = ..., credential: _Optional[str] = ...) -> None: ...

class AddConnectionResponse(_message.Message):
    __slots__ = ("connection",)
    CONNECTION_FIELD_NUMBER: _ClassVar[int]
    connection: Connection
    def __init__(self, connection: _Optional[_Union[Connection, _Mapping]] = ...) -> None: ...

class ListConnectionsRequest(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class ListConnectionsResponse(_message.Message):
    __slots__ = ("connections",)
    CONNECTIONS_FIELD_NUMBER: _ClassVar[int]
    connections: _containers.RepeatedCompositeFieldContainer[Connection]
    def __init__(self, connections: _Optional[_Iterable[_Union[Connection, _Mapping]]] = ...) -> None: ...

class GetConnectionRequest(_message.Message):
    __slots__ = ("id",)
    ID_FIELD_NUMBER: _ClassVar[int]
    id: str
    def __init__(self, id: _Optional[str] = ...) -> None: ...

class GetConnectionResponse(_message.Message):
    __slots__ = ("connection",)
    CONNECTION_FIELD_NUMBER: _ClassVar[int]
    connection: Connection
    def __init__(self, connection: _Optional[_Union[Connection, _Mapping]] = ...) -> None: ...

class RunConnectionRequest(_message.Message):
    __slots__ = ("id",)
    ID_FIELD_NUMBER: _ClassVar[int]
    id: str
    def __init__(self, id: _Optional[str] = ...) -> None: ...

class RunConnectionResponse(_message.Message):
    __slots__ = ("connection",)
    CONNECTION_FIELD_NUMBER: _ClassVar[int]
    connection: Connection
    def __init__(self, connection: _Optional[_Union[Connection, _Mapping]] = ...) -> None: ...

class RemoveConnectionRequest(_message.Message):
    __slots__ = ("id", "documents")
    ID_FIELD_NUMBER: _ClassVar[int]
    DOCUMENTS_FIELD_NUMBER: _ClassVar[int]
    id: str
    documents: bool
    def __init__(self, id: _Optional[str] = ..., documents: _Optional[bool] = ...) -> None: ...

class RemoveConnectionResponse(_message.Message):
    __slots__ = ("connection",)
    CONNECTION_FIELD_NUMBER: _ClassVar[int]
    connection: Connection
    def __init__(self, connection: _Optional[_Union[Connection, _Mapping]] = ...) -> None: ...
