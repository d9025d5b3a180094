"""A bucket of any S3."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from places_peer import S3Peer
from waiting import wait_until

from trivium_query.connect import look
from trivium_query.connect import s3 as connector
from trivium_query.connect.look import MAX_SILENCES

from .conftest import World


@pytest.fixture
def shelf() -> S3Peer:
    peer = S3Peer()
    peer.objects = {
        "2023/report.txt": b"The report.",
        "2023/deep/notes.md": b"# Notes",
        "2023/empty/": b"",
        "2024/other.txt": b"Another year.",
        "2023/odd %41 \u00e9?#.txt": b"Odd.",
    }
    return peer


@pytest.fixture
def address(shelf: S3Peer) -> Iterator[str]:
    with shelf.serving() as url:
        yield url


def test_a_prefix_is_followed_page_by_page(world: World, shelf: S3Peer, address: str) -> None:
    world.add("s3", f"{address}/shelf/2023/", credential=world.secret("shelf", "reader:hunter2hunter2"))
    assert world.came_to() == (3, 0, 0)
    assert world.documents() == {
        "here://report.txt": b"The report.",
        "here://deep/notes.md": b"# Notes",
        "here://odd %2541 %C3%A9%3F%23.txt": b"Odd.",
    }
    assert shelf.listings == 2
    shelf.read.clear()
    shelf.objects["2023/report.txt"] = b"The report, again."
    del shelf.objects["2023/deep/notes.md"]
    assert world.came_to() == (1, 1, 0)
    assert shelf.read == ["2023/report.txt"], "what has not changed is not read"
    assert world.documents()["here://report.txt"] == b"The report, again."


def test_a_whole_bucket_is_followed_too(world: World, shelf: S3Peer, address: str) -> None:
    world.add("s3", f"{address}/shelf", credential=world.secret("shelf", "reader:hunter2hunter2"))
    assert world.look()["stored"] == 4


def test_an_object_that_is_too_large_is_told_and_not_read(world: World, shelf: S3Peer, address: str) -> None:
    shelf.objects["2023/big.bin"] = b"x" * 1_000_001
    world.add("s3", f"{address}/shelf/2023/", credential=world.secret("shelf", "reader:hunter2hunter2"))
    found = world.look()
    assert (found["stored"], found["failed"], found["error"]["code"]) == (3, 1, "too_large")
    assert "2023/big.bin" not in shelf.read


def test_what_fails_for_now_holds_back_nothing_that_stands_behind_it(world: World, shelf: S3Peer, address: str) -> None:
    secret = world.secret("shelf", "reader:hunter2hunter2")
    world.add("s3", f"{address}/shelf/2023/", credential=secret, max_per_s=1000)
    assert world.came_to() == (3, 0, 0)
    shelf.failing = {f"2023/a{number}.txt": "InternalFault" for number in range(MAX_SILENCES + 2)}
    shelf.objects |= dict.fromkeys(shelf.failing, b"Not now.")
    shelf.objects["2023/zebra.txt"] = b"A zebra."
    del shelf.objects["2023/deep/notes.md"]
    assert world.came_to() == (0, 0, MAX_SILENCES), "the place may have had enough"
    assert world.came_to() == (1, 1, MAX_SILENCES + 2)
    last = f"2023/a{MAX_SILENCES}.txt"
    del shelf.failing[last]
    shelf.read.clear()
    assert world.came_to() == (1, 0, MAX_SILENCES + 1), "what was asked for last is asked for last"
    assert shelf.read == [last]
    shelf.failing.clear()
    assert world.came_to() == (MAX_SILENCES + 1, 0, 0)
    assert world.came_to() == (0, 0, 0)


def test_what_failed_is_asked_for_last_also_behind_a_look_that_did_not_get_so_far(
    world: World, shelf: S3Peer, address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    shelf.failing = {f"2023/a{number}.txt": "InternalFault" for number in range(MAX_SILENCES)}
    shelf.objects |= dict.fromkeys(shelf.failing, b"Not now.")
    world.add("s3", f"{address}/shelf/2023/", credential=world.secret("shelf", "reader:hunter2hunter2"), max_per_s=1000)
    assert [world.came_to(), world.came_to()] == [(0, 0, MAX_SILENCES), (3, 0, MAX_SILENCES)]
    with monkeypatch.context() as away:
        away.setattr(connector, "MAX_EMPTY_PAGES", 1)
        away.setattr(shelf, "listing", lambda _: endless())
        assert world.came_to() == (0, 0, 0)
    shelf.objects["2023/zebra.txt"] = b"A zebra."
    assert world.came_to() == (1, 0, MAX_SILENCES)


def test_archived_objects_are_told_and_what_stands_behind_them_is_taken(
    world: World, shelf: S3Peer, address: str
) -> None:
    shelf.failing = {f"2023/a{number}.txt": "InvalidObjectState" for number in range(MAX_SILENCES)}
    shelf.objects |= dict.fromkeys(shelf.failing, b"In the archive.")
    world.add("s3", f"{address}/shelf/2023/", credential=world.secret("shelf", "reader:hunter2hunter2"), max_per_s=1000)
    found = world.look()
    assert (found["stored"], found["failed"], found["error"]["code"]) == (3, MAX_SILENCES, "archived")


def endless(key: str = "") -> bytes:
    """A page of a listing, of which there is always one more."""
    found = f"<Contents><Key>{key}</Key><LastModified>2026-01-02T03:04:05.000Z</LastModified><Size>0</Size></Contents>"
    return (
        "<ListBucketResult><Name>shelf</Name><IsTruncated>true</IsTruncated>"
        f"<NextContinuationToken>more</NextContinuationToken>{found if key else ''}</ListBucketResult>"
    ).encode()


@pytest.mark.parametrize("key", ["", "a/", "a/b"])
def test_a_listing_without_end_is_left_and_loses_nothing(
    world: World, shelf: S3Peer, address: str, monkeypatch: pytest.MonkeyPatch, key: str
) -> None:
    monkeypatch.setattr(connector, "MAX_EMPTY_PAGES", 10)
    monkeypatch.setattr(connector, "MAX_LISTED", 20)
    secret = world.secret("shelf", "reader:hunter2hunter2")
    world.add("s3", f"{address}/shelf/2023/", credential=secret, max_per_s=1000)
    assert world.came_to() == (3, 0, 0)
    monkeypatch.setattr(shelf, "listing", lambda _: endless(key))
    asked = len(shelf.asked_at)
    found = world.look()
    assert (found["deleted"], found["error"]["code"]) == (0, "too_many_files")
    assert len(shelf.asked_at) - asked < 50


def test_empty_pages_between_objects_do_no_harm(
    world: World, shelf: S3Peer, address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole, pages = shelf.listing, iter([endless()] * 5)
    monkeypatch.setattr(shelf, "listing", lambda query: next(pages, None) or whole({**query, "continuation-token": ""}))
    shelf.page = 100
    secret = world.secret("shelf", "reader:hunter2hunter2")
    world.add("s3", f"{address}/shelf/2023/", credential=secret, max_per_s=1000)
    assert world.came_to() == (3, 0, 0)


def test_a_look_that_brings_nothing_ends_when_the_connection_is_removed(
    world: World, shelf: S3Peer, address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connector, "MAX_EMPTY_PAGES", 10**9)
    monkeypatch.setattr(look, "SAVE_S", 0.1)
    monkeypatch.setattr(shelf, "listing", lambda _: endless())
    world.add("s3", f"{address}/shelf", credential=world.secret("shelf", "reader:hunter2hunter2"), max_per_s=1000)
    world.call("POST", "/v1/connections/here/run")
    wait_until(lambda: len(shelf.asked_at) > 20, "it is looked at")
    assert world.call("DELETE", "/v1/connections/here").status_code == 202
    wait_until(lambda: world.call("GET", "/v1/connections/here").status_code == 404, "it is removed")


@pytest.mark.parametrize(
    ("bucket", "secret", "code"),
    [
        ("shelf", "stranger:hunter2hunter2", "login_refused"),
        ("shelf", "", "login_needed"),
        ("cellar", "reader:hunter2hunter2", "no_such_bucket"),
    ],
)
def test_what_cannot_be_read_says_why_without_the_secret(
    world: World, address: str, bucket: str, secret: str, code: str
) -> None:
    credential = world.secret("shelf", secret) if secret else ""
    world.add("s3", f"{address}/{bucket}/2023/", credential=credential)
    found = world.look()
    assert (found["stored"], found["deleted"], found["error"]["code"]) == (0, 0, code)
    assert "hunter2" not in world.call("GET", "/v1/connections").text


def test_where_it_may_not_go_nothing_is_asked(world: World, shelf: S3Peer, address: str) -> None:
    world.set(url_allow="")
    world.add("s3", f"{address}/shelf", credential=world.secret("shelf", "reader:hunter2hunter2"))
    assert world.look()["error"]["code"] == "forbidden_address"
    assert not shelf.listings


@pytest.mark.parametrize(
    ("location", "code"),
    [("s3://", "bad_location"), ("https://key:secret@host.test/bucket", "bad_location"), ("ftp://host/b", "bad_url")],
)
def test_a_place_that_cannot_be_is_refused(world: World, location: str, code: str) -> None:
    assert world.refused("s3", location) == code
