"""Whether the caller's role is enough for the route; and that every route says which one it needs."""

from __future__ import annotations

from collections.abc import Iterator

from fastapi import FastAPI, Request
from fastapi.routing import APIRoute, iter_route_contexts

from trivium.domain.access import Caller, Role
from trivium.domain.limits import Resource
from trivium_query.access.authenticate import require
from trivium_query.access.limiter import take
from trivium_query.access.rules import HANDING_OVER, OPENED, ROUTES, Rule
from trivium_query.http import docs, mcp
from trivium_query.http.middleware import CALLER, LINK, OPEN_PATHS
from trivium_query.requests import Services

ASIDE = frozenset(
    (
        f"Route {mcp.PATH}",  # its calls come in by the routes that have rules
        "Route /openapi.json",
        f"Mount {docs.ASSETS}",
    )
)
"""What may be reached without a rule of its own, beside `OPEN_PATHS`."""
_BY_LINK = Rule(Role.READER, OPENED)


async def permitted(request: Request) -> None:
    """Raises `Refused` (`forbidden`), and `TooMany`. Paths that are open to all have no caller."""
    route = request.scope["route"]
    if route.path not in OPEN_PATHS:
        caller: Caller = request.scope[CALLER]
        services: Services = request.app.state.services
        rule = ROUTES[f"{request.method} {route.path}"]
        services.uses.count(caller, _BY_LINK if LINK in request.scope else rule)
        require(caller, rule.role)
        if rule.action in HANDING_OVER:
            await take(Resource.UPLOADS, 1)


def check_rules(app: FastAPI) -> None:
    """Raises `RuntimeError` unless each route is open to all or has a rule: a forgotten one must not reach anybody.

    A mount, a socket and a route that is not FastAPI's ask for no rule: they are refused unless they stand in `ASIDE`.
    """
    unruled = [name for name in route_names(app) if name not in ROUTES] + list(_unasked(app))
    if unruled:
        raise RuntimeError(f"No role is named in access/rules.py for: {', '.join(unruled)}")


def route_names(app: FastAPI) -> Iterator[str]:
    """Method and path of every route that is not open to all."""
    for route in iter_route_contexts(app.routes):
        if isinstance(route.route, APIRoute) and route.path not in OPEN_PATHS:
            yield from (f"{method} {route.path}" for method in sorted(route.methods or ()))


def _unasked(app: FastAPI) -> Iterator[str]:
    """Kind and path of whatever else can be reached: no rule is asked there."""
    for context in iter_route_contexts(app.routes):
        reached = f"{type(context.route).__name__} {context.path}"
        if not isinstance(context.route, APIRoute) and reached not in ASIDE:
            yield reached
