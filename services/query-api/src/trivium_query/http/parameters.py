"""What stands behind the `?` of an address is known to the route, or refused: a misspelt filter must not be ignored."""

from __future__ import annotations

from collections.abc import Iterator

from fastapi import Request
from fastapi.dependencies.models import Dependant
from fastapi.routing import APIRoute

from trivium.api import FieldProblem
from trivium.invalid_request import InvalidRequest
from trivium_query.http.middleware import OPEN_PATHS


async def known_parameters(request: Request) -> None:
    """Raises `InvalidRequest` for the others. Probes and scrapers send what they like to the paths open to all."""
    route = request.scope["route"]
    if not request.query_params or not isinstance(route, APIRoute) or route.path in OPEN_PATHS:
        return
    known = list(_known(route.dependant))
    unknown = [name for name in dict.fromkeys(request.query_params) if name not in known]
    if unknown:
        told = f"Unknown parameter; known are: {', '.join(known)}" if known else "This path takes no parameters"
        raise InvalidRequest(FieldProblem(f"query.{name}", told) for name in unknown)


def _known(dependant: Dependant) -> Iterator[str]:
    """The route's own parameters, and those of what it depends on."""
    yield from (field.alias for field in dependant.query_params)
    for needed in dependant.dependencies:
        yield from _known(needed)
