"""YAML: entries at the top as `path: value` lines, and comments, with their places. No tag constructs anything."""

from __future__ import annotations

import re

from trivium.domain.parsed import ParsedDocument, Position, UnitKind
from trivium.ports.parser import Blob, ParseLimits, ParserModels
from trivium_ingest.parse.collector import Collector
from trivium_ingest.parse.data.yaml_records import TooDeep, YamlError, said_as_yaml
from trivium_ingest.parse.evidence import Evidence
from trivium_ingest.parse.registry import Format
from trivium_ingest.parse.sample import Sample
from trivium_ingest.parse.text.encoding import decode

MEDIA_TYPE = "application/yaml"
_ENTRY = re.compile(r"\s*(?:-\s+)?[\w.\"'/-]+:(?:\s|$)|\s*-\s|\s*#|---|\.\.\.|%YAML|\s*$")
_STRUCTURE = re.compile(r"[\[\]{},]+|^[ \t]*(?:[?-][ \t]+)+", re.MULTILINE)
_DEEPER = re.compile(r"^[\w.-]+:\s*\n(?:  |\t|- )\s*\S", re.MULTILINE)


def recognise(sample: Sample) -> Evidence:
    """A directive, or lines that are entries and nest; notes in the manner of `Name: value` need YAML's name."""
    text = sample.text
    if text.startswith("%YAML"):
        return Evidence.DECLARATION
    lines = text.splitlines()
    entries = sum(bool(_ENTRY.match(line)) for line in lines)
    if not text.strip() or entries < 0.7 * len(lines):
        return Evidence.LEAST if text.strip() else Evidence.NONE
    if sample.extension in FORMAT.extensions:
        return Evidence.NAMED_MARKUP  # a comment at the top looks like a heading of Markdown
    return Evidence.NESTING if _DEEPER.search(text) and ":" in text else Evidence.POSSIBLE


def read(blob: Blob, limits: ParseLimits, _models: ParserModels) -> ParsedDocument:
    """All documents of the file; from where it is no YAML on, it is read as text."""
    text, encoding = decode(blob.content)
    out = Collector(limits)
    end = 0
    try:
        for record in said_as_yaml(text, limits):
            start, end = record.offset
            out.add(UnitKind.TEXT, "\n".join(record.lines), Position(offset=(start, end)))
    except TooDeep:
        out.add(UnitKind.TEXT, _STRUCTURE.sub(" ", text), Position(offset=(0, len(text))))
        out.warn("This YAML is nested too deeply: its names and values are listed in order, without its structure.")
    except YamlError:
        out.add(UnitKind.TEXT, text[end:], Position(offset=(end, len(text))))
        out.warn("This is not well-formed YAML; it was read as text.")
    return out.document(MEDIA_TYPE, metadata={"encoding": encoding})


FORMAT = Format(
    name="YAML",
    media_types=(MEDIA_TYPE, "text/yaml", "application/x-yaml"),
    extensions=("yaml", "yml"),
    version=4,
    recognise=recognise,
    read=read,
    cites="characters in the text",
)
