"""Whatever lies deep in something else is read, or the document says that it is not: words in, words out."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

import pytest
from zip_files import zipped

from trivium.domain.parsed import ParsedDocument

from .conftest import Parse

DEPTH = 150
TOO_DEEP = 3_000
_W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
_P = 'xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main"'
_A = 'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"'
_R = 'xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"'
_PARTS = 'xmlns="http://schemas.openxmlformats.org/package/2006/relationships"'
_SLIDE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/slide"
_ODF = "urn:oasis:names:tc:opendocument:xmlns"
_SPACES = " ".join(
    f'xmlns:{name}="{_ODF}:{space}:1.0"'
    for name, space in (("office", "office"), ("text", "text"), ("table", "table"), ("draw", "drawing"))
)


def _words(count: int) -> list[str]:
    return [f"w{number:05d}x" for number in range(count)]


def _nested(opening: str, closing: str, count: int) -> str:
    return "".join(opening.replace("@", word) for word in _words(count)) + closing * count


def _indented(mark: str, count: int) -> str:
    return "\n".join("  " * level + mark + word for level, word in enumerate(_words(count)))


def _docx(body: str) -> bytes:
    return zipped({"word/document.xml": f"<w:document {_W}><w:body>{body}</w:body></w:document>"})


def _odt(body: str) -> bytes:
    content = f"<office:document-content {_SPACES}><office:body><office:text>{body}</office:text></office:body>"
    mimetype = "application/vnd.oasis.opendocument.text"
    return zipped({"mimetype": mimetype, "content.xml": f"{content}</office:document-content>"})


def _pptx(shapes: str) -> bytes:
    relations = (
        f'<Relationships {_PARTS}><Relationship Id="r1" Type="{_SLIDE}" Target="slides/slide1.xml"/></Relationships>'
    )
    slides = f'<p:presentation {_P} {_R}><p:sldIdLst><p:sldId id="256" r:id="r1"/></p:sldIdLst></p:presentation>'
    slide = f"<p:sld {_P} {_A}><p:cSld><p:spTree>{shapes}</p:spTree></p:cSld></p:sld>"
    parts = {"ppt/presentation.xml": slides, "ppt/_rels/presentation.xml.rels": relations}
    return zipped({**parts, "ppt/slides/slide1.xml": slide})


def _paragraph(inside: str) -> str:
    return f"<w:p>{inside}</w:p>"


def _run(inside: str) -> str:
    return f"<w:r>{inside}</w:r>"


_SAID = _paragraph(_run("<w:t>@</w:t>"))
_SPACED = _run("<w:t>@ </w:t>")
_SHAPE = "<p:sp><p:txBody><a:p><a:r><a:t>@</a:t></a:r></a:p></p:txBody></p:sp>"
_BOX = ("<text:p>@<draw:frame><draw:text-box>", "</draw:text-box></draw:frame></text:p>")
_CELL = "<table:table><table:table-row><table:table-cell><text:p>@</text:p>"
NESTS: dict[str, tuple[str, Callable[[int], str | bytes]]] = {
    "lists in Markdown": ("a.md", lambda n: "# T\n\n" + _indented("- ", n)),
    "quotes in Markdown": ("a.md", lambda n: "\n\n".join("> " * (i + 1) + w for i, w in enumerate(_words(n)))),
    "HTML in Markdown": ("a.md", lambda n: "# T\n\n" + _nested("<div>@", "</div>", n)),
    "lists in HTML": ("a.html", lambda n: "<html>" + _nested("<ul><li>@", "</li></ul>", n)),
    "blocks in HTML": ("a.html", lambda n: "<html>" + _nested("<div>@", "</div>", n)),
    "marks in HTML": ("a.html", lambda n: "<html><p>" + _nested("<b>@ ", "</b>", n)),
    "marks in an item": ("a.html", lambda n: "<html><ul><li>" + _nested("<b>@ ", "</b>", n)),
    "blocks in a cell": (
        "a.html",
        lambda n: "<html><table><tr><td>a<td>b<tr><td>c<td>" + _nested("<div>@", "</div>", n),
    ),
    "elements in XML": ("a.xml", lambda n: "<?xml version='1.0'?><r>" + _nested("<a><b>@</b>", "</a>", n) + "</r>"),
    "groups in SVG": ("a.svg", lambda n: "<svg>" + _nested("<g><text>@</text>", "</g>", n) + "</svg>"),
    "objects in JSON": ("a.json", lambda n: _nested('{"v":"@","k":', "}", n).replace(":}", ":1}", 1)),
    "lists in JSON": ("a.json", lambda n: _nested('["@",', "]", n).replace(",]", "]", 1)),
    "objects in a line": ("a.jsonl", lambda n: '{"a":1}\n' + _nested('{"v":"@","k":', "}", n).replace(":}", ":1}", 1)),
    "keys in YAML": (
        "a.yaml",
        lambda n: "\n".join(f"{'  ' * i}k:\n{'  ' * i}  v: {w}" for i, w in enumerate(_words(n))),
    ),
    "flows in YAML": ("a.yaml", lambda n: "a: " + _nested("{v: @, k: ", "}", n).replace(" }", "1}", 1)),
    "groups in RTF": ("a.rtf", lambda n: "{\\rtf1 " + _nested("{@\\par ", "}", n) + "}"),
    "tables in Word": ("a.docx", lambda n: _docx(_nested(f"<w:tbl><w:tr><w:tc>{_SAID}", "</w:tc></w:tr></w:tbl>", n))),
    "controls in Word": (
        "a.docx",
        lambda n: _docx(_nested(f"<w:sdt><w:sdtContent>{_SAID}", "</w:sdtContent></w:sdt>", n)),
    ),
    "revisions in Word": (
        "a.docx",
        lambda n: _docx(_paragraph("<w:del/>" + _nested(f"<w:ins>{_SPACED}", "</w:ins>", n))),
    ),
    "boxes in Word": (
        "a.docx",
        lambda n: _docx(_nested(f"<w:p>{_run('<w:t>@</w:t>')}<w:r><w:txbxContent>", "</w:txbxContent></w:r></w:p>", n)),
    ),
    "groups in PowerPoint": ("a.pptx", lambda n: _pptx(_nested(f"<p:grpSp>{_SHAPE}", "</p:grpSp>", n))),
    "lists in OpenDocument": (
        "a.odt",
        lambda n: _odt(_nested("<text:list><text:list-item><text:p>@</text:p>", "</text:list-item></text:list>", n)),
    ),
    "sections in OpenDocument": (
        "a.odt",
        lambda n: _odt(_nested("<text:section><text:p>@</text:p>", "</text:section>", n)),
    ),
    "tables in OpenDocument": (
        "a.odt",
        lambda n: _odt(_nested(_CELL, "</table:table-cell></table:table-row></table:table>", n)),
    ),
    "boxes in OpenDocument": ("a.odt", lambda n: _odt(_nested(*_BOX, n))),
    "spans in OpenDocument": (
        "a.odt",
        lambda n: _odt(f"<text:p>{_nested('<text:span>@ ', '</text:span>', n)}</text:p>"),
    ),
}  # fmt: skip
CUT = (
    "blocks in HTML",
    "lists in HTML",
    "HTML in Markdown",
    "elements in XML",
    "groups in SVG",
    "spans in OpenDocument",
)


def _found(document: ParsedDocument) -> list[str]:
    return re.findall(r"w\d{5}x", document.text)


def _lost(document: ParsedDocument, count: int) -> Iterable[str]:
    return sorted(set(_words(count)) - set(_found(document)))


@pytest.mark.parametrize("nest", NESTS)
def test_every_word_that_lies_deep_is_read_once(parse: Parse, nest: str) -> None:
    name, made = NESTS[nest]
    document = parse(made(DEPTH), name)
    assert _lost(document, DEPTH) == []
    assert len(_found(document)) == DEPTH
    assert document.warnings == ()


@pytest.mark.parametrize("nest", CUT)
def test_what_lies_too_deep_for_any_parser_is_told(parse: Parse, nest: str) -> None:
    name, made = NESTS[nest]
    document = parse(made(TOO_DEEP), name)
    assert _found(document)
    assert ["nested too deeply" in warning for warning in document.warnings] == [True]


@pytest.mark.parametrize("name", ["a.json", "a.jsonl", "a.yaml"])
@pytest.mark.parametrize("opening", ['["@", ', '{"v": "@", "k": '])
def test_a_hundred_thousand_levels_are_their_words_and_one_warning(parse: Parse, name: str, opening: str) -> None:
    closing = "]" if opening[0] == "[" else "}"
    document = parse("a: " * (name == "a.yaml") + _nested(opening, closing, 100_000), name)
    assert _lost(document, 100_000) == []
    assert not set("[]{}") & set(document.text)
    assert len(document.warnings) == 1


@pytest.mark.parametrize("name", ["a.json", "a.yaml"])
def test_a_hundred_thousand_brackets_are_no_text(parse: Parse, name: str) -> None:
    document = parse("[" * 100_000 + "]" * 100_000, name)
    assert (document.text, len(document.warnings)) == ("", 1)


def test_a_path_of_many_names_is_divided_and_names_them_all(parse: Parse) -> None:
    names = _words(DEPTH)
    document = parse("".join(f'{{"{name}": ' for name in names) + '"deep"' + "}" * DEPTH, "a.json")
    assert _found(document) == names
    assert document.text.endswith(f"{names[-1]}: deep")
