"""From text to token ids, and from sentences to ranges of tokens."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

import msgspec
import numpy as np
from numpy.typing import NDArray

from trivium.ports.inference import Passage
from trivium_inference.model_files import ModelFiles

if TYPE_CHECKING:
    from tokenizers import Encoding, Tokenizer

SEPARATOR: Final = "\n"
CHARS_PER_TOKEN: Final = 16  # no ordinary text has longer tokens; only bounds what is tokenized in vain


class Tokens(msgspec.Struct, frozen=True):
    """One input of the model. `sentences` has shape (n, 2): half-open token ranges, empty past the window."""

    ids: NDArray[np.int64]
    sentences: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.ids)


class TokenReader:
    """A model's tokenizer with its window and prompts. Safe to use from several threads."""

    def __init__(self, files: ModelFiles) -> None:
        from tokenizers import Tokenizer  # noqa: PLC0415  (a native library; the CLI imports this package)

        self._files = files
        self._window: Tokenizer = Tokenizer.from_file(str(files.tokenizer))
        self._window.no_padding()
        self._window.enable_truncation(files.max_tokens)
        self._whole: Tokenizer = Tokenizer.from_file(str(files.tokenizer))
        self._whole.no_padding()
        self._whole.no_truncation()

    def queries(self, texts: Sequence[str]) -> list[Tokens]:
        """Queries with the model's query prompt, cut at the window."""
        limit = self._files.max_tokens * CHARS_PER_TOKEN
        encodings = self._window.encode_batch([self._files.query_prompt + text[:limit] for text in texts])
        return [Tokens(self._ids(encoding), np.empty((0, 2), np.int64)) for encoding in encodings]

    def passages(self, passages: Sequence[Passage]) -> list[Tokens]:
        """Passages behind the model's passage prompt and their own prefix, cut at the window.

        A prefix gives way when it would take more than half of the window from the text.
        """
        limit = self._files.max_tokens * CHARS_PER_TOKEN
        leads = [self._lead(passage) for passage in passages]
        texts = [lead + passage.text[:limit] for lead, passage in zip(leads, passages, strict=True)]
        return [
            Tokens(self._ids(encoding), _sentence_ranges(encoding, passage, len(lead)))
            for encoding, passage, lead in zip(self._window.encode_batch(texts), passages, leads, strict=True)
        ]

    def count(self, texts: Sequence[str]) -> list[int]:
        """Tokens of each text, without the marks that the model puts around its input."""
        return [len(e) for e in self._whole.encode_batch(list(texts), add_special_tokens=False)]

    def _lead(self, passage: Passage) -> str:
        if not passage.prefix:
            return self._files.passage_prompt
        prefix = passage.prefix
        share = self._files.max_tokens // 2
        if len(prefix) > share:  # a token has a character at least
            offsets = self._whole.encode(prefix[: share * CHARS_PER_TOKEN], add_special_tokens=False).offsets
            if len(offsets) > share:
                prefix = prefix[: offsets[share][0]].rstrip()
        return self._files.passage_prompt + prefix + SEPARATOR

    def _ids(self, encoding: Encoding) -> NDArray[np.int64]:
        # A model that puts no marks around its input would get nothing at all for an empty text.
        return np.array(encoding.ids or [self._files.pad_token], dtype=np.int64)


def _sentence_ranges(encoding: Encoding, passage: Passage, lead: int) -> NDArray[np.int64]:
    """Token ranges of the sentences; a token belongs to the sentence in which it begins."""
    if not passage.sentences:
        return np.empty((0, 2), np.int64)
    marks = np.array(encoding.special_tokens_mask, dtype=bool)
    starts = np.array(encoding.offsets, dtype=np.int64)[:, 0]
    inner = np.flatnonzero(~marks)
    bounds = np.array([(span.start, span.end) for span in passage.sentences], dtype=np.int64) + lead
    if inner.size == 0:
        return np.zeros_like(bounds)
    ranges = np.searchsorted(starts[inner], bounds, side="left")
    return np.where(ranges[:, 1:] > ranges[:, :1], ranges + inner[0], 0)
