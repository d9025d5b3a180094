"""ODT: paragraphs and tables in order, numbered headings and lists, notes, comments, pictures, formulas and charts."""

from __future__ import annotations

from lxml import etree

from trivium.domain.parsed import ParsedDocument
from trivium.ports.parser import Blob, ParseLimits, ParserModels
from trivium_ingest.parse.collector import Collector
from trivium_ingest.parse.evidence import Evidence
from trivium_ingest.parse.failures import corrupt
from trivium_ingest.parse.images.ocr import Reader
from trivium_ingest.parse.open_document.content import (
    OFFICE,
    STYLE,
    TEXT,
    Body,
    open_package,
    paragraph_text,
    properties,
)
from trivium_ingest.parse.open_document.numbering import numbers
from trivium_ingest.parse.registry import Format
from trivium_ingest.parse.sample import Sample
from trivium_ingest.parse.text.clean import one_line

MEDIA_TYPE = "application/vnd.oasis.opendocument.text"
_WHAT = "OpenDocument text"


def recognise(sample: Sample) -> Evidence:
    """A zip that says it is an OpenDocument text, or a template or master of one."""
    return Evidence.CONTAINER_TYPE if sample.member("mimetype").startswith(MEDIA_TYPE.encode()) else Evidence.NONE


def read(blob: Blob, limits: ParseLimits, models: ParserModels) -> ParsedDocument:
    """Headers once, then the body, then footers."""
    out = Collector(limits)
    package = open_package(blob.content, limits, _WHAT, out.warn)
    text = package.xml("content.xml").find(f"{OFFICE}body/{OFFICE}text")
    if text is None:
        raise corrupt(_WHAT, "it has no body")
    styles = package.xml("styles.xml") if "styles.xml" in package else None
    _running(styles, "header", out)
    body = Body(package, limits, out, Reader(models.ocr, limits, out))
    body.numbers = numbers(text, styles)
    body.blocks(text)
    out.leave_sections()
    _running(styles, "footer", out)
    title, metadata = properties(package)
    return out.document(MEDIA_TYPE, title=title or out.first_heading(1), metadata=metadata)


def _running(styles: etree._Element | None, kind: str, out: Collector) -> None:
    if styles is None:
        return
    seen = []
    for node in styles.iter(f"{STYLE}{kind}", f"{STYLE}{kind}-left", f"{STYLE}{kind}-first"):
        paragraphs = (one_line(paragraph_text(child)) for child in node.iter(f"{TEXT}p", f"{TEXT}h"))
        seen.append(" | ".join(filter(None, paragraphs)))
    out.add_running(seen)


FORMAT = Format(
    name="ODT",
    media_types=(MEDIA_TYPE, f"{MEDIA_TYPE}-template"),
    extensions=("odt", "ott", "odm"),
    version=6,
    recognise=recognise,
    read=read,
    cites="section",
    needs="OCR for text in pictures",
)
