"""Give each part of an SBOM that has no licence what its metadata says, in the words of tests/deploy/licences.toml.

cyclonedx-py leaves out what is no licence of SPDX's list: "3-Clause BSD License".
"""

import json
import sys
import tomllib
from importlib.metadata import metadata
from pathlib import Path

WORDS = tomllib.loads((Path(__file__).parents[1] / "tests/deploy/licences.toml").read_text())["words"]


def main(path: Path) -> None:
    sbom = json.loads(path.read_text())
    for part in sbom["components"]:
        said = (metadata(part["name"])["License"] or "").split("\n")[0].strip()
        if not part.get("licenses") and said:
            part["licenses"] = [{"expression": WORDS.get(said, said)}]
    path.write_text(json.dumps(sbom, indent=2) + "\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
