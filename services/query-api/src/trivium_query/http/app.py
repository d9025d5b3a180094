"""The HTTP application: routes, errors, middleware and the OpenAPI document, put together."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from types import ModuleType
from typing import Any

from fastapi import APIRouter, Depends, FastAPI
from fastapi.openapi.utils import get_openapi
from fastapi.routing import APIRoute
from starlette.routing import BaseRoute

from trivium.access.stored_keys import StoredKeys
from trivium.access.trail import Trail
from trivium.release import VERSION
from trivium_query.access.authenticate import Authenticator
from trivium_query.access.limiter import Limiter
from trivium_query.access.signed_links import SIGNATURE, SignedLinks
from trivium_query.http import (
    connections,
    contradictions,
    conversations,
    crawls,
    curation,
    datasets,
    docs,
    duplicates,
    graph,
    graph_schema,
    keys,
    mcp,
    operations,
    problems,
    queries,
    sources,
    trail,
)
from trivium_query.http.browsers import Guarded, across_origins
from trivium_query.http.components import components
from trivium_query.http.middleware import OPEN_PATHS, Bounded, Delimited, Identified, Observed
from trivium_query.http.openai import door as openai
from trivium_query.http.openai.errors import InOpenAiWords
from trivium_query.http.parameters import known_parameters
from trivium_query.http.permitted import check_rules, permitted
from trivium_query.http.recorded import Recorded
from trivium_query.http.refused_links import InPages
from trivium_query.requests import Services

DESCRIPTION = """\
Hand over sources, ask questions, get answers whose every claim leads back to its passage.

Errors are `application/problem+json` (RFC 9457) with a stable `code` and an `action`. Listings hand out a `cursor`;
send it back for the next page. Without configured keys or single sign-on the server answers only to localhost, as
tenant `default`.
"""
LINKED = ("/v1/sources/{id}/view", "/v1/sources/{id}/content")
LINKS = "In the links of citations, where keys are needed: with `tenant`, `key`, `passage` and `expires` it opens them."
TAGS = [
    {"name": "sources", "description": "What is searched."},
    {"name": "datasets", "description": "Named groups of sources."},
    {"name": "connections", "description": "Places outside whose files are sources."},
    {"name": "queries", "description": "Search and cited answers."},
    {"name": "conversations", "description": "Questions that follow each other."},
    {"name": "graph", "description": "Names and how they are related."},
    {"name": "contradictions", "description": "Passages that cannot both be right."},
    {"name": "access", "description": "Keys, and the trail of what was done by whom."},
    {"name": "operations", "description": "Progress, health, metrics."},
]


def create_app(services: Services) -> FastAPI:
    """The application over `services`; touches none of them until a request comes."""
    app = FastAPI(
        title="Trivium",
        version=VERSION,
        description=DESCRIPTION,
        openapi_tags=TAGS,
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
        telemetry={"tracing": False, "metrics": False, "logs": False, "auto_configure": False},
        license_info={"name": "Apache-2.0", "identifier": "Apache-2.0"},
        generate_unique_id_function=_operation,
    )
    app.state.services = services
    about_access = (keys, trail)
    about_the_graph = (graph, graph_schema, curation, duplicates, contradictions)
    about_sources = (sources, datasets, crawls, connections)
    for module in (*about_sources, queries, conversations, *about_the_graph, *about_access, operations):
        app.router.routes.extend(_routes(module, permitted, known_parameters))
    # Takes parameters that it does not know, as that interface does.
    app.router.routes.extend(_routes(openai, permitted))
    app.router.routes.append(mcp.route(app))  # whose calls come in by the routes above
    docs.install(app)
    check_rules(app)
    problems.install(app)
    # The last one added is the outermost.
    app.add_middleware(Bounded, settings=services.settings)
    app.add_middleware(Recorded, trail=Trail(services.objects))
    authenticator = Authenticator(services.settings, StoredKeys(services.objects))
    app.add_middleware(
        Identified,
        authenticator=authenticator,
        links=SignedLinks(services.settings, authenticator, services.registry),
        limiter=Limiter(services.settings.limits, services.buckets),
    )
    app.add_middleware(Observed)
    origins = services.settings.allowed_origins
    if origins:
        app.add_middleware(across_origins, origins=origins)
    told = services.settings.told_headers
    app.add_middleware(InPages)
    app.add_middleware(Guarded, tls=bool(services.settings.tls_cert), shared=bool(origins), told=told)
    app.add_middleware(InOpenAiWords)
    app.add_middleware(Delimited)
    app.openapi = lambda: _document(app)  # type: ignore[method-assign]
    return app


@cache
def _routes(module: ModuleType, *asked_first: Callable[..., Any]) -> Sequence[BaseRoute]:
    """The routes of one that has a `router`. They know no services, and are the dear part of an application."""
    around = APIRouter(generate_unique_id_function=_operation)
    around.include_router(module.router, dependencies=[Depends(each) for each in asked_first])
    return around.routes


def _operation(route: APIRoute) -> str:
    """What the OpenAPI document calls it."""
    return f"{(route.tags or [''])[0]}_{route.name}"


def _document(app: FastAPI) -> dict[str, Any]:
    """The OpenAPI document, with what the framework cannot know: the API's own types, and keys."""
    if app.openapi_schema is None:
        document = get_openapi(
            title=app.title,
            version=app.version,
            description=app.description,
            routes=app.routes,
            tags=app.openapi_tags,
            license_info=app.license_info,
        )
        document["components"] = {
            "schemas": dict(sorted(components().items())),
            "securitySchemes": {
                "bearer": {"type": "http", "scheme": "bearer"},
                "key": {"type": "apiKey", "in": "header", "name": "X-Api-Key"},
                "link": {"type": "apiKey", "in": "query", "name": SIGNATURE, "description": LINKS},
            },
        }
        for path, operations_of_path in document["paths"].items():
            if path not in OPEN_PATHS:
                for operation in operations_of_path.values():
                    operation["security"] = [{}, {"bearer": []}, {"key": []}]
                    if path in LINKED:
                        operation["security"].append({"link": []})
        app.openapi_schema = document
    return app.openapi_schema
