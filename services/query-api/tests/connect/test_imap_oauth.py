"""A mailbox whose credential is an OAuth 2 refresh token."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import msgspec
import pytest
from imap_peer import ImapPeer
from places_peer import Asked
from structlog.testing import capture_logs
from token_peer import Odd, TokenPeer

from trivium.connections.rotated_tokens import RotatedTokens
from trivium.connections.secrets import RefreshToken, read_secret
from trivium.domain.scope import DEFAULT_TENANT
from trivium.flow.originals import Originals
from trivium.tenants.export_tenant import export_tenant
from trivium_query.connect import oauth
from trivium_query.connect.oauth import AccessTokens
from trivium_query.egress.fetch import Fetcher, FetchLimits
from trivium_query.egress.rules import host_rules

from .conftest import World


@pytest.fixture
def peer() -> ImapPeer:
    made = ImapPeer([3, 4])
    made.token = "access-1-hush"
    return made


@pytest.fixture
def address(peer: ImapPeer) -> Iterator[str]:
    with peer.serving() as url:
        yield url


@pytest.fixture
def tokens() -> TokenPeer:
    return TokenPeer()


@pytest.fixture
def token_uri(tokens: TokenPeer) -> Iterator[str]:
    with tokens.serving() as url:
        yield url


def credential(world: World, token_uri: str, **fields: Any) -> str:
    told = {"user": "mira", "client_id": "app-7", "client_secret": "client-hush", "refresh_token": "refresh-1-hush"}
    return world.secret("mail", json.dumps({**told, "token_uri": token_uri, **fields}, indent=2))


def follow(world: World, address: str, token_uri: str, **fields: Any) -> None:
    world.add("imap", address, credential=credential(world, token_uri, **fields), max_per_s=1000)


def failed(world: World) -> dict[str, str]:
    """The error of a look, in which nothing was lost."""
    found = world.look()
    assert (found["activity"], found["deleted"]) == ("failed", 0)
    error: dict[str, str] = found["error"]
    return error


def test_messages_are_read_with_an_access_token_that_is_kept(
    world: World, address: str, token_uri: str, tokens: TokenPeer
) -> None:
    follow(world, address, token_uri)
    assert world.came_to() == (2, 0, 0)
    assert world.came_to() == (0, 0, 0)
    (asked,) = tokens.asked
    assert asked == {
        "grant_type": "refresh_token",
        "refresh_token": "refresh-1-hush",
        "client_id": "app-7",
        "client_secret": "client-hush",
    }


def test_a_client_without_a_secret_sends_none(world: World, address: str, token_uri: str, tokens: TokenPeer) -> None:
    tokens.client = ("app-7", None)
    follow(world, address, token_uri, client_secret="")
    assert world.came_to() == (2, 0, 0)
    assert "client_secret" not in tokens.asked[0]


@pytest.mark.parametrize("told", [{"expires_in": 59}, {"expires_in": "20", "token_type": "bearer"}])
def test_a_token_is_not_used_until_its_very_end(
    world: World, peer: ImapPeer, address: str, token_uri: str, tokens: TokenPeer, told: dict[str, Any]
) -> None:
    tokens.told |= told
    follow(world, address, token_uri)
    assert world.came_to() == (2, 0, 0)
    peer.token = "access-2-hush"
    assert world.came_to() == (0, 0, 0)
    assert peer.asked.count("AUTHENTICATE XOAUTH2") == 2, "none was refused"


def test_a_token_that_is_refused_is_fetched_again_once(
    world: World, peer: ImapPeer, address: str, token_uri: str, tokens: TokenPeer
) -> None:
    follow(world, address, token_uri)
    world.look()
    peer.token, peer.uids = "access-2-hush", [3, 4, 5]
    assert world.came_to() == (1, 0, 0)
    peer.token = "another"
    peer.asked.clear()
    error = failed(world)
    assert (error["code"], len(tokens.given)) == ("login_refused", 3)
    assert peer.asked.count("AUTHENTICATE XOAUTH2") == 2
    assert "user" in error["action"]


def test_a_new_refresh_token_takes_the_place_of_the_old(
    world: World, peer: ImapPeer, address: str, token_uri: str, tokens: TokenPeer
) -> None:
    tokens.rotates, tokens.told["expires_in"] = True, 1
    follow(world, address, token_uri)
    for peer.token in ("access-1-hush", "access-2-hush", "access-3-hush"):
        assert "error" not in world.look()
    assert [asked["refresh_token"] for asked in tokens.asked] == ["refresh-1-hush", "refresh-2-hush", "refresh-3-hush"]


def refreshed_by(tokens: TokenPeer) -> list[str]:
    """The refresh tokens that it was shown."""
    return [asked["refresh_token"] for asked in tokens.asked]


def test_a_new_refresh_token_outlives_the_process(
    world: World, peer: ImapPeer, address: str, token_uri: str, tokens: TokenPeer
) -> None:
    tokens.rotates = True
    follow(world, address, token_uri)
    assert world.came_to() == (2, 0, 0)
    world.start()
    peer.token, peer.uids = "access-2-hush", [3, 4, 5]
    assert world.came_to() == (1, 0, 0), "the one in the file is not taken any more"
    assert refreshed_by(tokens) == ["refresh-1-hush", "refresh-2-hush"]


def test_a_token_that_somebody_puts_into_the_file_takes_the_place_of_what_was_kept(
    world: World, peer: ImapPeer, address: str, token_uri: str, tokens: TokenPeer
) -> None:
    tokens.rotates = True
    follow(world, address, token_uri)
    assert world.came_to() == (2, 0, 0)
    tokens.refresh_token, peer.token = "refresh-9-hush", "access-2-hush"
    credential(world, token_uri, refresh_token="refresh-9-hush")
    assert world.came_to() == (0, 0, 0)
    world.start()
    peer.token = "access-3-hush"
    assert world.came_to() == (0, 0, 0)
    assert refreshed_by(tokens) == ["refresh-1-hush", "refresh-9-hush", "refresh-3-hush"]


def test_what_another_process_was_given_meanwhile_is_used(
    world: World, tmp_path: Path, peer: ImapPeer, address: str, token_uri: str, tokens: TokenPeer
) -> None:
    tokens.rotates, tokens.told["expires_in"] = True, 1
    follow(world, address, token_uri)
    world.look()
    others = AccessTokens(RotatedTokens(world.stores.objects))
    grant = read_secret(world.settings, DEFAULT_TENANT, "mail")
    assert isinstance(grant, RefreshToken)
    rules = host_rules("127.0.0.1", "", "")
    fetcher = Fetcher(FetchLimits(), rules)
    assert others.of(DEFAULT_TENANT, "mail", grant, rules).get(fetcher) == "access-2-hush"
    peer.token = "access-3-hush"
    assert world.came_to() == (0, 0, 0)

    def loses_a_race(asked: Asked) -> None:
        """Another one comes first with the same token."""
        tokens.odd = None
        others.of(DEFAULT_TENANT, "mail", grant, rules).get(fetcher)
        asked.answer(400, b'{"error": "invalid_grant"}')

    tokens.odd, peer.token = loses_a_race, "access-5-hush"
    assert world.came_to() == (0, 0, 0)
    assert refreshed_by(tokens) == [f"refresh-{number}-hush" for number in (1, 2, 3, 4, 4, 5)]


def test_a_refresh_token_that_is_refused_is_told_with_what_to_do(
    world: World, address: str, token_uri: str, tokens: TokenPeer
) -> None:
    tokens.refresh_token = "refresh-9-hush"
    follow(world, address, token_uri)
    error = failed(world)
    assert error["code"] == "refresh_token_refused"
    assert "invalid_grant" in error["message"]
    assert error["action"].startswith("Sign in to the mailbox again")
    credential(world, token_uri, refresh_token="refresh-9-hush")
    assert world.came_to() == (2, 0, 0), "the file is read again"


def test_a_client_that_is_refused_is_told(world: World, address: str, token_uri: str) -> None:
    follow(world, address, token_uri, client_secret="wrong-hush")
    assert failed(world)["code"] == "client_refused"


def answers(status: int, body: bytes, **headers: str) -> Odd:
    return lambda asked: asked.answer(status, body, **headers)


def goes_on(asked: Asked) -> None:
    asked.send_response(400)
    asked.end_headers()
    while True:
        asked.wfile.write(b" " * 10_000)


GRANTED = b'{"access_token": "access-1-hush", "token_type": "Bearer", '


@pytest.mark.parametrize(
    ("odd", "code"),
    [
        (answers(200, b"<html>Sign in, please</html>"), "no_access_token"),
        (answers(200, b"[]"), "no_access_token"),
        (answers(200, GRANTED + b'"expires_in": "soon"}'), "no_access_token"),
        (answers(200, GRANTED + b'"x": ' + b"[" * 50_000), "no_access_token"),
        (answers(200, GRANTED.replace(b"Bearer", b"mac") + b'"x": 1}'), "no_access_token"),
        (answers(200, GRANTED.replace(b"hush", b"hu\\u0001sh") + b'"x": 1}'), "no_access_token"),
        (answers(200, b" " * 70_000 + GRANTED + b'"x": 1}'), "too_large"),
        (answers(400, b'{"error": "refresh-1-hush!"}'), "no_access_token"),
        (answers(400, b"\xff"), "no_access_token"),
        (answers(302, b"", Location="http://127.0.0.1:1/"), "no_access_token"),
        (answers(503, b""), "no_access_token"),
        (goes_on, "too_large"),
        (lambda asked: asked.connection.close(), "fetch_interrupted"),
    ],
)
def test_an_endpoint_that_answers_oddly_is_told_and_not_believed(
    world: World, peer: ImapPeer, address: str, token_uri: str, tokens: TokenPeer, odd: Odd, code: str
) -> None:
    tokens.odd = odd
    follow(world, address, token_uri)
    error = failed(world)
    assert (error["code"], "hush" in str(error)) == (code, False)
    assert "AUTHENTICATE XOAUTH2" not in peer.asked
    tokens.odd = None
    assert world.came_to() == (2, 0, 0)


def test_an_endpoint_that_hangs_is_left(
    world: World, address: str, token_uri: str, tokens: TokenPeer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(oauth, "LIMITS", msgspec.structs.replace(oauth.LIMITS, timeout_s=0.2))
    ended = threading.Event()

    def hangs(_: Asked) -> None:
        ended.wait()

    tokens.odd = hangs
    follow(world, address, token_uri)
    error = failed(world)
    ended.set()
    assert error["code"] == "fetch_timeout"


def test_an_endpoint_inside_is_not_asked(world: World, address: str, tokens: TokenPeer, token_uri: str) -> None:
    follow(world, address, token_uri.replace("http://127.0.0.1", "https://127.0.0.2"))
    assert failed(world)["code"] == "forbidden_address"
    assert not tokens.asked


def test_a_mail_server_without_it_is_shown_no_token(world: World, peer: ImapPeer, address: str, token_uri: str) -> None:
    peer.token = ""
    follow(world, address, token_uri)
    assert failed(world)["code"] == "no_oauth"


@pytest.mark.parametrize(
    ("fields", "code"),
    [
        ({"token_uri": "http://tokens.test/"}, "not_encrypted"),
        ({"token_uri": "refresh-1-hush"}, "bad_credential"),
        ({"token_uri": 7}, "bad_credential"),
        ({"user": "mira\1auth=Bearer x"}, "bad_credential"),
        ({"client_id": ""}, "bad_credential"),
        ({"refresh_token": None}, "bad_credential"),
    ],
)
def test_a_credential_that_cannot_be_is_refused_without_what_is_in_it(
    world: World, address: str, token_uri: str, fields: dict[str, Any], code: str
) -> None:
    name = credential(world, **{"token_uri": token_uri, **fields})
    body = {"id": "here", "kind": "imap", "location": address, "credential": name}
    answer = world.call("POST", "/v1/connections", json=body)
    assert (answer.json()["code"], "hush" in answer.text) == (code, False)


def test_it_goes_to_no_other_kind_of_place(world: World, token_uri: str) -> None:
    name = credential(world, token_uri)
    assert world.refused("webdav", "https://cloud.test/dav", credential=name) == "bad_credential"


def test_no_answer_log_or_store_has_a_secret(
    world: World,
    peer: ImapPeer,
    address: str,
    token_uri: str,
    tokens: TokenPeer,
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level("DEBUG")
    tokens.rotates = True
    with capture_logs() as logged:
        follow(world, address.replace("INBOX", "*"), token_uri)
        peer.others = {'"Shelf"': [1]}
        assert world.came_to() == (1, 0, 0)
        peer.listed.append(b'* LIST () "/" "access-1-hush"')
        assert "********" in failed(world)["message"], "a folder that is called so, and missing"
        peer.token = "another"
        failed(world)
        tokens.refresh_token = "refresh-9-hush"
        failed(world)
        export_tenant(world.stores, Originals(world.stores.objects), DEFAULT_TENANT, tmp_path / "tenant.zip")
        credential(world, token_uri, client_secret="wrong-hush")
        failed(world)
    told = [world.call("GET", "/v1/connections").text, str(logged), caplog.text]
    kept = [path.read_bytes() for path in (tmp_path / "stores").rglob("*") if path.is_file()]
    assert logged
    assert kept
    assert not any("hush" in text for text in told)
    assert not any(b"hush" in content for content in kept)
    with ZipFile(tmp_path / "tenant.zip") as archive:
        assert "objects/connections/defined/here" in archive.namelist()
        assert not any("rotated" in name or b"hush" in archive.read(name) for name in archive.namelist())
