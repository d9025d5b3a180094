"""What a machine needs once, before the first document: embedder and reader in the form that runs fastest on it.

    python -m trivium_inference.prepare

An installation ends with it; else the first start would, while somebody waits. Does nothing when it was done before.
"""

from __future__ import annotations

import asyncio
from contextlib import closing
from typing import Final

from trivium.config import Settings, load_settings
from trivium.ports.inference import Passage
from trivium_inference.local import local_models

_QUESTION: Final = "Ready?"


def prepare(settings: Settings) -> None:
    """Raises `NeverWill` (`model_missing`). Nothing when another machine runs the models."""
    if settings.inference_url:
        return
    with closing(local_models(settings)) as models:
        if models.reader:
            asyncio.run(models.reader.read(_QUESTION, [Passage(_QUESTION)]))


if __name__ == "__main__":
    prepare(load_settings())
