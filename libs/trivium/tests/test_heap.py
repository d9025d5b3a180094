from __future__ import annotations

import platform
import subprocess
import sys

import pytest

# Sixteen threads use 192 MB and keep a twentieth, spread over all of it.
LITTER = """
import os, sys, threading
sys.path.insert(0, "tests/peers")
from waiting import wait_until
from trivium.heap import kept_small

def resident_mb():
    return int(open("/proc/self/statm").read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6

def litter(kept):
    kept.append([bytes(8_000) for _ in range(1_500)][::20])

before = resident_mb()
with kept_small(every_s=0.05):
    kept = []
    threads = [threading.Thread(target=litter, args=(kept,)) for _ in range(16)]
    for thread in threads: thread.start()
    for thread in threads: thread.join()
    wait_until(lambda: resident_mb() < before + 40, "the gaps are given back", limit_s=30)
"""


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="only glibc keeps what is freed, and can be told not to")
def test_a_process_of_many_threads_gives_back_what_they_free() -> None:
    subprocess.run([sys.executable, "-c", LITTER], check=True, timeout=120)
