"""docker/Dockerfile's own steps, run without a container engine (chroot_images.py says how), and what came of them."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from chroot_images import APART, Builder, Image, overlaid, system_mounts
from waiting import wait_until

MODEL_FREE_BYTES = 500_000_000
MODEL_FREE = {"query-api", "ingest-worker", "graph-worker", "control"}
READY = "Ready: every model has done a batch."
MCP = {"query-api", "trivium"}  # `/mcp` and `trivium mcp`; its library is loaded when it is first asked
COMPILERS = ("gcc", "cc", "g++", "clang", "ld", "as", "make", "rustc", "pip", "pip3", "uv")
NOWHERE = {  # settings of servers that nobody runs: a process tells what it lacks
    "TRIVIUM_BACKEND": "distributed",
    "TRIVIUM_S3_URL": "http://127.0.0.1:1",
    "TRIVIUM_S3_ACCESS_KEY": "a",
    "TRIVIUM_S3_SECRET_KEY": "b",
    "TRIVIUM_REDIS_URL": "redis://127.0.0.1:1/0",
    "TRIVIUM_MILVUS_URL": "http://127.0.0.1:1",
    "TRIVIUM_ELASTICSEARCH_URL": "http://127.0.0.1:1",
    "TRIVIUM_NEO4J_URL": "bolt://127.0.0.1:1",
    "TRIVIUM_NEO4J_PASSWORD": "c",
    "TRIVIUM_INFERENCE_URL": "127.0.0.1:1",
    "TRIVIUM_CACHE_DIR": "/tmp/trivium-cache",
    "HOME": "/tmp",
}


def command(image: Image, root: Path, *words: str) -> list[str]:
    """As its user, without privilege; the whole command begins with `APART` and a script of mounts."""
    user, group = image.user.split(":")
    drop = ["--no-new-privs", "--bounding-set=-all", "--inh-caps=-all", "--clear-groups"]
    drop.append("--pdeathsig=KILL")  # a change of user takes back what `APART` asked for
    return ["/usr/sbin/chroot", str(root), "setpriv", f"--reuid={user}", f"--regid={group}", *drop, *words]


@contextmanager
def started(image: Image, output: Path, *words: str, **settings: str) -> Iterator[subprocess.Popen[bytes]]:
    """A process in the image: read-only root, scratch at /tmp, a network without a way out, its own namespaces."""
    environment = {"PATH": "/usr/bin:/bin", **image.environment, **settings}
    with overlaid(image.layers) as overlay, output.open("wb") as said:
        mounts = "\n".join(["set -e", *overlay.mounts(), *system_mounts(overlay.root), "/usr/sbin/ip link set lo up"])
        script = f'{mounts}\nexec "$@"'
        inside = command(image, overlay.root, *(words or image.command))
        process = subprocess.Popen(
            [*APART, "--net", "sh", "-c", script, "sh", *inside], env=environment, stdout=said, stderr=said
        )
        try:
            yield process
        finally:
            process.kill()  # the first of its namespace: the others go with it
            process.wait(30)


def said_by(image: Image, tmp_path: Path, *words: str, **settings: str) -> str:
    """What a command says to its end. Raises `AssertionError` where it fails."""
    with started(image, tmp_path / "said", *words, **settings) as process:
        status = process.wait(120)
    said = (tmp_path / "said").read_text()
    assert status == 0, said
    return said


@pytest.mark.timeout(1800)
def test_every_step_of_the_target_runs_and_it_is_small(builder: Builder, target: str) -> None:
    image = builder.build(target)
    print(f"{target}: {image.bytes() / 1e6:.0f} MB")  # noqa: T201
    if target in MODEL_FREE:
        assert image.bytes() <= MODEL_FREE_BYTES


@pytest.mark.timeout(1800)
def test_it_has_no_root_no_compiler_and_nothing_writable(builder: Builder, target: str, tmp_path: Path) -> None:
    image = builder.build(target)
    assert image.user == "10001:10001"
    found = said_by(
        image, tmp_path, "sh", "-c", f"for each in {' '.join(COMPILERS)}; do command -v $each || true; done"
    )
    assert found == ""
    identity = said_by(image, tmp_path, "sh", "-c", "id -u; grep -E 'CapBnd|NoNewPrivs' /proc/self/status | cut -f2")
    assert identity.split() == ["10001", "0000000000000000", "1"]
    refused = said_by(image, tmp_path, "sh", "-c", "touch /opt/trivium/x /etc/x /x 2>&1 || touch /tmp/x && ls /tmp")
    assert refused.count("Read-only file system") == 3
    assert refused.endswith("x\n")


@pytest.mark.timeout(1800)
def test_it_tells_what_it_is_made_of(builder: Builder, target: str, tmp_path: Path) -> None:
    image = builder.build(target)
    sbom = json.loads(said_by(image, tmp_path, "cat", "/opt/trivium/share/trivium/sbom.cdx.json"))
    listed = {part["name"] for part in sbom["components"]}
    held = json.loads((Path(__file__).parents[2] / "requirements/images.json").read_text())[target]["packages"]
    assert {*held, "msgspec"} <= listed
    assert ("setuptools" in listed) == (target == "inference-cuda")  # torch requires it
    assert said_by(image, tmp_path, "head", "-1", "/opt/trivium/share/trivium/LICENSE").strip() == "Apache License"


@pytest.mark.timeout(1800)
def test_its_process_starts(builder: Builder, target: str, tmp_path: Path) -> None:
    """Without servers it says so itself, which needs all of its code; inference becomes healthy, for it needs none."""
    image, said = builder.build(target), tmp_path / "output"
    if target in MCP:
        said_by(image, tmp_path, "python", "-c", "from trivium.mcp_door.server import make_server; make_server()")
    if target == "trivium":
        assert "Commands:" in said_by(image, tmp_path, HOME="/tmp")
        return
    if target == "query-api":
        assert "OpenSSH" in said_by(image, tmp_path, "ssh", "-V")
    served = target.startswith("inference")
    settings = NOWHERE | ({"TRIVIUM_INFERENCE_URL": ""} if served else {})
    with started(image, said, **settings) as process:
        wait_until(
            lambda: STARTED[target] in said.read_text() or process.poll() is not None,
            f"{target} starts",
            limit_s=240,
            told=said.read_text,
        )
        assert STARTED[target] in said.read_text()
        assert "Traceback" not in said.read_text()
        assert "ModuleNotFoundError" not in said.read_text()


STARTED = {
    "query-api": "HTTP ",
    "ingest-worker": "127.0.0.1:1",
    "graph-worker": "127.0.0.1:1",
    "control": "127.0.0.1:1",
    "inference": READY,
    "inference-cuda": READY,
}
