"""A multipart upload, checked field by field."""

from __future__ import annotations

import asyncio
import re
from base64 import b64decode
from collections import defaultdict
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager, nullcontext, suppress
from typing import TypeVar
from urllib.parse import unquote

import msgspec
from fastapi import Request
from starlette.datastructures import FormData, UploadFile
from starlette.exceptions import HTTPException

from trivium.api import UploadFields
from trivium.domain.password import Password, given_password
from trivium.domain.runs import new_run
from trivium.domain.source_names import name_too_long
from trivium.ports.intake import Destination
from trivium_query.http.bodies import BODY, invalid_field
from trivium_query.validation import validated

T = TypeVar("T")

MAX_FILES = 100
FILES_AT_ONCE = 4  # each waits for the disk again and again; readers of the registry use the same few threads
SMALL_BYTES = 1024 * 1024  # of larger ones, one at a time is in memory
MAX_FIELDS = 10
MAX_FIELD_BYTES = 16 * 1024
_QUOTED = re.compile(r'"(?:[^"\\]|\\.)*"')
_EXTENDED = re.compile(r";\s*filename\*\s*=\s*utf-8'[^']*'([^\s;]+)", re.IGNORECASE)
_ENCODED_WORD = re.compile(r"=\?utf-8\?B\?([A-Za-z0-9+/]+=*)\?=", re.IGNORECASE)
_WINDOWS_PATH = re.compile(r';\s*filename="?((?:[A-Za-z]:|\\)\\[^";]*)')


class Upload(msgspec.Struct, frozen=True):
    """Files, spooled to disk when large, and what was said of them."""

    files: tuple[UploadFile, ...]
    title: str
    to: Destination
    password: Password | None


@asynccontextmanager
async def read_upload(request: Request) -> AsyncIterator[Upload]:
    """The form in `request`; its files are gone when the block ends. Raises `InvalidRequest`."""
    async with _form(request) as form:
        files: list[UploadFile] = []
        fields: dict[str, str] = {}
        for name, value in form.multi_items():
            if isinstance(value, UploadFile):
                if name != "file":
                    raise invalid_field(name, "Send files in the field 'file'.")
                files.append(value)
            else:
                fields[name] = _text(name, value)
        if not files:
            as_text = "Name the file: filename=, which filename*= alone is not; with curl, file=@PATH."
            raise invalid_field("file", as_text if "file" in fields else "Send at least one file.")
        said = validated(UploadFields, fields | _switches(fields), BODY)
        to = Destination(said.dataset, said.run or new_run(), said.move, said.extractor)
        yield Upload(tuple(files), said.title, to, given_password(said.password))


async def each_file(files: Sequence[UploadFile], take: Callable[[UploadFile], Awaitable[T]]) -> list[T]:
    """What `take` answers for each, in order: some are taken at once, those of one name one after the other."""
    turns, large = asyncio.Semaphore(FILES_AT_ONCE), asyncio.Lock()
    names: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)

    async def taken(file: UploadFile) -> T:
        name = sent_path(file).replace("\\", "/").rpartition("/")[2]
        async with names[name], turns, large if (file.size or 0) > SMALL_BYTES else nullcontext():
            return await take(file)

    answers = await asyncio.gather(*map(taken, files), return_exceptions=True)  # none goes on once the form is closed
    for answer in answers:
        if isinstance(answer, BaseException):
            raise answer
    return [answer for answer in answers if not isinstance(answer, BaseException)]


def sent_path(file: UploadFile) -> str:
    """The file's path, with its quotes, which forms write as %22 (WHATWG HTML, multipart/form-data encoding algorithm).

    Of a Windows path, the form's parser keeps the last part alone. .NET and what is made with it write a name that is
    not ASCII as mail does (RFC 2047), the name itself beside it (RFC 8187) or not.
    """
    header = file.headers.get("content-disposition", "").encode("latin-1").decode("utf-8", "replace")
    if extended := _EXTENDED.search(_QUOTED.sub("", header)):
        return unquote(extended[1])
    if word := _ENCODED_WORD.fullmatch(file.filename or ""):
        with suppress(ValueError):
            return b64decode(word[1]).decode()
    found = _WINDOWS_PATH.search(header)
    written = found[1].replace("\\\\", "\\") if found else file.filename or ""
    return written.replace("%22", '"')


@asynccontextmanager
async def _form(request: Request) -> AsyncIterator[FormData]:
    """The form, closed at the end of the block. Raises `Refused` (`name_too_long`)."""
    try:
        form = await request.form(max_files=MAX_FILES, max_fields=MAX_FIELDS, max_part_size=MAX_FIELD_BYTES)
    except HTTPException as error:
        if "header size" in str(getattr(error.__context__, "__cause__", "")):
            raise name_too_long() from error  # its other headers are short
        raise
    try:
        yield form
    finally:
        await form.close()


def _switches(fields: Mapping[str, str]) -> dict[str, object]:
    """`move`, which a form can only say in words."""
    return {"move": fields["move"] == "true"} if fields.get("move") in ("true", "false") else {}


def _text(field: str, value: str) -> str:
    """Unicode: what a form's charset makes of its bytes may be none."""
    if any("\ud800" <= char <= "\udfff" for char in field + value):
        raise invalid_field(field, "Not Unicode text.")
    return value
