"""What `trivium doctor` asks of each server, one function a server.

A probe connects as the product does, so that what it finds is what the product would find. It stops, by raising
`TriviumError`, at the first thing without which the rest cannot be asked.
"""

from __future__ import annotations

import re
import uuid
from collections.abc import Iterator
from contextlib import closing
from email.utils import parsedate_to_datetime
from typing import Any
from urllib.parse import urlsplit

import urllib3
from minio import Minio
from minio.error import MinioException, S3Error

from trivium.adapters.distributed.elasticsearch.keywords import require_known
from trivium.adapters.distributed.elasticsearch.server import ElasticServer
from trivium.adapters.distributed.milvus.rows import SPACES, Collections
from trivium.adapters.distributed.milvus.server import MilvusServer
from trivium.adapters.distributed.neo4j.schema import SCHEMA
from trivium.adapters.distributed.neo4j.server import Neo4jServer
from trivium.adapters.distributed.redis.server import RedisServer
from trivium.adapters.distributed.s3.bucket import Bucket
from trivium.adapters.distributed.s3.errors import unreachable
from trivium.adapters.distributed.s3.objects import StateBucket
from trivium.adapters.models import connect_models
from trivium.authorities import trusted
from trivium.certificate_probes import identity_provider, over_tls
from trivium.checkup import Finding, Probe, clock, examine, space, version
from trivium.child_process.network_probe import network_lock
from trivium.config import Settings
from trivium.domain.errors import NeverWill
from trivium.llm.probe import probe_llm

TIMEOUT_S = 5.0
_REDIS_FULL_SHARE = 0.9
_STEMMED = ("ponies", "poni")  # what Porter's algorithm makes of it
_UPLOAD_EVENTS = ("s3:ObjectCreated:", "s3:ObjectRemoved:")
_NO_TAG = "0" * 32  # of no object
_CONSTRAINT = re.compile(r"CREATE CONSTRAINT (\w+)")


def checkup(settings: Settings) -> list[Finding]:
    """See `trivium.checkup.Checkup`."""
    others: dict[str, Probe] = {
        "inference": inference,
        "language model": probe_llm,
        "identity provider": identity_provider,
        "parsers": network_lock,
    }
    return examine(servers() | others, settings)


def servers() -> dict[str, Probe]:
    """Of those that Trivium cannot do without."""
    return {
        "object store": over_tls("s3", object_store),
        "redis": over_tls("redis", redis),
        "milvus": over_tls("milvus", milvus),
        "elasticsearch": over_tls("elasticsearch", elasticsearch),
        "neo4j": over_tls("neo4j", neo4j),
    }


def object_store(settings: Settings) -> Iterator[Finding]:
    """Buckets, conditional writes, clock and notification. S3 tells neither its version nor its free space."""
    part = "object store"
    own = StateBucket(settings)
    yield clock(part, _date_of(settings))
    key = f"doctor/{uuid.uuid4().hex}"
    own.put(key, b"")
    written = {
        "If-None-Match": own.put(key, b"", if_absent=True),
        "If-Match": own.put(key, b"", if_match=_NO_TAG),
    }
    own.delete(key)
    yield Finding(part, f"bucket {own.name}", True, "can be written")
    ignored = [header for header, tag in written.items() if tag is not None]
    found = f"{' and '.join(ignored)} ignored" if ignored else "honoured"
    action = "Use a store that honours If-None-Match and If-Match on PUT, as S3 and MinIO do." if ignored else ""
    yield Finding(part, "conditional writes", not ignored, found, action)
    Bucket(settings, settings.s3_uploads, "TRIVIUM_S3_UPLOADS").page("", limit=1)
    yield Finding(part, f"bucket {settings.s3_uploads}", True, "can be read")
    yield _notification(settings)


def redis(settings: Settings) -> Iterator[Finding]:
    """Version, clock, memory and what happens when it is full."""
    with closing(RedisServer(settings)) as server:
        info: dict[str, Any] = server.call(lambda client: client.info())
        seconds, microseconds = server.call(lambda client: client.time())
    yield version("redis", str(info["redis_version"]), least=(7, 0))
    yield clock("redis", seconds + microseconds / 1e6)
    used, most, policy = int(info["used_memory"]), int(info["maxmemory"]), str(info["maxmemory_policy"])
    kept = not most or policy == "noeviction"
    yield Finding(
        "redis", "eviction", kept, policy, "" if kept else "Set maxmemory-policy noeviction: evicted keys are leases."
    )
    room = not most or used < _REDIS_FULL_SHARE * most
    found = f"{used / 1024**2:,.0f} MiB used" + (f" of {most / 1024**2:,.0f}" if most else "")
    yield Finding("redis", "memory", room, found, "" if room else "Raise its maxmemory.")


def milvus(settings: Settings) -> Iterator[Finding]:
    """Version and collections. It tells neither its clock nor its free space."""
    with closing(MilvusServer(settings)) as server, server.client() as client:
        yield version("milvus", str(client.get_server_version()), least=(2, 3), below=(3,))
        names = [name for name in client.list_collections() if name.startswith(f"{settings.index_prefix}_")]
        for space in SPACES:
            Collections(f"{settings.index_prefix}_{space}_").own(names)
    yield _schema("milvus", names, "collection")


def elasticsearch(settings: Settings) -> Iterator[Finding]:
    """Version, health, analysis, clock, free space and indexes."""
    part = "elasticsearch"
    with closing(ElasticServer(settings)) as server, server.client() as whole:
        client = whole.options(request_timeout=TIMEOUT_S)
        stats = client.nodes.stats(metric=["fs"])["nodes"].values()
        for node in client.nodes.info(filter_path="nodes.*.version")["nodes"].values():
            yield version(part, node["version"], least=(8, 0), below=(9,))
        health = client.cluster.health()["status"]
        action = "" if health != "red" else "See GET _cluster/allocation/explain."
        yield Finding(part, "health", health != "red", health, action)
        for node in stats:
            yield clock(part, node["timestamp"] / 1000)
            yield space(part, node["fs"]["total"]["available_in_bytes"], node["fs"]["total"]["total_in_bytes"])
        yield _stemming(server)
        names = client.indices.get(index=f"{settings.index_prefix}-*", filter_path="*.settings.index.uuid")
        require_known(names)
    yield _schema(part, list(names), "index")


def neo4j(settings: Settings) -> Iterator[Finding]:
    """Version, clock and constraints. It does not tell its free space."""
    with closing(Neo4jServer(settings)) as server:
        for name, found, edition in server.run(
            "CALL dbms.components() YIELD name, versions, edition RETURN name, versions[0], edition"
        ):
            if name == "Neo4j Kernel":
                yield version("neo4j", f"{found}-{edition}", least=(5, 23))
        yield clock("neo4j", server.run("RETURN timestamp()")[0][0] / 1000)
        names = {name for (name,) in server.run("SHOW CONSTRAINTS YIELD name RETURN name")}
    wanted = set(_CONSTRAINT.findall("\n".join(SCHEMA)))
    missing = sorted(wanted - names) if wanted & names else []
    action = "Run `MATCH (s:Schema) DELETE s` there: the next document makes them." if missing else ""
    there = f"{len(wanted & names)} constraints" if wanted & names else "made with the first document"
    yield Finding("neo4j", "schema", not missing, f"missing: {', '.join(missing)}" if missing else there, action)


def inference(settings: Settings) -> Iterator[Finding]:
    """One query goes through the service, where there is one; else there are models for each process."""
    with connect_models(settings) as models:
        if settings.inference_url:
            models.embedder.embed_queries(["Are you there?"])
        where = f"at {settings.inference_url}" if settings.inference_url else "in each process"
        yield Finding("inference", "embeds", True, f"{models.embedder.fingerprint}, {where}")


def _date_of(settings: Settings) -> float:
    """The Unix time in an answer of the object store, whatever the answer is."""
    url = settings.s3_url
    try:
        answer = _pool(settings).request("GET", url, redirect=False)
        return parsedate_to_datetime(answer.headers["Date"]).timestamp()
    except urllib3.exceptions.HTTPError as error:
        raise unreachable(error, urlsplit(url).netloc) from error
    except (KeyError, ValueError) as error:
        raise NeverWill(
            "object_store_error", f"What answers at {url} tells no time.", "Check TRIVIUM_S3_URL."
        ) from error


def _notification(settings: Settings) -> Finding:
    """Whether uploads and deletions are announced. Called once the bucket is known to answer."""
    address = urlsplit(settings.s3_url)
    client = Minio(
        address.netloc,
        access_key=settings.s3_access_key,
        secret_key=settings.s3_secret_key,
        secure=address.scheme == "https",
        region=settings.s3_region,
        http_client=_pool(settings),
    )
    try:
        config = client.get_bucket_notification(settings.s3_uploads)
    except MinioException as error:
        why = error.code if isinstance(error, S3Error) else type(error).__name__
        action = f"Uploads are found by listing; allow s3:GetBucketNotification on bucket {settings.s3_uploads}."
        return Finding("object store", "notification", False, f"cannot be read: {why}", action)
    except urllib3.exceptions.HTTPError as error:
        raise unreachable(error, address.netloc) from error
    targets = [*config.queue_config_list, *config.topic_config_list, *config.cloud_func_config_list]
    told = {event for target in targets for event in target.events}
    missing = [event for event in _UPLOAD_EVENTS if not any(name.startswith(event) for name in told)]
    return Finding(
        "object store",
        "notification",
        not missing,
        f"no {' and '.join(f'{event}*' for event in missing)}" if missing else f"{len(targets)} targets",
        f"Have bucket {settings.s3_uploads} announce them; until then uploads are found by listing." if missing else "",
    )


def _pool(settings: Settings) -> urllib3.PoolManager:
    tls = trusted(settings.ca_file) if settings.s3_url.startswith("https:") else None
    return urllib3.PoolManager(timeout=TIMEOUT_S, retries=False, ssl_context=tls)


def _stemming(server: ElasticServer) -> Finding:
    word, stem = _STEMMED
    try:
        with server.client() as client:
            answer = client.indices.analyze(tokenizer="standard", filter=["lowercase", "porter_stem"], text=word)
        found = answer["tokens"][0]["token"]
    except NeverWill as error:
        found = error.message
    ok = found == stem
    return Finding(
        "elasticsearch",
        "analysis",
        ok,
        "porter_stem" if ok else found,
        "" if ok else "Install the distribution with its analysis-common module, or a porter_stem plugin.",
    )


def _schema(part: str, names: list[str], noun: str) -> Finding:
    found = f"{len(names)} of {noun}: {', '.join(sorted(names)[:3])}" if names else "made with the first document"
    return Finding(part, "schema", True, found)
