"""Print what `IMAGE` requires, as the locks have it, with hashes; `--packages`: which packages of ours it holds.

Needs Python's standard library alone: it runs where nothing is installed yet.
"""

import json
import re
import sys
from pathlib import Path

HERE = Path(__file__).parent
LOCKS = ("runtime.txt", "distributed.txt", "dev.txt", "torch.txt", "torch-models.txt")


def main(image: str, *, packages: bool) -> str:
    """What is printed. Raises `KeyError`: there is no such image."""
    held = json.loads((HERE / "images.json").read_text())[image]
    if packages:
        return "\n".join(held["packages"])
    blocks = {block.split("\n")[0]: block for block in _blocks()}
    return "\n".join(block for block in blocks.values() if _name(block) in held["requirements"])


def _blocks() -> list[str]:
    texts = [(HERE / file).read_text().strip() for file in LOCKS]
    return [block for text in texts for block in re.split(r"\n(?=[A-Za-z0-9])", text)]


def _name(block: str) -> str:
    return re.sub(r"[-_.]+", "-", block.partition("==")[0]).lower()


if __name__ == "__main__":
    print(main(sys.argv[1], packages="--packages" in sys.argv))
