import platform
import subprocess
import sys

import pytest

_MBIND = {"x86_64": 237, "aarch64": 235}

_TRY_IT = """
import ctypes, errno, threading
from trivium_inference.openvino_runtime import load_openvino

ready, loaded, found = threading.Event(), threading.Event(), []

def mbind():
    libc = ctypes.CDLL(None, use_errno=True)
    return errno.errorcode.get(ctypes.get_errno()) if libc.syscall({mbind}, 0, 0, 0, 0, 0, 2) else "done"

def started_before():
    ready.set()
    loaded.wait()
    found.append(mbind())

before = threading.Thread(target=started_before)
before.start()
ready.wait()
found.append(mbind())
load_openvino()
loaded.set()
before.join()
print(*found, mbind())
"""


@pytest.mark.skipif(
    sys.platform != "linux" or platform.machine() not in _MBIND, reason="the filter knows Linux on two machines"
)
def test_openvino_moves_no_pages():
    """Each move waits for a kernel thread on every processor: minutes, where one of them gets no turn."""
    code = _TRY_IT.format(mbind=_MBIND[platform.machine()])
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)
    first, *after = told.stdout.split()
    assert first in {"done", "EPERM"}  # a container may have refused it before
    assert after == ["EPERM", "EPERM"]
