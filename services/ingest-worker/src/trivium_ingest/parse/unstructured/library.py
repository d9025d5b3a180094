"""The library itself, with its spaCy pipeline from a folder: it would download one at its first word."""

from __future__ import annotations

import os
from functools import lru_cache
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from types import ModuleType

from trivium.domain.errors import NeverWill
from trivium.domain.ids import content_version

PACKAGE = "unstructured"
_INSTALL = "Install trivium-ingest-worker[unstructured] where files are read, or set TRIVIUM_READER=own."
_LEFT_OUT = ("ner", "lemmatizer", "attribute_ruler")  # as the library leaves them out
_QUIET = {"UNSTRUCTURED_DISABLE_NOTICE": "1", "DO_NOT_TRACK": "1", "SCARF_NO_ANALYTICS": "1"}


def library_of(model: str) -> str:
    """Names the library and the pipeline in the folder `model`; "" without one. Nothing is loaded."""
    if not model:
        return ""
    meta = Path(model) / "meta.json"
    pipeline = content_version(meta.read_bytes()) if meta.is_file() else "missing"
    try:
        return f"{PACKAGE}={version(PACKAGE)}:{pipeline}"
    except PackageNotFoundError:
        return f"{PACKAGE}=missing"


@lru_cache(maxsize=1)
def partitioning(model: str) -> ModuleType:
    """`unstructured.partition.auto`, which asks nobody. Raises `NeverWill` (`not_installed`, `model_missing`)."""
    os.environ.update(_QUIET)
    try:
        spacy, tokenize = import_module("spacy"), import_module("unstructured.nlp.tokenize")
        auto = import_module("unstructured.partition.auto")
    except ImportError as error:
        raise NeverWill("not_installed", f"{PACKAGE} is not installed here ({error}).", _INSTALL) from error
    try:
        pipeline = spacy.load(model, exclude=_LEFT_OUT)
    except (OSError, ValueError) as error:
        raise NeverWill(
            "model_missing",
            f"There is no spaCy pipeline at {model!r}, and none is downloaded.",
            "Set TRIVIUM_UNSTRUCTURED_MODEL to the folder that holds its config.cfg.",
        ) from error
    vars(tokenize)["_load_spacy_model"] = lambda: pipeline
    return auto
