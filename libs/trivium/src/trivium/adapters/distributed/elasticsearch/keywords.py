"""Keywords in Elasticsearch: an index per tenant, BM25 over folded and stemmed words, and the chunks beside them.

An index per tenant, because BM25 weighs a word by how many of an index's chunks hold it: in an index that tenants
share, one's documents would move, and show in, another's scores. It costs a shard per tenant: some 50 kB of heap,
0.1-0.3 s to make, and the server's own limit of 1,000 shards a node (`cluster.max_shards_per_node`).

Elasticsearch's own analysis (`standard`, `lowercase`, `porter_stem`) gets a text that holds only words: accents,
punctuation and signs are taken out here, as the embedded store does, because the minimal distribution cannot.
Two things stay different from the embedded scores: Lucene keeps a chunk's length in one byte (exact to 40 words, then
in steps of an eighth), and counts deleted chunks in a word's rarity until their segments merge: half a minute later at
the earliest, and always before they are more than about 5 %.

Writes go through an alias that must exist, so that a server which was emptied never makes an index of its own shape.
"""

from __future__ import annotations

import asyncio
import math
import re
import unicodedata
from bisect import bisect_right
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from http import HTTPStatus
from itertools import accumulate
from typing import Any, TypeVar

import msgspec
from elasticsearch import AsyncElasticsearch, BadRequestError, Elasticsearch

from trivium.adapters.distributed.elasticsearch.server import Action, ElasticServer, is_missing
from trivium.adapters.newer import NEWER, refuse_newer
from trivium.batches import batches
from trivium.config import Settings
from trivium.domain.chunks import Chunk
from trivium.domain.errors import Refused, TryLater
from trivium.domain.retrieval import EVERYWHERE, RowFilter, Scored
from trivium.domain.scope import Tenant
from trivium.ports.keywords import BM25_B, BM25_K1, KeywordRow
from trivium.text.dotted import dotted_numbers
from trivium.text.spaceless import MARKED, MARKS, SPACELESS, pairs, spelt

MAX_QUERY_CHARS = 100_000
MAX_QUERY_WORDS = 1024  # the first of a longer question; Elasticsearch refuses more clauses on a small heap
_WORD_CHARS = 255  # the longest token
_MAX_HITS = 10_000  # index.max_result_window
_SPARE_HITS = 32  # sorting by score and id would cost half again: so many more are asked for, and ties cut here
_HITS = ("hits.hits._score", "hits.hits.fields")  # two of the five things that a hit's line says
_PAGE = 5000
_CHUNKS_PER_PAGE = 500
_DOCUMENTS_PER_READ = 1000
_DOCUMENTS_PER_DELETE = 500  # a query may have 1,024 clauses
_SHAPE = 1  # of the index; grows with `_MAPPINGS` and `_SETTINGS`
_SETTINGS = {
    "number_of_shards": 1,  # statistics are a shard's
    "auto_expand_replicas": "0-1",
    "refresh_interval": "5s",  # for what nobody reads back, such as deletions
    "max_terms_count": 1_000_000,
    "merge.policy.deletes_pct_allowed": 5,  # the least: deleted chunks count in BM25's statistics
    "similarity": {"default": {"type": "BM25", "k1": BM25_K1, "b": BM25_B}},
    "analysis": {
        "analyzer": {"words": {"type": "custom", "tokenizer": "standard", "filter": ["lowercase", "porter_stem"]}}
    },
}
# An index of before has these added; its chunks get theirs when they are rewritten, as `audit --repair` does.
_ADDED = {"kinds": {"type": "keyword"}, "uploaded": {"type": "long"}, "dated": {"type": "long"}}
_MAPPINGS = {
    "dynamic": "strict",
    "_source": {"excludes": ["words"]},
    "properties": {
        "chunk_id": {"type": "keyword"},
        "document_id": {"type": "keyword"},
        "version": {"type": "keyword"},
        "ordinal": {"type": "integer"},
        "dataset": {"type": "keyword"},
        "run": {"type": "keyword"},
        **_ADDED,
        "words": {"type": "text", "analyzer": "words", "index_options": "freqs"},
        "chunk": {"type": "object", "enabled": False},  # kept as it is, and not searched
    },
}
_IDEOGRAPHS = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff"
_WORD = re.compile(
    rf"[{_IDEOGRAPHS}]|(?P<run>(?:(?![{_IDEOGRAPHS}])[{SPACELESS}])+)|(?:[^\W_{_IDEOGRAPHS}{SPACELESS}]|[{MARKS}])+"
)
_WITH_MARKS = re.compile(rf"[{MARKED}]+")
_CUT_AT_MARKS = re.compile(rf"[^\W_{_IDEOGRAPHS}]+")
_ACCENT = re.compile("[\u0300-\u036f]")

T = TypeVar("T")


class ElasticKeywords:
    """All tenants' chunks, in `<prefix>-chunks-<tenant>`."""

    def __init__(self, settings: Settings) -> None:
        self._server = ElasticServer(settings)
        self._prefix = f"{settings.index_prefix}-chunks-"
        self._current: set[str] = set()
        self._known: set[str] = set()

    def writer(self, tenant: Tenant) -> ElasticKeywordWriter:
        """For workers."""
        return ElasticKeywordWriter(self._server, f"{self._prefix}{tenant}", self._current)

    def reader(self, tenant: Tenant) -> ElasticKeywordReader:
        """For queries."""
        return ElasticKeywordReader(self._server, f"{self._prefix}{tenant}", self._known)

    def tenants(self) -> set[Tenant]:
        """Those that have an index."""
        with self._server.client() as client:
            aliases = {
                alias
                for index in client.indices.get_alias(index=f"{self._prefix}*").values()
                for alias in index["aliases"]
            }
        return {Tenant(alias.removeprefix(self._prefix)) for alias in aliases}

    def drop(self, tenant: Tenant) -> None:
        """Delete the tenant's index. Raises `TryLater` (`store_newer`)."""
        with self._server.client() as client:
            _look(client, f"{self._prefix}{tenant}")
            client.indices.delete(index=_index(f"{self._prefix}{tenant}"), ignore_unavailable=True)

    def close(self) -> None:
        """Close the connections."""
        self._server.close()


class ElasticKeywordWriter:
    """Writes one tenant's chunks; see `trivium.ports.keywords.KeywordWriter`."""

    def __init__(self, server: ElasticServer, alias: str, current: set[str]) -> None:
        """`current` are the aliases whose index this process knows, and to have every field."""
        self._server = server
        self._alias = alias
        self._current = current

    def upsert(self, rows: Sequence[KeywordRow]) -> None:
        """Store the chunks, some megabytes a request; the tenant's first ones make its index."""
        stored = {row.chunk.id: _row(row) for row in rows}
        if not stored:
            return
        actions: list[Action] = [
            {"_op_type": "index", "_id": chunk_id, "_source": row} for chunk_id, row in stored.items()
        ]
        try:
            self._add_fields()
            self._server.bulk(self._alias, actions)
        except TryLater as error:
            if not is_missing(error):
                raise
            self._make_index()
            self._server.bulk(self._alias, actions)

    def _add_fields(self) -> None:
        """Once in a process: the server leaves a mapping that has the fields as it is."""
        if self._alias in self._current:
            return
        self._server.patiently(self._bring_up_to_date)
        self._current.add(self._alias)

    def _bring_up_to_date(self, client: Elasticsearch) -> None:
        _look(client, self._alias)
        client.indices.put_mapping(index=self._alias, properties=_ADDED)

    def delete(self, document_id: str) -> None:
        """Remove the document's chunks."""
        self.delete_others({document_id: ""})

    def delete_others(self, kept: Mapping[str, str]) -> None:
        """Remove all but the version that each document keeps."""
        with self._server.client() as client:
            for some in batches(kept.items(), _DOCUMENTS_PER_DELETE):
                for hits in _pages(client, self._alias, {"bool": {"should": [_but(*each) for each in some]}}):
                    self._server.bulk(self._alias, [{"_op_type": "delete", "_id": hit["_id"]} for hit in hits])

    def ids(self, versions: Mapping[str, str]) -> dict[str, set[str]]:
        """The chunk ids stored for one version of each document."""
        found: dict[str, set[str]] = {document_id: set() for document_id in versions}
        with self._server.client() as client:
            for some in batches(found, _DOCUMENTS_PER_READ):
                for hits in _pages(client, self._alias, {"terms": {"document_id": some}}):
                    for hit in hits:
                        (document_id,), (version,) = hit["fields"]["document_id"], hit["fields"]["version"]
                        if version == versions[document_id]:
                            found[document_id].add(hit["_id"])
        return found

    def versions(self) -> Iterator[tuple[str, str]]:
        """Every (document id, version) that has rows."""
        with self._server.client() as client:
            client.indices.refresh(index=self._alias, ignore_unavailable=True)
            sources = [{name: {"terms": {"field": name}}} for name in ("document_id", "version")]
            pairs: dict[str, Any] = {"size": _PAGE, "sources": sources}
            while True:
                answer = client.search(
                    index=self._alias, ignore_unavailable=True, size=0, aggs={"pairs": {"composite": pairs}}
                )
                found = answer.get("aggregations", {}).get("pairs", {"buckets": []})
                yield from ((bucket["key"]["document_id"], bucket["key"]["version"]) for bucket in found["buckets"])
                if "after_key" not in found:
                    return
                pairs["after"] = found["after_key"]

    def unlike(self, rows: Sequence[KeywordRow]) -> set[str]:
        """The chunks that are kept otherwise. Their words, which are kept only as an index, are not compared."""
        wanted = {row.chunk.id: _fields(row) for row in rows}
        same = set()
        with self._server.client() as client:
            for some in batches(wanted, _CHUNKS_PER_PAGE):
                answer = client.mget(index=self._alias, ids=some)
                self._server.require_answers(answer["docs"])
                same |= {doc["_id"] for doc in answer["docs"] if doc.get("found") and _is(doc["_source"], wanted)}
        return set(wanted) - same

    def _make_index(self) -> None:
        """Two processes may do so at once.

        Readers and writers know the index by its alias, which it gets when it answers: one that was just made refuses
        every search until its shard has started.
        """
        index = _index(self._alias)
        with self._server.client() as client:
            try:
                client.indices.create(index=index, settings=_SETTINGS, mappings=_MAPPINGS)
            except BadRequestError as error:
                if error.error != "resource_already_exists_exception":
                    raise
            client.indices.open(index=index, wait_for_active_shards=1)  # it is open: this waits
            client.indices.put_alias(index=index, name=self._alias)


class ElasticKeywordReader:
    """Reads one tenant's chunks; see `trivium.ports.keywords.KeywordReader`."""

    def __init__(self, server: ElasticServer, alias: str, known: set[str]) -> None:
        """`known` are the aliases whose index this process knows to be of a shape that it can read."""
        self._server = server
        self._alias = alias
        self._known = known

    async def _read(self, work: Callable[[AsyncElasticsearch], Awaitable[T]]) -> T:
        """`work`; until the index is known, its shape is asked beside it. Raises `TryLater` (`store_newer`)."""
        if self._alias in self._known:
            return await self._server.read(work)
        look, found = await asyncio.gather(
            self._server.read(self._look), self._server.read(work), return_exceptions=True
        )
        if isinstance(look, TryLater) and look.code == NEWER:
            raise look
        if isinstance(found, BaseException):
            raise found
        return found

    async def _look(self, client: AsyncElasticsearch) -> None:
        indices = await client.options(ignore_status=404).indices.get_alias(name=self._alias)
        if indices.meta.status == HTTPStatus.OK:
            require_known(indices)
            self._known.add(self._alias)

    async def search(self, text: str, limit: int, where: RowFilter = EVERYWHERE) -> list[Scored]:
        """The best chunks by BM25; what stands after `MAX_QUERY_CHARS` is not read."""
        asked = text[:MAX_QUERY_CHARS]
        words = list(dict.fromkeys((*_words(asked), *_words_of_before(asked))))[:MAX_QUERY_WORDS]
        if not words or limit <= 0 or where.document_ids == ():
            return []
        condition = {"must": {"match": {"words": " ".join(words)}}, "filter": _passing(where)}

        async def search(client: AsyncElasticsearch) -> list[Any]:
            answer = await client.search(
                index=self._alias,
                ignore_unavailable=True,
                query={"bool": condition},
                size=min(limit + _SPARE_HITS, _MAX_HITS),
                stored_fields="_none_",
                docvalue_fields=[{"field": "chunk_id"}],
                track_total_hits=False,
                filter_path=_HITS,
            )
            return list(answer.get("hits", {}).get("hits", ()))

        hits = await self._read(search)
        ranked = sorted((-hit["_score"], hit["fields"]["chunk_id"][0]) for hit in hits)
        return [Scored(chunk_id, -score) for score, chunk_id in ranked[:limit]]

    async def rarities(self, words: Sequence[str]) -> dict[str, float]:
        """The inverse document frequency of each word that a chunk holds, from the index's own statistics."""
        plain = [" ".join(_words(word)) for word in words]
        if not any(plain):
            return {}

        async def read(client: AsyncElasticsearch) -> dict[str, Any]:
            answer = await client.termvectors(
                index=self._alias,
                doc={"words": " ".join(plain)},
                fields=["words"],
                term_statistics=True,
                positions=False,
                payloads=False,
            )
            return dict(answer["term_vectors"].get("words", {}))

        try:
            found = await self._read(read)
        except TryLater as error:
            if is_missing(error):
                return {}
            raise
        starts = list(accumulate((_utf16(each) + 1 for each in plain), initial=0))
        rarity: dict[str, float] = {}
        for place, value in _rarities(found):
            word = words[bisect_right(starts, place) - 1]
            rarity[word] = rarity.get(word, 0.0) + value
        return rarity

    async def chunks(self, chunk_ids: Sequence[str]) -> dict[str, Chunk]:
        """The chunks by id."""
        found: dict[str, Chunk] = {}

        async def read(client: AsyncElasticsearch) -> None:
            for some in batches(chunk_ids, _CHUNKS_PER_PAGE):
                answer = await client.mget(index=self._alias, ids=some, realtime=False)
                self._server.require_answers(answer["docs"])
                found.update((doc["_id"], _chunk(doc)) for doc in answer["docs"] if doc.get("found"))

        await self._read(read)
        return found

    async def document_chunks(self, document_id: str, version: str, start: int = 0, limit: int = 1000) -> list[Chunk]:
        """The chunks of one version by ordinal."""
        condition: list[dict[str, Any]] = [
            {"term": {"document_id": document_id}},
            {"term": {"version": version}},
            {"range": {"ordinal": {"gte": start}}},
        ]
        found: list[Chunk] = []

        async def read(client: AsyncElasticsearch) -> None:
            after: dict[str, Any] = {}
            while (size := min(limit - len(found), _CHUNKS_PER_PAGE)) > 0:
                answer = await client.search(
                    index=self._alias,
                    ignore_unavailable=True,
                    query={"bool": {"filter": condition}},
                    sort=[{"ordinal": "asc"}, {"chunk_id": "asc"}],
                    size=size,
                    track_total_hits=False,
                    **after,
                )
                hits = answer["hits"]["hits"]
                found.extend(_chunk(hit) for hit in hits)
                if len(hits) < size:
                    return
                after = {"search_after": hits[-1]["sort"]}

        await self._read(read)
        return found


def _passing(where: RowFilter) -> list[dict[str, Any]]:
    """The conditions of a filter. A chunk from before kinds or times were kept passes, and is looked at afterwards."""
    conditions: list[dict[str, Any]] = []
    if where.document_ids is not None:
        conditions.append({"terms": {"document_id": list(where.document_ids)}})
    if where.dataset:
        conditions.append({"term": {"dataset": where.dataset}})
    if where.kinds:
        conditions.append(_or_unknown("kinds", {"terms": {"kinds": list(where.kinds)}}))
    if where.run:
        conditions.append({"term": {"run": where.run}})
    if where.period:
        bounds = {"gte": where.period.start, "lt": where.period.end}
        given = {name: bound for name, bound in bounds.items() if bound is not None}
        conditions.append(_or_unknown("uploaded", {"range": {where.period.of.value: given}}))
    return conditions


def _or_unknown(field: str, condition: dict[str, Any]) -> dict[str, Any]:
    return {"bool": {"should": [condition, {"bool": {"must_not": {"exists": {"field": field}}}}]}}


def _utf16(text: str) -> int:
    """As Lucene counts: a letter beyond the first 65,536 is two."""
    return len(text.encode("utf-16-le")) // 2


def _rarities(statistics: Mapping[str, Any]) -> Iterator[tuple[int, float]]:
    """Where each token stands in the text that was asked about, and its rarity; Lucene's idf, as BM25 takes it."""
    for token in statistics.get("terms", {}).values():
        if chunks := token.get("doc_freq", 0):
            rarity = math.log1p((statistics["field_statistics"]["doc_count"] - chunks + 0.5) / (chunks + 0.5))
            yield from ((place["start_offset"], rarity) for place in token["tokens"])


def require_known(indices: Iterable[str]) -> None:
    """Raises `TryLater` (`store_newer`) where the name of one ends with a later shape than this release knows."""
    for index in indices:
        shape = index.rpartition(".")[2]
        refuse_newer(f"index {index} in Elasticsearch", int(shape) if shape.isdecimal() else 0, _SHAPE)


def _look(client: Elasticsearch, alias: str) -> None:
    indices = client.options(ignore_status=404).indices.get_alias(name=alias)
    if indices.meta.status == HTTPStatus.OK:
        require_known(indices)


def _index(alias: str) -> str:
    return f"{alias}.{_SHAPE}"


def _but(document_id: str, version: str) -> dict[str, Any]:
    """The document's chunks that are of another version."""
    of = {"filter": [{"term": {"document_id": document_id}}], "must_not": [{"term": {"version": version}}]}
    return {"bool": of}


def _pages(client: Elasticsearch, alias: str, query: Mapping[str, Any]) -> Iterator[list[dict[str, Any]]]:
    """The chunks that every write so far has left, a page of ids at a time."""
    client.indices.refresh(index=alias, ignore_unavailable=True)
    after: dict[str, Any] = {}
    while True:
        answer = client.search(
            index=alias,
            ignore_unavailable=True,
            query=query,
            sort=[{"chunk_id": "asc"}],
            size=_PAGE,
            source=False,
            docvalue_fields=[{"field": "document_id"}, {"field": "version"}],
            track_total_hits=False,
            **after,
        )
        hits = answer["hits"]["hits"]
        yield hits
        if len(hits) < _PAGE:
            return
        after = {"search_after": hits[-1]["sort"]}


def _row(row: KeywordRow) -> bytes:
    chunk = row.chunk
    fields = {**_fields(row), "words": " ".join(_words(f"{chunk.heading}\n{chunk.context}\n{chunk.text}"))}
    try:
        return msgspec.json.encode(fields)
    except UnicodeEncodeError as error:
        raise Refused("bad_text", "The text holds half a surrogate pair.", "Send valid Unicode.") from error


def _fields(row: KeywordRow) -> dict[str, Any]:
    """What is kept as it is; a document without a date of its own has none."""
    chunk, scope = row.chunk, row.scope
    dated = {} if scope.dated is None else {"dated": scope.dated}
    return {
        "chunk_id": chunk.id,
        "document_id": chunk.document_id,
        "version": chunk.version,
        "ordinal": chunk.ordinal,
        "dataset": scope.dataset,
        "run": scope.run,
        "uploaded": scope.uploaded,
        **dated,
        "kinds": list(chunk.held_kinds),
        "chunk": chunk,
    }


def _is(source: Mapping[str, Any], wanted: Mapping[str, Mapping[str, Any]]) -> bool:
    """Whether it is what is wanted."""
    try:
        chunk = msgspec.convert(source["chunk"], Chunk)
        kept = {**source, "chunk": chunk}
    except (KeyError, msgspec.ValidationError):
        return False
    return kept == wanted.get(chunk.id)


def _chunk(hit: Mapping[str, Any]) -> Chunk:
    return msgspec.convert(hit["_source"]["chunk"], Chunk)


def _words(text: str) -> Iterator[str]:
    """Lower case, without accents; every ideograph by itself, as `standard` takes them.

    Of other scripts without spaces pairs of letters. `standard` keeps "4.0" whole: it comes beside its parts.
    """
    for found in _WORD.finditer(_folded(text)):
        yield from pairs(found["run"]) if found["run"] else (found.group()[:_WORD_CHARS],)
    yield from (number[:_WORD_CHARS].rstrip(".") for number in dotted_numbers(text))


def _words_of_before(text: str) -> Iterator[str]:
    """The pieces at which chunks that were written before marks were part of words hold those."""
    for found in _WITH_MARKS.finditer(text):
        yield from (piece[:_WORD_CHARS] for piece in _CUT_AT_MARKS.findall(_folded(found.group())))


def _folded(text: str) -> str:
    plain = text.lower()
    if plain.isascii():
        return plain
    return spelt(_ACCENT.sub("", unicodedata.normalize("NFD", plain)))
