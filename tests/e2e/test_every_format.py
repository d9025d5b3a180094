"""Each row of docs/formats.md from the upload to a cited answer: all files at once, a question for each format.

A citation is compared with the original where the original can be opened without Trivium's parsers.
"""

from __future__ import annotations

import html
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from originals import LOOK_UP, Place
from word_files import powerpoint_file, word_file

from trivium_ingest.parse.registry import known_formats

from .conftest import EXAMPLES, Server


class Case(msgspec.Struct, frozen=True):
    """A question whose answer stands only in `file`, and there at `place` ("" in `source` for the file itself).

    A `box` is one that the cited box lies in; an `offset` is given by the characters of the original that it holds.
    """

    format: str
    file: str
    question: str
    answer: str
    place: Place = {}
    source: str = ""


CASES = (
    Case(
        "7-Zip archives",
        "files/river-depths.7z",
        "How deep is the deepest pool of the Tamsin?",
        "11.6",
        {"offset": "The deepest pool of the Tamsin lies under the Corrin Gorge viaduct: divers measured 11.6 metres"},
        "river-depths.7z > depths/pools.txt",
    ),
    Case(
        "AsciiDoc",
        "formats/ferry-timetable.adoc",
        "How many bicycles does the ferry carry at once?",
        "six bicycles",
        {"section": ["Ferry at Lower Ford", "Bicycles"], "offset": "The ferry carries at most six bicycles at once."},
    ),
    Case(
        "audio (WAV, MP3, FLAC, M4A, Ogg, Opus)",
        "files/otter-whistle.mp3",
        "Where was the whistle of an otter recorded?",
        "Recorded at Harrow on 14 May 2023",
        {"seconds": [0.0, 0.0]},
    ),
    Case(
        "compressed files and tar archives (gzip, bzip2, xz)",
        "files/probe-log.tar.gz",
        "What was the turbidity at Harrow on 2024-02-09?",
        "2024-02-09 06:00",
        {"rows": [10, 10]},
        "probe-log.tar.gz > 2024/february.csv",
    ),
    Case(
        "CSV",
        "files/fish-counts.csv",
        "How many bullheads were counted at Corrin Gorge in 2023?",
        "1890",
        {"rows": [10, 10], "offset": "Corrin Gorge,Bullhead,2023,1890"},
    ),
    Case(
        "DOC",
        "bell-ringer.doc",
        "Who rings the bell of the chapel at Vane Hill?",
        "Ottoline Prew",
    ),
    Case(
        "DOCX",
        "files/weir-removal-plan.docx",
        "Who leads the removal of Harrow Weir?",
        "led by the engineer Ilse Brandt",
        {"section": ["Responsibilities"]},
    ),
    Case(
        "EPUB",
        "formats/legends-of-the-tamsin.epub",
        "Who hung a green lantern on the oldest alder?",
        "Sefa Torrin",
        {"section": ["The Lantern of Oxley"]},
    ),
    Case(
        "HTML",
        "files/people.html",
        "When did the fish ladder at Corrin Gorge open?",
        "opened in 2016",
        {"section": ["The people of the Tamsin River Programme", "Ilse Brandt"]},
    ),
    Case(
        "images (PNG, JPEG, TIFF, BMP, GIF, WebP, HEIC)",
        "files/gauge-plate.png",
        "What is the zero point of the river gauge above sea level?",
        "83.42",
        {"box": {"left": 50, "top": 50, "right": 850, "bottom": 190}},
    ),
    Case(
        "JSON",
        "formats/ringed-birds.jsonl",
        "Which species has the ring DP-0093?",
        "dipper",
        {"offset": '{"ring": "DP-0093", "species": "dipper", "remark": "The dipper was caught'},
    ),
    Case(
        "Jupyter notebook",
        "formats/oxygen-at-stennet.ipynb",
        "Which alga bloomed in the mill pond?",
        "Spirogyra",
        {"section": ["Oxygen at Stennet", "Why", "Cell 3"]},
    ),
    Case(
        "LaTeX",
        "formats/flow-at-harrow.tex",
        "Which Manning roughness has the bed?",
        "0.037",
        {"section": ["Result"], "offset": "The bed has a Manning roughness of $n = 0.037$"},
    ),
    Case(
        "mailboxes (mbox)",
        "files/volunteers.mbox",
        "When does the otter watch meet?",
        "05:15",
        {},
        "volunteers.mbox > 2024-03-01 Otter watch.eml",
    ),
    Case("mails", "files/fishing-permits.eml", "Where are fishing permits sold?", "kiosk"),
    Case(
        "Markdown",
        "files/field-guide.md",
        "How old is the oldest alder on the Tamsin?",
        "140",
        {"section": ["Field Guide to the Banks of the Tamsin", "Trees"], "offset": "The oldest alder on the Tamsin"},
    ),
    Case(
        "ODP",
        "formats/school-visit.odp",
        "How many mayflies did the children count under one stone?",
        "57",
        {"slide": 2},
    ),
    Case(
        "ODT",
        "formats/boat-licence.odt",
        "How many watts may the motor of an electric boat have?",
        "900",
        {"section": ["Boat licences", "Electric boats"]},
    ),
    Case(
        "Org",
        "formats/spring-tasks.org",
        "How many new treads does the stile at the heronry need?",
        "eleven",
        {
            "section": ["Paths", "Stile at the heronry"],
            "offset": "The stile at the heronry needs eleven new treads of chestnut.",
        },
    ),
    Case(
        "Outlook messages",
        "files/site-minutes.msg",
        "Which wood was chosen for the new sluice boards?",
        "larch",
    ),
    Case(
        "PDF",
        "files/annual-report-2023.pdf",
        "What was the mean summer temperature at Lower Ford after the bank planting?",
        "18.1",
        {"page": 1, "box": {"left": 70, "top": 300, "right": 530, "bottom": 420}},
    ),
    Case(
        "plain text",
        "files/mill-history.txt",
        "When did the mill at Stennet close?",
        "1961",
        {"offset": "The mill closed in 1961, when the last miller, Jérôme Verrin, sold"},
    ),
    Case(
        "PPTX",
        "files/steering-group-march.pptx",
        "What was the ferryman at Lower Ford paid?",
        "2,700 euros",
        {"slide": 1},
    ),
    Case(
        "reStructuredText",
        "formats/probe-manual.rst",
        "What is the lens of the turbidity probe wiped with?",
        "vinegar",
        {
            "section": ["Manual of the turbidity probe", "Cleaning"],
            "offset": "Wipe the lens of the turbidity probe with vinegar every nine days.",
        },
    ),
    Case(
        "RTF",
        "formats/meadow-lease.rtf",
        "Which shepherd leases the Oxley meadow?",
        "Gwen Aldous",
        {"section": ["Lease of the Oxley meadow"]},
    ),
    Case(
        "source code (C, C++, C#, Go, Java, JavaScript, PHP, Python, Ruby, Rust, shell, TypeScript)",
        "formats/rating_curve.py",
        "How many percent does the floodplain of Harrow add above bankfull?",
        "15 percent",
        {"section": ["RatingCurve"], "offset": "the floodplain of Harrow adds 15 percent."},
    ),
    Case(
        "subtitles (SRT, WebVTT)",
        "files/open-day-talk.srt",
        "Who cast the bronze bell?",
        "Jacob Tiel",
        {"seconds": [72.0, 81.0]},
    ),
    Case("SVG", "formats/reserve-map.svg", "How many hectares does the Corrin reserve cover?", "74"),
    Case(
        "tar archives",
        "formats/rain-gauges.tar",
        "How much did the rain gauge on Thorn Hill catch?",
        "88 millimetres",
        {"offset": "The rain gauge on Thorn Hill caught 88 millimetres on the night of the great storm."},
        "rain-gauges.tar > notes/thorn-hill.txt",
    ),
    Case(
        "video (MP4, MOV, MKV, WebM, AVI)",
        "files/open-day-slides.mp4",
        "Who is the skipper of the boat trip?",
        "Petra Lund",
        {"seconds": [6.0, 12.0]},
    ),
    Case(
        "XLS, XLSB, ODS",
        "formats/store-room.ods",
        "On which shelf are the life jackets?",
        "B1",
        {"sheet": "Store room", "rows": [3, 3]},
    ),
    Case(
        "XLSX",
        "files/gauges-and-costs.xlsx",
        "When was the gauge at Corrin Gorge installed?",
        "1998-05-04",
        {"sheet": "Gauges", "rows": [2, 2]},
    ),
    Case("XML", "formats/river-orders.xml", "Which supplier sells hemp rope?", "Dunmore Ropes"),
    Case(
        "YAML",
        "formats/alarm-levels.yaml",
        "Where is the siren of Lower Ford?",
        "roof of the chapel",
        {"offset": "siren: on the roof of the chapel"},
    ),
    Case(
        "zip archives",
        "files/paths-and-bridges.zip",
        "Who opened the footbridge at Oxley Meadow?",
        "Hallam",
        {"section": ["Footbridge at Oxley Meadow"], "offset": "carpenter Joost Hallam"},
        "paths-and-bridges.zip > bridges/oxley-footbridge.md",
    ),
)
NOT_READ = {"PPT": "Install LibreOffice"}
MADE = {
    "bell-ringer.doc": word_file("The bell of the chapel at Vane Hill is rung by Ottoline Prew on Sundays.\r"),
    "slides.ppt": powerpoint_file(),
}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server that finds no LibreOffice, whatever is installed."""
    folder = tmp_path_factory.mktemp("formats")
    running = Server(folder / "data", PATH=str(folder)).start()
    yield running
    running.stop()


@pytest.fixture(scope="module")
def sources(server: Server) -> dict[str, dict[str, Any]]:
    """Every example file and what only a test makes, in one upload; the records when all is done, by name."""
    files = {path.name: path.read_bytes() for folder in ("files", "formats") for path in (EXAMPLES / folder).iterdir()}
    parts = [("file", part) for part in (files | MADE).items()]
    with server.http() as client:
        answer = client.post("/v1/sources", files=parts)
        assert answer.status_code == 202, answer.text
        server.wait_idle()
        return {source["name"]: server.settled(source["id"]) for source in answer.json()["sources"]}


def test_every_format_of_the_registry_has_its_case() -> None:
    assert sorted({case.format for case in CASES} | NOT_READ.keys()) == sorted(each.name for each in known_formats())


def test_the_example_files_are_what_their_script_makes() -> None:
    script = [sys.executable, str(EXAMPLES / "make_examples.py"), "--check"]
    checked = subprocess.run(script, check=False, capture_output=True, text=True, timeout=120)
    assert checked.returncode == 0, checked.stderr


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.format.partition(" (")[0])
def test_a_question_to_each_format_is_answered_with_the_exact_place(
    server: Server, sources: dict[str, dict[str, Any]], case: Case
) -> None:
    name = Path(case.file).name
    assert sources[name]["state"] == "ready", sources[name]
    given = server.ask(case.question)
    assert case.answer in given["text"], given["text"]
    cited = [one for one in given["citations"] if one["source"] == (case.source or name)]
    (citation,) = [one for one in cited if case.answer in one["quote"]]
    assert citation["marker"] in given["text"]
    stated = [position for position in citation["positions"] if is_at(position, case.place)]
    assert stated or not case.place, citation["positions"]
    with server.http() as client:
        original = client.get(f"/v1/sources/{citation['document_id']}/content").content
    if not case.source:
        assert original == (MADE.get(name) or (EXAMPLES / case.file).read_bytes())
    assert all(opens_at_its_quote(server, one) for one in given["citations"])
    if look := LOOK_UP.get(Path(case.source or name).suffix):
        assert any(all(words in look(original, position) for words in printed(case)) for position in stated)


def opens_at_its_quote(server: Server, citation: dict[str, Any]) -> bool:
    """Whether the link leads to a page on which the quote, and nothing else, is marked."""
    with server.http() as client:
        shown = client.get(citation["link"])
    assert (shown.status_code, shown.headers["content-type"]) == (200, "text/html; charset=utf-8"), citation["link"]
    marked = "".join(html.unescape(part) for part in re.findall(r"<mark[^>]*>(.*?)</mark>", shown.text, re.DOTALL))
    assert "".join(marked.split()) == "".join(citation["quote"].split())
    return True


def printed(case: Case) -> tuple[str, ...]:
    """What stands in the original at the cited place."""
    return (case.answer, case.place.get("offset", ""))


def is_at(position: Place, place: Place) -> bool:
    """Whether a citation's position is the one that the case names."""
    return all(_agrees(name, position.get(name), value) for name, value in place.items())


def _agrees(name: str, stated: Any, value: Any) -> bool:
    if name == "offset":
        return stated is not None
    if name == "box":
        return stated is not None and all(
            value[low] <= stated[low] < stated[high] <= value[high]
            for low, high in (("left", "right"), ("top", "bottom"))
        )
    return bool(stated == value)


@pytest.mark.parametrize(("format_name", "advice"), NOT_READ.items())
def test_a_format_that_needs_what_is_not_installed_says_what_to_install(
    sources: dict[str, dict[str, Any]], format_name: str, advice: str
) -> None:
    failed = sources[f"slides.{format_name.lower()}"]
    assert failed["state"] == "failed"
    assert advice in failed["reason"]["action"], failed


def test_a_format_that_is_read_in_part_says_what_is_missing(sources: dict[str, dict[str, Any]]) -> None:
    assert any("LibreOffice is not installed" in warning for warning in sources["bell-ringer.doc"]["warnings"])
