"""torch, which is an extra: for cross-encoders, visual models, CUDA, and embedding models that are no BERT."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Any, Final

from trivium.domain.errors import NeverWill

INSTALL_TORCH: Final = "Install trivium-gpu-inference[torch]; in a checkout: make torch."


def has_torch() -> bool:
    """Whether it is installed; nothing is loaded."""
    return find_spec("torch") is not None and find_spec("transformers") is not None


def load_torch(purpose: str) -> Any:
    """The `torch` module; loading it takes seconds and hundreds of megabytes.

    Raises `NeverWill` (`not_installed`), which names the `purpose`.
    """
    if not has_torch():
        raise NeverWill("not_installed", f"{purpose} needs torch, which is not installed.", INSTALL_TORCH)
    import torch  # noqa: PLC0415

    return torch
