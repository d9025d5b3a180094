"""A server that cannot start says why and what to do, and one that runs already is not disturbed."""

from __future__ import annotations

import socket
from pathlib import Path

import pytest

from .conftest import Server


def refusal(data_dir: Path, **settings: str) -> str:
    """What `trivium serve` says when it must not come up."""
    done = Server(data_dir, **settings).cli("serve", check=False)
    assert done.returncode == 1, done.stdout + done.stderr
    assert "\nError: " in f"\n{done.stderr}"
    assert "Traceback" not in done.stderr
    return done.stderr


@pytest.mark.parametrize("variable", ["TRIVIUM_HTTP_PORT", "TRIVIUM_GRPC_PORT"])
def test_a_port_in_use_is_told(tmp_path: Path, variable: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        said = refusal(tmp_path / "data", **{variable: port})
    assert port in said
    assert variable in said
    assert not (tmp_path / "data" / "server.json").exists()


def test_two_servers_on_one_data_directory_are_refused_and_the_first_goes_on(server: Server) -> None:
    said = refusal(server.data_dir)
    assert "Another Trivium is running" in said
    assert "TRIVIUM_DATA_DIR" in said
    assert server.take("still-here.txt", "The first server still reads.")["state"] == "ready"
    assert "still-here.txt" in server.cli("documents").stdout


def test_a_data_directory_that_cannot_be_made_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("not a folder")
    for data_dir in (tmp_path / "file", Path("/proc/trivium")):
        said = refusal(data_dir)
        assert str(data_dir) in said
        assert "TRIVIUM_DATA_DIR" in said


def test_a_data_directory_whose_stores_are_damaged_is_told(tmp_path: Path) -> None:
    kept = Server(tmp_path / "data").start()
    kept.take("note.txt", "A note.")
    kept.stop()
    for part in ("", "-wal", "-shm"):
        (tmp_path / "data" / f"registry.sqlite{part}").unlink(missing_ok=True)
    (tmp_path / "data" / "registry.sqlite").write_bytes(b"This is no database, although it is quite long. " * 200)
    assert "registry.sqlite" in refusal(tmp_path / "data")


@pytest.mark.parametrize(
    ("setting", "value", "names"),
    [
        ("TRIVIUM_HTTP_PORT", "eighty", "TRIVIUM_HTTP_PORT"),
        ("TRIVIUM_HTTP_PORT", "70000", "TRIVIUM_HTTP_PORT"),
        ("TRIVIUM_MODE", "magic", "TRIVIUM_MODE"),
        ("TRIVIUM_CHUNK_SIZE", "0", "TRIVIUM_CHUNK_SIZE"),
        ("TRIVIUM_LLM", "openai", "TRIVIUM_LLM_MODEL"),
        ("TRIVIUM_API_KEYS", "tenant-without-key", "TRIVIUM_API_KEYS"),
        ("TRIVIUM_API_KEYS", "one:key,other:key", "TRIVIUM_API_KEYS"),
        ("TRIVIUM_API_KEYS", "../up:key", "tenant"),
        ("TRIVIUM_HTTP_HEADERS", "X-Frame-Option: DENY", "Did you mean x-frame-options"),
        ("TRIVIUM_CORS_ORIGINS", "app.example.org", "TRIVIUM_CORS_ORIGINS"),
        ("TRIVIUM_HTTP_HOST", "0.0.0.0", "TRIVIUM_API_KEYS"),
        ("TRIVIUM_GRPC_HOST", "0.0.0.0", "TRIVIUM_API_KEYS"),
    ],
)
def test_a_setting_that_does_not_fit_is_named(tmp_path: Path, setting: str, value: str, names: str) -> None:
    assert names in refusal(tmp_path / "data", **{setting: value})


def test_an_address_that_is_not_this_machines_is_told(tmp_path: Path) -> None:
    said = refusal(tmp_path / "data", TRIVIUM_HTTP_HOST="192.0.2.1", TRIVIUM_API_KEYS="tenant:key")
    assert "192.0.2.1" in said
    assert "TRIVIUM_HTTP_HOST" in said


def test_a_misspelt_setting_is_warned_of(tmp_path: Path) -> None:
    running = Server(tmp_path / "data", TRIVIUM_HTP_PORT="1").start()
    try:
        assert "TRIVIUM_HTP_PORT is not a setting" in running.log.read_text()
    finally:
        running.stop()
