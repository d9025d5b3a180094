"""The inference service as ports: embedder, OCR, visual encoder, transcriber, reranker, reader. No model here."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import PurePath
from typing import Final, TypeVar

import numpy as np
from numpy.typing import NDArray

from trivium.adapters.distributed.inference.png import encode_png
from trivium.adapters.distributed.inference.server import QUERY_TIMEOUT_S, Inference
from trivium.domain.parsed import Box
from trivium.ports.inference import OcrLine, Passage, PassageVectors, Reading, ReadSpan, Segment, Transcript, Vector
from trivium.v1 import inference_pb2 as pb

BULK_TIMEOUT_S: Final = 120.0
TRANSCRIBE_TIMEOUT_S: Final = 4 * 3600.0  # the longest recording, at the pace of speech
MAX_REQUEST_CHARS: Final = 512 * 1024  # some seconds of model time, so that nobody's requests grow old
MAX_ANSWER_BYTES: Final = 16 * 1024 * 1024  # of vectors
MAX_PICTURE_BYTES: Final = 16 * 1024 * 1024  # in one request, with as many pictures as take a second or two
MAX_PICTURES: Final = 64
AUDIO_PIECE_BYTES: Final = 1024 * 1024
_PER_TEXT_CHARS: Final = 16  # what a message adds to each text

T = TypeVar("T")


class _Remote:
    """A model that the inference service runs."""

    def __init__(self, inference: Inference) -> None:
        self._inference = inference


class RemoteEmbedder(_Remote):
    """`trivium.ports.inference.Embedder`. Its fingerprint is the service's, so artifacts are shared with embedded runs.

    When the service has changed its model in the meantime, the next call raises `TryLater` (`model_changed`) and the
    properties show the new one.
    """

    @property
    def fingerprint(self) -> str:
        """Model, revision and precision."""
        return self._inference.info.embedding.fingerprint

    @property
    def dimension(self) -> int:
        """Length of every vector."""
        return self._inference.info.embedding.dimension

    @property
    def max_tokens(self) -> int:
        """Tokens of one passage that the model reads."""
        return self._inference.info.embedding.max_tokens

    def embed_passages(self, passages: Sequence[Passage]) -> list[PassageVectors]:
        """One answer per passage, in order; many are sent in several requests. The vectors are read-only."""
        return [
            vectors
            for part in _portions(passages, self._weight)
            for vectors in _passage_vectors(part, self._embed(_passages_request(part), BULK_TIMEOUT_S))
        ]

    def embed_queries(self, texts: Sequence[str]) -> Vector:
        """(len(texts), d), read-only."""
        found = [
            _rows(self._embed(pb.EmbedRequest(queries=pb.EmbedRequest.Queries(texts=part)), QUERY_TIMEOUT_S))
            for part in _portions(texts, self._query_weight)
        ]
        return found[0] if len(found) == 1 else np.concatenate([*found, np.empty((0, self.dimension), np.float32)])

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        """Tokens of each text, without the marks that the model puts around its input."""
        return [count for part in _portions(texts, _text_weight) for count in self._counts(part)]

    def _counts(self, texts: Sequence[str]) -> Iterable[int]:
        expected = self.fingerprint
        answer: pb.CountTokensResponse = self._inference.call(
            "CountTokens", pb.CountTokensRequest(texts=texts), BULK_TIMEOUT_S
        )
        self._inference.check_model(answer.fingerprint, expected)
        return answer.counts

    def _embed(self, request: pb.EmbedRequest, timeout_s: float) -> pb.EmbedResponse:
        request.expected_fingerprint = self.fingerprint
        answer: pb.EmbedResponse = self._inference.call("Embed", request, timeout_s)
        return answer

    def _weight(self, passage: Passage) -> float:
        """Part of one request, as a fraction."""
        rows = 1 + len(passage.sentences)
        return max(_text_weight(passage.text) + _text_weight(passage.prefix), self._row_weight(rows))

    def _query_weight(self, text: str) -> float:
        return max(_text_weight(text), self._row_weight(1))

    def _row_weight(self, rows: int) -> float:
        return rows * self.dimension * 4 / MAX_ANSWER_BYTES


class RemoteOcr(_Remote):
    """`trivium.ports.inference.Ocr`. Raises also `NeverWill` (`ocr_crashed`, `ocr_timeout`) for an image.

    When the service has changed its engine in the meantime, the next call raises `TryLater` (`model_changed`).
    """

    @property
    def fingerprint(self) -> str:
        """Engine, models and version."""
        return self._inference.info.ocr_fingerprint

    def read(self, image: NDArray[np.uint8]) -> list[OcrLine]:
        """`image` has shape (height, width, 3), RGB. It travels as a PNG."""
        if 0 in image.shape:
            return []
        expected = self.fingerprint
        request = pb.OcrRequest(image=encode_png(image))
        answer = self._inference.call("Ocr", request, BULK_TIMEOUT_S)
        self._inference.check_model(answer.fingerprint, expected)
        return [
            OcrLine(line.text, Box(line.left, line.top, line.right, line.bottom), line.confidence, line.turned)
            for line in answer.lines
        ]


class RemoteVisualEncoder(_Remote):
    """`trivium.ports.inference.VisualEncoder`; its fingerprint is the service's. Raises also `not_served`.

    When the service has changed its model in the meantime, the next call raises `TryLater` (`model_changed`).
    """

    @property
    def fingerprint(self) -> str:
        """Model and precision; "" where the service runs none."""
        return self._inference.info.visual.fingerprint

    @property
    def dimension(self) -> int:
        """Length of every vector; 0 where the service runs no such model."""
        return self._inference.info.visual.dimension

    def embed_images(self, images: Sequence[bytes]) -> Vector:
        """(len(images), d), read-only; many are sent in several requests."""
        requests = (
            pb.EmbedVisualRequest(images=pb.EmbedVisualRequest.Images(files=part))
            for part in _portions(images, _picture_weight)
        )
        return self._embed(requests, BULK_TIMEOUT_S)

    def embed_texts(self, texts: Sequence[str]) -> Vector:
        """(len(texts), d), read-only."""
        requests = (
            pb.EmbedVisualRequest(texts=pb.EmbedVisualRequest.Texts(texts=part))
            for part in _portions(texts, _text_weight)
        )
        return self._embed(requests, QUERY_TIMEOUT_S)

    def _embed(self, requests: Iterable[pb.EmbedVisualRequest], timeout_s: float) -> Vector:
        found = []
        for request in requests:
            request.expected_fingerprint = self.fingerprint
            answer = self._inference.call("EmbedVisual", request, timeout_s)
            found.append(_rows(answer))
        return found[0] if len(found) == 1 else np.concatenate([*found, np.empty((0, self.dimension), np.float32)])


class RemoteTranscriber(_Remote):
    """`trivium.ports.inference.Transcriber`. Raises also `NeverWill` (`request_too_large`).

    When the service has changed its model in the meantime, the next call raises `TryLater` (`model_changed`).
    """

    @property
    def fingerprint(self) -> str:
        """Engine, model and precision; "" where the service runs none."""
        return self._inference.info.transcriber_fingerprint

    def transcribe(
        self,
        audio: bytes,
        language: str = "",
        progress: Callable[[Transcript], None] | None = None,
        before: Transcript | None = None,
    ) -> Transcript:
        """All that is said in a file; the service answers window by window."""
        expected = self.fingerprint
        heard = before or Transcript(language, 0.0)
        requests = _recording(audio, heard.language, heard.duration_s)
        answers = self._inference.stream("Transcribe", requests, TRANSCRIBE_TIMEOUT_S)
        with contextlib.closing(answers):
            for answer in answers:
                self._inference.check_model(answer.fingerprint, expected)
                if answer.done_s <= heard.duration_s:  # a service of before hears all of it again
                    continue
                found = (Segment(one.start_s, one.end_s, one.text, one.confidence) for one in answer.segments)
                heard = Transcript(answer.language, answer.done_s, (*heard.segments, *found))
                if progress is not None:
                    progress(heard)
        return heard.whole()


class RemoteReranker:
    """`trivium.ports.inference.Reranker`. `model` is what the service was told to load.

    When the service has changed its model in the meantime, the next call raises `TryLater` (`model_changed`).
    """

    def __init__(self, inference: Inference, model: str) -> None:
        self._inference = inference
        self._model = model

    @property
    def name(self) -> str:
        """As answers show it; the service is not asked, which would block an event loop."""
        return f"cross-encoder:{PurePath(self._model).name}"

    async def score(self, query: str, passages: Sequence[str]) -> list[float]:
        """One score per passage, in order; higher is better."""
        scores: list[float] = []
        expected = (await self._inference.info_async()).reranker
        for part in _portions(passages, _text_weight):
            answer = await self._inference.call_async(
                "Rerank", pb.RerankRequest(query=query, passages=part), QUERY_TIMEOUT_S
            )
            self._inference.check_model(answer.model, expected)
            scores.extend(answer.scores)
        return scores


class RemoteReader(_Remote):
    """`trivium.ports.inference.Reader`. Raises also `NeverWill` (`not_served`) where the service runs none.

    When the service has changed its model in the meantime, the next call raises `TryLater` (`model_changed`).
    """

    @property
    def fingerprint(self) -> str:
        """Embedder, weights and precision; "" where the service runs none."""
        return self._inference.info.reader_fingerprint

    async def read(self, question: str, passages: Sequence[Passage]) -> list[Reading]:
        """One reading per passage, in order."""
        found: list[Reading] = []
        expected = (await self._inference.info_async()).reader_fingerprint
        for part in _portions(passages, lambda passage: _text_weight(passage.prefix + passage.text)):
            messages = [pb.ReadRequest.Passage(text=passage.text, prefix=passage.prefix) for passage in part]
            request = pb.ReadRequest(question=question, passages=messages)
            answer = await self._inference.call_async("Read", request, QUERY_TIMEOUT_S)
            self._inference.check_model(answer.fingerprint, expected)
            found.extend(map(_reading, answer.readings))
        return found


def _portions(items: Sequence[T], weight: Callable[[T], float]) -> Iterator[list[T]]:
    """`items` in order, in portions that weigh at most 1 together; a heavier item stands alone."""
    portion: list[T] = []
    room = 1.0
    for item in items:
        heavy = weight(item)
        if portion and heavy > room:
            yield portion
            portion, room = [], 1.0
        portion.append(item)
        room -= heavy
    if portion:
        yield portion


def _reading(message: pb.ReadResponse.Reading) -> Reading:
    spans = (ReadSpan(span.start, span.end, span.score, span.probability) for span in message.spans)
    return Reading(tuple(spans), message.no_answer)


def _recording(audio: bytes, language: str, heard_s: float) -> Iterator[pb.TranscribeRequest]:
    yield pb.TranscribeRequest(language=language, heard_s=heard_s)
    for start in range(0, len(audio), AUDIO_PIECE_BYTES):
        yield pb.TranscribeRequest(content=audio[start : start + AUDIO_PIECE_BYTES])


def _picture_weight(image: bytes) -> float:
    return max(len(image) / MAX_PICTURE_BYTES, 1 / MAX_PICTURES)


def _text_weight(text: str) -> float:
    return (len(text) + _PER_TEXT_CHARS) / MAX_REQUEST_CHARS


def _passages_request(passages: Iterable[Passage]) -> pb.EmbedRequest:
    messages = [
        pb.EmbedRequest.Passage(
            text=passage.text,
            prefix=passage.prefix,
            sentences=[pb.TextSpan(start=span.start, end=span.end) for span in passage.sentences],
        )
        for passage in passages
    ]
    return pb.EmbedRequest(passages=pb.EmbedRequest.Passages(passages=messages))


def _passage_vectors(passages: Sequence[Passage], answer: pb.EmbedResponse) -> Iterator[PassageVectors]:
    vectors = _rows(answer)
    sentences = np.frombuffer(answer.sentences, "<f4").reshape(-1, answer.dimension)
    start = 0
    for passage, vector in zip(passages, vectors, strict=True):
        end = start + len(passage.sentences)
        yield PassageVectors(vector, sentences[start:end])
        start = end


def _rows(answer: pb.EmbedResponse | pb.EmbedVisualResponse) -> Vector:
    return np.frombuffer(answer.vectors, "<f4").reshape(-1, answer.dimension)
