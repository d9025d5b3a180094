"""What every child process that reads strangers' files restricts itself to: bounds on memory and time, no network.

`python -m trivium.child_process.restrict` ends with status 0 where the kernel keeps such a child from the network.
"""

from __future__ import annotations

import ctypes
import re
import resource
import signal
import sys
import threading

from trivium.child_process.seccomp import refuse_sockets

_CLONE_NEWUSER, _CLONE_NEWNET = 0x10000000, 0x40000000
_NETWORK_EVENTS = ("socket.connect", "socket.bind", "socket.sendto", "socket.sendmsg", "socket.getaddrinfo")
_OPEN_FILES = 256
_RECURSION = 2_000
# How C++ libraries say it (the standard library, OpenCV).
_OUT_OF_MEMORY = re.compile(r"bad_alloc|Insufficient memory|Failed to allocate", re.IGNORECASE)


def restrict_process(memory_bytes: int) -> None:
    """Bound this process for good; `memory_bytes` counts what is allocated. Ctrl-C is left to the parent."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent decides when a job ends
    _limit(resource.RLIMIT_CORE, 0)
    _limit(resource.RLIMIT_NOFILE, _OPEN_FILES)
    # Counts what is allocated, not what is reserved: inference runtimes reserve far more than they use.
    _limit(resource.RLIMIT_DATA, memory_bytes)
    _leave_network()
    sys.addaudithook(_refuse_network)
    sys.setrecursionlimit(_RECURSION)


def limit_cpu_time(seconds: int) -> None:
    """Bound the processor time from now on; SIGXCPU ends the process past it."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    soft = int(used.ru_utime + used.ru_stime) + seconds + 1
    resource.setrlimit(resource.RLIMIT_CPU, (soft, resource.getrlimit(resource.RLIMIT_CPU)[1]))


def _limit(which: int, value: int) -> None:
    _, hard = resource.getrlimit(which)
    ceiling = value if hard == resource.RLIM_INFINITY else min(value, hard)
    try:
        resource.setrlimit(which, (ceiling, ceiling))
    except (ValueError, OSError) as error:
        print(f"trivium: could not set limit {which}: {error}", file=sys.stderr)  # noqa: T201 - a child has no log


def is_out_of_memory(error: Exception) -> bool:
    """Whether a library ran into the bound on memory."""
    return isinstance(error, MemoryError) or bool(_OUT_OF_MEMORY.search(str(error)))


def _leave_network() -> bool:
    """Whether the kernel holds this process to it. The audit hook holds what is Python's own in any case."""
    if sys.platform != "linux":
        return False
    libc = ctypes.CDLL(None)
    apart = libc.unshare(_CLONE_NEWNET) == 0 or libc.unshare(_CLONE_NEWUSER | _CLONE_NEWNET) == 0
    return refuse_sockets() or apart


def _refuse_network(event: str, _arguments: object) -> None:
    if event in _NETWORK_EVENTS:
        raise PermissionError(f"parsers do not use the network ({event})")


def _probe() -> None:
    """As in a child: its libraries have started threads, which a namespace of users does not permit."""
    threading.Thread(target=threading.Event().wait, daemon=True).start()
    sys.exit(0 if _leave_network() else 1)


if __name__ == "__main__":
    _probe()
