"""Characters that carry no text are removed before anything is stored."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

# C0 and C1 controls but tab and line feed, soft hyphen, zero-width characters, bidirectional controls
# (they can make text read as something else), byte order marks, lone surrogates, non-characters and tags
# (an invisible copy of ASCII). Joiners and variation selectors show something between two characters only:
# many in a row are a message that nobody sees.
_DROP = re.compile(
    "[\x00-\x08\x0b\x0e-\x1f\x7f-\x84\x86-\x9f\u00ad\u200b\u2060-\u2064\u202a-\u202e\u2066-\u2069\ufeff\ufffe\uffff\ud800-\udfff\U000e0000-\U000e007f]"
    "|[\u200c\u200d\ufe00-\ufe0f\U000e0100-\U000e01ef]{3,}"
)
_NEWLINES = re.compile("\r\n|[\r\x0b\x0c\x85\u2028\u2029]")
_SPACES = re.compile("[ \t\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]+")
_SHORT_CHARS = 64
_BLANK_LINES = re.compile("\n{3,}")
_SELECTORS = re.compile("[\ufe00-\ufe0f\U000e0100-\U000e01ef]{3}")  # all of `_DROP` that Python calls printable


def visible(text: str) -> str:
    """`text` without characters that show nothing; line ends become line feeds."""
    if _is_visible(text.replace("\n", "")):
        return text
    return _DROP.sub("", _NEWLINES.sub("\n", text))


def _is_visible(text: str) -> bool:
    """True of one line that `visible` leaves as it is, and in which every blank is a space."""
    return text.isprintable() and (text.isascii() or _SELECTORS.search(text) is None)


def flowing(text: str) -> str:
    """Prose: visible characters, runs of blanks as one space, at most one blank line, no blank edges."""
    if "  " in text or not _is_visible(text.replace("\n", "")):
        text = _SPACES.sub(" ", visible(text))
    if "\n" in text:
        text = "\n".join([line.strip(" ") for line in text.split("\n")])
    return (_BLANK_LINES.sub("\n\n", text) if "\n\n\n" in text else text).strip()


def one_line(text: str) -> str:
    """Prose on one line: for titles, headings, cells."""
    return _short_line(text) if len(text) <= _SHORT_CHARS else _joined(text)


def are_lines(texts: Iterable[str]) -> bool:
    """True when `one_line` would leave each of them as it is: quicker for many than to ask it."""
    together = f"|{'|'.join(texts)}|"
    blanks = "  " in together or "| " in together or " |" in together
    return not blanks and _is_visible(together)


def _joined(text: str) -> str:
    return " ".join(visible(text).split())


_short_line = lru_cache(maxsize=4096)(_joined)  # a table's cells are asked for more than once, and many are alike
