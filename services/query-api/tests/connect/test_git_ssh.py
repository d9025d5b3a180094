"""A branch of a git repository over SSH: what `ssh` is told, and what becomes of what it says."""

from __future__ import annotations

import json
import socket
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from git_peer import GitPeer

from trivium_query.connect import means

from .conftest import World

SSH = """#!{python}
import json, os, shlex, sys
from dulwich import porcelain
*arguments, command = sys.argv[1:]
def option(name):
    return next(each.partition("=")[2].strip('"') for each in arguments if each.startswith(name + "="))
def held(path):
    return oct(os.stat(path).st_mode & 0o777), open(path).read()
told = {{"arguments": arguments, "command": command, "environment": dict(os.environ),
        "key": held(arguments[arguments.index("-i") + 1]), "known_hosts": held(option("UserKnownHostsFile"))}}
with open({log!r}, "a") as log:
    log.write(json.dumps(told) + "\\n")
if {says!r}:
    sys.stderr.write({says!r})
    sys.exit({status})
program, path = shlex.split(command)
assert program == "git-upload-pack", program
porcelain.upload_pack({repository!r} if path == "/srv/repo.git" else path)
"""


DRIPS = """#!{python}
import sys, time
ref = "1" * 40 + " HEAD\\0side-band-64k\\n"
sys.stdout.write(format(len(ref) + 4, "04x") + ref + "0fff")
while True:
    sys.stdout.write("x")
    sys.stdout.flush()
    time.sleep(0.05)
"""


class Ssh:
    """Stands in for OpenSSH's program: notes what it is told, and serves the repository, or fails."""

    def __init__(self, folder: Path, repository: GitPeer) -> None:
        self.repository = repository
        self._program, self._log = folder / "ssh", folder / "log"
        self.fails("", 0)

    def fails(self, says: str, status: int) -> None:
        given = {"python": sys.executable, "log": str(self._log), "repository": str(self.repository.folder)}
        self._program.write_text(SSH.format(**given, says=says, status=status))
        self._program.chmod(0o755)

    def drips(self) -> None:
        self._program.write_text(DRIPS.format(python=sys.executable))

    def calls(self) -> list[dict[str, object]]:
        return [json.loads(line) for line in self._log.read_text().splitlines()] if self._log.exists() else []


@pytest.fixture
def ssh(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Ssh:
    folder = tmp_path / "bin"
    folder.mkdir()
    repository = GitPeer(tmp_path / "repo.git")
    repository.commit({"README.md": "# The lamp", "docs/one.txt": "Lit in 1847."})
    monkeypatch.setenv("PATH", str(folder))
    monkeypatch.setenv("SSH_AUTH_SOCK", "/run/agent")
    return Ssh(folder, repository)


@pytest.fixture
def port() -> Iterator[int]:
    """One that answers, so that its address can be checked."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server.getsockname()[1]


def connect(world: World, port: int, path: str = "/srv/repo.git") -> None:
    world.secret("deploy.known_hosts", f"[localhost]:{port} ssh-ed25519 AAAA")
    world.set(url_allow="localhost")
    world.add("git", f"ssh://mira@localhost:{port}{path}", credential=world.secret("deploy", "a private key"))


def test_a_branch_is_followed_with_one_key_to_known_hosts_and_without_a_prompt(
    world: World, ssh: Ssh, port: int
) -> None:
    connect(world, port)
    assert world.came_to() == (2, 0, 0)
    assert world.documents()["here://docs/one.txt"] == b"Lit in 1847."
    (call,) = ssh.calls()
    assert call["command"] == "git-upload-pack '/srv/repo.git'"
    assert call["key"] == ["0o600", "a private key\n"]
    assert call["known_hosts"][1] == f"[localhost]:{port} ssh-ed25519 AAAA\n"  # type: ignore[index]
    arguments = call["arguments"]
    assert isinstance(arguments, list)
    assert arguments[:2] == ["-F", "none"]
    assert arguments[-1] in ("mira@127.0.0.1", "mira@::1"), "the address that was checked, and no name"
    assert {"BatchMode=yes", "StrictHostKeyChecking=yes", "IdentityAgent=none", "IdentitiesOnly=yes"} <= {*arguments}
    assert f"HostKeyAlias=[localhost]:{port}" in arguments
    assert not [name for name in call["environment"] if name.startswith(("SSH", "TRIVIUM"))]  # type: ignore[attr-defined]
    assert not Path(arguments[arguments.index("-i") + 1]).exists(), "it is gone when the look is over"

    assert world.came_to() == (0, 0, 0)
    ssh.repository.commit({"README.md": "# The lamp, again"})
    assert world.came_to() == (1, 1, 0)


@pytest.mark.parametrize(
    ("says", "status", "code"),
    [
        ("No ED25519 host key is known for x.\nHost key verification failed.\n", 255, "unknown_host"),
        ("mira@x: Permission denied (publickey).\n", 255, "login_refused"),
        ("ssh: connect to host x port 22: Connection timed out\n", 255, "fetch_unreachable"),
        ("ERROR: Repository not found.\n", 1, "no_repository"),
    ],
)
def test_what_ssh_fails_with_is_told_and_loses_nothing(
    world: World, ssh: Ssh, port: int, says: str, status: int, code: str
) -> None:
    connect(world, port)
    assert world.came_to() == (2, 0, 0)
    ssh.fails(says, status)
    found = world.look()
    assert (found["deleted"], found["error"]["code"]) == (0, code)
    assert "private key" not in str(found)
    assert len(world.documents()) == 2


def test_a_host_that_says_a_byte_at_a_time_is_left(
    world: World, ssh: Ssh, port: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(means, "FETCH_S", 1.5)
    ssh.drips()
    connect(world, port)
    found = world.look()
    assert (found["stored"], found["error"]["code"]) == (0, "fetch_timeout")


def test_without_a_key_and_the_hosts_own_it_is_refused(world: World) -> None:
    for location in ("git@git.test:repo.git", "ssh://git.test/repo.git"):
        assert world.refused("git", location) == "key_needed"
        assert world.refused("git", location, credential="absent") == "no_such_credential"
        name = world.secret("lonely", "a private key")
        answer = world.call(
            "POST", "/v1/connections", json={"id": "a", "kind": "git", "location": location, "credential": name}
        )
        assert "lonely.known_hosts" in answer.text


@pytest.mark.parametrize(
    "location", ["ssh://-oProxyCommand=x/repo", "ssh://a:word@host/repo", "ssh://host:99999/repo", "ssh://host"]
)
def test_what_is_no_place_behind_ssh_is_refused(world: World, location: str) -> None:
    world.secret("deploy.known_hosts", "host ssh-ed25519 AAAA")
    assert world.refused("git", location, credential=world.secret("deploy", "a key")) == "bad_location"


def test_where_it_may_not_go_nothing_is_asked(world: World, ssh: Ssh, port: int) -> None:
    connect(world, port)
    world.set(url_allow="")
    assert world.look()["error"]["code"] == "forbidden_address"
    assert not ssh.calls()


def test_a_machine_without_ssh_says_so(world: World, port: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    connect(world, port)
    assert world.look()["error"]["code"] == "no_ssh"
