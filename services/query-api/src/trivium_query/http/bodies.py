"""A request's JSON, read and checked."""

from __future__ import annotations

import json
from typing import TypeVar

from fastapi import Request

from trivium.api import FieldProblem, Input
from trivium.invalid_request import InvalidRequest
from trivium_query.failures import wrong_content_type
from trivium_query.http.middleware import media_type
from trivium_query.validation import validated

BODY = "body"
T = TypeVar("T", bound=Input)


def _number(text: str) -> int | float:
    """A JSON number with a point: 10.0 is an integer, as JSON Schema has it."""
    value = float(text)
    return int(value) if value.is_integer() else value


async def json_body(request: Request, kind: type[T], absent: T | None = None) -> T:
    """The body as a `kind`, or `absent` where there is none.

    Raises `InvalidRequest`, and `Refused` (`wrong_content_type`) for a body that does not say that it is JSON.
    """
    raw = await request.body()
    if raw and not _is_json(request.headers.get("content-type", "")):
        raise wrong_content_type(request.headers.get("content-type", ""), "Send application/json.")
    value = _decoded(raw) if raw else None
    if value is None:
        if absent is None:
            raise InvalidRequest([FieldProblem(BODY, "Field required")])
        return absent
    if isinstance(value, dict) and "query" in kind.__struct_fields__ and "query" not in value and "question" in value:
        value["query"] = value.pop("question")
    return validated(kind, value, BODY)


def invalid_field(field: str, message: str) -> InvalidRequest:
    """One of the body that does not fit."""
    return InvalidRequest([FieldProblem(f"{BODY}.{field}", message)])


def _decoded(raw: bytes) -> object:
    try:
        value: object = json.loads(raw, parse_float=_number)
        json.dumps(value, ensure_ascii=False).encode()  # half of a surrogate pair can be written, but is no text
    except json.JSONDecodeError as error:
        raise invalid_field(str(error.pos), f"JSON decode error: {error.msg}") from error
    except (ValueError, RecursionError) as error:
        told = "JSON decode error: not Unicode text, or nested too deeply"
        raise InvalidRequest([FieldProblem(BODY, told)]) from error
    return value


def _is_json(content_type: str) -> bool:
    kind, _, subtype = media_type(content_type).partition("/")
    return kind == "application" and (subtype == "json" or subtype.endswith("+json"))
