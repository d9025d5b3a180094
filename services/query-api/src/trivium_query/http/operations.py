"""Progress, health and metrics."""

from __future__ import annotations

from fastapi import APIRouter, Request
from prometheus_client import REGISTRY
from prometheus_client.exposition import choose_encoder
from starlette.responses import Response

from trivium import api
from trivium_query.handlers import sources
from trivium_query.handlers.readiness import readiness
from trivium_query.http.routing import ServicesDep, TenantDep, answers, content, write
from trivium_query.views import to_api

router = APIRouter(tags=["operations"])


@router.get("/v1/status", **answers(api.Status))
async def status(services: ServicesDep, tenant: TenantDep) -> Response:
    """How many sources are in which state and stage."""
    return write(to_api(api.Status, await sources.counts(services, tenant)))


@router.get("/healthz", responses={200: content(api.Health)}, response_class=Response)
async def healthz() -> Response:
    """The process is alive."""
    return write(api.Health("ok"))


@router.get(
    "/readyz",
    response_class=Response,
    responses={
        200: content(api.Readiness),
        503: {**content(api.Readiness), "description": "No question can be answered; `missing` says why."},
    },
)
async def readyz(services: ServicesDep) -> Response:
    """Questions can be answered, if without what `missing` names."""
    found = await readiness(services)
    return write(to_api(api.Readiness, found), 200 if found.can_answer else 503)


@router.get(
    "/metrics",
    response_class=Response,
    responses={200: {"description": "Prometheus metrics.", "content": {"text/plain": {"schema": {"type": "string"}}}}},
)
async def metrics(request: Request) -> Response:
    """Metrics as Prometheus reads them."""
    encode, content_type = choose_encoder(request.headers.get("accept", ""))
    return Response(encode(REGISTRY), media_type=content_type)
