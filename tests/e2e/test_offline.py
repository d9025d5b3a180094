"""After the install no packet leaves: the product works where there is no network, and does not even try."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from doors import TRIVIUM

from .conftest import EXAMPLES

# Runs in a network namespace of its own, whose only interface is loopback. The kernel counts there what was sent
# to addresses that no route leads to.
INSIDE = """
import fcntl, json, pathlib, socket, struct, subprocess, sys

trivium, files, question = sys.argv[1:4]
with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
    up = struct.pack("16sH", b"lo", 0x1 | 0x40)  # IFF_UP | IFF_RUNNING
    fcntl.ioctl(any_socket, 0x8914, up)  # SIOCSIFFLAGS

def attempts():
    names, values = [line.split()[1:] for line in pathlib.Path("/proc/net/snmp").open() if line.startswith("Ip:")]
    six = dict(line.split() for line in pathlib.Path("/proc/net/snmp6").open())
    return int(dict(zip(names, values))["OutNoRoutes"]) + int(six.get("Ip6OutNoRoutes", 0))

def run(*arguments):
    done = subprocess.run([trivium, *arguments], capture_output=True, text=True, timeout=250)
    return {"code": done.returncode, "out": done.stdout, "err": done.stderr}

told = {
    "interfaces": [name for _, name in socket.if_nameindex()],
    "ingest": run("ingest", files, "--root", files),
    "ask": run("ask", question),
}
told["attempts"] = attempts()
told["url"] = run("ingest", "http://93.184.216.34/page.html")
with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
    try:
        any_socket.connect(("198.51.100.1", 9))
    except OSError:
        pass
told["counted"] = attempts() - told["attempts"]
print(json.dumps(told))
"""


def _alone() -> list[str]:
    """A command that begins a process without network, or a skip that says why there is none."""
    unshare = shutil.which("unshare")
    if sys.platform != "linux" or unshare is None:
        pytest.skip("network namespaces need Linux and util-linux's unshare")
    command = [unshare, "--net", "--map-root-user"]
    tried = subprocess.run([*command, "true"], capture_output=True, text=True, check=False)
    if tried.returncode:
        pytest.skip(f"this system does not permit a network namespace: {tried.stderr.strip()}")
    return command


def test_everything_works_without_a_network_and_nothing_is_sent(tmp_path: Path) -> None:
    question = (EXAMPLES / "questions.txt").read_text().splitlines()[0]
    done = subprocess.run(
        [*_alone(), sys.executable, "-c", INSIDE, str(TRIVIUM), str(EXAMPLES / "files"), question],
        env={"PATH": "/usr/bin:/bin", "HOME": str(Path.home()), "TRIVIUM_DATA_DIR": str(tmp_path / "data")},
        capture_output=True,
        text=True,
        timeout=280,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert told["interfaces"] == ["lo"]
    assert told["ingest"]["code"] == 0, told["ingest"]
    ready = told["ingest"]["err"].count("ready: ")
    assert ready >= len(list((EXAMPLES / "files").iterdir()))
    assert told["ingest"]["out"].startswith(f"{ready} ready"), told["ingest"]
    assert "1961" in told["ask"]["out"], told["ask"]
    assert told["url"]["code"] == 1
    assert told["counted"] >= 1, "the kernel does not count here, so that nothing is proven"
    assert told["attempts"] == 0, told
