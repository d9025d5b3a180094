"""What a newcomer does, in that order: ingest a folder of every format, ask, look around, run it again, delete."""

from __future__ import annotations

import io
import json
import subprocess
from email.message import EmailMessage
from pathlib import Path
from typing import Any

import pypdfium2
import pytest

from trivium.domain.retrieval import Mode

from .conftest import EXAMPLES, Server

FILES = EXAMPLES / "files"
QUESTIONS = (EXAMPLES / "questions.txt").read_text().splitlines()


@pytest.fixture(scope="module")
def ingested(server: Server) -> subprocess.CompletedProcess[str]:
    return server.cli("ingest", str(FILES), "--root", str(FILES))


@pytest.fixture(scope="module")
def toured(server: Server, ingested: subprocess.CompletedProcess[str]) -> Server:
    return server


def _lines(output: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in output.splitlines()]


def test_every_example_file_becomes_ready(server: Server, ingested: subprocess.CompletedProcess[str]) -> None:
    names = {path.name for path in FILES.iterdir()}
    listed = _lines(server.cli("documents", "--json").stdout)
    assert ingested.stdout.startswith(f"{len(listed)} ready ("), ingested.stdout + ingested.stderr
    assert {source["name"] for source in listed if not source["parent"]} == names
    assert {source["state"] for source in listed} == {"ready"}
    assert all(source["chunks"] > 0 for source in listed)


@pytest.mark.parametrize(
    ("question", "answer", "sources", "engine"),
    [
        (QUESTIONS[0], "1961", {"mill-history.txt"}, "extractive"),
        (QUESTIONS[1], "412", {"fish-counts.csv"}, "tables"),
        (QUESTIONS[2], "Corrin Gorge", {"people.html"}, "extractive"),
    ],
)
def test_a_question_is_answered_and_its_citations_lead_back(
    toured: Server, question: str, answer: str, sources: set[str], engine: str
) -> None:
    given = json.loads(toured.cli("ask", question, "--json").stdout)
    assert (given["found"], given["engine"]) == (True, engine)
    assert answer in given["text"]
    assert sources <= {citation["source"] for citation in given["citations"]}
    assert any(answer in citation["quote"] for citation in given["citations"] if citation["source"] in sources)
    with toured.http() as client:
        for citation in given["citations"]:
            assert citation["marker"] in given["text"]
            place = f"/v1/sources/{citation['document_id']}/content"
            chunk = client.get(place, params={"chunk": citation["chunk_number"]}).json()
            assert chunk["id"] == citation["chunk_id"]
            assert " ".join(citation["quote"].split()) in " ".join(chunk["text"].split())
            assert client.get(place).content == (FILES / citation["source"]).read_bytes()
    shown = toured.cli("ask", question).stdout
    assert answer in shown
    assert "Sources" in shown


@pytest.mark.parametrize(
    ("question", "answer", "source"),
    [
        ("Where are fishing permits sold?", "kiosk", "fishing-permits.eml"),
        ("What does a season permit for the whole river cost?", "137", "fishing-permits.eml > permits-2024.csv"),
        ("When does the otter watch meet?", "05:15", "volunteers.mbox > 2024-03-01 Otter watch.eml"),
        ("Who opened the footbridge at Oxley Meadow?", "Hallam", "paths-and-bridges.zip > bridges/oxley-footbridge.md"),
        ("Who gave the ninth bench?", "Ferro", "paths-and-bridges.zip > older.zip > benches.txt"),
        ("turbidity at Harrow", "NTU", "probe-log.tar.gz > 2024/february.csv"),
        ("How deep is the deepest pool of the Tamsin?", "11.6", "river-depths.7z > depths/pools.txt"),
        ("Which wood was chosen for the new sluice boards?", "larch", "site-minutes.msg"),
        ("What does the tool shed at Harrow hold?", "winches", "site-minutes.msg > tools.txt"),
    ],
)
def test_what_is_in_a_mail_or_an_archive_is_answered_and_cited_under_both_names(
    toured: Server, question: str, answer: str, source: str
) -> None:
    given = toured.ask(question)
    assert answer in given["text"], given["text"]
    cited = [citation for citation in given["citations"] if citation["source"] == source]
    assert any(answer in citation["quote"] for citation in cited), given["citations"]
    assert cited[0]["marker"].startswith(f"[Source: {source}, chunk ")


def _passage(server: Server, words: str, source: str, holding: str) -> dict[str, Any]:
    """The passage of `source` that the words find first."""
    for hit in server.search(words):
        if hit["chunk"]["source"] == source and holding in hit["chunk"]["text"]:
            chunk: dict[str, Any] = hit["chunk"]
            return chunk
    raise AssertionError(f"{words!r} did not find {holding!r} in {source}")


def test_a_position_in_a_pdf_is_where_the_words_are_printed(toured: Server) -> None:
    chunk = _passage(toured, "mean summer temperature at Lower Ford", "annual-report-2023.pdf", "18.1 degrees")
    page = pypdfium2.PdfDocument(FILES / "annual-report-2023.pdf")[chunk["positions"][0]["page"] - 1]
    height = page.get_height()
    printed = ""
    for position in chunk["positions"]:
        box = position["box"]
        edges = (box["left"] - 1, height - box["bottom"] - 1, box["right"] + 1, height - box["top"] + 1)
        printed += " " + page.get_textpage().get_text_bounded(*edges)
    assert "18.1 degrees Celsius" in " ".join(printed.split())


def test_a_position_in_a_text_is_its_range_of_characters(toured: Server) -> None:
    chunk = _passage(toured, "When did the mill at Stennet close?", "mill-history.txt", "1961")
    text = (FILES / "mill-history.txt").read_bytes().decode("cp1252")
    assert any("The mill closed in 1961" in text[slice(*position["offset"])] for position in chunk["positions"])


def test_a_position_in_a_table_is_its_rows(toured: Server) -> None:
    chunk = _passage(toured, "salmon at Lower Ford in 2023", "fish-counts.csv", "412")
    rows = (FILES / "fish-counts.csv").read_text().splitlines()
    first, last = (pick(p["rows"][i] for p in chunk["positions"]) for i, pick in ((0, min), (1, max)))
    assert "Lower Ford,Salmon,2023,412" in rows[first - 1 : last]
    sheet = _passage(toured, "keeper of the gauge at Lower Ford", "gauges-and-costs.xlsx", "Hanna Osei")
    assert sheet["positions"][0]["sheet"] == "Gauges"
    assert sheet["positions"][0]["rows"]


@pytest.mark.parametrize(
    ("words", "source", "holding", "place"),
    [
        ("ferry at Lower Ford had to stop for nine days", "steering-group-march.pptx", "nine days", {"slide": 1}),
        ("who asks that the mill pond be kept", "steering-group-march.pptx", "Anna Verrin", {"slide": 2}),
        ("Ruth Calder sluice gate cracked", "inspection-letter-scan.pdf", "40", {"page": 1}),
        ("otter tracks surveyor Lucia Ferro", "survey-sheets.tif", "Otter tracks", {"page": 2}),
        ("report poachers to the warden", "notice-board.jpg", "Tomas Leeds", {}),
        ("zero point above sea level", "gauge-plate.png", "83.42", {}),
        ("who demolishes Harrow Weir", "weir-removal-plan.docx", "Kestrel Civil Works", {}),
        ("oldest alder on the Tamsin", "field-guide.md", "140", {}),
        ("bronze bell under the sluice", "open-day-talk.srt", "Jacob Tiel", {"seconds": [72.0, 81.0]}),
        ("boat trip skipper", "open-day-slides.mp4", "Petra Lund", {}),
        ("whistle of an otter", "otter-whistle.mp3", "Lucia Ferro", {}),
    ],
)
def test_each_format_is_found_with_its_place(
    toured: Server, words: str, source: str, holding: str, place: dict[str, Any]
) -> None:
    positions = _passage(toured, words, source, holding)["positions"]
    assert positions
    for name, value in place.items():
        assert value in [position.get(name) for position in positions]


def test_a_second_ingest_reads_nothing_again(toured: Server) -> None:
    before = _lines(toured.cli("documents", "--json").stdout)
    again = toured.cli("ingest", str(FILES), "--root", str(FILES))
    handed_over = [source for source in before if not source["parent"]]
    assert again.stdout.startswith(f"0 ready (0 passages), {len(handed_over)} unchanged"), again.stdout
    assert _lines(toured.cli("documents", "--json").stdout) == before


def test_status_documents_and_chunks_tell_the_same(toured: Server) -> None:
    counts = json.loads(toured.cli("status", "--json").stdout)
    listed = _lines(toured.cli("documents", "--json").stdout)
    assert counts["by_state"]["ready"] == len(listed)
    assert counts["chunks"] == sum(source["chunks"] for source in listed)
    largest = max(listed, key=lambda source: int(source["chunks"]))
    assert len(_lines(toured.cli("chunks", largest["name"], "--json").stdout)) == largest["chunks"]
    table = toured.cli("documents", "--state", "ready", "--limit", "2").stdout.splitlines()
    assert len(table) == 3
    assert "Ilse Brandt" in toured.cli("chunks", "people.html").stdout


@pytest.mark.parametrize("mode", [mode.value for mode in Mode])
def test_search_on_the_command_line_knows_every_mode(toured: Server, mode: str) -> None:
    found = json.loads(toured.cli("search", "Ilse Brandt Harrow Weir", "--mode", mode, "--json").stdout)
    assert found["mode"] == mode
    assert any("Ilse Brandt" in hit["chunk"]["text"] for hit in found["hits"])


def test_the_graph_lists_and_shows_with_evidence(toured: Server) -> None:
    assert "Ilse Brandt" in toured.cli("graph", "list", "ilse").stdout
    shown = toured.cli("graph", "show", "Ilse Brandt").stdout
    assert shown.startswith("Ilse Brandt (person)")
    assert "Harrow Weir" in shown
    assert "people.html, chunk" in shown
    unknown = toured.cli("graph", "show", "Nobody Atall", check=False)
    assert unknown.returncode == 1
    assert "graph list" in unknown.stderr


def test_a_deleted_document_is_gone_and_may_come_back(toured: Server, tmp_path: Path) -> None:
    (tmp_path / "passing-note.txt").write_text("The otter Bartholomew Quill swims at Oxley Meadow.")
    toured.cli("ingest", str(tmp_path), "--root", str(tmp_path))
    assert "Quill" in toured.cli("search", "Bartholomew Quill").stdout
    assert toured.cli("delete", "passing-note.txt", "--yes").stdout == "Deleted passing-note.txt.\n"
    assert "Quill" not in toured.cli("search", "Bartholomew Quill").stdout
    assert toured.cli("chunks", "passing-note.txt", check=False).returncode == 1
    assert toured.cli("ingest", str(tmp_path), "--root", str(tmp_path)).stdout.startswith("1 ready (1 passage)")
    toured.cli("delete", "passing-note.txt", "--yes")


def test_without_a_server_a_command_brings_its_own(tmp_path: Path) -> None:
    alone = Server(tmp_path / "data")
    (tmp_path / "keeper.txt").write_text("The keeper of Vellan Light is Petra Anselm.")
    read = alone.cli("ingest", str(tmp_path / "keeper.txt"), "--root", str(tmp_path))
    assert "starting it for this command" in read.stderr
    assert read.stdout.startswith("1 ready (1 passage)")
    asked = alone.cli("ask", "Who is the keeper of Vellan Light?")
    assert "Petra Anselm" in asked.stdout
    assert "keeper.txt, chunk 1" in asked.stdout
    assert not (tmp_path / "data" / "server.json").exists()


def test_parse_prints_units_and_stores_nothing(toured: Server, tmp_path: Path) -> None:
    alone = Server(tmp_path / "nothing")
    seen = alone.cli("parse", str(FILES / "steering-group-march.pptx"))
    assert any(line.startswith("note\t") and "\tslide 1, " in line for line in seen.stdout.splitlines())
    assert not (tmp_path / "nothing").exists()
    parsed = json.load(io.StringIO(alone.cli("parse", str(FILES / "fish-counts.csv"), "--json").stdout))
    assert parsed["media_type"] == "text/csv"


def test_parse_shows_what_is_in_the_files_inside_a_file(tmp_path: Path) -> None:
    inner = EmailMessage()
    inner["From"], inner["To"], inner["Subject"] = "ada@a.example", "bo@b.example", "Tables"
    inner.set_content("Two tables.")
    inner.add_attachment("Weir,Height\nUpper,2.4\n", subtype="csv", filename="heights.csv")
    inner.add_attachment(b"%PDF-1.4 broken", maintype="application", subtype="pdf", filename="plan.pdf")
    outer = EmailMessage()
    outer["From"], outer["To"], outer["Subject"] = "bo@b.example", "cy@c.example", "Forwarded"
    outer.set_content("See the mail inside.")
    outer.add_attachment(inner)
    (tmp_path / "mail.eml").write_bytes(outer.as_bytes())
    alone = Server(tmp_path / "nothing")
    seen = alone.cli("parse", str(tmp_path / "mail.eml"))
    assert "--- Tables.eml > heights.csv\ntable\tWeir: Upper; Height: 2.4\trow 2" in seen.stdout
    assert "This PDF is damaged" in seen.stderr
    read = json.loads(alone.cli("parse", str(tmp_path / "mail.eml"), "--json").stdout)
    assert [child["names"] for child in read["children"]] == [
        ["Tables.eml"],
        ["Tables.eml", "heights.csv"],
        ["Tables.eml", "plan.pdf"],
    ]
    assert "content" not in str(read["children"][0])
