"""Ids are hashes of what they name, so a stage that runs twice writes the same rows twice.

All ids are lower-case hexadecimal: 32 digits (128 bits) of SHA-256 over length-prefixed parts.
"""

from __future__ import annotations

import hashlib
import re
from typing import Annotated

import msgspec

from trivium.domain.scope import Tenant

ID_HEX_DIGITS = 32
_ID = re.compile(rf"[0-9a-f]{{{ID_HEX_DIGITS}}}")
Id = Annotated[str, msgspec.Meta(examples=["9f86d081884c7d659a2feaa0c55ad015"])]


def is_id(text: str) -> bool:
    """Whether it is written as ids are."""
    return _ID.fullmatch(text) is not None


def digest(*parts: str | bytes) -> str:
    """Hash `parts` so that no two different tuples collide by concatenation."""
    h = hashlib.sha256()
    for part in parts:
        raw = part.encode("utf-8", "surrogatepass") if isinstance(part, str) else part
        h.update(len(raw).to_bytes(8, "big"))
        h.update(raw)
    return h.hexdigest()[:ID_HEX_DIGITS]


def content_version(content: bytes) -> str:
    """The version of a document: the hash of its bytes."""
    return hashlib.sha256(content).hexdigest()[:ID_HEX_DIGITS]


def document_id(tenant: Tenant, source: str) -> str:
    """One document per tenant and source name (file path, bucket key or URL)."""
    return digest("document", tenant.name, source)


def child_id(parent: str, name: str) -> str:
    """One document per file inside a document, whatever uploads are called; `parent` already carries the tenant."""
    return digest("child", parent, name)


def chunk_id(document: str, version: str, ordinal: int) -> str:
    """The same id in every store (MAHA's dual index); `document` already carries the tenant."""
    return digest("chunk", document, version, str(ordinal))


def entity_id(tenant: Tenant, key: str) -> str:
    """One entity per tenant and folded name key."""
    return digest("entity", tenant.name, key)
