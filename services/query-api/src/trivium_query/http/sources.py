"""Sources: upload, follow, read back, delete."""

from __future__ import annotations

from typing import Annotated, Any
from urllib.parse import quote as percent_encoded

from fastapi import APIRouter, Path, Query, Request
from fastapi.exceptions import RequestValidationError
from pydantic import TypeAdapter, ValidationError
from starlette.datastructures import UploadFile
from starlette.responses import Response

from trivium.domain.documents import Document, DocumentState, file_name
from trivium.domain.errors import TriviumError
from trivium.domain.password import MAX_CHARS, given_password
from trivium.domain.scope import Tenant
from trivium.domain.source_names import MAX_NAME_CHARS
from trivium.ports.intake import NewSource
from trivium.ports.parser import Blob
from trivium_query.doors import Services
from trivium_query.failures import wrong_content_type
from trivium_query.handlers import sources
from trivium_query.http import schemas, views
from trivium_query.http.routing import AnyId, Asking, Behind, Limit, PageCursor, errors, write
from trivium_query.http.uploads import each_file, read_upload, sent_path

ANY_DATASET = f"^$|{sources.DATASET}"

router = APIRouter(prefix="/v1/sources", tags=["sources"])

# Shown by a browser in place; everything else is offered as a download, and nothing of it may run.
INLINE = frozenset({"application/pdf", "text/plain", "image/png", "image/jpeg", "image/tiff"})
PICTURES = frozenset({"image/png", "image/jpeg", "image/gif", "image/webp"})
SANDBOX = "sandbox; default-src 'none'; style-src 'unsafe-inline'"

_BODY: dict[str, Any] = {
    "requestBody": {
        "required": True,
        "content": {
            "multipart/form-data": {
                "schema": {
                    "type": "object",
                    "required": ["file"],
                    "additionalProperties": False,
                    "properties": {
                        "file": {
                            "type": "array",
                            "minItems": 1,
                            "maxItems": 100,
                            "items": {"type": "string", "format": "binary"},
                            "description": "One file or several; folders in the file name are kept.",
                        },
                        "title": {"type": "string", "maxLength": 300, "description": "The title of what is sent."},
                        "dataset": {
                            "type": "string",
                            "minLength": 1,
                            "maxLength": sources.MAX_DATASET_CHARS,
                            "pattern": sources.DATASET,
                            "default": "default",
                        },
                        "password": {
                            "type": "string",
                            "maxLength": MAX_CHARS,
                            "pattern": schemas.NO_CONTROLS,
                            "description": "Opens what is sent where it, or a file inside it, is encrypted.",
                        },
                    },
                }
            },
            "application/json": {"schema": {"$ref": "#/components/schemas/UrlSource"}},
        },
    }
}
_URL = TypeAdapter(schemas.UrlSource)


@router.post(
    "",
    status_code=202,
    response_model=schemas.Accepted,
    responses=errors(408, 413, 415),
    openapi_extra=_BODY,
)
async def submit(request: Request, services: Behind, tenant: Asking) -> Response:
    """Hand over files (multipart) or an address (JSON). They are safe when this answers; the work goes on behind."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind == "application/json":
        accepted = schemas.Accepted(**_taken([await _fetch(request, services, tenant)]), refused=[])
    elif kind == "multipart/form-data":
        accepted = await _upload(request, services, tenant)
    else:
        raise wrong_content_type(kind, 'Send multipart/form-data with a file, or application/json with {"url": ...}.')
    return write(accepted, 202, {"location": f"/v1/sources/{accepted.id}"})


async def _fetch(request: Request, services: Services, tenant: Tenant) -> Document:
    try:
        wanted = _URL.validate_json(await request.body())
    except ValidationError as error:
        raise RequestValidationError([{**e, "loc": ("body", *e["loc"])} for e in error.errors()]) from error
    password = given_password(wanted.password.get_secret_value())
    return await sources.accept_url(services, tenant, wanted.url, wanted.dataset, password)


async def _upload(request: Request, services: Services, tenant: Tenant) -> schemas.Accepted:
    """Each file by itself: one that is refused keeps none of the others out."""
    async with read_upload(request) as upload:

        async def take(file: UploadFile) -> Document | tuple[str, TriviumError]:
            path = sent_path(file)
            blob = Blob(path, await file.read(), file.content_type or "", password=upload.password)
            try:
                return await sources.accept(services, tenant, NewSource(blob, upload.title, upload.dataset))
            except TriviumError as error:
                return path, error

        answers = await each_file(upload.files, take)
    taken = [answer for answer in answers if isinstance(answer, Document)]
    failed = [answer for answer in answers if not isinstance(answer, Document)]
    if not taken:
        raise failed[-1][1]
    return schemas.Accepted(**_taken(taken), refused=[_refused(path, error) for path, error in failed])


def _refused(path: str, error: TriviumError) -> schemas.RefusedFile:
    return schemas.RefusedFile(name=path[:MAX_NAME_CHARS], code=error.code, message=error.message, action=error.action)


def _taken(documents: list[Document]) -> dict[str, Any]:
    return {"id": documents[0].id, "sources": [views.source(document) for document in documents]}


@router.get("", response_model=schemas.SourcePage, responses=errors(404))
async def browse(
    services: Behind,
    tenant: Asking,
    state: Annotated[DocumentState | None, Query(description="Only sources in this state.")] = None,
    parent: Annotated[
        str, Query(max_length=64, description="Only what was found inside this source: attachments, members.")
    ] = "",
    dataset: Annotated[
        str,
        Query(max_length=sources.MAX_DATASET_CHARS, pattern=ANY_DATASET, description="Only sources of this dataset."),
    ] = "",
    limit: Limit = 50,
    cursor: PageCursor = "",
) -> Response:
    """Sources, newest first; those inside another by name within a page.

    With `state`, `parent` or `dataset` a page may hold fewer than `limit`, even none: only an empty `cursor` ends.
    """
    chosen = sources.Chosen(state, parent, dataset)
    page = await sources.browse(services, tenant, chosen, limit, cursor)
    return write(schemas.SourcePage(sources=[views.source(d) for d in page.documents], cursor=page.cursor))


@router.get("/{id}", response_model=schemas.Source, responses=errors(404))
async def show(id: AnyId, services: Behind, tenant: Asking) -> Response:
    """One source: how far it has come, or why it failed and what to do."""
    return write(views.source(await sources.find(services, tenant, id)))


@router.delete("/{id}", response_model=schemas.Source, responses=errors(404))
async def delete(id: AnyId, services: Behind, tenant: Asking) -> Response:
    """Remove a source and what was found inside it from every store; queries no longer see them when this answers.

    A file in a bucket stays there, and the answer's `warnings` say so: Trivium only reads buckets. It is left alone
    until it is put there again, with the same bytes or others.
    """
    return write(views.source(await sources.delete(services, tenant, id)))


@router.post(
    "/{id}/password", status_code=202, response_model=schemas.Source, responses=errors(404, 408, 409, 413, 415)
)
async def unlock(id: AnyId, given: schemas.GivenPassword, services: Behind, tenant: Asking) -> Response:
    """Read a source again with its password, which failed for want of one; and what failed so inside it."""
    document = await sources.unlock(services, tenant, id, given.password.get_secret_value())
    return write(views.source(document), 202)


@router.get("/{id}/chunks", response_model=schemas.ChunkPage, responses=errors(404))
async def chunks(
    id: AnyId,
    services: Behind,
    tenant: Asking,
    limit: Limit = 50,
    cursor: PageCursor = "",
) -> Response:
    """The passages that queries see, in order."""
    page = await sources.chunks(services, tenant, id, limit, cursor)
    return write(schemas.ChunkPage(chunks=[views.chunk(c) for c in page.chunks], cursor=page.cursor))


@router.get(
    "/{id}/content",
    response_class=Response,
    responses={
        200: {
            "description": "The original's bytes; with `chunk`, where that citation points in it; with `page` or"
            " `highlight`, a page as a picture with the cited passage marked.",
            "content": {
                "*/*": {"schema": {"type": "string", "format": "binary"}},
                "application/json": {"schema": {"$ref": "#/components/schemas/Chunk"}},
                "image/png": {"schema": {"type": "string", "format": "binary"}},
            },
        },
        **errors(404),
    },
)
async def content(
    id: AnyId,
    services: Behind,
    tenant: Asking,
    chunk: Annotated[
        int | None, Query(ge=1, le=sources.MAX_ORDINAL, description="The chunk's number, as the citation shows it.")
    ] = None,
    page: Annotated[int | None, Query(ge=1, le=sources.MAX_ORDINAL, description="Draw this page.")] = None,
    highlight: Annotated[
        int | None,
        Query(ge=1, le=sources.MAX_ORDINAL, description="Mark this chunk; without `page`, on its first one."),
    ] = None,
    quote: Annotated[
        str, Query(max_length=sources.MAX_QUOTE_CHARS, description="Mark these words of the page only.")
    ] = "",
) -> Response:
    """The original as it came; or the passage of `[Source: file, chunk N]`; or a page of a PDF or an image, drawn."""
    if chunk is not None:
        return write(views.chunk(await sources.chunk(services, tenant, id, chunk)))
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
            "x-content-type-options": "nosniff",
            "cache-control": "private, no-cache",
        },
    )


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
    services: Behind,
    tenant: Asking,
    name: Annotated[str, Path(max_length=100, description="As a chunk's `assets` name it.")],
) -> Response:
    """A picture of what a passage describes."""
    blob = await sources.asset(services, tenant, id, name)
    return Response(
        blob.content,
        media_type=blob.declared_type if blob.declared_type in PICTURES else "application/octet-stream",
        headers={
            "content-security-policy": SANDBOX,
            "x-content-type-options": "nosniff",
            "cache-control": "private, no-cache",
        },
    )
