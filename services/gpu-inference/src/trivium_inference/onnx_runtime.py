"""The ONNX Runtime library, without its telemetry."""

from __future__ import annotations

import os


def silence_onnx_runtime() -> None:
    """Call it before anything loads `onnxruntime`: since 1.29 it reports to its makers unless told not to.

    It looks once, when it loads; told so, it makes no uploader and keeps no identifier of the device on the disk.
    """
    os.environ["ORT_DISABLE_TELEMETRY"] = "1"
