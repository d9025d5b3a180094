"""The engines in the process that asks for them, as the embedded product runs them."""

from __future__ import annotations

from trivium.adapters.models import Models, nothing_to_close
from trivium.config import Settings
from trivium.ports.inference import Reranker, Transcriber
from trivium_inference.embed import EmbedOptions, build_embedder
from trivium_inference.reader import build_reader
from trivium_inference.speech import WhisperTranscriber
from trivium_inference.visual import ClipEncoder


def local_models(settings: Settings) -> Models:
    """Models as `settings` names them; what is not used is not loaded."""
    options = EmbedOptions(
        settings.cache_dir.expanduser(), settings.embed_model, settings.embed_backend, threads=settings.embed_threads
    )
    visual = ClipEncoder(settings.visual_model) if settings.visual_model else None
    embedder = build_embedder(options)
    return Models(
        embedder,
        _reranker(settings),
        transcriber=_transcriber(settings),
        visual=visual,
        reader=build_reader(embedder.files, options.cache_dir, threads=settings.embed_threads),
        close=visual.close if visual else nothing_to_close,
    )


def _reranker(settings: Settings) -> Reranker | None:
    if not settings.rerank_model:
        return None
    from trivium_inference.rerank import CrossEncoderReranker  # noqa: PLC0415 - loads torch

    return CrossEncoderReranker(settings.rerank_model)


def _transcriber(settings: Settings) -> Transcriber | None:
    return WhisperTranscriber(settings.speech_model) if settings.speech_model else None
