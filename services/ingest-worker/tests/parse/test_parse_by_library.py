"""Who reads which file where the library `unstructured` is the reader; a stand-in reads here in its place."""

from __future__ import annotations

import io
from collections.abc import Callable
from contextlib import closing
from email.message import EmailMessage
from pathlib import Path
from zipfile import ZipFile

import pytest

from trivium.config import load_settings
from trivium.domain.errors import NeverWill
from trivium.domain.parsed import ParsedDocument
from trivium.domain.readers import Reader
from trivium.ports.parser import Blob, ParseLimits, ParserModels
from trivium_ingest.assembly import parsing_sandbox
from trivium_ingest.parse import build
from trivium_ingest.parse.build import parse_blob
from trivium_ingest.parse.failures import corrupt, unsupported
from trivium_ingest.parse.sandbox import LONG_S

from .conftest import InkOcr, pdf, picture

THEIRS = ParsedDocument("theirs", ())
CUE = b"1\n00:00:01,000 --> 00:00:02,000\nThe otter whistles.\n"


def mail() -> bytes:
    message = EmailMessage()
    message["From"], message["Subject"] = "mira@example.org", "The permit"
    message.set_content("It is attached.")
    message.add_attachment(b"Permit 7", maintype="text", subtype="plain", filename="permit.txt")
    return message.as_bytes()


def archive() -> bytes:
    stream = io.BytesIO()
    with ZipFile(stream, "w") as file:
        file.writestr("permit.txt", "Permit 7")
    return stream.getvalue()


Reads = Callable[[str, bytes], ParsedDocument]


@pytest.fixture
def failure() -> NeverWill | None:
    """What the library says of every file; None: it reads them all."""
    return None


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch, failure: NeverWill | None) -> Reads:
    def by_library(*_: object) -> ParsedDocument:
        if failure is not None:
            raise failure
        return THEIRS

    monkeypatch.setattr(build, "_by_library", by_library)
    models = ParserModels(InkOcr(), None)
    return lambda name, content: parse_blob(Blob(name, content), ParseLimits(), models, Reader.UNSTRUCTURED, "model")


@pytest.mark.parametrize(
    ("name", "content", "inside"),
    [
        ("permit.eml", mail(), 1),
        ("permits.mbox", b"From mira@example.org Mon Jan  1 00:00:00 2024\n" + mail() + b"\n", 1),
        ("permits.zip", archive(), 1),
        ("scan.png", picture(), 0),
        ("talk.srt", CUE, 0),
    ],
)
def test_mails_archives_pictures_and_recordings_stay_with_our_parsers(
    read: Reads, name: str, content: bytes, inside: int
) -> None:
    document = read(name, content)
    assert document.media_type != THEIRS.media_type
    assert document.units
    assert len(document.children) == inside


@pytest.mark.parametrize(("name", "content"), [("note.txt", b"A heron."), ("winmail.dat", bytes(range(256)))])
def test_other_files_the_library_reads_also_those_that_we_do_not_know(read: Reads, name: str, content: bytes) -> None:
    assert read(name, content) == THEIRS


class TestOfAKindThatItDoesNotRead:
    """A PDF without the library's extra for it."""

    @pytest.fixture
    def failure(self) -> NeverWill | None:
        return unsupported("nothing that it reads here", "others")

    def test_our_parsers_read_it(self, read: Reads) -> None:
        document = read("permit.pdf", pdf(lambda canvas: canvas.drawString(100, 700, "Permit 7")))
        assert [unit.text for unit in document.units] == ["Permit 7"]

    def test_what_they_do_not_know_either_is_refused(self, read: Reads) -> None:
        with pytest.raises(NeverWill) as refusal:
            read("winmail.dat", bytes(range(256)))
        assert refusal.value.code == "unsupported_format"
        assert "binary data of an unknown kind" in refusal.value.message


class TestOfOneThatIsDamaged:
    """The library says so itself."""

    @pytest.fixture
    def failure(self) -> NeverWill | None:
        return corrupt("file")

    def test_it_is_refused(self, read: Reads) -> None:
        with pytest.raises(NeverWill) as refusal:
            read("note.txt", b"A heron.")
        assert refusal.value.code == "corrupt_file"


SPACY = """
import os, time
from pathlib import Path
def load(model, exclude):
    time.sleep(float(os.environ["TRIVIUM_TEST_LOADING_S"]))
    (Path(model) / "loaded").touch()
"""
PARTITION = """
import os
from types import SimpleNamespace
def partition(**_):
    metadata = SimpleNamespace(filetype="theirs", page_number=None, page_name=None)
    return [SimpleNamespace(text=str(os.getpid()), category="NarrativeText", metadata=metadata)]
"""


@pytest.fixture
def library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of a pipeline, whose file `loaded` tells that a child has it; a file is read as the child's number."""
    modules = {"spacy.py": SPACY, "unstructured/nlp/tokenize.py": "", "unstructured/partition/auto.py": PARTITION}
    for name, code in modules.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(code)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.setenv("TRIVIUM_TEST_LOADING_S", "0")
    return tmp_path


@pytest.mark.parametrize("reader", Reader)
def test_a_child_has_loaded_the_library_before_its_first_file_where_a_reader_names_it(
    library: Path, reader: Reader
) -> None:
    settings = load_settings({"TRIVIUM_READER": reader, "TRIVIUM_UNSTRUCTURED_MODEL": str(library)})
    with closing(parsing_sandbox(settings, None)) as sandbox:
        sandbox.fingerprint()
        assert (library / "loaded").exists() == (reader is Reader.UNSTRUCTURED)


def test_a_library_that_loads_slowly_is_loaded_once(library: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRIVIUM_TEST_LOADING_S", str(LONG_S + 0.5))
    settings = load_settings({"TRIVIUM_READER": "unstructured", "TRIVIUM_UNSTRUCTURED_MODEL": str(library)})
    with closing(parsing_sandbox(settings, None)) as sandbox:
        first, second = (sandbox.parse(Blob("note.txt", b"A note."), reader=Reader.UNSTRUCTURED) for _ in range(2))
    assert first.text == second.text, "the same child"


def test_without_its_pipeline_the_library_stops_no_reader_of_ours(tmp_path: Path) -> None:
    settings = load_settings({"TRIVIUM_READER": "unstructured", "TRIVIUM_UNSTRUCTURED_MODEL": str(tmp_path)})
    with closing(parsing_sandbox(settings, None)) as sandbox:
        assert sandbox.parse(Blob("talk.srt", CUE), reader=Reader.UNSTRUCTURED).units


def test_a_pipeline_that_breaks_the_library_stops_no_reader_of_ours(library: Path) -> None:
    (library / "spacy.py").write_text("def load(model, exclude):\n    raise KeyError(model)\n")
    settings = load_settings({"TRIVIUM_READER": "unstructured", "TRIVIUM_UNSTRUCTURED_MODEL": str(library)})
    with closing(parsing_sandbox(settings, None)) as sandbox:
        assert sandbox.parse(Blob("talk.srt", CUE), reader=Reader.UNSTRUCTURED).units
        with pytest.raises(NeverWill) as failure:
            sandbox.parse(Blob("note.txt", b"A note."), reader=Reader.UNSTRUCTURED)
        assert failure.value.code == "parser_crashed"
