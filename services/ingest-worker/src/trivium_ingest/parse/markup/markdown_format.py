"""Markdown (CommonMark with tables), front matter included; each unit has its range in the decoded text."""

from __future__ import annotations

import re

from trivium.domain.parsed import ParsedDocument, Position, UnitKind
from trivium.ports.parser import Blob, ParseLimits, ParserModels
from trivium_ingest.parse.collector import Collector
from trivium_ingest.parse.data.yaml_records import TooDeep, YamlError, is_mapping, said_as_yaml
from trivium_ingest.parse.evidence import Evidence
from trivium_ingest.parse.markup.markdown_text import MarkdownReader
from trivium_ingest.parse.registry import Format
from trivium_ingest.parse.sample import Sample
from trivium_ingest.parse.text.encoding import decode

MEDIA_TYPE = "text/markdown"
_FRONT_MATTER = re.compile(r"\A---[ \t]*\r?\n(.*?)\r?\n(?:---|\.\.\.)[ \t]*(?:\r?\n|\Z)", re.DOTALL)
MAX_FIELDS = 30
# What the document says of itself by these is shown beside it, and is no text of its own.
_TOLD = ("title", "author", "creator", "date", "created", "modified", "site", "publisher", "description")
_SIGNS = (
    re.compile(r"^#{1,6} \S", re.MULTILINE),
    re.compile(r"^(?:```|~~~)", re.MULTILINE),
    re.compile(r"\[[^\]\n]+\]\([^)\s]+\)"),
    re.compile(r"^\|.*\|[ \t]*\r?\n\|[ :|-]+\|", re.MULTILINE),
    re.compile(r"(?:\*\*|__)\S[^*_\n]*\S(?:\*\*|__)"),
    re.compile(r"^(?:[-*+]|\d+\.) \S.*\r?\n(?:[-*+]|\d+\.) \S", re.MULTILINE),
)


def recognise(sample: Sample) -> Evidence:
    """Two different marks of Markdown, or one and a heading; the name adds the rest."""
    text = sample.text
    if not text:
        return Evidence.NONE
    signs = sum(bool(sign.search(text)) for sign in _SIGNS) + bool(_FRONT_MATTER.match(text))
    if signs >= 2 or (signs and _SIGNS[0].match(text.lstrip())):
        return Evidence.MARKS
    return Evidence.DOUBTFUL if signs else Evidence.UNLIKELY


def read(blob: Blob, limits: ParseLimits, _models: ParserModels) -> ParsedDocument:
    """Read the blocks in order. The title is the front matter's, else the first top-level heading."""
    text, encoding = decode(blob.content)
    # markdown-it turns every line end into a line feed; so that offsets count in what was decoded,
    # lines are found the same way here.
    front = _FRONT_MATTER.match(text)
    lines = _front_lines(front.group(1), limits) if front else None
    begin = front.end() if front and lines is not None else 0
    out = Collector(limits)
    if front and lines:
        text_of_it = [line for line in lines if line.partition(": ")[0].lower() not in _TOLD]
        out.add(UnitKind.TEXT, "\n".join(text_of_it), Position(offset=front.span(1)))
    MarkdownReader(text, begin, out).read()
    metadata = {**_fields(lines or []), "encoding": encoding}
    title = metadata.pop("title", "") or out.first_heading(1)
    return out.document(MEDIA_TYPE, title=title, metadata=metadata)


def _front_lines(front: str, limits: ParseLimits) -> list[str] | None:
    """The front matter's entries; None of what is no YAML mapping, which is text between two rules."""
    try:
        lines = [line for record in said_as_yaml(front, limits, comments=False) for line in record.lines]
        return lines if is_mapping(front) else None
    except (YamlError, TooDeep):
        return None


def _fields(lines: list[str]) -> dict[str, str]:
    named = (line.partition(": ") for line in lines[:MAX_FIELDS])
    return {name.lower(): value for name, mark, value in named if mark}


FORMAT = Format(
    name="Markdown",
    media_types=(MEDIA_TYPE, "text/x-markdown"),
    extensions=("md", "markdown", "mdown", "mkd"),
    version=6,
    recognise=recognise,
    read=read,
    cites="section; characters in the text",
)
