"""XML from strangers: no document type, no entities, no network, no endless trees."""

from __future__ import annotations

import re
from functools import cache

from lxml import etree

from trivium.domain.errors import NeverWill
from trivium_ingest.parse.failures import corrupt

_DOCTYPE = re.compile(rb"<!(?:DOCTYPE|ENTITY)", re.IGNORECASE)
_DOCTYPE_WIDE = ("<!DOCTYPE".encode("utf-16-le"), "<!DOCTYPE".encode("utf-16-be"))


def parse_xml(content: bytes, what: str, *, allow_doctype: bool = False) -> etree._Element:
    """The root element.

    Raises `NeverWill`: `unsafe_xml` for entity declarations, and for any document type declaration unless
    `allow_doctype` (an external one is never loaded); `corrupt_file` when nothing can be read.
    A file that breaks off later gives what stands before.
    """
    if (has_entities if allow_doctype else has_doctype)(content):
        raise NeverWill(
            "unsafe_xml",
            f"This {what} declares its own document type or entities, which are never expanded.",
            "Save it again without a DOCTYPE, or upload it as PDF.",
        )
    try:
        root = etree.fromstring(content, parser=_parser(recover=False))
    except (etree.XMLSyntaxError, ValueError) as error:
        root = _recovered(content)
        if root is None:
            raise corrupt(what, str(error)[:120]) from error
    return root


def has_entities(content: bytes) -> bool:
    """True when the document declares entities or a subset of its own, in which it could."""
    head = content[:65_536]
    if any(mark in head for mark in _DOCTYPE_WIDE):
        return True
    return bool(re.search(rb"<!ENTITY|<!DOCTYPE[^>]*\[", head, re.IGNORECASE))


def has_doctype(content: bytes) -> bool:
    """True when a document type is declared before the root element, in any encoding of ASCII's or UTF-16's kind."""
    head = content[:65_536]
    declared = b"<!" in head and _DOCTYPE.search(head)  # the pattern is slow, and few parts have any declaration
    return bool(declared) or any(mark in head for mark in _DOCTYPE_WIDE)


@cache  # an office file has hundreds of small parts, and making a parser takes as long as one of them
def _parser(*, recover: bool) -> etree.XMLParser:
    return etree.XMLParser(
        resolve_entities=False,
        load_dtd=False,
        no_network=True,
        dtd_validation=False,
        attribute_defaults=False,
        huge_tree=False,
        remove_comments=True,
        remove_pis=True,
        recover=recover,
    )


def _recovered(content: bytes) -> etree._Element | None:
    try:
        return etree.fromstring(content, parser=_parser(recover=True))
    except (etree.XMLSyntaxError, ValueError):
        return None
