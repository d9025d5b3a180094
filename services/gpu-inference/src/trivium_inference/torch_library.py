"""torch, which is an extra: for cross-encoders, visual models, CUDA, and embedding models that are no BERT."""

from __future__ import annotations

import logging
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

from trivium.domain.errors import NeverWill

INSTALL_TORCH: Final = "Install trivium-gpu-inference[torch]; in a checkout: make torch."
_DRIVER: Final = Path("/proc/driver/nvidia/version")

log = logging.getLogger(__name__)


def has_torch() -> bool:
    """Whether it is installed; nothing is loaded."""
    return find_spec("torch") is not None and find_spec("transformers") is not None


def has_nvidia_driver() -> bool:
    """Whether one is loaded, without loading torch to ask."""
    return _DRIVER.exists()


def warn_without_gpu() -> None:
    """Where libraries of CUDA are installed and no driver is loaded: somebody expects a GPU to be used."""
    if find_spec("nvidia") is not None and not has_nvidia_driver():
        log.warning("CUDA is installed and no NVIDIA driver is loaded: models run on processors. Give it a GPU.")


def load_torch(purpose: str) -> Any:
    """The `torch` module; loading it takes seconds and hundreds of megabytes.

    Raises `NeverWill` (`not_installed`), which names the `purpose`.
    """
    if not has_torch():
        raise NeverWill("not_installed", f"{purpose} needs torch, which is not installed.", INSTALL_TORCH)
    import torch  # noqa: PLC0415

    return torch
