"""Links between documents that are here."""

from __future__ import annotations

import asyncio

import msgspec

from trivium.domain.documents import Document
from trivium.domain.graph import LINKS_TO, document_key, document_of
from trivium.domain.scope import Tenant
from trivium_query.handlers.sources import find
from trivium_query.requests import Services

MAX_EDGES = 500


class Links(msgspec.Struct, frozen=True):
    """The documents that one leads to, and those that lead to it, by name."""

    links_to: tuple[Document, ...]
    linked_from: tuple[Document, ...]


async def links(services: Services, tenant: Tenant, document_id: str) -> Links:
    """A document's edges to and from others that queries see. Raises `NotFound`."""
    document = await find(services, tenant, document_id)
    key = document_key(document.id)
    edges = (await services.graphs.reader(tenant).edges([key], MAX_EDGES)).get(key, [])
    ends = [(e.source_key, e.target_key) for e in edges if e.type == LINKS_TO]
    onward = {document_of(target) for source, target in ends if source == key}
    backward = {document_of(source) for source, target in ends if target == key}
    known = await asyncio.to_thread(services.registry.for_tenant(tenant).get_many, sorted(onward | backward))
    seen = sorted((other for other in known.values() if other.active_version), key=lambda other: other.source)
    return Links(
        tuple(other for other in seen if other.id in onward), tuple(other for other in seen if other.id in backward)
    )
