"""The OpenVINO library, without its telemetry, its converters and its binding of threads and pages."""

from __future__ import annotations

import sys
from pathlib import Path
from threading import Lock
from types import ModuleType
from typing import Any, Final

from trivium.child_process.seccomp import refuse_binding

_CONVERTERS: Final = "openvino.tools.ovc"  # a tenth of a second to load; openvino goes without where they are missing
# Where there is none (a chroot, a container without /sys) hwloc looks at each processor by binding itself to it, and
# ends the process when it may not.
_TOPOLOGY: Final = Path("/sys/devices/system/cpu/cpu0/topology")
_loading = Lock()


def load_openvino() -> Any:
    """The `openvino` module. Its usage reports to its makers are replaced by its own stub before it loads.

    It binds threads to processors for a moment, and each tensor that grows to a NUMA node. It goes on where it may not:
    this process may not, where the system tells of its processors.
    Raises `ImportError` where there is no OpenVINO for the platform.
    """
    with _loading:
        if "openvino" not in sys.modules:
            if _TOPOLOGY.is_dir():
                refuse_binding()
            _load_without_converters()
    import openvino  # noqa: PLC0415

    return openvino


def _load_without_converters() -> None:
    modules: dict[str, ModuleType | None] = sys.modules  # type: ignore[assignment]
    modules.setdefault("openvino_telemetry", None)  # makes its import fail, for which openvino has a stub
    modules[_CONVERTERS] = None
    try:
        import openvino  # noqa: F401, PLC0415
    finally:
        del modules[_CONVERTERS]


def convert_model(model: Any, example_input: Any) -> Any:
    """OpenVINO's form of a torch module."""
    load_openvino()
    from openvino.tools.ovc import convert_model as convert  # noqa: PLC0415

    return convert(model, example_input=example_input)
