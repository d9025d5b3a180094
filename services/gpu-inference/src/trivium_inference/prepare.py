"""What a machine needs once, before the first document: the embedding model in the form that runs fastest on it.

    python -m trivium_inference.prepare

An installation ends with it; else the first start would, while somebody waits. Does nothing when it was done before.
"""

from __future__ import annotations

from trivium.config import Settings, load_settings
from trivium_inference.local import local_models


def prepare(settings: Settings) -> None:
    """Raises `NeverWill` (`model_missing`). Nothing when another machine runs the models."""
    if not settings.inference_url:
        local_models(settings).close()


if __name__ == "__main__":
    prepare(load_settings())
