"""A request whose fields do not fit, as every door tells it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import islice

from trivium.api import FieldProblem
from trivium.domain.errors import Refused

MAX_TOLD = 20
MAX_TOLD_CHARS = 200


class InvalidRequest(Refused):
    """Fields that do not fit, each with the reason. What was sent is left out: it may be large or secret.

    Over HTTP they are the problem report's `errors`, over gRPC google.rpc.BadRequest.
    """

    def __init__(self, fields: Iterable[FieldProblem]) -> None:
        self.fields = tuple(
            FieldProblem(_printable(each.field), _printable(each.message)) for each in islice(fields, MAX_TOLD)
        )
        first = self.fields[0]
        action = "Correct what does not fit; /docs and proto/ show what it may be."
        super().__init__("invalid_request", f"{first.field}: {first.message.rstrip('.')}.", action)

    def renamed(self, names: Mapping[str, str]) -> InvalidRequest:
        """The same of fields whose first part has another name elsewhere; `names` from here to there."""
        parted = ((each.field.partition("."), each.message) for each in self.fields)
        return InvalidRequest(
            FieldProblem(f"{names.get(name, name)}{dot}{rest}", message) for (name, dot, rest), message in parted
        )


def misfit(field: str, expected: str) -> InvalidRequest:
    """One field that is not what is `expected`, as "at most 300 characters"."""
    return InvalidRequest([FieldProblem(field, f"Expected {expected}")])


def _printable(text: str) -> str:
    return text[:MAX_TOLD_CHARS].encode("utf-8", "replace").decode()
