"""PDF: order, headings, tables, running lines, scans and damage."""

from __future__ import annotations

import io
import re
from collections.abc import Sequence

import pytest
from reportlab.lib.pagesizes import A4
from reportlab.lib.pdfencrypt import StandardEncryption
from reportlab.lib.styles import getSampleStyleSheet
from reportlab.lib.utils import ImageReader
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.cidfonts import UnicodeCIDFont
from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import BaseDocTemplate, Frame, PageTemplate, Paragraph, Table

from trivium.domain.errors import NeverWill
from trivium.domain.parsed import ParsedDocument, UnitKind

from .conftest import InkOcr, Parse, draw_lines, pdf, picture, texts, units

LEFT = [
    "The left column begins with this line",
    "and it goes on with a second line here",
    "until the third line of the column",
    "and then a fourth one ends it at last.",
]
RIGHT = [
    "The right column comes after the left",
    "whatever the height at which it begins",
    "since readers finish one column first",
    "before they turn to the next of them.",
]


def test_a_paragraph_knows_its_page_and_its_box(parse: Parse) -> None:
    def draw(canvas: Canvas) -> None:
        canvas.showPage()
        draw_lines(canvas, ["The gauge stands at the old mill,", "which closed in 1961."], 72, 700)

    (unit,) = parse(pdf(draw)).units
    assert unit.text == "The gauge stands at the old mill, which closed in 1961."
    assert unit.position.page == 2
    box = unit.position.box
    assert box is not None
    assert 70 < box.left < 74
    assert A4[1] - 715 < box.top < A4[1] - 700 < box.bottom < A4[1] - 680


def test_columns_are_read_one_after_the_other_even_when_drawn_line_by_line(parse: Parse) -> None:
    def draw(canvas: Canvas) -> None:
        canvas.setFont("Helvetica", 10)
        for number, (left, right) in enumerate(zip(LEFT, RIGHT, strict=True)):
            canvas.drawString(60, 700 - 12 * number, left)
            canvas.drawString(320, 700 - 12 * number, right)

    assert " ".join(texts(parse(pdf(draw)), UnitKind.TEXT)) == " ".join(LEFT + RIGHT)


def _ragged(canvas: Canvas, mark: str, left: float, top: float, width: float, lines: int) -> str:
    """Lines of different lengths, every word with the mark; answers all of them."""
    written = []
    for number in range(lines):
        line = mark
        while canvas.stringWidth(f"{line} {mark}{'weir'[: 1 + (number + len(line)) % 4]}") < width - number % 5:
            line += f" {mark}{'weir'[: 1 + (number + len(line)) % 4]}"
        canvas.drawString(left, top - 14 * number, line)
        written.append(line)
    return " ".join(written)


@pytest.mark.parametrize("columns", [((50, 380),), ((40, 180), (240, 180))])
@pytest.mark.parametrize("left", [455, 20])
@pytest.mark.parametrize("lines", [3, 9])
@pytest.mark.parametrize("drawn", ["frame", "ground", "rules"])
def test_a_box_at_the_side_is_read_by_itself(
    parse: Parse, columns: tuple[tuple[int, int], ...], left: int, lines: int, drawn: str
) -> None:
    said: dict[str, str] = {}

    def draw(canvas: Canvas) -> None:
        canvas.setFont("Helvetica", 10)
        shift = 100 if left == 20 else 0
        for mark, (start, width) in zip("ab", columns, strict=False):
            said[mark] = _ragged(canvas, mark, start + shift, 780, width, 45)
        bottom, height = 706 - 14 * lines, 14 * lines + 14
        if drawn == "rules":
            canvas.grid([left - 6, left + 96], [bottom, bottom + height])
        else:
            canvas.setFillGray(0.9)
            canvas.rect(left - 6, bottom, 102, height, fill=int(drawn == "ground"), stroke=int(drawn == "frame"))
            canvas.setFillGray(0)
        said["z"] = _ragged(canvas, "z", left, 700, 90, lines)

    read = parse(pdf(draw)).text.replace("\n", " ")
    for words in said.values():
        assert words in read


@pytest.mark.parametrize("width", [80, 180])
@pytest.mark.parametrize("at_left", [True, False])
@pytest.mark.parametrize("columns", [((60, 460),), ((40, 250), (310, 250))])
def test_text_that_makes_room_for_a_box_without_a_frame_is_not_mixed_with_it(
    parse: Parse, columns: tuple[tuple[int, int], ...], at_left: bool, width: int
) -> None:
    said: dict[str, str] = {}
    width = min(width, columns[0][1] // 3)

    def draw(canvas: Canvas) -> None:
        canvas.setFont("Helvetica", 10)
        for mark, (start, whole) in zip("ab", columns, strict=False):
            said[f"{mark} above"] = _ragged(canvas, mark, start, 780, whole, 12)
            shift = width + 20 if at_left and mark == "a" else 0
            narrow = whole - width - 20 if mark == "a" else whole
            said[f"{mark} beside"] = _ragged(canvas, mark, start + shift, 780 - 14 * 12, narrow, 9)
            said[f"{mark} below"] = _ragged(canvas, mark, start, 780 - 14 * 21, whole, 12)
        start, whole = columns[0]
        canvas.setFont("Helvetica", 8)
        left = start if at_left else start + whole - width
        said["z"] = _ragged(canvas, "z", left, 780 - 14 * 12, width, 8)

    read = parse(pdf(draw)).text.replace("\n", " ")
    for words in said.values():
        assert words in read


def test_pairs_of_phrases_below_a_paragraph_stay_rows(parse: Parse) -> None:
    left = ["Chief engineer", "Keeper of the lower weir", "Surveyor", "Clerk of the mill accounts"]
    right = ["Ada Morgenrot of Steinach", "Bela Tal", "Cyril Anderlecht junior", "Dora Vogelsang"]

    def draw(canvas: Canvas) -> None:
        _ragged(canvas, "a", 60, 780, 460, 5)
        for row, (office, person) in enumerate(zip(left, right, strict=True)):
            canvas.drawString(60, 700 - 14 * row, office)
            canvas.drawString(320, 700 - 14 * row, person)

    read = " ".join(parse(pdf(draw)).text.replace("|", " ").split())
    for office, person in zip(left, right, strict=True):
        assert f"{office} {person}" in read


def test_words_written_upwards_do_not_take_those_of_the_text_below_along(parse: Parse) -> None:
    def draw(canvas: Canvas) -> None:
        canvas.setFont("Helvetica", 10)
        canvas.saveState()
        canvas.translate(110, 560)
        canvas.rotate(90)
        canvas.drawString(0, 0, "MaxConf of it")
        canvas.restoreState()
        draw_lines(canvas, ["As it is in the book, so it is in the deed,", "and so it is read at the mill."], 72, 500)

    found = texts(parse(pdf(draw)), UnitKind.TEXT)
    assert found == ["As it is in the book, so it is in the deed, and so it is read at the mill.", "MaxConf of it"]


def test_large_lines_are_headings_and_the_largest_is_the_title(parse: Parse) -> None:
    def draw(canvas: Canvas) -> None:
        canvas.setTitle("Microsoft Word - draft.docx")
        draw_lines(canvas, ["The Aldersee Report"], 72, 760, 24)
        draw_lines(canvas, ["Water quality"], 72, 720, 14)
        draw_lines(canvas, LEFT * 3, 72, 690)

    document = parse(pdf(draw))
    assert document.title == "The Aldersee Report"
    assert [unit.level for unit in units(document, UnitKind.HEADING)] == [1, 2]
    assert document.units[-1].position.section == ("The Aldersee Report", "Water quality")


def test_a_word_divided_at_a_line_end_is_put_together(parse: Parse) -> None:
    def draw(canvas: Canvas) -> None:
        draw_lines(canvas, ["The bridge carries pedes-", "trians and no cars."], 72, 700)

    assert texts(parse(pdf(draw)), UnitKind.TEXT) == ["The bridge carries pedestrians and no cars."]


@pytest.mark.parametrize("ruled", [True, False])
def test_a_table_is_found_with_and_without_lines(parse: Parse, ruled: bool) -> None:
    rows = [["Station", "Depth (m)", "Year"], ["Weir", "2.4", "1998"], ["Mill", "3.1", "2003"], ["Ford", "0.7", "2011"]]

    def draw(canvas: Canvas) -> None:
        draw_lines(canvas, ["Depths were taken at three stations in the reach."], 72, 760)
        canvas.setFont("Helvetica", 10)
        for row, cells in enumerate(rows):
            for column, cell in enumerate(cells):
                canvas.drawString(82 + 120 * column, 700 - 20 * row, cell)
        if ruled:
            for row in range(5):
                canvas.line(76, 714 - 20 * row, 436, 714 - 20 * row)
            for column in range(4):
                canvas.line(76 + 120 * column, 714, 76 + 120 * column, 634)

    (table,) = units(parse(pdf(draw)), UnitKind.TABLE)
    assert "Station: Mill; Depth (m): 3.1; Year: 2003" in table.text
    assert "<th>Depth (m)</th>" in table.html
    assert "<td>3.1</td>" in table.html


def test_running_headers_footers_and_page_numbers_are_left_out_of_three_hundred_pages(parse: Parse) -> None:
    def draw(canvas: Canvas) -> None:
        for page in range(1, 301):
            draw_lines(canvas, ["Aldersee Trust - Annual Report"], 72, 810)
            draw_lines(canvas, [f"Reading number {page} was taken at dawn."], 72, 600)
            draw_lines(canvas, [f"Page {page} of 300"], 280, 30)
            canvas.showPage()

    document = parse(pdf(draw))
    assert document.pages == 300
    assert len(document.units) == 300
    assert document.units[255].text == "Reading number 256 was taken at dawn."
    assert document.units[255].position.page == 256
    assert "Annual Report" not in document.text
    assert "Annual Report" in document.metadata["running_text"]


def _pages(parse: Parse, edges: Sequence[Sequence[str]], bottom: bool = False) -> ParsedDocument:
    """Pages of one sentence each, and of what stands at their edge, in pieces apart from each other."""

    def draw(canvas: Canvas) -> None:
        for edge in edges:
            for place, text in enumerate(edge):
                draw_lines(canvas, text.split("\n"), 72 + 300 * place, 30 if bottom else 790)
            draw_lines(canvas, ["The keeper of the weir wrote down what came past in the night."], 72, 600)
            canvas.showPage()

    return parse(pdf(draw))


@pytest.mark.parametrize("bottom", [False, True])
@pytest.mark.parametrize(
    "lines",
    [
        ["Invoice No. 2024-0117", "Invoice No. 2024-0203", "Invoice No. 2023-0911"],
        ["Total to pay: 345 EUR", "Total to pay: 78 EUR", "Total to pay: 1290 EUR"],
        ["Invoice No. 1001", "Invoice No. 1002", "Invoice No. 1003"],
        ["Invoice 2024-1", "Invoice 2024-2", "Invoice 2024-3"],
        ["To pay by 11 June", "To pay by 12 June", "To pay by 13 June"],
        ["1 May 2024", "2 May 2024", "3 May 2024"],
        ["Question 1", "Question 2", "Question 3", "Question 4"],
        ["Question 1 of 4", "Question 2 of 4", "Question 3 of 4", "Question 4 of 4"],
        ["$1", "$2", "$3"],
        ["$450"],
        ["12 %"],
        ["1871"],
        ["3", "17", "12"],
        ["p. 359."],
        ["ill"],
    ],
)
def test_lines_at_the_edge_whose_numbers_are_not_the_pages_are_text(
    parse: Parse, lines: list[str], bottom: bool
) -> None:
    document = _pages(parse, [[line] for line in lines], bottom)
    assert [unit.text for unit in document.units if not unit.text.startswith("The keeper")] == lines
    assert "running_text" not in document.metadata


def test_a_number_beside_its_name_is_text(parse: Parse) -> None:
    document = _pages(parse, [["Invoice No.:", str(number)] for number in (1, 2, 3)])
    assert "Invoice No.: 2" in document.text


@pytest.mark.parametrize(
    ("edge", "first"),
    [
        ("{}", 1),
        ("- {} -", 1),
        ("{}", 417),
        ("{} of 6", 1),
        ("Page {} of 6", 1),
        ("Seite {}", 3),
        ("F-{}", 11),
        ("Aldersee Trust, page {}", 2),
        ("Aldersee Trust | {}", 1),
        ("{} \u00b7 Aldersee Trust", 1),
        ("Readings of 1998, p. {} / 20", 9),
    ],
)
def test_page_numbers_are_left_out_wherever_they_begin(parse: Parse, edge: str, first: int) -> None:
    document = _pages(parse, [[edge.format(first + place)] for place in range(6)], bottom=True)
    assert len(document.units) == 6
    assert edge.format(first) in document.metadata["running_text"]


def _report(parse: Parse, cover: str, name: str, size: float = 9, title: str = "") -> ParsedDocument:
    """Pages behind a cover, numbered by `name` with a blank before the number."""

    def draw(canvas: Canvas) -> None:
        canvas.setTitle(title)
        draw_lines(canvas, [cover], 72, 500, 24)
        canvas.showPage()
        for number in range(1, 6):
            draw_lines(canvas, [f"{name} {number}"], 72, 30, size)
            draw_lines(canvas, [f"The keeper of the weir wrote down what came past in night {number}."], 72, 600)
            canvas.showPage()

    return parse(pdf(draw))


def test_page_numbers_behind_the_documents_own_name_are_left_out(parse: Parse) -> None:
    assert "Annual Report 3" not in _report(parse, "Annual Report 2023", "Annual Report").text
    assert "Annual Report 2023 3" not in _report(parse, "Annual Report 2023", "Annual Report 2023").text
    assert "Annual Report 3" not in _report(parse, "", "Annual Report", title="Annual Report").text


@pytest.mark.parametrize(
    ("cover", "name", "size"),
    [
        ("Chapter", "Chapter", 9),
        ("Annual Report", "Site Visit", 9),
        ("Site Visit", "Site Visit", 14),
        ("Tax Invoice No.", "Tax Invoice No.", 9),
    ],
)
def test_headings_that_are_counted_page_by_page_are_text(parse: Parse, cover: str, name: str, size: float) -> None:
    document = _report(parse, cover, name, size)
    assert all(f"{name} {number}" in document.text for number in range(1, 6))


def test_page_numbers_are_left_out_in_chinese(parse: Parse) -> None:
    pdfmetrics.registerFont(UnicodeCIDFont("STSong-Light"))

    def draw(canvas: Canvas) -> None:
        for page in (1, 2, 3):
            canvas.setFont("STSong-Light", 10)
            canvas.drawString(72, 790, f"\u5e74\u5ea6\u62a5\u544a \u7b2c{page}\u9875\u51713\u9875")
            canvas.drawString(200, 30, f"\u7b2c {page} \u9875 \u5171 3 \u9875")
            canvas.drawString(72, 500, "\u6cb3\u6d41\u7684\u6c34\u4f4d\u3002")
            canvas.showPage()

    assert {unit.text for unit in parse(pdf(draw)).units} == {"\u6cb3\u6d41\u7684\u6c34\u4f4d\u3002"}


def test_running_lines_with_their_number_apart_are_left_out(parse: Parse) -> None:
    document = _pages(parse, [["Aldersee Trust 2024", str(number)] for number in (1, 2, 3, 4)])
    assert document.text.count("Aldersee") == 0
    below = _pages(
        parse, [["Aldersee Trust 2024\nReadings of the weir"], *[[f"Aldersee Trust\n{n}"] for n in (2, 3, 4)]]
    )
    assert below.text.count("Aldersee") == 1
    roman = _pages(parse, [["Foreword", number] for number in ("i", "ii", "iii", "iv")])
    assert roman.text.count("Foreword") == 0


def test_the_running_lines_of_left_and_right_pages_are_left_out(parse: Parse) -> None:
    edges = [[f"{n} Aldersee Trust"] if n % 2 == 0 else [f"Weirs {n}"] for n in range(4, 14)]
    document = _pages(parse, edges)
    assert len(document.units) == 10


def test_pages_of_several_letters_are_each_numbered_from_one(parse: Parse) -> None:
    document = _pages(parse, [[f"Page {page} of 2"] for _ in range(2) for page in (1, 2)])
    assert len(document.units) == 4


@pytest.mark.parametrize("turn", [90, -90])
def test_only_the_running_lines_and_footnotes_of_text_that_lies_on_its_side_are_told_from_it(
    parse: Parse, turn: int
) -> None:
    across, down = A4[1], A4[0]  # as it is read

    def draw(canvas: Canvas) -> None:
        for page in (1, 2, 3):
            canvas.translate(*((down, 0) if turn == 90 else (0, across)))
            canvas.rotate(turn)
            draw_lines(canvas, ["Aldersee Trust, yearly report"], 60, down - 30, 9)
            draw_lines(canvas, [f"{line} ({page})" for line in LEFT], 60, down - 150)
            draw_lines(canvas, ["The gate must be replaced."], 60, 300)
            draw_lines(canvas, [f"1 The book of the keeper, volume {page} of three."], 60, 60, 7)
            canvas.showPage()

    document = parse(pdf(draw))
    assert [unit.text for unit in document.units].count("The gate must be replaced.") == 3
    assert document.metadata["running_text"] == "Aldersee Trust, yearly report"
    assert len(texts(document, UnitKind.NOTE)) == 3
    box = units(document, UnitKind.NOTE)[0].position.box
    assert box is not None  # on the page as shown
    assert (box.right - box.left, box.bottom - box.top) == (pytest.approx(9, abs=3), pytest.approx(145, abs=20))
    assert (box.left, box.bottom) == (
        (pytest.approx(down - 65, abs=6), pytest.approx(across - 60, abs=2))
        if turn == 90
        else (pytest.approx(58, abs=6), pytest.approx(205, abs=20))
    )


def test_a_page_without_text_is_recognised_and_its_boxes_are_in_points(parse: Parse, ocr: InkOcr) -> None:
    def draw(canvas: Canvas) -> None:
        canvas.drawImage(ImageReader(io.BytesIO(picture(size=(595, 842)))), 0, 0, *A4)

    (unit,) = parse(pdf(draw), ocr=ocr).units
    assert (unit.text, unit.ocr, unit.position.page) == ("ink", True, 1)
    box = unit.position.box
    assert box is not None
    assert box.left == pytest.approx(10, abs=1.5)
    assert box.bottom == pytest.approx(21, abs=1.5)


def test_a_page_with_text_is_not_recognised_but_its_pictures_are(parse: Parse, ocr: InkOcr) -> None:
    def draw(canvas: Canvas) -> None:
        draw_lines(canvas, LEFT, 72, 700)
        for y in (200, 400):
            canvas.drawImage(ImageReader(io.BytesIO(picture())), 72, y, 200, 100)

    document = parse(pdf(draw), ocr=ocr)
    assert [unit.kind for unit in document.units] == [UnitKind.TEXT, UnitKind.IMAGE]
    assert ocr.shapes == [(100, 200, 3)]  # the same picture twice is read once


def test_a_scan_without_an_engine_gives_a_warning_and_no_text(parse: Parse) -> None:
    def draw(canvas: Canvas) -> None:
        canvas.drawImage(ImageReader(io.BytesIO(picture())), 0, 0, *A4)

    document = parse(pdf(draw))
    assert document.units == ()
    assert "Page 1" in document.warnings[0]


def test_a_filled_form_field_is_read(parse: Parse) -> None:
    def draw(canvas: Canvas) -> None:
        draw_lines(canvas, ["Registration of a volunteer"], 72, 760)
        canvas.acroForm.textfield(name="Surname", value="Okonkwo", x=72, y=700, width=200, height=20)

    assert "Surname: Okonkwo" in parse(pdf(draw)).text


def test_an_encrypted_pdf_asks_for_its_password(parse: Parse) -> None:
    content = pdf(lambda canvas: draw_lines(canvas, LEFT, 72, 700), encrypt=StandardEncryption("secret"))
    with pytest.raises(NeverWill) as failure:
        parse(content)
    assert failure.value.code == "password_needed"
    assert "password" in failure.value.action


def test_a_truncated_pdf_is_called_corrupt(parse: Parse) -> None:
    content = pdf(lambda canvas: draw_lines(canvas, LEFT, 72, 700))
    with pytest.raises(NeverWill) as failure:
        parse(content[:400])
    assert failure.value.code == "corrupt_file"


def test_a_pdf_cut_before_its_end_gives_what_is_left_with_a_warning(parse: Parse) -> None:
    content = pdf(lambda canvas: draw_lines(canvas, LEFT, 72, 700))
    document = parse(content[: content.rindex(b"xref\n0")])
    assert document.text == " ".join(LEFT)
    assert "cut off" in document.warnings[0]


def test_too_many_pages_name_the_limit(parse: Parse) -> None:
    def draw(canvas: Canvas) -> None:
        for _ in range(4):
            canvas.showPage()

    with pytest.raises(NeverWill, match="max_pages") as failure:
        parse(pdf(draw), limits={"max_pages": 3})
    assert failure.value.code == "limit_exceeded"


def test_the_header_may_stand_later_in_the_first_kilobyte(parse: Parse) -> None:
    content = b"HTTP/1.1 200 OK\r\n\r\n" + pdf(lambda canvas: draw_lines(canvas, LEFT, 72, 700))
    assert parse(content, "notes.txt").media_type == "application/pdf"


def test_a_cell_drawn_over_several_rows_is_said_in_each(parse: Parse) -> None:
    rows = [
        ["Region", "City", "Sales"],
        ["North", "Kiel", "12"],
        ["", "Bremen", "14"],
        ["South", "Ulm", "9"],
        ["", "Passau", "8"],
    ]
    style = [("GRID", (0, 0), (-1, -1), 1, "black"), ("VALIGN", (0, 0), (-1, -1), "MIDDLE")]
    table = Table(rows, style=[*style, ("SPAN", (0, 1), (0, 2)), ("SPAN", (0, 3), (0, 4))])

    def draw(canvas: Canvas) -> None:
        table.wrapOn(canvas, 400, 400)
        table.drawOn(canvas, 100, 500)

    assert texts(parse(pdf(draw)), UnitKind.TABLE) == [
        "Region: North; City: Kiel; Sales: 12\nRegion: North; City: Bremen; Sales: 14\n"
        "Region: South; City: Ulm; Sales: 9\nRegion: South; City: Passau; Sales: 8"
    ]


@pytest.mark.parametrize("columns", [2, 3, 4])
def test_ragged_columns_of_equal_lines_are_read_one_after_the_other(parse: Parse, columns: int) -> None:
    words = ["harbour", "otter", "weir", "morning", "market", "fishermen", "bring", "the", "children's", "boats"]
    said = [" ".join(words[(3 * n + n // 7 + part) % 10] for n in range(60 + 7 * part)) for part in range(12)]
    stories = [Paragraph(f"S{part} {text} E{part}.", getSampleStyleSheet()["Normal"]) for part, text in enumerate(said)]
    width = 490 / columns
    frames = [Frame(50 + n * width, 60, width - 9, 190 * 4 / columns, 0, 0, 0, 0) for n in range(columns)]
    stream = io.BytesIO()
    BaseDocTemplate(stream, pageTemplates=[PageTemplate(frames=frames)]).build(stories)
    marks = re.findall(r"\b[SE]\d+", parse(stream.getvalue()).text)
    assert marks == [f"{mark}{part}" for part in range(12) for mark in "SE"]


def test_a_narrow_word_that_is_higher_than_wide_stays_in_its_line(parse: Parse) -> None:
    def draw(canvas: Canvas) -> None:
        draw_lines(canvas, ["Please fill in the form and hand it in at the office of the harbour."], 72, 760)

    assert parse(pdf(draw)).text == "Please fill in the form and hand it in at the office of the harbour."


def test_ticked_boxes_and_the_button_that_is_chosen_are_read(parse: Parse) -> None:
    def draw(canvas: Canvas) -> None:
        draw_lines(canvas, ["Registration of a volunteer"], 72, 760)
        for place, ticked in enumerate((True, False)):
            canvas.acroForm.checkbox(name=f"Swims {place}", checked=ticked, x=72, y=700 - 30 * place)
        for place, town in enumerate(("Alder", "Ford")):
            canvas.acroForm.radio(name="Town", value=town, selected=town == "Ford", x=72, y=600 - 30 * place)

    assert texts(parse(pdf(draw)), UnitKind.TEXT)[1:] == ["Swims 0: yes", "Town: Ford"]


@pytest.mark.parametrize(
    ("rows", "style", "text"),
    [
        (
            [["Name", "Ada Brandt", "", ""], ["Phone", "0401", "Mail", "a@b.c"], ["Town", "Alder", "Zip", "12"]],
            [("GRID", (0, 0), (-1, -1), 1, "black"), ("SPAN", (1, 0), (3, 0))],
            "Name | Ada Brandt\nPhone | 0401 | Mail | a@b.c\nTown | Alder | Zip | 12",
        ),
        (
            [["Item", "Qty", "Price"], ["Rope", "2", "6"], ["Due in May", "Net", "6"], ["", "VAT", "2"]],
            [("GRID", (0, 0), (-1, 1), 1, "black"), ("GRID", (1, 2), (2, 3), 1, "black")],
            "Item: Rope; Qty: 2; Price: 6\nItem: Due in May; Qty: Net; Price: 6\nQty: VAT; Price: 2",
        ),
    ],
    ids=["a form", "beside totals"],
)
def test_a_long_value_and_what_stands_in_no_drawn_cell_are_said_once(
    parse: Parse, rows: list[list[str]], style: list[tuple[object, ...]], text: str
) -> None:
    table = Table(rows, style=style)

    def draw(canvas: Canvas) -> None:
        table.wrapOn(canvas, 400, 400)
        table.drawOn(canvas, 100, 500)

    assert parse(pdf(draw)).text == text


def test_a_groups_name_drawn_over_its_columns_is_said_of_each(parse: Parse) -> None:
    rows = [["Year", "2023", "", "2024", ""], ["", "Q1", "Q2", "Q1", "Q2"], ["Sales", "1", "2", "3", "4"]]
    spans = [("SPAN", (0, 0), (0, 1)), ("SPAN", (1, 0), (2, 0)), ("SPAN", (3, 0), (4, 0))]
    table = Table(rows, style=[("GRID", (0, 0), (-1, -1), 1, "black"), ("ALIGN", (0, 0), (-1, -1), "CENTER"), *spans])

    def draw(canvas: Canvas) -> None:
        table.wrapOn(canvas, 400, 400)
        table.drawOn(canvas, 100, 500)

    assert parse(pdf(draw)).text == "Year: Sales; 2023 Q1: 1; 2023 Q2: 2; 2024 Q1: 3; 2024 Q2: 4"
