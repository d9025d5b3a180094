"""The recogniser's products on whole numbers: twice bf16's and four times f32's a cycle (VNNI).

Weights become 7 bits a channel, inputs 8 bits a tensor. The inputs' ranges were measured on printed pages by
`bench/ocr_ranges.py` and lie in `ocr_ranges.json`, with the digest of the model that they belong to.
"""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any, Final

import msgspec
import numpy as np
from numpy.typing import NDArray

RANGES: Final = Path(__file__).with_name("ocr_ranges.json")
_STEPS: Final = 255  # of an input, which is unsigned
_TOP_WEIGHT: Final = 63  # two products of 255 x 63 fit the 16 bits in which processors without VNNI add them


class Ranges(msgspec.Struct, frozen=True):
    """`inputs` has (least, greatest) of what each layer with weights takes, by its name in the model."""

    model_sha256: str
    inputs: dict[str, tuple[float, float]]


def ranges_of(model: Path) -> Ranges | None:
    """The ranges of the model's file; None when they were measured on another one."""
    ranges = msgspec.json.decode(RANGES.read_bytes(), type=Ranges)
    return ranges if ranges.model_sha256 == hashlib.sha256(model.read_bytes()).hexdigest() else None


def quantise(model: Any, ranges: Ranges) -> None:
    """Put the model's layers that `ranges` names on whole numbers, in place.

    Whatever else takes the same input (a sum, a mean) takes the rounded one too: it is then written once.
    """
    import openvino.opset13 as opset  # noqa: PLC0415

    nodes = {node.get_friendly_name(): node for node in model.get_ops()}
    for name, (least, greatest) in ranges.inputs.items():
        layer = nodes[name]
        source = layer.input_value(0)
        readers = list(source.get_target_inputs())
        one = (1,) * source.get_partial_shape().rank.get_length()
        low, high = (opset.constant(np.full(one, edge, np.float32)) for edge in _with_zero(least, greatest))
        rounded = opset.fake_quantize(source, low, high, low, high, _STEPS + 1)
        for reader in readers:
            reader.replace_source_output(rounded.output(0))
        whole, scale = _whole_weights(layer.input_value(1).get_node().data)
        weights = opset.multiply(opset.convert(opset.constant(whole), np.float32), opset.constant(scale))
        layer.input(1).replace_source_output(weights.output(0))


def _with_zero(least: float, greatest: float) -> tuple[float, float]:
    """The range moved by less than a step, so that zero, which pads images, is one of its values."""
    step = (greatest - min(least, 0.0)) / _STEPS
    zero = round(-min(least, 0.0) / step)
    return -zero * step, (_STEPS - zero) * step


def _whole_weights(weights: NDArray[np.float32]) -> tuple[NDArray[np.int8], NDArray[np.float32]]:
    """Weights and each channel's scale, of a convolution's (out, in, height, width) or a product's (in, out)."""
    inward = (0,) if weights.ndim == 2 else (1, 2, 3)
    scale = np.maximum(np.abs(weights).max(axis=inward, keepdims=True), np.finfo(np.float32).tiny) / _TOP_WEIGHT
    return np.rint(weights / scale).astype(np.int8), scale.astype(np.float32)
