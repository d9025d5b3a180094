"""Other libraries to compare with, each in a throw-away environment below the user's cache folder."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

CACHE = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "trivium" / "rivals"
REQUIREMENTS = Path(__file__).with_name("rivals.txt")
UV = Path(sys.executable).with_name("uv")
_CPU_TORCH = {"UV_HTTP_TIMEOUT": "10", "UV_HTTP_RETRIES": "0"}  # its index cannot be reached from everywhere


def python_of(library: str) -> Path:
    """The interpreter of the library's environment, made when it is not there or holds other versions.

    Raises `CalledProcessError` where it cannot be made.
    """
    wanted = _requirements()[library]
    home = CACHE / library
    python, mark = home / "bin" / "python", home / "requirement"
    if not mark.exists() or mark.read_text() != wanted:
        subprocess.run([UV, "venv", "--quiet", "--clear", "--python", sys.executable, home], check=True)
        _install(python, wanted.split())
        mark.write_text(wanted)
    return python


def _install(python: Path, wanted: list[str]) -> None:
    """With torch's CPU build where one is wanted and can be reached, else with the registry's default build."""
    command = [UV, "pip", "install", "--quiet", "--python", python, *wanted]
    small = subprocess.run(
        [*command, "--torch-backend=cpu"], capture_output=True, check=False, env={**os.environ, **_CPU_TORCH}
    )
    if small.returncode:
        subprocess.run(command, check=True)


def _requirements() -> dict[str, str]:
    lines = (line.partition(": ") for line in REQUIREMENTS.read_text().splitlines() if line[:1] != "#")
    return {name: requirement for name, _, requirement in lines}
