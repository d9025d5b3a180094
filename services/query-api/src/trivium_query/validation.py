"""What callers send, against the type that says what it may be: one check for HTTP and gRPC."""

from __future__ import annotations

import enum
from collections.abc import Iterator, Mapping
from typing import Any, TypeVar, get_args

import msgspec

from trivium.api import MATCHING, FieldProblem, Input
from trivium.invalid_request import InvalidRequest

JSON_TYPES = {"`str`": "string", "`int`": "integer", "`float`": "number", "`bool`": "boolean"}

T = TypeVar("T", bound=Input)


def validated(kind: type[T], sent: object, where: str = "") -> T:
    """`sent`, of dicts, lists and plain values, as a `kind`. Raises `InvalidRequest`; `where` precedes its fields."""
    try:
        return msgspec.convert(sent, kind)
    except msgspec.ValidationError:
        raise InvalidRequest(_invalid(kind, sent, where)) from None


def _invalid(kind: Any, sent: object, at: str) -> Iterator[FieldProblem]:
    """Every field at fault, where the library itself stops at the first."""
    if isinstance(kind, type) and issubclass(kind, Input) and isinstance(sent, Mapping):
        fields = {field.name: field for field in msgspec.structs.fields(kind)}
        for name, field in fields.items():
            if name in sent:
                yield from _invalid(field.type, sent[name], _below(at, name))
            elif field.required:
                yield FieldProblem(_below(at, name), "Field required")
        yield from (FieldProblem(_below(at, name), "Unknown field") for name in sent if name not in fields)
        return
    try:
        msgspec.convert(sent, kind)
    except msgspec.ValidationError as error:
        message, _, path = str(error).partition(" - at `$")
        inside = path.rstrip("`").replace("[", ".").replace("]", "")
        yield FieldProblem(f"{at}{inside}", _told(message, kind))


def _told(message: str, kind: Any) -> str:
    """The library's `message` with the choices that there are, in JSON's words, without regular expressions."""
    if message.startswith("Invalid enum value"):
        return f"Expected one of {', '.join(_choices(kind))}"
    for pattern, words in MATCHING.items():
        if message.endswith(repr(pattern)):
            return f"Expected {words}"
    for name, word in JSON_TYPES.items():
        message = message.replace(name, word)
    return message.replace("`", "")


def _choices(kind: Any) -> tuple[str, ...]:
    """The values of the enumeration that `kind` is or holds."""
    if isinstance(kind, type) and issubclass(kind, enum.StrEnum):
        return tuple(member.value for member in kind)
    return next(filter(None, map(_choices, get_args(kind))), ())


def _below(at: str, name: object) -> str:
    return f"{at}.{name}" if at else str(name)
