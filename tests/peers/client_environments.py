"""Other people's programs, each in an environment of its own below the user's cache folder.

Frameworks and clients are the newest releases; the programs that only test are named exactly (`package.json`).
`python tests/peers/client_environments.py` makes them (`make test-clients`), `... newest` without the oldest ones.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

CACHE = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "trivium" / "clients"
REPOSITORY = Path(__file__).parents[2]
FOLDER = REPOSITORY / "tests" / "clients"
TYPESCRIPT = REPOSITORY / "clients" / "typescript"
NEWEST, OLDEST = "newest", "oldest"
UV = Path(sys.executable).with_name("uv")


def python(age: str = NEWEST) -> Path:
    """The interpreter with the Python programs; may not be there."""
    return CACHE / ("python" if age == NEWEST else f"python-{age}") / "bin" / "python"


def node_modules() -> Path:
    """The folder of the Node programs; may not be there."""
    return CACHE / "node" / "node_modules"


def make(*ages: str) -> None:
    """Install or renew what requirements.txt and package.json name, and of `ages` the oldest that our extras permit."""
    _install(NEWEST, "--upgrade", "-r", str(FOLDER / "requirements.txt"))
    if OLDEST in ages:
        _install(OLDEST, "--resolution", "lowest-direct", extras="[langchain,llama-index,haystack]")
    if shutil.which("npm") is None:
        print("There is no npm: what needs Node is left out.")  # noqa: T201
        return
    node_modules().parent.mkdir(parents=True, exist_ok=True)
    shutil.copy(FOLDER / "package.json", node_modules().parent)
    _npm("update", node_modules().parent)
    _npm("install", TYPESCRIPT)


def _npm(verb: str, folder: Path) -> None:
    """Without a lock file: `update` brings the newest that package.json permits, `install` what is missing."""
    quiet = ["--no-package-lock", "--no-audit", "--no-fund", "--loglevel=error", "--ignore-scripts"]
    subprocess.run(["npm", verb, *quiet], cwd=folder, check=True)


def _install(age: str, *how: str, extras: str = "") -> None:
    """An environment with the client of this checkout."""
    home = python(age).parents[1]
    subprocess.run([UV, "venv", "--quiet", "--allow-existing", "--python", sys.executable, home], check=True)
    libraries = REPOSITORY / "libs"
    ours = ["-e", str(libraries / "trivium"), "-e", f"{libraries / 'trivium-client'}{extras}"]
    subprocess.run([UV, "pip", "install", "--quiet", "--python", python(age), *how, *ours], check=True)


if __name__ == "__main__":
    make(*(sys.argv[1:] or (NEWEST, OLDEST)))
