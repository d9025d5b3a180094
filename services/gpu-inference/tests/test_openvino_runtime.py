import platform
import subprocess
import sys

import pytest

_MACHINES = {"x86_64": (237, 203), "aarch64": (235, 122)}  # the numbers of mbind and sched_setaffinity

_TRY_IT = """
import ctypes, errno, threading
from trivium_inference.openvino_runtime import load_openvino

ready, loaded, found = threading.Event(), threading.Event(), []

def call(number, *arguments):
    libc = ctypes.CDLL(None, use_errno=True)
    failed = libc.syscall(number, *arguments)
    return errno.errorcode.get(ctypes.get_errno()) if failed else "done"

def bound():
    everywhere = (ctypes.c_uint8 * 128)(*[255] * 128)
    return call({mbind}, 0, 0, 0, 0, 0, 2), call({affinity}, 0, 128, everywhere)

def started_before():
    ready.set()
    loaded.wait()
    found.extend(bound())

before = threading.Thread(target=started_before)
before.start()
ready.wait()
found.extend(bound())
load_openvino()
loaded.set()
before.join()
print(*found, *bound())
"""


@pytest.mark.skipif(
    sys.platform != "linux" or platform.machine() not in _MACHINES, reason="the filter knows Linux on two machines"
)
def test_openvino_binds_neither_pages_nor_threads():
    """Each waits for its turn on a processor: minutes, where a neighbour is bound to it and busy."""
    mbind, affinity = _MACHINES[platform.machine()]
    code = _TRY_IT.format(mbind=mbind, affinity=affinity)
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)
    pages, threads, *after = told.stdout.split()
    assert {pages, threads} <= {"done", "EPERM"}  # a container may have refused it before
    assert after == ["EPERM"] * 4
