"""Whether the kernel keeps what reads strangers' files from the network, told at a start and by the doctor."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator

import structlog

from trivium.checkup import Finding
from trivium.config import Settings

_PROBE_S = 30.0
_UNLOCKED = "Neither seccomp nor a namespace keeps what reads strangers' files from the network."
_LOCK_IT = "Permit seccomp(2) or unshare(2) where Trivium runs: on Linux (x86-64, ARM64), in a pod's security context."


def network_lock(_settings: Settings) -> Iterator[Finding]:
    """See `trivium.checkup.Probe`."""
    ok = _is_locked()
    found = "kept from it by the kernel" if ok else _UNLOCKED
    yield Finding("parsers", "network", ok, found, "" if ok else _LOCK_IT)


def warn_unless_locked() -> None:
    """For the log, at the start of what starts such children."""
    if not _is_locked():
        structlog.get_logger().warning("network_not_locked", reason=_UNLOCKED, action=_LOCK_IT)


def _is_locked() -> bool:
    """Asks a child."""
    command = [sys.executable, "-P", "-m", "trivium.child_process.restrict"]
    return subprocess.run(command, check=False, timeout=_PROBE_S).returncode == 0
