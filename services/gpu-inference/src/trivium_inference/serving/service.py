"""The methods of `trivium.v1.InferenceService`: a request becomes items with costs, and their results an answer."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from typing import Final, NoReturn, TypeVar

import numpy as np

from trivium.domain.chunks import Span
from trivium.domain.errors import Conflict, NeverWill, Refused
from trivium.ports.inference import OcrLine, Passage, Reading, Segment, Vector
from trivium.rpc_calls import Context
from trivium.v1 import inference_pb2 as pb
from trivium.v1.inference_pb2_grpc import InferenceServiceServicer
from trivium_inference.serving.calls import Call, opened
from trivium_inference.serving.engines import Engines
from trivium_inference.serving.recordings import Recordings
from trivium_inference.tokens import Tokens
from trivium_inference.visual import ClipEncoder

MAX_ANSWER_BYTES: Final = 48 * 1024 * 1024  # of vectors; below what the server may send
_TOKENIZE_ITEMS: Final = 512  # at a time: bounds memory, and a caller who is gone is noticed in between
_FLOAT_BYTES: Final = 4
MAX_PICTURES: Final = 256  # in a request: decoded, each takes half a megabyte

T = TypeVar("T")
R = TypeVar("R")


class Inference(InferenceServiceServicer):  # type: ignore[misc]  # generated code is untyped
    """Every method may be called by many at once."""

    def __init__(self, engines: Engines) -> None:
        self._engines = engines
        self._recordings = Recordings()

    def close(self) -> None:
        """When no call is running any more."""
        self._recordings.close()

    async def Info(self, request: pb.InfoRequest, context: Context) -> pb.InfoResponse:  # noqa: N802
        """Which models are served."""
        async with opened("Info", context):
            engines = self._engines
            embedder, reranker, transcriber = engines.embedder, engines.reranker, engines.transcriber
            return pb.InfoResponse(
                embedding=pb.InfoResponse.Embedding(
                    fingerprint=embedder.fingerprint, dimension=embedder.dimension, max_tokens=embedder.max_tokens
                ),
                ocr_fingerprint=self._engines.ocr_fingerprint,
                reranker=reranker.name if reranker else "",
                transcriber_fingerprint=transcriber.fingerprint if transcriber else "",
                visual=_visual_info(engines.visual) if engines.visual else None,
                reader_fingerprint=engines.reader.fingerprint if engines.reader else "",
            )

    async def Embed(self, request: pb.EmbedRequest, context: Context) -> pb.EmbedResponse:  # noqa: N802
        """Vectors of passages and their sentences, or of queries."""
        async with opened("Embed", context) as call:
            embedder = self._engines.embedder
            if request.expected_fingerprint not in ("", embedder.fingerprint):
                raise Conflict("model_changed", f"The embedding model is {embedder.fingerprint} now.", "Ask again.")
            if request.WhichOneof("input") == "queries":
                vectors, sentences = await self._queries(list(request.queries.texts), call), b""
            else:
                vectors, sentences = await self._passages(request.passages.passages, call)
            return pb.EmbedResponse(
                vectors=vectors,
                sentences=sentences,
                dimension=embedder.dimension,
                fingerprint=embedder.fingerprint,
            )

    async def CountTokens(  # noqa: N802
        self, request: pb.CountTokensRequest, context: Context
    ) -> pb.CountTokensResponse:
        """Tokens of each text; no model is asked."""
        async with opened("CountTokens", context):
            embedder = self._engines.embedder
            counts = await _in_slices(embedder.count_tokens, list(request.texts))
            return pb.CountTokensResponse(counts=counts, fingerprint=embedder.fingerprint)

    async def Rerank(self, request: pb.RerankRequest, context: Context) -> pb.RerankResponse:  # noqa: N802
        """Scores of passages against one query."""
        async with opened("Rerank", context) as call:
            reranker, batcher = self._engines.reranker, self._engines.pairs
            if reranker is None or batcher is None:
                _not_served("reranker", "Set TRIVIUM_RERANK_MODEL where the service starts.")
            batcher.check_room()
            pairs = reranker.pairs(request.query, request.passages)
            costs = await _in_slices(reranker.count_tokens, pairs)
            scores = await batcher.submit(pairs, costs, call.caller, call.timeout_s)
            return pb.RerankResponse(scores=scores, model=reranker.name)

    async def Read(self, request: pb.ReadRequest, context: Context) -> pb.ReadResponse:  # noqa: N802
        """Spans of passages that answer one question."""
        async with opened("Read", context) as call:
            reader, batcher = self._engines.reader, self._engines.reads
            if reader is None or batcher is None:
                _not_served("reader", "Trivium brings one for its own embedder: unset TRIVIUM_EMBED_MODEL.")
            batcher.check_room()
            passages = [Passage(message.text, message.prefix) for message in request.passages]
            windows = await asyncio.to_thread(reader.windows, request.question, passages)
            costs = [len(window) for window in windows]
            scores = await batcher.submit(windows, costs, call.caller, call.timeout_s)
            readings = await asyncio.to_thread(reader.readings, passages, windows, scores)
            return pb.ReadResponse(readings=map(_reading, readings), fingerprint=reader.fingerprint)

    async def Ocr(self, request: pb.OcrRequest, context: Context) -> pb.OcrResponse:  # noqa: N802
        """The text in an image."""
        async with opened("Ocr", context) as call:
            (lines,) = await self._engines.images.submit([request.image], [1], call.caller, call.timeout_s)
            return pb.OcrResponse(lines=map(_line, lines), fingerprint=self._engines.ocr_fingerprint)

    async def EmbedVisual(  # noqa: N802
        self, request: pb.EmbedVisualRequest, context: Context
    ) -> pb.EmbedVisualResponse:
        """Vectors of pictures, or of words, in one space."""
        async with opened("EmbedVisual", context) as call:
            engines = self._engines
            visual, files, pictures, captions = engines.visual, engines.files, engines.pictures, engines.captions
            if visual is None or files is None or pictures is None or captions is None:
                _not_served("visual encoder", "Set TRIVIUM_VISUAL_MODEL where the service starts.")
            if request.expected_fingerprint not in ("", visual.fingerprint):
                raise Conflict("model_changed", f"The visual model is {visual.fingerprint} now.", "Ask again.")
            if request.WhichOneof("input") == "texts":
                captions.check_room()
                _check_answer(len(request.texts.texts), visual.dimension)
                texts = await _in_slices(visual.read_texts, list(request.texts.texts))
                rows = await captions.submit(texts, [len(ids) for ids in texts], call.caller, call.timeout_s)
            else:
                pictures.check_room()
                sent = request.images.files
                if len(sent) > MAX_PICTURES:
                    raise Refused("request_too_large", f"{len(sent):,} pictures.", f"Send {MAX_PICTURES} at a time.")
                images = await files.submit(list(sent), [1] * len(sent), call.caller, call.timeout_s)
                costs = [visual.image_tokens] * len(images)
                rows = await pictures.submit(images, costs, call.caller, context.time_remaining())
            return pb.EmbedVisualResponse(
                vectors=_packed(rows), dimension=visual.dimension, fingerprint=visual.fingerprint
            )

    async def Transcribe(  # noqa: N802
        self, request_iterator: AsyncIterator[pb.TranscribeRequest], context: Context
    ) -> AsyncIterator[pb.TranscribeResponse]:
        """What is said in a recording, window by window; those of several callers take turns."""
        async with opened("Transcribe", context) as call:
            transcriber, batcher = self._engines.transcriber, self._engines.windows
            if transcriber is None or batcher is None:
                _not_served("transcriber", "Set TRIVIUM_SPEECH_MODEL where the service starts.")
            batcher.check_room()
            async with self._recordings.received(request_iterator) as (recording, asked):
                found, language = recording.windows(asked.heard_s), asked.language
                while (window := await self._recordings.next_window(found)) is not None:
                    (heard,) = await batcher.submit([(window, language)], [1], call.caller, context.time_remaining())
                    language = heard.language
                    yield pb.TranscribeResponse(
                        segments=map(_segment, heard.segments),
                        language=language,
                        fingerprint=transcriber.fingerprint,
                        done_s=window.end_s,
                    )

    async def _queries(self, texts: list[str], call: Call) -> bytes:
        batcher = self._engines.queries
        batcher.check_room()
        _check_answer(len(texts), self._engines.embedder.dimension)
        inputs = await _in_slices(self._engines.embedder.read_queries, texts)
        return _packed(await batcher.submit(inputs, _lengths(inputs), call.caller, call.timeout_s))

    async def _passages(self, messages: Sequence[pb.EmbedRequest.Passage], call: Call) -> tuple[bytes, bytes]:
        batcher = self._engines.passages
        batcher.check_room()
        _check_answer(sum(1 + len(message.sentences) for message in messages), self._engines.embedder.dimension)
        inputs = await _in_slices(self._read_passages, messages)
        found = await batcher.submit(inputs, _lengths(inputs), call.caller, call.timeout_s)
        return _packed([one.passage for one in found]), _packed([one.sentences for one in found])

    def _read_passages(self, messages: Sequence[pb.EmbedRequest.Passage]) -> list[Tokens]:
        return self._engines.embedder.read_passages(
            [
                Passage(message.text, message.prefix, tuple(Span(span.start, span.end) for span in message.sentences))
                for message in messages
            ]
        )


def _check_answer(rows: int, dimension: int) -> None:
    if rows * dimension * _FLOAT_BYTES > MAX_ANSWER_BYTES:
        raise Refused("request_too_large", f"The answer would have {rows:,} vectors.", "Ask for fewer at a time.")


async def _in_slices(read: Callable[[Sequence[T]], list[R]], items: Sequence[T]) -> list[R]:
    """`read` beside the event loop."""
    found: list[R] = []
    for start in range(0, len(items), _TOKENIZE_ITEMS):
        found.extend(await asyncio.to_thread(read, items[start : start + _TOKENIZE_ITEMS]))
    return found


def _lengths(inputs: Sequence[Tokens]) -> list[int]:
    return [len(tokens) for tokens in inputs]


def _packed(rows: Sequence[Vector]) -> bytes:
    return b"".join(np.ascontiguousarray(row, "<f4").tobytes() for row in rows)


def _line(line: OcrLine) -> pb.OcrResponse.Line:
    box = line.box
    return pb.OcrResponse.Line(
        text=line.text,
        left=box.left,
        top=box.top,
        right=box.right,
        bottom=box.bottom,
        confidence=line.confidence,
        turned=line.turned,
    )


def _reading(reading: Reading) -> pb.ReadResponse.Reading:
    spans = [
        pb.ReadResponse.Span(start=span.start, end=span.end, score=span.score, probability=span.probability)
        for span in reading.spans
    ]
    return pb.ReadResponse.Reading(spans=spans, no_answer=reading.no_answer)


def _segment(segment: Segment) -> pb.TranscribeResponse.Segment:
    return pb.TranscribeResponse.Segment(
        start_s=segment.start_s, end_s=segment.end_s, text=segment.text, confidence=segment.confidence
    )


def _visual_info(visual: ClipEncoder) -> pb.InfoResponse.Embedding:
    return pb.InfoResponse.Embedding(
        fingerprint=visual.fingerprint, dimension=visual.dimension, max_tokens=visual.max_tokens
    )


def _not_served(what: str, action: str) -> NoReturn:
    raise NeverWill("not_served", f"This inference service runs no {what}.", action)
