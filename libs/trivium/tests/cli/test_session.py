from __future__ import annotations

import fcntl
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from trivium.cli import runtime, session
from trivium.cli.session import connected, running_server
from trivium.config import Settings
from trivium.domain.errors import NeverWill, Refused

if TYPE_CHECKING:
    from .conftest import World


@contextmanager
def held(data_dir: Path, url: str = "") -> Iterator[None]:
    """Hold the data directory as a running server does."""
    data_dir.mkdir(exist_ok=True)
    with (data_dir / "server.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if url:
            (data_dir / "server.json").write_text(json.dumps({"url": url, "pid": os.getpid(), "more": True}))
        yield


class Embedded:
    """A runtime that lends a server which runs already."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.open = 0

    @contextmanager
    def running(self, settings: Settings) -> Iterator[str]:
        self.open += 1
        yield self.url
        self.open -= 1


def test_no_server_runs_on_a_folder_that_is_absent_or_was_left_behind(tmp_path: Path) -> None:
    assert running_server(tmp_path / "absent") == ""
    with held(tmp_path, "http://127.0.0.1:9"):
        pass
    assert running_server(tmp_path) == ""


def test_the_server_that_holds_the_data_directory_is_used(tmp_path: Path, server: str) -> None:
    with held(tmp_path, server), connected(Settings(data_dir=tmp_path)) as client:
        assert client.url == server


def test_a_given_url_goes_before_a_running_server(tmp_path: Path, server: str) -> None:
    settings = Settings(data_dir=tmp_path, url=server)
    with held(tmp_path, "http://127.0.0.1:9"), connected(settings) as client:
        assert client.url == server


class Taken(Embedded):
    """A runtime whose data directory is in use, as often as `times` says."""

    def __init__(self, url: str, times: int) -> None:
        super().__init__(url)
        self.times = times

    @contextmanager
    def running(self, settings: Settings) -> Iterator[str]:
        self.times -= 1
        if self.times >= 0:
            raise Refused("data_dir_in_use", "Another Trivium is running.", "Use that one.")
        with super().running(settings) as url:
            yield url


def test_a_server_that_never_says_where_it_listens_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(session, "STARTING_S", 0.3)
    monkeypatch.setattr(runtime, "embedded", lambda: Taken("", 1000))
    with held(tmp_path), pytest.raises(Refused) as refusal, connected(Settings(data_dir=tmp_path)):
        pass
    assert refusal.value.code == "data_dir_in_use"


def test_the_word_of_a_server_that_was_killed_is_not_believed(tmp_path: Path) -> None:
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    with held(tmp_path):
        (tmp_path / "server.json").write_text(json.dumps({"url": "http://127.0.0.1:9", "pid": ended.pid}))
        assert running_server(tmp_path) == ""


def test_without_a_server_one_runs_for_the_command_and_ends_with_it(
    tmp_path: Path, server: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    embedded = Embedded(server)
    monkeypatch.setattr(runtime, "embedded", lambda: embedded)
    with connected(Settings(data_dir=tmp_path)) as client:
        assert embedded.open == 1
        assert client.status().chunks == 0
    assert embedded.open == 0


def test_when_another_command_was_quicker_its_server_is_used(
    tmp_path: Path, server: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Quicker(Taken):
        @contextmanager
        def running(self, settings: Settings) -> Iterator[str]:
            lock.enter_context(held(tmp_path, server))
            with super().running(settings) as url:
                yield url

    with ExitStack() as lock:
        monkeypatch.setattr(runtime, "embedded", lambda: Quicker("http://127.0.0.1:9", 1))
        with connected(Settings(data_dir=tmp_path)) as client:
            assert client.url == server


def test_when_the_other_command_ends_first_the_data_directory_is_taken_over(
    tmp_path: Path, server: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    taken = Taken(server, 2)
    monkeypatch.setattr(runtime, "embedded", lambda: taken)
    with connected(Settings(data_dir=tmp_path)) as client:
        assert client.url == server
        assert taken.open == 1


def test_the_key_of_the_configured_server_is_used_when_none_is_given(tmp_path: Path, world: World) -> None:
    from .conftest import serving

    settings = Settings(data_dir=tmp_path, api_keys="acme:k1,zeta:k2")
    with serving(world, settings) as url, held(tmp_path, url):
        with connected(settings) as client:
            assert client.status().chunks == 0
        with connected(Settings(data_dir=tmp_path)) as stranger, pytest.raises(Refused) as refusal:
            stranger.status()
    assert refusal.value.code == "unauthenticated"


def test_a_package_that_is_not_installed_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runtime, "entry_points", lambda **wanted: [])
    with pytest.raises(NeverWill) as failure:
        runtime.embedded()
    assert "trivium-embedded" in str(failure.value)
    assert "TRIVIUM_URL" in failure.value.action
