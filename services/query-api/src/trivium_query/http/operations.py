"""Progress, health and metrics."""

from __future__ import annotations

from fastapi import APIRouter, Request
from prometheus_client import REGISTRY
from prometheus_client.exposition import choose_encoder
from starlette.responses import Response

from trivium_query.handlers import sources
from trivium_query.handlers.readiness import readiness
from trivium_query.http import schemas
from trivium_query.http.routing import ServicesDep, TenantDep, errors, write

router = APIRouter(tags=["operations"])


@router.get("/v1/status", response_model=schemas.Status, responses=errors())
async def status(services: ServicesDep, tenant: TenantDep) -> Response:
    """How many sources are in which state and stage."""
    counts = await sources.counts(services, tenant)
    return write(schemas.Status(by_state=counts.by_state, by_stage=counts.by_stage, chunks=counts.chunks))


@router.get("/healthz", response_model=schemas.Health)
async def healthz() -> Response:
    """The process is alive."""
    return write(schemas.Health(status="ok"))


@router.get(
    "/readyz",
    response_model=schemas.Readiness,
    responses={503: {"model": schemas.Readiness, "description": "No question can be answered; `missing` says why."}},
)
async def readyz(services: ServicesDep) -> Response:
    """Questions can be answered, if without what `missing` names."""
    found = await readiness(services)
    shown = schemas.Readiness(status=found.status, ready=list(found.ready), missing=found.missing)
    return write(shown, 200 if found.can_answer else 503)


@router.get(
    "/metrics",
    response_class=Response,
    responses={200: {"description": "Prometheus metrics.", "content": {"text/plain": {"schema": {"type": "string"}}}}},
)
async def metrics(request: Request) -> Response:
    """Metrics as Prometheus reads them."""
    encode, content_type = choose_encoder(request.headers.get("accept", ""))
    return Response(encode(REGISTRY), media_type=content_type)
