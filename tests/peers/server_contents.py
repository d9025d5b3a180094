"""What an installation has on its five servers, in one file: saved at one version, loaded for the tests of later ones.

`python tests/peers/server_contents.py FILE` saves what the environment names (`TRIVIUM_INDEX_PREFIX` and its buckets),
read with the servers' own clients. The words of a passage are in Elasticsearch's index alone: they are made again by
the code that saves, which is the version that wrote them.
"""

from __future__ import annotations

import io
import lzma
import sys
from collections import defaultdict
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import elasticsearch
import msgspec
import neo4j
import redis
from buckets import client as s3_client
from elasticsearch.helpers import bulk

from trivium.adapters.distributed.elasticsearch.keywords import _chunk, _row
from trivium.adapters.distributed.milvus.without_pandas import DataType, MilvusClient
from trivium.config import Settings, load_settings
from trivium.domain.scope import Scope, Tenant
from trivium.ports.keywords import KeywordRow

Row = dict[str, Any]
SHAPE = ("settings", "mappings", "aliases")
ANALYSIS = ("analysis", "similarity", "number_of_shards", "max_terms_count")  # of an index's settings; not its name


class Contents(msgspec.Struct):
    """Everything under one prefix and in two buckets."""

    prefix: str
    buckets: dict[str, dict[str, bytes]]
    keys: dict[str, bytes]
    collections: dict[str, dict[str, Any]]
    indexes: dict[str, dict[str, Any]]
    nodes: list[tuple[str, list[str], Row]]
    relations: list[tuple[str, str, str, Row]]


def save(settings: Settings, file: Path) -> None:
    """Write what the servers hold."""
    file.write_bytes(lzma.compress(msgspec.msgpack.encode(held(settings)), preset=9))


def held(settings: Settings) -> Contents:
    """What the servers hold."""
    nodes, relations = _graph(settings)
    return Contents(
        settings.index_prefix,
        objects(settings),
        dict(_keys(settings)),
        dict(_collections(settings)),
        dict(_indexes(settings)),
        nodes,
        relations,
    )


def read(file: Path) -> Contents:
    """What `save` wrote."""
    return msgspec.msgpack.decode(lzma.decompress(file.read_bytes()), type=Contents)


def load(settings: Settings, contents: Contents) -> None:
    """Put it onto the servers of `settings`, which have the buckets and nothing in them."""
    _load_objects(settings, contents)
    with redis.Redis.from_url(settings.redis_url) as server:
        for key, value in contents.keys.items():
            server.restore(key, 0, value, replace=True)
    with closing(MilvusClient(settings.milvus_url, token=settings.milvus_token)) as milvus:
        for name, collection in contents.collections.items():
            _load_collection(milvus, name, collection)
    with _elastic(settings) as elastic:
        for name, index in contents.indexes.items():
            elastic.indices.create(index=name, **{part: index[part] for part in SHAPE})
            bulk(elastic, ({"_index": name, **row} for row in index["rows"]), refresh=True)
    with _driver(settings) as driver:
        _load_graph(driver, contents)


def objects(settings: Settings) -> dict[str, dict[str, bytes]]:
    """The contents of both buckets."""
    return {bucket: dict(_objects(settings, bucket)) for bucket in (settings.s3_bucket, settings.s3_uploads)}


def _objects(settings: Settings, bucket: str) -> Iterator[tuple[str, bytes]]:
    owner = s3_client(settings)
    for found in owner.list_objects(bucket, recursive=True):
        name = str(found.object_name)
        with owner.get_object(bucket, name) as answer:
            yield name, answer.read()


def _load_objects(settings: Settings, contents: Contents) -> None:
    owner = s3_client(settings)
    for bucket, objects in contents.buckets.items():
        for name, body in objects.items():
            owner.put_object(bucket, name, io.BytesIO(body), len(body))


def _keys(settings: Settings) -> Iterator[tuple[str, bytes]]:
    with redis.Redis.from_url(settings.redis_url) as server:
        for key in server.scan_iter(match=f"{settings.index_prefix}:{settings.s3_bucket}:*", count=1000):
            yield key.decode(), server.dump(key)


def _collections(settings: Settings) -> Iterator[tuple[str, dict[str, Any]]]:
    with closing(MilvusClient(settings.milvus_url, token=settings.milvus_token)) as client:
        for name in client.list_collections():
            if name.startswith(f"{settings.index_prefix}_"):
                fields = [
                    {"name": field["name"], "type": int(field["type"]), "primary": bool(field.get("is_primary"))}
                    | {"params": {key: int(value) for key, value in field.get("params", {}).items()}}
                    for field in client.describe_collection(name)["fields"]
                ]
                index = client.describe_index(name, client.list_indexes(name)[0])
                names = [field["name"] for field in fields]
                rows = client.query(name, filter='id != ""', output_fields=names, consistency_level="Strong")
                plain = [{key: _plain(row[key]) for key in names} for row in rows]
                yield name, {"fields": fields, "index": {**index}, "rows": plain}


def _plain(value: Any) -> Any:
    return [float(one) for one in value] if isinstance(value, list) else value


def _load_collection(client: MilvusClient, name: str, collection: dict[str, Any]) -> None:
    schema = client.create_schema(auto_id=False, enable_dynamic_field=False)
    for field in collection["fields"]:
        schema.add_field(field["name"], DataType(field["type"]), is_primary=field["primary"], **field["params"])
    index = collection["index"]
    params = client.prepare_index_params()
    params.add_index(index["field_name"], index_type=index["index_type"], metric_type=index["metric_type"], params={})
    client.create_collection(name, schema=schema, index_params=params, num_shards=1)
    client.insert(name, collection["rows"])


def _elastic(settings: Settings) -> elasticsearch.Elasticsearch:
    credentials = (settings.elasticsearch_user, settings.elasticsearch_password)
    return elasticsearch.Elasticsearch(settings.elasticsearch_url, basic_auth=credentials)


def _indexes(settings: Settings) -> Iterator[tuple[str, dict[str, Any]]]:
    with _elastic(settings) as client:
        for name, index in client.indices.get(index=f"{settings.index_prefix}-*").items():
            client.indices.refresh(index=name)
            hits = client.search(index=name, size=10_000)["hits"]["hits"]
            rows = [{"_id": hit["_id"], "_source": {**hit["_source"], "words": _words(hit)}} for hit in hits]
            kept = {key: value for key, value in index["settings"]["index"].items() if key in ANALYSIS}
            yield name, {"settings": kept, "mappings": index["mappings"], "aliases": index["aliases"], "rows": rows}


def _words(hit: dict[str, Any]) -> str:
    words: str = msgspec.json.decode(_row(KeywordRow(_chunk(hit), Scope(Tenant("default")))))["words"]
    return words


def _driver(settings: Settings) -> neo4j.Driver:
    return neo4j.GraphDatabase.driver(
        settings.neo4j_url, auth=(settings.neo4j_user, settings.neo4j_password), notifications_min_severity="OFF"
    )


def _graph(settings: Settings) -> tuple[list[tuple[str, list[str], Row]], list[tuple[str, str, str, Row]]]:
    own = {"own": f"{settings.index_prefix}:"}
    with _driver(settings) as driver:
        nodes = driver.execute_query(
            "MATCH (n) WHERE n.tenant STARTS WITH $own RETURN elementId(n), labels(n), properties(n)", own
        ).records
        relations = driver.execute_query(
            "MATCH (a)-[r]->(b) WHERE a.tenant STARTS WITH $own"
            " RETURN elementId(a), type(r), elementId(b), properties(r)",
            own,
        ).records
    return [tuple(record.values()) for record in nodes], [tuple(record.values()) for record in relations]


def _load_graph(driver: neo4j.Driver, contents: Contents) -> None:
    """Nodes have a label and a number of the loading's own until all relations stand."""
    by_labels = defaultdict(list)
    for identity, labels, properties in contents.nodes:
        by_labels[":".join(labels)].append({"id": identity, "properties": properties})
    for labels, rows in by_labels.items():
        driver.execute_query(
            f"UNWIND $rows AS row CREATE (n:Loading:{labels}) SET n = row.properties, n.loading = row.id", rows=rows
        )
    by_type = defaultdict(list)
    for start, name, end, properties in contents.relations:
        by_type[name].append({"start": start, "end": end, "properties": properties})
    for name, rows in by_type.items():
        driver.execute_query(
            "UNWIND $rows AS row MATCH (a:Loading {loading: row.start}) MATCH (b:Loading {loading: row.end})"
            f" CREATE (a)-[r:{name}]->(b) SET r = row.properties",
            rows=rows,
        )
    driver.execute_query("MATCH (n:Loading) REMOVE n:Loading, n.loading")


if __name__ == "__main__":
    save(load_settings(), Path(sys.argv[1]))
