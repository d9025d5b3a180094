"""What an agent's reading will cost in tokens, before it begins."""

from __future__ import annotations

from collections.abc import Iterable

CHARS_PER_TOKEN = 4  # English text in the usual byte-pair vocabularies; code and other scripts take more
PREFIX_TOKENS = 3500  # instructions and tools, which go with each request; a test holds it near the real ones
ROUNDS = 4  # search, entities, relations, the end: what a paragraph takes where nothing goes wrong
ROUND_TOKENS = 300  # calls and their results, which later requests repeat


def tokens_of(chars: int) -> int:
    """Of so many characters, about."""
    return -(-chars // CHARS_PER_TOKEN)


def passage_cost(chars: int) -> int:
    """Tokens that reading a passage of so many characters takes, read and written together."""
    repeated = ROUND_TOKENS * ROUNDS * (ROUNDS + 1) // 2
    return ROUNDS * (PREFIX_TOKENS + tokens_of(chars)) + repeated


def reading_cost(passages: Iterable[int]) -> int:
    """Of a document, from its passages' lengths in characters."""
    return sum(map(passage_cost, passages))


def lengths_of_passages(chars: int, size: int, overlap: int) -> list[int]:
    """About the passages that a text of so many characters is cut into; its pieces overlap."""
    step = max(1, size - overlap)
    count = max(1, -(-max(0, chars - overlap) // step)) if chars else 0
    return [min(size, chars)] * count
