"""Print the third-party requirements of every package here, one a line; `--dev` adds the tools."""

import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = sorted([*ROOT.glob("libs/*/pyproject.toml"), *ROOT.glob("services/*/pyproject.toml")])


def main() -> None:
    wanted: set[str] = set()
    for path in PACKAGES:
        wanted.update(tomllib.loads(path.read_text())["project"]["dependencies"])
    groups = tomllib.loads((ROOT / "pyproject.toml").read_text())["dependency-groups"]
    wanted.update(groups["build"])
    if "--dev" in sys.argv:
        wanted.update(groups["dev"])
    print("\n".join(sorted(r for r in wanted if not r.startswith("trivium"))))


if __name__ == "__main__":
    main()
