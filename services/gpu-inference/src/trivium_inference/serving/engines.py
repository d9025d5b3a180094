"""The engines of one server with their queues, and what each is asked to prove that it works."""

from __future__ import annotations

import io
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from typing import Any, Final

import msgspec
from PIL import Image

from trivium.config import Settings
from trivium.ports.inference import OcrLine, Passage, PassageVectors, Vector
from trivium_inference.audio import Window
from trivium_inference.embed import EmbedOptions, TextEmbedder, build_embedder, usable_cores
from trivium_inference.reader import SpanReader, build_reader
from trivium_inference.reader_windows import Window as ReaderWindow
from trivium_inference.rerank import CrossEncoderReranker, Pair
from trivium_inference.serving.batcher import Batcher, BatchLimits
from trivium_inference.serving.ocr_process import OcrProcess
from trivium_inference.serving.vowels import vowels
from trivium_inference.speech import Heard, WhisperTranscriber
from trivium_inference.tokens import Tokens
from trivium_inference.visual import ClipEncoder, TokenIds

# What may wait before new requests are refused: half a minute's work on two cores, so that a refusal means overload.
QUEUED_BATCHES: Final = 64
QUEUED_IMAGES: Final = 64
QUEUED_WINDOWS: Final = 64
QUEUED_FILES: Final = 512  # pictures to be decoded, with their bytes
DECODERS: Final = 2  # of pictures: each may take the memory that `visual_process.py` says
CANARY: Final = "canary"
_CANARY_TEXT: Final = "A canary sings."
_CANARY_VOICE_S: Final = 2.0

WindowAndLanguage = tuple[Window, str]


class Engines(msgspec.Struct, frozen=True):
    """Queries have a queue and a thread of their own: they never wait for passages.

    `files` become `pictures`, as many at a time as `visual` has decoders.
    """

    embedder: TextEmbedder
    queries: Batcher[Tokens, Vector]
    passages: Batcher[Tokens, PassageVectors]
    ocr_fingerprint: str
    images: Batcher[bytes, list[OcrLine]]
    reranker: CrossEncoderReranker | None
    pairs: Batcher[Pair, float] | None
    transcriber: WhisperTranscriber | None
    windows: Batcher[WindowAndLanguage, Heard] | None
    visual: ClipEncoder | None
    files: Batcher[bytes, Vector] | None
    pictures: Batcher[Vector, Vector] | None
    captions: Batcher[TokenIds, Vector] | None
    reader: SpanReader | None = None
    reads: Batcher[ReaderWindow, Vector] | None = None

    def canaries(self) -> list[Canary]:
        """One for each engine."""
        (query,) = self.embedder.read_queries([_CANARY_TEXT])
        (passage,) = self.embedder.read_passages([Passage(_CANARY_TEXT)])
        found = [
            Canary("queries", self.queries, query, len(query)),
            Canary("passages", self.passages, passage, len(passage)),
            Canary("images", self.images, _blank_image(), 1, rest=6),  # a third of a second of processor time each
        ]
        if self.pairs is not None:
            found.append(Canary("pairs", self.pairs, (_CANARY_TEXT, _CANARY_TEXT), 1))
        if self.windows is not None:
            voice = Window(0, vowels(_CANARY_VOICE_S))
            found.append(Canary("windows", self.windows, (voice, ""), 1, rest=30))  # a large model needs ten seconds
        if self.visual and self.captions and self.files and self.pictures:
            (caption,) = self.visual.read_texts([_CANARY_TEXT])
            (picture,) = self.visual.read_images([_blank_image()])
            found.append(Canary("captions", self.captions, caption, len(caption)))
            found.append(Canary("files", self.files, _blank_image(), 1, rest=6))
            found.append(Canary("pictures", self.pictures, picture, self.visual.image_tokens, rest=6))
        if self.reader is not None and self.reads is not None:
            (read,) = self.reader.windows(_CANARY_TEXT, [Passage(_CANARY_TEXT)])
            found.append(Canary("reads", self.reads, read, len(read)))
        return found


class Canary(msgspec.Struct, frozen=True):
    """A small piece of real work for one engine. `rest` is the rounds that it may sit out after a success."""

    name: str
    batcher: Batcher[Any, Any]
    item: Any
    cost: int
    rest: int = 1

    def sing(self, timeout_s: float) -> Awaitable[object]:
        """Through the queue and the engine, as everybody's work. Raises as `Batcher.submit` does."""
        return self.batcher.submit([self.item], [self.cost], CANARY, timeout_s)


@contextmanager
def open_engines(settings: Settings) -> Iterator[Engines]:
    """Load what `settings` name.

    Raises `NeverWill` (`model_missing`, `model_unsupported`, `no_speech_model`, `no_visual_model`).
    """
    options = EmbedOptions(
        settings.cache_dir.expanduser(), settings.embed_model, settings.embed_backend, threads=settings.embed_threads
    )
    with ExitStack() as stack:
        embedder = stack.enter_context(closing(build_embedder(options)))
        ocr = stack.enter_context(closing(OcrProcess(usable_cores())))
        reranker = CrossEncoderReranker(settings.rerank_model) if settings.rerank_model else None
        if reranker is not None:
            reranker.load()
        transcriber = WhisperTranscriber(settings.speech_model) if settings.speech_model else None
        if transcriber is not None:
            transcriber.load()
        visual = ClipEncoder(settings.visual_model, min(DECODERS, usable_cores())) if settings.visual_model else None
        if visual is not None:
            visual.load()
            stack.callback(visual.close)
        reader = build_reader(embedder.files, options.cache_dir, threads=settings.embed_threads)
        yield stack.enter_context(with_queues(embedder, ocr, reranker, transcriber, settings, visual, reader))


@contextmanager
def with_queues(
    embedder: TextEmbedder,
    ocr: OcrProcess,
    reranker: CrossEncoderReranker | None,
    transcriber: WhisperTranscriber | None,
    settings: Settings,
    visual: ClipEncoder | None = None,
    reader: SpanReader | None = None,
) -> Iterator[Engines]:
    """Queues and threads before the engines; at the block's end what waits is served."""
    tokens = settings.inference_batch_tokens
    limits = BatchLimits(batch=tokens, queued=tokens * QUEUED_BATCHES)
    company = msgspec.structs.replace(limits, wait_s=settings.inference_max_wait_ms / 1000, threads=embedder.lanes)
    with ExitStack() as stack:

        def batcher(name: str, run: Callable[[Sequence[Any]], Sequence[Any]], limits: BatchLimits) -> Batcher[Any, Any]:
            return stack.enter_context(closing(Batcher(name, run, limits)))

        yield Engines(
            embedder,
            batcher("queries", lambda items: list(embedder.encode_queries(items)), limits),
            batcher("passages", embedder.encode_passages, company),
            ocr.fingerprint,
            batcher("images", lambda images: [ocr.read(image) for image in images], BatchLimits(1, QUEUED_IMAGES)),
            reranker,
            batcher("pairs", reranker.score_pairs, limits) if reranker else None,
            transcriber,
            batcher("windows", _hearing(transcriber), BatchLimits(1, QUEUED_WINDOWS)) if transcriber else None,
            visual,
            batcher("files", visual.read_images, BatchLimits(1, QUEUED_FILES, threads=visual.decoders))
            if visual
            else None,
            batcher("pictures", lambda items: list(visual.encode_images(items)), limits) if visual else None,
            batcher("captions", lambda items: list(visual.encode_texts(items)), limits) if visual else None,
            reader,
            batcher("reads", reader.score, limits) if reader else None,
        )


def _hearing(transcriber: WhisperTranscriber) -> Callable[[Sequence[WindowAndLanguage]], list[Heard]]:
    return lambda items: [transcriber.hear(window, language) for window, language in items]


def _blank_image() -> bytes:
    file = io.BytesIO()
    Image.new("RGB", (64, 64), "white").save(file, "PNG")
    return file.getvalue()
