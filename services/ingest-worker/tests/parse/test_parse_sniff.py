"""The format is found by content; what cannot be read is named."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from trivium.domain.errors import NeverWill
from trivium.ports.parser import Blob
from trivium_ingest import parse as parsing
from trivium_ingest.parse.build import fingerprint
from trivium_ingest.parse.evidence import NAME_BONUS, Evidence
from trivium_ingest.parse.registry import known_formats
from trivium_ingest.parse.sniff import find_format

from .conftest import Parse, picture

EXAMPLES = sorted((Path(__file__).parents[4] / "examples").glob("f*/*"))
ONLY_BY_NAME = {".py", ".yaml"}


@pytest.mark.parametrize(
    ("content", "name", "expected"),
    [
        (picture(), "report.pdf", "images (PNG, JPEG, TIFF, BMP, GIF, WebP, HEIC)"),
        (b"<!-- x --><html><body>Hi</body></html>", "page.txt", "HTML"),
        (b"# Title\n\nText with **bold** words.\n", "notes.txt", "Markdown"),
        (b"a,b,c\n1,2,3\n4,5,6\n", "table.txt", "CSV"),
        (b"one\ntwo\n", "list.csv", "CSV"),
        (b"Just a sentence, with a comma.", "x.md", "Markdown"),
        (b"Just a sentence, with a comma.\nAnd, well, another one.", "x.pdf", "plain text"),
        (b'<?xml version="1.0"?><feed/>', "x.html", "XML"),
        (b'{"a": 1}', "x.txt", "JSON"),
    ],
)
def test_content_decides_and_the_name_only_breaks_ties(content: bytes, name: str, expected: str) -> None:
    assert find_format(Blob(name, content)).name == expected


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.name)
def test_every_example_is_known_by_its_content_but_those_that_only_a_name_tells_from_other_text(path: Path) -> None:
    content = path.read_bytes()
    named, nameless = find_format(Blob(path.name, content)), find_format(Blob("nameless", content))
    assert path.suffix[1:] in named.extensions
    assert (nameless is named) == (path.suffix not in ONLY_BY_NAME)


def test_a_name_counts_more_than_marks_and_with_them_less_than_a_signature() -> None:
    with_name = {each: each + NAME_BONUS for each in Evidence}
    assert with_name[Evidence.NAMED_MARKUP] > with_name[Evidence.NAMED_SOURCE] > Evidence.OWN_MARKS
    assert with_name[Evidence.NAMED_OUTLINE] > Evidence.FIRST_LINE
    assert with_name[Evidence.IF_NAMED] == Evidence.MARKS
    assert with_name[Evidence.OWN_MARKS] < Evidence.SHORT_SIGNATURE
    assert with_name[Evidence.LEAST] > Evidence.TEXT > Evidence.POSSIBLE


@pytest.mark.parametrize(
    ("content", "looks_like"),
    [
        (b"MZ\x90\0\x03\0\0\0\x04\0", "a Windows program"),
        (b"Rar!\x1a\7\1\0", "a RAR archive"),
        (b"FLV\x01\x05\0\0\0\x09", "a Flash video"),
        (b"%!PS-Adobe-3.0 hello", "a PostScript file"),
        (os.urandom(2000) + b"\0\1\2\3", "binary data of an unknown kind"),
    ],
)
def test_what_is_not_supported_is_named_with_what_is(parse: Parse, content: bytes, looks_like: str) -> None:
    with pytest.raises(NeverWill) as failure:
        parse(content, "letter.docx")
    assert failure.value.code == "unsupported_format"
    assert looks_like in failure.value.message or looks_like.startswith("binary")
    assert "PDF" in failure.value.action


def test_an_empty_file_says_so(parse: Parse) -> None:
    with pytest.raises(NeverWill) as failure:
        parse(b"", "zero.pdf")
    assert failure.value.code == "empty_file"


def test_a_file_over_its_size_names_the_limit(parse: Parse) -> None:
    with pytest.raises(NeverWill, match="max_bytes"):
        parse(b"x" * 101, limits={"max_bytes": 100})


def test_every_format_has_a_name_of_its_own_and_the_fingerprint_is_stable() -> None:
    names = [entry.name for entry in known_formats()]
    assert len(set(names)) == len(names)
    assert fingerprint() == fingerprint()


def test_a_module_is_a_format_if_and_only_if_its_name_says_so() -> None:
    root = Path(parsing.__path__[0])
    formats = {path for path in root.rglob("*.py") if "\nFORMAT = " in path.read_text(encoding="utf-8")}
    assert formats == set(root.glob("*/*_format.py"))
    assert len(formats) == len(known_formats())
