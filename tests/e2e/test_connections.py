"""From a place outside to a cited answer, by the command line and by itself."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path

from waiting import wait_until

from .conftest import Server


def write(path: Path, text: str) -> None:
    """A file as it was written a minute ago."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    os.utime(path, (time.time() - 60,) * 2)


def test_a_watched_folder_is_asked_about_and_followed(start_server: Callable[..., Server], tmp_path: Path) -> None:
    folder = tmp_path / "harbour"
    write(folder / "pilots.txt", "The harbour pilot of Vellan is Petra Anselm.")
    write(folder / "old/tides.txt", "The tide gauge of Vellan was built in 1847.")
    server = start_server()
    assert server.cli("connect", "add", "harbour", "folder", str(folder)).stdout == "Connected: harbour\n"
    assert server.cli("connect", "run", "harbour").stdout == "harbour: 2 files stored, 0 deleted, 0 failed.\n"
    answer = server.ask("Who is the harbour pilot of Vellan?")
    assert "Petra Anselm" in answer["text"]
    assert answer["citations"][0]["source"] == "harbour://pilots.txt"

    (folder / "old/tides.txt").unlink()
    assert server.cli("connect", "run", "harbour").stdout == "harbour: 0 files stored, 1 deleted, 0 failed.\n"
    assert not server.search("tide gauge", mode="keyword")

    server.stop()
    write(folder / "lamps.txt", "The lamp of Vellan burns colza oil.")
    assert server.cli("connect", "run", "harbour").stdout == "harbour: 1 file stored, 0 deleted, 0 failed.\n"
    server.start()
    assert server.search("colza oil", mode="keyword")

    gone = server.cli("connect", "add", "gone", "folder", str(tmp_path / "gone"), "--every", "1d").stdout
    assert gone == "Connected: gone\n"
    with server.http() as client:
        wait_until(lambda: client.get("/v1/connections/gone").json().get("error"), "it was looked at by itself")
    failed = server.cli("connect", "run", "gone", check=False)
    assert (failed.returncode, "There is no folder" in failed.stderr) == (1, True), failed
    keyless = server.cli("connect", "add", "code", "git", "git@git.test:team/code.git", check=False)
    assert "SSH wants a key" in keyless.stderr, "it is no path of this machine"
    listed = server.cli("connect", "list").stdout
    assert "gone\tfolder\t" in listed
    assert "There is no folder" in listed

    assert server.cli("connect", "remove", "harbour", "--documents").stdout == "Removed: harbour\n"
    with server.http() as client:
        assert client.get("/v1/sources").json()["sources"] == []
