"""What a page says of itself: title, author, date, site, language, address, character set.

Only what is declared counts (schema.org in JSON-LD, Open Graph, Dublin Core, Highwire's `citation_`, plain meta tags);
nothing is guessed from the text, where any date may stand.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from lxml import etree

from trivium_ingest.parse.text.clean import one_line

MAX_VALUE_CHARS = 300
_MAX_JSON_CHARS = 500_000
_MAX_AUTHORS = 20
_CHARSET_WITHIN = 4096  # bytes
_CHARSET = re.compile(rb"<meta[^>]+charset\s*=\s*[\"']?\s*([\w.:-]{2,40})", re.IGNORECASE)
_XML_CHARSET = re.compile(rb"\s*<\?xml\s[^>]{0,300}?encoding\s*=\s*[\"']([\w.:-]{2,40})")

_META: Mapping[str, tuple[str, ...]] = {
    "title": ("og:title", "citation_title", "dc.title", "dcterms.title", "twitter:title"),
    "author": ("author", "citation_author", "dc.creator", "dcterms.creator", "article:author", "parsely-author"),
    "date": (
        "article:published_time",
        "citation_publication_date",
        "citation_date",
        "dc.date",
        "dcterms.created",
        "datepublished",
        "date",
    ),
    "site": ("og:site_name", "citation_journal_title", "application-name", "dc.publisher"),
    "language": ("og:locale", "dc.language", "content-language"),
    "url": ("og:url",),
    "description": ("description", "og:description", "dc.description"),
}
_ARTICLES = ("Article", "BlogPosting", "Report", "WebPage", "TechArticle", "Recipe", "Book", "Dataset", "Product")


def about(root: etree._Element) -> dict[str, str]:
    """The page's own words for `title`, `author`, `date`, `site`, `language`, `url` and `description`."""
    told = {**_declared(root), **_structured(root)}
    if language := root.get("lang", ""):
        told["language"] = language
    canonical = (link for link in root.iter("link") if " canonical " in f" {link.get('rel', '')} ")
    if address := next((link.get("href") for link in canonical if "href" in link.attrib), ""):
        told["url"] = address
    if not one_line(told.get("url", "")).startswith(("http://", "https://")):
        told.pop("url", None)
    return {name: clean for name, value in told.items() if (clean := one_line(value)[:MAX_VALUE_CHARS])}


def charset(page: bytes) -> str:
    """The character set that a page declares, at last as XML, "" where it declares none (WHATWG HTML 13.2.3.2)."""
    declared = _CHARSET.search(page[:_CHARSET_WITHIN]) or _XML_CHARSET.match(page[:_CHARSET_WITHIN])
    return declared.group(1).decode("ascii") if declared else ""


def _declared(root: etree._Element) -> dict[str, str]:
    """Meta tags; where several speak, the first of `_META`'s names does, and all its values if they name authors."""
    said: dict[str, list[str]] = {}
    for node in root.iter("meta"):
        name = node.get("property") or node.get("name") or node.get("itemprop") or node.get("http-equiv") or ""
        content = node.get("content") or ""
        if (content.strip() and not content.startswith(("http://", "https://"))) or name.lower() == "og:url":
            said.setdefault(name.strip().lower(), []).append(content)
    found = {}
    for field, names in _META.items():
        values = next((said[name] for name in names if name in said), [])
        if values:
            found[field] = ", ".join(dict.fromkeys(values[:_MAX_AUTHORS])) if field == "author" else values[0]
    return found


def _structured(root: etree._Element) -> dict[str, str]:
    """The first article of the page's JSON-LD."""
    for script in root.iter("script"):
        text = script.text or ""
        if "ld+json" not in script.get("type", "") or len(text) > _MAX_JSON_CHARS:
            continue
        try:
            value = json.loads(text)
        except (ValueError, RecursionError):
            continue
        for thing in _things(value):
            told = {
                "title": _text(thing.get("headline")),
                "author": ", ".join(filter(None, map(_text, _listed(thing.get("author"))))),
                "date": _text(thing.get("datePublished")),
                "site": _text(thing.get("publisher")),
            }
            return {name: words for name, words in told.items() if words}
    return {}


def _things(value: Any) -> Iterator[Mapping[str, Any]]:
    for thing in _listed(value):
        if not isinstance(thing, dict):
            continue
        kinds = [str(kind) for kind in _listed(thing.get("@type"))]
        if any(kind.endswith(_ARTICLES) for kind in kinds):
            yield thing
        for inner in _listed(thing.get("@graph")):
            if isinstance(inner, dict):
                yield from _things({key: part for key, part in inner.items() if key != "@graph"})


def _listed(value: Any) -> list[Any]:
    if value is None:
        return []
    return value[:_MAX_AUTHORS] if isinstance(value, list) else [value]


def _text(value: Any) -> str:
    """A schema.org value as words: itself, or its name."""
    if isinstance(value, dict):
        value = value.get("name")
    return value if isinstance(value, str) else ""
