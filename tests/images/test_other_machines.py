"""Images for linux/arm64: everything that is locked has a wheel for it, so nothing would be compiled."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
LOCKS = ("runtime", "distributed", "dev", "torch", "torch-models", "image-tools")


def resolved(machine: str, lock: str, tmp_path: Path) -> subprocess.CompletedProcess[str]:
    """By the registry's listings; nothing is installed."""
    uv = [str(ROOT / ".venv/bin/uv"), "pip", "install", "--dry-run", "--quiet", "--no-deps", "--only-binary", ":all:"]
    where = ["--python-platform", machine, "--python-version", "3.11", "--target", str(tmp_path)]
    command = [*uv, "--require-hashes", *where, "-r", str(ROOT / f"requirements/{lock}.txt")]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)


@pytest.mark.parametrize("lock", LOCKS)
def test_every_locked_requirement_has_a_wheel_for_arm64(lock: str, tmp_path: Path) -> None:
    done = resolved("aarch64-manylinux_2_36", lock, tmp_path)
    assert done.returncode == 0, done.stderr


def test_the_check_finds_what_has_none(tmp_path: Path) -> None:
    done = resolved("riscv64-unknown-linux", "runtime", tmp_path)
    assert done.returncode != 0
    assert "no usable wheels" in done.stderr
