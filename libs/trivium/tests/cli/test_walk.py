from __future__ import annotations

import os
from pathlib import Path

import pytest

from trivium.cli.walk import FoundFile, Skipped, Walk, expanded, source_name


def walk(
    root: Path, *given: str, hidden: bool = False, follow_links: bool = False
) -> tuple[list[str], dict[str, Skipped]]:
    found = list(Walk(root, root / "data", hidden, follow_links).files([root / name for name in given or (".",)]))
    skipped = {entry.path.relative_to(root).as_posix(): entry for entry in found if isinstance(entry, Skipped)}
    return [entry.name for entry in found if isinstance(entry, FoundFile)], skipped


def make(root: Path, *names: str) -> None:
    for name in names:
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("text")


def test_a_folder_is_walked_in_a_stable_order(tmp_path: Path) -> None:
    make(tmp_path, "b.txt", "a/z.txt", "a/b/c.txt", "C.txt")
    assert walk(tmp_path)[0] == ["C.txt", "a/b/c.txt", "a/z.txt", "b.txt"]


def test_hidden_files_and_folders_are_left_out_unless_asked_for_or_named(tmp_path: Path) -> None:
    make(tmp_path, ".git/config", ".env", "a.txt")
    names, skipped = walk(tmp_path)
    assert names == ["a.txt"]
    assert {name: entry.hidden and not entry.failed for name, entry in skipped.items()} == {".env": True, ".git": True}
    assert walk(tmp_path, hidden=True)[0] == [".env", ".git/config", "a.txt"]
    assert walk(tmp_path, ".env", ".git")[0] == [".env", ".git/config"]


def test_the_data_directory_is_never_read_as_documents(tmp_path: Path) -> None:
    make(tmp_path, "data/registry.sqlite", "a.txt")
    assert walk(tmp_path, hidden=True)[0] == ["a.txt"]


def test_a_file_reached_twice_is_taken_once(tmp_path: Path) -> None:
    make(tmp_path, "docs/a.txt")
    assert walk(tmp_path, "docs", "docs/a.txt", ".")[0] == ["docs/a.txt"]


def test_links_to_folders_are_named_and_followed_only_when_asked(tmp_path: Path) -> None:
    make(tmp_path, "real/a.txt")
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs/link").symlink_to(tmp_path / "real")
    names, skipped = walk(tmp_path, "docs")
    assert names == []
    assert not skipped["docs/link"].failed
    assert walk(tmp_path, "docs", follow_links=True)[0] == ["docs/link/a.txt"]
    assert walk(tmp_path, "docs/link")[0] == ["docs/link/a.txt"]


def test_a_link_that_leads_back_ends_the_walk(tmp_path: Path) -> None:
    make(tmp_path, "docs/a.txt")
    (tmp_path / "docs/again").symlink_to(tmp_path / "docs")
    (tmp_path / "docs/self").symlink_to("self")
    names, skipped = walk(tmp_path, "docs", follow_links=True)
    assert names == ["docs/a.txt"]
    assert "back" in skipped["docs/again"].reason
    assert skipped["docs/self"].failed


def test_a_link_to_a_file_is_a_file_and_a_broken_one_is_told(tmp_path: Path) -> None:
    make(tmp_path, "a.txt")
    (tmp_path / "b.txt").symlink_to("a.txt")
    (tmp_path / "c.txt").symlink_to("nowhere")
    names, skipped = walk(tmp_path)
    assert names == ["a.txt", "b.txt"]
    assert skipped["c.txt"].failed


def test_a_pipe_is_passed_over_and_never_opened(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    names, skipped = walk(tmp_path)
    assert names == []
    assert not skipped["pipe"].failed
    assert walk(tmp_path, "pipe")[1]["pipe"].failed


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_folder_that_may_not_be_read_is_told(tmp_path: Path) -> None:
    make(tmp_path, "a.txt", "secret/b.txt")
    (tmp_path / "secret").chmod(0)
    names, skipped = walk(tmp_path)
    (tmp_path / "secret").chmod(0o700)
    assert names == ["a.txt"]
    assert "Permission denied" in skipped["secret"].reason


def test_a_name_is_relative_inside_the_root_and_full_outside(tmp_path: Path) -> None:
    root = tmp_path / "here"
    assert source_name(root / "docs/../docs/a.txt", root) == "docs/a.txt"
    assert source_name(tmp_path / "there/a.txt", root) == f"{tmp_path.as_posix().lstrip('/')}/there/a.txt"


def test_a_name_is_composed_unicode_and_never_undecodable(tmp_path: Path) -> None:
    assert source_name(tmp_path / "re\u0301sume\u0301.txt", tmp_path) == "r\u00e9sum\u00e9.txt"
    assert source_name(tmp_path / os.fsdecode(b"a\xff.txt"), tmp_path) == "a%FF.txt"
    assert source_name(tmp_path / "two\nlines.txt", tmp_path) == "two%0Alines.txt"


def test_a_quote_that_is_written_as_forms_do_is_a_quote(tmp_path: Path) -> None:
    make(tmp_path, 'a"b.txt', "a%22b.txt", "c%22.txt", "%2522.txt")
    names, skipped = walk(tmp_path)
    assert names == ["%2522.txt", 'a"b.txt', 'c".txt']
    assert 'both are called a"b.txt' in skipped["a%22b.txt"].reason


def test_a_path_whose_name_begins_like_a_home_folder_is_no_fault() -> None:
    assert expanded("~/a.txt") == Path.home() / "a.txt"
    assert expanded("~$report.docx") == Path("~$report.docx")


def test_a_file_whose_name_is_anothers_is_told_and_replaces_nothing(tmp_path: Path) -> None:
    make(tmp_path, "a\\b.txt", "a/b.txt")
    names, skipped = walk(tmp_path)
    assert names == ["a/b.txt"]
    assert skipped["a\\b.txt"].failed
    assert str(tmp_path / "a/b.txt") in skipped["a\\b.txt"].reason


def test_a_file_whose_path_is_too_long_to_be_a_name_is_told(tmp_path: Path) -> None:
    long = "/".join(["folder" * 40] * 5)
    make(tmp_path, f"{long}/a.txt", "b.txt")
    names, skipped = walk(tmp_path)
    assert names == ["b.txt"]
    assert "1,024 characters" in skipped[f"{long}/a.txt"].reason
