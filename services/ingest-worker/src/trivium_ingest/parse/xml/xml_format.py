"""XML: elements' text, or attributes where no element has text, under their names; entities written out, no DTD."""

from __future__ import annotations

import re

from lxml import etree

from trivium.domain.parsed import ParsedDocument, UnitKind
from trivium.ports.parser import Blob, ParseLimits, ParserModels
from trivium_ingest.parse.collector import Collector
from trivium_ingest.parse.evidence import Evidence
from trivium_ingest.parse.registry import Format
from trivium_ingest.parse.sample import Sample
from trivium_ingest.parse.text.clean import one_line
from trivium_ingest.parse.xml.safe import parse_xml

MEDIA_TYPE = "application/xml"
_START = re.compile(
    r"\s*(?:<\?xml\b|<!DOCTYPE (?!html)|<([A-Za-z_][\w.-]*:)?[A-Za-z_][\w.-]*(?:\s[^<>]*)?/?>)", re.IGNORECASE
)
_FOR_PROGRAMS = ("{http://www.w3.org/2001/XMLSchema-instance}", "{http://www.w3.org/XML/1998/namespace}")
MAX_DEPTH = 100


def recognise(sample: Sample) -> Evidence:
    """An XML declaration, or an element at the very start; HTML claims its own more strongly."""
    text = sample.text
    if text.lstrip("\ufeff \t\r\n").startswith("<?xml"):
        return Evidence.DECLARATION
    return Evidence.FEW_SIGNS if _START.match(text) and ("</" in text or "/>" in text) else Evidence.NONE


def read(blob: Blob, limits: ParseLimits, _models: ParserModels) -> ParsedDocument:
    """One unit per element that holds only text-bearing leaves (a record), else walk into it.

    Where all that is said stands in attributes, there is one per element that has some.
    """
    out = Collector(limits)
    root = parse_xml(blob.content, "XML file", out.warn, allow_doctype=True)
    _walk(root, out, 0)
    for node in () if out.units else root.iter():
        out.add(UnitKind.TEXT, _attributes(node))
    return out.document(MEDIA_TYPE, metadata={"root": _name(root)})


def _walk(node: etree._Element, out: Collector, depth: int) -> None:
    children = [child for child in node if isinstance(child.tag, str)]
    mixed = bool((node.text or "").strip()) or any((child.tail or "").strip() for child in children)
    if not children or mixed or depth > MAX_DEPTH:
        _part_at_breaks(node)
        text = one_line("".join(map(str, node.itertext())))
        out.add(UnitKind.TEXT, f"{_name(node)}: {text}" if text else "")
    elif all(_is_leaf(child) for child in children):
        pairs = ((_name(child), one_line("".join(map(str, child.itertext())))) for child in children)
        out.add(UnitKind.TEXT, "; ".join(f"{name}: {text}" for name, text in pairs if text))
    else:
        for child in children:
            _walk(child, out, depth + 1)


def _attributes(node: etree._Element) -> str:
    """What they say, each under the names of the element and its own."""
    said = ((str(key), one_line(str(value))) for key, value in node.attrib.items())
    return "; ".join(
        f"{_name(node)} {_words(key)}: {value}" for key, value in said if value and not key.startswith(_FOR_PROGRAMS)
    )


def _part_at_breaks(node: etree._Element) -> None:
    """Put a blank into each element that is empty: a line break, in most vocabularies."""
    for inner in node.iterdescendants():
        if not len(inner) and not inner.text:
            inner.text = " "


def _is_leaf(node: etree._Element) -> bool:
    return not any(isinstance(child.tag, str) for child in node)


def _name(node: etree._Element) -> str:
    return _words(str(node.tag))


def _words(name: str) -> str:
    return name.rpartition("}")[2].replace("_", " ")


FORMAT = Format(
    name="XML",
    media_types=(MEDIA_TYPE, "text/xml"),
    extensions=("xml", "rss", "atom"),
    version=5,
    recognise=recognise,
    read=read,
    cites="the document",
)
