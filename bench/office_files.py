"""Office files, pages and PDFs of the benchmark's own, shaped like people's files, of words by `speed.Writer`."""

from __future__ import annotations

import copy
import csv
import datetime
import html
import io
from collections.abc import Callable

import docx
import openpyxl
import pptx
from reportlab.lib.pagesizes import A4
from reportlab.lib.styles import getSampleStyleSheet
from reportlab.lib.units import cm
from reportlab.platypus import BaseDocTemplate, Frame, PageTemplate, Paragraph, Table
from speed import Writer

COLUMNS = ("Date", "Customer", "Region", "Product", "Units", "Price", "Total", "Paid", "Note")


def made() -> dict[str, bytes]:
    """By name: two sizes of each, like a memo and like a handbook."""
    kinds: dict[str, tuple[Callable[[int], bytes], tuple[int, int]]] = {
        "docx": (document, (10, 300)),
        "pptx": (deck, (10, 120)),
        "xlsx": (workbook, (500, 30_000)),
        "html": (page, (20, 2_000)),
    }
    return {f"{size}.{kind}": make(size) for kind, (make, sizes) in kinds.items() for size in sizes}


def document(sections: int) -> bytes:
    """Word: headings, formatted paragraphs, lists, a table in every third section, a footer."""
    writer, file = Writer(1), docx.Document()
    file.sections[0].footer.paragraphs[0].text = "Handbook of the harbour"
    for number in range(min(sections, 10)):
        file.add_heading(f"{number + 1} {writer.sentence()[:50]}", 1 + number % 3)
        for _ in range(5):
            paragraph = file.add_paragraph()
            for bold in (False, True, False):
                paragraph.add_run(f"{writer.text(180)} ").bold = bold
        for _ in range(4):
            file.add_paragraph(writer.sentence(), style="List Bullet")
        if number % 3 == 0:
            table = file.add_table(8, 5)
            for row in table.rows:
                for cell in row.cells:
                    cell.text = writer.sentence()[:24]
    body = file.element.body
    blocks = list(body)[:-1]
    for _ in range(sections // 10 - 1):
        for block in blocks:
            body.insert(len(body) - 1, copy.deepcopy(block))
    return _saved(file.save)


def deck(slides: int) -> bytes:
    """PowerPoint: a title, bullets, every third slide a table, speaker notes."""
    writer, file = Writer(2), pptx.Presentation()
    for number in range(slides):
        slide = file.slides.add_slide(file.slide_layouts[1])
        slide.shapes.title.text = writer.sentence()[:60]
        slide.placeholders[1].text = "\n".join(writer.sentence() for _ in range(6))
        slide.notes_slide.notes_text_frame.text = writer.text(400)
        if number % 3 == 0:
            shape = slide.shapes.add_table(6, 4, 0, 0, 6_000_000, 2_000_000)
            for row in shape.table.rows:
                for cell in row.cells:
                    cell.text = writer.sentence()[:20]
    return _saved(file.save)


def _rows(count: int) -> list[tuple[object, ...]]:
    writer = Writer(3)
    rng, names = writer.rng, writer.names[:300]
    day = datetime.date(2024, 1, 1)
    found: list[tuple[object, ...]] = []
    for number in range(count):
        units, price = rng.randint(1, 90), round(rng.random() * 400, 2)
        note = writer.sentence()[:60] if number % 4 == 0 else ""
        when = day + datetime.timedelta(days=number % 700)
        found.append((when, names[number % 300], "NESW"[number % 4], names[number % 40], units, price))
        found[-1] += (round(units * price, 2), number % 3 == 0, note)
    return found


def workbook(rows: int) -> bytes:
    """Excel: two sheets of dates, names, numbers and notes, with dates formatted as such."""
    book = openpyxl.Workbook(write_only=True)
    for name in ("Orders", "Returns"):
        sheet = book.create_sheet(name)
        sheet.append(COLUMNS)
        for row in _rows(rows // 2):
            sheet.append(row)
    return _saved(book.save)


def page(sections: int) -> bytes:
    """HTML: navigation, headings, paragraphs with links, lists, a table in every fifth section, scripts and styles."""
    writer = Writer(4)
    parts = ["<!doctype html><html><head><title>Harbour</title><style>p{margin:0}</style></head><body>"]
    parts.append("<nav><ul>" + "".join(f"<li><a href='/{n}'>{n}</a></li>" for n in range(30)) + "</ul></nav><main>")
    for number in range(sections):
        parts.append(f"<h2 id='s{number}'>{html.escape(writer.sentence()[:50])}</h2>")
        parts += [f"<p class='text'>{writer.text(500)} <a href='/p'>{writer.sentence()}</a></p>" for _ in range(2)]
        parts.append("<ul>" + "".join(f"<li><b>{writer.sentence()}</b></li>" for _ in range(4)) + "</ul>")
        if number % 5 == 0:
            rows = "".join(f"<tr><td>{writer.names[n]}</td><td>{n}</td><td>{n * 3.5}</td></tr>" for n in range(12))
            parts.append(f"<table><tr><th>Name</th><th>Count</th><th>Sum</th></tr>{rows}</table>")
    return "".join([*parts, "</main><script>let a=1;</script></body></html>"]).encode()


def rows_of_text(count: int) -> bytes:
    """CSV with a header."""
    stream = io.StringIO()
    lines = csv.writer(stream)
    lines.writerow(COLUMNS)
    lines.writerows(_rows(count))
    return stream.getvalue().encode()


def report(pages: int) -> bytes:
    """PDF: two columns of prose with headings, and a ruled table on every second page."""
    writer, stream, styles = Writer(5), io.BytesIO(), getSampleStyleSheet()
    frames = [Frame(x, 2 * cm, 8.2 * cm, 25 * cm) for x in (1.8 * cm, 10.8 * cm)]
    template = BaseDocTemplate(stream, pagesize=A4, invariant=1)
    template.addPageTemplates(PageTemplate(frames=frames))
    story: list[object] = []
    for number in range(pages):
        story.append(Paragraph(writer.sentence()[:60], styles["Heading2"]))
        story += [Paragraph(writer.text(750), styles["BodyText"]) for _ in range(6)]
        if number % 2:
            cells = [["Name", "2024", "2025"], *([writer.sentence()[:18], str(n * 7), str(n * 9)] for n in range(8))]
            story.append(Table(cells, style=[("GRID", (0, 0), (-1, -1), 0.5, "black")]))
    template.build(story)
    return stream.getvalue()


def _saved(save: Callable[[io.BytesIO], object]) -> bytes:
    stream = io.BytesIO()
    save(stream)
    return stream.getvalue()
