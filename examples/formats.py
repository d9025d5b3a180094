"""Example files of the formats that people's own tools write as text, or as a zip of XML: one of each."""

from __future__ import annotations

import io
import json
import tarfile
import zipfile
from xml.sax.saxutils import escape

MOMENT = 1_709_283_600  # 2024-03-01 09:00 UTC, so that the same script gives the same bytes
_OASIS = "urn:oasis:names:tc:opendocument:xmlns"
_SPACES = " ".join(
    f'xmlns:{prefix}="{_OASIS}:{name}:1.0"'
    for prefix, name in {
        "office": "office",
        "text": "text",
        "table": "table",
        "draw": "drawing",
        "presentation": "presentation",
        "svg": "svg-compatible",
    }.items()
)
_SIZE = 'svg:x="2cm" svg:width="22cm" svg:height="4cm"'


def formats() -> dict[str, bytes]:
    """By name."""
    texts = {
        "ferry-timetable.adoc": FERRY,
        "ringed-birds.jsonl": "".join(json.dumps(bird) + "\n" for bird in BIRDS),
        "oxygen-at-stennet.ipynb": json.dumps(notebook(), indent=1) + "\n",
        "flow-at-harrow.tex": FLOW,
        "spring-tasks.org": TASKS,
        "probe-manual.rst": PROBE,
        "meadow-lease.rtf": LEASE,
        "rating_curve.py": RATING_CURVE,
        "reserve-map.svg": MAP,
        "river-orders.xml": ORDERS,
        "alarm-levels.yaml": ALARMS,
    }
    return {name: text.encode() for name, text in texts.items()} | {
        "legends-of-the-tamsin.epub": legends(),
        "boat-licence.odt": boat_licence(),
        "school-visit.odp": school_visit(),
        "store-room.ods": store_room(),
        "rain-gauges.tar": rain_gauges(),
    }


def notebook() -> dict[str, object]:
    return {
        "cells": [
            {
                "cell_type": "markdown",
                "metadata": {},
                "source": ["# Oxygen at Stennet\n", "\n", "The night of 9 August 2023, hour by hour."],
            },
            {
                "cell_type": "code",
                "execution_count": 1,
                "metadata": {},
                "source": [
                    "readings = [7.4, 6.9, 7.1]\n",
                    'print(f"The lowest oxygen of the night: {min(readings)} mg/l")',
                ],
                "outputs": [
                    {"name": "stdout", "output_type": "stream", "text": ["The lowest oxygen of the night: 6.9 mg/l\n"]}
                ],
            },
            {
                "cell_type": "markdown",
                "metadata": {},
                "source": ["## Why\n", "\n", "Hanna Osei blames a bloom of the alga Spirogyra in the mill pond."],
            },
        ],
        "metadata": {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}},
        "nbformat": 4,
        "nbformat_minor": 4,
    }


def boat_licence() -> bytes:
    return open_document(
        "text",
        """<office:text>
<text:h text:outline-level="1">Boat licences</text:h>
<text:p>Whoever rows on the Tamsin needs a licence of the Oxley Water Board.</text:p>
<text:h text:outline-level="2">Electric boats</text:h>
<text:p>An electric boat may have a motor of at most 900 watts. It carries its number on both sides.</text:p>
<text:h text:outline-level="2">Fees</text:h>
<table:table table:name="Fees"><table:table-column table:number-columns-repeated="2"/>
<table:table-row><table:table-cell><text:p>Boat</text:p></table:table-cell>
<table:table-cell><text:p>Fee a year (EUR)</text:p></table:table-cell></table:table-row>
<table:table-row><table:table-cell><text:p>Punt</text:p></table:table-cell>
<table:table-cell><text:p>33</text:p></table:table-cell></table:table-row></table:table>
</office:text>""",
    )


def school_visit() -> bytes:
    slides = [
        ("A school visits the river", "Class 4b of Stennet, 22 May 2024", "Bring the small nets."),
        ("What lives under a stone", "Caddis larvae and mayflies", "The children counted 57 mayflies under one stone."),
    ]
    pages = "".join(
        f'<draw:page draw:name="page{number}">'
        f'<draw:frame presentation:class="title" svg:y="1cm" {_SIZE}><draw:text-box><text:p>{title}</text:p>'
        f'</draw:text-box></draw:frame><draw:frame presentation:class="outline" svg:y="6cm" {_SIZE}><draw:text-box>'
        f"<text:p>{line}</text:p></draw:text-box></draw:frame><presentation:notes>"
        f'<draw:frame presentation:class="notes" svg:y="12cm" {_SIZE}><draw:text-box><text:p>{note}</text:p>'
        "</draw:text-box></draw:frame></presentation:notes></draw:page>\n"
        for number, (title, line, note) in enumerate(slides, 1)
    )
    return open_document("presentation", f"<office:presentation>\n{pages}</office:presentation>")


def store_room() -> bytes:
    rows = [("Item", "Number", "Shelf"), ("Wading boots", 14, "A2"), ("Life jackets", 23, "B1"), ("Dip nets", 31, "C4")]
    cells = "".join(
        "<table:table-row>"
        + "".join(
            f'<table:table-cell office:value-type="float" office:value="{value}"><text:p>{value}</text:p>'
            "</table:table-cell>"
            if isinstance(value, int)
            else f'<table:table-cell office:value-type="string"><text:p>{value}</text:p></table:table-cell>'
            for value in row
        )
        + "</table:table-row>\n"
        for row in rows
    )
    return open_document(
        "spreadsheet",
        f'<office:spreadsheet><table:table table:name="Store room"><table:table-column '
        f'table:number-columns-repeated="3"/>\n{cells}</table:table></office:spreadsheet>',
    )


def open_document(kind: str, body: str) -> bytes:
    """An OpenDocument package (OASIS ODF 1.3) of one part."""
    media_type = f"application/vnd.oasis.opendocument.{kind}"
    manifest = "".join(
        f'<manifest:file-entry manifest:full-path="{path}" manifest:media-type="{of}"/>'
        for path, of in (("/", media_type), ("content.xml", "text/xml"))
    )
    return packed(
        media_type,
        {
            "META-INF/manifest.xml": f'<manifest:manifest xmlns:manifest="{_OASIS}:manifest:1.0" '
            f'manifest:version="1.3">{manifest}</manifest:manifest>',
            "content.xml": f'<office:document-content {_SPACES} office:version="1.3"><office:body>{body}'
            "</office:body></office:document-content>",
        },
    )


def legends() -> bytes:
    chapters = {
        "The Miller's Wager": "The miller of Stennet wagered his grey mare that no one could swim the gorge in April.",
        "The Lantern of Oxley": "Every autumn the widow Sefa Torrin hung a green lantern on the oldest alder, so that "
        "the ferryman would find the bank in the fog.",
    }
    pages = {
        f"chapter{number}.xhtml": _page(title, f"<h1>{escape(title)}</h1><p>{text}</p>")
        for number, (title, text) in enumerate(chapters.items(), 1)
    }
    entries = "".join(
        f'<li><a href="{name}">{escape(title)}</a></li>' for name, title in zip(pages, chapters, strict=True)
    )
    items = "".join(f'<item id="{name}" href="{name}" media-type="application/xhtml+xml"/>' for name in pages)
    spine = "".join(f'<itemref idref="{name}"/>' for name in pages)
    package = f"""<package xmlns="http://www.idpf.org/2007/opf" version="3.0" unique-identifier="id">
<metadata xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:identifier id="id">tamsin-legends</dc:identifier>
<dc:title>Legends of the Tamsin</dc:title><dc:language>en</dc:language>
<meta property="dcterms:modified">2024-03-01T09:00:00Z</meta></metadata>
<manifest><item id="nav" href="nav.xhtml" media-type="application/xhtml+xml" properties="nav"/>{items}</manifest>
<spine>{spine}</spine></package>"""
    return packed(
        "application/epub+zip",
        {
            "META-INF/container.xml": f'<container version="1.0" xmlns="{_OASIS}:container">'
            '<rootfiles><rootfile full-path="book/package.opf" media-type="application/oebps-package+xml"/></rootfiles>'
            "</container>",
            "book/package.opf": package,
            "book/nav.xhtml": _page("Contents", f'<nav epub:type="toc"><ol>{entries}</ol></nav>'),
            **{f"book/{name}": page for name, page in pages.items()},
        },
    )


def _page(title: str, body: str) -> str:
    return (
        '<html xmlns="http://www.w3.org/1999/xhtml" xmlns:epub="http://www.idpf.org/2007/ops">'
        f"<head><title>{escape(title)}</title></head><body>{body}</body></html>"
    )


def packed(media_type: str, parts: dict[str, str]) -> bytes:
    """A zip that begins with its media type, unpacked, as OpenDocument and EPUB ask."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        archive.writestr(zipfile.ZipInfo("mimetype", (2024, 3, 1, 9, 0, 0)), media_type)
        for name, content in parts.items():
            info = zipfile.ZipInfo(name, (2024, 3, 1, 9, 0, 0))
            archive.writestr(info, f'<?xml version="1.0" encoding="UTF-8"?>\n{content}', zipfile.ZIP_DEFLATED)
    return stream.getvalue()


def rain_gauges() -> bytes:
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w") as archive:
        content = b"The rain gauge on Thorn Hill caught 88 millimetres on the night of the great storm.\n"
        info = tarfile.TarInfo("notes/thorn-hill.txt")
        info.size, info.mtime = len(content), MOMENT
        archive.addfile(info, io.BytesIO(content))
    return stream.getvalue()


FERRY = """= Ferry at Lower Ford
Tomas Leeds
:toc:

== Timetable

The first boat leaves at 6:50 on workdays.

== Bicycles

The ferry carries at most six bicycles at once. A tandem counts as two.
"""

BIRDS = [
    {"ring": "KT-4471", "species": "kingfisher", "remark": "The kingfisher flew into a window of the mill, unhurt."},
    {"ring": "DP-0093", "species": "dipper", "remark": "The dipper was caught in a mist net under the viaduct."},
]

FLOW = r"""\documentclass{article}
\title{Flow at Harrow after the Removal of the Weir}
\author{Hanna Osei}
\begin{document}
\maketitle
\section{Method}
Salt was poured in at the old sluice and measured 200 metres below. % twice
\section{Result}
The bed has a Manning roughness of $n = 0.037$, which is that of a stony brook.
\begin{equation}
v = \frac{1}{n} R^{2/3} S^{1/2}
\end{equation}
\end{document}
"""

TASKS = """#+title: Tasks for spring
#+author: Rosa Imhof

* Paths
** TODO Stile at the heronry
   SCHEDULED: <2024-04-02 Tue>
The stile at the heronry needs eleven new treads of chestnut.
* Signs
- repaint the distance posts
"""

PROBE = """Manual of the turbidity probe
=============================

Cleaning
--------

Wipe the lens of the turbidity probe with vinegar every nine days.

.. warning:: Never use a brush.

Calibration
-----------

Two bottles of formazine are kept in the field station.
"""

LEASE = r"""{\rtf1\ansi\ansicpg1252\deff0{\fonttbl{\f0 Arial;}}
{\stylesheet{\s0 Normal;}{\s1\outlinelevel0 heading 1;}}
{\pard\s1\outlinelevel0\b Lease of the Oxley meadow\par}
{\pard The shepherd Gwen Aldous leases the Oxley meadow for 260 euros a year.\par}
{\pard\s1\outlinelevel0\b Mowing\par}
{\pard It is not mown before 15 July, for the corncrakes\rquote  sake.\par}
}
"""

RATING_CURVE = '''"""From the water level at a gauge to the flow of the river."""


class RatingCurve:
    """The curve of one gauge."""

    def __init__(self, zero_m: float) -> None:
        self.zero_m = zero_m

    def flow(self, level_m: float) -> float:
        """Cubic metres a second; above bankfull, the floodplain of Harrow adds 15 percent."""
        height = max(0.0, level_m - self.zero_m)
        return 21.4 * height**1.62


def feet(metres: float) -> float:
    """For the old gauge boards."""
    return metres / 0.3048
'''

MAP = """<svg xmlns="http://www.w3.org/2000/svg" width="400" height="200" viewBox="0 0 400 200">
<title>Map of the Corrin reserve</title>
<desc>The Corrin reserve covers 74 hectares between the viaduct and the sawmill.</desc>
<path d="M 10 180 C 120 60 240 160 390 40" fill="none" stroke="steelblue" stroke-width="8"/>
<text x="40" y="60">Hide for watching dippers</text>
<text x="250" y="170">Car park</text>
</svg>
"""

ORDERS = """<?xml version="1.0" encoding="UTF-8"?>
<orders river="Tamsin">
  <order number="12">
    <supplier>Penhallow Nursery</supplier>
    <goods>640 willow cuttings</goods>
  </order>
  <order number="13">
    <supplier>Dunmore Ropes</supplier>
    <goods>80 metres of hemp rope</goods>
  </order>
</orders>
"""

ALARMS = """# Levels at which the duty officer is called
corrin_gorge:
  warning_m: 2.10
  alarm_m: 2.75
lower_ford:
  warning_m: 3.30
  alarm_m: 3.85
  siren: on the roof of the chapel
"""
