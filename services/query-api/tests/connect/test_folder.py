"""A watched folder."""

from __future__ import annotations

import errno
import os
import time
from pathlib import Path
from typing import Any

import pytest
from waiting import wait_until

from trivium_query.connect.look import MAX_SILENCES

from .conftest import World


@pytest.fixture
def papers(tmp_path: Path) -> Path:
    folder = tmp_path / "papers"
    write(folder / "one.txt", "The first paper.")
    write(folder / "sub/two.md", "# The second")
    return folder


def write(path: Path, text: str | bytes, age_s: float = 60.0) -> None:
    """A file as it was written `age_s` ago."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    at = time.time() - age_s
    os.utime(path, (at, at))


@pytest.fixture
def failing(monkeypatch: pytest.MonkeyPatch) -> dict[tuple[str, Path], int]:
    """Calls that fail with that `errno`, whoever makes them: root may do what others may not, and disks do not fail."""
    faults: dict[tuple[str, Path], int] = {}

    def fail_at_times(owner: Any, call: str) -> None:
        real = getattr(owner, call)

        def made(path: Any, *args: Any, **more: Any) -> Any:
            if fault := isinstance(path, Path) and faults.get((call, path)):
                raise OSError(fault, os.strerror(fault))
            return real(path, *args, **more)

        monkeypatch.setattr(owner, call, made)

    fail_at_times(Path, "lstat")
    fail_at_times(os, "scandir")
    fail_at_times(os, "open")
    return faults


def test_what_is_new_changed_or_gone_is_followed_and_the_rest_is_left(world: World, papers: Path) -> None:
    added = world.add("folder", str(papers), dataset="papers")
    assert (added["activity"], added["dataset"], added["every_s"]) == ("new", "papers", 0)
    assert world.came_to() == (2, 0, 0)
    assert world.documents() == {"here://one.txt": b"The first paper.", "here://sub/two.md": b"# The second"}
    assert world.came_to() == (0, 0, 0)

    write(papers / "one.txt", "The first paper, again.", age_s=30)
    write(papers / "three.txt", "A third.")
    (papers / "sub/two.md").unlink()
    found = world.look()
    assert (found["stored"], found["deleted"], found["failed"]) == (2, 1, 0)
    assert world.documents() == {"here://one.txt": b"The first paper, again.", "here://three.txt": b"A third."}
    sources = world.call("GET", "/v1/sources", params={"run": found["run"]}).json()["sources"]
    assert {(one["name"], one["dataset"]) for one in sources} == {
        ("here://one.txt", "papers"),
        ("here://three.txt", "papers"),
    }


def test_a_file_that_is_still_being_written_waits_for_the_next_look(world: World, papers: Path) -> None:
    growing, whole = papers / "growing.txt", papers / "whole.txt"
    write(growing, "half", age_s=0)
    write(whole, "all of it", age_s=0)
    world.add("folder", str(papers))

    def grown() -> bool:
        with growing.open("a") as file:
            file.write(", and more")
        return world.show().get("ended_at") is not None

    world.call("POST", "/v1/connections/here/run")
    wait_until(grown, "the look ended while the file grew")
    found = world.show()
    assert (found["stored"], found["failed"]) == (3, 0), found
    assert "here://growing.txt" not in world.documents()
    write(growing, "whole", age_s=60)
    assert world.came_to() == (1, 0, 0)
    assert world.documents()["here://growing.txt"] == b"whole"


def test_no_link_is_followed_and_nothing_hidden_is_read(world: World, papers: Path, tmp_path: Path) -> None:
    write(tmp_path / "secret/password.txt", "hunter2")
    (papers / "link.txt").symlink_to(tmp_path / "secret/password.txt")
    (papers / "linked").symlink_to(tmp_path / "secret")
    (papers / "loop").symlink_to(papers)
    os.mkfifo(papers / "pipe")
    write(papers / ".git/config", "hidden")
    world.add("folder", str(papers))
    assert world.came_to() == (2, 0, 0)
    assert set(world.documents()) == {"here://one.txt", "here://sub/two.md"}


def test_odd_names_keep_apart_and_what_cannot_be_taken_is_told_while_the_others_go_on(
    world: World, papers: Path
) -> None:
    write(papers / os.fsdecode(b"a\xff.txt"), "no text")
    write(papers / "two\nlines.txt", "lines")
    write(papers / "re\u0301sume\u0301.txt", "decomposed")
    write(papers / "r\u00e9sum\u00e9.txt", "composed")
    write(papers / "100% #?&.txt", "signs")
    write(papers / "big.txt", b"x" * 1_000_001)
    world.add("folder", str(papers))
    found = world.look()
    assert (found["stored"], found["failed"]) == (6, 2)
    assert found["activity"] == "failed"
    assert found["error"]["code"] in ("same_name", "too_large")
    names = {name.removeprefix("here://") for name in world.documents()}
    assert names == {"one.txt", "sub/two.md", "a%FF.txt", "two%0Alines.txt", "r\u00e9sum\u00e9.txt", "100% #?&.txt"}
    (papers / "big.txt").unlink()
    (papers / "re\u0301sume\u0301.txt").unlink()
    assert world.look()["activity"] == "waiting"


def test_a_folder_that_is_not_there_loses_no_document(world: World, papers: Path) -> None:
    world.add("folder", str(papers))
    world.look()
    papers.rename(papers.with_name("elsewhere"))
    found = world.look()
    assert (found["deleted"], found["error"]["code"]) == (0, "no_such_folder")
    assert len(world.documents()) == 2


def test_the_data_directory_within_a_folder_is_not_read(world: World, papers: Path) -> None:
    world.set(data_dir=papers / "sub/data")
    write(papers / "sub/data/objects/original", "The first paper.")
    world.add("folder", str(papers))
    world.look()
    assert set(world.documents()) == {"here://one.txt", "here://sub/two.md"}


def test_a_folder_whose_disk_is_not_mounted_loses_no_document(
    world: World, papers: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    world.add("folder", str(papers))
    world.look()
    mounted = papers.rename(papers.with_name("elsewhere"))
    papers.mkdir()
    with monkeypatch.context() as unmounted:
        unmounted.setattr("trivium_query.connect.folder._device", lambda _: "another")
        found = world.look()
    assert (found["deleted"], found["error"]["code"]) == (0, "no_such_folder")
    papers.rmdir()
    mounted.rename(papers)
    assert world.came_to() == (0, 0, 0)
    (papers / "one.txt").unlink()
    (papers / "sub/two.md").unlink()
    assert world.came_to() == (0, 2, 0)


def test_a_disk_that_was_mounted_and_cannot_be_read_is_told_as_that(
    world: World, papers: Path, failing: dict[tuple[str, Path], int], monkeypatch: pytest.MonkeyPatch
) -> None:
    world.add("folder", str(papers))
    world.look()
    failing["scandir", papers] = errno.EACCES
    monkeypatch.setattr("trivium_query.connect.folder._device", lambda _: "another")
    found = world.look()
    assert (found["deleted"], found["error"]["code"]) == (0, "unreadable")
    assert len(world.documents()) == 2


def test_what_a_look_that_broke_off_stored_is_not_lost_with_the_disk(
    world: World, papers: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    world.set(limits="tenant.documents=1/d")
    world.add("folder", str(papers))
    assert world.came_to() == (1, 0, 0)
    papers.rename(papers.with_name("elsewhere"))
    papers.mkdir()
    monkeypatch.setattr("trivium_query.connect.folder._device", lambda _: "another")
    assert world.came_to() == (0, 0, 0)
    assert len(world.documents()) == 1


def test_the_data_directory_itself_is_no_folder_to_watch(world: World) -> None:
    assert world.refused("folder", str(world.settings.data_dir)) == "forbidden_folder"


def test_a_folder_that_is_away_when_it_is_added_is_told_and_looked_at_once_it_is_there(
    world: World, papers: Path
) -> None:
    for kind, location in (("folder", "away"), ("git", "away#main")):
        added = world.add(kind, str(papers / location), id=kind)
        assert (added["activity"], added["error"]["code"]) == ("new", "no_such_folder")
        assert "error" not in world.call("GET", f"/v1/connections/{kind}").json()
    added = world.add("folder", str(papers / ("x" * 300)), id="odd")
    assert (added["error"]["code"], world.look("odd")["error"]["code"]) == ("unreadable", "unreadable")
    assert "error" not in world.add("folder", str(papers))
    write(papers / "away/three.txt", "A third.")
    world.call("POST", "/v1/connections/folder/run")
    wait_until(lambda: "folder://three.txt" in world.documents(), "it is looked at")


@pytest.mark.parametrize("fault", [errno.EACCES, errno.EIO, errno.ESTALE])
def test_what_cannot_be_looked_at_is_told_and_not_gone_while_the_others_go_on(
    world: World, papers: Path, failing: dict[tuple[str, Path], int], fault: int
) -> None:
    world.add("folder", str(papers))
    assert world.came_to() == (2, 0, 0)
    write(papers / "three.txt", "A third.")
    failing["lstat", papers / "sub/two.md"] = fault
    found = world.look()
    assert (found["stored"], found["deleted"], found["error"]["code"]) == (1, 0, "unreadable")
    assert set(world.documents()) == {"here://one.txt", "here://sub/two.md", "here://three.txt"}
    failing.clear()
    (papers / "sub/two.md").unlink()
    assert world.came_to() == (0, 1, 0)


def test_a_folder_that_cannot_be_listed_is_told_and_what_is_below_it_alone_is_not_gone(
    world: World, papers: Path, failing: dict[tuple[str, Path], int]
) -> None:
    world.add("folder", str(papers))
    assert world.came_to() == (2, 0, 0)
    write(papers / "three.txt", "A third.")
    write(papers / "sub/deep/er.txt", "Deeper.")
    write(papers / "subway.txt", "Of another name.")
    assert world.came_to() == (3, 0, 0)
    for gone in ("one.txt", "subway.txt", "sub/two.md", "sub/deep/er.txt"):
        (papers / gone).unlink()
    (papers / "lost+found").mkdir()
    failing["scandir", papers / "lost+found"] = errno.EACCES
    failing["scandir", papers / "sub"] = errno.EIO
    found = world.look()
    assert (found["stored"], found["deleted"], found["failed"]) == (0, 2, 0)
    assert "lost+found" in found["error"]["message"]
    assert set(world.documents()) == {"here://three.txt", "here://sub/two.md", "here://sub/deep/er.txt"}
    failing["scandir", papers] = errno.EIO
    assert world.came_to() == (0, 0, 0), "nothing of it was seen"
    failing.clear()
    assert world.came_to() == (0, 2, 0)


@pytest.mark.parametrize("name", [" ", "\\"])
def test_what_is_in_a_folder_without_a_name_of_its_own_is_not_gone_when_it_cannot_be_listed(
    world: World, papers: Path, failing: dict[tuple[str, Path], int], name: str
) -> None:
    write(papers / name / "three.txt", "A third.")
    world.add("folder", str(papers))
    assert world.came_to() == (3, 0, 0)
    failing["scandir", papers / name] = errno.EIO
    assert world.came_to() == (0, 0, 0)
    assert len(world.documents()) == 3


def test_files_that_may_not_be_read_are_told_and_what_is_behind_them_is_followed(
    world: World, papers: Path, failing: dict[tuple[str, Path], int]
) -> None:
    world.add("folder", str(papers))
    assert world.came_to() == (2, 0, 0)
    for number in range(MAX_SILENCES + 1):
        write(papers / f"private{number}.txt", "Private.")
        failing["open", papers / f"private{number}.txt"] = errno.EACCES
    write(papers / "zzz.txt", "New.")
    (papers / "one.txt").unlink()
    found = world.look()
    assert (found["stored"], found["deleted"], found["failed"]) == (1, 1, MAX_SILENCES + 1)
    assert found["error"]["code"] == "unreadable"
    failing.clear()
    assert world.came_to() == (MAX_SILENCES + 1, 0, 0)


def test_a_disk_that_fails_again_and_again_is_left(
    world: World, papers: Path, failing: dict[tuple[str, Path], int]
) -> None:
    for number in range(MAX_SILENCES + 1):
        write(papers / f"a{number}.txt", "A paper.")
        failing["open", papers / f"a{number}.txt"] = errno.EIO
    world.add("folder", str(papers))
    assert world.came_to() == (0, 0, MAX_SILENCES)
    assert world.came_to()[0] == 2, "what stands behind them comes first at the next look"


def test_only_folders_that_the_operator_names_are_watched(world: World, papers: Path, tmp_path: Path) -> None:
    world.set(api_keys="default:alpha,other:beta")
    world.headers["x-api-key"] = "alpha"
    assert world.refused("folder", str(papers)) == "forbidden_folder", "with keys, none is watched by default"
    world.set(connect_folders=f"{tmp_path}/shared,other={papers}")
    (tmp_path / "shared").mkdir()
    (tmp_path / "shared/out").symlink_to(papers)
    for outside in (papers, tmp_path / "shared/../papers", tmp_path / "shared/out", tmp_path / "sharedmore"):
        assert world.refused("folder", str(outside)) == "forbidden_folder"
    for nowhere in ("papers", "~nobody-of-that-name/papers"):
        assert world.refused("folder", nowhere) == "bad_location"
    world.add("folder", str(tmp_path / "shared"))
    world.headers["x-api-key"] = "beta"
    world.add("folder", str(papers))


def test_a_folder_that_is_forbidden_afterwards_is_not_read_any_more(world: World, papers: Path) -> None:
    world.add("folder", str(papers))
    world.look()
    write(papers / "three.txt", "A third.")
    world.set(connect_folders="/srv/others")
    found = world.look()
    assert (found["stored"], found["deleted"], found["error"]["code"]) == (0, 0, "forbidden_folder")
    assert len(world.documents()) == 2
