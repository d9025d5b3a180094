"""The schema of a dataset's graph: its relation types, what each may join, and what is proposed beside them.

A schema is one value with a number: `types` are in force, `proposed` wait for somebody's decision, `rejected` are not
proposed again. Every change makes the next number; nothing in it is a document's text, only where examples stand.
"""

from __future__ import annotations

import enum

import msgspec

from trivium.domain.chunks import Span
from trivium.domain.graph import EntityType

MAX_TYPES = 200  # in force, and as many proposed: more is no schema that anyone, or any model, reads


class Targets(enum.StrEnum):
    """How many targets one source may have."""

    ONE = "one"
    MANY = "many"
    UNKNOWN = "unknown"


class ProposalKind(enum.StrEnum):
    """NEW: a type. CHANGED: further ends, or the number of targets, of a type in force. ALIAS: another name of one."""

    NEW = "new"
    CHANGED = "changed"
    ALIAS = "alias"


class Compliance(enum.StrEnum):
    """How a relation stands to the schema; PROPOSED: its type, or an end of it, is not in force."""

    ACTIVE = "active"
    PROPOSED = "proposed"
    REJECTED = "rejected"
    UNCHECKED = "unchecked"  # nothing is in force


class Example(msgspec.Struct, frozen=True, omit_defaults=True):
    """Where a relation is stated."""

    document_id: str
    chunk_id: str
    span: Span


class RelationType(msgspec.Struct, frozen=True, omit_defaults=True):
    """A relation type. `domain` and `range` are the types that its source and its target may have.

    `relations` counts the statements that discovery saw, `aliases` are other names of the same type.
    """

    name: str
    domain: tuple[EntityType, ...] = ()
    range: tuple[EntityType, ...] = ()
    targets: Targets = Targets.UNKNOWN
    symmetric: bool = False
    aliases: tuple[str, ...] = ()
    description: str = ""
    relations: int = 0
    examples: tuple[Example, ...] = ()

    def allows(self, source: EntityType, target: EntityType) -> bool:
        """Whether it may join these, in this direction or, where it is symmetric, in the other."""
        forward = source in self.domain and target in self.range
        return forward or (self.symmetric and target in self.domain and source in self.range)


class Proposal(msgspec.Struct, frozen=True, omit_defaults=True):
    """What is proposed of `type.name`. CHANGED holds what is added alone; ALIAS is another name of the type `of`.

    `problems` are told to whoever decides; with any, it is accepted by its name alone.
    """

    kind: ProposalKind
    type: RelationType
    of: str = ""
    problems: tuple[str, ...] = ()
    by: str = ""

    @property
    def name(self) -> str:
        """Which decides it."""
        return self.type.name


class Rejected(msgspec.Struct, frozen=True, omit_defaults=True):
    """A name that is not proposed again; with ends or targets, only those of a type in force."""

    name: str
    domain: tuple[EntityType, ...] = ()
    range: tuple[EntityType, ...] = ()
    targets: Targets = Targets.UNKNOWN

    @property
    def whole(self) -> bool:
        """Whether it is the name itself."""
        return not self.domain and not self.range and self.targets is Targets.UNKNOWN


class SchemaChange(msgspec.Struct, frozen=True, omit_defaults=True):
    """Who made a version, when (Unix seconds), why, and what it changed, a line each."""

    by: str = ""
    at: float = 0.0
    why: str = ""
    what: tuple[str, ...] = ()


class GraphSchema(msgspec.Struct, frozen=True, omit_defaults=True):
    """A dataset's schema, and the change that made it.

    `number` counts the changes from 1, 0 where there is none; `active` is the number of the last change to `types`, 0
    while nothing is in force. `domain` says in words what the dataset is about.
    """

    dataset: str
    number: int = 0
    active: int = 0
    domain: str = ""
    types: tuple[RelationType, ...] = ()
    proposed: tuple[Proposal, ...] = ()
    rejected: tuple[Rejected, ...] = ()
    change: SchemaChange = SchemaChange()

    def type_named(self, name: str) -> RelationType | None:
        """The type in force of that name or alias."""
        return next((kind for kind in self.types if name == kind.name or name in kind.aliases), None)

    def proposal_named(self, name: str) -> Proposal | None:
        """What is proposed under that name."""
        return next((one for one in self.proposed if one.name == name), None)

    def compliance(self, name: str, source: EntityType, target: EntityType) -> Compliance:
        """How a relation of type `name` between such ends stands to what is in force."""
        if not self.active:
            return Compliance.UNCHECKED
        kind = self.type_named(name)
        if kind is not None:
            return Compliance.ACTIVE if kind.allows(source, target) else Compliance.PROPOSED
        refused = any(one.name == name and one.whole for one in self.rejected)
        return Compliance.REJECTED if refused else Compliance.PROPOSED
