"""What stands behind the `?` of an address is known to the route, or refused: a misspelt filter must not be ignored."""

from __future__ import annotations

from fastapi import Request
from fastapi.routing import APIRoute

from trivium.api import FieldProblem
from trivium_query.http.middleware import OPEN_PATHS
from trivium_query.validation import InvalidRequest


async def known_parameters(request: Request) -> None:
    """Raises `InvalidRequest` for the others. Probes and scrapers send what they like to the paths open to all."""
    route = request.scope["route"]
    if not isinstance(route, APIRoute) or route.path in OPEN_PATHS:
        return
    known = [field.alias for field in route.dependant.query_params]
    unknown = [name for name in dict.fromkeys(request.query_params) if name not in known]
    if unknown:
        told = f"Unknown parameter; known are: {', '.join(known)}" if known else "This path takes no parameters"
        raise InvalidRequest(FieldProblem(f"query.{name}", told) for name in unknown)
