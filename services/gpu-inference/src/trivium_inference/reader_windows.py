"""What the reader's model is given: `[CLS] question [SEP] prefix, text [SEP]`, in windows where the text is longer."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

import msgspec
import numpy as np
from numpy.typing import NDArray

from trivium.ports.inference import Passage
from trivium_inference.model_files import ModelFiles
from trivium_inference.tokens import CHARS_PER_TOKEN

if TYPE_CHECKING:
    from tokenizers import Encoding, Tokenizer

WINDOW_TOKENS: Final = 256
OVERLAP_TOKENS: Final = 64  # of neighbouring windows: longer than an answer
MAX_WINDOWS: Final = 8  # of a passage; what comes after is not read
_QUESTION_TOKENS: Final = 64
_PREFIX_TOKENS: Final = 64

ASKED, TOLD, SHARED = range(3)
"""A token's mark: of the question, of the passage, of the passage and in the question too."""
MARKS: Final = 3


class Window(msgspec.Struct, frozen=True):
    """One input of the model, with (part of) passage number `passage`.

    `offsets` (n, 2) are the characters in that passage's text of the n tokens from token `first` on.
    """

    passage: int
    ids: NDArray[np.int64]
    marks: NDArray[np.int64]
    first: int
    offsets: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.ids)


class WindowMaker:
    """The model's tokenizer, for pairs. Safe to use from several threads."""

    def __init__(self, files: ModelFiles) -> None:
        from tokenizers import Tokenizer  # noqa: PLC0415  (a native library; the CLI imports this package)

        self._tokenizer: Tokenizer = Tokenizer.from_file(str(files.tokenizer))
        self._tokenizer.no_padding()
        self._tokenizer.no_truncation()
        self._begin, self._end = self._tokenizer.encode("").ids  # BERT's [CLS] and [SEP]

    def windows(self, question: str, passages: Sequence[Passage]) -> list[Window]:
        """Those of each passage after one another; a passage without words has none."""
        (asked,) = self._encoded([question], _QUESTION_TOKENS)
        prefixes = self._encoded([passage.prefix for passage in passages], _PREFIX_TOKENS)
        texts = self._encoded([passage.text for passage in passages], WINDOW_TOKENS * MAX_WINDOWS)
        head = asked.ids[:_QUESTION_TOKENS]
        return [
            window
            for number, (prefix, text) in enumerate(zip(prefixes, texts, strict=True))
            for window in self._of(number, head, prefix.ids[:_PREFIX_TOKENS], text)
        ]

    def _encoded(self, texts: Sequence[str], tokens: int) -> list[Encoding]:
        cut = [text[: tokens * CHARS_PER_TOKEN] for text in texts]
        return self._tokenizer.encode_batch(cut, add_special_tokens=False)

    def _of(self, passage: int, head: list[int], prefix: list[int], text: Encoding) -> Iterator[Window]:
        lead = [self._begin, *head, self._end]
        first = len(lead) + len(prefix)
        offsets = np.array(text.offsets, np.int64).reshape(-1, 2)
        for start, end in _ranges(len(text.ids), WINDOW_TOKENS - first - 1):
            told = [*prefix, *text.ids[start:end]]
            marks = [ASKED] * len(lead) + [SHARED if token in head else TOLD for token in told] + [ASKED]
            ids = [*lead, *told, self._end]
            yield Window(passage, np.array(ids, np.int64), np.array(marks, np.int64), first, offsets[start:end])


def _ranges(tokens: int, room: int) -> Iterator[tuple[int, int]]:
    """At most `MAX_WINDOWS` half-open ranges of at most `room` tokens, each `OVERLAP_TOKENS` into the one before."""
    starts = range(0, max(1, tokens - OVERLAP_TOKENS), room - OVERLAP_TOKENS)
    return ((start, min(start + room, tokens)) for start in starts[:MAX_WINDOWS] if tokens)
