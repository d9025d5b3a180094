"""The library `unstructured` and a spaCy pipeline, beside .venv in a folder of their own, locked in requirements.txt.

`python tests/unstructured/environment.py FOLDER` makes it and prints its Python (`make test-unstructured`): what is
installed there comes before what .venv has.
"""

from __future__ import annotations

import subprocess
import sys
import sysconfig
from pathlib import Path

LOCK = Path(__file__).with_name("requirements.txt")
UV = Path(sys.executable).with_name("uv")


def make(folder: Path) -> Path:
    """The folder's Python, once everything is there."""
    python, made = folder / "bin" / "python", folder / "requirements.txt"
    if not made.exists() or made.read_text() != LOCK.read_text():
        subprocess.run([UV, "venv", "--quiet", "--clear", "--python", sys.executable, folder], check=True)
        wanted = ["--require-hashes", "--no-deps", "-r", LOCK]
        subprocess.run([UV, "pip", "install", "--quiet", "--python", python, *wanted], check=True)
        ours = f"import site; site.addsitedir({sysconfig.get_path('purelib')!r})\n"
        (purelib,) = folder.glob("lib/python*/site-packages")
        (purelib / "trivium.pth").write_text(ours)
        command = python.with_name("trivium")
        command.write_text(f"#!{python.absolute()}\nfrom trivium.cli.main import main\nmain()\n")
        command.chmod(0o755)
        made.write_text(LOCK.read_text())
    return python


if __name__ == "__main__":
    print(make(Path(sys.argv[1])))  # noqa: T201
