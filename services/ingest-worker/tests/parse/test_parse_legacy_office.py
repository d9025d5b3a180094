"""DOC and PPT: through LibreOffice, played by a program that takes the same command line, and without it."""

from __future__ import annotations

import io
import os
import sys
import tempfile
from contextlib import closing
from pathlib import Path

import docx
import pptx
import pytest
from office_97_files import locked_presentation_file, workbook_file
from outlook_files import Tree, compound_file
from tiny_disk import tiny_disk
from word_files import powerpoint_file, word_file, word_streams

from trivium.domain.errors import NeverWill, TryLater
from trivium.domain.parsed import UnitKind
from trivium.ports.parser import Blob, ParseLimits
from trivium_ingest.parse.office import libre_office
from trivium_ingest.parse.sandbox import Sandbox

from .conftest import Parse, texts

SLIDES = powerpoint_file()
PEER = """#!{python}
import pathlib, sys, time
words = sys.argv[1:]
out = pathlib.Path(words[words.index("--outdir") + 1])
profile = next(word.partition("file://")[2] for word in words if word.startswith("-env:UserInstallation="))
settings = (pathlib.Path(profile) / "user" / "registrymodifications.xcu").read_text()
if "--headless" not in words or '"DisableMacrosExecution" oor:op="fuse"><value>true<' not in settings:
    sys.exit(1)
{body}
"""
CONVERTS = """
out.mkdir()
kind = words[words.index("--convert-to") + 1]
(out / f"document.{kind}").write_bytes(pathlib.Path("{ready}").read_bytes())
"""
READS = """
if b"The weir falls." not in pathlib.Path(words[-1]).read_bytes():
    sys.exit(1)
"""
HANGS = """
pathlib.Path("{ready}").write_text(str(__import__("os").getpid()))
time.sleep(60)
"""


def _peer(monkeypatch: pytest.MonkeyPatch, folder: Path, body: str) -> Path:
    """Put a program called `soffice` on the path; answers the file that its body calls `ready`."""
    ready, program = folder / "ready", folder / "soffice"
    program.write_text(PEER.format(python=sys.executable, body=body.replace("{ready}", str(ready))))
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(folder))
    return ready


def _docx() -> bytes:
    document = docx.Document()
    document.add_heading("River plan", 1)
    document.add_paragraph("The weir falls.")
    stream = io.BytesIO()
    document.save(stream)
    return stream.getvalue()


def _pptx() -> bytes:
    deck = pptx.Presentation()
    deck.slides.add_slide(deck.slide_layouts[5]).shapes.title.text = "River plan"
    stream = io.BytesIO()
    deck.save(stream)
    return stream.getvalue()


def test_a_word_97_document_is_read_as_its_conversion(
    parse: Parse, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    _peer(monkeypatch, tmp_path, CONVERTS).write_bytes(_docx())
    document = parse(word_file("The weir falls.\r"), "plan.doc")
    assert [(unit.kind.value, unit.text) for unit in document.units] == [
        ("heading", "River plan"),
        ("text", "The weir falls."),
    ]
    assert document.media_type == "application/msword"


def test_a_powerpoint_97_presentation_is_read_as_its_conversion(
    parse: Parse, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    _peer(monkeypatch, tmp_path, CONVERTS).write_bytes(_pptx())
    document = parse(SLIDES, "plan.ppt")
    assert [(unit.text, unit.position.slide) for unit in document.units] == [("River plan", 1)]
    assert document.media_type == "application/vnd.ms-powerpoint"


def test_a_conversion_that_hangs_is_ended_with_its_program(
    parse: Parse, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    running = _peer(monkeypatch, tmp_path, HANGS)
    monkeypatch.setattr(libre_office, "CONVERT_S", 1.5)
    with pytest.raises(NeverWill, match="does not come to an end") as failure:
        parse(SLIDES, "plan.ppt")
    assert failure.value.code == "corrupt_file"
    with pytest.raises(ProcessLookupError):
        os.kill(int(running.read_text()), 0)


def test_a_conversion_of_which_nothing_comes_is_a_corrupt_file(
    parse: Parse, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    _peer(monkeypatch, tmp_path, "")
    with pytest.raises(NeverWill) as failure:
        parse(SLIDES, "plan.ppt")
    assert failure.value.code == "corrupt_file"


def test_a_conversion_on_a_full_disk_waits_for_room(
    parse: Parse, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    fills = "pathlib.Path(words[-1]).with_name('filling').write_bytes(bytes(2_000_000))"
    _peer(monkeypatch, tmp_path, fills)
    with tiny_disk(tmp_path / "disk") as disk:
        monkeypatch.setattr(tempfile, "tempdir", str(disk.folder))
        with pytest.raises(TryLater) as failure:
            parse(SLIDES, "plan.ppt")
        assert failure.value.code == "disk_full"
    monkeypatch.setattr(tempfile, "tempdir", None)
    _peer(monkeypatch, tmp_path, CONVERTS).write_bytes(_pptx())
    assert parse(SLIDES, "plan.ppt").units


def test_a_disk_that_is_full_before_the_conversion_costs_no_file(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    _peer(monkeypatch, tmp_path, CONVERTS).write_bytes(_pptx())
    with tiny_disk(tmp_path / "disk") as disk:
        monkeypatch.setenv("TMPDIR", str(disk.folder))  # before a child is started
        with closing(Sandbox()) as sandbox:
            assert sandbox.parse(Blob("plan.ppt", SLIDES)).units
            disk.fill()
            with pytest.raises(TryLater) as failure:
                sandbox.parse(Blob("plan.ppt", SLIDES))
            assert failure.value.code == "disk_full"
            disk.free()
            assert sandbox.parse(Blob("plan.ppt", SLIDES)).units


@pytest.mark.parametrize(
    ("flags", "code"), [(0x0100, "password_needed"), (0x8100, "encryption_unsupported")], ids=["RC4", "XOR"]
)
def test_a_document_with_a_password_says_so_although_libre_office_only_fails(
    parse: Parse, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, flags: int, code: str
) -> None:
    _peer(monkeypatch, tmp_path, "")
    with pytest.raises(NeverWill) as failure:
        parse(word_file("secret\r", flags=flags), "plan.doc")
    assert failure.value.code == code


def test_an_encrypted_presentation_is_deciphered_before_its_conversion(
    parse: Parse, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    _peer(monkeypatch, tmp_path, READS + CONVERTS).write_bytes(_pptx())
    content = locked_presentation_file("The weir falls.", "Märzveilchen 7")
    for password, code in (("", "password_needed"), ("Winterling", "password_wrong")):
        with pytest.raises(NeverWill) as failure:
            parse(content, "plan.ppt", password=password)
        assert failure.value.code == code
    assert parse(content, "plan.ppt", password="Märzveilchen 7").text == "River plan"


@pytest.mark.usefixtures("no_libre_office")
def test_without_libre_office_a_word_97_document_gives_its_text_and_says_what_is_missing(parse: Parse) -> None:
    body = "River plan\rThe \x13 HYPERLINK \x14weir\x15 falls.\rUpper\x072.4 m\x07\x07Lower\x071.1 m\x07\x07\r"
    document = parse(word_file(body, "Seen in May, at 3\u00a0\u20ac.\r"), "plan.doc")
    assert texts(document, UnitKind.TEXT) == ["River plan", "The weir falls.", "Upper | 2.4 m", "Lower | 1.1 m"]
    assert texts(document, UnitKind.NOTE) == ["Seen in May, at 3 €."]
    assert "LibreOffice is not installed" in document.warnings[0]


@pytest.mark.usefixtures("no_libre_office")
@pytest.mark.parametrize("cut", [600, 1500, 2400, 5000])
def test_without_libre_office_a_damaged_word_97_document_is_called_so(parse: Parse, cut: int) -> None:
    with pytest.raises(NeverWill) as failure:
        parse(word_file("The weir falls.\r")[:cut] + b"\xff" * 40, "plan.doc")
    assert failure.value.code in {"corrupt_file", "unsupported_format"}


@pytest.mark.usefixtures("no_libre_office")
def test_without_libre_office_a_powerpoint_97_presentation_says_what_to_install(parse: Parse) -> None:
    with pytest.raises(NeverWill, match="Install LibreOffice") as failure:
        parse(SLIDES, "plan.ppt")
    assert failure.value.code == "needs_libreoffice"


@pytest.mark.usefixtures("no_libre_office")
@pytest.mark.parametrize("name", ["plan.xls", "plan.doc", "upload"])
def test_what_is_embedded_in_a_file_does_not_decide_what_it_is(parse: Parse, name: str) -> None:
    stream, table = word_streams("An embedded letter.")
    letter: Tree = {"WordDocument": stream, "1Table": table}
    assert parse(workbook_file(["Gauge", "Ford"], more={"MBD0001": letter}), name).text == "Gauge\nFord"
    pool: Tree = {"_1": {"Workbook": b"cells", "PowerPoint Document": b"slides", "__substg1.0_0037001F": b"mail"}}
    assert parse(compound_file({**letter, "ObjectPool": pool}), name).text == "An embedded letter."


@pytest.mark.usefixtures("no_libre_office")
def test_a_presentation_saved_for_powerpoint_95_too_is_known_as_one(parse: Parse) -> None:
    """It keeps its newer half in a storage of its own."""
    content = compound_file({"PP40": b"slides", "PP97_DUALSTORAGE": {"PowerPoint Document": b"slides"}})
    with pytest.raises(NeverWill) as failure:
        parse(content, "plan.ppt")
    assert failure.value.code == "needs_libreoffice"


@pytest.mark.skipif(libre_office.program() is None, reason="LibreOffice is not installed")
def test_libre_office_itself_converts_there_and_back(parse: Parse) -> None:
    old = libre_office.convert(_docx(), "docx", "doc", ParseLimits(), "document")
    assert texts(parse(old, "plan.doc"), UnitKind.HEADING) == ["River plan"]
