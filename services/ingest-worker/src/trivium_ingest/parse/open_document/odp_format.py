"""ODP: each slide's title, text, tables, charts and pictures, then its speaker notes and comments."""

from __future__ import annotations

from lxml import etree

from trivium.domain.parsed import ParsedDocument, Position, UnitKind
from trivium.ports.parser import Blob, ParseLimits, ParserModels
from trivium_ingest.parse.collector import Collector
from trivium_ingest.parse.evidence import Evidence
from trivium_ingest.parse.failures import corrupt, too_large
from trivium_ingest.parse.images.ocr import Reader
from trivium_ingest.parse.open_document.content import (
    DRAW,
    OFFICE,
    PRESENTATION,
    TEXT,
    Body,
    open_package,
    paragraph_text,
    properties,
)
from trivium_ingest.parse.registry import Format
from trivium_ingest.parse.sample import Sample
from trivium_ingest.parse.text.clean import one_line

MEDIA_TYPE = "application/vnd.oasis.opendocument.presentation"
_WHAT = "OpenDocument presentation"
_CLASS = f"{PRESENTATION}class"
_REPEATED = ("date-time", "footer", "header", "page-number", "page")


def recognise(sample: Sample) -> Evidence:
    """A zip that says it is an OpenDocument presentation."""
    return Evidence.CONTAINER_TYPE if sample.member("mimetype").startswith(MEDIA_TYPE.encode()) else Evidence.NONE


def read(blob: Blob, limits: ParseLimits, models: ParserModels) -> ParsedDocument:
    """Slides in order."""
    out = Collector(limits)
    package = open_package(blob.content, limits, _WHAT, out.warn)
    deck = package.xml("content.xml").find(f"{OFFICE}body/{OFFICE}presentation")
    if deck is None:
        raise corrupt(_WHAT, "it has no slides")
    slides = deck.findall(f"{DRAW}page")
    if len(slides) > limits.max_pages:
        raise too_large("max_pages", f"{len(slides):,} slides")
    body = Body(package, limits, out, Reader(models.ocr, limits, out))
    titles = [_slide(slide, Position(slide=number), body, out) for number, slide in enumerate(slides, 1)]
    title, metadata = properties(package)
    return out.document(MEDIA_TYPE, title=title or next(iter(titles), ""), pages=len(slides), metadata=metadata)


def _slide(slide: etree._Element, position: Position, body: Body, out: Collector) -> str:
    """Add the slide's units; returns its title."""
    shapes = [node for node in slide if node.get(_CLASS) not in _REPEATED]
    titles = [node for node in shapes if node.get(_CLASS) == "title"]
    title = one_line(" ".join(paragraph_text(p) for node in titles for p in node.iter(f"{TEXT}p")))
    out.leave_sections()
    out.heading(title, 1, position)
    rest = etree.Element("slide")
    rest.extend(node for node in shapes if node not in titles and node.tag != f"{PRESENTATION}notes")
    body.blocks(rest, position)
    for notes in slide.iterfind(f"{PRESENTATION}notes"):
        frames = (node for node in notes.iter(f"{DRAW}frame") if node.get(_CLASS) not in _REPEATED)
        lines = [paragraph_text(p) for frame in frames for p in frame.iter(f"{TEXT}p")]
        out.add(UnitKind.NOTE, "\n".join(filter(None, lines)), position)
    return title


FORMAT = Format(
    name="ODP",
    media_types=(MEDIA_TYPE,),
    extensions=("odp", "otp"),
    version=5,
    recognise=recognise,
    read=read,
    cites="slide",
    needs="OCR for text in pictures",
)
