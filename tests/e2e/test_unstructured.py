"""The library `unstructured` as a reader; what needs it runs where it is installed (`make test-unstructured`)."""

from __future__ import annotations

from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

import pytest
from unstructured_model import model

from .conftest import EXAMPLES, Server

installed = pytest.mark.skipif(not find_spec("unstructured"), reason="unstructured is not installed")
FILES = EXAMPLES / "files"
TNEF = b"\x78\x9f\x3e\x22" + bytes(range(256)) * 4
"""Something binary that nobody reads."""


def test_without_a_pipeline_it_is_refused_at_the_start(tmp_path: Path) -> None:
    for setting in ({"TRIVIUM_READER": "unstructured"}, {"TRIVIUM_DATASET_READERS": "papers=unstructured"}):
        done = Server(tmp_path / "data", **setting).cli("serve", check=False)
        assert done.returncode == 1
        assert "TRIVIUM_UNSTRUCTURED_MODEL" in done.stderr
    done = Server(tmp_path / "data", TRIVIUM_DATASET_READERS="papers=word").cli("serve", check=False)
    assert "which is no reader.\nUse own, unstructured." in done.stderr


@pytest.mark.skipif(bool(find_spec("unstructured")), reason="unstructured is installed")
def test_where_it_is_not_installed_the_file_says_what_to_install(tmp_path: Path) -> None:
    server = Server(tmp_path / "data", TRIVIUM_READER="unstructured", TRIVIUM_UNSTRUCTURED_MODEL=str(tmp_path))
    done = server.cli("parse", str(FILES / "mill-history.txt"), check=False)
    assert done.returncode == 1
    assert "trivium-ingest-worker[unstructured]" in done.stderr
    own = Server(tmp_path / "data", TRIVIUM_UNSTRUCTURED_MODEL=str(tmp_path))
    assert "1961" in own.cli("parse", str(FILES / "mill-history.txt")).stdout


@installed
def test_a_folder_without_a_pipeline_is_told_and_nothing_is_downloaded(tmp_path: Path) -> None:
    server = Server(tmp_path / "data", TRIVIUM_READER="unstructured", TRIVIUM_UNSTRUCTURED_MODEL=str(tmp_path))
    done = server.cli("parse", str(FILES / "mill-history.txt"), check=False)
    assert done.returncode == 1
    assert "There is no spaCy pipeline at" in done.stderr


@installed
@pytest.mark.parametrize("name", ["weir-removal-plan.docx", "people.html", "fish-counts.csv", "field-guide.md"])
def test_by_name_it_reads_kinds_headings_and_tables(tmp_path: Path, name: str) -> None:
    ours = Server(tmp_path / "data").cli("parse", "--json", str(FILES / name)).stdout
    settings = {"TRIVIUM_READER": "unstructured", "TRIVIUM_UNSTRUCTURED_MODEL": str(model())}
    theirs = Server(tmp_path / "data", **settings).cli("parse", "--json", str(FILES / name)).stdout
    assert theirs != ours
    for kind in ("table", "heading"):
        assert (f'"{kind}"' in theirs) == (f'"{kind}"' in ours), kind


@installed
def test_each_dataset_has_its_reader_and_what_it_read_is_found(start_server: Callable[..., Server]) -> None:
    settings = {"TRIVIUM_DATASET_READERS": "theirs=unstructured", "TRIVIUM_UNSTRUCTURED_MODEL": str(model())}
    server = start_server(**settings)
    content = (FILES / "weir-removal-plan.docx").read_bytes()
    for dataset in ("ours", "theirs"):
        assert server.take(f"{dataset}.docx", content, dataset=dataset)["state"] == "ready"
        (hit, *_) = server.search("Who leads the removal of Harrow Weir?", "keyword", filters={"dataset": dataset})
        assert "Ilse Brandt" in hit["chunk"]["text"]


@installed
def test_what_nobody_knows_is_refused_as_before(start_server: Callable[..., Server]) -> None:
    server = start_server(TRIVIUM_UNSTRUCTURED_MODEL=str(model()))
    failed = server.take("winmail.dat", TNEF)
    assert (failed["state"], failed["reason"]["code"]) == ("failed", "unsupported_format")
    assert server.take("mill.txt", (FILES / "mill-history.txt").read_bytes())["state"] == "ready"
