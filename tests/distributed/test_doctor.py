"""`trivium doctor` against the real servers, and against what an operator gets wrong."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import msgspec
import pytest
from minio import Minio

from trivium.adapters.distributed import probes
from trivium.checkup import Finding
from trivium.config import load_settings

NOBODY = "127.0.0.1:9"  # the discard port: nothing listens there
SERVERS = {"object store", "redis", "milvus", "elasticsearch", "neo4j"}


def examined(**changes: object) -> list[Finding]:
    return probes.checkup(msgspec.structs.replace(load_settings(), **changes))


def problems(findings: list[Finding]) -> dict[str, Finding]:
    """Each part's problem; none has two here."""
    found = [finding for finding in findings if not finding.ok]
    assert len({finding.part for finding in found}) == len(found), found
    return {finding.part: finding for finding in found}


def test_servers_that_are_fit_have_no_problem() -> None:
    findings = examined(index_prefix=f"d{uuid.uuid4().hex[:8]}")
    assert problems(findings) == {}
    assert {finding.part for finding in findings} == {*SERVERS, "inference", "parsers"}
    checks = {(finding.part, finding.check) for finding in findings}
    assert {(part, "version") for part in SERVERS - {"object store"}} <= checks
    assert {(part, "clock") for part in SERVERS - {"milvus"}} <= checks
    assert ("object store", "notification") in checks
    assert ("elasticsearch", "free space") in checks


@pytest.mark.parametrize(
    ("part", "change"),
    [
        ("object store", {"s3_url": f"http://{NOBODY}"}),
        ("redis", {"redis_url": f"redis://{NOBODY}/0"}),
        ("milvus", {"milvus_url": f"http://{NOBODY}"}),
        ("elasticsearch", {"elasticsearch_url": f"http://{NOBODY}"}),
        ("neo4j", {"neo4j_url": f"bolt://{NOBODY}"}),
        ("inference", {"inference_url": NOBODY}),
        ("language model", {"llm": "vllm", "llm_model": "any", "llm_url": f"http://{NOBODY}/v1"}),
    ],
)
def test_a_server_that_is_not_there_is_named_with_its_address_and_hides_no_other(
    part: str, change: dict[str, object]
) -> None:
    findings = examined(**change)
    found = problems(findings)
    assert set(found) == {part}
    assert NOBODY in found[part].found
    assert found[part].action
    assert {finding.part for finding in findings} >= SERVERS


@pytest.mark.parametrize(
    ("part", "code", "change", "setting"),
    [
        ("object store", "object_store_credentials", {"s3_secret_key": "wrong-secret"}, "TRIVIUM_S3_SECRET_KEY"),
        ("object store", "object_store_credentials", {"s3_access_key": "nobody"}, "TRIVIUM_S3_ACCESS_KEY"),
        ("redis", "redis_credentials", {"redis_url": "redis://nobody:wrong@{redis}/0"}, "TRIVIUM_REDIS_URL"),
        (
            "elasticsearch",
            "elasticsearch_credentials",
            {"elasticsearch_password": "wrong"},
            "TRIVIUM_ELASTICSEARCH_API_KEY",
        ),
        ("neo4j", "neo4j_credentials", {"neo4j_user": "nobody"}, "TRIVIUM_NEO4J_USER"),
        ("neo4j", "neo4j_no_database", {"neo4j_database": "elsewhere"}, "TRIVIUM_NEO4J_DATABASE"),
        ("object store", "no_such_bucket", {"s3_bucket": "no-such-bucket"}, "TRIVIUM_S3_BUCKET"),
        ("object store", "no_such_bucket", {"s3_uploads": "no-such-bucket"}, "TRIVIUM_S3_UPLOADS"),
    ],
)
def test_what_a_server_refuses_is_told_with_the_setting_to_change(
    part: str, code: str, change: dict[str, str], setting: str
) -> None:
    redis = load_settings().redis_url.split("/")[2]
    found = problems(examined(**{name: value.format(redis=redis) for name, value in change.items()}))
    assert set(found) == {part}
    assert found[part].check == code
    assert setting in found[part].action


def test_uploads_that_are_not_announced_are_a_problem() -> None:
    settings = load_settings()
    bucket = f"silent-{uuid.uuid4().hex[:8]}"
    client = Minio(
        settings.s3_url.removeprefix("http://"), settings.s3_access_key, settings.s3_secret_key, secure=False
    )
    client.make_bucket(bucket)
    try:
        found = problems(examined(s3_uploads=bucket))
    finally:
        client.remove_bucket(bucket)
    assert set(found) == {"object store"}
    assert found["object store"].check == "notification"
    assert bucket in found["object store"].action


@contextmanager
def elasticsearch_of_version(version: str) -> Iterator[str]:
    """Answers as far as the doctor asks; gives its URL."""
    node = {"version": version, "timestamp": 0, "fs": {"total": {"available_in_bytes": 0, "total_in_bytes": 1 << 40}}}

    class Answers(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            answer = {"nodes": {"n": node}, "status": "red", "tokens": [{"token": "ponies"}]}
            body = json.dumps(answer).encode()
            self.send_response(200)
            self.send_header("X-Elastic-Product", "Elasticsearch")
            self.send_header("Content-Type", "application/vnd.elasticsearch+json;compatible-with=8")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def do_POST(self) -> None:
            self.do_GET()

        def log_message(self, format: str, *args: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Answers) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


def test_a_server_of_the_wrong_version_that_is_full_late_and_sick_has_each_told() -> None:
    with elasticsearch_of_version("7.17.3") as url:
        settings = msgspec.structs.replace(load_settings(), elasticsearch_url=url)
        found = {finding.check: finding for finding in probes.elasticsearch(settings) if not finding.ok}
    assert set(found) == {"version", "health", "clock", "free space", "analysis"}
    assert found["version"].found == "7.17.3"
    assert found["version"].action == "Use 8.0 or later, below 9."
    assert all(finding.action for finding in found.values())


def test_another_program_at_a_servers_address_is_not_taken_for_it() -> None:
    settings = load_settings()
    found = problems(examined(elasticsearch_url=settings.s3_url, neo4j_url=settings.s3_url.replace("http", "bolt")))
    assert set(found) == {"elasticsearch", "neo4j"}


def doctor(tmp_path: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [Path(sys.executable).with_name("trivium"), "doctor", "--json"],
        env={**os.environ, **variables},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def test_the_exit_code_tells_a_script_whether_something_needs_doing(tmp_path: Path) -> None:
    fit = doctor(tmp_path)
    assert fit.returncode == 0, fit.stdout
    assert {finding["part"] for finding in json.loads(fit.stdout)} == {*SERVERS, "inference", "parsers"}
    unfit = doctor(tmp_path, TRIVIUM_S3_BUCKET="no-such-bucket")
    assert unfit.returncode == 1
    assert unfit.stderr.strip() == "1 problem."
    assert [finding["check"] for finding in json.loads(unfit.stdout) if not finding["ok"]] == ["no_such_bucket"]
    assert load_settings().s3_secret_key not in unfit.stdout
