"""Models behind an address: in this process, on the inference service or at a provider."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

import msgspec
import numpy as np
from numpy.typing import NDArray

from trivium.domain.chunks import Span
from trivium.domain.parsed import Box

Vector = NDArray[np.float32]


class Passage(msgspec.Struct, frozen=True):
    """What is embedded: `prefix` situates (title, section, context), `text` is the chunk's own.

    `sentences` count in `text`.
    """

    text: str
    prefix: str = ""
    sentences: tuple[Span, ...] = ()


class PassageVectors(msgspec.Struct, frozen=True):
    """`passage` has shape (d,), `sentences` (len(sentences), d); float32, L2-normalised.

    A sentence past the model's window gets the passage's vector.
    """

    passage: Vector
    sentences: Vector


class Embedder(Protocol):
    """Turns text into vectors. `fingerprint` names model, revision and precision: it is part of
    the artifact key, so changing it re-embeds. Empty input answers an empty result.
    """

    @property
    def fingerprint(self) -> str: ...
    @property
    def dimension(self) -> int: ...
    @property
    def max_tokens(self) -> int:
        """Tokens of one passage that the model reads."""
        ...

    def embed_passages(self, passages: Sequence[Passage]) -> list[PassageVectors]: ...
    def embed_queries(self, texts: Sequence[str]) -> Vector:
        """(len(texts), d) float32, L2-normalised."""
        ...

    def count_tokens(self, texts: Sequence[str]) -> list[int]: ...


class OcrLine(msgspec.Struct, frozen=True):
    """One recognised line, in the order in which an image is read as it lies; `box` in pixels; `confidence` 0 to 1.

    `turned`: by how many quarter turns against the clock it stands upright, 0 where the engine does not tell.
    """

    text: str
    box: Box
    confidence: float
    turned: int = 0


class Ocr(Protocol):
    """Reads the text in an image."""

    @property
    def fingerprint(self) -> str: ...
    def read(self, image: NDArray[np.uint8]) -> list[OcrLine]:
        """`image` has shape (height, width, 3), RGB."""
        ...


class Segment(msgspec.Struct, frozen=True):
    """What was said between two times, in seconds from the recording's start; `confidence` 0 to 1."""

    start_s: float
    end_s: float
    text: str
    confidence: float


class Transcript(msgspec.Struct, frozen=True):
    """`segments` in order of time, within `duration_s`. `language` is ISO 639-1, "" where nobody speaks."""

    language: str
    duration_s: float
    segments: tuple[Segment, ...] = ()

    def whole(self) -> Transcript:
        """Of a recording that is done: until then `language` is the one in which to go on."""
        return self if self.segments else Transcript("", self.duration_s)


class Transcriber(Protocol):
    """Writes down what is said in a recording.

    Raises `NeverWill` for a file that holds no sound or too much (`corrupt_audio`, `no_audio`, `audio_too_long`), for a
    language (`unknown_language`) and where no model can be run (`no_speech_model`, `not_served`), and `TryLater`.
    """

    @property
    def fingerprint(self) -> str: ...
    def transcribe(
        self,
        audio: bytes,
        language: str = "",
        progress: Callable[[Transcript], None] | None = None,
        before: Transcript | None = None,
    ) -> Transcript:
        """`audio` is an audio or video file; `language` ISO 639-1, "" to find it out.

        `progress` is told again and again all that is heard so far; what it raises ends the work and is passed on.
        Whoever gives the last of it as `before` has the rest heard: the transcript is the same as of one go.
        """
        ...


class Reranker(Protocol):
    """Scores passages against a query; higher is better. Raises `TryLater` when the model is away."""

    @property
    def name(self) -> str: ...
    async def score(self, query: str, passages: Sequence[str]) -> list[float]: ...


class ReadSpan(msgspec.Struct, frozen=True):
    """An answer found in a passage: characters `start` to `end` of its text, half-open.

    `score` is comparable between the passages of one question; `probability` is calibrated: that it is right.
    """

    start: int
    end: int
    score: float
    probability: float


class Reading(msgspec.Struct, frozen=True):
    """What a passage says to a question: spans that do not overlap, best first.

    `no_answer` is the score of there being none in it, on the scale of the spans' scores.
    """

    spans: tuple[ReadSpan, ...]
    no_answer: float


class Reader(Protocol):
    """Points at the words of a passage that answer a question. It writes nothing of its own.

    One reading per passage, in their order; no passages, no readings. A passage is read with its prefix, but only its
    text has spans; one without words has none. Equal passages have equal readings. `fingerprint` names model, weights
    and precision. Raises `TryLater` when the model is away, and `NeverWill` where its weights are not those that were
    made (`reader_altered`) or nobody runs one (`not_served`).
    """

    @property
    def fingerprint(self) -> str: ...
    async def read(self, question: str, passages: Sequence[Passage]) -> list[Reading]: ...


class VisualEncoder(Protocol):
    """Puts pictures and words into one space, where a picture is near the words that describe it (CLIP, SigLIP).

    `fingerprint` names model, revision and precision. Empty input answers an empty result. Raises `NeverWill`
    (`corrupt_image`) for what is no picture or too large, and `TryLater`.
    """

    @property
    def fingerprint(self) -> str: ...
    @property
    def dimension(self) -> int: ...
    def embed_images(self, images: Sequence[bytes]) -> Vector:
        """(len(images), d) float32, L2-normalised; each is a PNG, JPEG, GIF or WebP file."""
        ...

    def embed_texts(self, texts: Sequence[str]) -> Vector:
        """(len(texts), d) float32, L2-normalised; words past the model's window are cut off."""
        ...
