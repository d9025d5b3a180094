"""What a log of edits adds up to: one pure function, total, in one order.

Edits count in the order of the log, a later one over an earlier one about the same thing. Before that it is decided
which count at all: an edit that an undo names does not, unless that undo is undone itself; and one whose evidence has
all been deleted with its documents does not.
"""

from __future__ import annotations

import enum
from collections.abc import Collection, Mapping, Sequence
from hashlib import blake2b
from typing import Self

import msgspec

from trivium.domain.chunks import Span
from trivium.domain.edits import (
    Accept,
    CreateEntity,
    CreateRelation,
    Decisions,
    Dismiss,
    Edit,
    Invalidate,
    KeepApart,
    Merge,
    RelationKey,
    Remove,
    Rename,
    Retype,
    Review,
    Split,
    Todo,
    Undo,
    UpdateRelation,
    edit_id,
    share_id,
)
from trivium.domain.graph import Alias, ChunkGraph, EntityType, Mention, MentionRole, Relation
from trivium.text.names import fold_name

_NOWHERE = Span(0, 0)


class Standing(enum.StrEnum):
    """What becomes of an edit."""

    COUNTS = "counts"
    UNDONE = "undone"
    WITHOUT_EVIDENCE = "without_evidence"  # its documents are deleted
    CIRCLE = "circle"  # a merge of an entity into what is merged into it


class Pin(msgspec.Struct, frozen=True):
    """A name that an edit gives to an entity."""

    into: str
    surface: str
    edit: Edit


class Folded(msgspec.Struct, frozen=True):
    """The decisions, and what they came from.

    `pins` are names by key, `names`, `types`, `removed`, `created` the edits that decide about an entity, by its key,
    `hidden` those that a relation is invalid by or two names are kept apart by, `reviews` and `todos` what is open,
    `dismissed` and `accepted` by subject. An edit whose id is not in `standings` counts.
    """

    decisions: Decisions
    standings: Mapping[str, Standing]
    pins: Mapping[str, Pin]
    names: Mapping[str, Edit]
    types: Mapping[str, Edit]
    removed: Mapping[str, Edit]
    created: Mapping[str, Edit]
    hidden: Mapping[RelationKey, Edit]
    reviews: Mapping[str, Edit]
    todos: Mapping[str, Edit]
    dismissed: Mapping[str, Edit]
    accepted: Mapping[str, Edit]

    def standing(self, edit: Edit) -> Standing:
        """What became of one edit."""
        return self.standings.get(edit.id, Standing.COUNTS)

    def entity_of(self, key: str) -> str:
        """The name that edits lead to from this one, whatever chunks claim."""
        return _end(key, self.pins)


def fold(edits: Sequence[Edit], gone: Collection[str] = ()) -> Folded:
    """`edits` in the order of the log; `gone` are ids of documents that are deleted."""
    return fold_on(Folding(frozenset(gone)), edits).folded()


def fold_on(before: Folding, edits: Sequence[Edit]) -> Folding:
    """What the log adds up to with these `edits` behind those of `before`, which `leads_to` them and stays as it is."""
    after = before.copy()
    after.add(edits)
    return after


def _standings(edits: Sequence[Edit], gone: Collection[str]) -> dict[str, Standing]:
    """Of those that do not count. What undoes an edit comes after it, so they are looked at from the last one back."""
    found: dict[str, Standing] = {}
    for edit in reversed(edits):
        if edit.id in found:
            continue
        if isinstance(edit.change, Undo):
            found[edit.change.edit] = Standing.UNDONE
        elif gone and edit.evidence and all(one.document_id in gone for one in edit.evidence):
            found[edit.id] = Standing.WITHOUT_EVIDENCE
    return found


class Folding:
    """A log as far as it is folded, at first an empty one. Nobody changes one that `fold_on` returned."""

    def __init__(self, gone: frozenset[str] = frozenset()) -> None:
        self.gone = gone
        self.length = 0
        self._place = (0, 0)
        self._standings: dict[str, Standing] = {}
        self._pins: dict[str, Pin] = {}
        self._names: dict[str, Edit] = {}
        self._types: dict[str, tuple[EntityType, Edit]] = {}
        self._removed: dict[str, Edit] = {}
        self._created: dict[str, tuple[CreateEntity, Edit]] = {}
        self._hidden: dict[RelationKey, Edit] = {}
        self._reviews: dict[str, Edit] = {}
        self._todos: dict[str, Edit] = {}
        self._dismissed: dict[str, Edit] = {}
        self._accepted: dict[str, Edit] = {}
        self._shares: dict[str, ChunkGraph] = {}
        self._touched: dict[str, Edit] = {}

    def leads_to(self, edits: Sequence[Edit], gone: frozenset[str]) -> bool:
        """Whether `edits`, a later state of the same log, can be gone on to from here: nothing undoes what counted."""
        return (
            self.gone == gone
            and self.length <= len(edits)
            and not any(
                isinstance(edit.change, Undo) and (edit_id(edit.change.edit) or (0, 0)) <= self._place
                for edit in edits[self.length :]
            )
        )

    def copy(self) -> Self:
        """One that can be gone on with."""
        other = type(self)(self.gone)
        for name, value in vars(self).items():
            setattr(other, name, value.copy() if isinstance(value, dict) else value)
        return other

    def add(self, edits: Sequence[Edit]) -> None:
        """Go on with these."""
        self._standings = _standings(edits, self.gone) | self._standings
        for edit in edits:
            if edit.id not in self._standings:
                self._apply(edit)
        for own, edit in self._touched.items():
            share = self._share(own, edit)
            if share is not None:
                self._shares[own] = share
            else:
                self._shares.pop(own, None)
        self._touched.clear()
        self.length += len(edits)
        self._place = (edits[-1].sequence, edits[-1].part) if edits else self._place

    def _apply(self, edit: Edit) -> None:  # noqa: C901, PLR0912 - a table of the changes
        self._touched[share_id(edit)] = edit
        match edit.change:
            case Merge(key, into, name):
                self._pin(key, into, name, edit)
            case Split(key, name):
                self._put_pin(key, Pin(key, name, edit))
            case KeepApart() as apart:
                self._hidden[apart.relation] = edit
            case Rename(key, name):
                self._names[key] = edit
                self._pin(fold_name(name), key, name, edit)
            case Retype(key, kind):
                self._types[key] = (kind, edit)
            case CreateEntity(key, _, kind, aliases) as creation:
                if key in self._created:
                    self._touch(self._created[key][1])
                self._created[key] = (creation, edit)
                self._types[key] = (kind, edit)
                for alias in aliases:
                    self._pin(fold_name(alias), key, alias, edit)
            case UpdateRelation(was, _):
                self._hidden.update(dict.fromkeys(was, edit))
            case Invalidate(relation):
                self._hidden[relation] = edit
            case Remove(key):
                self._removed[key] = edit
            case Review():
                self._reviews[edit.id] = edit
            case Todo():
                self._todos[edit.id] = edit
            case Dismiss(subject):
                self._dismissed[subject] = edit
            case Accept(subject):
                self._accepted[subject] = edit

    def _pin(self, key: str, into: str, surface: str, edit: Edit) -> None:
        if not key or _leads_to(into, key, self._pins):
            if isinstance(edit.change, Merge):
                self._standings[edit.id] = Standing.CIRCLE
            return
        self._put_pin(key, Pin(into, surface, edit))

    def _put_pin(self, key: str, pin: Pin) -> None:
        if key in self._pins:
            self._touch(self._pins[key].edit)
        self._pins[key] = pin

    def _touch(self, edit: Edit) -> None:
        self._touched[share_id(edit)] = edit

    def folded(self) -> Folded:
        """What it adds up to."""
        return Folded(
            Decisions(
                self._place[0],
                tuple(self._shares[own] for own in sorted(self._shares)),
                {key: edit.change.name for key, edit in self._names.items() if isinstance(edit.change, Rename)},
                {key: kind for key, (kind, _) in self._types.items()},
                frozenset(self._removed),
                {relation: edit.mark for relation, edit in self._hidden.items()},
                f"{self.length} edits to {self._place[0]} without {_digest(self.gone)}",
            ),
            self._standings,
            self._pins,
            self._names,
            {key: edit for key, (_, edit) in self._types.items()},
            self._removed,
            {key: edit for key, (_, edit) in self._created.items()},
            self._hidden,
            _open(self._reviews, self._dismissed),
            _open(self._todos, self._dismissed),
            self._dismissed,
            self._accepted,
        )

    def _share(self, own: str, edit: Edit) -> ChunkGraph | None:
        """What one edit says of its own, as far as no later one says otherwise."""
        pins = {key: self._pins.get(key) for key in _pinned(edit)}
        aliases = [
            Alias(key, pin.into, pin.surface, own)
            for key, pin in sorted(pins.items(), key=lambda item: item[0])
            if pin is not None and pin.edit is edit
        ]
        mentions, relations = [], []
        match edit.change:
            case CreateEntity(key) as creation if self._created[key][1] is edit:
                mentions.append(_mention(creation, edit))
            case CreateRelation(relation) | UpdateRelation(_, relation):
                relations.append(_relation(relation, edit))
        if not (aliases or mentions or relations):
            return None
        return ChunkGraph(own, tuple(mentions), tuple(relations), tuple(aliases))


def _pinned(edit: Edit) -> list[str]:
    """The names that it may give to an entity."""
    match edit.change:
        case Merge(key) | Split(key):
            return [key]
        case Rename(_, name):
            return [fold_name(name)]
        case CreateEntity(_, _, _, aliases):
            return [fold_name(alias) for alias in aliases]
    return []


def _digest(names: Collection[str]) -> str:
    return blake2b("\n".join(sorted(names)).encode(), digest_size=8).hexdigest()


def _open(asked: Mapping[str, Edit], dismissed: Mapping[str, Edit]) -> dict[str, Edit]:
    return {subject: edit for subject, edit in asked.items() if subject not in dismissed}


def _end(key: str, pins: Mapping[str, Pin]) -> str:
    """Where a name leads. Pins form no circle but that of a name with itself."""
    while (pin := pins.get(key)) is not None and pin.into != key:
        key = pin.into
    return key


def _leads_to(key: str, end: str, pins: Mapping[str, Pin]) -> bool:
    while key != end:
        pin = pins.get(key)
        if pin is None or pin.into == key:
            return False
        key = pin.into
    return True


def _mention(creation: CreateEntity, edit: Edit) -> Mention:
    chunk = edit.evidence[0].chunk_id if edit.evidence else share_id(edit)
    return Mention(
        key=creation.key,
        chunk_id=chunk,
        sentence=0,
        span=edit.evidence[0].span if edit.evidence else _NOWHERE,
        surface=creation.name,
        role=MentionRole.CREATED,
        type=creation.type,
        confidence=1.0,
    )


def _relation(relation: RelationKey, edit: Edit) -> Relation:
    place = edit.evidence[0] if edit.evidence else None
    return Relation(
        relation.source_key,
        relation.target_key,
        relation.type,
        edit.confidence,
        place.chunk_id if place else share_id(edit),
        place.span if place else _NOWHERE,
        place.snippet if place else "",
        f"edit:{edit.id}",
    )
