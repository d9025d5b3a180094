"""Makes the example files: one small world (the Tamsin River Programme), at least one file of each format.

`files/` is what the tour reads, `formats/` holds the formats that are not among those. DOC and PPT are in neither:
only their own programs write them. Run `python examples/make_examples.py`; the same script gives the same bytes, and
with --check it fails when the committed files are others. Everything in them is invented.
"""

from __future__ import annotations

import gzip
import io
import re
import sys
import zipfile
from pathlib import Path

import av
import docx
import numpy as np
import openpyxl
import pptx
from openpyxl.styles import Font
from PIL import Image, ImageDraw, ImageFont
from reportlab.lib import colors
from reportlab.lib.pagesizes import A4
from reportlab.lib.styles import getSampleStyleSheet
from reportlab.lib.units import cm
from reportlab.lib.utils import ImageReader
from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import Paragraph, SimpleDocTemplate, Spacer, Table, TableStyle

sys.path.append(str(Path(__file__).parents[1] / "tests" / "peers"))  # what no library writes is made there
from containers import containers
from formats import formats

HERE = Path(__file__).parent
DATE = "2024-03-01T09:00:00Z"


def main() -> None:
    """Write or check."""
    made = {f"files/{name}": content for name, content in files().items()}
    made |= {f"formats/{name}": content for name, content in formats().items()}
    if "--check" in sys.argv[1:]:
        there = {str(path.relative_to(HERE)) for folder in ("files", "formats") for path in (HERE / folder).iterdir()}
        stale = [name for name in there & made.keys() if told((HERE / name).read_bytes()) != told(made[name])]
        if wrong := sorted([*(there ^ made.keys()), *stale]):
            sys.exit(f"{', '.join(wrong)}: not as examples/make_examples.py makes them. Run it, and commit.")
        return
    for name, content in made.items():
        (HERE / name).parent.mkdir(exist_ok=True)
        (HERE / name).write_bytes(content)
        print(f"{name}: {len(content):,} bytes")


def told(content: bytes) -> object:
    """What a file says, however well the machine's zlib has packed it."""
    if content.startswith(b"PK"):
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            return {name: told(archive.read(name)) for name in archive.namelist()}
    return gzip.decompress(content) if content.startswith(b"\x1f\x8b") else content


def files() -> dict[str, bytes]:
    """By name."""
    return {
        "annual-report-2023.pdf": annual_report(),
        "inspection-letter-scan.pdf": inspection_letter(),
        "weir-removal-plan.docx": removal_plan(),
        "steering-group-march.pptx": steering_group(),
        "gauges-and-costs.xlsx": gauges(),
        "fish-counts.csv": FISH_COUNTS.encode(),
        "people.html": PEOPLE.encode(),
        "field-guide.md": FIELD_GUIDE.encode(),
        "mill-history.txt": MILL_HISTORY.encode("cp1252"),
        "gauge-plate.png": saved(sign(GAUGE_PLATE, (900, 420)), "PNG", optimize=True),
        "notice-board.jpg": saved(sign(NOTICE, (1000, 640)), "JPEG", quality=70),
        "survey-sheets.tif": survey_sheets(),
        "open-day-talk.srt": OPEN_DAY.encode(),
        "open-day-slides.mp4": open_day_slides(),
        "otter-whistle.mp3": otter_whistle(),
        **containers(),
    }


def annual_report() -> bytes:
    stream = io.BytesIO()
    style = getSampleStyleSheet()
    body, heading = style["BodyText"], style["Heading2"]
    works = [
        ["Site", "Work", "Length opened (km)", "Cost (EUR)"],
        ["Harrow Weir", "weir removal", "14.2", "310,000"],
        ["Lower Ford", "bank planting", "0.0", "42,500"],
        ["Stennet Mill", "fish pass", "6.8", "187,300"],
        ["Oxley Meadow", "side channel", "1.9", "96,000"],
    ]
    table = Table(works, hAlign="LEFT")
    table.setStyle(TableStyle([("GRID", (0, 0), (-1, -1), 0.5, colors.black), ("FONTSIZE", (0, 0), (-1, -1), 9)]))
    story = [
        Paragraph("Tamsin River Programme: Annual Report 2023", style["Title"]),
        Paragraph("Summary", heading),
        Paragraph(
            "The Tamsin River Programme restores the River Tamsin between Corrin Gorge and the sea. In 2023 it "
            "completed four works and opened 22.9 kilometres of river to migrating fish. The largest of them was the "
            "removal of Harrow Weir, which had stood since 1874.",
            body,
        ),
        Paragraph("Works completed in 2023", heading),
        table,
        Spacer(1, 0.5 * cm),
        Paragraph("Water quality", heading),
        Paragraph(
            "The mean summer temperature at Lower Ford fell from 19.4 to 18.1 degrees Celsius after the bank planting. "
            "Dissolved oxygen stayed above 8 milligrams per litre at every gauge but Stennet Mill, where it fell to "
            "6.9 in August.",
            body,
        ),
        Paragraph("Outlook", heading),
        Paragraph(
            "The removal of Stennet Dam is planned for 2026. It needs the consent of the Oxley Water Board, which "
            "decides in November 2024.",
            body,
        ),
    ]
    document = SimpleDocTemplate(stream, pagesize=A4, invariant=1, title="Tamsin River Programme: Annual Report 2023")
    document.build(story)
    return stream.getvalue()


def inspection_letter() -> bytes:
    lines = [
        ("Oxley Water Board", 44),
        ("Inspection of 12 September 2022", 32),
        ("", 20),
        ("The inspector, Ruth Calder, found the sluice gate", 28),
        ("of Stennet Dam cracked over a length of 40", 28),
        ("centimetres. The gate must stay open until it is", 28),
        ("repaired. The repair is due by 30 June 2025.", 28),
        ("", 20),
        ("Signed: Ruth Calder", 28),
    ]
    page = Image.new("L", (1000, 1414), 255)
    draw = ImageDraw.Draw(page)
    y = 140
    for text, size in lines:
        draw.text((110, y), text, font=ImageFont.load_default(size), fill=20)
        y += int(size * 1.6)
    stream = io.BytesIO()
    canvas = Canvas(stream, pagesize=A4, invariant=1)
    canvas.drawImage(ImageReader(page.rotate(0.4, fillcolor=255)), 0, 0, *A4)
    canvas.save()
    return stream.getvalue()


def removal_plan() -> bytes:
    document = docx.Document()
    document.core_properties.title = "Plan for the Removal of Harrow Weir"
    document.add_heading("Plan for the Removal of Harrow Weir", 0)
    document.add_heading("Responsibilities", 1)
    document.add_paragraph(
        "The removal of Harrow Weir is led by the engineer Ilse Brandt. Fish are rescued by the Tamsin Anglers' "
        "Association before the water is lowered."
    )
    document.add_heading("Schedule", 1)
    steps = [
        ("Step", "Start", "End", "Responsible"),
        ("Fish rescue", "3 July 2023", "7 July 2023", "Tamsin Anglers' Association"),
        ("Lowering of the water", "10 July 2023", "21 July 2023", "Ilse Brandt"),
        ("Demolition", "24 July 2023", "1 September 2023", "Kestrel Civil Works"),
        ("Planting of the banks", "16 October 2023", "3 November 2023", "Marek Dolan"),
    ]
    table = document.add_table(rows=0, cols=4, style="Table Grid")
    for step in steps:
        for cell, text in zip(table.add_row().cells, step, strict=True):
            cell.text = text
    document.add_heading("Risks", 1)
    for risk in ("Silt behind the weir holds zinc from the old mine.", "A flood in August would delay the demolition."):
        document.add_paragraph(risk, style="List Bullet")
    return repacked(document)


def steering_group() -> bytes:
    deck = pptx.Presentation()
    deck.core_properties.title = "Steering group, March 2024"
    slide = deck.slides.add_slide(deck.slide_layouts[1])
    slide.shapes.title.text = "What the removal of Harrow Weir brought"
    slide.placeholders[
        1
    ].text = "Salmon above the weir for the first time since 1874\nWater level at Lower Ford unchanged"
    slide.notes_slide.notes_text_frame.text = (
        "The ferry at Lower Ford had to stop for nine days in July 2023; the ferryman was paid 2,700 euros."
    )
    slide = deck.slides.add_slide(deck.slide_layouts[1])
    slide.shapes.title.text = "Next: Stennet Dam"
    slide.placeholders[
        1
    ].text = "Consent expected in November 2024\nOwner: the Verrin family\nEstimated cost: 1.2 million euros"
    slide.notes_slide.notes_text_frame.text = "Anna Verrin asks that the mill pond be kept for the kingfishers."
    return repacked(deck)


def gauges() -> bytes:
    book = openpyxl.Workbook()
    sheet = book.active
    sheet.title = "Gauges"
    rows = [
        ("Gauge", "River km", "Installed", "Keeper", "Mean level (m)"),
        ("Corrin Gorge", 61.5, "1998-05-04", "Hanna Osei", 1.12),
        ("Harrow", 47.3, "2004-09-17", "Marek Dolan", 0.87),
        ("Stennet Mill", 39.8, "1987-03-30", "Lucia Ferro", 1.44),
        ("Lower Ford", 12.6, "2011-11-02", "Hanna Osei", 2.05),
    ]
    for row in rows:
        sheet.append(row)
    costs = book.create_sheet("Costs 2023")
    for row in (("Item", "Budget (EUR)", "Spent (EUR)"), ("Works", 620_000, 635_800), ("Monitoring", 54_000, 48_150),
                ("Public relations", 12_000, 12_900)):  # fmt: skip
        costs.append(row)
    for each in (sheet, costs):
        for cell in each[1]:
            cell.font = Font(bold=True)
    return repacked(book)


def survey_sheets() -> bytes:
    sheets = [
        sign(["Survey sheet 1", "Kingfisher burrows", "Oxley Meadow: 7", "Stennet Mill: 3"], (800, 460)),
        sign(["Survey sheet 2", "Otter tracks", "Harrow: fresh, both banks", "Surveyor: Lucia Ferro"], (800, 460)),
    ]
    stream = io.BytesIO()
    first, second = (sheet.convert("1", dither=Image.Dither.NONE) for sheet in sheets)
    first.save(stream, "TIFF", save_all=True, append_images=[second], compression="group4", dpi=(150, 150))
    return stream.getvalue()


def open_day_slides() -> bytes:
    """Three slides, six seconds each."""
    slides = [
        ["Open day at Harrow", "Saturday 15 June 2024", "Meet at the ferry, 10:00"],
        ["Boat trip to Oxley Meadow", "Skipper: Petra Lund", "Price: 7 euros"],
        ["Raffle", "First prize: a canoe", "Drawn by Tomas Leeds at 16:30"],
    ]
    stream = io.BytesIO()
    with av.open(stream, "w", format="mp4") as container:
        container.metadata["title"] = "Open day at Harrow: slides"
        film = container.add_stream("libx264", rate=2, options={"threads": "1"})
        film.width, film.height, film.pix_fmt = 960, 540, "yuv420p"
        for slide in slides:
            frame = av.VideoFrame.from_image(sign(slide, (960, 540)).convert("RGB")).reformat(format="yuv420p")
            for _ in range(12):
                frame.pts = None
                container.mux(film.encode(frame))
        container.mux(film.encode(None))
    return stream.getvalue()


def otter_whistle() -> bytes:
    """Two whistles with a pause; what is known of them stands in the file's tags."""
    times = np.arange(8_000) / 16_000
    whistle = 0.4 * np.sin(np.pi * times / 0.5) * np.sin(2 * np.pi * (2_400 + 900 * times) * times)
    sound = np.concatenate([whistle, np.zeros(8_000), whistle]).astype(np.float32)
    stream = io.BytesIO()
    with av.open(stream, "w", format="mp3") as container:
        container.metadata.update(
            title="Whistle of an otter",
            artist="Lucia Ferro",
            comment="Recorded at Harrow on 14 May 2023, half an hour after sunset.",
        )
        track = container.add_stream("libmp3lame", rate=16_000, options={"b": "32000"})
        track.layout = "mono"
        frame = av.AudioFrame.from_ndarray(sound[None, :], "fltp", "mono")
        frame.rate = 16_000
        resampler = av.AudioResampler("fltp", "mono", 16_000, frame_size=track.frame_size)
        for part in [*resampler.resample(frame), *resampler.resample(None)]:
            container.mux(track.encode(part))
        container.mux(track.encode(None))
    return stream.getvalue()


def sign(lines: list[str], size: tuple[int, int]) -> Image.Image:
    image = Image.new("L", size, 250)
    draw = ImageDraw.Draw(image)
    draw.rectangle((12, 12, size[0] - 12, size[1] - 12), outline=60, width=5)
    step = (size[1] - 90) / len(lines)
    for number, line in enumerate(lines):
        draw.text((60, 50 + step * number), line, font=ImageFont.load_default(46 if number == 0 else 38), fill=10)
    return image


def saved(image: Image.Image, kind: str, **options: object) -> bytes:
    stream = io.BytesIO()
    image.save(stream, kind, **options)
    return stream.getvalue()


def repacked(document: object) -> bytes:
    """The office file with fixed times, so that the same script gives the same bytes."""
    stream, fixed = io.BytesIO(), io.BytesIO()
    document.save(stream)  # type: ignore[attr-defined]
    with zipfile.ZipFile(stream) as old, zipfile.ZipFile(fixed, "w", zipfile.ZIP_DEFLATED) as new:
        for info in old.infolist():
            content = old.read(info)
            if info.filename == "docProps/core.xml":
                content = re.sub(rb"(W3CDTF\">)[^<]+", rb"\g<1>" + DATE.encode(), content)
            if info.filename == "docProps/thumbnail.jpeg":
                content = b""
            new.writestr(zipfile.ZipInfo(info.filename, (2024, 3, 1, 9, 0, 0)), content, zipfile.ZIP_DEFLATED)
    return fixed.getvalue()


FISH_COUNTS = "\n".join(
    [
        "Site,Species,Year,Count",
        "Lower Ford,Salmon,2021,36",
        "Lower Ford,Salmon,2022,41",
        "Lower Ford,Salmon,2023,412",
        "Lower Ford,Sea trout,2023,655",
        "Harrow,Salmon,2022,0",
        "Harrow,Salmon,2023,118",
        "Harrow,Sea trout,2023,203",
        "Corrin Gorge,Salmon,2023,27",
        "Corrin Gorge,Bullhead,2023,1890",
        "",
    ]
)

OPEN_DAY = """1
00:00:04,000 --> 00:00:08,500
Good morning. I am Ilse Brandt, and this is the place
where Harrow Weir stood until last summer.

2
00:01:12,000 --> 00:01:17,000
Under the old sluice we found a bronze bell.
It was cast in 1688 by Jacob Tiel.

3
00:01:17,500 --> 00:01:21,000
The bell hangs in the town hall of Stennet now.

4
00:05:40,000 --> 00:05:46,000
On the other bank you see the otter's holt.
Please stay on the path, there are young ones.
"""

PEOPLE = """<!DOCTYPE html>
<html lang="en">
<head><meta charset="utf-8"><title>The people of the Tamsin River Programme</title></head>
<body>
<nav><a href="/">Home</a> <a href="/news">News</a> <a href="/contact">Contact</a></nav>
<main>
<h1>The people of the Tamsin River Programme</h1>
<h2>Ilse Brandt</h2>
<p>Ilse Brandt is an engineer for river works. Before she joined the programme, Ilse Brandt built the fish ladder at
Corrin Gorge, which opened in 2016. She studied in Delft.</p>
<h2>Marek Dolan</h2>
<p>Marek Dolan is the programme's botanist and keeps the gauge at Harrow. He wrote the field guide to the plants of the
river bank.</p>
<h2>Lucia Ferro</h2>
<p>Lucia Ferro surveys otters and kingfishers. She discovered the otters of Harrow in 2019.</p>
<h2>Offices</h2>
<table>
<tr><th>Office</th><th>Town</th><th>Open</th></tr>
<tr><td>Field station</td><td>Harrow</td><td>Monday to Friday</td></tr>
<tr><td>Archive</td><td>Stennet</td><td>Tuesday</td></tr>
</table>
</main>
<footer>Tamsin River Programme, all rights reserved</footer>
</body>
</html>
"""

FIELD_GUIDE = """---
title: Field Guide to the Banks of the Tamsin
author: Marek Dolan
---

# Field Guide to the Banks of the Tamsin

Plants and animals that a walker meets between Corrin Gorge and Lower Ford.

## Trees

The **black alder** holds the banks with its roots. The oldest alder on the Tamsin stands at Oxley Meadow and is about
140 years old.

## Animals

- Otter: seen at dusk, mostly near Harrow
- Kingfisher: nests in steep banks of sand
- Bullhead: needs clean gravel and cold water

## When to come

| Month | What to see | Where |
|---|---|---|
| April | marsh marigold in flower | Oxley Meadow |
| July | young kingfishers | Stennet Mill |
| November | salmon leaping | Corrin Gorge |

## Measuring oxygen

```
oxygen = reading * 0.97 + 0.2   # calibration of 2022
```
"""

MILL_HISTORY = """THE MILL AT STENNET

A short history

The mill at Stennet was built in 1794 by Éloïse Verrin, who came from the Jura with her two brothers.
It ground oats for the garrison \u2013 twelve sacks a day \u2013 and paid a rent of £30 a year.

The dam above the mill was raised in 1851. It is called Stennet Dam and still belongs to the Verrin family.

The end of the mill

The mill closed in 1961, when the last miller, Jérôme Verrin, sold the stones to a museum in Besançon.
Since 1987 a river gauge stands in the old wheel house.
"""

GAUGE_PLATE = [
    "River gauge Stennet Mill",
    "Zero point: 83.42 m above sea level",
    "Flood of 2013: 4.61 m",
    "Keeper: Lucia Ferro",
]
NOTICE = [
    "Tamsin River Programme",
    "Fishing is closed at Harrow",
    "from 15 October to 31 March.",
    "Report poachers to the warden,",
    "Tomas Leeds, at Lower Ford.",
]

if __name__ == "__main__":
    main()
