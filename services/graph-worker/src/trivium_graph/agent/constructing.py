"""The agent's tools that write, into the draft of the passage's share; refusals are those of the sixteen tools."""

from __future__ import annotations

from typing import Annotated, Any

from msgspec import Meta

from trivium.api import ONE_LINE, Input
from trivium.domain.errors import NotFound, Refused
from trivium.domain.graph import EntityType
from trivium.graph_tools.desk import checked_confidence, checked_name, checked_type
from trivium.graph_tools.values import (
    MAX_SNIPPET_CHARS,
    Confidence,
    NamedRelation,
    NewName,
    Reference,
    Why,
)
from trivium.text.names import fold_name
from trivium_graph.agent.one_person import require_one_person
from trivium_graph.agent.record import OtherName, Question
from trivium_graph.agent.workbench import Workbench
from trivium_graph.llm_extract import MIN_ENTITY_CONFIDENCE, ExtractedEntity, ExtractedRelation, places_of

MAX_CONSTRUCTED = 200  # entities, and relations, of one passage
MAX_LEFT = 10  # todos, and questions, of one passage
MAX_TASK_CHARS = 300

Snippet = Annotated[
    str,
    Meta(max_length=MAX_SNIPPET_CHARS, description="The words that say so, exactly as they stand in the passage."),
]
Task = Annotated[str, Meta(min_length=1, max_length=MAX_TASK_CHARS, pattern=ONE_LINE)]


class CreateEntity(Input, frozen=True):
    """Put an entity that the passage names into the graph. Search for it first."""

    name: NewName
    type: EntityType
    confidence: Confidence


class CreateRelation(NamedRelation, frozen=True):
    """Put a relation between two entities of this passage into the graph. Create them first."""

    confidence: Confidence
    snippet: Snippet


class MergeEntity(Input, frozen=True):
    """An entity of this passage and another one, of this passage or of the graph, are one thing."""

    entity: Reference
    into: Reference
    snippet: Snippet
    why: Why = ""


class MarkForReview(Input, frozen=True):
    """A person shall decide something about an entity of this passage."""

    entity: Reference
    question: Task


class CreateTodo(Input, frozen=True):
    """Something that a later passage has to settle."""

    task: Task


class FinishParagraph(Input, frozen=True):
    """Everything that the passage says is in the graph."""

    settled_todos: Annotated[
        tuple[int, ...], Meta(max_length=100, description="Numbers of open todos that are settled.", examples=[[]])
    ] = ()


async def create_entity(bench: Workbench, wanted: CreateEntity) -> Any:
    """Raises `Refused` (`name_refused`, `low_confidence`, `not_in_passage`, `search_first`, `too_many`)."""
    name = checked_name(wanted.name)
    require_sure(wanted.confidence)
    bench.require_name_in_passage(name)
    key = fold_name(name)
    if key not in bench.draft.searched and key not in bench.found:
        raise Refused("search_first", f"You have not looked for {name!r}.", "Call search_kg with this name first.")
    others = tuple(entity for entity in bench.draft.entities if fold_name(entity.name) != key)
    _require_room(len(others), "entities")
    bench.change(entities=(*others, ExtractedEntity(name, wanted.type, wanted.confidence)))
    return {"entity": name}


async def create_relation(bench: Workbench, wanted: CreateRelation) -> Any:
    """Raises `Refused` (`low_confidence`, `bad_relation_type`, `self_relation`, `not_in_passage`), `NotFound`."""
    kind, confidence = checked_type(wanted.type), checked_confidence(wanted.confidence)
    source, target = bench.entity(wanted.source), bench.entity(wanted.target)
    if source == target:
        raise Refused("self_relation", f"{source.name!r} and {target.name!r} are one entity.", "A relation joins two.")
    bench.require_in_passage(wanted.snippet)
    made = ExtractedRelation(source.name, kind, target.name, confidence, wanted.snippet)
    others = unlike(bench.draft.relations, made)
    _require_room(len(others), "relations")
    bench.change(relations=(*others, made))
    return {"relation": f"{source.name} {kind} {target.name}"}


async def merge_entity(bench: Workbench, wanted: MergeEntity) -> Any:
    """By the passage's own word, or as a decision of the model.

    Raises `Refused` (`same_entity`, `facts_differ`, `not_in_passage`), `NotFound` (`unknown_entity`).
    """
    entity = bench.entity(wanted.entity)
    bench.require_in_passage(wanted.snippet)
    if not places_of(wanted.snippet, entity.name):
        raise Refused("not_in_passage", f"The snippet does not name {entity.name!r}.", "Quote the words that do.")
    into, kind, key = await _meant(bench, wanted.into)
    if key == fold_name(entity.name):
        raise Refused("same_entity", f"{entity.name!r} and {into!r} are one entity already.", "Nothing is to be done.")
    within = names_both(wanted.snippet, entity.name, into)
    made = OtherName(entity.name, into, key, wanted.snippet, wanted.why, within, kind)
    others = tuple(one for one in bench.draft.names if fold_name(one.name) != fold_name(entity.name))
    await require_one_person(bench.graph, entity, made, others, (*bench.stated, *bench.draft.relations))
    bench.change(names=(*others, made))
    return {"merged": f"{entity.name} is {into}"}


async def _meant(bench: Workbench, reference: str) -> tuple[str, EntityType, str]:
    """Name, type and key of an entity of this passage, or of the graph. Raises `NotFound` (`unknown_entity`)."""
    try:
        here = bench.entity(reference)
        return here.name, here.type, fold_name(here.name)
    except NotFound:
        pass
    matches = (await bench.graph.match([reference], 1)).get(reference, [])
    if matches and matches[0][1] == 1.0:
        return matches[0][0].name, matches[0][0].type, matches[0][0].key
    raise bench.unknown(reference)


async def mark_for_review(bench: Workbench, wanted: MarkForReview) -> Any:
    """Raises `NotFound` (`unknown_entity`), `Refused` (`too_many`)."""
    entity = bench.entity(wanted.entity)
    _require_left(len(bench.draft.questions), "questions")
    bench.change(questions=(*bench.draft.questions, Question(entity.name, wanted.question)))
    return {"marked": entity.name}


async def create_todo(bench: Workbench, wanted: CreateTodo) -> Any:
    """Raises `Refused` (`too_many`)."""
    _require_left(len(bench.draft.todos), "todos")
    bench.change(todos=(*bench.draft.todos, wanted.task))
    return {"todo": wanted.task}


async def finish_paragraph(bench: Workbench, wanted: FinishParagraph) -> Any:
    """Raises `NotFound` (`unknown_todo`)."""
    numbers = {todo.number for todo in bench.todos}
    if strange := sorted(set(wanted.settled_todos) - numbers):
        known = ", ".join(map(str, sorted(numbers))) or "none"
        raise NotFound("unknown_todo", f"There is no open todo {strange[0]}.", f"Open are: {known}.")
    bench.change(finished=True, settled=tuple(dict.fromkeys((*bench.draft.settled, *wanted.settled_todos))))
    return {"finished": True}


def require_sure(confidence: float) -> None:
    """Raises `Refused` (`low_confidence`) below what an entity needs."""
    if confidence < MIN_ENTITY_CONFIDENCE:
        raise Refused(
            "low_confidence",
            f"An entity with confidence {confidence:.2f} is not kept; {MIN_ENTITY_CONFIDENCE} is the least.",
            "Leave it out.",
        )


def names_both(words: str, name: str, other: str) -> bool:
    """Whether each of two names stands there by itself: "Brandt" does not where only "Ilse Brandt" does."""
    shorter, longer = sorted((name, other), key=len)
    taken = places_of(words, longer)
    free = (at for at in places_of(words, shorter) if all(at[1] <= start or end <= at[0] for start, end in taken))
    return bool(taken) and any(free)


def unlike(relations: tuple[ExtractedRelation, ...], made: ExtractedRelation) -> tuple[ExtractedRelation, ...]:
    """Those that do not state the same, whatever their evidence."""
    return tuple(one for one in relations if _stated(one) != _stated(made))


def _stated(relation: ExtractedRelation) -> tuple[str, str, str]:
    return fold_name(relation.source), relation.type, fold_name(relation.target)


def _require_room(count: int, what: str) -> None:
    if count >= MAX_CONSTRUCTED:
        raise Refused("too_many", f"A passage has at most {MAX_CONSTRUCTED} {what}.", "Call finish_paragraph.")


def _require_left(count: int, what: str) -> None:
    if count >= MAX_LEFT:
        raise Refused("too_many", f"A passage leaves at most {MAX_LEFT} {what}.", "Go on without.")
