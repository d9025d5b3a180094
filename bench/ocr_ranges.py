"""Measure what the recogniser's layers take, for `trivium_inference.ocr_int8`.

Usage: python bench/ocr_ranges.py FOLDER [--pages 2]

FOLDER holds PDFs of printed text. Some pages of each are drawn at 150 dpi, and their lines read in f32 as they are and
as negatives, at both heights. Writes ocr_ranges.json beside the module: run it when RapidOCR brings another model.
"""

from __future__ import annotations

import argparse
import hashlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import cv2
import msgspec
import numpy as np
import pypdfium2

from trivium_inference.ocr_int8 import RANGES, Ranges
from trivium_inference.ocr_lines import Image, cut_line, find_lines, normalised
from trivium_inference.ocr_models import FAST_HEIGHT, HEIGHT, load_models, of_any_height, recogniser_path
from trivium_inference.openvino_runtime import load_openvino

DPI = 150
EVERY = 12  # of a page's lines


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("folder", type=Path)
    arguments.add_argument("--pages", type=int, default=2, help="of each document")
    options = arguments.parse_args()
    openvino = load_openvino()
    core = openvino.Core()
    model = of_any_height(openvino, core.read_model(str(recogniser_path())))
    layers = [node for node in model.get_ordered_ops() if _has_weights(node)]
    inputs = openvino.Model([node.input_value(0) for node in layers], model.get_parameters(), "inputs")
    request = core.compile_model(inputs, "CPU", {"INFERENCE_PRECISION_HINT": "f32"}).create_infer_request()
    found: dict[str, tuple[float, float]] = {}
    for line in _lines(options.folder, options.pages):
        for pixels in (_drawn(line, FAST_HEIGHT), _drawn(line, HEIGHT), _drawn(255 - line, FAST_HEIGHT)):
            request.infer([pixels])
            for index, node in enumerate(layers):
                values: Any = request.get_output_tensor(index).data
                if node.get_type_name() == "Convolution" and values.shape[2] == 1:
                    continue  # one row or one pixel, which costs nothing
                least, greatest = found.get(node.get_friendly_name(), (np.inf, -np.inf))
                found[node.get_friendly_name()] = min(least, float(values.min())), max(greatest, float(values.max()))
    ranges = Ranges(
        hashlib.sha256(recogniser_path().read_bytes()).hexdigest(),
        {name: (round(least, 3), round(greatest, 3)) for name, (least, greatest) in found.items()},
    )
    RANGES.write_bytes(msgspec.json.format(msgspec.json.encode(ranges), indent=1) + b"\n")


def _has_weights(node: Any) -> bool:
    kind = node.get_type_name()
    return kind == "Convolution" or (kind == "MatMul" and node.input_value(1).get_node().get_type_name() == "Constant")


def _lines(folder: Path, pages: int) -> Iterator[Image]:
    detect = load_models(1).detect
    for path in sorted(folder.glob("*.pdf")):
        document = pypdfium2.PdfDocument(path)
        for number in range(0, len(document), max(1, len(document) // pages)):
            image = np.asarray(document[number].render(scale=DPI / 72, rev_byteorder=True).to_pil().convert("RGB"))
            for corners in find_lines(image, detect)[::EVERY]:
                yield cut_line(image, corners)[0]


def _drawn(line: Image, height: int) -> Any:
    width = max(height, round(line.shape[1] * height / line.shape[0]))
    return normalised(cv2.resize(line, (min(width, 40 * height), height)))


if __name__ == "__main__":
    main()
