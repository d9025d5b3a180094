"""A word without its endings, by the Snowball stemmer of its language (Porter 2001)."""

from __future__ import annotations

import threading
from functools import lru_cache
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from Stemmer import Stemmer

STEMMERS: Final = {
    "ar": "arabic", "ca": "catalan", "cs": "czech", "da": "danish", "de": "german", "el": "greek",
    "es": "spanish", "et": "estonian", "eu": "basque", "fa": "persian", "fi": "finnish", "fr": "french",
    "ga": "irish", "hi": "hindi", "hu": "hungarian",
    "hy": "armenian", "id": "indonesian", "it": "italian", "lt": "lithuanian", "ne": "nepali", "nl": "dutch",
    "no": "norwegian", "pl": "polish", "pt": "portuguese", "ro": "romanian", "ru": "russian",
    "sr": "serbian", "sv": "swedish", "ta": "tamil", "tr": "turkish", "yi": "yiddish",
}  # fmt: skip
"""Snowball's algorithms by ISO 639-1 code. English is not among them: whoever calls has its own for that."""
_own = threading.local()  # a stemmer serves one thread


@lru_cache(maxsize=1 << 14)
def stem(word: str, language: str) -> str:
    """The stem of a lower-case word as its language writes it, accents included; the word itself without a stemmer."""
    return str(_stemmer(STEMMERS[language]).stemWord(word)) if language in STEMMERS else word


@lru_cache(maxsize=1 << 12)
def stem_english(word: str) -> str:
    """The stem of a lower-case English word."""
    return str(_stemmer("english").stemWord(word))


def _stemmer(algorithm: str) -> Stemmer:
    from Stemmer import Stemmer  # noqa: PLC0415 - the client's command line needs none

    known: dict[str, Stemmer] = _own.__dict__
    if algorithm not in known:
        known[algorithm] = Stemmer(algorithm)
    return known[algorithm]
