"""Keys: given, listed, replaced and taken back."""

from __future__ import annotations

from fastapi import APIRouter, Request
from starlette.responses import Response

from trivium import api
from trivium.domain.access import AccessKey
from trivium_query.handlers import access
from trivium_query.http.bodies import json_body
from trivium_query.http.routing import OF_A_BODY, AnyId, CallerDep, ServicesDep, TenantDep, answers, takes, write
from trivium_query.views import to_api

router = APIRouter(prefix="/v1/keys", tags=["access"])


@router.get("", **answers(api.Keys))
async def browse(services: ServicesDep, tenant: TenantDep) -> Response:
    """The tenant's keys, newest first, without their secrets."""
    found = await access.listed(services, tenant)
    return write(api.Keys(tuple(to_api(api.Key, key) for key in found)))


@router.post("", **answers(api.NewKey, *OF_A_BODY, status=201), openapi_extra=takes(api.CreateKey))
async def create(request: Request, services: ServicesDep, caller: CallerDep) -> Response:
    """Give a key. Its secret is shown this once."""
    return _told(await access.create(services, caller, await json_body(request, api.CreateKey)))


@router.post(
    "/{id}/rotate",
    **answers(api.NewKey, 404, *OF_A_BODY, status=201),
    openapi_extra=takes(api.RotateKey, optional=True),
)
async def rotate(id: AnyId, request: Request, services: ServicesDep, caller: CallerDep) -> Response:
    """Give another in its place, of the same name, role and expiry."""
    wanted = await json_body(request, api.RotateKey, absent=api.RotateKey())
    return _told(await access.rotate(services, caller, id, wanted.keep_s))


@router.delete("/{id}", **answers(api.Key, 404))
async def revoke(id: AnyId, services: ServicesDep, tenant: TenantDep) -> Response:
    """Take a key back: on every process it opens nothing some seconds later."""
    return write(to_api(api.Key, await access.revoke(services, tenant, id)))


def _told(made: tuple[AccessKey, str]) -> Response:
    key, secret = made
    return write(api.NewKey(to_api(api.Key, key), secret), 201, {"cache-control": "no-store"})
