import os
import platform
import subprocess
import sys
from pathlib import Path

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
@pytest.mark.skipif(
    not Path("/sys/devices/system/cpu/cpu0/topology").is_dir(), reason="where OpenVINO looks at processors by binding"
)
def test_openvino_binds_neither_pages_nor_threads():
    """Each waits for its turn on a processor: minutes, where a neighbour is bound to it and busy."""
    mbind, affinity = _MACHINES[platform.machine()]
    code = _TRY_IT.format(mbind=mbind, affinity=affinity)
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)
    pages, threads, *after = told.stdout.split()
    assert {pages, threads} <= {"done", "EPERM"}  # a container may have refused it before
    assert after == ["EPERM"] * 4


_WITHOUT_SYS = ["unshare", "--mount", "--", "sh", "-c", 'umount -l /sys && exec "$@"', "sh"]


@pytest.mark.skipif(sys.platform != "linux" or os.geteuid() != 0, reason="takes /sys away, as root alone may")
def test_where_the_system_tells_of_no_processors_openvino_looks_for_them_itself():
    """By binding itself to each; hwloc ends the process where it may not."""
    if subprocess.run([*_WITHOUT_SYS, "true"], capture_output=True, check=False).returncode:
        pytest.skip("this container may not change its mounts")
    code = (
        "from trivium_inference.openvino_runtime import load_openvino; print(load_openvino().Core().available_devices)"
    )
    told = subprocess.run(
        [*_WITHOUT_SYS, sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True
    )
    assert "CPU" in told.stdout
