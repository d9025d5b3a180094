"""The agent's tools that correct what it constructed from this passage before it finishes it.

What other passages say stays theirs: about that it asks a person, with mark_for_review.
"""

from __future__ import annotations

from typing import Annotated, Any

import msgspec
from msgspec import Meta

from trivium.api import Input
from trivium.domain.errors import NotFound, Refused
from trivium.domain.graph import EntityType
from trivium.graph_tools.desk import checked_confidence, checked_name, checked_type
from trivium.graph_tools.merge_relation import MAX_TYPES
from trivium.graph_tools.values import Confidence, NamedRelation, NewName, Reference, RelationType
from trivium.text.names import fold_name
from trivium_graph.agent.constructing import names_both, require_sure, unlike
from trivium_graph.agent.record import OtherName
from trivium_graph.agent.workbench import Workbench
from trivium_graph.llm_extract import ExtractedEntity, ExtractedRelation


class UpdateEntity(Input, frozen=True):
    """Another name, type or confidence for an entity of this passage; the name must stand in the passage."""

    entity: Reference
    name: NewName | None = None
    type: EntityType | None = None
    confidence: Confidence | None = None


class UpdateRelation(NamedRelation, frozen=True):
    """Another type or confidence for a relation of this passage, or the other way round."""

    new_type: RelationType | None = None
    turned: bool = False
    confidence: Confidence | None = None


class MergeRelation(Input, frozen=True):
    """Relations of several types between the same two entities of this passage are one of one type."""

    source: Reference
    target: Reference
    types: Annotated[tuple[RelationType, ...], Meta(min_length=1, max_length=MAX_TYPES)]
    into: RelationType


class DeleteEntity(Input, frozen=True):
    """Take an entity of this passage back, with its relations."""

    entity: Reference


class DeleteRelation(NamedRelation, frozen=True):
    """Take a relation of this passage back."""


async def update_entity(bench: Workbench, wanted: UpdateEntity) -> Any:
    """What was said of it, however it was spelt there, is said of it by its new name.

    Raises `Refused` (`name_refused`, `name_taken`, `not_in_passage`, `low_confidence`), `NotFound`.
    """
    was = bench.entity(wanted.entity)
    name = was.name if wanted.name is None else checked_name(wanted.name)
    bench.require_name_in_passage(name)
    others = _but(bench.draft.entities, was)
    if any(fold_name(entity.name) == fold_name(name) for entity in others):
        raise Refused("name_taken", f"There is {name!r} already.", "Merge the two with merge_entity.")
    confidence = was.confidence if wanted.confidence is None else wanted.confidence
    require_sure(confidence)
    now = ExtractedEntity(name, wanted.type or was.type, confidence)
    bench.change(
        entities=(*others, now),
        relations=tuple(_renamed(relation, was.name, name) for relation in bench.draft.relations),
        names=tuple(_merge_renamed(one, was.name, name) for one in bench.draft.names),
        questions=tuple(
            msgspec.structs.replace(one, subject=_called(one.subject, was.name, name)) for one in bench.draft.questions
        ),
    )
    return {"entity": name, "type": now.type.value}


async def update_relation(bench: Workbench, wanted: UpdateRelation) -> Any:
    """Raises `Refused` (`low_confidence`, `bad_relation_type`), `NotFound` (`unknown_relation`)."""
    was = _relation(bench, wanted.source, wanted.type, wanted.target)
    ends = (was.target, was.source) if wanted.turned else (was.source, was.target)
    now = ExtractedRelation(
        ends[0],
        checked_type(wanted.new_type or was.type),
        ends[1],
        checked_confidence(was.confidence if wanted.confidence is None else wanted.confidence),
        was.evidence,
    )
    bench.change(relations=(*unlike(_but(bench.draft.relations, was), now), now))
    return {"relation": _told(now)}


async def merge_relation(bench: Workbench, wanted: MergeRelation) -> Any:
    """The surest one's snippet stays. Raises `Refused` (`bad_relation_type`), `NotFound` (`unknown_relation`)."""
    into = checked_type(wanted.into)
    gone = [_relation(bench, wanted.source, kind, wanted.target) for kind in dict.fromkeys(wanted.types)]
    now = msgspec.structs.replace(max(gone, key=lambda relation: relation.confidence), type=into)
    left = tuple(relation for relation in bench.draft.relations if relation not in gone)
    bench.change(relations=(*unlike(left, now), now))
    return {"relation": _told(now)}


async def delete_entity(bench: Workbench, wanted: DeleteEntity) -> Any:
    """With it goes what was said of it, merges into it too. Raises `NotFound` (`unknown_entity`)."""
    gone = bench.entity(wanted.entity)
    key = fold_name(gone.name)
    bench.change(
        entities=_but(bench.draft.entities, gone),
        relations=tuple(one for one in bench.draft.relations if key not in map(fold_name, (one.source, one.target))),
        names=tuple(one for one in bench.draft.names if key not in (fold_name(one.name), one.into_key)),
        questions=tuple(one for one in bench.draft.questions if fold_name(one.subject) != key),
    )
    return {"deleted": gone.name}


async def delete_relation(bench: Workbench, wanted: DeleteRelation) -> Any:
    """Raises `NotFound` (`unknown_relation`)."""
    gone = _relation(bench, wanted.source, wanted.type, wanted.target)
    bench.change(relations=_but(bench.draft.relations, gone))
    return {"deleted": _told(gone)}


def _relation(bench: Workbench, source: str, kind: str, target: str) -> ExtractedRelation:
    ends = (bench.entity(source).name, checked_type(kind), bench.entity(target).name)
    meant = (fold_name(ends[0]), ends[1], fold_name(ends[2]))
    for relation in bench.draft.relations:
        if (fold_name(relation.source), relation.type, fold_name(relation.target)) == meant:
            return relation
    known = "; ".join(map(_told, bench.draft.relations[:10])) or "none"
    raise NotFound("unknown_relation", f"This passage has no relation {' '.join(ends)}.", f"There are: {known}.")


def _but(ones: tuple[Any, ...], gone: object) -> tuple[Any, ...]:
    return tuple(one for one in ones if one != gone)


def _renamed(relation: ExtractedRelation, was: str, now: str) -> ExtractedRelation:
    source, target = (_called(end, was, now) for end in (relation.source, relation.target))
    return msgspec.structs.replace(relation, source=source, target=target)


def _merge_renamed(one: OtherName, was: str, now: str) -> OtherName:
    name, into, key = _called(one.name, was, now), one.into, one.into_key
    if key == fold_name(was):
        into, key = now, fold_name(now)
    within = one.within and names_both(one.snippet, name, into)
    return msgspec.structs.replace(one, name=name, into=into, into_key=key, within=within)


def _called(name: str, was: str, now: str) -> str:
    return now if fold_name(name) == fold_name(was) else name


def _told(relation: ExtractedRelation) -> str:
    return f"{relation.source} {relation.type} {relation.target}"
