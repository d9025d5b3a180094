"""EPUB: chapters in the spine's order, titles from headings or the contents, nothing run, nothing unbounded."""

from __future__ import annotations

import zipfile

import pytest
from zip_files import zipped

from trivium.domain.errors import NeverWill
from trivium.domain.parsed import UnitKind

from .conftest import InkOcr, Parse, picture, texts

CONTAINER = '<container><rootfiles><rootfile full-path="OEBPS/book.opf"/></rootfiles></container>'
OPF = """<?xml version="1.0"?>
<package xmlns="http://www.idpf.org/2007/opf" xmlns:dc="http://purl.org/dc/elements/1.1/">
<metadata><dc:title>The Weir</dc:title><dc:creator>R. Vale</dc:creator><dc:language>en</dc:language></metadata>
<manifest>
<item id="nav" href="nav.xhtml" media-type="application/xhtml+xml" properties="nav"/>
<item id="two" href="text/b.xhtml" media-type="application/xhtml+xml"/>
<item id="one" href="text/a%20b.xhtml" media-type="application/xhtml+xml"/>
<item id="scan" href="text/scan.xhtml" media-type="application/xhtml+xml"/>
<item id="gone" href="text/gone.xhtml" media-type="application/xhtml+xml"/>
</manifest>
<spine><itemref idref="nav"/><itemref idref="one"/><itemref idref="two"/><itemref idref="scan"/>
<itemref idref="gone"/></spine></package>"""
PARTS: dict[str, str | bytes] = {
    "mimetype": "application/epub+zip",
    "META-INF/container.xml": CONTAINER,
    "OEBPS/book.opf": OPF,
    "OEBPS/nav.xhtml": '<html><body><nav><a href="text/b.xhtml#x">The flood</a></nav></body></html>',
    "OEBPS/text/a b.xhtml": '<?xml version="1.0"?><html><body><h1>The mill</h1><p>It ground rye.</p>'
    "<script>evil()</script><aside>A note aside.</aside></body></html>",
    "OEBPS/text/b.xhtml": "<html><body><p>Water rose at &eacute;tape two.</p></body></html>",
    "OEBPS/text/scan.xhtml": '<html><body><img src="../scan.png"/></body></html>',
    "OEBPS/scan.png": picture(),
}


def _epub(**changed: str | bytes) -> bytes:
    parts = PARTS | {name.replace("__", "/"): part for name, part in changed.items()}
    return zipped(parts, zipfile.ZIP_DEFLATED)


def test_chapters_come_in_the_order_of_the_spine_with_their_titles(parse: Parse, ocr: InkOcr) -> None:
    document = parse(_epub(), "book.zip", ocr=ocr)
    assert document.media_type == "application/epub+zip"
    assert (document.title, document.metadata["creator"]) == ("The Weir", "R. Vale")
    assert texts(document, UnitKind.HEADING) == ["The mill", "The flood"]
    assert texts(document, UnitKind.TEXT) == ["It ground rye.", "A note aside.", "Water rose at étape two."]
    assert document.units[4].position.section == ("The flood",)
    assert (document.units[-1].kind, document.units[-1].text) == (UnitKind.IMAGE, "ink")
    assert "evil" not in document.text
    assert any("gone.xhtml" in warning for warning in document.warnings)


def test_chapters_under_rights_management_are_refused_and_disguised_fonts_are_not(parse: Parse) -> None:
    listed = '<encryption><CipherData><CipherReference URI="{}"/></CipherData></encryption>'
    with pytest.raises(NeverWill, match="digital rights"):
        parse(_epub(**{"META-INF__encryption.xml": listed.format("OEBPS/text/b.xhtml")}))
    assert parse(_epub(**{"META-INF__encryption.xml": listed.format("OEBPS/font.otf")})).units


def test_a_bomb_and_an_entity_in_a_book_are_refused(parse: Parse) -> None:
    with pytest.raises(NeverWill, match="max_ratio"):
        parse(_epub(**{"OEBPS__text__b.xhtml": b" " * 30_000_000}))
    with pytest.raises(NeverWill, match="entities"):
        parse(_epub(**{"OEBPS__book.opf": f'<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]>{OPF[21:]}'}))


def test_entities_of_a_chapter_are_not_expanded(parse: Parse) -> None:
    laughs = '<!DOCTYPE html [<!ENTITY lol "boom">]><html><body><p>Calm &lol; water.</p></body></html>'
    document = parse(_epub(**{"OEBPS__text__b.xhtml": laughs}))
    assert "boom" not in document.text.replace('"boom"', "")
    assert "Calm" in document.text


def test_a_book_without_its_package_document_is_corrupt(parse: Parse) -> None:
    with pytest.raises(NeverWill) as failure:
        parse(zipped({"mimetype": "application/epub+zip"}))
    assert failure.value.code == "corrupt_file"


def test_chapters_are_bounded(parse: Parse) -> None:
    with pytest.raises(NeverWill, match="max_pages"):
        parse(_epub(), limits={"max_pages": 2})
