"""A branch of a git repository."""

from __future__ import annotations

import io
import struct
import zlib
from collections.abc import Iterator
from pathlib import Path
from shutil import copytree, rmtree

import pytest
from git_peer import LINK, SUBMODULE, GitPeer

from trivium.domain.errors import NeverWill
from trivium_query.connect import git
from trivium_query.connect.git_pack import check_pack

from .conftest import World

FILES = {"README.md": "# The lamp", "docs/one.txt": "Lit in 1847.", "docs/deep/two.txt": "Colza oil."}


@pytest.fixture
def repository(tmp_path: Path) -> GitPeer:
    peer = GitPeer(tmp_path / "repo.git")
    peer.commit(FILES)
    return peer


@pytest.fixture
def address(repository: GitPeer) -> Iterator[str]:
    with repository.serving() as url:
        yield url


@pytest.mark.parametrize("local", [False, True])
def test_a_branch_is_followed(world: World, repository: GitPeer, address: str, local: bool) -> None:
    world.add("git", str(repository.folder) if local else address)
    assert world.came_to() == (3, 0, 0)
    assert world.documents()["here://docs/deep/two.txt"] == b"Colza oil."
    repository.asked.clear()
    assert world.came_to() == (0, 0, 0)
    assert repository.asked.count("git-upload-pack") <= 1, "as long as nothing changed nothing is fetched"

    repository.commit({"README.md": "# The lamp, again", "docs/one.txt": "Lit in 1847.", "new.txt": "Moved."})
    assert world.came_to() == (2, 1, 0)
    assert set(world.documents()) == {"here://README.md", "here://docs/one.txt", "here://new.txt"}


def test_another_branch_is_followed_by_its_name(world: World, repository: GitPeer, address: str) -> None:
    repository.commit({"draft.txt": "Not yet."}, branch="drafts")
    world.add("git", f"{address}#drafts")
    assert world.came_to() == (1, 0, 0)
    world.add("git", f"{address}#nowhere", id="nowhere")
    assert world.look("nowhere")["error"]["code"] == "no_such_branch"


def test_submodules_links_and_hidden_files_are_not_followed(world: World, repository: GitPeer, address: str) -> None:
    odd = [("itself", SUBMODULE), ("link.txt", LINK)]
    repository.commit({**FILES, ".github/workflow.yml": "on: push"}, odd=odd)
    world.add("git", address)
    assert world.came_to() == (3, 0, 0)


def test_a_file_that_is_kept_in_lfs_is_told_and_its_pointer_is_no_document(
    world: World, repository: GitPeer, address: str
) -> None:
    pointer = f"version https://git-lfs.github.com/spec/v1\noid sha256:{'4d' * 32}\nsize 12345\n"
    repository.commit({**FILES, "report.pdf": pointer})
    world.add("git", address)
    found = world.look()
    assert (found["stored"], found["failed"], found["error"]["code"]) == (3, 1, "in_lfs")
    assert "here://report.pdf" not in world.documents()


def test_a_file_that_fails_is_tried_again_though_the_branch_stays(
    world: World, repository: GitPeer, address: str
) -> None:
    repository.commit({**FILES, "big.txt": "x" * 1_000_001})
    world.add("git", str(repository.folder))
    found = world.look()
    assert (found["stored"], found["failed"], found["error"]["code"]) == (3, 1, "too_large")
    world.set(max_upload_bytes=2_000_000)
    assert world.came_to() == (1, 0, 0)


def test_a_server_that_sends_what_is_too_large_is_left(world: World, repository: GitPeer, address: str) -> None:
    repository.commit({**FILES, "big.txt": "x" * 1_000_001})
    world.add("git", address)
    found = world.look()
    assert (found["deleted"], found["error"]["code"]) == (0, "too_large")


@pytest.mark.parametrize(("secret", "code"), [("mira:wrong", "login_refused"), ("", "login_needed")])
def test_a_login_that_is_refused_says_so_without_the_secret(
    world: World, repository: GitPeer, address: str, secret: str, code: str
) -> None:
    repository.login = "mira:hunter2"
    world.add("git", address, credential=world.secret("hub", secret) if secret else "")
    assert world.look()["error"]["code"] == code
    assert "wrong" not in world.call("GET", "/v1/connections").text


def test_a_token_alone_logs_in(world: World, repository: GitPeer, address: str) -> None:
    repository.login = "git:token"
    world.add("git", address, credential=world.secret("hub", "token"))
    assert world.came_to() == (3, 0, 0)


def test_what_is_no_repository_is_told_and_nothing_is_gone(world: World, repository: GitPeer, address: str) -> None:
    world.add("git", address.replace("repo.git", "other.git"))
    assert world.look()["error"]["code"] == "no_repository"
    world.set(url_allow="")
    world.add("git", address, id="inside")
    assert world.look("inside")["error"]["code"] == "forbidden_address"


def test_a_repository_outside_of_the_folders_is_not_read(world: World, repository: GitPeer, tmp_path: Path) -> None:
    shared = tmp_path / "shared"
    shared.mkdir()
    (shared / ".git").write_text(f"gitdir: {repository.folder}\n")
    world.set(connect_folders=str(shared))
    assert world.refused("git", str(repository.folder)) == "forbidden_folder"
    world.add("git", str(shared))
    found = world.look()
    assert (found["stored"], found["error"]["code"]) == (0, "forbidden_folder")


@pytest.mark.parametrize("name", ["HEAD", "refs", "objects", "objects/pack", "config", ""])
@pytest.mark.parametrize("bare", [True, False])
def test_a_repository_that_links_to_another_outside_of_the_folders_is_not_read(
    world: World, repository: GitPeer, tmp_path: Path, bare: bool, name: str
) -> None:
    shared = tmp_path / "shared"
    own = shared if bare else shared / ".git"
    copytree(repository.folder, own)
    linked = [name] if name else [each.name for each in repository.folder.iterdir()]
    for each in linked:
        rmtree(own / each) if (own / each).is_dir() else (own / each).unlink()
        (own / each).symlink_to(repository.folder / each)
    world.set(connect_folders=str(shared))
    world.add("git", str(shared))
    found = world.look()
    assert (found["stored"], found["error"]["code"]) == (0, "forbidden_folder")


def test_a_link_within_the_folders_is_followed_and_no_further(
    world: World, repository: GitPeer, tmp_path: Path
) -> None:
    copytree(repository.folder, tmp_path / "shared/repo")
    objects = tmp_path / "shared/objects"
    (tmp_path / "shared/repo/objects").rename(objects)
    (tmp_path / "shared/repo/objects").symlink_to(objects)
    (objects / "round").symlink_to(objects)
    world.set(connect_folders=str(tmp_path / "shared"))
    world.add("git", str(tmp_path / "shared/repo"))
    assert world.came_to() == (3, 0, 0)
    (objects / "ff").symlink_to(repository.folder / "objects")
    assert world.look()["error"]["code"] == "forbidden_folder"


def test_a_repository_with_files_without_end_is_left(
    world: World, repository: GitPeer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(git, "MAX_ENTRIES", 20)
    world.set(connect_folders=str(repository.folder))
    world.add("git", str(repository.folder))
    assert world.look()["error"]["code"] == "too_many_files"


@pytest.mark.parametrize("local", [False, True])
def test_a_branch_that_goes_back_after_a_look_that_was_cut_off_is_what_it_was(
    world: World, repository: GitPeer, address: str, local: bool
) -> None:
    world.add("git", str(repository.folder) if local else address)
    assert world.came_to() == (3, 0, 0)
    before, ref = world.documents(), b"refs/heads/main"
    first = repository.repository.refs.as_dict()[ref]  # type: ignore[index]
    repository.commit(dict.fromkeys(FILES, "Dark."))
    world.set(limits="tenant.documents=1/d")
    found = world.look()
    assert (found["stored"], found["error"]["code"]) == (1, "too_many")
    repository.repository.refs[ref] = first  # type: ignore[index]
    world.set(limits="")
    assert world.came_to() == (1, 0, 0)
    assert world.documents() == before
    repository.asked.clear()
    assert world.came_to() == (0, 0, 0)
    assert repository.asked.count("git-upload-pack") <= 1, "all of it is stored again"


def pack(*objects: bytes) -> io.BytesIO:
    file = io.BytesIO()
    file.write(b"PACK" + struct.pack(">II", 2, len(objects)) + b"".join(objects) + b"\0" * 20)
    return file


def one(kind: int, size: int, content: bytes, base: bytes = b"") -> bytes:
    head = [(kind << 4) | (size & 15)]
    size >>= 4
    while size:
        head[-1] |= 0x80
        head.append(size & 0x7F)
        size >>= 7
    return bytes(head) + base + zlib.compress(content)


def test_a_pack_within_its_bounds_passes() -> None:
    delta = b"\x64\x64" + b"\x90\x64"
    file = pack(one(3, 100, b"x" * 100), one(7, len(delta), delta, b"b" * 20), one(6, len(delta), delta, b"\x70"))
    check_pack(file, 100)
    assert file.tell() == len(file.getvalue())
    check_pack(io.BytesIO(), 100)


@pytest.mark.parametrize(
    ("objects", "code"),
    [
        ([one(3, 101, b"x" * 101)], "too_large"),
        ([one(3, 100, b"\0" * 10_000_000)], "damaged_pack"),
        ([one(7, 6, b"\x64\xff\xff\xff\x7f\x90", b"b" * 20)], "too_large"),
        ([one(3, 100, b"x" * 100)[:-30]], "damaged_pack"),
        ([b"\xb5" + b"\xff" * 30], "damaged_pack"),
        ([bytes([5 << 4]) + zlib.compress(b"")], "damaged_pack"),
    ],
)
def test_a_pack_that_would_unpack_too_far_or_lies_is_refused(objects: list[bytes], code: str) -> None:
    with pytest.raises(NeverWill) as refusal:
        check_pack(pack(*objects), 100)
    assert refusal.value.code == code
