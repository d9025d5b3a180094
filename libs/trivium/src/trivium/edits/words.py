"""Edits in words, and which entities they are about."""

from __future__ import annotations

from collections.abc import Iterator

from trivium.domain.edits import (
    Accept,
    Change,
    CreateEntity,
    CreateRelation,
    Dismiss,
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
)


def in_words(change: Change) -> str:  # noqa: C901, PLR0911, PLR0912 - a table of the changes
    """One sentence without a full stop."""
    match change:
        case Merge(_, into, name):
            return f'"{name}" is "{into}"'
        case Split(_, name):
            return f'"{name}" is an entity of its own'
        case KeepApart(key, other):
            return f'"{key}" is not "{other}"'
        case Rename(key, name):
            return f'"{key}" is called "{name}"'
        case Retype(key, kind):
            return f'"{key}" is of type {kind.value}'
        case CreateEntity(_, name, kind, aliases):
            also = f", also called {', '.join(aliases)}" if aliases else ""
            return f'there is "{name}" ({kind.value}){also}'
        case CreateRelation(relation):
            return _stated(relation)
        case UpdateRelation(was, now):
            return f"{_stated(now)}, instead of {'; '.join(map(_stated, was))}"
        case Invalidate(relation):
            return f"it does not hold that {_stated(relation)}"
        case Remove(key):
            return f'"{key}" is removed'
        case Review(subject, question):
            return f'to be looked at: "{subject}": {question}'
        case Dismiss(subject):
            return f"{'edit' if edit_id(subject) else 'card'} {subject} is settled"
        case Accept(subject):
            return f"{subject} is accepted"
        case Todo(_, task):
            return f"to do: {task}"
        case Undo(edit):
            return f"edit {edit} is undone"


def keys_of(change: Change) -> Iterator[str]:
    """The names that the change is about; several for a relation or a merge."""
    match change:
        case Merge(key, other) | KeepApart(key, other):
            yield from (key, other)
        case Split(key) | Rename(key) | Retype(key) | CreateEntity(key) | Remove(key):
            yield key
        case CreateRelation(relation) | Invalidate(relation):
            yield from (relation.source_key, relation.target_key)
        case UpdateRelation(was, now):
            for relation in (now, *was):
                yield from (relation.source_key, relation.target_key)
        case Review(subject):
            yield subject
        case _:
            return


def relations_of(change: Change) -> tuple[RelationKey, ...]:
    """The relations that it is about."""
    match change:
        case CreateRelation(relation) | Invalidate(relation):
            return (relation,)
        case UpdateRelation(was, now):
            return (now, *was)
        case _:
            return ()


def _stated(relation: RelationKey) -> str:
    return f'"{relation.source_key}" {relation.type} "{relation.target_key}"'
