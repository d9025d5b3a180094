"""Write the version (libs/trivium/src/trivium/release.py) where it stands too. With --check: fail where another does.

Packages have none of their own: they are built with that one. The OpenAPI document takes it from the application.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from trivium.release import VERSION

ROOT = Path(__file__).parent.parent
IMAGE: Final = r"(\btrivium/\$?[\w-]+:)\d[\w.+-]*"
# What stands before a version, and the version. Each has to be found.
PLACES: Final[Mapping[str, tuple[str, ...]]] = {
    "deploy/helm/trivium/Chart.yaml": (r"(?m)^(version: )\S+$", r"(?m)^(appVersion: )\S+$"),
    "docker/compose.yaml": (IMAGE,),
    "docker/compose.gpu.yaml": (IMAGE,),
    "docker/Dockerfile": (IMAGE,),
    "docs/kubernetes.md": (IMAGE, r"(/trivium, tag: )[^\s}]+"),
    "clients/typescript/package.json": (r'(?m)^(  "version": ")[^"]+',),
}


def main() -> None:
    """Write or check."""
    written = {path: _with_version(path) for path in PLACES}
    stale = {path: text for path, text in written.items() if text != (ROOT / path).read_text(encoding="utf-8")}
    if "--check" not in sys.argv[1:]:
        for path, text in stale.items():
            (ROOT / path).write_text(text, encoding="utf-8")
    elif stale:
        sys.exit(f"Another version than {VERSION} stands in {', '.join(stale)}: run `make version`.")


def _with_version(path: str) -> str:
    text = (ROOT / path).read_text(encoding="utf-8")
    for pattern in PLACES[path]:
        text, found = re.subn(pattern, rf"\g<1>{VERSION}", text)
        if not found:
            sys.exit(f"{path} has no version any more where deploy/write_version.py looks for one ({pattern}).")
    return text


if __name__ == "__main__":
    main()
