"""git over SSH, by the machine's own `ssh`: one key, hosts whose own keys are known, no agent and no prompt.

Whoever reaches the network is `ssh`, so it is sent to an address that the egress guard has checked, and looks none up.
"""

from __future__ import annotations

import os
import re
import select
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple

from dulwich.client import SSHVendor

from trivium.connections.secrets import SshKey
from trivium.domain.errors import NeverWill, Refused, TriviumError, TryLater
from trivium_query.connect.git_pack import sends_too_much
from trivium_query.connect.web import refused_login
from trivium_query.egress.fetch import Fetcher
from trivium_query.egress.timed_socket import RequestTime

_URL = re.compile(r"ssh://(?:(\w[\w.-]*)@)?([A-Za-z0-9][A-Za-z0-9.-]*)(?::(\d{1,5}))?(/.+)")
_SHORT = re.compile(r"(?:(\w[\w.-]*)@)?([A-Za-z0-9][A-Za-z0-9.-]*)()?:(?!//)(.+)")
SSH_PORT = 22
_USER = "git"
_STRICT = (
    *("BatchMode=yes", "IdentitiesOnly=yes", "IdentityAgent=none", "PreferredAuthentications=publickey"),
    *("StrictHostKeyChecking=yes", "GlobalKnownHostsFile=none", "UpdateHostKeys=no", "CheckHostIP=no"),
    *("ClearAllForwardings=yes", "PermitLocalCommand=no", "ConnectTimeout=10"),
    "SetEnv GIT_PROTOCOL=version=2",
)
_STDERR_BYTES = 64 * 1024
_SSH_FAILED = 255
"""Its own exit status; any other is the command's."""
_STOP_S = 5.0


class SshPlace(NamedTuple):
    """A repository behind SSH."""

    user: str
    host: str
    port: int
    path: str


def ssh_place(location: str) -> SshPlace:
    """Of `ssh://git@host:port/path` or `git@host:path`. Raises `Refused` (`bad_location`)."""
    found = _URL.fullmatch(location) or _SHORT.fullmatch(location)
    if found is None or not 0 < int(found[3] or SSH_PORT) < 65536:
        raise Refused("bad_location", f"{location[:200]!r} does not fit.", "Write ssh://git@host/path.git.")
    return SshPlace(found[1] or _USER, found[2].lower(), int(found[3] or SSH_PORT), found[4])


@contextmanager
def ssh_to(fetcher: Fetcher, key: SshKey) -> Iterator[GuardedSsh]:
    """SSH with the connection's key, which lies in a file of ours meanwhile."""
    with tempfile.TemporaryDirectory(prefix="trivium-ssh-") as folder:
        ssh = GuardedSsh(fetcher, Path(folder), key)
        try:
            yield ssh
        finally:
            ssh.close()


class GuardedSsh(SSHVendor):
    """One command of a host, whose answer has at most `max_bytes`, and the time of a request."""

    def __init__(self, fetcher: Fetcher, folder: Path, key: SshKey) -> None:
        self.max_bytes = 0
        self._fetcher, self._host, self._received = fetcher, "", 0
        self._ahead = b""
        self._time = RequestTime(fetcher.limits.timeout_s)
        self._process: subprocess.Popen[bytes] | None = None
        self._key, self._known_hosts = folder / "key", folder / "known_hosts"
        self._key.touch(0o600)
        self._key.write_bytes(key.private)
        self._known_hosts.write_bytes(key.known_hosts)

    def run_command(  # type: ignore[override]  # by name, as it is called
        self, host: str, command: bytes, **told: Any
    ) -> Any:
        """See dulwich; its connection is this. Raises `Refused` (`no_ssh`), what ends it, and as `Fetcher.connect`."""
        program = shutil.which("ssh")
        if program is None:
            raise Refused("no_ssh", "There is no `ssh` on this machine.", "Install it (Debian: openssh-client).")
        port = told["port"]
        self._time.begin()
        with self._fetcher.connect(host, port) as checked:
            address = checked.getpeername()[0]
        alias = host if port == SSH_PORT else f"[{host}]:{port}"
        options = (*_STRICT, f'UserKnownHostsFile="{self._known_hosts}"', f"HostKeyAlias={alias}")
        self._host = host
        self._process = subprocess.Popen(
            [
                *(program, "-F", "none", "-T", "-a", "-x", "-i", str(self._key), "-p", str(port)),
                *(part for option in options for part in ("-o", option)),
                *("--", f"{told['username']}@{address}", command),
            ],
            bufsize=0,
            env={},
            start_new_session=True,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        self._ahead = self.read(1)
        if not self._ahead:
            raise self._fault()
        return self

    def read(self, size: int) -> bytes:
        """So many bytes, fewer at the end. Raises `NeverWill` (`too_large`), `TryLater`."""
        piece, self._ahead = self._ahead, b""
        while len(piece) < size:
            if not self.can_read(self._time.left()):
                raise self._time.passed()
            more = self._running.stdout.read(size - len(piece))  # type: ignore[union-attr]  # it is a pipe
            if not more:
                break
            piece += more
            self._time.brought(len(more))
        self._received += len(piece)
        if self._received > self.max_bytes:
            raise sends_too_much(self.max_bytes)
        return piece

    def write(self, data: bytes) -> int | None:
        """All of it."""
        with suppress(BrokenPipeError):  # what ended it is told to who reads
            self._running.stdin.write(data)  # type: ignore[union-attr]
        return len(data)

    def can_read(self, wait_s: float = 0.0) -> bool:
        """Whether there is an answer, or its end."""
        poll = select.poll()
        poll.register(self._running.stdout, select.POLLIN)  # type: ignore[arg-type]
        return bool(poll.poll(wait_s * 1000))

    def close(self) -> None:
        """End it."""
        if self._process is not None:
            self._process.kill()
            self._process.communicate()
            self._process = None

    @property
    def _running(self) -> subprocess.Popen[bytes]:
        assert self._process is not None  # noqa: S101 - dulwich connects before it speaks
        return self._process

    def _fault(self) -> TriviumError:
        """Why there is no answer, by what `ssh` and the host say."""
        process = self._running
        with suppress(subprocess.TimeoutExpired):
            process.wait(_STOP_S)
        process.kill()
        said = os.read(process.stderr.fileno(), _STDERR_BYTES)  # type: ignore[union-attr]
        if b"ost key verification failed" in said:
            return Refused(
                "unknown_host",
                f"{self._host} shows another key than the file of known hosts has of it.",
                "Put its keys into NAME.known_hosts beside the key (ssh-keyscan), once you have compared them.",
            )
        if b"Permission denied" in said:
            return refused_login(self._host, with_login=True)
        if process.wait() == _SSH_FAILED:
            return TryLater("fetch_unreachable", f"{self._host} does not answer over SSH.", "Try again later.")
        return NeverWill("no_repository", f"There is no git repository at {self._host}.", "Check the location.")
