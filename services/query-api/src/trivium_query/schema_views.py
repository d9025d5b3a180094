"""What the API says of schemas."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from trivium import api
from trivium.domain.chunks import Chunk
from trivium.domain.graph_schema import RelationType
from trivium_query.handlers.graph_schema import Compared, Seen
from trivium_query.views import place, to_api


def schema(seen: Seen) -> api.GraphSchema:
    """A version; an example whose passage is gone is left out."""
    return to_api(
        api.GraphSchema,
        seen.schema,
        notes=seen.notes,
        types=tuple(_type(kind, seen.chunks) for kind in seen.schema.types),
        proposed=tuple(
            to_api(api.SchemaProposal, one, type=_type(one.type, seen.chunks)) for one in seen.schema.proposed
        ),
    )


def difference(compared: Compared) -> api.SchemaDifference:
    """What lies between two versions; without examples."""
    return to_api(
        api.SchemaDifference,
        compared.difference,
        older=compared.older.number,
        newer=compared.newer.number,
        added=tuple(_type(kind, {}) for kind in compared.difference.added),
        removed=tuple(_type(kind, {}) for kind in compared.difference.removed),
        changed=tuple(
            api.ChangedType(_type(each.before, {}), _type(each.after, {})) for each in compared.difference.changed
        ),
        changes=tuple(api.NumberedChange(one.number, to_api(api.SchemaChange, one.change)) for one in compared.changes),
    )


def _type(kind: RelationType, chunks: Mapping[str, Chunk]) -> api.RelationType:
    return to_api(api.RelationType, kind, examples=tuple(_examples(kind, chunks)))


def _examples(kind: RelationType, chunks: Mapping[str, Chunk]) -> Iterator[api.SchemaExample]:
    for example in kind.examples:
        chunk = chunks.get(example.chunk_id)
        if chunk is not None:
            yield api.SchemaExample(place(chunk), example.span.of(chunk.text))
