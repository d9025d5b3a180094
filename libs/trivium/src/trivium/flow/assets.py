"""Assets: the pictures of a version's units, stored beside its artifacts and gone with them."""

from __future__ import annotations

import re

import msgspec

from trivium.domain.errors import NotFound
from trivium.domain.parsed import Asset, ParsedDocument
from trivium.flow.artifacts import artifact_prefix
from trivium.ports.objects import ObjectStore

NAME = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9._-]{0,99}")


def asset_key(document_id: str, version: str, name: str) -> str:
    """Where an asset lies. Raises `NotFound` for what cannot be the name of one."""
    if not NAME.fullmatch(name):
        raise no_such_asset(name)
    return f"{artifact_prefix(document_id, version)}assets/{name}"


def store_assets(objects: ObjectStore, document_id: str, version: str, parsed: ParsedDocument) -> ParsedDocument:
    """Put the assets in their places; answers the document with their names and types alone."""
    for asset in parsed.assets:
        objects.put(asset_key(document_id, version, asset.name), asset.content, durable=False)
    return msgspec.structs.replace(
        parsed, assets=tuple(Asset(asset.name, asset.media_type, b"") for asset in parsed.assets)
    )


def read_asset(objects: ObjectStore, document_id: str, version: str, name: str) -> bytes:
    """An asset's bytes. Raises `NotFound`."""
    try:
        return objects.get(asset_key(document_id, version, name))
    except NotFound as error:
        raise no_such_asset(name) from error


def no_such_asset(name: str) -> NotFound:
    """What asking for an unknown asset answers."""
    return NotFound("no_such_asset", f"The document has no asset {name[:80]!r}.", "Its passages name those it has.")
