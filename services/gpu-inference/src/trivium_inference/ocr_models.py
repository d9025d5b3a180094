"""PP-OCR's models out of RapidOCR's wheel, as functions: by OpenVINO where it has bf16, else by ONNX Runtime."""

from __future__ import annotations

from collections.abc import Callable
from importlib.metadata import distribution
from pathlib import Path
from typing import Any, Final

import msgspec
import numpy as np
from numpy.typing import NDArray

from trivium_inference.onnx_runtime import silence_onnx_runtime
from trivium_inference.openvino_encoder import native_precision
from trivium_inference.openvino_runtime import load_openvino

Pixels = NDArray[np.float32]
Run = Callable[[Pixels], NDArray[np.float32]]
"""(1, 3, height, width) of BGR, -1 to 1, to the model's output without the batch's axis; valid until the next call."""

HEIGHT: Final = 48  # of a line, as the recogniser was trained
FAST_HEIGHT: Final = 32  # of a line at the first look: printed 10 point at 150 dpi, half the work
_DETECTOR: Final = "PP-OCRv6_det_small.onnx"
_RECOGNISER: Final = "PP-OCRv6_rec_small.onnx"
_KEEP_NO_SHAPES: Final = {"CPU_RUNTIME_CACHE_CAPACITY": "0"}  # pages have any size: prepared kernels would pile up


class OcrModels(msgspec.Struct, frozen=True):
    """`detect` gives (1, height, width) chances of text; `recognise` (steps, classes) chances at `HEIGHT`.

    `glance`, where the processor has bf16, gives (steps, classes) logits at `FAST_HEIGHT`. Class 0 is CTC's blank.
    """

    detect: Run
    recognise: Run
    glance: Run | None
    characters: tuple[str, ...]


def load_models(threads: int) -> OcrModels:
    """All of them, ready for one caller at a time."""
    recognise, characters = _onnx(_RECOGNISER, threads)
    names = ("", *characters.splitlines(), " ")
    bf16 = _bf16_core()
    if bf16 is None:
        return OcrModels(_onnx(_DETECTOR, threads)[0], recognise, None, names)
    openvino, core = bf16
    detector = core.read_model(str(_folder() / _DETECTOR))
    glance = _shortened(openvino, core.read_model(str(_folder() / _RECOGNISER)))
    return OcrModels(
        _compiled(core, detector, threads, _KEEP_NO_SHAPES), recognise, _compiled(core, glance, threads, {}), names
    )


def _folder() -> Path:
    return Path(str(distribution("rapidocr").locate_file("rapidocr/models")))  # its models are wanted, not its code


def _onnx(name: str, threads: int) -> tuple[Run, str]:
    """The model, and the characters that its metadata name."""
    silence_onnx_runtime()
    import onnxruntime  # noqa: PLC0415 - tens of megabytes, for processes that read images

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads, options.inter_op_num_threads = threads, 1
    options.enable_cpu_mem_arena = False  # it would keep the largest image's memory
    session = onnxruntime.InferenceSession(str(_folder() / name), options, providers=["CPUExecutionProvider"])
    (source,) = session.get_inputs()

    def run(pixels: Pixels) -> NDArray[np.float32]:
        found: NDArray[np.float32] = session.run(None, {source.name: pixels})[0][0]
        return found

    return run, session.get_modelmeta().custom_metadata_map.get("character", "")


def _bf16_core() -> Any:
    """(openvino, its core) where the processor multiplies bf16, else None."""
    try:
        openvino = load_openvino()
    except ImportError:
        return None
    core = openvino.Core()
    return (openvino, core) if native_precision(core) == "bf16" else None


def _shortened(openvino: Any, model: Any) -> Any:
    """The recogniser for lines of `FAST_HEIGHT`, without its softmax over 18,710 classes at every step.

    Its one layer that knows the height averages the last rows: three of them at 48, two at 32.
    """
    import openvino.opset1 as opset  # noqa: PLC0415

    (pool,) = [node for node in model.get_ops() if node.get_type_name() == "AvgPool"]
    rows = opset.avg_pool(pool.input_value(0), [2, 2], [0, 0], [0, 0], [2, 2], True, "floor", "explicit")
    pool.output(0).replace(rows.output(0))
    model.reshape({model.input(0): openvino.PartialShape([-1, 3, FAST_HEIGHT, -1])})
    softmax = model.output(0).get_node().input_value(0).get_node()
    return openvino.Model([softmax.input_value(0)], model.get_parameters(), "glance")


def _compiled(core: Any, model: Any, threads: int, extra: dict[str, str]) -> Run:
    settings = {
        "INFERENCE_PRECISION_HINT": "bf16",
        "NUM_STREAMS": "1",
        "INFERENCE_NUM_THREADS": str(threads),
        "ENABLE_CPU_PINNING": False,
        **extra,
    }
    request = core.compile_model(model, "CPU", settings).create_infer_request()

    def run(pixels: Pixels) -> NDArray[np.float32]:
        request.infer([pixels], share_inputs=True)
        found: NDArray[np.float32] = request.get_output_tensor().data[0]
        return found

    return run
