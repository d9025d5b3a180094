"""The date that a file gives itself: of cameras, of RTF, of Office 97-2003 and of packages; and what is none."""

from __future__ import annotations

import base64
import io
import struct
import sys
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import docx
import pptx
import pytest
from office_97_files import workbook_file
from outlook_files import compound_file, filetime, outlook_message, outlook_sent
from PIL import Image
from PIL.ExifTags import IFD, Base
from PIL.TiffImagePlugin import ImageFileDirectory_v2
from word_files import powerpoint_file, summary, word_file
from zip_files import zipped

from trivium.domain.parsed import ParsedDocument
from trivium.domain.times import written
from trivium_ingest.own_date import own_date

from .conftest import InkOcr, Parse, picture

TAKEN, MADE, CHANGED = "2019:05:06 07:08:09", "2020:05:06 07:08:09", "2021:05:06 07:08:09"
CREATED, SAVED = (filetime(datetime(year, 5, 6, 7, 8, 9, tzinfo=UTC)) for year in (1998, 1999))
# Taken as `TAKEN` at +02:00, by an encoder that is no dependency here.
HEIC = base64.b64decode(
    "AAAAHGZ0eXBoZWljAAAAAG1pZjFoZWljbWlhZgAAAZdtZXRhAAAAAAAAACFoZGxyAAAAAAAAAABwaWN0AAAAAAAAAAAAAAAAAAAAADRp"
    "bG9jAAAAAERAAAIAAQAAAAABuwABAAAAAAAAABMAAgAAAAABzgABAAAAAAAAAH4AAAA4aWluZgAAAAAAAgAAABVpbmZlAgAAAAABAABo"
    "dmMxAAAAABVpbmZlAgAAAQACAABFeGlmAAAAAA5waXRtAAAAAAABAAAA1mlwcnAAAAC3aXBjbwAAAHhodmNDAQNwAAAAkAAAAAAAHvAA"
    "/P34+AAADwNgAAEAGEABDAH//wNwAAADAJAAAAMAAAMAHroCQGEAAQArQgEBA3AAAAMAkAAAAwAAAwAeoCCBBZbqSSmubgIaDAgAAAMA"
    "yAAAAwAIQGIAAQAHRAHBcrAiQAAAABNjb2xybmNseAABAA0ABoAAAAAUaXNwZQAAAAAAAABAAAAAQAAAABBwaXhpAAAAAAMICAgAAAAX"
    "aXBtYQAAAAAAAAABAAEEgQIDBAAAABppcmVmAAAAAAAAAA5jZHNjAAIAAQABAAAAmW1kYXQAAAAPKAGvBBj8Hdc+m9WXtxxgAAAABkV4"
    "aWYAAE1NACoAAAAIAAIBMgACAAAAFAAAACaHaQAEAAAAAQAAADoAAAAAMjAyMTowMTowMiAwMzowNDowNQAAApADAAIAAAAUAAAAWJAR"
    "AAIAAAAHAAAAbAAAAAAyMDE5OjA1OjA2IDA3OjA4OjA5ACswMjowMAAA"
)
OPEN = "urn:oasis:names:tc:opendocument:xmlns:"
CALCS = "application/vnd.oasis.opendocument.spreadsheet"
META = """<office:document-meta xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0"
 xmlns:meta="urn:oasis:names:tc:opendocument:xmlns:meta:1.0"><office:meta>
<meta:creation-date>2019-03-04T05:06:07.123456789</meta:creation-date></office:meta></office:document-meta>"""
CORE = """<cp:coreProperties xmlns:cp="urn:cp" xmlns:dcterms="http://purl.org/dc/terms/">
<dcterms:created>2019-03-04T05:06:07Z</dcterms:created></cp:coreProperties>"""


def dated(document: ParsedDocument) -> str:
    """The date it gives itself, "" for none."""
    seconds = own_date(document.metadata)
    return "" if seconds is None else written(seconds)


def photograph(kind: str, *, whole: dict[int, object] | None = None, inner: dict[int, object] | None = None) -> bytes:
    """A picture with Exif: tags of the file as a whole, and those of the exposure."""
    if kind == "TIFF":
        tags = ImageFileDirectory_v2()
        for tag, value in {**(whole or {}), IFD.Exif: inner or {}}.items():
            tags[tag] = value
        return picture(kind, tiffinfo=tags)
    exif = Image.Exif()
    exif.update(whole or {})
    exif.get_ifd(IFD.Exif).update(inner or {})
    return picture(kind, exif=exif)


@pytest.mark.parametrize("kind", ["JPEG", "PNG", "TIFF", "WEBP"])
def test_a_picture_is_of_when_it_was_taken_before_when_it_was_digitised_or_changed(parse: Parse, kind: str) -> None:
    changed: dict[int, object] = {Base.DateTime: CHANGED, Base.Orientation: 6}
    made: dict[int, object] = {Base.DateTimeDigitized: MADE}
    taken: dict[int, object] = {Base.DateTimeOriginal: TAKEN, Base.OffsetTimeOriginal: "+02:00"}
    assert dated(parse(photograph(kind, whole=changed, inner=made | taken))) == "2019-05-06T05:08:09Z"
    assert dated(parse(photograph(kind, whole=changed, inner=made))) == "2020-05-06T07:08:09Z"
    assert dated(parse(photograph(kind, whole=changed))) == "2021-05-06T07:08:09Z"
    assert dated(parse(picture(kind))) == ""


def test_a_heic_is_of_when_it_was_taken(parse: Parse) -> None:
    assert dated(parse(HEIC)) == "2019-05-06T05:08:09Z"


@pytest.mark.parametrize("zone", ["   :  ", "02:00", "+99:00", ""])
def test_a_time_zone_that_is_none_leaves_the_time(parse: Parse, zone: str) -> None:
    inner: dict[int, object] = {Base.DateTimeOriginal: TAKEN, Base.OffsetTimeOriginal: zone}
    assert dated(parse(photograph("JPEG", inner=inner))) == "2019-05-06T07:08:09Z"


@pytest.mark.parametrize(
    "said",
    ["0000:00:00 00:00:00", "    :  :     :  :  ", "1601:01:01 00:00:00", "9999:12:31 23:59:59", "2019:13:40 25:61:61"],
)
def test_a_clock_that_was_never_set_leaves_the_next_time(parse: Parse, said: str) -> None:
    inner: dict[int, object] = {Base.DateTimeOriginal: said, Base.DateTimeDigitized: MADE}
    assert dated(parse(photograph("JPEG", inner=inner))) == "2020-05-06T07:08:09Z"
    assert dated(parse(photograph("JPEG", inner={Base.DateTimeOriginal: said}))) == ""


@pytest.mark.parametrize("kind", ["JPEG", "PNG", "WEBP"])
def test_damaged_exif_says_nothing_and_takes_nothing_from_its_picture(parse: Parse, ocr: InkOcr, kind: str) -> None:
    whole: dict[int, object] = {Base.Orientation: 6, Base.DateTime: CHANGED}
    inner: dict[int, object] = {Base.DateTimeOriginal: TAKEN}
    exif = Image.Exif()
    exif.update(whole)
    exif.get_ifd(IFD.Exif).update(inner)
    sound = exif.tobytes()
    for at in range(6, len(sound)):
        damaged = sound[:at] + b"\xff" + sound[at + 1 :]
        document = parse(picture(kind, exif=damaged), ocr=ocr)
        assert document.text == "ink", at
        assert dated(document)[:4] in ("", "2019", "2021"), at


RTF = r"{\rtf1{\info%s{\printim\yr2005\mo1\dy1}}\pard The weir falls.\par}"


@pytest.mark.parametrize(
    ("told", "expected"),
    [
        (r"{\creatim\yr2003\mo4\dy5\hr6\min7}{\revtim\yr2004\mo4\dy5}", "2003-04-05T06:07:00Z"),
        (r"{\creatim\yr0\mo0\dy0\hr0\min0}{\revtim\yr2004\mo4\dy5\hr6\min7\sec8}", "2004-04-05T06:07:08Z"),
        (r"{\*\creatim \yr2003 \mo4}", "2003-04-01T00:00:00Z"),
        (r"{\creatim\yr1601\mo1\dy1\hr0\min0}", ""),
        (r"{\creatim\yr2003\mo13\dy45\hr99}", ""),
        (r"{\creatim\yr65535\mo1\dy1}{\revtim\yr-2003\mo1}", ""),
        (r"{\creatim\yr\mo\dy}", ""),
        ("", ""),
    ],
)
def test_rtf_is_of_when_it_was_made_before_when_it_was_revised(parse: Parse, told: str, expected: str) -> None:
    document = parse(RTF % told)
    assert (document.text, dated(document)) == ("The weir falls.", expected)


@pytest.mark.usefixtures("no_libre_office")
@pytest.mark.parametrize(
    ("created", "saved", "expected"),
    [
        (CREATED, SAVED, "1998-05-06T07:08:09Z"),
        (0, SAVED, "1999-05-06T07:08:09Z"),
        (600_000_000, 0, ""),
        (2**64 - 1, 2**63, ""),
        (filetime(datetime(2101, 1, 1, tzinfo=UTC)), SAVED, "1999-05-06T07:08:09Z"),
    ],
    ids=["both", "saved", "a duration", "too far", "far"],
)
def test_word_and_excel_97_are_of_when_they_were_made_before_when_they_were_saved(
    parse: Parse, created: int, saved: int, expected: str
) -> None:
    told = summary(created, saved)
    assert dated(parse(word_file("The weir falls.\r", more=told), "plan.doc")) == expected
    assert dated(parse(workbook_file(["weir"], more=told), "plan.xls")) == expected


@pytest.mark.usefixtures("no_libre_office")
def test_a_damaged_summary_says_nothing_and_takes_nothing_from_its_document(parse: Parse) -> None:
    ((name, sound),) = summary(CREATED, SAVED).items()
    for at in range(len(sound)):
        damaged = {name: sound[:at] + b"\xff" * 4 + sound[at + 4 :]}
        document = parse(word_file("The weir falls.\r", more=damaged), "plan.doc")
        assert document.text == "The weir falls.", at
    assert dated(parse(word_file("The weir falls.\r", more={name: struct.pack("<I", 1)}), "plan.doc")) == ""
    assert dated(parse(word_file("The weir falls.\r"), "plan.doc")) == ""


def test_a_conversion_has_the_dates_of_the_file_that_it_was_made_of(
    parse: Parse, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    made = tmp_path / "made"
    convert = f"""#!{sys.executable}
import pathlib, sys
out = pathlib.Path(sys.argv[sys.argv.index("--outdir") + 1])
out.mkdir()
(out / ("document." + sys.argv[sys.argv.index("--convert-to") + 1])).write_bytes(pathlib.Path("{made}").read_bytes())
"""
    (tmp_path / "soffice").write_text(convert)
    (tmp_path / "soffice").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    document = docx.Document()
    document.add_paragraph("The weir falls.")
    document.core_properties.created = datetime(2026, 1, 1, tzinfo=UTC)
    document.save(str(made))
    assert dated(parse(word_file("x\r", more=summary(CREATED, SAVED)), "plan.doc")) == "1998-05-06T07:08:09Z"
    assert dated(parse(word_file("x\r"), "plan.doc")) == "", "when it was converted is not its date"
    slides = io.BytesIO()
    deck = pptx.Presentation()
    deck.core_properties.created = datetime(2026, 1, 1, tzinfo=UTC)
    deck.save(slides)
    made.write_bytes(slides.getvalue())
    assert dated(parse(powerpoint_file(summary(CREATED, SAVED)), "plan.ppt")) == "1998-05-06T07:08:09Z"


def test_an_outlook_message_that_was_never_sent_has_no_date_and_is_read(parse: Parse) -> None:
    assert dated(parse(compound_file(outlook_message("Weir", "In May.")), "a.msg")) == "2025-03-03T10:00:00Z"
    for ticks in (0, 2**64 - 1):
        document = parse(compound_file(outlook_message("Weir", "In May.", **outlook_sent(ticks))), "a.msg")
        assert ("In May." in document.text, dated(document)) == (True, "")


def spreadsheet(meta: str) -> bytes:
    body = (
        f'<office:document-content xmlns:office="{OPEN}office:1.0" xmlns:table="{OPEN}table:1.0"'
        f' xmlns:text="{OPEN}text:1.0"><office:body><office:spreadsheet><table:table table:name="Weirs">'
        '<table:table-row><table:table-cell office:value-type="string"><text:p>Alder</text:p></table:table-cell>'
        "</table:table-row></table:table></office:spreadsheet></office:body></office:document-content>"
    )
    manifest = '<manifest:manifest xmlns:manifest="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0"/>'
    parts = {"mimetype": CALCS, "content.xml": body, "meta.xml": meta, "META-INF/manifest.xml": manifest}
    return zipped(parts)


def wide(text: str) -> bytes:
    return struct.pack("<I", len(text)) + text.encode("utf-16-le")


def record(number: int, body: bytes = b"") -> bytes:
    """[MS-XLSB] 2.1.4: by number and length."""
    low = bytes([number & 0x7F | 0x80, number >> 7]) if number > 0x7F else bytes([number])
    return low + bytes([len(body)]) + body


ONE_CELL = record(145) + record(0, bytes(25)) + record(6, bytes(8) + wide("Alder")) + record(146)


def binary_workbook(core: str, cells: bytes = ONE_CELL) -> bytes:
    """One sheet with the records `cells`."""
    bundle = record(156, struct.pack("<II", 0, 1) + wide("rId1") + wide("Weirs"))
    sheet = record(148, bytes(16)) + cells
    relations = (
        '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1"'
        ' Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/worksheet"'
        ' Target="worksheets/sheet1.bin"/></Relationships>'
    )
    return zipped(
        {
            "xl/workbook.bin": record(143) + bundle + record(144) + record(132),
            "xl/_rels/workbook.bin.rels": relations,
            "xl/worksheets/sheet1.bin": sheet,
            "docProps/core.xml": core,
        }
    )


@pytest.mark.parametrize(("make", "told"), [(spreadsheet, META), (binary_workbook, CORE)], ids=["ODS", "XLSB"])
def test_a_workbook_is_of_when_it_was_made(parse: Parse, make: Callable[[str], bytes], told: str) -> None:
    assert dated(parse(make(told))) == "2019-03-04T05:06:07Z"
    for damaged in ("", "no xml", f"<!DOCTYPE a>{told}", told[: len(told) // 2]):
        document = parse(make(damaged))
        assert ("Alder" in document.text, dated(document)) == (True, ""), damaged


def test_a_book_is_of_when_it_was_published_before_when_it_was_changed(parse: Parse) -> None:
    changed = '<meta property="dcterms:modified">2020-02-03T04:05:06Z</meta>'
    for told, expected in (
        (f"<dc:date>1851</dc:date>{changed}", "1851-01-01T00:00:00Z"),
        (changed, "2020-02-03T04:05:06Z"),
        ("", ""),
    ):
        opf = (
            '<package xmlns="http://www.idpf.org/2007/opf" xmlns:dc="http://purl.org/dc/elements/1.1/"><metadata>'
            f'{told}</metadata><manifest><item id="a" href="a.xhtml" media-type="application/xhtml+xml"/></manifest>'
            '<spine><itemref idref="a"/></spine></package>'
        )
        page = "<html><body><p>The weir falls.</p></body></html>"
        book = zipped({"mimetype": "application/epub+zip", "book.opf": opf, "a.xhtml": page})
        assert dated(parse(book)) == expected
