"""Trivium as an operator runs it: a process for each service, on the real servers that the environment names."""

from __future__ import annotations

import io
import os
import signal
import socket
import subprocess
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import grpc
import httpx2
from doors import COMMANDS, Doors
from leftovers import claim_broker, remove_all
from minio import Minio
from minio.notificationconfig import NotificationConfig, QueueConfig
from waiting import LONG_PAUSE_S, wait_until
from warm_process import Started, Warm

from trivium.config import load_settings
from trivium.flow.intake import upload_source

START_S = 240.0
LISTING_S = 0.2  # between two listings of all documents
INFERENCE, CONTROL, INGEST, GRAPH, QUERY = (
    "trivium-gpu-inference",
    "trivium-ingest-control",
    "trivium-ingest-worker",
    "trivium-graph-worker",
    "trivium-query-api",
)
PROCESSES = (INFERENCE, CONTROL, INGEST, GRAPH, QUERY)
WARM = Warm(
    *COMMANDS,
    "trivium_query.main",
    "trivium_ingest.main",
    "trivium_graph.main",
    "trivium_inference.main",
    "trivium.adapters.distributed.milvus.vectors",
    "trivium.adapters.distributed.elasticsearch.keywords",
    "trivium.adapters.distributed.neo4j.graph",
    "trivium.struct_types:prepare_struct_types",
)
RECONCILE_S = 5  # all clusters' events go through one list: each takes some of the others', which only a listing finds


def named(setting: str) -> str:
    """A setting that the environment must have; ends the program where nobody named the servers."""
    if setting not in os.environ:
        raise SystemExit(f"{setting} is not set. Run `make services`, then `set -a; . .services/env; set +a`.")
    return os.environ[setting]


class Cluster(Doors):
    """One installation of its own on shared servers: its buckets, its indexes, its broker's database.

    `start` starts what is not running of the named processes, all of them by default; the others are stopped, killed or
    paused by name. `trivium-ingest-worker#2` is a second one of a kind. Their output is kept in `folder`.
    """

    warm = WARM

    def __init__(self, folder: Path, **settings: str) -> None:
        self.name = f"t{uuid.uuid4().hex[:8]}"
        ports = dict(zip(("http", "grpc", "inference", "metrics", "events"), free_ports(5), strict=True))
        if "TRIVIUM_BROKER_URL" not in settings:
            settings["TRIVIUM_BROKER_URL"] = claim_broker(named("TRIVIUM_REDIS_URL"))
        super().__init__(
            {
                **os.environ,
                "TRIVIUM_INDEX_PREFIX": self.name,
                "TRIVIUM_S3_BUCKET": f"{self.name}-state",
                "TRIVIUM_S3_UPLOADS": f"{self.name}-uploads",
                "TRIVIUM_RECONCILE_S": str(RECONCILE_S),
                "TRIVIUM_HTTP_PORT": str(ports["http"]),
                "TRIVIUM_GRPC_PORT": str(ports["grpc"]),
                "TRIVIUM_INFERENCE_PORT": str(ports["inference"]),
                "TRIVIUM_INFERENCE_METRICS_PORT": str(ports["metrics"]),
                "TRIVIUM_INFERENCE_URL": f"127.0.0.1:{ports['inference']}",
                "TRIVIUM_EVENTS_PORT": str(ports["events"]),
                **settings,
            }
        )
        self.folder = folder
        self.url = f"http://127.0.0.1:{ports['http']}"
        self.env["TRIVIUM_URL"] = self.url
        self.grpc = f"127.0.0.1:{ports['grpc']}"
        self.uploads = self.env["TRIVIUM_S3_UPLOADS"]
        self.s3 = Minio(
            urlsplit(named("TRIVIUM_S3_URL")).netloc,
            named("TRIVIUM_S3_ACCESS_KEY"),
            named("TRIVIUM_S3_SECRET_KEY"),
            secure=False,
        )
        self.running: dict[str, Started] = {}

    def make_buckets(self, *, events: bool = True) -> None:
        """The two buckets, and the upload's notifications to Redis."""
        for bucket in (self.env["TRIVIUM_S3_BUCKET"], self.uploads):
            self.s3.make_bucket(bucket)
        if events:
            queue = QueueConfig(
                queue="arn:minio:sqs::TRIVIUM:redis", events=["s3:ObjectCreated:*", "s3:ObjectRemoved:*"]
            )
            self.s3.set_bucket_notification(self.uploads, NotificationConfig(queue_config_list=[queue]))

    def start(self, *names: str, **settings: str) -> Cluster:
        """Start processes and wait for those that say when they are ready."""
        self.folder.mkdir(parents=True, exist_ok=True)
        env = {**self.env, **settings}
        for name in names or PROCESSES:
            if name not in self.running:
                with (self.folder / f"{name}.log").open("ab") as output:
                    self.running[name] = self.warm.start([name.partition("#")[0]], env, output, output)
        if QUERY in self.running:
            wait_until(
                self._up, "the query service is up", limit_s=START_S, told=self.logs, longest_pause_s=LONG_PAUSE_S
            )
        return self

    def start_beside(self, name: str) -> str:
        """Start another query service, called `trivium-query-api#2` or so, on ports of its own; its address."""
        http, rpc = map(str, free_ports(2))
        self.start(name, TRIVIUM_HTTP_PORT=http, TRIVIUM_GRPC_PORT=rpc)
        log = self.folder / f"{name}.log"
        wait_until(lambda: "gRPC" in log.read_text(), f"{name} is up", limit_s=START_S, told=self.logs)
        return f"http://127.0.0.1:{http}"

    def channel(self) -> grpc.Channel:
        return grpc.insecure_channel(self.grpc)

    def signal(self, name: str, number: signal.Signals) -> None:
        """SIGSTOP, SIGCONT and SIGKILL reach the children too, as a machine's pause or end would."""
        process = self.running[name]
        if number is signal.SIGKILL:
            process.send_signal(signal.SIGSTOP)  # it must not replace the children that die first
        if number in (signal.SIGSTOP, signal.SIGCONT, signal.SIGKILL):
            for child in _children(process.pid):
                with suppress(ProcessLookupError):
                    os.kill(child, number)
        process.send_signal(number)

    def kill(self, name: str) -> None:
        self.signal(name, signal.SIGKILL)
        self.running.pop(name).wait(30)

    def stop(self, *names: str) -> None:
        """SIGTERM, and wait; what does not end in time is killed and told."""
        stopping = [(name, self.running.pop(name)) for name in (names or tuple(self.running)) if name in self.running]
        for _, process in stopping:
            process.terminate()
        for name, process in stopping:
            try:
                process.wait(60)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait(30)
                raise AssertionError(f"{name} did not stop:\n{self.log(name)}") from None

    def log(self, name: str) -> str:
        return (self.folder / f"{name}.log").read_text()[-4000:]

    def upload(self, key: str, content: bytes) -> None:
        """As anybody's S3 client would."""
        self.s3.put_object(self.uploads, key, io.BytesIO(content), len(content))

    @contextmanager
    def archive(self, **contents: bytes) -> Iterator[str]:
        """The address, for a backfill, of a bucket that holds these (NAME.txt each), for the block's length."""
        bucket = f"{self.name}-archive"
        self.s3.make_bucket(bucket)
        try:
            for name, content in contents.items():
                self.s3.put_object(bucket, f"{name}.txt", io.BytesIO(content), len(content))
            yield f"s3://{bucket}/"
        finally:
            for name in contents:
                self.s3.remove_object(bucket, f"{name}.txt")
            self.s3.remove_bucket(bucket)

    def document(self, upload: str, timeout_s: float = 120.0, key: str = "") -> dict[str, Any]:
        """The terminal record of the object `upload`, as the API key's owner sees it."""
        source = upload_source(self.uploads, upload)

        def settled() -> list[dict[str, Any]]:
            return [found for found in self.documents(key) if found["name"] == source and _ended(found)]

        def told() -> str:
            return f"{self.documents(key)}\n{self.logs()}"

        return wait_until(settled, f"{upload} is settled", limit_s=timeout_s, told=told, pause_s=LISTING_S)[0]

    def until_unlisted(self, key: str, timeout_s: float = 60.0) -> None:
        """Wait until the upload `key` is no document any more."""
        source = upload_source(self.uploads, key)

        def gone() -> bool:
            return all(found["name"] != source for found in self.documents())

        wait_until(gone, f"{key} is not listed", limit_s=timeout_s, told=self.logs, pause_s=LISTING_S)

    def documents(self, key: str = "") -> list[dict[str, Any]]:
        """Every record but the deleted ones, which are not listed."""
        found: list[dict[str, Any]] = []
        cursor = ""
        with self.http(key) as client:
            while True:
                page = client.get("/v1/sources", params={"limit": 100, "cursor": cursor}).json()
                found += page["sources"]
                cursor = page.get("cursor", "")
                if not cursor:
                    return found

    def workers(self, queue: str) -> int:
        """Worker processes that look into it and have told so."""
        address = f"http://127.0.0.1:{self.env['TRIVIUM_EVENTS_PORT']}/backlog"
        found: int = httpx2.get(address, params={"queues": queue}, timeout=10, trust_env=False).json()["total"][
            "workers"
        ]
        return found

    def remove(self) -> None:
        """Stop what runs, and remove what the servers hold of it."""
        self.stop()
        remove_all(load_settings(self.env))

    def _up(self) -> bool:
        for name, process in self.running.items():
            assert process.poll() is None, f"{name} ended:\n{self.log(name)}"
        try:
            with self.http() as client:
                return client.get("/healthz", timeout=5).is_success
        except httpx2.TransportError:
            return False

    def logs(self) -> str:
        """The end of what each running process has written."""
        return "\n".join(f"--- {name}\n{self.log(name)}" for name in self.running)


def _ended(document: dict[str, Any]) -> bool:
    return document["state"] not in ("pending", "running")


def free_ports(count: int) -> list[int]:
    """Of this machine, one moment ago."""
    listeners = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports: list[int] = [listener.getsockname()[1] for listener in listeners]
    for listener in listeners:
        listener.close()
    return ports


def _children(pid: int) -> list[int]:
    found = subprocess.run(["pgrep", "-P", str(pid)], capture_output=True, text=True, check=False).stdout.split()
    return [grandchild for child in map(int, found) for grandchild in (*_children(child), child)]
