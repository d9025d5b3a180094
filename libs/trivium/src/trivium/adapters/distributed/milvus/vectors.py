"""Vectors in Milvus: one collection per vector length holds every tenant's passages.

What was measured (Milvus 2.3.5 on two busy cores, 384 values, one query's best 100) decided the shape:

- FLAT and a filter on the tenant: exact, 4-6 ms over 20,000 passages among 100,000 of others; rows that the filter
  excludes are not compared, so a tenant pays for its own (all 120,000: 8 ms in sealed segments, 18 in growing ones; by
  that, a million is 70-150 ms, and then `rows.index` is what to change). An HNSW graph took 5-10 ms, and until
  a segment is sealed and built Milvus answers from an interim index, with 32 of 100 nearest of random vectors.
- A collection per tenant costs 3.5 s to make and load, and they share 16 channels; a partition key loses rows on
  upsert (2.3.5); a manual partition per tenant ends at 4,096.
- Reads by primary key of 200 passages' sentence vectors: 15 ms. They are text (16-bit integers, base64) beside the
  passage, because 2.3 has one vector field per collection and no field of bytes.

Isolation: the primary key begins with the tenant, every expression names the tenant, and holds ids only.

Consistency: searches and reads are `Bounded`, which never waits for a write, and sees one 0.1-0.4 s later. `ids` is
`Strong`: it waits for the next time tick, 0.2-0.4 s, 1.2 on a busy machine. Whatever either has seen every later search
sees too.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from trivium.adapters.distributed.milvus import rows as milvus_rows
from trivium.adapters.distributed.milvus.recent_sentences import RecentSentences
from trivium.adapters.distributed.milvus.rows import Collections, Row, Stored
from trivium.adapters.distributed.milvus.server import (
    READ_TIMEOUT_S,
    WRITE_TIMEOUT_S,
    MilvusServer,
    is_id,
    is_missing,
    one_of,
    require_ids,
)
from trivium.adapters.distributed.milvus.without_pandas import AsyncMilvusClient, MilvusClient
from trivium.adapters.kinds import texts_with
from trivium.adapters.narrow import Int16Vectors, cosines, dequantized
from trivium.adapters.times import UNDATED
from trivium.batches import batches
from trivium.config import Settings
from trivium.domain.errors import TryLater
from trivium.domain.retrieval import EVERYWHERE, RowFilter, Scored
from trivium.domain.scope import Tenant
from trivium.ports.vectors import Vector, VectorRow

_BATCH_BYTES = 8 * 1024 * 1024  # Milvus takes messages of 64 MiB
_KEYS_PER_READ = 500
_WHOLE_ROWS_PER_READ = 200
_ROWS_PER_PAGE = 5000
_DOCUMENTS_PER_READ = 1000
_DOCUMENTS_PER_DELETE = 100
_MAX_HITS = 16_384
_SPARE_HITS = 32  # Milvus cuts ties as it likes: so many more are asked for, and cut here by chunk id


class MilvusVectors:
    """All tenants' vectors of one space, in `<prefix>_<space>_<values per vector>`."""

    def __init__(self, settings: Settings, space: str = "passages") -> None:
        self._server = MilvusServer(settings)
        self._collections = Collections(f"{settings.index_prefix}_{space}_")
        self._recent = RecentSentences()

    def writer(self, tenant: Tenant) -> MilvusVectorWriter:
        """For workers."""
        return MilvusVectorWriter(self._server, self._collections, self._recent, tenant)

    def reader(self, tenant: Tenant) -> MilvusVectorReader:
        """For queries."""
        return MilvusVectorReader(self._server, self._collections, self._recent, tenant)

    def tenants(self) -> set[Tenant]:
        """Those that have a row: every row is looked at."""
        with self._server.client() as client:
            collections = self._collections.own(client.list_collections())
            pages = (_rows(client, collection, 'tenant != ""', ["tenant"]) for collection in collections)
            names = {row["tenant"].partition("/")[0] for of_one in pages for page in of_one for row in page}
        return {Tenant(name) for name in names}

    def drop(self, tenant: Tenant) -> None:
        """Remove everything of the tenant."""
        self._recent.forget()
        with self._server.client() as client:
            for collection in self._collections.own(client.list_collections()):
                client.delete(collection, filter=_all_of(tenant), timeout=WRITE_TIMEOUT_S)
                _drop_if_left(client, collection)

    def close(self) -> None:
        """Close the connections."""
        self._server.close()


class MilvusVectorWriter:
    """Writes one tenant's vectors; see `trivium.ports.vectors.VectorWriter`."""

    def __init__(self, server: MilvusServer, collections: Collections, recent: RecentSentences, tenant: Tenant) -> None:
        self._server = server
        self._collections = collections
        self._recent = recent
        self._tenant = tenant

    def upsert(self, rows: Sequence[VectorRow]) -> None:
        """Store the rows, some megabytes a request."""
        batch = {row.vectors.chunk_id: row for row in rows}
        if not batch:
            return
        require_ids(text for row in batch.values() for text in (row.vectors.chunk_id, row.document_id, row.version))
        length = milvus_rows.common_length(batch.values())
        collection = self._collections.named(length)
        self._server.prepare(collection, milvus_rows.schema(length), milvus_rows.index())
        with self._server.client() as client:
            older = self._older(client, collection)
            stored = (part for row in batch.values() for part in milvus_rows.stored(self._tenant, row))
            for some in batches(stored, _BATCH_BYTES, milvus_rows.size):
                client.upsert(collection, some, timeout=WRITE_TIMEOUT_S)
            if older:
                self._leave(client, older, list(batch))
        self._recent.forget(f"{self._tenant}/{chunk_id}" for chunk_id in batch)

    def delete(self, document_id: str) -> None:
        """Remove the document's rows."""
        self.delete_others({document_id: ""})

    def delete_others(self, kept: Mapping[str, str]) -> None:
        """Remove all but the version that each document keeps; each request waits for a time tick."""
        with self._server.client() as client:
            for collection in self._collections.own(client.list_collections()) if kept else ():
                for some in batches(kept.items(), _DOCUMENTS_PER_DELETE):
                    where = f"{_all_of(self._tenant)} and ({' or '.join(_but(*each) for each in some)})"
                    client.delete(collection, filter=where, timeout=WRITE_TIMEOUT_S)
        self._recent.forget()

    def ids(self, versions: Mapping[str, str]) -> dict[str, set[str]]:
        """The chunk ids stored for one version of each document."""
        return self._ids(versions, "Strong")

    def seen_ids(self, versions: Mapping[str, str]) -> dict[str, set[str]]:
        """Those that a search would find now."""
        return self._ids(versions, "Bounded")

    def _ids(self, versions: Mapping[str, str], consistency: str) -> dict[str, set[str]]:
        found: dict[str, set[str]] = {document_id: set() for document_id in versions}
        with self._server.client() as client:
            for collection in self._collections.own(client.list_collections()) if found else ():
                for some in batches(found, _DOCUMENTS_PER_READ):
                    for row in client.query(
                        collection,
                        filter=f"{_passages_of(self._tenant)} and document_id in {one_of(some)}",
                        output_fields=["id", "document_id", "version"],
                        consistency_level=consistency,
                        timeout=WRITE_TIMEOUT_S,
                    ):
                        if row["version"] == versions[row["document_id"]]:
                            found[row["document_id"]].add(milvus_rows.chunk_id(row))
        return found

    def versions(self) -> Iterator[tuple[str, str]]:
        """Every (document id, version) that has rows, once for each run of a document's rows."""
        with self._server.client() as client:
            for collection in self._collections.own(client.list_collections()):
                for rows in _rows(client, collection, _passages_of(self._tenant), ["document_id", "version"]):
                    yield from {(row["document_id"], row["version"]) for row in rows}

    def unlike(self, rows: Sequence[VectorRow]) -> set[str]:
        """The chunks that have another row, or not all its parts."""
        wanted = {part["id"]: part for row in rows for part in milvus_rows.stored(self._tenant, row)}
        with self._server.client() as client:
            same = {
                row["id"]
                for collection in self._collections.own(client.list_collections())
                for some in batches(wanted, _WHOLE_ROWS_PER_READ)
                for row in client.query(
                    collection,
                    filter=f"id in {one_of(some)}",
                    output_fields=milvus_rows.fields_of(collection),
                    consistency_level="Strong",
                    timeout=WRITE_TIMEOUT_S,
                )
                if milvus_rows.is_same(row, wanted[row["id"]])
            }
        return {milvus_rows.chunk_id(part).partition("/")[0] for key, part in wanted.items() if key not in same}

    def _leave(self, client: MilvusClient, older: str, chunk_ids: Sequence[str]) -> None:
        """Take rows that are written anew out of the collection of an older shape, with their further parts."""
        for some in batches(chunk_ids, _KEYS_PER_READ):
            keys = [f"{self._tenant}/{chunk_id}" for chunk_id in some]
            found = client.query(
                older,
                filter=f"id in {one_of(keys)}",
                output_fields=["id", "parts"],
                consistency_level="Strong",
                timeout=WRITE_TIMEOUT_S,
            )
            held = {row["id"]: Stored(0, row) for row in found}
            gone = [part for key in held for part in (key, *milvus_rows.part_keys(key, held))]
            for few in batches(gone, _KEYS_PER_READ):
                client.delete(older, filter=f"id in {one_of(few)}", timeout=WRITE_TIMEOUT_S)
            if gone:
                _drop_if_left(client, older)

    def _older(self, client: MilvusClient, collection: str) -> str:
        """The collection of an older shape for vectors of the same length, "" where there is none.

        A tenant's vectors are all of one length: raises `NeverWill` (`wrong_dimension`).
        """
        older = ""
        for other in self._collections.own(client.list_collections()):
            if self._collections.length(other) == self._collections.length(collection):
                older = older or ("" if other == collection else other)
            elif client.query(
                other,
                filter=_passages_of(self._tenant),
                output_fields=["id"],
                limit=1,
                consistency_level="Strong",  # those of a tenant dropped a moment ago do not count
                timeout=WRITE_TIMEOUT_S,
            ):
                raise milvus_rows.wrong_dimension(
                    "Vectors", self._collections.length(collection), self._collections.length(other)
                )
        return older


def _drop_if_left(client: MilvusClient, collection: str) -> None:
    """Drop a collection of an older shape that nobody has rows in any more: nothing is written to it."""
    if not milvus_rows.is_current(collection) and not client.query(
        collection,
        filter='id != ""',
        output_fields=["id"],
        limit=1,
        consistency_level="Strong",
        timeout=WRITE_TIMEOUT_S,
    ):
        client.drop_collection(collection)


def _rows(client: MilvusClient, collection: str, where: str, fields: list[str]) -> Iterator[list[Row]]:
    """All rows of a collection that every write so far has left, a page at a time."""
    pages = client.query_iterator(
        collection,
        batch_size=_ROWS_PER_PAGE,
        filter=where,
        output_fields=fields,
        consistency_level="Strong",
        timeout=WRITE_TIMEOUT_S,
    )
    try:
        while rows := pages.next():
            yield rows
    finally:
        pages.close()


class MilvusVectorReader:
    """Reads one tenant's vectors; see `trivium.ports.vectors.VectorReader`."""

    def __init__(self, server: MilvusServer, collections: Collections, recent: RecentSentences, tenant: Tenant) -> None:
        self._server = server
        self._collections = collections
        self._recent = recent
        self._tenant = tenant

    async def search(self, vector: Vector, limit: int, where: RowFilter = EVERYWHERE) -> list[Scored]:
        """The best passages by cosine similarity."""
        if limit <= 0 or where.document_ids == ():
            return []
        length = float(np.linalg.norm(vector))
        query = (vector / length if length else vector).astype(np.float32)

        async def search(client: AsyncMilvusClient) -> list[Any]:
            if not self._collections.known:
                self._collections.known = frozenset(self._collections.own(await client.list_collections()))
            named = self._collections.named(len(vector))
            older = [name for name in self._collections.known if self._collections.length(name) == len(vector)]
            asked = dict.fromkeys([named, *older])
            answers = await asyncio.gather(*(nearest(client, name) for name in asked))
            return [hit for answer in answers for hit in answer]

        async def nearest(client: AsyncMilvusClient, collection: str) -> list[Any]:
            try:
                with self._server.translated():
                    found = await client.search(
                        collection,
                        [query],
                        filter=_passing(self._tenant, where, collection),
                        limit=min(limit + _SPARE_HITS, _MAX_HITS),
                        search_params={"metric_type": milvus_rows.METRIC},
                        anns_field="vector",
                        consistency_level="Bounded",
                        timeout=READ_TIMEOUT_S,
                    )
            except TryLater as error:
                if not is_missing(error):
                    raise
                self._collections.known -= {collection}
                return []
            return list(found[0])

        hits = await self._server.read(search)
        if not hits:
            await self._require_no_other(len(vector))
        scores = {milvus_rows.chunk_id(hit): hit["distance"] for hit in hits}
        ranked = sorted((-distance, chunk_id) for chunk_id, distance in scores.items())
        return [Scored(chunk_id, -distance) for distance, chunk_id in ranked[:limit]]

    async def sentence_vectors(self, chunk_ids: Sequence[str]) -> dict[str, Vector]:
        """The sentences' vectors by chunk; those that were read lately are not read again (`recent_sentences.py`)."""
        narrow = await self._narrow(chunk_ids)
        if len({matrix.shape[1] for matrix in narrow.values()}) != 1:  # of the model before beside new ones, or none
            return {key: dequantized(matrix) for key, matrix in narrow.items()}
        ends = np.cumsum([len(matrix) for matrix in narrow.values()]).tolist()
        wide = dequantized(np.concatenate(list(narrow.values())))  # once for all: a tenth of the time of one by one
        return {key: wide[start:end] for key, start, end in zip(narrow, [0, *ends], ends, strict=False)}

    async def sentence_cosines(self, chunk_ids: Sequence[str], vector: Vector) -> dict[str, Vector]:
        """The cosine of `vector` with every sentence, by chunk."""
        return cosines(await self._narrow(chunk_ids), vector)

    async def _narrow(self, chunk_ids: Sequence[str]) -> dict[str, Int16Vectors]:
        """The sentences as they are stored, by chunk."""
        keys = self._keys(chunk_ids)
        known = self._recent.known(keys)
        fresh = await self._sentences([key for key in keys if key not in known])
        self._recent.keep(fresh)
        known |= fresh
        return {chunk_id: known[key] for key, chunk_id in keys.items() if key in known}

    async def _sentences(self, keys: Sequence[str]) -> dict[str, Int16Vectors]:
        """From the server, by primary key."""
        found = await self._read(keys, ["sentences", "parts"])
        found |= await self._read([part for key in found for part in milvus_rows.part_keys(key, found)], ["sentences"])
        read = ((key, milvus_rows.sentences(key, found)) for key in keys)
        return {key: matrix for key, matrix in read if matrix is not None}

    async def passage_vectors(self, chunk_ids: Sequence[str]) -> dict[str, Vector]:
        """The passages' own vectors."""
        keys = self._keys(chunk_ids)
        found = await self._read(list(keys), ["vector"])
        return {keys[key]: np.array(stored.row["vector"], np.float32) for key, stored in found.items()}

    async def origins(self, chunk_ids: Sequence[str]) -> dict[str, tuple[str, str]]:
        """The document and version of each."""
        keys = self._keys(chunk_ids)
        found = await self._read(list(keys), ["document_id", "version"])
        return {keys[key]: (stored.row["document_id"], stored.row["version"]) for key, stored in found.items()}

    def _keys(self, chunk_ids: Sequence[str]) -> dict[str, str]:
        """Chunk ids by primary key."""
        return {f"{self._tenant}/{chunk_id}": chunk_id for chunk_id in chunk_ids if is_id(chunk_id)}

    async def _read(self, keys: Sequence[str], fields: list[str]) -> dict[str, Stored]:
        """Rows by primary key. A collection that is new is looked for when a key is not found in those known."""

        async def read(client: AsyncMilvusClient) -> dict[str, Stored]:
            known = self._collections.known
            found = await ask(client, known)
            if len(found) < len(keys):
                self._collections.known = frozenset(self._collections.own(await client.list_collections()))
                found |= await ask(client, self._collections.known - known)
            return found

        async def ask(client: AsyncMilvusClient, collections: frozenset[str]) -> dict[str, Stored]:
            asked = [(name, some) for name in collections for some in batches(keys, _KEYS_PER_READ)]
            answers = await asyncio.gather(*(rows(client, name, some) for name, some in asked))
            return {
                row["id"]: Stored(self._collections.length(name), row)
                for (name, _), answer in zip(asked, answers, strict=True)
                for row in answer
            }

        async def rows(client: AsyncMilvusClient, collection: str, some: list[str]) -> list[Row]:
            found = await client.query(
                collection,
                filter=f"id in {one_of(some)}",
                output_fields=["id", *fields],
                consistency_level="Bounded",
                timeout=READ_TIMEOUT_S,
            )
            return list(found)

        return await self._server.read(read) if keys else {}

    async def _require_no_other(self, length: int) -> None:
        """Nothing was found: because the tenant's vectors are of another length?"""

        async def other(client: AsyncMilvusClient) -> int | None:
            for collection in self._collections.own(await client.list_collections()):
                if self._collections.length(collection) != length and await client.query(
                    collection, filter=_passages_of(self._tenant), output_fields=["id"], limit=1, timeout=READ_TIMEOUT_S
                ):
                    return self._collections.length(collection)
            return None

        held = await self._server.read(other)
        if held is not None:
            raise milvus_rows.wrong_dimension("The question's vector", length, held)


def _passages_of(tenant: Tenant) -> str:
    return f'tenant == "{tenant}"'


def _passing(tenant: Tenant, where: RowFilter, collection: str) -> str:
    """The passages that a filter lets through. `kind` is all kinds of a passage, and 2.3 finds no part of a text.

    Rows of an older shape, which do not have the times, pass a period, and are looked at afterwards.
    """
    conditions = [_passages_of(tenant)]
    if where.document_ids is not None:
        conditions.append(f"document_id in {one_of(where.document_ids)}")
    if where.dataset:
        conditions.append(f"dataset in {one_of([where.dataset])}")
    if where.kinds:
        conditions.append(f"kind in {one_of(texts_with(where.kinds))}")
    if where.run:
        conditions.append(f"run in {one_of([where.run])}")
    if where.period and milvus_rows.is_current(collection):
        of, start, end = where.period.of.value, where.period.start, where.period.end
        conditions.append(f"{of} > {UNDATED}" if start is None else f"{of} >= {start}")
        if end is not None:
            conditions.append(f"{of} < {end}")
    return " and ".join(conditions)


def _but(document_id: str, version: str) -> str:
    """The document's rows that are of another version."""
    others = f" and version not in {one_of([version])}" if version else ""
    return f"(document_id in {one_of([document_id])}{others})"


def _all_of(tenant: Tenant) -> str:
    """Passages and their further parts; see `rows.py`."""
    return f"tenant in {one_of([tenant.name, milvus_rows.parts_of(tenant)])}"
