"""Other people's programs, each in an environment of its own below the user's cache folder: nothing of them is locked.

`python tests/clients/environments.py` makes them (`make test-clients`).
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

CACHE = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "trivium" / "clients"
FOLDER = Path(__file__).parent
REPOSITORY = FOLDER.parents[1]
TYPESCRIPT = REPOSITORY / "clients" / "typescript"
UV = Path(sys.executable).with_name("uv")


def python() -> Path:
    """The interpreter with the Python programs; may not be there."""
    return CACHE / "python" / "bin" / "python"


def node_modules() -> Path:
    """The folder of the Node programs; may not be there."""
    return CACHE / "node" / "node_modules"


def make() -> None:
    """Install the newest releases of what requirements.txt and package.json name, with the client of this checkout."""
    home = python().parents[1]
    subprocess.run([UV, "venv", "--quiet", "--allow-existing", "--python", sys.executable, home], check=True)
    packages = [str(REPOSITORY / "libs" / name) for name in ("trivium", "trivium-client")]
    wanted = ["-r", str(FOLDER / "requirements.txt"), *(part for each in packages for part in ("-e", each))]
    subprocess.run([UV, "pip", "install", "--quiet", "--upgrade", "--python", python(), *wanted], check=True)
    if shutil.which("npm") is None:
        print("There is no npm: what needs Node is left out.")  # noqa: T201
        return
    node_modules().parent.mkdir(parents=True, exist_ok=True)
    shutil.copy(FOLDER / "package.json", node_modules().parent)
    quiet = ["--no-audit", "--no-fund", "--loglevel=error", "--ignore-scripts"]
    for folder, more in ((node_modules().parent, []), (TYPESCRIPT, ["--no-package-lock"])):
        subprocess.run(["npm", "install", *quiet, *more], cwd=folder, check=True)


if __name__ == "__main__":
    make()
