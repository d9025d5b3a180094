"""HTML pages: the main content, with sections, lists, tables and code. Nothing is fetched, hidden text is left out."""

from __future__ import annotations

import re

from lxml import etree

from trivium.domain.parsed import ParsedDocument
from trivium.ports.parser import Blob, ParseLimits, ParserModels
from trivium_ingest.parse.collector import Collector
from trivium_ingest.parse.evidence import Evidence
from trivium_ingest.parse.registry import Format
from trivium_ingest.parse.sample import Sample
from trivium_ingest.parse.text.clean import one_line
from trivium_ingest.parse.text.encoding import decode
from trivium_ingest.parse.web.about import about, charset
from trivium_ingest.parse.web.html_text import Walker, make_links_absolute, parse_html
from trivium_ingest.parse.web.visibility import hidden_selectors, main_content

MEDIA_TYPE = "text/html"
_START = re.compile(
    r"\s*(?:<\?xml[^>]*>\s*)?(?:<!--.*?-->\s*)*<(?:!doctype\s+html|html|head|body)\b", re.IGNORECASE | re.DOTALL
)
_TAGS = re.compile(
    r"</?(?:div|p|span|table|tr|td|a|ul|li|h[1-6]|br|meta|script|style|title|body)\b[^>]*>", re.IGNORECASE
)
_SITE_NAME = re.compile(r"\s+[-|\u2013—·:•]+\s+\S.{0,80}")
_SEPARATOR = re.compile(r"\s+[-|\u2013—·:•»]+\s+$")
_SENT_CHARSET = re.compile(r";\s*charset\s*=\s*[\"']?([\w.:-]{2,40})", re.IGNORECASE)


def recognise(sample: Sample) -> Evidence:
    """A doctype or root element at the start, or many of HTML's tags."""
    text = sample.text
    if _START.match(text):
        return Evidence.STRUCTURE
    tags = len(_TAGS.findall(text))
    if text.lstrip().startswith("<") and tags >= 2:
        return Evidence.SIGNS
    return Evidence.POSSIBLE if tags >= 10 else Evidence.NONE


def read(blob: Blob, limits: ParseLimits, _models: ParserModels) -> ParsedDocument:
    """Read the main content; when nothing is left without the page's chrome, read that too."""
    text, encoding = decode(blob.content, _charset(blob))
    out = Collector(limits)
    root = parse_html(re.sub(r"^\s*<\?xml[^>]*\?>", "", text, count=1), out)
    if root is None:
        return out.document(MEDIA_TYPE, metadata={"encoding": encoding})
    make_links_absolute(root, blob.url)
    told = about(root)
    selectors = hidden_selectors(root)
    node = main_content(root)
    Walker(out, selectors).walk(node)
    if not out.units:
        Walker(out, selectors, keep_chrome=True).walk(node)
    title = _title(root, told.get("site", "")) or told.get("title", "") or _sole_heading(root)
    metadata = {"encoding": encoding, **{name: value for name, value in told.items() if name != "title"}}
    return out.document(MEDIA_TYPE, title=title, metadata=metadata)


def _charset(blob: Blob) -> str:
    """What the server declares, else what the page does (WHATWG HTML 13.2.3.2)."""
    sent = _SENT_CHARSET.search(blob.declared_type)
    return sent.group(1) if sent else charset(blob.content)


def _title(root: etree._Element, site: str) -> str:
    """<title>, without the site's name behind the page's own ("Duck - Wikipedia" over the heading "Duck")."""
    title = one_line(root.findtext(".//title") or "")
    first = root.find(".//h1")
    heading = one_line("".join(map(str, first.itertext()))) if first is not None else ""
    if heading and _SITE_NAME.fullmatch(title.removeprefix(heading)):
        return heading
    own = title.removesuffix(site) if site else title
    return _SEPARATOR.sub("", own) if own != title and _SEPARATOR.search(own) else title


def _sole_heading(root: etree._Element) -> str:
    headings = [one_line("".join(map(str, heading.itertext()))) for heading in root.iter("h1")]
    return headings[0] if len(headings) == 1 else ""


FORMAT = Format(
    name="HTML",
    media_types=(MEDIA_TYPE, "application/xhtml+xml"),
    extensions=("html", "htm", "xhtml"),
    version=9,
    recognise=recognise,
    read=read,
    cites="section",
)
