"""What a PDF is called: what its first page shows large, or what its metadata say when that makes sense."""

from __future__ import annotations

import re

from trivium_ingest.parse.pdf.blocks import Block, Style
from trivium_ingest.parse.pdf.running import Running
from trivium_ingest.parse.text.clean import one_line

_NOT_A_TITLE = re.compile(
    r"^(?:untitled|document\d*|microsoft (?:word|powerpoint|excel)|powerpoint presentation|slide \d|title|"
    r"(?:pdf|print|scan)\b.{0,12}$)|\.(?:docx?|pdf|indd|qxd|pptx?|xlsx?|tex|dvi|rtf|odt|txt|html?)$|^[\W\d_]*$",
    re.IGNORECASE,
)
_TITLE_RATIO = 1.25
_MAX_TITLE_CHARS = 200
_MIN_STATED_WORDS = 3  # a shorter title that the first page does not show is mostly a file name


def document_title(stated: str, pages: list[list[Block]], style: Style, running: Running) -> str:
    """The largest heading of the first page when it stands out, else the file's own title if it is sensible."""
    first = [b for b in (pages[0] if pages else []) if b.table is None and not b.hidden and not running.has(b)]
    stated = one_line(stated)
    sensible = 3 <= len(stated) <= _MAX_TITLE_CHARS and not _NOT_A_TITLE.search(stated)
    if sensible and any(stated.lower() in one_line(block.text).lower() for block in first):
        return stated
    headings = [b for b in first if style.level(b) and b.size >= _TITLE_RATIO * style.body]
    if headings:
        largest = max(headings, key=lambda block: block.size)
        if len(largest.text) <= _MAX_TITLE_CHARS:
            return largest.text
    return stated if sensible and len(stated.split()) >= _MIN_STATED_WORDS else ""
