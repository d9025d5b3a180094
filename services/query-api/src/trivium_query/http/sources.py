"""Sources: upload, follow, read back, delete."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any
from urllib.parse import quote as percent_encoded

from fastapi import APIRouter, Path, Query, Request
from starlette.datastructures import UploadFile
from starlette.responses import Response

from trivium import api
from trivium.domain.documents import DATASET, MAX_DATASET_CHARS, MAX_RUN_CHARS, Document, DocumentState, file_name
from trivium.domain.errors import TriviumError
from trivium.domain.password import given_password
from trivium.domain.places import MAX_QUOTE_CHARS, signed
from trivium.domain.runs import new_run
from trivium.domain.scope import Tenant
from trivium.domain.source_names import MAX_NAME_CHARS
from trivium.domain.times import EXAMPLES, MAX_TIME_CHARS, TIME, TimeOf
from trivium.ports.intake import Destination, NewSource
from trivium.ports.parser import Blob
from trivium_query import views
from trivium_query.failures import wrong_content_type
from trivium_query.handlers import deletions, sources
from trivium_query.http.bodies import json_body
from trivium_query.http.components import properties, ref
from trivium_query.http.middleware import FORM, LINK, media_type
from trivium_query.http.routing import (
    JSON,
    OF_A_BODY,
    AnyId,
    Limit,
    PageCursor,
    ServicesDep,
    TenantDep,
    answers,
    errors,
    takes,
    write,
)
from trivium_query.http.uploads import MAX_FILES, each_file, read_upload, sent_path
from trivium_query.pages.view import AROUND, POLICY, Leads, render
from trivium_query.requests import Services

TIME_QUERY: dict[str, Any] = {  # the pattern is only told: what does not match is refused in words
    "max_length": MAX_TIME_CHARS,
    "json_schema_extra": {"pattern": f"^(?:{TIME})?$"},
}
ANY_DATASET = f"^$|{DATASET}"

router = APIRouter(prefix="/v1/sources", tags=["sources"])

# Shown by a browser in place; everything else is offered as a download, and nothing of it may run.
INLINE = frozenset({"application/pdf", "text/plain", "image/png", "image/jpeg", "image/tiff"})
PICTURES = frozenset({"image/png", "image/jpeg", "image/gif", "image/webp"})
SANDBOX = "sandbox; default-src 'none'; style-src 'unsafe-inline'"
_PRIVATE = {"x-content-type-options": "nosniff", "cache-control": "private, no-cache"}

_FILE = {
    "type": "array",
    "minItems": 1,
    "maxItems": MAX_FILES,
    "items": {"type": "string", "format": "binary"},
    "description": "One file or several; folders in the file name are kept.",
}
_BODY: dict[str, Any] = {
    "requestBody": {
        "required": True,
        "content": {
            FORM: {
                "schema": {
                    "type": "object",
                    "required": ["file"],
                    "additionalProperties": False,
                    "properties": {"file": _FILE, **properties(api.UploadFields)},
                }
            },
            JSON: {"schema": ref(api.UrlSource)},
        },
    }
}


@router.post("", **answers(api.Accepted, *OF_A_BODY, status=202), openapi_extra=_BODY)
async def submit(request: Request, services: ServicesDep, tenant: TenantDep) -> Response:
    """Hand over files (multipart) or an address (JSON). They are safe when this answers; the work goes on behind."""
    kind = media_type(request.headers.get("content-type", ""))
    if kind == JSON:
        accepted = _taken([await _fetch(request, services, tenant)])
    elif kind == FORM:
        accepted = await _upload(request, services, tenant)
    else:
        raise wrong_content_type(kind, f'Send {FORM} with a file, or {JSON} with {{"url": ...}}.')
    return write(accepted, 202, {"location": f"/v1/sources/{accepted.id}"})


async def _fetch(request: Request, services: Services, tenant: Tenant) -> Document:
    wanted = await json_body(request, api.UrlSource)
    to = Destination(wanted.dataset, wanted.run or new_run(), wanted.move, wanted.extractor)
    return await sources.accept_url(services, tenant, wanted.url, to, given_password(wanted.password))


async def _upload(request: Request, services: Services, tenant: Tenant) -> api.Accepted:
    """Each file by itself: one that is refused keeps none of the others out."""
    async with read_upload(request) as upload:

        async def take(file: UploadFile) -> Document | tuple[str, TriviumError]:
            path = sent_path(file)
            blob = Blob(path, await file.read(), file.content_type or "", password=upload.password)
            try:
                return await sources.accept(services, tenant, NewSource(blob, upload.title, upload.to))
            except TriviumError as error:
                return path, error

        outcomes = await each_file(upload.files, take)
    taken = [answer for answer in outcomes if isinstance(answer, Document)]
    failed = [answer for answer in outcomes if not isinstance(answer, Document)]
    if not taken:
        raise failed[-1][1]
    return _taken(taken, [_refused(path, error) for path, error in failed])


def _refused(path: str, error: TriviumError) -> api.RefusedFile:
    return api.RefusedFile(path[:MAX_NAME_CHARS], error.code, error.message, error.action)


def _taken(documents: Sequence[Document], refused: Sequence[api.RefusedFile] = ()) -> api.Accepted:
    return api.Accepted(documents[0].id, tuple(map(views.source, documents)), tuple(refused))


@router.get("", **answers(api.SourcePage, 404))
async def browse(  # noqa: PLR0913, PLR0917  (the parameters of a listing)
    services: ServicesDep,
    tenant: TenantDep,
    state: Annotated[DocumentState | None, Query(description="Only sources in this state.")] = None,
    parent: Annotated[
        str, Query(max_length=64, description="Only what was found inside this source: attachments, members.")
    ] = "",
    dataset: Annotated[
        str,
        Query(max_length=MAX_DATASET_CHARS, pattern=ANY_DATASET, description="Only sources of this dataset."),
    ] = "",
    since: Annotated[str, Query(**TIME_QUERY, description=f"Only what is not older: {EXAMPLES}.")] = "",
    until: Annotated[str, Query(**TIME_QUERY, description="Only what is not newer.")] = "",
    time: Annotated[TimeOf, Query(description="Of which time `since` and `until` speak.")] = TimeOf.UPLOADED,
    run: Annotated[
        str, Query(max_length=MAX_RUN_CHARS, pattern=ANY_DATASET, description="Only what this call brought.")
    ] = "",
    limit: Limit = 50,
    cursor: PageCursor = "",
) -> Response:
    """Sources, newest first; those inside another by name within a page.

    With anything that restricts, a page may hold fewer than `limit`, even none: only an empty `cursor` ends.
    """
    chosen = sources.chosen(state, parent, dataset, since, until, time, run)
    page = await sources.browse(services, tenant, chosen, limit, cursor)
    return write(api.SourcePage(tuple(map(views.source, page.documents)), page.cursor))


@router.delete("", **answers(api.DeletedSources))
async def delete_chosen(
    services: ServicesDep,
    tenant: TenantDep,
    dataset: Annotated[
        str, Query(max_length=MAX_DATASET_CHARS, pattern=ANY_DATASET, description="All of this dataset.")
    ] = "",
    run: Annotated[
        str, Query(max_length=MAX_RUN_CHARS, pattern=ANY_DATASET, description="All that this call brought.")
    ] = "",
    cursor: PageCursor = "",
) -> Response:
    """Remove every source of a dataset, of a run, or of both at once, with what is inside them.

    One call deletes for some seconds: unless it is `done`, call again with its `cursor`. Again is harmless.
    """
    return write(
        views.to_api(api.DeletedSources, await deletions.delete_chosen(services, tenant, dataset, run, cursor))
    )


@router.get("/{id}", **answers(api.Source, 404))
async def show(id: AnyId, services: ServicesDep, tenant: TenantDep) -> Response:
    """One source: how far it has come, or why it failed and what to do."""
    return write(views.source(await sources.find(services, tenant, id)))


@router.delete("/{id}", **answers(api.Source, 404))
async def delete(id: AnyId, services: ServicesDep, tenant: TenantDep) -> Response:
    """Remove a source and what was found inside it from every store; queries no longer see them when this answers.

    A file in a bucket stays there, and the answer's `warnings` say so: Trivium only reads buckets. It is left alone
    until it is put there again, with the same bytes or others.
    """
    return write(views.source(await sources.delete(services, tenant, id)))


@router.post(
    "/{id}/password",
    **answers(api.Source, 404, 409, *OF_A_BODY, status=202),
    openapi_extra=takes(api.GivenPassword),
)
async def unlock(id: AnyId, request: Request, services: ServicesDep, tenant: TenantDep) -> Response:
    """Read a source again with its password, which failed for want of one; and what failed so inside it."""
    given = await json_body(request, api.GivenPassword)
    document = await sources.unlock(services, tenant, id, given.password)
    return write(views.source(document), 202)


@router.get("/{id}/chunks", **answers(api.ChunkPage, 404))
async def chunks(
    id: AnyId,
    services: ServicesDep,
    tenant: TenantDep,
    limit: Limit = 50,
    cursor: PageCursor = "",
) -> Response:
    """The passages that queries see, in order."""
    page = await sources.chunks(services, tenant, id, limit, cursor)
    return write(views.to_api(api.ChunkPage, page))


@router.get(
    "/{id}/content",
    response_class=Response,
    responses={
        200: {
            "description": "The original's bytes; with `chunk`, where that citation points in it; with `page` or"
            " `highlight`, a page as a picture with the cited passage marked.",
            "content": {
                "*/*": {"schema": {"type": "string", "format": "binary"}},
                JSON: {"schema": ref(api.Chunk)},
                "image/png": {"schema": {"type": "string", "format": "binary"}},
            },
        },
        **errors(404),
    },
)
async def content(
    id: AnyId,
    services: ServicesDep,
    tenant: TenantDep,
    chunk: Annotated[
        int | None, Query(ge=1, le=sources.MAX_ORDINAL, description="The chunk's number, as the citation shows it.")
    ] = None,
    page: Annotated[int | None, Query(ge=1, le=sources.MAX_ORDINAL, description="Draw this page.")] = None,
    highlight: Annotated[
        int | None,
        Query(ge=1, le=sources.MAX_ORDINAL, description="Mark this chunk; without `page`, on its first one."),
    ] = None,
    quote: Annotated[str, Query(max_length=MAX_QUOTE_CHARS, description="Mark these words of the page only.")] = "",
) -> Response:
    """The original as it came; or the passage of `[Source: file, chunk N]`; or a page of a PDF or an image, drawn."""
    if chunk is not None:
        return write(views.to_api(api.Chunk, await sources.chunk(services, tenant, id, chunk)))
    if page is not None or highlight is not None:
        drawn = await sources.page(services, tenant, id, page, highlight, quote)
        return Response(drawn, media_type="image/png", headers={"cache-control": "private, no-cache"})
    document, blob = await sources.original(services, tenant, id)
    media_type = document.media_type or "application/octet-stream"
    shown = "inline" if media_type in INLINE else "attachment"
    name = percent_encoded(file_name(blob.name), safe="")
    return Response(
        blob.content,
        media_type=media_type if media_type in INLINE else "application/octet-stream",
        headers={
            "content-disposition": f"{shown}; filename*=UTF-8''{name}",
            "content-security-policy": SANDBOX,
            **_PRIVATE,
        },
    )


@router.get(
    "/{id}/view",
    response_class=Response,
    responses={
        200: {
            "description": "A page of HTML that needs nothing but itself.",
            "content": {"text/html": {"schema": {"type": "string"}}},
        },
        **errors(404),
    },
)
async def view(
    id: AnyId,
    request: Request,
    services: ServicesDep,
    tenant: TenantDep,
    unit: Annotated[
        int, Query(ge=1, le=sources.MAX_ORDINAL - AROUND, description="The passage's number, as the citation shows it.")
    ] = 1,
    quote: Annotated[str, Query(max_length=MAX_QUOTE_CHARS, description="Mark these words of it.")] = "",
) -> Response:
    """A passage of any source among its neighbours, with a quote marked: where the link of a citation leads."""
    found = await sources.view(services, tenant, id, unit, quote)
    return Response(
        render(found, _leads(request, services)),
        media_type="text/html; charset=utf-8",
        headers={"content-security-policy": POLICY, "referrer-policy": "no-referrer", **_PRIVATE},
    )


def _leads(request: Request, services: Services) -> Leads | None:
    """How the page leads on: with a key as it likes, by a link as far as links open."""
    if LINK not in request.scope:
        return lambda link, _: link
    return signed if services.settings.link_opens == "document" else None


@router.get(
    "/{id}/assets/{name}",
    response_class=Response,
    responses={
        200: {
            "description": "The picture.",
            "content": {kind: {"schema": {"type": "string", "format": "binary"}} for kind in sorted(PICTURES)},
        },
        **errors(404),
    },
)
async def asset(
    id: AnyId,
    services: ServicesDep,
    tenant: TenantDep,
    name: Annotated[str, Path(max_length=100, description="As a chunk's `assets` name it.")],
) -> Response:
    """A picture of what a passage describes."""
    blob = await sources.asset(services, tenant, id, name)
    return Response(
        blob.content,
        media_type=blob.declared_type if blob.declared_type in PICTURES else "application/octet-stream",
        headers={"content-security-policy": SANDBOX, **_PRIVATE},
    )
