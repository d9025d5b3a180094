"""What a passage is in Milvus: its row, the parts of one with many sentences, and the collections that hold them.

The primary key is `<tenant>/<chunk>`. Sentence vectors are the field `sentences`: 16-bit integers in base64. What does
not fit into one field stands in further rows, `<tenant>/<chunk>/<part>`, under the tenant `<tenant>/more`, which is
nobody's name: no search finds them, and reading the passage says how many there are.

2.3 adds no field to a collection, so a new shape of rows is a collection of another name. One of an older shape is
read and searched beside it; a row leaves it when it is written again, and what is left empty is dropped.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np
import pybase64

from trivium.adapters.distributed.milvus.without_pandas import CollectionSchema, DataType, IndexParams, MilvusClient
from trivium.adapters.kinds import kinds_text
from trivium.adapters.narrow import Int16Vectors, quantized_int16
from trivium.adapters.newer import refuse_newer
from trivium.adapters.times import dated_number
from trivium.domain.errors import NeverWill
from trivium.domain.scope import Tenant
from trivium.ports.vectors import VectorRow

SPACES = ("passages", "pictures", "hypernodes")
METRIC = "IP"  # of unit vectors: the cosine
_INDEX = "FLAT"
_FLOAT32_BYTES = 4
_INT16_BYTES = 2
_ID_CHARS = 64
_TEXT_BYTES = 65_535  # the longest VARCHAR
_PART_BYTES = _TEXT_BYTES // 4 * 3  # before base64

Row = dict[str, Any]
OLDER_FIELDS = ("id", "tenant", "document_id", "version", "dataset", "run", "kind", "sentences", "parts", "vector")
FIELDS = ("uploaded", "dated", *OLDER_FIELDS)
_SHAPE = 2  # of the rows; from the second on, whose rows have the times, it ends the collections' names
_CURRENT = f"_{_SHAPE}"


class Stored(NamedTuple):
    """A row that was read, and how many values its collection's vectors have."""

    length: int
    row: Row


class Collections:
    """One collection per vector length and shape, so with one embedding model one. `known` are those seen lately."""

    def __init__(self, prefix: str) -> None:
        self._prefix = prefix
        self._own = re.compile(rf"{re.escape(prefix)}(\d+)(?:_(\d+))?")
        self.known: frozenset[str] = frozenset()

    def named(self, length: int) -> str:
        """The collection that vectors with `length` values are written to."""
        return f"{self._prefix}{length}{_CURRENT}"

    def length(self, collection: str) -> int:
        """How many values its vectors have."""
        return int(collection.removeprefix(self._prefix).removesuffix(_CURRENT))

    def own(self, names: Iterable[str]) -> list[str]:
        """Those of a server's collections that are ours. Raises `TryLater` (`store_newer`)."""
        ours = [found for name in names if (found := self._own.fullmatch(name))]
        for found in ours:
            refuse_newer(f"collection {found[0]} in Milvus", int(found[2] or 1), _SHAPE)
        return [found[0] for found in ours]


def is_current(collection: str) -> bool:
    """Whether its rows have every field."""
    return collection.endswith(_CURRENT)


def fields_of(collection: str) -> list[str]:
    """The fields of its rows."""
    return list(FIELDS if is_current(collection) else OLDER_FIELDS)


def schema(length: int) -> CollectionSchema:
    """The fields of a row."""
    fields = MilvusClient.create_schema(auto_id=False, enable_dynamic_field=False)
    fields.add_field("id", DataType.VARCHAR, is_primary=True, max_length=3 * _ID_CHARS)
    fields.add_field("tenant", DataType.VARCHAR, max_length=2 * _ID_CHARS)
    for name in ("document_id", "version"):
        fields.add_field(name, DataType.VARCHAR, max_length=_ID_CHARS)
    for name in ("dataset", "run", "kind", "sentences"):
        fields.add_field(name, DataType.VARCHAR, max_length=_TEXT_BYTES)
    fields.add_field("parts", DataType.INT32)
    for name in ("uploaded", "dated"):
        fields.add_field(name, DataType.INT64)
    fields.add_field("vector", DataType.FLOAT_VECTOR, dim=length)
    return fields


def index() -> IndexParams:
    """How the passages are searched."""
    params = MilvusClient.prepare_index_params()
    params.add_index("vector", index_type=_INDEX, metric_type=METRIC, params={})
    return params


def common_length(rows: Collection[VectorRow]) -> int:
    """How many values each vector has; raises `NeverWill` (`wrong_dimension`) unless all have the same."""
    size = len(next(iter(rows)).vectors.passage)
    for row in rows:
        given = len(row.vectors.passage)
        if given != size or not size or size % _FLOAT32_BYTES or len(row.vectors.sentences) % size:
            raise wrong_dimension(
                f"The vectors of chunk {row.vectors.chunk_id}", given // _FLOAT32_BYTES, size // _FLOAT32_BYTES
            )
    return size // _FLOAT32_BYTES


def stored(tenant: Tenant, row: VectorRow) -> Iterator[Row]:
    """The passage's row, and those of its further parts."""
    narrow = quantized_int16(row.vectors.sentences)
    vector = np.frombuffer(row.vectors.passage, np.float32)
    sentence_bytes = len(vector) * _INT16_BYTES
    part_bytes = _PART_BYTES // sentence_bytes * sentence_bytes
    starts = range(0, max(1, len(narrow)), part_bytes)
    for part, start in enumerate(starts):
        yield {
            "id": f"{tenant}/{row.vectors.chunk_id}" + (f"/{part}" if part else ""),
            "tenant": parts_of(tenant) if part else tenant.name,
            "document_id": row.document_id,
            "version": row.version,
            "dataset": row.scope.dataset,
            "run": row.scope.run,
            "uploaded": row.scope.uploaded,
            "dated": dated_number(row.scope.dated),
            "kind": kinds_text(row.kinds),
            "sentences": pybase64.b64encode(narrow[start : start + part_bytes]).decode(),
            "parts": 0 if part else len(starts),
            "vector": vector,
        }


def is_same(row: Row, wanted: Row) -> bool:
    """Whether a row that was read is the one that was stored."""
    plain = FIELDS[:-1]
    return [row.get(name) for name in plain] == [wanted[name] for name in plain] and np.array_equal(
        np.array(row["vector"], np.float32), wanted["vector"]
    )


def size(row: Row) -> int:
    """Bytes of a row, nearly."""
    return int(row["vector"].nbytes) + len(row["sentences"])


def part_keys(key: str, found: Mapping[str, Stored]) -> list[str]:
    """The primary keys of the passage's further parts."""
    count = found[key].row["parts"]
    return [f"{key}/{part}" for part in range(1, count)] if count > 1 else []


def sentences(key: str, found: Mapping[str, Stored]) -> Int16Vectors | None:
    """(n_sentences, d) of a passage; None unless `found` holds it whole: one that is just being replaced may not be."""
    parts = [found.get(part) for part in (key, *part_keys(key, found))] if key in found else [None]
    values = bytearray()
    for part in parts:
        if part is None:
            return None
        values += pybase64.b64decode(part.row["sentences"])
    return np.frombuffer(values, np.int16).reshape(-1, found[key].length)


def chunk_id(row: Mapping[str, Any]) -> str:
    """The chunk that a passage's row is of."""
    return str(row["id"]).partition("/")[2]


def parts_of(tenant: Tenant) -> str:
    """Under which name the further parts of the tenant's passages stand."""
    return f"{tenant}/more"


def wrong_dimension(what: str, given: int, held: int) -> NeverWill:
    """For a vector that is of another length than the tenant's others."""
    return NeverWill(
        "wrong_dimension",
        f"{what} have {given} values, the tenant's others {held}.",
        "Use one embedding model for all documents of a tenant; after a change, rebuild its vectors.",
    )
