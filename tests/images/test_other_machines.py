"""Images for linux/arm64: all that they are made of, and what makes them, has a wheel for it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
REQUIREMENTS = ROOT / "requirements"
TOOLS = "image-tools"


def locked(image: str, tmp_path: Path) -> Path:
    """What the image requires, by hash, as its build is told."""
    if image == TOOLS:
        return REQUIREMENTS / "image-tools.txt"
    command = [sys.executable, str(REQUIREMENTS / "image_requirements.py"), image]
    (lock := tmp_path / "lock.txt").write_bytes(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)
    return lock


def resolved(machine: str, image: str, tmp_path: Path) -> subprocess.CompletedProcess[str]:
    """By the registry's listings; nothing is installed."""
    uv = [str(ROOT / ".venv/bin/uv"), "pip", "install", "--dry-run", "--quiet", "--no-deps", "--only-binary", ":all:"]
    where = ["--python-platform", machine, "--python-version", "3.11", "--target", str(tmp_path / "target")]
    command = [*uv, "--require-hashes", *where, "-r", str(locked(image, tmp_path))]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)


@pytest.mark.parametrize("image", [*json.loads((REQUIREMENTS / "images.json").read_text()), TOOLS])
def test_everything_an_image_is_made_of_has_a_wheel_for_arm64(image: str, tmp_path: Path) -> None:
    done = resolved("aarch64-manylinux_2_36", image, tmp_path)
    assert done.returncode == 0, done.stderr


def test_the_check_finds_what_has_none(tmp_path: Path) -> None:
    done = resolved("riscv64-unknown-linux", "query-api", tmp_path)
    assert done.returncode != 0
    assert "no usable wheels" in done.stderr
