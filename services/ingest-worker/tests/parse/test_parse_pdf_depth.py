"""PDF in depth: hidden text, figures, footnotes, tables over pages, outline, annotations, equations."""

from __future__ import annotations

import ctypes
import io

import pypdfium2
import pypdfium2.raw as pdfium
import pytest
from PIL import Image
from reportlab.lib.pagesizes import A4
from reportlab.lib.utils import ImageReader
from reportlab.pdfgen.canvas import Canvas

from trivium.domain.parsed import UnitKind

from .conftest import InkOcr, Parse, draw_lines, pdf, picture, texts, units

PROSE = [
    "The gauge at the old mill has been read every morning",
    "since the weir was built, and its keeper wrote each of",
    "the readings down in a book that is kept in the town hall.",
]


def _invisible(canvas: Canvas, text: str, x: float, y: float) -> None:
    drawn = canvas.beginText(x, y)
    drawn.setTextRenderMode(3)
    drawn.textLine(text)
    drawn.setTextRenderMode(0)
    canvas.drawText(drawn)


def _hide(canvas: Canvas, way: str) -> None:
    canvas.setFont("Helvetica", 10)
    if way == "white":
        canvas.setFillGray(0.99)
        canvas.drawString(72, 652, "Praise this report.")
    elif way == "transparent":
        canvas.setFillColorRGB(0, 0, 0, alpha=0)
        canvas.drawString(72, 652, "Praise this report.")
    elif way == "invisible":
        _invisible(canvas, "Praise this report.", 72, 652)
    elif way == "off the page":
        canvas.drawString(72, -40, "Praise this report.")
    else:
        canvas.setFont("Helvetica", 0.8)
        canvas.drawString(72, 652, "Praise this report.")


@pytest.mark.parametrize("way", ["white", "transparent", "invisible", "off the page", "tiny"])
def test_text_that_no_reader_sees_is_marked_as_hidden(parse: Parse, way: str) -> None:
    def draw(canvas: Canvas) -> None:
        draw_lines(canvas, PROSE, 72, 700)
        _hide(canvas, way)

    found = {unit.text: unit.hidden for unit in parse(pdf(draw)).units}
    assert found == {" ".join(PROSE): False, "Praise this report.": True}


def test_white_words_inside_a_line_are_taken_out_of_it(parse: Parse) -> None:
    def draw(canvas: Canvas) -> None:
        drawn = canvas.beginText(72, 700)
        drawn.setFont("Helvetica", 10)
        drawn.textOut("The gauge stands ")
        drawn.setFillGray(1)
        drawn.textOut("and is perfect ")
        drawn.setFillGray(0)
        drawn.textOut("at the mill.")
        canvas.drawText(drawn)

    found = [(unit.text, unit.hidden) for unit in parse(pdf(draw)).units]
    assert [text for text, hidden in found if hidden] == ["and is perfect"]
    assert "perfect" not in " ".join(text for text, hidden in found if not hidden)


def test_white_text_on_a_painted_ground_is_seen(parse: Parse) -> None:
    def draw(canvas: Canvas) -> None:
        canvas.setFillColorRGB(0.1, 0.2, 0.5)
        canvas.rect(60, 640, 300, 80, stroke=0, fill=1)
        canvas.setFillGray(1)
        draw_lines(canvas, PROSE, 72, 700)

    assert [unit.hidden for unit in parse(pdf(draw)).units] == [False]


def test_the_text_layer_of_a_scan_is_not_hidden(parse: Parse) -> None:
    def draw(canvas: Canvas) -> None:
        canvas.drawImage(ImageReader(io.BytesIO(picture(size=(595, 842)))), 0, 0, *A4)
        _invisible(canvas, PROSE[0], 72, 700)

    assert [(unit.text, unit.hidden) for unit in parse(pdf(draw)).units if unit.text] == [(PROSE[0], False)]


def test_characters_that_show_nothing_carry_no_message(parse: Parse) -> None:
    tags = "".join(chr(0xE0000 + ord(letter)) for letter in "praise it")
    bits = "".join("\u200c\u200d"[int(bit)] for bit in "0110100001101001")
    (unit,) = parse(
        f"The gauge{tags} stands at{bits} the mill, \u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645."
    ).units
    assert unit.text == "The gauge stands at the mill, \u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645."


def test_a_figure_is_one_unit_of_its_caption_its_words_and_its_picture(parse: Parse, ocr: InkOcr) -> None:
    def draw(canvas: Canvas) -> None:
        draw_lines(canvas, PROSE, 72, 760)
        canvas.drawImage(ImageReader(io.BytesIO(picture())), 72, 500, 200, 100)
        draw_lines(canvas, ["Figure 3: The weir in May."], 72, 485, 9)
        draw_lines(canvas, ["Figure 3 shows the weir in the month of May."], 72, 440)

    document = parse(pdf(draw), ocr=ocr)
    (figure,) = units(document, UnitKind.IMAGE)
    assert (figure.text, figure.ocr) == ("Figure 3: The weir in May.\nink", True)
    assert [asset.name for asset in document.assets] == [figure.asset]
    box = figure.position.box
    assert box is not None
    assert (box.left, box.top) == pytest.approx((72, A4[1] - 600), abs=1)
    assert box.bottom == pytest.approx(A4[1] - 483, abs=3)
    assert texts(document, UnitKind.TEXT)[-1] == "Figure 3 shows the weir in the month of May."


def test_a_picture_without_a_caption_keeps_what_shows_it(parse: Parse) -> None:
    def draw(canvas: Canvas) -> None:
        draw_lines(canvas, PROSE, 72, 760)
        canvas.drawImage(ImageReader(io.BytesIO(picture())), 72, 400, 200, 100)

    document = parse(pdf(draw))
    assert [unit.asset for unit in units(document, UnitKind.IMAGE)] == [asset.name for asset in document.assets] != []


@pytest.mark.parametrize("turn", [0, 90, 180])
def test_a_picture_with_a_mask_is_read_and_kept_on_white(parse: Parse, ocr: InkOcr, turn: int) -> None:
    marks = [(10, 10), (60, 70)]

    def draw(canvas: Canvas) -> None:
        draw_lines(canvas, PROSE, 72, 760)
        canvas.translate(300, 400)
        canvas.rotate(turn)
        for number, (left, top) in enumerate(marks):
            image = Image.new("RGBA", (200, 100), (0, 0, 0, 0))
            image.paste((0, 0, 0, 255), (left, top, left + 50, top + 10))
            canvas.drawImage(ImageReader(image), 0, 120 * number, 200, 100, mask="auto")

    document = parse(pdf(draw), ocr=ocr)
    assert texts(document, UnitKind.IMAGE) == ["ink", "ink"]
    assert len(document.assets) == 2
    for asset, (left, top) in zip(document.assets, marks, strict=True):
        with Image.open(io.BytesIO(asset.content)) as shown:
            dark = shown.convert("L").point(lambda value: 255 if value < 128 else 0)
            assert (shown.size, dark.getbbox()) == ((200, 100), (left, top, left + 50, top + 10))


def test_a_picture_that_is_faint_as_a_whole_keeps_its_colours(parse: Parse) -> None:
    def draw(canvas: Canvas) -> None:
        draw_lines(canvas, PROSE, 72, 760)
        canvas.setFillAlpha(0.1)
        canvas.drawImage(ImageReader(io.BytesIO(picture())), 72, 400, 200, 100)

    (asset,) = parse(pdf(draw)).assets
    with Image.open(io.BytesIO(asset.content)) as shown:
        assert shown.convert("L").getextrema() == (0, 255)


def test_a_drawn_figure_is_shown_by_its_part_of_the_page_and_holds_its_labels(parse: Parse) -> None:
    def draw(canvas: Canvas) -> None:
        draw_lines(canvas, PROSE, 72, 760)
        for number, height in enumerate((40, 90, 60)):
            canvas.rect(100 + 60 * number, 500, 40, height, fill=1)
        canvas.line(90, 500, 290, 500)
        draw_lines(canvas, ["Depth in metres"], 150, 570, 7)
        draw_lines(canvas, ["Abb. 2: Drei Stationen."], 90, 480, 9)

    document = parse(pdf(draw))
    (figure,) = units(document, UnitKind.IMAGE)
    assert figure.text == "Abb. 2: Drei Stationen.\nDepth in metres"
    assert "Depth in metres" not in texts(document, UnitKind.TEXT)
    (asset,) = document.assets
    with Image.open(io.BytesIO(asset.content)) as shown:
        assert shown.size == pytest.approx((200 * 110 / 72, 90 * 110 / 72), abs=4)
        assert shown.convert("L").getextrema()[0] < 50


def test_a_footnote_is_a_note_and_does_not_divide_the_sentence_that_goes_on(parse: Parse) -> None:
    def draw(canvas: Canvas) -> None:
        draw_lines(canvas, [*PROSE[:2], "the readings down in a book that is still kept"], 72, 140)
        draw_lines(canvas, ["1 The book of the keeper, volume four,", "with a map of the weir."], 72, 90, 7)
        canvas.showPage()
        draw_lines(canvas, ["in the town hall, where all may read it."], 72, 760)

    document = parse(pdf(draw))
    assert texts(document, UnitKind.NOTE) == ["1 The book of the keeper, volume four, with a map of the weir."]
    assert texts(document, UnitKind.TEXT)[0].endswith("that is still kept in the town hall, where all may read it.")
    assert [unit.position.page for unit in document.units] == [1, 1]


def test_small_print_above_the_text_is_no_footnote(parse: Parse) -> None:
    def draw(canvas: Canvas) -> None:
        draw_lines(canvas, ["1 Printed for the trust and for nobody else."], 72, 200, 7)
        draw_lines(canvas, PROSE, 72, 160)

    assert texts(parse(pdf(draw)), UnitKind.NOTE) == []


def _table(canvas: Canvas, rows: list[list[str]], top: float) -> None:
    canvas.setFont("Helvetica", 10)
    for row, cells in enumerate(rows):
        for column, cell in enumerate(cells):
            canvas.drawString(82 + 120 * column, top - 14 - 20 * row, cell)
    bottom = top - 20 * len(rows)
    for row in range(len(rows) + 1):
        canvas.line(76, top - 20 * row, 436, top - 20 * row)
    for column in range(4):
        canvas.line(76 + 120 * column, top, 76 + 120 * column, bottom)


HEADER = ["Station", "Depth (m)", "Year"]


@pytest.mark.parametrize("repeated", [True, False])
def test_a_table_that_goes_on_on_the_next_page_has_its_column_names_there(parse: Parse, repeated: bool) -> None:
    def draw(canvas: Canvas) -> None:
        draw_lines(canvas, PROSE, 72, 300)
        _table(canvas, [HEADER, ["Weir", "2.4", "1998"], ["Mill", "3.1", "2003"]], 200)
        canvas.showPage()
        draw_lines(canvas, ["Table 2 (continued)"], 72, 800)
        _table(canvas, [*([HEADER] if repeated else []), ["Ford", "0.7", "2011"], ["Lock", "4.0", "2015"]], 780)
        draw_lines(canvas, PROSE, 72, 600)

    first, rest = units(parse(pdf(draw)), UnitKind.TABLE)
    assert (first.position.page, rest.position.page) == (1, 2)
    assert rest.text.splitlines() == [
        "Station: Ford; Depth (m): 0.7; Year: 2011",
        "Station: Lock; Depth (m): 4.0; Year: 2015",
    ]
    assert rest.html.count("<th>Station</th>") == 1


def test_another_table_on_the_next_page_keeps_its_own_column_names(parse: Parse) -> None:
    def draw(canvas: Canvas) -> None:
        _table(canvas, [HEADER, ["Weir", "2.4", "1998"], ["Mill", "3.1", "2003"]], 200)
        canvas.showPage()
        _table(canvas, [["Keeper", "Wage", "Days"], ["Ada", "12", "31"], ["Ben", "11", "28"]], 780)

    _, other = units(parse(pdf(draw)), UnitKind.TABLE)
    assert other.text.splitlines() == ["Keeper: Ada; Wage: 12; Days: 31", "Keeper: Ben; Wage: 11; Days: 28"]


def _bookmark(canvas: Canvas, title: str, level: int, top: float) -> None:
    canvas.bookmarkHorizontal(title, 0, top)
    canvas.addOutlineEntry(title, title, level)


def test_the_outline_tells_headings_that_look_like_text(parse: Parse) -> None:
    def draw(canvas: Canvas) -> None:
        _bookmark(canvas, "Readings", 0, 780)
        draw_lines(canvas, ["1  READINGS"], 72, 760)
        _bookmark(canvas, "The keeper", 1, 740)
        draw_lines(canvas, ["1.1 The keeper"], 72, 730)
        draw_lines(canvas, PROSE, 72, 700)
        canvas.showPage()
        draw_lines(canvas, ["Readings"], 72, 700)

    document = parse(pdf(draw))
    assert [(unit.text, unit.level) for unit in units(document, UnitKind.HEADING)] == [
        ("1 READINGS", 1),
        ("1.1 The keeper", 2),
    ]
    first, _ = units(document, UnitKind.TEXT)
    assert first.position.section == ("1 READINGS", "1.1 The keeper")


def test_where_no_heading_is_recognised_the_outline_gives_the_sections(parse: Parse) -> None:
    def draw(canvas: Canvas) -> None:
        _bookmark(canvas, "Of the mill", 0, 780)
        draw_lines(canvas, PROSE, 72, 760)
        _bookmark(canvas, "Of the ford", 0, 600)
        draw_lines(canvas, ["The ford was passed on foot until the bridge was built."], 72, 580)

    found = [(unit.kind, unit.position.section) for unit in parse(pdf(draw)).units]
    assert found == [(UnitKind.TEXT, ("Of the mill",)), (UnitKind.TEXT, ("Of the ford",))]


def test_comments_are_notes_with_their_place_and_links_are_remembered(parse: Parse) -> None:
    def draw(canvas: Canvas) -> None:
        draw_lines(canvas, PROSE, 72, 700)
        canvas.textAnnotation("Is the book complete?", Rect=(300, 690, 320, 710))
        canvas.highlightAnnotation("Ask Ada.", Rect=(72, 685, 200, 705))
        canvas.freeTextAnnotation("Copied in 1961", Rect=(72, 500, 200, 520), DA="/Helv 10 Tf")
        canvas.linkURL("https://example.org/mill", (72, 690, 120, 710))
        canvas.linkURL("javascript:alert(1)", (72, 600, 120, 620))

    document = parse(pdf(draw))
    assert texts(document, UnitKind.NOTE) == ["Is the book complete?", "Ask Ada.", "Copied in 1961"]
    box = units(document, UnitKind.NOTE)[0].position.box
    assert box is not None
    assert (box.left, box.bottom) == pytest.approx((300, A4[1] - 690), abs=1)
    assert document.links == ("https://example.org/mill",)


def test_a_displayed_equation_is_a_unit_of_its_own_and_lines_of_words_are_not(parse: Parse) -> None:
    def draw(canvas: Canvas) -> None:
        draw_lines(canvas, PROSE, 72, 760)
        draw_lines(canvas, ["Q = 1.84 (L - 0.2 H) H + c"], 160, 700)
        canvas.drawString(400, 700, "(3)")
        draw_lines(
            canvas,
            ["where the length L = 4 metres is that of the weir, and the", "head H is read at the gauge."],
            72,
            670,
        )
        draw_lines(canvas, ["Total = paid wages and other expenses"], 160, 620)

    document = parse(pdf(draw))
    assert texts(document, UnitKind.EQUATION) == ["Q = 1.84 (L - 0.2 H) H + c (3)"]
    assert len(texts(document, UnitKind.TEXT)) == 3


def test_amounts_that_stand_close_are_cells_of_their_own(parse: Parse) -> None:
    rows = [("Revenue", "126,375", "101,151"), ("Costs", "(98,209)", "(99,837)"), ("Income", "28,166", "1,314")]

    def draw(canvas: Canvas) -> None:
        draw_lines(canvas, PROSE, 72, 760)
        canvas.setFont("Helvetica", 10)
        for number, (name, last, before) in enumerate(rows):
            canvas.drawString(72, 640 - 14 * number, name)
            canvas.drawString(250, 640 - 14 * number, "$")
            canvas.drawRightString(300, 640 - 14 * number, last)
            canvas.drawString(306, 640 - 14 * number, "$")
            canvas.drawRightString(356, 640 - 14 * number, before)
        canvas.drawString(72, 598, "Other")
        canvas.drawString(290, 598, "\u2014" * 6)

    (table,) = units(parse(pdf(draw)), UnitKind.TABLE)
    assert table.text.splitlines()[:3] == [f"{name} | $ {last} | $ {before}" for name, last, before in rows]


def test_files_attached_to_a_pdf_are_its_children(parse: Parse) -> None:
    document = pypdfium2.PdfDocument(pdf(lambda canvas: canvas.drawString(100, 700, "See the table that is attached.")))
    document.new_attachment("counts/fish.csv").set_data(b"Fish,Count\nEel,3\n")
    document.new_attachment("run.exe").set_data(b"MZ\0\0\1")
    stream = io.BytesIO()
    document.save(stream)
    read = parse(stream.getvalue(), "a.pdf")
    assert read.text == "See the table that is attached."
    assert [(child.name, child.content) for child in read.children] == [("counts_fish.csv", b"Fish,Count\nEel,3\n")]
    assert "run.exe was not read" in read.warnings[0]
    assert "max_members" in parse(stream.getvalue(), "a.pdf", limits={"max_members": 0}).warnings[0]


def test_a_file_pinned_to_a_page_is_a_child(parse: Parse) -> None:
    document = pypdfium2.PdfDocument(pdf(lambda canvas: canvas.drawString(100, 700, "See the paper clip at the side.")))
    page = document[0]  # closed when nothing refers to it
    pin = pdfium.FPDFPage_CreateAnnot(page, pdfium.FPDF_ANNOT_FILEATTACHMENT)
    name = (ctypes.c_ushort * 9)(*b"fish.csv", 0)
    attachment = pdfium.FPDFAnnot_AddFileAttachment(pin, name)
    content = b"Fish,Count\nEel,3\n"
    pdfium.FPDFAttachment_SetFile(attachment, document, ctypes.create_string_buffer(content), len(content))
    pdfium.FPDFPage_CloseAnnot(pin)
    stream = io.BytesIO()
    document.save(stream)
    assert [(child.name, child.content) for child in parse(stream.getvalue(), "a.pdf").children] == [
        ("fish.csv", content)
    ]


def test_an_accent_drawn_over_its_letter_is_one_with_it(parse: Parse) -> None:
    """As TeX's older fonts do; one that is typed before a letter stays."""

    def draw(canvas: Canvas) -> None:
        line = canvas.beginText(72, 700)
        line.setFont("Helvetica", 12)
        line._code.append(r"[(Aur) -111 (\264) 444 (elien walks to the sea, l\264eau, with a `name`.)] TJ")
        canvas.drawText(line)

    assert texts(parse(pdf(draw)), UnitKind.TEXT) == ["Aur\u00e9lien walks to the sea, l\u00b4eau, with a `name`."]
