"""What a question names by its exact writing: options, names in code, parts and versions. Pure."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

from trivium.domain.retrieval import Hit

_IDENTIFIER = re.compile(
    r"(?<![\w-])(?:"
    r"--[a-z][\w-]*"  # --recursive
    r"|[^\W\d][^\W_]*_\w*[^\W_]"  # load_dotenv
    r"|[a-z]{2,}(?:[A-Z][a-z0-9]+)+"  # retryDelay
    r"|[A-Z]{2,}\d+[A-Z]*"  # LZ4, TC001
    r"|(?<=version )\d+(?:\.\d+)+"
    r")(?![\w-]|\.\d)"
)
_CAPITALS = re.compile(r"\A[A-Z]{2,}(?=\d)")
_VERSION = re.compile(r"(?<=[a-z] )\d+(?:\.\d+)+(?![\w-]|\.\d)")  # gzip 1.12


def identifiers_in(question: str) -> tuple[str, ...]:
    """Each once, in order."""
    return tuple(dict.fromkeys(_IDENTIFIER.findall(question)))


def versions_in(question: str) -> tuple[str, ...]:
    """Numbers of two parts or more behind a word: of a version, or else a measure."""
    return tuple(dict.fromkeys(_VERSION.findall(question)))


def holds_each(identifiers: Sequence[str], hits: Sequence[Hit]) -> bool:
    """Whether each stands in one of the hits, in whatever case."""
    if not identifiers:  # as of most questions
        return True
    text = "\n".join(f"{hit.chunk.source} {hit.chunk.title} {hit.chunk.heading} {hit.chunk.text}" for hit in hits)
    text = unicodedata.normalize("NFKC", text)  # a figure that is set low too: CO2
    return all(_stands(identifier, text) for identifier in identifiers)


def _stands(identifier: str, text: str) -> bool:
    """Also a version as "v3.0" or "lzx-3.0", and a number behind capitals as "COVID-19" or "FY 2024"."""
    before = r"(?<![\w.])v?" if identifier[0].isdigit() else r"(?<![\w-])"
    written = _CAPITALS.sub(r"\g<0>[-/ ]?", re.escape(identifier))
    return re.search(rf"{before}{written}(?![\w-]|\.\d)", text, re.IGNORECASE) is not None
