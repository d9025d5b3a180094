"""What a worker and its parsing child tell each other, as messages of `trivium.child_process`."""

from __future__ import annotations

import msgspec

from trivium.child_process.reply import Reply
from trivium.domain.parsed import ParsedDocument
from trivium.domain.readers import Reader
from trivium.ports.inference import OcrLine, Transcript
from trivium.ports.parser import Blob, ParseLimits


class Setup(msgspec.Struct, frozen=True):
    """What the child is started with: `ocr` is a pickled factory from our own parent (empty for none).

    Where the parent has the engine, the child asks it: `OcrRequest` is answered with `OcrReply`, `SpeechRequest` with
    `SpeechReply`. `unstructured_model` is the folder of that library's pipeline, "" for none; with `loads_unstructured`
    it is loaded before the first file.
    """

    idle_s: float
    idle_with_engine_s: float
    ocr: bytes = b""
    asks_ocr: bool = False
    asks_transcriber: bool = False
    unstructured_model: str = ""
    loads_unstructured: bool = False


class Ready(msgspec.Struct, frozen=True):
    """The child's first message: it is restricted, and its parsers are loaded; `fingerprint` names them."""

    fingerprint: str


class Job(msgspec.Struct, frozen=True):
    """One file to parse; `cpu_s` bounds the processor time it may take."""

    blob: Blob
    limits: ParseLimits
    cpu_s: int
    reader: Reader = Reader.OWN


class OcrRequest(msgspec.Struct, frozen=True, tag="ocr"):
    """An image that the child wants read: rows of RGB bytes."""

    height: int
    width: int
    pixels: bytes


class SpeechRequest(msgspec.Struct, frozen=True, tag="speech"):
    """A recording that the child wants written down; `language` as in `Transcriber`.

    `audio` is None for the file of the job, which the parent has.
    """

    audio: bytes | None = None
    language: str = ""


class ProgressReport(msgspec.Struct, frozen=True, tag="progress"):
    """The share of the file that is read: where it has risen, the parent waits anew."""

    share: float


class ImageRead(msgspec.Struct, frozen=True, tag="image_read"):
    """The child's own engine has read one more image: the parent waits anew, `max_ocr_pages` times for a file."""


OcrReply = Reply[tuple[OcrLine, ...]]
SpeechReply = Reply[Transcript | float]
"""The transcript; before it, again and again, the seconds that are done, which the child answers with its progress."""

ParseReply = Reply[ParsedDocument]
ParserMessage = ParseReply | OcrRequest | ImageRead | SpeechRequest | ProgressReport
