from __future__ import annotations

from pathlib import Path

import msgspec
import pytest
from click.testing import CliRunner
from structlog.testing import capture_logs
from tiny_disk import tiny_disk

from trivium.adapters.newer import STATE_FORMAT
from trivium.cli.main import cli
from trivium.config import Settings
from trivium.domain.errors import Refused, TryLater
from trivium_embedded.data_dir import ADDRESS_FILE, FORMAT_FILE, announce, owned, warn_if_open
from trivium_embedded.link_secret import KEPT_IN, SECRET_BYTES, with_link_secret


def names(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


def test_one_who_is_refused_leaves_the_owners_address_alone(tmp_path: Path) -> None:
    with owned(tmp_path):
        announce(tmp_path, "http://127.0.0.1:8080")
        with pytest.raises(Refused) as refusal, owned(tmp_path):
            pass
        assert refusal.value.code == "data_dir_in_use"
        assert (tmp_path / ADDRESS_FILE).exists()
    assert not (tmp_path / ADDRESS_FILE).exists()


def test_a_new_data_directory_is_for_its_owner_alone(tmp_path: Path) -> None:
    with owned(tmp_path / "data"):
        assert (tmp_path / "data").stat().st_mode & 0o077 == 0


def test_one_that_a_command_makes_is_too(tmp_path: Path) -> None:
    data = tmp_path / "data"
    made = CliRunner(env={"TRIVIUM_DATA_DIR": str(data)}).invoke(cli, ["tenants", "create", "green"])
    assert made.exit_code == 0, made.output
    assert data.stat().st_mode & 0o077 == 0
    assert int((data / FORMAT_FILE).read_text()) == STATE_FORMAT


@pytest.mark.parametrize("command", [["tenants", "create", "green"], ["tenants"], ["dead", "list"]], ids=" ".join)
def test_commands_leave_what_a_newer_version_wrote_as_it_is(tmp_path: Path, command: list[str]) -> None:
    (tmp_path / FORMAT_FILE).write_text(f"{STATE_FORMAT + 1}\n")
    done = CliRunner(env={"TRIVIUM_DATA_DIR": str(tmp_path)}).invoke(cli, command)
    assert done.exit_code == 1
    assert "was written by a newer Trivium" in done.stderr
    assert names(tmp_path) == {FORMAT_FILE}


def test_one_that_others_may_read_is_told_of_and_stays_so(tmp_path: Path) -> None:
    with capture_logs() as logs:
        warn_if_open(tmp_path / "missing")
        for mode in (0o700, 0o750, 0o705):
            tmp_path.chmod(mode)
            warn_if_open(tmp_path)
            assert tmp_path.stat().st_mode & 0o777 == mode
    assert [(log["event"], log["mode"]) for log in logs] == [
        ("data_dir_open_to_others", "0750"),
        ("data_dir_open_to_others", "0705"),
    ]


def test_a_disk_that_is_full_at_the_first_start_is_told_and_the_next_start_goes_on(tmp_path: Path) -> None:
    with tiny_disk(tmp_path / "disk") as disk:
        data = disk.folder / "data"
        settings = Settings(data_dir=data, api_keys="default:alpha")
        disk.fill()
        for start in (owned(data), owned(data)):
            with pytest.raises(TryLater) as refusal, start:
                pass
            assert refusal.value.code == "disk_full"
        with pytest.raises(TryLater) as refusal:
            with_link_secret(settings)
        assert refusal.value.code == "disk_full"
        disk.free()
        assert names(data) == {"server.lock"}
        with owned(data):
            secret = with_link_secret(settings).link_secret
        assert names(data) == {"server.lock", FORMAT_FILE, KEPT_IN}
        assert len(secret) == 2 * SECRET_BYTES


def test_an_empty_file_that_an_earlier_full_disk_left_counts_as_none(tmp_path: Path) -> None:
    (tmp_path / FORMAT_FILE).touch()
    (tmp_path / KEPT_IN).touch()
    settings = Settings(data_dir=tmp_path, api_keys="default:alpha")
    with owned(tmp_path):
        secret = with_link_secret(settings).link_secret
    assert int((tmp_path / FORMAT_FILE).read_text()) == STATE_FORMAT
    assert len(secret) == 2 * SECRET_BYTES
    assert with_link_secret(settings).link_secret == secret
    assert with_link_secret(msgspec.structs.replace(settings, link_secret="own")).link_secret == "own"
