"""The OpenVINO library, without its telemetry."""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any


def load_openvino() -> Any:
    """The `openvino` module. Its usage reports to its makers are replaced by its own stub before it loads.

    Raises `ImportError` where there is no OpenVINO for the platform.
    """
    modules: dict[str, ModuleType | None] = sys.modules  # type: ignore[assignment]
    if "openvino" not in modules:
        modules.setdefault("openvino_telemetry", None)  # makes its import fail, for which openvino has a stub
    import openvino  # noqa: PLC0415

    return openvino
