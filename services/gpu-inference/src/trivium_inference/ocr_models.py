"""PP-OCR's models out of RapidOCR's wheel, as functions: by OpenVINO where there is one, else by ONNX Runtime."""

from __future__ import annotations

from collections.abc import Callable
from importlib.metadata import distribution
from pathlib import Path
from typing import Any, Final

import msgspec
import numpy as np
from numpy.typing import NDArray

from trivium_inference.ocr_int8 import quantise, ranges_of
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
_KEEP_FEW_SHAPES: Final = {"CPU_RUNTIME_CACHE_CAPACITY": "500"}  # kernels: of a few widths, 25 MB less than of all


class OcrModels(msgspec.Struct, frozen=True):
    """`detect` gives (1, height, width) chances of text; `recognise` (steps, classes) logits at `HEIGHT`.

    `glance`, where there is OpenVINO, gives (steps, classes) logits at `FAST_HEIGHT`. Class 0 is CTC's blank.
    """

    detect: Run
    recognise: Run
    glance: Run | None
    characters: tuple[str, ...]


def load_models(threads: int) -> OcrModels:
    """All of them, ready for one caller at a time."""
    try:
        openvino = load_openvino()
    except ImportError:
        return _by_onnx_runtime(threads)
    return _by_openvino(openvino, threads)


def recogniser_path() -> Path:
    """The recogniser's file."""
    return _folder() / _RECOGNISER


def _folder() -> Path:
    return Path(str(distribution("rapidocr").locate_file("rapidocr/models")))  # its models are wanted, not its code


def _names(characters: str) -> tuple[str, ...]:
    return ("", *characters.splitlines(), " ")


def _by_onnx_runtime(threads: int) -> OcrModels:
    detect, _ = _onnx(_DETECTOR, threads)
    chances, characters = _onnx(_RECOGNISER, threads)

    def recognise(pixels: Pixels) -> NDArray[np.float32]:
        return np.log(np.maximum(chances(pixels), np.finfo(np.float32).tiny))

    return OcrModels(detect, recognise, None, _names(characters))


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


def _by_openvino(openvino: Any, threads: int) -> OcrModels:
    """One recogniser looks quickly and carefully."""
    core = openvino.Core()
    recogniser = core.read_model(str(recogniser_path()))
    characters = recogniser.get_rt_info(["framework", "character"]).astype(str)
    recogniser = of_any_height(openvino, recogniser)
    precision = native_precision(core)
    detect = _compiled(core, core.read_model(str(_folder() / _DETECTOR)), threads, precision, _KEEP_NO_SHAPES)
    ranges = ranges_of(recogniser_path())
    if ranges is not None:
        quantise(recogniser, ranges)
        precision = "f32"  # of what is left to do; bf16 would cost more in changing numbers than it saves
    recognise = _compiled(core, recogniser, threads, precision, _KEEP_FEW_SHAPES)
    return OcrModels(detect, recognise, recognise, _names(characters))


def of_any_height(openvino: Any, model: Any) -> Any:
    """The recogniser for lines of any height, without its softmax over 18,710 classes at every step.

    Its one layer that knows the height averages all rows that are left, three where lines are 48 high.
    """
    import openvino.opset13 as opset  # noqa: PLC0415

    (pool,) = [node for node in model.get_ops() if node.get_type_name() == "AvgPool"]
    row = opset.reduce_mean(pool.input_value(0), opset.constant(np.array([2])), keep_dims=True)
    halved = opset.avg_pool(row, [1, 2], [0, 0], [0, 0], [1, 2], True, "floor", "explicit")
    pool.output(0).replace(halved.output(0))
    model.reshape({model.input(0): openvino.PartialShape([1, 3, -1, -1])})
    softmax = model.output(0).get_node().input_value(0).get_node()
    return openvino.Model([softmax.input_value(0)], model.get_parameters(), "recogniser")


def _compiled(core: Any, model: Any, threads: int, precision: str, extra: dict[str, str]) -> Run:
    settings = {
        "INFERENCE_PRECISION_HINT": precision,
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
