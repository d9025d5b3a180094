"""The graph changed by tools, the log of its edits, and why it is as it is."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Query, Request
from starlette.responses import Response

from trivium import api
from trivium.edits.fold import Standing
from trivium.graph_tools.tools import CALLABLE, GraphTool
from trivium.json_schemas import json_schema
from trivium_query.handlers import curation, provenance
from trivium_query.http.actor import ActorDep
from trivium_query.http.bodies import json_body
from trivium_query.http.routing import (
    OF_A_BODY,
    AnyId,
    Limit,
    PageCursor,
    ServicesDep,
    TenantDep,
    answers,
    takes,
    write,
)

router = APIRouter(prefix="/v1/graph", tags=["graph"])

_Text = Annotated[str, Query(max_length=300, pattern=api.NO_NUL)]
_Time = Annotated[float | None, Query(ge=0, description="Unix seconds.")]


@router.get("/tools", **answers(api.ToolList))
async def tools() -> Response:
    """The tools, each with the JSON Schema of its arguments."""
    told = (api.ToolDescription(tool.name, tool.description, json_schema(tool.arguments)) for tool in CALLABLE.values())
    return write(api.ToolList(tuple(told)))


def _run(tool: GraphTool) -> Callable[..., Coroutine[Any, Any, Response]]:
    async def run(request: Request, services: ServicesDep, tenant: TenantDep, actor: ActorDep) -> Response:
        arguments = await json_body(request, tool.arguments)
        return write(await curation.run_tool(services, tenant, tool, arguments, actor))

    run.__doc__ = tool.description
    return run


for _tool in CALLABLE.values():
    router.post(
        f"/tools/{_tool.name}",
        name=_tool.name,
        **answers(_tool.result, 404, *OF_A_BODY),
        openapi_extra=takes(_tool.arguments),
    )(_run(_tool))


@router.get("/edits", **answers(api.EditPage))
async def log(
    services: ServicesDep,
    tenant: TenantDep,
    entity: _Text = "",
    kind: Annotated[str, Query(max_length=40, pattern=api.NO_NUL, description="As in an edit.")] = "",
    actor: Annotated[_Text, Query(description="A part of who decided.")] = "",
    standing: Standing | None = None,
    limit: Limit = 50,
    cursor: PageCursor = "",
) -> Response:
    """The log of edits, newest first."""
    wanted = curation.WantedEdits(entity=entity, kind=kind, actor=actor, standing=standing)
    edits, following = await curation.log(services, tenant, wanted, limit, cursor)
    return write(api.EditPage(edits, following))


@router.post(
    "/edits/{id}/undo", **answers(api.Edited, 404, *OF_A_BODY), openapi_extra=takes(api.Reasoned, optional=True)
)
async def undo(id: AnyId, request: Request, services: ServicesDep, tenant: TenantDep, actor: ActorDep) -> Response:
    """Undo an edit (`12.0`), or all that one call did (`12`). An undo can be undone."""
    given = await json_body(request, api.Reasoned, api.Reasoned())
    return write(await curation.undo(services, tenant, id, given.why, actor))


@router.post(
    "/edits/{id}/dismiss", **answers(api.Edited, 404, *OF_A_BODY), openapi_extra=takes(api.Reasoned, optional=True)
)
async def dismiss(id: AnyId, request: Request, services: ServicesDep, tenant: TenantDep, actor: ActorDep) -> Response:
    """A review or a task is settled."""
    given = await json_body(request, api.Reasoned, api.Reasoned())
    return write(await curation.dismiss(services, tenant, id, given.why, actor))


async def _wanted(  # noqa: PLR0913, PLR0917  each is a parameter of the address
    entity: Annotated[_Text, Query(description="A name or an id.")] = "",
    relation: Annotated[_Text, Query(description="A type of relation.")] = "",
    other: Annotated[_Text, Query(description="The entity at the relation's other end.")] = "",
    document: Annotated[_Text, Query(description="A source's id.")] = "",
    chunk: Annotated[_Text, Query(description="A passage's id.")] = "",
    operation: Annotated[_Text, Query(description="A part of what found it, as `pattern:` or `edit:`.")] = "",
    actor: Annotated[_Text, Query(description="A part of who decided.")] = "",
    since: _Time = None,
    until: _Time = None,
) -> provenance.Wanted:
    last = provenance.Wanted().until if until is None else until
    return provenance.Wanted(entity, relation, other, document, chunk, operation, actor, since or 0.0, last)


@router.get("/provenance", **answers(api.Provenance, 404))
async def why(
    services: ServicesDep,
    tenant: TenantDep,
    wanted: Annotated[provenance.Wanted, Depends(_wanted)],
    limit: Limit = 50,
) -> Response:
    """What passages and edits say of an entity, a relation, a passage or a document, and which edits there were."""
    return write(await provenance.provenance(services, tenant, wanted, limit))
