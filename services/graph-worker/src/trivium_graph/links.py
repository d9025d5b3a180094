"""A document's links as its edges to other documents: what stands at the other end is known by its address alone."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import msgspec

from trivium.domain.chunks import Span
from trivium.domain.errors import Refused
from trivium.domain.graph import LINKS_TO, ChunkGraph, Relation, document_key
from trivium.domain.ids import document_id
from trivium.domain.scope import Tenant
from trivium.text.urls import canonical_url

MAX_LINKS = 100  # the first ones: lists of hundreds say little of each
OPERATION = "link"


def with_links(shares: Sequence[ChunkGraph], links: Iterable[str], document: str, tenant: Tenant) -> list[ChunkGraph]:
    """`shares` of one document, the first of them with an edge to the document of each linked address."""
    targets = list(dict.fromkeys(_documents(links, document, tenant)))[:MAX_LINKS]
    if not shares or not targets:
        return list(shares)
    first = shares[0]
    relations = tuple(
        Relation(
            source_key=document_key(document),
            target_key=document_key(target),
            type=LINKS_TO,
            confidence=1.0,
            chunk_id=first.chunk_id,
            span=Span(0, 0),
            snippet="",
            operation=OPERATION,
        )
        for target in targets
    )
    return [msgspec.structs.replace(first, relations=first.relations + relations), *shares[1:]]


def _documents(links: Iterable[str], document: str, tenant: Tenant) -> Iterator[str]:
    """The ids of the documents that would be at the addresses, whether they are here or not."""
    for link in links:
        try:
            target = document_id(tenant, canonical_url(link))
        except Refused:
            continue
        if target != document:
            yield target
