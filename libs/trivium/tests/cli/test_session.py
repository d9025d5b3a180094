from __future__ import annotations

import fcntl
import json
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from trivium.cli import runtime, session
from trivium.cli.session import connected, running_server
from trivium.config import Settings
from trivium.domain.errors import NeverWill, Refused, TryLater

if TYPE_CHECKING:
    from .conftest import World


@contextmanager
def held(data_dir: Path, url: str = "") -> Iterator[None]:
    """Hold the data directory as a running server does."""
    data_dir.mkdir(exist_ok=True)
    with (data_dir / "server.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if url:
            (data_dir / "server.json").write_text(json.dumps({"url": url, "pid": 1, "more": True}))
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


def test_a_server_that_never_says_where_it_listens_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(session, "STARTING_S", 0.3)
    with held(tmp_path), pytest.raises(TryLater) as failure:
        running_server(tmp_path)
    assert failure.value.code == "server_starting"


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
    class Taken(Embedded):
        @contextmanager
        def running(self, settings: Settings) -> Iterator[str]:
            lock.enter_context(held(tmp_path, server))
            if settings.data_dir == tmp_path:
                raise Refused("data_dir_in_use", "Another Trivium is running.")
            yield self.url

    with ExitStack() as lock:
        monkeypatch.setattr(runtime, "embedded", lambda: Taken(server))
        with connected(Settings(data_dir=tmp_path)) as client:
            assert client.url == server


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
