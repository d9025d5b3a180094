"""A full disk is told from other faults, whoever wraps it."""

from __future__ import annotations

import errno
import tempfile
from pathlib import Path

import pytest
from tiny_disk import tiny_disk

from trivium.config import Settings
from trivium.domain.errors import NeverWill, TryLater
from trivium.full_disk import check_room, full_disk
from trivium.watching.disks import volumes_of

FULL = OSError(errno.ENOSPC, "No space left on device")


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EDQUOT])
def test_a_full_disk_and_a_used_up_quota_are_tried_later(number: int) -> None:
    found = full_disk(OSError(number, "full"))
    assert found is not None
    assert found.code == "disk_full"
    assert "Free some space" in found.action


@pytest.mark.parametrize("number", [errno.EIO, errno.ENOENT, errno.EFBIG])
def test_other_faults_of_files_are_none(number: int) -> None:
    assert full_disk(OSError(number, "other")) is None


def test_what_a_library_makes_of_a_full_disk_is_one() -> None:
    damaged = NeverWill("corrupt_file", "It is damaged.")
    damaged.__cause__ = FULL
    assert full_disk(damaged) is not None
    shadowed = ValueError("no such file")
    shadowed.__context__ = FULL
    assert full_disk(shadowed) is not None


def test_who_said_already_what_is_full_is_believed() -> None:
    said = TryLater("object_store_full", "The object store is full.")
    said.__cause__ = FULL
    assert full_disk(said) is None


def test_a_disk_that_takes_no_first_byte_is_full(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with tiny_disk(tmp_path / "disk") as disk:
        disk.fill()
        for name in ("TMPDIR", "TEMP", "TMP"):
            monkeypatch.setenv(name, str(disk.folder))
        monkeypatch.setattr(tempfile, "_candidate_tempdir_list", lambda: [str(disk.folder)])
        monkeypatch.setattr(tempfile, "tempdir", None)
        with pytest.raises(FileNotFoundError) as failure, tempfile.TemporaryFile():
            pass
        assert full_disk(failure.value) is not None
        assert "temporary" in volumes_of(Settings())  # a process tells its metrics all the same


def test_room_is_looked_for_and_not_kept(tmp_path: Path) -> None:
    with tiny_disk(tmp_path / "disk") as disk:
        for _ in range(3):
            check_room(disk.folder, 500_000)
        with pytest.raises(TryLater) as failure:
            check_room(disk.folder, 5_000_000)
        assert failure.value.code == "disk_full"
