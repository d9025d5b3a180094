"""pymilvus without pandas: what every process on servers would pay for at its start."""

from __future__ import annotations

import subprocess
import sys


def said_by(script: str) -> str:
    """Of a process that has imported nothing yet."""
    return subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=60).stdout


def test_milvus_is_reached_without_pandas_and_nobody_else_meets_what_stands_in_for_it() -> None:
    script = """
import sys
from trivium.adapters.distributed.milvus.vectors import MilvusClient
print(sorted(name for name in sys.modules if name.partition(".")[0] == "pandas"))
"""
    assert said_by(script) == "[]\n"


def test_what_needs_pandas_says_so() -> None:
    script = """
import trivium.adapters.distributed.milvus.vectors
from pymilvus.orm.types import infer_dtype_bydata
try:
    infer_dtype_bydata([1.0])
except TypeError as error:
    print(error)
"""
    assert "needs pandas, which is not there: use MilvusClient" in said_by(script)
