"""XML from strangers: nothing is fetched or multiplied, no endless trees."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache

from lxml import etree

from trivium.domain.errors import NeverWill
from trivium_ingest.parse.failures import corrupt
from trivium_ingest.parse.text.encoding import decode, decode_as, is_wide
from trivium_ingest.parse.xml.doctype import has_doctype, without_doctype

_DECLARATION = re.compile(r"\ufeff?\s*<\?xml\s[^>]{0,500}\?>")
_ENCODING = re.compile(rb"""\s*<\?xml\s[^>]{0,500}?encoding\s*=\s*["']([\w.:-]{2,40})""")
_UTF_8 = ("utf-8", "utf8", "us-ascii", "ascii")
_WIDE = ("utf-16", "utf-32", "ucs-", "iso-10646")


def parse_xml(content: bytes, what: str, tell: Callable[[str], None], *, allow_doctype: bool = False) -> etree._Element:
    """The root element; `tell` hears what could not be read.

    Raises `NeverWill`: `unsafe_xml` for a document type declaration, unless `allow_doctype` (`without_doctype` then
    says what becomes of it); `corrupt_file` when nothing can be read.
    A file that breaks off later gives what stands before.
    """
    content = _as_utf8(content).lstrip(b"\xef\xbb\xbf \t\r\n")
    if has_doctype(content):
        if not allow_doctype:
            raise unsafe(what)
        content = without_doctype(content, what, tell)
    try:
        return etree.fromstring(content, parser=_parser(recover=False))
    except (etree.XMLSyntaxError, ValueError) as error:
        root = _recovered(content)
        if root is None:
            raise corrupt(what, str(error)[:120]) from error
        deep = "depth" in str(error)
        reason = "it is nested too deeply" if deep else f"it is damaged ({str(error)[:120]})"
        tell(f"A part of this {what} may be missing: {reason}.")
        return root


def _as_utf8(content: bytes) -> bytes:
    """In the one encoding in which a declaration is looked for; the encoding it stated is then not stated any more."""
    stated = _ENCODING.match(content)
    name = stated.group(1).decode().lower() if stated else "utf-8"
    wide = is_wide(content)
    if name in _UTF_8 and not wide:
        return content
    believed = not wide and not name.startswith(_WIDE)  # a declaration that can be read byte by byte is not UTF-16
    text = decode_as(content, name) if believed else decode(content)[0]
    return _DECLARATION.sub("", text, count=1).encode("utf-8", "replace")


def unsafe(what: str) -> NeverWill:
    """Of a document type declaration where none is allowed; `what` the file is."""
    return NeverWill(
        "unsafe_xml",
        f"This {what} declares its own document type or entities, which are never expanded.",
        "Save it again without a DOCTYPE, or upload it as PDF.",
    )


@cache  # an office file has hundreds of small parts, and making a parser takes as long as one of them
def _parser(*, recover: bool) -> etree.XMLParser:
    return etree.XMLParser(
        resolve_entities=False,
        load_dtd=False,
        no_network=True,
        dtd_validation=False,
        attribute_defaults=False,
        huge_tree=True,  # 2,048 levels instead of 256, and texts of more than 10 MB
        remove_comments=True,
        remove_pis=True,
        recover=recover,
    )


def _recovered(content: bytes) -> etree._Element | None:
    try:
        return etree.fromstring(content, parser=_parser(recover=True))
    except (etree.XMLSyntaxError, ValueError):
        return None
