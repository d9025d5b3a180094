"""What is written from code into docs/; with --check the scripts write nothing, and fail where it is stale."""

from __future__ import annotations

import sys
from pathlib import Path


def write_or_check(target: Path, fresh: str) -> None:
    """`fresh` is what the running script would have in `target`."""
    if "--check" not in sys.argv[1:]:
        target.write_text(fresh, encoding="utf-8")
    elif target.read_text(encoding="utf-8") != fresh:
        sys.exit(f"docs/{target.name} is stale: run docs/{Path(sys.argv[0]).name} and commit.")
