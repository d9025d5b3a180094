"""Writes into the wheel which commit it is built from: `TRIVIUM_COMMIT` (an image has no `.git`), else git's."""

from __future__ import annotations

import importlib.util
import os
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class CommitHook(BuildHookInterface[Any]):
    """Of wheels alone: what is installed from a checkout asks its git."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Adds the file; `version` is `standard` or `editable`."""
        if version == "editable":
            return
        here = Path(self.root)
        spec = importlib.util.spec_from_file_location("release", here / "src/trivium/release.py")
        if spec is None or spec.loader is None:
            raise ImportError("src/trivium/release.py cannot be loaded.")
        release = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(release)
        commit = os.environ.get("TRIVIUM_COMMIT") or release.commit_of(here.parent.parent)
        self._folder = tempfile.TemporaryDirectory()
        file = Path(self._folder.name) / release.COMMIT_FILE
        file.write_text(f"{commit}\n", encoding="utf-8")
        build_data["force_include"][str(file)] = f"trivium/{release.COMMIT_FILE}"

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """The wheel is there."""
        if version != "editable":
            self._folder.cleanup()
