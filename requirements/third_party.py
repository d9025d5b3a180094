"""Print the third-party requirements of every package here, one a line; `--torch` adds what runs models that OpenVINO
cannot be given without it, `--distributed` the clients of the real servers, `--tools` these, what recordings need and
the tools, `--dev` all of it."""

import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = sorted([*ROOT.glob("libs/*/pyproject.toml"), *ROOT.glob("services/*/pyproject.toml")])


def main() -> None:
    wanted: set[str] = set()
    for path in PACKAGES:
        project = tomllib.loads(path.read_text())["project"]
        wanted.update(project["dependencies"])
        extras = project.get("optional-dependencies", {})
        wanted.update(extras.get("services", []))
        if {"--dev", "--tools", "--distributed"} & set(sys.argv):
            wanted.update(extras.get("distributed", []))
        if {"--dev", "--torch"} & set(sys.argv):
            wanted.update(extras.get("torch", []))
        if {"--dev", "--tools"} & set(sys.argv):
            wanted.update(extras.get("speech", []) + extras.get("media", []) + extras.get("mcp", []))
    groups = tomllib.loads((ROOT / "pyproject.toml").read_text())["dependency-groups"]
    wanted.update(groups["build"] + groups["model"])
    if {"--dev", "--tools"} & set(sys.argv):
        wanted.update(groups["dev"])
    print("\n".join(sorted(r for r in wanted if not r.startswith("trivium"))))


if __name__ == "__main__":
    main()
