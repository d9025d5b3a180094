"""A file that may be encrypted, parsed with the password that its uploader gave."""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from trivium.domain.documents import Document
from trivium.domain.errors import NeverWill
from trivium.domain.parsed import ParsedDocument
from trivium.domain.password import LOCKED, Password
from trivium.domain.scope import Tenant
from trivium.flow import passwords
from trivium.ports.parser import Blob
from trivium.ports.stores import Stores

ParseBlob = Callable[[Blob], ParsedDocument]


def parse_opened(
    parse: ParseBlob, blob: Blob, stores: Stores, document: Document, *, with_password: bool
) -> ParsedDocument:
    """Parse without a password first, then with the one that was given: nearly no file needs any.

    One that opens nothing is forgotten, and so is one that was not needed (`with_password` tells that there is one),
    unless it may be needed inside. Raises as `parse` does.
    """
    objects = stores.objects.for_tenant(Tenant(document.tenant))
    password: Password | None = None
    result = _tried(parse, blob)
    while isinstance(result, NeverWill) or result.locked:
        given = passwords.find(stores, document)
        if given is None or given == password:
            break
        password = given  # the first, or one that was given meanwhile
        result = _tried(parse, msgspec.structs.replace(blob, password=password))
    if isinstance(result, NeverWill):
        if password is not None:
            passwords.forget(objects, document)
        raise result
    if with_password and password is None and not result.children:
        passwords.forget(objects, document)
    return result


def _tried(parse: ParseBlob, blob: Blob) -> ParsedDocument | NeverWill:
    """What comes of it; the failure where it is one that a password mends."""
    try:
        return parse(blob)
    except NeverWill as failure:
        if failure.code not in LOCKED:
            raise
        return failure
