"""SVG drawings: their title and description, and the text drawn in them. Scripts and links are never followed."""

from __future__ import annotations

import re

from lxml import etree

from trivium.domain.parsed import ParsedDocument, UnitKind
from trivium.ports.parser import Blob, ParseLimits, Senses
from trivium_ingest.parse.collector import Collector
from trivium_ingest.parse.evidence import Evidence
from trivium_ingest.parse.registry import Format
from trivium_ingest.parse.sample import Sample
from trivium_ingest.parse.text.clean import one_line
from trivium_ingest.parse.xml.safe import parse_xml

MEDIA_TYPE = "image/svg+xml"
_START = re.compile(
    r"\s*(?:<\?xml[^>]*>\s*)?(?:<!--.*?-->\s*|<!DOCTYPE svg[^>\[]*(?:\[[^\]]*\]\s*)?>\s*)*<(?:svg:)?svg[\s>]", re.DOTALL
)
_UNSEEN = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden")


def recognise(sample: Sample) -> Evidence:
    """`<svg>` as the root element."""
    return Evidence.SIGNATURE if _START.match(sample.text) else Evidence.NONE


def read(blob: Blob, limits: ParseLimits, _senses: Senses) -> ParsedDocument:
    """The drawing's own words as one unit each: descriptions, then labels in the order of the file."""
    out = Collector(limits)
    root = parse_xml(blob.content, "SVG drawing", out.warn, allow_doctype=True)
    for description in root.iter("{*}desc"):
        out.add(UnitKind.TEXT, _words(description))
    labels = (_words(node) for node in root.iter("{*}text", "{*}foreignObject") if _seen(node))
    out.add(UnitKind.TEXT, "\n".join(filter(None, labels)))
    title = root.find("{*}title")
    return out.document(MEDIA_TYPE, title=_words(title) if title is not None else "")


def _words(node: etree._Element) -> str:
    """The text of a node; each line of a label is an element of its own."""
    return one_line(" ".join(map(str, node.itertext())))


def _seen(node: etree._Element) -> bool:
    return not any(
        element.get("display") == "none"
        or element.get("visibility") == "hidden"
        or bool(_UNSEEN.search(element.get("style", "")))
        for element in (node, *node.iterancestors())
    )


FORMAT = Format(
    name="SVG",
    media_types=(MEDIA_TYPE,),
    extensions=("svg",),
    version=2,
    recognise=recognise,
    read=read,
    cites="the drawing",
)
