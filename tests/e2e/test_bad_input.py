"""Hostile and broken input: each ends in a clear message, and the next good file is read all the same."""

from __future__ import annotations

import io
import random
import threading
import time
import zipfile
from collections.abc import Callable
from pathlib import Path

import httpx2
import pytest
from PIL import Image
from reportlab.lib.pagesizes import A4
from reportlab.pdfgen.canvas import Canvas
from waiting import wait_until
from zip_files import zipped

from .conftest import Server

CONTENT_TYPES = (
    '<?xml version="1.0"?><Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
    '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
    '<Override PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-officedocument.'
    'wordprocessingml.document.main+xml"/></Types>'
)
RELATIONS = (
    '<?xml version="1.0"?><Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">'
    '<Relationship Id="rId1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" '
    'Target="word/document.xml"/></Relationships>'
)
LAUGHS = (
    '<?xml version="1.0"?><!DOCTYPE d [<!ENTITY a "hahahahaha">'
    + "".join(f'<!ENTITY {b} "{f"&{a};" * 10}">' for a, b in zip("abcdefgh", "bcdefghi", strict=True))
    + "]><d>&i;</d>"
)


def pdf(pages: int, encrypt: str | None = None) -> bytes:
    stream = io.BytesIO()
    canvas = Canvas(stream, pagesize=A4, invariant=1, encrypt=encrypt)
    for page in range(1, pages + 1):
        canvas.drawString(72, 720, f"Sheet {page} of the survey was drawn by Nerissa Oakvale{page}.")
        canvas.showPage()
    canvas.save()
    return stream.getvalue()


def docx(document: bytes) -> bytes:
    parts = {"[Content_Types].xml": CONTENT_TYPES, "_rels/.rels": RELATIONS, "word/document.xml": document}
    return zipped(parts, zipfile.ZIP_DEFLATED)


def image(width: int, height: int) -> bytes:
    stream = io.BytesIO()
    Image.new("1", (width, height), 1).save(stream, "PNG")
    return stream.getvalue()


def noise() -> bytes:
    return random.Random(7).randbytes(4096)


BROKEN: dict[str, tuple[str, Callable[[], bytes], str]] = {
    "an empty file": ("empty.pdf", lambda: b"", "empty_file"),
    "noise": ("noise.pdf", noise, "unsupported_format"),
    "a PDF cut in its first page": ("cut.pdf", lambda: pdf(3)[:400], "corrupt_file"),
    "an encrypted PDF": ("locked.pdf", lambda: pdf(1, encrypt="secret"), "password_needed"),
    "a zip bomb in an office file": ("bomb.docx", lambda: docx(b"<a>" + b"\0" * 300_000_000), "limit_exceeded"),
    "an office file cut in half": ("half.docx", lambda: docx(noise() * 4)[:9000], "corrupt_file"),
    "an image of 100 million pixels": ("huge.png", lambda: image(10_000, 10_000), "limit_exceeded"),
    "an image cut off": ("cut.png", lambda: image(300, 300)[:60], "corrupt_file"),
}


def reads_on(server: Server) -> None:
    note = f"The warden of gate {time.monotonic_ns()} is Clover Dunmore."
    assert server.take(f"good-{time.monotonic_ns()}.txt", note)["state"] == "ready"


@pytest.mark.parametrize("what", BROKEN)
def test_a_file_that_cannot_be_read_fails_with_a_reason(server: Server, what: str) -> None:
    name, make, code = BROKEN[what]
    source = server.take(name, make())
    assert source["state"] == "failed", source
    reason = source["reason"]
    assert (reason["code"], reason["stage"]) == (code, "parse"), reason
    assert reason["message"]
    assert reason["action"]
    reads_on(server)
    listed = server.cli("documents", "--state", "failed").stdout
    assert reason["message"] in listed


def test_a_billion_laughs_are_not_laughed(server: Server) -> None:
    source = server.take("laughs.xml", LAUGHS)
    assert source["state"] == "failed" or source["chunks"] < 3
    source = server.take("laughs.docx", docx(LAUGHS.encode()))
    assert source["state"] in ("failed", "empty")
    reads_on(server)


def test_a_wrong_extension_misleads_nobody(server: Server) -> None:
    table = "Keeper,Light,Since\nBrannock Vale,Vellan Point,1901\nIda Thole,Skerra Point,1911\nJon Ek,Ask Bay,1920\n"
    rows = server.take("table.docx", table)
    assert (rows["state"], rows["media_type"]) == ("ready", "text/csv")
    pages = server.take("pages.txt", pdf(1))
    assert (pages["state"], pages["media_type"]) == ("ready", "application/pdf")
    nameless = server.take("README", "The mill of Aske turns twice a day.")
    assert nameless["state"] == "ready"


def test_text_with_invalid_bytes_is_read_with_a_warning_or_in_its_encoding(server: Server) -> None:
    source = server.take("mixed.txt", b"The gatekeeper \xff\xfe\xfa of Ormsby is Tilda Quennell.\n\xc3\x28 \x80\x81\n")
    assert source["state"] == "ready"
    assert any("Tilda Quennell" in hit["chunk"]["text"] for hit in server.search("gatekeeper of Ormsby"))


def test_a_table_of_one_column_is_read(server: Server) -> None:
    source = server.take("ferries.csv", "Ferry\nMaid of Thurso\nHebridean Star\n")
    assert source["state"] == "ready"
    assert any("Hebridean Star" in hit["chunk"]["text"] for hit in server.search("Hebridean Star ferry"))


def test_a_pdf_of_300_pages_is_read_to_its_last(server: Server) -> None:
    source = server.take("survey.pdf", pdf(300))
    assert source["state"] == "ready"
    hit = server.search("Nerissa Oakvale300", filters={"document_ids": [source["id"]]})[0]["chunk"]
    assert "Oakvale300" in hit["text"]
    assert 300 in [position["page"] for position in hit["positions"]]


def test_a_pdf_that_lost_its_end_gives_what_is_left_or_says_why(server: Server) -> None:
    whole = pdf(20)
    source = server.take("torn.pdf", whole[: len(whole) * 2 // 3])
    assert source["warnings"] if source["state"] == "ready" else source["reason"]["action"]
    reads_on(server)


def test_files_deleted_while_a_folder_is_read_are_told_and_the_rest_is_read(server: Server, tmp_path: Path) -> None:
    files = [tmp_path / f"note-{n:02d}.txt" for n in range(40)]
    for number, file in enumerate(files):
        file.write_text(f"Gate {number} of Vanishing Park was painted by Ansgar Tull.")
    kept, lost = files[:30], files[30:]

    def delete_when_the_first_has_come() -> None:
        with server.http() as client:
            wait_until(lambda: _known(client, tmp_path), "the first has come", pause_s=0.002)
        for file in lost:
            file.unlink()

    deleting = threading.Thread(target=delete_when_the_first_has_come)
    deleting.start()
    done = server.cli("ingest", str(tmp_path), check=False)
    deleting.join()
    assert done.returncode == 1
    assert f"{len(kept)} ready" in done.stdout, done.stdout + done.stderr
    assert done.stderr.count("could not be read: No such file or directory") == len(lost)


def _known(client: httpx2.Client, folder: Path) -> bool:
    newest = client.get("/v1/sources", params={"limit": 1}).json()["sources"]
    return bool(newest) and folder.name in newest[0]["name"]


@pytest.mark.parametrize("path", ["/v1/queries", "/v1/search"])
def test_a_question_of_100_000_characters_is_refused(server: Server, path: str) -> None:
    field = "question" if path == "/v1/queries" else "query"
    with server.http() as client:
        answer = client.post(path, json={field: "why " * 25_000})
    assert answer.status_code == 422
    assert "4000" in answer.json()["detail"]
    assert answer.json()["action"]


def test_a_question_of_100_000_characters_is_refused_on_the_command_line(server: Server) -> None:
    done = server.cli("ask", "why " * 25_000, check=False)
    assert done.returncode == 1
    assert done.stderr.startswith("Error: ")
    assert "4000" in done.stderr
    assert len(done.stderr) < 1000


@pytest.mark.parametrize("identifier", ["0" * 32, "no-such-id", "..%2f..%2fetc", "%00", "x" * 64])
@pytest.mark.parametrize("below", ["", "/content", "/content?chunk=1", "/chunks"])
def test_an_unknown_document_is_not_found(server: Server, identifier: str, below: str) -> None:
    with server.http() as client:
        answer = client.get(f"/v1/sources/{identifier}{below}")
        assert answer.status_code == 404
        assert answer.json()["action"]
        if not below:
            assert client.delete(f"/v1/sources/{identifier}").status_code == 404


def test_an_unknown_document_is_told_on_the_command_line(server: Server) -> None:
    for command in ("chunks", "delete"):
        done = server.cli(command, "no-such-document", *(["--yes"] if command == "delete" else []), check=False)
        assert done.returncode == 1
        assert "no-such-document" in done.stderr
        assert "trivium documents" in done.stderr


@pytest.mark.parametrize("name", ["", "/", "..", "n" * 1100])
def test_a_file_without_a_usable_name_is_refused(server: Server, name: str) -> None:
    with server.http() as client:
        answer = client.post("/v1/sources", files={"file": (name, b"text")})
    assert 400 <= answer.status_code < 500
    assert answer.json()["action"]


def test_one_refused_file_keeps_none_of_the_others_out(server: Server) -> None:
    with server.http() as client:
        answer = client.post("/v1/sources", files=[("file", ("a.txt", b"A good note.")), ("file", ("..", b"no"))])
    assert answer.status_code == 202
    assert [source["name"] for source in answer.json()["sources"]] == ["a.txt"]
    assert answer.json()["refused"][0]["action"]


def test_broken_requests_are_told(server: Server) -> None:
    with server.http() as client:
        for content in (
            b"{",
            b"[]",
            b"\xff",
            b'{"query": 3}',
            b'{"query": "x", "top_k": 0}',
            b'{"query": "x", "no": 1}',
        ):
            answer = client.post("/v1/search", content=content, headers={"content-type": "application/json"})
            assert 400 <= answer.status_code < 500, content
            assert answer.json()["action"]
        answer = client.post("/v1/search", content=b" " * 2_000_000, headers={"content-type": "application/json"})
        assert answer.status_code == 413
