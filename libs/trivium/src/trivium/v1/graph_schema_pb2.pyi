from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class GetSchemaRequest(_message.Message):
    __slots__ = ("dataset", "number")
    DATASET_FIELD_NUMBER: _ClassVar[int]
    NUMBER_FIELD_NUMBER: _ClassVar[int]
    dataset: str
    number: int
    def __init__(self, dataset: _Optional[str] = ..., number: _Optional[int] = ...) -> None: ...

class GetSchemaResponse(_message.Message):
    __slots__ = ("schema",)
    SCHEMA_FIELD_NUMBER: _ClassVar[int]
    schema: GraphSchema
    def __init__(self, schema: _Optional[_Union[GraphSchema, _Mapping]] = ...) -> None: ...

class ProposeSchemaRequest(_message.Message):
    __slots__ = ("dataset", "types", "by", "why")
    DATASET_FIELD_NUMBER: _ClassVar[int]
    TYPES_FIELD_NUMBER: _ClassVar[int]
    BY_FIELD_NUMBER: _ClassVar[int]
    WHY_FIELD_NUMBER: _ClassVar[int]
    dataset: str
    types: _containers.RepeatedCompositeFieldContainer[ProposedType]
    by: str
    why: str
    def __init__(self, dataset: _Optional[str] = ..., types: _Optional[_Iterable[_Union[ProposedType, _Mapping]]] = ..., by: _Optional[str] = ..., why: _Optional[str] = ...) -> None: ...

class ProposedType(_message.Message):
    __slots__ = ("name", "domain", "range", "targets", "symmetric", "description")
    NAME_FIELD_NUMBER: _ClassVar[int]
    DOMAIN_FIELD_NUMBER: _ClassVar[int]
    RANGE_FIELD_NUMBER: _ClassVar[int]
    TARGETS_FIELD_NUMBER: _ClassVar[int]
    SYMMETRIC_FIELD_NUMBER: _ClassVar[int]
    DESCRIPTION_FIELD_NUMBER: _ClassVar[int]
    name: str
    domain: _containers.RepeatedScalarFieldContainer[str]
    range: _containers.RepeatedScalarFieldContainer[str]
    targets: str
    symmetric: bool
    description: str
    def __init__(self, name: _Optional[str] = ..., domain: _Optional[_Iterable[str]] = ..., range: _Optional[_Iterable[str]] = ..., targets: _Optional[str] = ..., symmetric: _Optional[bool] = ..., description: _Optional[str] = ...) -> None: ...

class ProposeSchemaResponse(_message.Message):
    __slots__ = ("schema",)
    SCHEMA_FIELD_NUMBER: _ClassVar[int]
    schema: GraphSchema
    def __init__(self, schema: _Optional[_Union[GraphSchema, _Mapping]] = ...) -> None: ...

class AcceptSchemaRequest(_message.Message):
    __slots__ = ("decision",)
    DECISION_FIELD_NUMBER: _ClassVar[int]
    decision: SchemaDecision
    def __init__(self, decision: _Optional[_Union[SchemaDecision, _Mapping]] = ...) -> None: ...

class AcceptSchemaResponse(_message.Message):
    __slots__ = ("schema",)
    SCHEMA_FIELD_NUMBER: _ClassVar[int]
    schema: GraphSchema
    def __init__(self, schema: _Optional[_Union[GraphSchema, _Mapping]] = ...) -> None: ...

class RejectSchemaRequest(_message.Message):
    __slots__ = ("decision",)
    DECISION_FIELD_NUMBER: _ClassVar[int]
    decision: SchemaDecision
    def __init__(self, decision: _Optional[_Union[SchemaDecision, _Mapping]] = ...) -> None: ...

class RejectSchemaResponse(_message.Message):
    __slots__ = ("schema",)
    SCHEMA_FIELD_NUMBER: _ClassVar[int]
    schema: GraphSchema
    def __init__(self, schema: _Optional[_Union[GraphSchema, _Mapping]] = ...) -> None: ...

class SchemaDecision(_message.Message):
    __slots__ = ("dataset", "names", "number", "by", "why")
    DATASET_FIELD_NUMBER: _ClassVar[int]
    NAMES_FIELD_NUMBER: _ClassVar[int]
    NUMBER_FIELD_NUMBER: _ClassVar[int]
    BY_FIELD_NUMBER: _ClassVar[int]
    WHY_FIELD_NUMBER: _ClassVar[int]
    dataset: str
    names: _containers.RepeatedScalarFieldContainer[str]
    number: int
    by: str
    why: str
    def __init__(self, dataset: _Optional[str] = ..., names: _Optional[_Iterable[str]] = ..., number: _Optional[int] = ..., by: _Optional[str] = ..., why: _Optional[str] = ...) -> None: ...

class DiffSchemaRequest(_message.Message):
    __slots__ = ("dataset", "older", "newer")
    DATASET_FIELD_NUMBER: _ClassVar[int]
    OLDER_FIELD_NUMBER: _ClassVar[int]
    NEWER_FIELD_NUMBER: _ClassVar[int]
    dataset: str
    older: int
    newer: int
    def __init__(self, dataset: _Optional[str] = ..., older: _Optional[int] = ..., newer: _Optional[int] = ...) -> None: ...

class DiffSchemaResponse(_message.Message):
    __slots__ = ("difference",)
    DIFFERENCE_FIELD_NUMBER: _ClassVar[int]
    difference: SchemaDifference
    def __init__(self, difference: _Optional[_Union[SchemaDifference, _Mapping]] = ...) -> None: ...

class GraphSchema(_message.Message):
    __slots__ = ("dataset", "number", "active", "domain", "types", "proposed", "rejected", "change", "notes")
    DATASET_FIELD_NUMBER: _ClassVar[int]
    NUMBER_FIELD_NUMBER: _ClassVar[int]
    ACTIVE_FIELD_NUMBER: _ClassVar[int]
    DOMAIN_FIELD_NUMBER: _ClassVar[int]
    TYPES_FIELD_NUMBER: _ClassVar[int]
    PROPOSED_FIELD_NUMBER: _ClassVar[int]
    REJECTED_FIELD_NUMBER: _ClassVar[int]
    CHANGE_FIELD_NUMBER: _ClassVar[int]
    NOTES_FIELD_NUMBER: _ClassVar[int]
    dataset: str
    number: int
    active: int
    domain: str
    types: _containers.RepeatedCompositeFieldContainer[RelationType]
    proposed: _containers.RepeatedCompositeFieldContainer[SchemaProposal]
    rejected: _containers.RepeatedCompositeFieldContainer[SchemaRejection]
    change: SchemaChange
    notes: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, dataset: _Optional[str] = ..., number: _Optional[int] = ..., active: _Optional[int] = ..., domain: _Optional[str] = ..., types: _Optional[_Iterable[_Union[RelationType, _Mapping]]] = ..., proposed: _Optional[_Iterable[_Union[SchemaProposal, _Mapping]]] = ..., rejected: _Optional[_Iterable[_Union[SchemaRejection, _Mapping]]] = ..., change: _Optional[_Union[SchemaChange, _Mapping]] = ..., notes: _Optional[_Iterable[str]] = ...) -> None: ...

class RelationType(_message.Message):
    __slots__ = ("name", "domain", "range", "targets", "symmetric", "aliases", "description", "relations", "examples")
    NAME_FIELD_NUMBER: _ClassVar[int]
    DOMAIN_FIELD_NUMBER: _ClassVar[int]
    RANGE_FIELD_NUMBER: _ClassVar[int]
    TARGETS_FIELD_NUMBER: _ClassVar[int]
    SYMMETRIC_FIELD_NUMBER: _ClassVar[int]
    ALIASES_FIELD_NUMBER: _ClassVar[int]
    DESCRIPTION_FIELD_NUMBER: _ClassVar[int]
    RELATIONS_FIELD_NUMBER: _ClassVar[int]
    EXAMPLES_FIELD_NUMBER: _ClassVar[int]
    name: str
    domain: _containers.RepeatedScalarFieldContainer[str]
    range: _containers.RepeatedScalarFieldContainer[str]
    targets: str
    symmetric: bool
    aliases: _containers.RepeatedScalarFieldContainer[str]
    description: str
    relations: int
    examples: _containers.RepeatedCompositeFieldContainer[SchemaExample]
    def __init__(self, name: _Optional[str] = ..., domain: _Optional[_Iterable[str]] = ..., range: _Optional[_Iterable[str]] = ..., targets: _Optional[str] = ..., symmetric: _Optional[bool] = ..., aliases: _Optional[_Iterable[str]] = ..., description: _Optional[str] = ..., relations: _Optional[int] = ..., examples: _Optional[_Iterable[_Union[SchemaExample, _Mapping]]] = ...) -> None: ...

class SchemaExample(_message.Message):
    __slots__ = ("place", "snippet")
    PLACE_FIELD_NUMBER: _ClassVar[int]
    SNIPPET_FIELD_NUMBER: _ClassVar[int]
    place: SchemaPlace
    snippet: str
    def __init__(self, place: _Optional[_Union[SchemaPlace, _Mapping]] = ..., snippet: _Optional[str] = ...) -> None: ...

class SchemaPlace(_message.Message):
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

class SchemaProposal(_message.Message):
    __slots__ = ("kind", "type", "of", "problems", "by")
    KIND_FIELD_NUMBER: _ClassVar[int]
    TYPE_FIELD_NUMBER: _ClassVar[int]
    OF_FIELD_NUMBER: _ClassVar[int]
    PROBLEMS_FIELD_NUMBER: _ClassVar[int]
    BY_FIELD_NUMBER: _ClassVar[int]
    kind: str
    type: RelationType
    of: str
    problems: _containers.RepeatedScalarFieldContainer[str]
    by: str
    def __init__(self, kind: _Optional[str] = ..., type: _Optional[_Union[RelationType, _Mapping]] = ..., of: _Optional[str] = ..., problems: _Optional[_Iterable[str]] = ..., by: _Optional[str] = ...) -> None: ...

class SchemaRejection(_message.Message):
    __slots__ = ("name", "domain", "range", "targets")
    NAME_FIELD_NUMBER: _ClassVar[int]
    DOMAIN_FIELD_NUMBER: _ClassVar[int]
    RANGE_FIELD_NUMBER: _ClassVar[int]
    TARGETS_FIELD_NUMBER: _ClassVar[int]
    name: str
    domain: _containers.RepeatedScalarFieldContainer[str]
    range: _containers.RepeatedScalarFieldContainer[str]
    targets: str
    def __init__(self, name: _Optional[str] = ..., domain: _Optional[_Iterable[str]] = ..., range: _Optional[_Iterable[str]] = ..., targets: _Optional[str] = ...) -> None: ...

class SchemaChange(_message.Message):
    __slots__ = ("by", "at", "why", "what")
    BY_FIELD_NUMBER: _ClassVar[int]
    AT_FIELD_NUMBER: _ClassVar[int]
    WHY_FIELD_NUMBER: _ClassVar[int]
    WHAT_FIELD_NUMBER: _ClassVar[int]
    by: str
    at: float
    why: str
    what: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, by: _Optional[str] = ..., at: _Optional[float] = ..., why: _Optional[str] = ..., what: _Optional[_Iterable[str]] = ...) -> None: ...

class SchemaDifference(_message.Message):
    __slots__ = ("older", "newer", "added", "removed", "changed", "proposed", "no_longer_proposed", "changes")
    OLDER_FIELD_NUMBER: _ClassVar[int]
    NEWER_FIELD_NUMBER: _ClassVar[int]
    ADDED_FIELD_NUMBER: _ClassVar[int]
    REMOVED_FIELD_NUMBER: _ClassVar[int]
    CHANGED_FIELD_NUMBER: _ClassVar[int]
    PROPOSED_FIELD_NUMBER: _ClassVar[int]
    NO_LONGER_PROPOSED_FIELD_NUMBER: _ClassVar[int]
    CHANGES_FIELD_NUMBER: _ClassVar[int]
    older: int
    newer: int
    added: _containers.RepeatedCompositeFieldContainer[RelationType]
    removed: _containers.RepeatedCompositeFieldContainer[RelationType]
    changed: _containers.RepeatedCompositeFieldContainer[ChangedType]
    proposed: _containers.RepeatedScalarFieldContainer[str]
    no_longer_proposed: _containers.RepeatedScalarFieldContainer[str]
    changes: _containers.RepeatedCompositeFieldContainer[NumberedChange]
    def __init__(self, older: _Optional[int] = ..., newer: _Optional[int] = ..., added: _Optional[_Iterable[_Union[RelationType, _Mapping]]] = ..., removed: _Optional[_Iterable[_Union[RelationType, _Mapping]]] = ..., changed: _Optional[_Iterable[_Union[ChangedType, _Mapping]]] = ..., proposed: _Optional[_Iterable[str]] = ..., no_longer_proposed: _Optional[_Iterable[str]] = ..., changes: _Optional[_Iterable[_Union[NumberedChange, _Mapping]]] = ...) -> None: ...

class ChangedType(_message.Message):
    __slots__ = ("before", "after")
    BEFORE_FIELD_NUMBER: _ClassVar[int]
    AFTER_FIELD_NUMBER: _ClassVar[int]
    before: RelationType
    after: RelationType
    def __init__(self, before: _Optional[_Union[RelationType, _Mapping]] = ..., after: _Optional[_Union[RelationType, _Mapping]] = ...) -> None: ...

class NumberedChange(_message.Message):
    __slots__ = ("number", "change")
    NUMBER_FIELD_NUMBER: _ClassVar[int]
    CHANGE_FIELD_NUMBER: _ClassVar[int]
    number: int
    change: SchemaChange
    def __init__(self, number: _Optional[int] = ..., change: _Optional[_Union[SchemaChange, _Mapping]] = ...) -> None: ...
