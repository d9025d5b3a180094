"""EPUB: the book's chapters in the order of its spine, each read as a page of HTML; scripts never run.

A citation points to the chapter: its headings, or its entry in the table of contents where it has none.
"""

from __future__ import annotations

import posixpath
from urllib.parse import unquote

import msgspec
from lxml import etree

from trivium.domain.errors import NeverWill
from trivium.domain.parsed import ParsedDocument, Position
from trivium.ports.parser import Blob, ParseLimits, ParserModels
from trivium_ingest.parse.collector import Collector
from trivium_ingest.parse.evidence import Evidence
from trivium_ingest.parse.failures import corrupt, too_large
from trivium_ingest.parse.images.ocr import Reader
from trivium_ingest.parse.office.package import Package
from trivium_ingest.parse.registry import Format
from trivium_ingest.parse.sample import Sample
from trivium_ingest.parse.text.clean import one_line
from trivium_ingest.parse.text.encoding import decode
from trivium_ingest.parse.web.html_text import Walker, parse_html
from trivium_ingest.parse.web.visibility import body_of, hidden_selectors

MEDIA_TYPE = "application/epub+zip"
_WHAT = "EPUB book"
_CONTAINER = "META-INF/container.xml"
_ENCRYPTION = "META-INF/encryption.xml"
_HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")
_HTML_TYPES = ("application/xhtml+xml", "text/html")
_PROPERTIES = ("creator", "language", "publisher", "date", "identifier", "description", "subject")


class _Item(msgspec.Struct, frozen=True):
    """A part that the book's manifest names."""

    part: str
    media_type: str
    properties: str


def recognise(sample: Sample) -> Evidence:
    """A zip that says it is an EPUB, or that has the container's directory."""
    if sample.member("mimetype").strip() == MEDIA_TYPE.encode():
        return Evidence.CONTAINER_TYPE
    return Evidence.STRUCTURE if _CONTAINER in sample.members else Evidence.NONE


def read(blob: Blob, limits: ParseLimits, models: ParserModels) -> ParsedDocument:
    """Chapters in the spine's order. A chapter that cannot be read gives a warning."""
    out = Collector(limits)
    package = Package(blob.content, limits, _WHAT, out.warn)
    return _Book(package, limits, out, Reader(models.ocr, limits, out)).read()


class _Book:
    """Walks one book's spine."""

    def __init__(self, package: Package, limits: ParseLimits, out: Collector, reader: Reader) -> None:
        self._package = package
        self._limits = limits
        self._out = out
        self._reader = reader
        self._root_part = _root_part(package)
        self._root = package.xml(self._root_part)
        self._items = self._manifest()
        self._labels = self._contents()

    def read(self) -> ParsedDocument:
        spine = [node.get("idref", "") for node in self._root.iterfind(".//{*}spine/{*}itemref")]
        if len(spine) > self._limits.max_pages:
            raise too_large("max_pages", f"{len(spine):,} chapters")
        items = [self._items[identity] for identity in dict.fromkeys(spine) if identity in self._items]
        self._refuse_protected({item.part for item in items})
        for item in items:
            if item.media_type in _HTML_TYPES and "nav" not in item.properties.split():
                try:
                    self._chapter(item.part)
                except NeverWill as failure:
                    if failure.code == "limit_exceeded":
                        raise
                    self._out.warn(f"{item.part}: {failure.message}")
        return self._out.document(MEDIA_TYPE, title=self._stated("title"), metadata=self._metadata())

    def _chapter(self, part: str) -> None:
        root = self._page(part, self._out)
        if root is None:
            return
        before = len(self._out.units)
        label = self._labels.get(part, "")
        if label and next(root.iter(*_HEADINGS), None) is None and root.xpath("normalize-space(.)"):
            self._out.heading(label, 1)
            before += 1
        Walker(self._out, hidden_selectors(root), keep_chrome=True).walk(body_of(root))
        if len(self._out.units) == before:
            self._scanned(root, part)

    def _scanned(self, root: etree._Element, part: str) -> None:
        """A page without text: its picture may be a scan of one."""
        sources = [node.get("src", "") for node in root.iter("img")]
        sources += [node.get("xlink:href") or node.get("href") or "" for node in root.iter("image")]
        for source in dict.fromkeys(sources):
            target = _target(part, source)
            if target in self._package:
                self._reader.embedded(self._package.read(target), target, Position())

    def _page(self, part: str, out: Collector | None = None) -> etree._Element | None:
        markup, _ = decode(self._package.read(part))
        return parse_html(markup.partition("?>")[2] if markup.lstrip().startswith("<?xml") else markup, out)

    def _manifest(self) -> dict[str, _Item]:
        return {
            node.get("id", ""): _Item(
                _target(self._root_part, node.get("href", "")), node.get("media-type", ""), node.get("properties", "")
            )
            for node in self._root.iterfind(".//{*}manifest/{*}item")
        }

    def _contents(self) -> dict[str, str]:
        """The table of contents (EPUB 3's navigation or EPUB 2's NCX): a part's first label."""
        labels: dict[str, str] = {}
        for item in self._items.values():
            if item.part not in self._package:
                continue
            if "nav" in item.properties.split():
                root = self._page(item.part)
                for anchor in root.iter("a") if root is not None else ():
                    labels.setdefault(
                        _target(item.part, anchor.get("href", "")), one_line("".join(map(str, anchor.itertext())))
                    )
            elif item.media_type == "application/x-dtbncx+xml":
                labels = self._ncx(item.part) | labels
        return labels

    def _ncx(self, part: str) -> dict[str, str]:
        labels: dict[str, str] = {}
        root = self._page(part)  # its usual DOCTYPE needs no DTD
        for point in root.iter("navpoint") if root is not None else ():
            text, content = point.find("navlabel/text"), point.find("content")
            if text is not None and content is not None:
                labels.setdefault(_target(part, content.get("src", "")), one_line(text.text or ""))
        return labels

    def _refuse_protected(self, parts: set[str]) -> None:
        """Fonts may be disguised; chapters that are encrypted cannot be read at all."""
        if _ENCRYPTION not in self._package:
            return
        references = self._package.xml(_ENCRYPTION).iter("{*}CipherReference")
        if parts & {unquote(node.get("URI", "")) for node in references}:
            raise NeverWill(
                "encryption_unsupported",
                f"This {_WHAT} is protected by digital rights management.",
                "Upload a copy without the protection.",
            )

    def _stated(self, name: str) -> str:
        found = self._root.find(f".//{{http://purl.org/dc/elements/1.1/}}{name}")
        return one_line("".join(map(str, found.itertext()))) if found is not None else ""

    def _metadata(self) -> dict[str, str]:
        changed = self._root.findtext(".//{*}meta[@property='dcterms:modified']") or ""
        return {**{name: self._stated(name) for name in _PROPERTIES}, "modified": changed}


def _root_part(package: Package) -> str:
    if _CONTAINER in package:
        for node in package.xml(_CONTAINER).iter("{*}rootfile"):
            if (part := node.get("full-path", "")) in package:
                return part
    named = [name for name in package.names("") if name.endswith(".opf")]
    if not named:
        raise corrupt(_WHAT, "it names no package document")
    return named[0]


def _target(part: str, reference: str) -> str:
    """The part that a reference in `part` names; what is elsewhere names no part."""
    return posixpath.normpath(posixpath.join(posixpath.dirname(part), unquote(reference.partition("#")[0])))


FORMAT = Format(
    name="EPUB",
    media_types=(MEDIA_TYPE,),
    extensions=("epub",),
    version=5,
    recognise=recognise,
    read=read,
    cites="chapter and section",
    needs="OCR for pages that are pictures",
)
