"""The reader's weights: what its last layers differ in from the embedder's, in whole numbers, and its head.

`reader.json` says what `reader.weights` is; `bench/train_reader.py` writes both. They lie in this package or, of
another embedder, in its own folder: the differences mean nothing to any but the one that they were trained from.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import msgspec
import numpy as np
from numpy.typing import NDArray

from trivium_inference.model_files import ModelFiles

Weights = Mapping[str, NDArray[Any]]

FACTS: Final = "reader.json"
WEIGHTS: Final = "reader.weights"  # in the format of safetensors; that suffix would make it the embedder's own
MAX_BYTES: Final = 12_000_000
SHIPPED: Final = Path(__file__).parent
_STEP: Final = ".step"  # of the whole numbers of a row
_LARGEST: Final = 127


class ReaderFacts(msgspec.Struct, frozen=True):
    """`base` is the embedder's digest. Layers from `first_layer` on are trained. `trained_on` counts questions by set.

    That a span with log-odds x is right has probability 1 / (1 + exp(-(slope * x + intercept))) (Platt 1999).
    """

    base: str
    sha256: str
    first_layer: int
    slope: float
    intercept: float
    trained_on: dict[str, int]


def find_reader(files: ModelFiles) -> tuple[ReaderFacts, Path] | None:
    """The reader made of this embedder, and its folder; None where there is none."""
    for folder in (files.path, SHIPPED):
        if (folder / FACTS).is_file() and (folder / WEIGHTS).is_file():
            facts = read_facts(folder)
            if facts.base == files.digest:
                return facts, folder
    return None


def read_facts(folder: Path) -> ReaderFacts:
    """What the folder's reader is."""
    return msgspec.json.decode((folder / FACTS).read_bytes(), type=ReaderFacts)


def read_changes(facts: ReaderFacts, folder: Path) -> Weights:
    """The whole file, as `changed` takes it. Raises `ValueError` for a file that is not the one in `facts`."""
    from safetensors.numpy import load  # noqa: PLC0415 - a native library

    file = folder / WEIGHTS
    content = file.read_bytes()
    if len(content) > MAX_BYTES or hashlib.sha256(content).hexdigest() != facts.sha256:
        raise ValueError(
            f"{file} is not the file that {FACTS} beside it describes. Install trivium-gpu-inference again."
        )
    return load(content)


def changed(base: Weights, changes: Weights) -> Weights:
    """The embedder's weights with the reader's: differences added, what the embedder has not put beside them."""
    steps = {name.removesuffix(_STEP): step for name, step in changes.items() if name.endswith(_STEP)}
    whole = {name: value for name, value in changes.items() if not name.endswith(_STEP)}
    return {**base, **{name: _one(value, steps.get(name), base.get(name)) for name, value in whole.items()}}


def _one(value: NDArray[Any], step: NDArray[Any] | None, base: NDArray[Any] | None) -> NDArray[np.float32]:
    number = value.astype(np.float32)
    if step is not None:
        number *= step.astype(np.float32)[:, None]
    return number if base is None else number + base.astype(np.float32)


def differences(base: Weights, trained: Weights) -> dict[str, NDArray[Any]]:
    """What `changed` makes `trained` of again: matrices rounded to 255 steps a row, the rest to 16-bit floats."""
    found: dict[str, NDArray[Any]] = {}
    for name, value in trained.items():
        rest = value - base[name].astype(np.float32) if name in base else value
        if rest.ndim == 2 and name in base:
            step = np.maximum(np.abs(rest).max(axis=1) / _LARGEST, np.finfo(np.float32).tiny).astype(np.float32)
            found[name], found[name + _STEP] = np.rint(rest / step[:, None]).astype(np.int8), step
        else:
            found[name] = rest.astype(np.float16)
    return found
