"""Passages that cannot both be right."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query, Request
from starlette.responses import Response

from trivium import api
from trivium.domain.contradictions import ContradictionKind
from trivium_query.contradictions.find import Asked
from trivium_query.handlers import contradictions
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
from trivium_query.views import to_api

router = APIRouter(prefix="/v1/contradictions", tags=["contradictions"])


@router.get("", **answers(api.ContradictionPage))
async def browse(  # noqa: PLR0913, PLR0917  each is a parameter of the address
    services: ServicesDep,
    tenant: TenantDep,
    dataset: Annotated[
        str, Query(max_length=api.MAX_DATASET_CHARS, pattern=api.NO_NUL, description="Only within this dataset.")
    ] = "",
    document: Annotated[
        str, Query(max_length=64, pattern=api.NO_NUL, description="Only those that this source takes part in, by id.")
    ] = "",
    kind: Annotated[ContradictionKind | None, Query(description="Only this kind.")] = None,
    min_confidence: Annotated[float, Query(ge=0, le=1)] = 0.0,
    dismissed: Annotated[bool, Query(description="Those that were put aside, instead of the others.")] = False,
    limit: Limit = 50,
    cursor: PageCursor = "",
) -> Response:
    """Cards, the surest first. What was published since the last look is looked at first, for some seconds at most."""
    asked = Asked(dataset, document, kind, min_confidence, dismissed)
    return write(to_api(api.ContradictionPage, await contradictions.browse(services, tenant, asked, limit, cursor)))


@router.post("/{id}/dismiss", **answers(api.Contradiction, 404, *OF_A_BODY), openapi_extra=takes(api.DismissRequest))
async def dismiss(id: AnyId, request: Request, services: ServicesDep, tenant: TenantDep, actor: ActorDep) -> Response:
    """Put a card aside, as an edit. It comes back once that is undone, or one of its passages says something else."""
    wanted = await json_body(request, api.DismissRequest)
    return write(to_api(api.Contradiction, await contradictions.dismiss(services, tenant, id, wanted, actor)))
