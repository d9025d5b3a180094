"""deploy/local/services.sh, with a Redis of the test's own beside the running one."""

from __future__ import annotations

import os
import runpy
import shutil
import signal
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
import redis
from local_services import SERVICES_DIR

NETWORK_ALLOWED = any(
    subprocess.run(["unshare", options, "true"], capture_output=True, check=False).returncode == 0
    for options in ("-n", "-Urn")
)
SCRIPT = Path(__file__).parents[2] / "deploy/local/services.sh"


class LocalRedis:
    """A second folder of services, with the Redis that is installed in the first one."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "redis"
        self.folder.mkdir()
        installed = SERVICES_DIR.resolve() / "redis"
        (self.folder / "root").symlink_to(installed / "root")
        shutil.copy(installed / "installed", self.folder)
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self._environ = {**os.environ, "TRIVIUM_SERVICES_DIR": str(folder), "REDIS_PORT": str(self.port)}

    def do(self, action: str, *, fails: bool = False) -> str:
        """What `services.sh ACTION redis` printed."""
        done = subprocess.run(
            [SCRIPT, action, "redis"],
            env=self._environ,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=60,
            check=False,
        )
        assert (done.returncode != 0) == fails, done.stdout
        return done.stdout

    @property
    def client(self) -> redis.Redis:
        return redis.Redis(port=self.port)


@pytest.fixture
def local(tmp_path: Path) -> Iterator[LocalRedis]:
    server = LocalRedis(tmp_path)
    yield server
    server.do("stop")


def test_starting_twice_starts_once_and_stopping_ends_it(local: LocalRedis) -> None:
    assert "starting" in local.do("start")
    with local.client as client:
        first = client.info("server")["process_id"]
        assert "already running" in local.do("start")
        assert client.info("server")["process_id"] == first
    assert "redis: running" in local.do("status")
    assert "stopped" in local.do("stop")
    assert "not running" in local.do("status", fails=True)
    assert local.do("stop") == "", "nothing was there to stop"


def test_a_server_that_runs_and_does_not_answer_is_started_again(local: LocalRedis) -> None:
    local.do("start")
    with local.client as client:
        client.set("kept", "yes")
        os.kill(client.info("server")["process_id"], signal.SIGSTOP)
    assert "does not answer: it is ended and started again" in local.do("start")
    with local.client as client:
        assert client.get("kept") == b"yes"


@pytest.mark.parametrize("ending", ["stop", "kill", "restart"])
def test_data_outlives_every_ending(local: LocalRedis, ending: str) -> None:
    local.do("start")
    with local.client as client:
        client.set("kept", "yes")
    local.do(ending)
    local.do("start")
    with local.client as client:
        assert client.get("kept") == b"yes"


def test_a_process_that_took_over_the_number_of_a_dead_server_is_left_alone(local: LocalRedis) -> None:
    with subprocess.Popen(["sleep", "60"], start_new_session=True) as other:
        (local.folder / "pid").write_text(f"{other.pid} 1\n")
        local.do("kill")
        assert other.poll() is None
        other.kill()


def test_a_port_that_another_program_holds_is_told(local: LocalRedis) -> None:
    with socket.create_server(("127.0.0.1", local.port)):
        told = local.do("start", fails=True)
    assert f"port {local.port} is taken" in told


def test_a_server_that_does_not_start_fails_with_the_end_of_its_log(local: LocalRedis) -> None:
    manifest = local.folder / "data/appendonlydir/appendonly.aof.manifest"
    manifest.parent.mkdir(parents=True)
    manifest.write_text("no manifest\n")
    told = local.do("start", fails=True)
    assert "ended while starting" in told
    assert "manifest" in told


def test_a_server_that_others_can_reach_is_told_at_its_start(local: LocalRedis) -> None:
    """This Redis is none; the Milvus of `make services`, which would be one, has a network of its own."""
    assert "WARNING" not in local.do("start")
    milvus = int((SERVICES_DIR / "milvus/pid").read_text().split()[0])
    told: str = runpy.run_path(str(SCRIPT.parent / "open_ports.py"))["main"](milvus)
    assert not told or not NETWORK_ALLOWED
    with socket.create_connection(("127.0.0.1", int(os.environ.get("MILVUS_PORT", "19530")))):
        pass


def test_a_tool_that_a_recipe_needs_and_that_is_not_there_is_told_with_what_to_do(tmp_path: Path) -> None:
    programs = tmp_path / "programs"
    programs.mkdir()
    for name in ("bash", "dirname", "realpath", "mkdir", "cat", "od", "tr", "mv", "flock", "rm", "tail", "cut", "sed"):
        (programs / name).symlink_to(str(shutil.which(name)))
    done = subprocess.run(
        [str(programs / "bash"), str(SCRIPT), "start", "minio"],
        env={"PATH": str(programs), "TRIVIUM_SERVICES_DIR": str(tmp_path / "services")},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode != 0
    assert "'go' is not installed. Install Go" in done.stderr


def test_the_settings_that_name_the_servers_are_their_owners_alone(local: LocalRedis) -> None:
    local.do("start")
    env = local.folder.parent / "env"
    assert f"TRIVIUM_REDIS_URL=redis://127.0.0.1:{local.port}/0" in env.read_text().splitlines()
    assert env.stat().st_mode & 0o777 == 0o600
