"""What `make sbom` wrote; it runs this."""

from __future__ import annotations

import json
from importlib.metadata import distributions
from pathlib import Path

from packaging.utils import canonicalize_name

WRITTEN = Path(__file__).parents[2] / "dist" / "sbom.cdx.json"


def test_everything_that_is_installed_is_listed_with_a_licence() -> None:
    listed = {canonicalize_name(part["name"]): part for part in json.loads(WRITTEN.read_text())["components"]}
    installed = {canonicalize_name(one.metadata["Name"]): one.version for one in distributions()}
    assert {name: part["version"] for name, part in listed.items()} == installed, "make sbom"
    assert [name for name, part in listed.items() if not part.get("licenses")] == []
