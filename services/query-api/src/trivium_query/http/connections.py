"""Connections: places outside whose files become sources."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query, Request
from starlette.responses import Response

from trivium import api
from trivium_query import views
from trivium_query.handlers import connections
from trivium_query.http.bodies import json_body
from trivium_query.http.routing import OF_A_BODY, AnyId, CallerDep, ServicesDep, TenantDep, answers, takes, write

router = APIRouter(prefix="/v1/connections", tags=["connections"])


@router.get("", **answers(api.Connections))
async def browse(services: ServicesDep, tenant: TenantDep) -> Response:
    """The tenant's connections, with what their newest looks came to."""
    found = await connections.listed(services, tenant)
    return write(api.Connections(tuple(map(views.connection, found))))


@router.post("", **answers(api.Connection, *OF_A_BODY, status=201), openapi_extra=takes(api.CreateConnection))
async def add(request: Request, services: ServicesDep, caller: CallerDep) -> Response:
    """Connect a place. With `every_s` its first look begins now; without, every look is asked for."""
    wanted = await json_body(request, api.CreateConnection)
    return write(views.connection(await connections.add(services, caller, wanted)), 201)


@router.get("/{id}", **answers(api.Connection, 404))
async def show(id: AnyId, services: ServicesDep, tenant: TenantDep) -> Response:
    """One connection."""
    return write(views.connection(await connections.find(services, tenant, id)))


@router.post("/{id}/run", **answers(api.Connection, 404, status=202))
async def run(id: AnyId, services: ServicesDep, tenant: TenantDep) -> Response:
    """Look at it now. The answer is of before; `started_at` and `ended_at` tell when it is done."""
    return write(views.connection(await connections.run(services, tenant, id)), 202)


@router.delete("/{id}", **answers(api.Connection, 404, status=202))
async def remove(
    id: AnyId,
    services: ServicesDep,
    tenant: TenantDep,
    documents: Annotated[bool, Query(description="Delete its sources too.")] = False,
) -> Response:
    """Take it back. It is gone once it is not found any more; its sources stay unless asked otherwise."""
    return write(views.connection(await connections.remove(services, tenant, id, documents=documents)), 202)
