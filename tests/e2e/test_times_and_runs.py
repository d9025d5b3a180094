"""Documents by the day they came, by the date they give themselves, and by the call that brought them."""

from __future__ import annotations

import io
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from outlook_files import filetime
from PIL import Image, ImageDraw, ImageFont
from PIL.ExifTags import IFD, Base
from word_files import summary, word_file

from trivium.domain.retrieval import Mode
from trivium.domain.times import written

from .conftest import Server

MAIL = """From: Ilse Brandt <ilse@example.org>
To: Corrin Yard <yard@example.org>
Subject: Skerry Point
Date: Mon, 03 Apr 2017 23:30:00 -0500
Message-ID: <1@example.org>
Content-Type: text/plain

The lighthouse at Skerry Point will be painted red by Ilse Brandt.
"""
PAGE = """<html><head><title>Skerry Point</title><meta name="date" content="1931-06-02"></head>
<body><p>The lighthouse at Skerry Point was built by Ilse Brandt.</p></body></html>"""
LEASE = r"{\rtf1{\info{\creatim\yr1974\mo8\dy9\hr10\min11}}\pard The lighthouse at Skerry Point was let.\par}"
NOTE = "# Skerry Point\n\nThe lighthouse at Skerry Point. Ilse Brandt painted the lighthouse at Skerry Point."
QUESTION = "Who painted the lighthouse at Skerry Point?"


@pytest.fixture(scope="module")
def harbour(server: Server) -> Server:
    """A mail and a page of two runs, beside notes without a date that say more about the same."""
    for number in range(20):
        server.take(f"notes/{number}.md", f"{NOTE} Note {number}.".encode(), run="notes")
    server.take("skerry.eml", MAIL.encode(), run="mails")
    server.take("skerry.rtf", LEASE.encode(), run="papers")
    saved = summary(0, filetime(datetime(1998, 5, 6, 7, 8, 9, tzinfo=UTC)))
    server.take("skerry.doc", word_file("The lighthouse at Skerry Point was sold.\r", more=saved), run="papers")
    server.take("skerry.jpg", photograph("The lighthouse at Skerry Point"), run="papers")
    time.sleep(1.1)  # times are told apart by the second
    server.take("skerry.html", PAGE.encode(), run="pages")
    return server


def photograph(said: str) -> bytes:
    """Taken on 3 February 2009 in Adelaide."""
    image = Image.new("RGB", (900, 120), "white")
    ImageDraw.Draw(image).text((30, 30), said, fill="black", font=ImageFont.load_default(48))
    exif = Image.Exif()
    exif.get_ifd(IFD.Exif).update({Base.DateTimeOriginal: "2009:02:03 04:05:06", Base.OffsetTimeOriginal: "+10:30"})
    stream = io.BytesIO()
    image.save(stream, "JPEG", exif=exif)
    return stream.getvalue()


def found(server: Server, mode: str = "hybrid", **filters: str) -> list[str]:
    with server.http() as client:
        wanted = {"query": QUESTION, "mode": mode, "top_k": 5, "filters": filters}
        answer = client.post("/v1/search", json=wanted)
        assert answer.status_code == 200, answer.text
        return sorted({hit["chunk"]["source"] for hit in answer.json()["hits"]})


def source(server: Server, name: str) -> dict[str, Any]:
    with server.http() as client:
        known: list[dict[str, Any]] = client.get("/v1/sources", params={"limit": 200}).json()["sources"]
        return next(each for each in known if each["name"] == name)


@pytest.mark.parametrize("mode", [mode.value for mode in Mode])
def test_each_mode_finds_a_run_of_one_document(harbour: Server, mode: str) -> None:
    assert found(harbour, mode, run="mails") == ["skerry.eml"]


@pytest.mark.parametrize("mode", [mode.value for mode in Mode])
def test_each_mode_finds_the_one_document_of_a_day(harbour: Server, mode: str) -> None:
    assert found(harbour, mode, since="2017-04-04", until="2017-04-04", time="dated") == ["skerry.eml"]


def test_a_document_s_own_date_is_told_and_asked_about_with_and_without_a_time_zone(harbour: Server) -> None:
    assert written(source(harbour, "skerry.eml")["dated_at"]) == "2017-04-04T04:30:00Z"
    assert written(source(harbour, "skerry.html")["dated_at"]) == "1931-06-02T00:00:00Z"
    assert "dated_at" not in source(harbour, "notes/0.md")
    for since, expected in (
        ("1900", ["skerry.doc", "skerry.eml", "skerry.html", "skerry.jpg", "skerry.rtf"]),
        ("2017-04-03T23:30:00-05:00", ["skerry.eml"]),
        ("2017-04-04T04:30:00Z", ["skerry.eml"]),
        ("2017-04-04T04:30:01", []),
        ("2017", ["skerry.eml"]),
        ("2017-05", []),
        ("2009-02-02T17:35:06Z", ["skerry.eml", "skerry.jpg"]),
        ("2009-02-02T17:35:07Z", ["skerry.eml"]),
    ):
        assert found(harbour, since=since, time="dated") == expected, since
    assert found(harbour, until="1931", time="dated") == ["skerry.html"]
    assert found(harbour, until="1930", time="dated") == []


@pytest.mark.parametrize(
    ("name", "when"),
    [
        ("skerry.rtf", "1974-08-09T10:11:00Z"),
        ("skerry.doc", "1998-05-06T07:08:09Z"),
        ("skerry.jpg", "2009-02-02T17:35:06Z"),
    ],
)
def test_photographs_and_files_of_word_are_found_by_the_dates_inside(harbour: Server, name: str, when: str) -> None:
    assert written(source(harbour, name)["dated_at"]) == when
    assert found(harbour, since=when[:10], until=when[:10], time="dated") == [name]
    told = harbour.cli("search", QUESTION, "--since", when, "--until", when, "--time", "dated").stdout
    assert name in told


def test_the_time_of_upload_is_asked_about(harbour: Server) -> None:
    late = source(harbour, "skerry.html")
    assert found(harbour, since=written(late["uploaded_at"])) == ["skerry.html"]
    assert "skerry.html" not in found(harbour, until=written(late["uploaded_at"] - 1))
    assert found(harbour, until="1999") == []


def test_a_listing_and_an_answer_are_restricted_too(harbour: Server) -> None:
    with harbour.http() as client:
        for filters, names in (
            ({"run": "pages"}, ["skerry.html"]),
            ({"since": "2010", "time": "dated"}, ["skerry.eml"]),
            ({"run": "notes", "since": "2000", "time": "dated"}, []),
            ({"until": "1999"}, []),
        ):
            listed = client.get("/v1/sources", params=filters).json()["sources"]
            assert [each["name"] for each in listed] == names, filters
    shown = harbour.cli("documents", "--run", "mails").stdout
    assert "2017-04-04" in shown
    assert "skerry.eml" in shown
    assert "skerry.html" not in shown
    answered = harbour.cli("ask", QUESTION, "--since", "2017-04", "--until", "2017-04", "--time", "dated").stdout
    assert "skerry.eml" in answered
    assert "notes/" not in answered
    assert "skerry.eml" not in harbour.cli("search", "lighthouse", "--run", "pages").stdout


@pytest.mark.parametrize("bad", ["2017-02-30", "yesterday", "2017-13", "2017-W14", "1" * 12, "2017-04-04T25:00"])
def test_what_is_no_time_is_refused_with_words(harbour: Server, bad: str) -> None:
    with harbour.http() as client:
        for refused in (
            client.post("/v1/search", json={"query": "x", "filters": {"since": bad}}),
            client.post("/v1/queries", json={"query": "x", "filters": {"until": bad}}),
            client.get("/v1/sources", params={"until": bad}),
        ):
            assert refused.status_code == 422, refused.text
            assert "2026-11-24" in str(refused.json())
    told = harbour.cli("search", "lighthouse", "--since", bad, check=False)
    assert (told.returncode, "is no time" in told.stderr) == (2, True)


def test_times_in_the_wrong_order_and_unknown_times_are_refused(harbour: Server) -> None:
    with harbour.http() as client:
        turned = client.post("/v1/search", json={"query": "x", "filters": {"since": "2020", "until": "2019"}})
        assert (turned.status_code, turned.json()["code"]) == (422, "bad_time")
        unknown = client.post("/v1/search", json={"query": "x", "filters": {"since": "2020", "time": "read"}})
        assert unknown.json()["errors"] == [
            {"field": "body.filters.time", "message": "Expected one of uploaded, dated"}
        ]
        assert client.get("/v1/sources", params={"run": "../x"}).status_code == 422


def test_the_command_line_names_its_run(harbour: Server, tmp_path: Path) -> None:
    (tmp_path / "new.txt").write_text("A new note about the quay.")
    told = harbour.cli("ingest", str(tmp_path), "--root", str(tmp_path), "--run", "by-hand").stderr
    assert "This was run by-hand" in told
    assert source(harbour, "new.txt")["run"] == "by-hand"
    (tmp_path / "other.txt").write_text("Another note about the quay.")
    harbour.cli("ingest", str(tmp_path), "--root", str(tmp_path))
    assert source(harbour, "new.txt")["run"] == "by-hand"  # what had not changed is not of the second
    assert source(harbour, "other.txt")["run"] not in ("", "by-hand")
