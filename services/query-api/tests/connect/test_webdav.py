"""A folder of a WebDAV server."""

from __future__ import annotations

import shutil
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from wsgiref.simple_server import WSGIRequestHandler, make_server

import pytest
from places_peer import OddDav, serving
from wsgidav.wsgidav_app import WsgiDAVApp

from trivium_query.connect.look import MAX_SILENCES

from .conftest import World


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "cloud"
    for name, text in {"one.txt": "One.", "deep/er/two.md": "# Two", "odd %41 \u00e9#&.txt": "Odd."}.items():
        (made / "papers" / name).parent.mkdir(parents=True, exist_ok=True)
        (made / "papers" / name).write_text(text)
    (made / "private.txt").write_text("Private.")
    return made


@pytest.fixture
def address(folder: Path) -> Iterator[str]:
    application = WsgiDAVApp(
        {
            "provider_mapping": {"/dav": str(folder)},
            "simple_dc": {"user_mapping": {"*": {"mira": {"password": "hunter2"}}}},
            "http_authenticator": {"accept_basic": True, "accept_digest": False, "default_to_digest": False},
            "verbose": 0,
            "logging": {"enable": False},
        }
    )

    class Silent(WSGIRequestHandler):
        def log_message(self, *_: Any) -> None:
            pass

    with make_server("127.0.0.1", 0, application, handler_class=Silent) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}/dav"
        server.shutdown()
        thread.join()


def test_a_folder_is_followed(world: World, folder: Path, address: str) -> None:
    world.add("webdav", f"{address}/papers", credential=world.secret("cloud", "mira:hunter2"))
    assert world.came_to() == (3, 0, 0)
    assert world.documents() == {
        "here://one.txt": b"One.",
        "here://deep/er/two.md": b"# Two",
        "here://odd %2541 %C3%A9%23%26.txt": b"Odd.",
    }
    assert world.came_to() == (0, 0, 0)
    (folder / "papers/one.txt").write_text("One, and more.")
    shutil.rmtree(folder / "papers/deep")
    assert world.came_to() == (1, 1, 0)
    assert world.documents()["here://one.txt"] == b"One, and more."


@pytest.mark.parametrize(
    ("path", "secret", "code"),
    [
        ("/papers", "mira:wrong", "login_refused"),
        ("/papers", "", "login_needed"),
        ("/nowhere", "mira:hunter2", "fetch_failed"),
    ],
)
def test_what_cannot_be_read_says_why_without_the_secret(
    world: World, address: str, path: str, secret: str, code: str
) -> None:
    world.add("webdav", address + path, credential=world.secret("cloud", secret) if secret else "")
    found = world.look()
    assert (found["stored"], found["deleted"], found["error"]["code"]) == (0, 0, code)
    assert "wrong" not in world.call("GET", "/v1/connections").text


def listing(*members: tuple[str, bool]) -> bytes:
    told = "".join(
        f"<response><href>{href}</href><propstat><prop><resourcetype>{'<collection/>' * is_folder}</resourcetype>"
        "<getetag>x</getetag></prop><status>HTTP/1.1 200 OK</status></propstat></response>"
        for href, is_folder in members
    )
    return f"<multistatus xmlns='DAV:'>{told}</multistatus>".encode()


@pytest.fixture
def odd() -> Iterator[tuple[type[OddDav], str]]:
    OddDav.asked.clear()
    OddDav.moved.clear()
    OddDav.busy.clear()
    OddDav.refused.clear()
    with serving(OddDav) as url:
        yield OddDav, url


def test_a_folder_that_lists_itself_and_its_neighbours_is_read_once(
    world: World, odd: tuple[type[OddDav], str]
) -> None:
    peer, url = odd
    everything = [("/dav/", True), ("/dav", True), ("/dav/./", True), ("/dav/a/", True), ("/dav/a/file.txt", False)]
    outside = [("/", True), ("/dav/../etc/", True), ("/davor/x.txt", False), ("http://169.254.169.254/dav/x", False)]
    peer.lists = staticmethod(
        lambda _: listing(*everything, *outside, ("/dav/%2e%2e/up.txt", False), ("http://[/", True))
    )
    world.add("webdav", f"{url}/dav")
    assert world.came_to() == (1, 0, 0)
    assert sorted(peer.asked) == ["/dav/", "/dav/a/"]


def test_folders_within_folders_without_end_are_left(world: World, odd: tuple[type[OddDav], str]) -> None:
    peer, url = odd
    peer.lists = staticmethod(lambda path: listing((f"{path}again/", True), (f"{path}file.txt", False)))
    world.add("webdav", f"{url}/dav", max_per_s=1000)
    found = world.look()
    assert (found["deleted"], found["error"]["code"]) == (0, "too_many_files")
    assert len(peer.asked) < 60


@pytest.mark.parametrize(
    ("to", "lists"),
    [
        ("/files/", [("/files/", True), ("/files/one.txt", False)]),
        ("", [("https://cloud.test/dav/", True), ("https://cloud.test/dav/one.txt", False)]),
        ("", [("/", True), ("/dav.txt", False), ("/davor/one.txt", False)]),
        ("", []),
    ],
    ids=["moved", "told by another address", "its parent", "nothing"],
)
def test_a_folder_that_is_told_by_another_address_loses_nothing(
    world: World, odd: tuple[type[OddDav], str], to: str, lists: list[tuple[str, bool]]
) -> None:
    peer, url = odd
    peer.lists = staticmethod(lambda _: listing(("/dav", True), ("/dav/one.txt", False)))
    world.add("webdav", f"{url}/dav")
    assert world.came_to() == (1, 0, 0)
    peer.lists = staticmethod(lambda _: listing(*lists))
    if to:
        peer.moved["/dav/"] = to
    found = world.look()
    assert (found["deleted"], found["error"]["code"]) == (0, "no_webdav")
    assert world.documents() == {"here://one.txt": b"A file."}
    assert "/files/" in found["error"]["message"] or not to


def untold(href: str, of_it: str, of_what_it_is: str) -> bytes:
    """A member with a status of its own, and one of the properties asked for, "" for none."""
    kind = "<prop><resourcetype><collection/></resourcetype></prop>"
    properties = f"<propstat>{kind}<status>HTTP/1.1 {of_what_it_is}</status></propstat>" if of_what_it_is else ""
    return f"<response><href>{href}</href>{properties}<status>HTTP/1.1 {of_it}</status></response>".encode()


@pytest.mark.parametrize(
    "member",
    [
        untold("/dav/sub/", "503 Service Unavailable", ""),
        untold("/dav/sub", "403 Forbidden", ""),
        untold("/dav/", "507 Insufficient Storage", ""),
        untold("/dav/sub/", "200 OK", "403 Forbidden"),
    ],
    ids=["busy", "forbidden", "a list that is cut off", "of which nothing is told"],
)
def test_what_the_server_cannot_tell_of_is_told_and_not_gone_while_the_others_go_on(
    world: World, odd: tuple[type[OddDav], str], member: bytes
) -> None:
    peer, url = odd
    top, below = [("/dav/", True), ("/dav/one.txt", False)], ("/dav/sub/", True)
    in_it = listing(below, ("/dav/sub/two.txt", False))
    peer.lists = staticmethod(lambda path: in_it if path == "/dav/sub/" else listing(*top, below))
    world.add("webdav", f"{url}/dav")
    assert world.came_to() == (2, 0, 0)
    whole = listing(*top, ("/dav/three.txt", False))
    peer.lists = staticmethod(lambda _: whole.replace(b"<response>", member + b"<response>", 1))
    found = world.look()
    assert (found["stored"], found["deleted"], found["failed"]) == (1, 0, 0)
    assert found["error"]["code"] == "fetch_failed"
    assert "here://sub/two.txt" in world.documents()


@pytest.mark.parametrize("status", [403, 404, 503])
def test_a_folder_that_cannot_be_listed_is_told_and_not_gone_while_the_others_go_on(
    world: World, odd: tuple[type[OddDav], str], status: int
) -> None:
    peer, url = odd
    folders = ["/dav/a/", "/dav/b/", "/dav/c/"]
    top = listing(("/dav/", True), *((folder, True) for folder in folders))
    peer.lists = staticmethod(lambda at: top if at == "/dav/" else listing((at, True), (f"{at}one.txt", False)))
    peer.refused.update({"/dav/b/": status, "/dav/c/": status})
    world.add("webdav", f"{url}/dav")
    found = world.look()
    assert (found["stored"], found["deleted"], found["error"]["code"]) == (1, 0, "fetch_failed")
    assert "/dav/c/" in found["error"]["message"]
    peer.refused.clear()
    assert world.came_to() == (2, 0, 0)
    peer.refused["/dav/b/"] = status
    peer.lists = staticmethod(lambda at: top if at == "/dav/" else listing((at, True)))
    assert world.look()["deleted"] == 0
    assert len(world.documents()) == 3


def test_a_server_that_lists_no_folder_any_more_is_left(world: World, odd: tuple[type[OddDav], str]) -> None:
    peer, url = odd
    folders = [f"/dav/{number}/" for number in range(2 * MAX_SILENCES)]
    peer.lists = staticmethod(lambda _: listing(("/dav/", True), *((folder, True) for folder in folders)))
    peer.refused.update(dict.fromkeys(folders, 503))
    world.add("webdav", f"{url}/dav", max_per_s=1000)
    assert world.look()["error"]["code"] == "fetch_failed"
    assert len(peer.asked) == 1 + MAX_SILENCES


def test_files_that_fail_for_now_hold_back_nothing_that_stands_behind_them(
    world: World, odd: tuple[type[OddDav], str]
) -> None:
    peer, url = odd
    top, gone = [("/dav/", True), ("/dav/sub/", True)], ("/dav/gone.txt", False)
    peer.lists = staticmethod(lambda path: listing(*top, gone) if path == "/dav/" else listing(("/dav/sub/", True)))
    world.add("webdav", f"{url}/dav", max_per_s=1000)
    assert world.came_to() == (1, 0, 0)
    busy = [f"/dav/{number}.txt" for number in range(MAX_SILENCES)]
    peer.busy.update(busy)
    here, below = listing(*top, *((path, False) for path in busy)), listing(("/dav/sub/", True), ("/dav/sub/a", False))
    peer.lists = staticmethod(lambda path: here if path == "/dav/" else below)
    assert world.came_to() == (0, 0, MAX_SILENCES)
    assert world.came_to() == (1, 1, MAX_SILENCES)
    peer.busy.clear()
    here = here.replace(b"<response>", untold("/dav/secret/", "403 Forbidden", "") + b"<response>", 1)
    assert world.came_to() == (MAX_SILENCES, 0, 0), "also where something cannot be told of"


@pytest.mark.parametrize(
    "member",
    [untold("/dav/sub/", "404 Not Found", ""), untold("/dav/sub/", "410 Gone", ""), untold("/", "403 Forbidden", "")],
    ids=["not found", "gone", "a neighbour"],
)
def test_what_the_server_calls_gone_is_gone_and_its_neighbours_do_not_count(
    world: World, odd: tuple[type[OddDav], str], member: bytes
) -> None:
    peer, url = odd
    peer.lists = staticmethod(lambda _: listing(("/dav/", True), ("/dav/sub", False)))
    world.add("webdav", f"{url}/dav")
    assert world.came_to() == (1, 0, 0)
    peer.lists = staticmethod(lambda _: listing(("/dav/", True)).replace(b"</multistatus>", member + b"</multistatus>"))
    assert world.came_to() == (0, 1, 0)


def test_a_folder_that_is_empty_by_now_loses_what_was_in_it(world: World, odd: tuple[type[OddDav], str]) -> None:
    peer, url = odd
    peer.lists = staticmethod(lambda _: listing(("/dav/", True), ("/dav/one.txt", False)))
    world.add("webdav", f"{url}/dav")
    assert world.came_to() == (1, 0, 0)
    peer.lists = staticmethod(lambda _: listing(("/dav", False)))
    assert world.came_to() == (0, 1, 0)


@pytest.mark.parametrize(
    "answer",
    [
        b"no xml",
        b"<html/>",
        b"<!DOCTYPE a [<!ENTITY a SYSTEM 'file:///etc/passwd'>]><multistatus xmlns='DAV:'>&a;</multistatus",
    ],
)
def test_what_is_no_webdav_is_told(world: World, odd: tuple[type[OddDav], str], answer: bytes) -> None:
    peer, url = odd
    peer.lists = staticmethod(lambda _: answer)
    world.add("webdav", f"{url}/dav")
    assert world.look()["error"]["code"] == "no_webdav"
