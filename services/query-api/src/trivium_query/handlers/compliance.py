"""How stated relations stand to the schemas of the datasets that their documents are in.

It is asked when relations are read, with the types that their own chunk gives both ends: what is accepted counts at
once for all that was ever extracted, by rules or a model, and nothing is extracted again.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence

from trivium.domain.chunks import Chunk
from trivium.domain.graph import ChunkGraph, Relation
from trivium.domain.graph_schema import Compliance, GraphSchema
from trivium.domain.scope import Tenant
from trivium.graph_schema import versions
from trivium.graph_schema.profile import ends_of
from trivium.ports.objects import ObjectStore
from trivium_query.requests import Services


async def compliance_of(
    services: Services, tenant: Tenant, relations: Sequence[Relation], chunks: Mapping[str, Chunk]
) -> dict[Relation, Compliance]:
    """Of the relations that a schema has a say in; none where nothing is in force in any dataset."""
    schemas = await asyncio.to_thread(_in_force, services.objects.for_tenant(tenant))
    if not schemas or not relations:
        return {}
    documents = sorted({chunk.document_id for chunk in chunks.values()})
    mentions, records = await asyncio.gather(
        services.graphs.reader(tenant).mentions_in(sorted({each.chunk_id for each in relations})),
        asyncio.to_thread(services.registry.for_tenant(tenant).get_many, documents),
    )
    found: dict[Relation, Compliance] = {}
    for relation in relations:
        chunk = chunks.get(relation.chunk_id)
        record = records.get(chunk.document_id) if chunk else None
        schema = schemas.get(record.dataset) if record else None
        if schema is None:
            continue
        share = ChunkGraph(relation.chunk_id, tuple(mentions.get(relation.chunk_id, ())), (relation,))
        found |= {one: schema.compliance(one.type, source, target) for one, source, target in ends_of(share)}
    return found


def _in_force(objects: ObjectStore) -> dict[str, GraphSchema]:
    return {schema.dataset: schema for schema in versions.of_all_datasets(objects) if schema.active}
