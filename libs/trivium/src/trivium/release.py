"""Which release this is.

Every package's version is read from here when it is built, and `deploy/write_version.py` repeats it elsewhere.
Needs Python's standard library alone: the build reads it too.
"""

from __future__ import annotations

import subprocess
from pathlib import Path

VERSION = "0.1.0"

COMMIT_FILE = "commit"
"""Beside this file in a wheel (`hatch_build.py` writes it); empty where what built it knew no commit."""

_HERE = Path(__file__).resolve().parent
_IN_CHECKOUT = ("libs", "trivium", "src", "trivium")
_GIT_S = 5.0


def commit() -> str:
    """What the code that runs was built from, with "-dirty" where files were changed; "" where nobody knows."""
    try:
        return (_HERE / COMMIT_FILE).read_text(encoding="utf-8").strip()
    except OSError:  # it was not built, or is read from an archive
        checkout = len(_IN_CHECKOUT)
        return commit_of(_HERE.parents[checkout - 1]) if _HERE.parts[-checkout:] == _IN_CHECKOUT else ""


def commit_of(root: Path) -> str:
    """The commit of the checkout at `root`, as `commit` tells it; "" where it is none, or git is missing or refuses."""
    if not (root / ".git").exists():
        return ""
    repository = ["git", f"--git-dir={root / '.git'}", f"--work-tree={root}"]
    try:
        told = subprocess.run(
            [*repository, "describe", "--always", "--dirty", "--abbrev=12", "--exclude=*"],
            cwd=root,
            capture_output=True,
            text=True,
            timeout=_GIT_S,
            check=True,
        )
    except (OSError, subprocess.SubprocessError):
        return ""
    return told.stdout.strip()
