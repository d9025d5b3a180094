"""A model is an address: on the inference service when one is named, else in this process if the engines are here."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator
from contextlib import closing, contextmanager
from importlib.metadata import entry_points

import msgspec

from trivium.config import Settings
from trivium.domain.errors import Refused
from trivium.ports.inference import Embedder, Ocr, Reader, Reranker, Transcriber, VisualEncoder

LOCAL = "trivium.models"
"""Entry points of this group make `Models` from settings; `trivium-gpu-inference` brings one."""


def nothing_to_close() -> None:
    """For models that end with their process."""


class Models(msgspec.Struct, frozen=True):
    """What ingest and queries ask of models; `reranker` is None unless `Settings.rerank_model` names one.

    `ocr` is None unless it is the inference service's: parsers build their own otherwise. `transcriber` is None where
    no speech model is configured; the inference service's may turn out to serve none (`not_served`). `visual` is None
    where no visual encoder is configured. `answers` asks the inference service whether it works, and raises
    `TriviumError` where it does not; None where models run in this process. `reader` is None where none was made of the
    embedder; the inference service's may turn out to serve none (`not_served`). `close` ends what they started.
    """

    embedder: Embedder
    reranker: Reranker | None = None
    ocr: Ocr | None = None
    transcriber: Transcriber | None = None
    visual: VisualEncoder | None = None
    answers: Callable[[], Awaitable[None]] | None = None
    reader: Reader | None = None
    close: Callable[[], None] = nothing_to_close


@contextmanager
def connect_models(settings: Settings) -> Iterator[Models]:
    """The configured models for the length of the block. Raises `Refused` (`no_models`) where there are none."""
    if not settings.inference_url:
        with closing(_local()(settings)) as models:
            yield models
        return
    from trivium.adapters.distributed.inference.models import (  # noqa: PLC0415
        RemoteEmbedder,
        RemoteOcr,
        RemoteReader,
        RemoteReranker,
        RemoteTranscriber,
        RemoteVisualEncoder,
    )
    from trivium.adapters.distributed.inference.server import Inference  # noqa: PLC0415

    with closing(Inference(settings.inference_url)) as inference:
        reranker = RemoteReranker(inference, settings.rerank_model) if settings.rerank_model else None
        visual = RemoteVisualEncoder(inference) if settings.visual_model else None
        yield Models(
            RemoteEmbedder(inference),
            reranker,
            RemoteOcr(inference),
            RemoteTranscriber(inference),
            visual,
            inference.answers,
            RemoteReader(inference),
        )


def _local() -> Callable[[Settings], Models]:
    for entry in entry_points(group=LOCAL):
        make: Callable[[Settings], Models] = entry.load()
        return make
    raise Refused(
        "no_models",
        "No models can be run here and no inference service is named.",
        "Set TRIVIUM_INFERENCE_URL to its host:port.",
    )
