"""Edits: what people, rules and models decide about the graph, beside what chunks say.

The graph is the union of the chunks' shares and a log of edits. An edit is a record that is only ever appended; its
place in the log is the order in which edits count (`trivium.edits.fold`). Names of entities are folded keys.
"""

from __future__ import annotations

import enum
import re

import msgspec

from trivium.domain.chunks import Span
from trivium.domain.graph import ChunkGraph, EntityType, Relation

MAX_EDITS_AT_ONCE = 1000  # in one record: it counts as a whole or not at all
MAX_WHY_CHARS = 2000
ONE_THING = "one thing"  # the type of the relation between two names that are kept apart; nothing states it
SHARE_PREFIX = "edit:"  # of what stands for a chunk's id where an edit says something; no chunk's id begins so


class ActorKind(enum.StrEnum):
    """Who decides."""

    PERSON = "person"
    RULE = "rule"
    MODEL = "model"


class Actor(msgspec.Struct, frozen=True, omit_defaults=True):
    """`name` is a person's, a rule's, or a model's with its prompt ("openai:gpt-4o extract@3")."""

    kind: ActorKind = ActorKind.PERSON
    name: str = ""

    def __str__(self) -> str:
        return f"{self.kind.value} {self.name}".strip()


class Evidence(msgspec.Struct, frozen=True, omit_defaults=True):
    """The passage that an edit rests on; `snippet` is the exact text of `span` in the chunk."""

    document_id: str
    chunk_id: str
    span: Span = Span(0, 0)
    snippet: str = ""


class RelationKey(msgspec.Struct, frozen=True, order=True):
    """A relation between two entities, whoever states it."""

    source_key: str
    target_key: str
    type: str


class _Change(msgspec.Struct, frozen=True, tag_field="kind"):
    """What an edit decides."""


class Merge(_Change, frozen=True, tag="merge"):
    """`key` is another name of the entity `into`, written as `name`, whatever chunks claim."""

    key: str
    into: str
    name: str


class Split(_Change, frozen=True, tag="split"):
    """`key`, written as `name`, is an entity of its own, whatever chunks claim."""

    key: str
    name: str


class KeepApart(_Change, frozen=True, tag="keep_apart"):
    """Rules shall not find that `key` is `other`; what chunks claim stays.

    `reasons` stands for what spoke for it then: it is not asked again until something else does.
    """

    key: str
    other: str
    reasons: str = ""

    @property
    def relation(self) -> RelationKey:
        """As decisions hold it: a relation that does not hold."""
        return RelationKey(min(self.key, self.other), max(self.key, self.other), ONE_THING)


class Rename(_Change, frozen=True, tag="rename"):
    """The entity is called `name`, and found by it."""

    key: str
    name: str


class Retype(_Change, frozen=True, tag="retype"):
    """The entity is of this type."""

    key: str
    type: EntityType


class CreateEntity(_Change, frozen=True, tag="create_entity"):
    """An entity that no chunk has to name; `aliases` are further names as they are written."""

    key: str
    name: str
    type: EntityType
    aliases: tuple[str, ...] = ()


class CreateRelation(_Change, frozen=True, tag="create_relation"):
    """A relation that no chunk has to state."""

    relation: RelationKey


class UpdateRelation(_Change, frozen=True, tag="update_relation"):
    """Where chunks and earlier edits state one of `was`, this edit states `now` instead."""

    was: tuple[RelationKey, ...]
    now: RelationKey


class Invalidate(_Change, frozen=True, tag="invalidate"):
    """The relation does not hold: no edge any more, and still there to be looked at."""

    relation: RelationKey


class Remove(_Change, frozen=True, tag="remove"):
    """A tombstone: the entity is nowhere in the graph, whatever chunks say of it, until this is undone."""

    key: str


class Review(_Change, frozen=True, tag="review"):
    """Somebody shall look at `subject` (an entity's key, an edit's id, a card's): `question` says at what."""

    subject: str
    question: str


class Dismiss(_Change, frozen=True, tag="dismiss"):
    """`subject` (a review's or a card's id) is settled: nothing is to be done about it."""

    subject: str


class Accept(_Change, frozen=True, tag="accept"):
    """`content` is what holds for `subject` from now on, as a schema for a dataset."""

    subject: str
    content: str


class Todo(_Change, frozen=True, tag="todo"):
    """Something left to do in the work called `run`; it is done when it is dismissed."""

    run: str
    task: str


class Undo(_Change, frozen=True, tag="undo"):
    """The edit does not count; an undo can be undone."""

    edit: str


Change = (
    Merge
    | Split
    | KeepApart
    | Rename
    | Retype
    | CreateEntity
    | CreateRelation
    | UpdateRelation
    | Invalidate
    | Remove
    | Review
    | Dismiss
    | Accept
    | Todo
    | Undo
)


class Draft(msgspec.Struct, frozen=True):
    """An edit before it has its place in the log."""

    change: Change
    actor: Actor
    why: str = ""
    evidence: tuple[Evidence, ...] = ()
    confidence: float = 1.0


class Edit(msgspec.Struct, frozen=True, omit_defaults=True):
    """One entry of the log. `sequence` counts records from 1, `part` the edits of one record from 0.

    `at` is Unix time.
    """

    sequence: int
    part: int
    change: Change
    actor: Actor
    at: float
    why: str = ""
    evidence: tuple[Evidence, ...] = ()
    confidence: float = 1.0

    @property
    def id(self) -> str:
        """As people and programs name it: `12.0`."""
        return f"{self.sequence}.{self.part}"

    @property
    def kind(self) -> str:
        """The change's tag."""
        return str(type(self.change).__struct_config__.tag)

    @property
    def mark(self) -> str:
        """Its place in the log, so that text compares as places do."""
        return _mark(self.sequence, self.part)


class Decisions(msgspec.Struct, frozen=True):
    """What the edits that count add up to, for a graph store. Keys are names as they were when an edit was made.

    `shares` are what edits say, each under `share_id`; their aliases come before those that chunks claim. `names` and
    `types` hold for the entity whose own key it is, and so does `removed`. `hidden`: the relation holds between the two
    entities only as far as edits at or after the mark state it. `state` names the log and the deleted documents that
    they are the sum of, so that what a store was brought to can be recognised; "": nobody says.
    """

    sequence: int = 0
    shares: tuple[ChunkGraph, ...] = ()
    names: dict[str, str] = {}
    types: dict[str, EntityType] = {}
    removed: frozenset[str] = frozenset()
    hidden: dict[RelationKey, str] = {}
    state: str = ""


def share_id(edit: Edit) -> str:
    """What stands for a chunk's id where the edit says something."""
    return SHARE_PREFIX + edit.mark


def is_share_of_edit(chunk_id: str) -> bool:
    """Whether it is a `share_id`."""
    return chunk_id.startswith(SHARE_PREFIX)


def stated_by(relation: Relation) -> str:
    """The id of the share that states it: an edit's, whatever passage that rests on, else its chunk's."""
    kind, _, number = relation.operation.partition(":")
    place = edit_id(number) if kind == "edit" else None
    return SHARE_PREFIX + _mark(*place) if place else relation.chunk_id


def _mark(sequence: int, part: int) -> str:
    return f"{sequence:012}.{part:06}"


_ID = re.compile(r"([1-9][0-9]{0,11})\.([0-9]{1,6})")


def edit_id(text: str) -> tuple[int, int] | None:
    """The sequence and part in an id; None for text that is none."""
    found = _ID.fullmatch(text)
    return (int(found[1]), int(found[2])) if found else None
