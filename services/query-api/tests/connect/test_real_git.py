"""A branch of a repository that git itself wrote and serves."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from real_git import ABSENT, GIT, RealGit

from .conftest import World

pytestmark = pytest.mark.skipif(GIT is None, reason=ABSENT)

FILES = {
    "README.md": "# The lamp",
    "docs/one.txt": "\n".join(f"Line {number} of the log." for number in range(500)),
    "docs/deep/two.txt": "Colza oil.",
    ".github/workflow.yml": "on: push",
}


@pytest.fixture
def repository(tmp_path: Path) -> RealGit:
    peer = RealGit(tmp_path / "git")
    peer.push(FILES)
    return peer


@pytest.fixture
def address(repository: RealGit) -> Iterator[str]:
    with repository.serving() as url:
        yield url


@pytest.mark.parametrize("local", [False, True])
@pytest.mark.parametrize("packed", [False, True])
def test_a_branch_is_followed(world: World, repository: RealGit, address: str, local: bool, packed: bool) -> None:
    world.add("git", str(repository.bare) if local else address)
    assert world.came_to() == (3, 0, 0)
    assert world.documents()["here://docs/deep/two.txt"] == b"Colza oil."
    repository.services.clear()
    assert world.came_to() == (0, 0, 0)
    assert repository.services.count("git-upload-pack") <= 1, "as long as nothing changed only branches are listed"

    log = FILES["docs/one.txt"] + "\nOne line more."
    repository.push({"docs/one.txt": log, "new.txt": "Moved."}, gone=("docs/deep/two.txt",))
    if packed:
        repository.pack()
    assert world.came_to() == (2, 1, 0)
    assert set(world.documents()) == {"here://README.md", "here://docs/one.txt", "here://new.txt"}
    assert world.documents()["here://docs/one.txt"] == log.encode()


def test_another_branch_and_a_tag_of_a_tag_are_followed_by_their_names(
    world: World, repository: RealGit, address: str
) -> None:
    repository.git("tag", "--annotate", "--message=first", "v1")
    repository.git("tag", "--annotate", "--message=again", "v1-again", "v1")
    repository.git("checkout", "--quiet", "-b", "drafts")
    repository.git("push", "--quiet", "origin", "v1-again")
    repository.push({"later.txt": "Not yet."}, branch="drafts")
    world.add("git", f"{address}#v1-again")
    assert world.came_to() == (3, 0, 0)
    world.add("git", f"{address}#drafts", id="drafts")
    assert world.came_to("drafts") == (4, 0, 0)
    world.add("git", f"{address}#nowhere", id="nowhere")
    assert world.look("nowhere")["error"]["code"] == "no_such_branch"


def test_where_git_may_leave_files_out_a_large_one_is_told_and_the_others_come(
    world: World, repository: RealGit, address: str
) -> None:
    repository.serve_with("uploadpack.allowFilter", "true")
    repository.push({"big.txt": "x" * 1_000_001})
    world.add("git", address)
    found = world.look()
    assert (found["stored"], found["failed"], found["error"]["code"]) == (3, 1, "too_large")


def test_where_it_may_not_such_a_branch_is_refused_and_loses_nothing(
    world: World, repository: RealGit, address: str
) -> None:
    world.add("git", address)
    assert world.came_to() == (3, 0, 0)
    repository.push({"big.txt": "x" * 1_000_001})
    found = world.look()
    assert (found["stored"], found["deleted"], found["error"]["code"]) == (0, 0, "too_large")
    assert len(world.documents()) == 3


def test_what_git_does_not_serve_is_told(world: World, address: str) -> None:
    world.add("git", address.replace("repo.git", "other.git"))
    assert world.look()["error"]["code"] == "no_repository"
