"""ONNX Runtime reports to nobody."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

READ_AN_IMAGE = """
import sys
sys.modules["openvino"] = None  # as on a processor that it does not know
import numpy
from trivium_inference.ocr import RapidOcr
RapidOcr().read(numpy.full((64, 64, 3), 255, numpy.uint8))
"""


def test_reading_an_image_makes_no_identifier_of_the_device(tmp_path: Path) -> None:
    # Where the library takes itself to be tested it reports nothing in any case, so the child knows of no CI.
    env = {"HOME": str(tmp_path), "PATH": os.environ["PATH"], "PYTHONPATH": os.pathsep.join(sys.path)}
    subprocess.run([sys.executable, "-c", READ_AN_IMAGE], env=env, check=True, timeout=120)
    assert not [path for path in tmp_path.rglob("*") if "onnxruntime" in path.name]
