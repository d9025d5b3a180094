"""A request's JSON, read and checked."""

from __future__ import annotations

from email.message import Message
from typing import TypeVar

import msgspec
from fastapi import Request

from trivium.api import FieldProblem, Input
from trivium_query.failures import wrong_content_type
from trivium_query.validation import InvalidRequest, validated

BODY = "body"
T = TypeVar("T", bound=Input)


def _number(text: str) -> int | float:
    """A JSON number with a point: 10.0 is an integer, as JSON Schema has it."""
    value = float(text)
    return int(value) if value.is_integer() else value


_JSON = msgspec.json.Decoder(float_hook=_number)


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


def _decoded(raw: bytes) -> object:
    try:
        return _JSON.decode(raw)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        said = str(error) if isinstance(error, msgspec.DecodeError) else "not text of UTF-8, or nested too deeply"
        raise InvalidRequest([FieldProblem(BODY, f"No JSON: {said}")]) from error


def _is_json(content_type: str) -> bool:
    said = Message()
    said["content-type"] = content_type
    subtype = said.get_content_subtype()
    return said.get_content_maintype() == "application" and (subtype == "json" or subtype.endswith("+json"))
