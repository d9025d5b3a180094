"""Mailboxes of a real server, Dovecot (`make test-servers` installs it). The peer of test_imap.py covers the rest."""

from __future__ import annotations

import imaplib
import re
from collections.abc import Iterator
from email.message import EmailMessage
from urllib.parse import unquote

import pytest
from real_imap import ABSENT, INSTALLED, RealImap

from trivium_query.connect.mailbox import _quoted
from trivium_query.egress import fetch

from .conftest import World

pytestmark = pytest.mark.skipif(not INSTALLED, reason=ABSENT)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RealImap]:
    made = RealImap(tmp_path_factory.mktemp("imap"))
    with made.running():
        yield made


@pytest.fixture
def user(request: pytest.FixtureRequest) -> str:
    """Whose mailbox is the test's own."""
    return re.sub(r"\W", "-", request.node.name)


@pytest.fixture
def mail(server: RealImap, user: str) -> Iterator[imaplib.IMAP4]:
    """That mailbox in its owner's mail program."""
    with server.logged_in(user) as client:
        yield client


@pytest.fixture(autouse=True)
def _trusted(server: RealImap, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The system trusts the server's certificate."""
    monkeypatch.setenv("SSL_CERT_FILE", str(server.certificate))
    fetch._system_tls.cache_clear()
    yield
    fetch._system_tls.cache_clear()


def put(mail: imaplib.IMAP4, name: str, folder: str = "INBOX") -> bytes:
    """Deliver a message; as it came."""
    message = EmailMessage()
    message["From"], message["Subject"] = "mira@example.org", name
    message.set_content(f"The lamp of {name} burns.")
    message.add_attachment(b"Year,Lamps\r\n1888,2\r\n", maintype="text", subtype="csv", filename="lamps.csv")
    content = message.as_bytes().replace(b"\n", b"\r\n")
    status, told = mail.append(_quoted(folder), "", "", content)
    assert status == "OK", told
    return content


def drop(mail: imaplib.IMAP4, uid: int, folder: str = "INBOX") -> None:
    mail.select(_quoted(folder))
    mail.uid("STORE", str(uid), "+FLAGS", r"(\Deleted)")
    mail.expunge()
    mail.unselect()


def numbering(mail: imaplib.IMAP4, folder: str = "INBOX") -> int:
    """Its UIDVALIDITY."""
    mail.select(_quoted(folder), readonly=True)
    (told,) = mail.response("UIDVALIDITY")[1]
    mail.unselect()
    return int(told)


def follow(world: World, server: RealImap, user: str, where: str = "INBOX", *, scheme: str = "imaps") -> None:
    port = server.tls_port if scheme == "imaps" else server.port
    secret = world.secret("mail", f"{user}:hunter2")
    world.add("imap", f"{scheme}://127.0.0.1:{port}/{where}", credential=secret, max_per_s=1000)


@pytest.mark.parametrize("scheme", ["imaps", "imap"])
def test_messages_come_and_go_with_the_mailbox(
    world: World, server: RealImap, user: str, mail: imaplib.IMAP4, scheme: str
) -> None:
    first, second = put(mail, "one"), put(mail, "two")
    follow(world, server, user, scheme=scheme)
    assert world.came_to() == (2, 0, 0)
    number = numbering(mail)
    assert world.documents() == {f"here://{number}-1.eml": first, f"here://{number}-2.eml": second}
    assert world.came_to() == (0, 0, 0), "nothing is read twice"

    third = put(mail, "three")
    assert world.came_to() == (1, 0, 0)
    drop(mail, 1)
    assert world.came_to() == (0, 1, 0)
    assert world.documents() == {f"here://{number}-2.eml": second, f"here://{number}-3.eml": third}

    mail.select("INBOX", readonly=True)
    assert mail.search(None, "UNSEEN")[1] == [b"1 2"], "what is read here stays unread for people"


def test_a_folder_that_is_made_anew_is_read_anew(
    world: World, server: RealImap, user: str, mail: imaplib.IMAP4
) -> None:
    mail.create("Lamps")
    put(mail, "one", "Lamps")
    put(mail, "two", "Lamps")
    follow(world, server, user, "Lamps")
    assert world.came_to() == (2, 0, 0)
    before = numbering(mail, "Lamps")

    mail.delete("Lamps")
    mail.create("Lamps")
    other = put(mail, "other", "Lamps")
    after = numbering(mail, "Lamps")
    assert after != before
    assert world.came_to() == (1, 2, 0)
    assert world.documents() == {f"here://{after}-1.eml": other}


ODD = ['Entw\u00fcrfe & "mehr"', "100 %, (so)", "\u706f\u53f0", "back\\slash", "Shelf.\u00c9t\u00e9"]


def test_folders_with_odd_names_are_followed_each_under_its_own(
    world: World, server: RealImap, user: str, mail: imaplib.IMAP4
) -> None:
    for name in ODD:
        status, told = mail.create(_quoted(name))
        assert status == "OK", told
        put(mail, name, name)
    put(mail, "inbox")
    follow(world, server, user, "*")
    assert world.came_to() == (len(ODD) + 1, 0, 0)
    sources = {unquote(source.removeprefix("here://").rpartition("/")[0]) for source in world.documents()}
    assert sources == {"INBOX", *ODD}
    assert world.came_to() == (0, 0, 0)

    mail.delete(_quoted(ODD[0]))
    assert world.came_to() == (0, 1, 0), "a folder that is gone takes its message along"


def test_a_wrong_password_is_told_without_it(world: World, server: RealImap, user: str) -> None:
    secret = world.secret("mail", f"{user}:wrong-hush")
    world.add("imap", f"imaps://127.0.0.1:{server.tls_port}/INBOX", credential=secret)
    error = world.look()["error"]
    assert (error["code"], "hush" in str(error)) == ("login_refused", False)


def test_a_server_whose_certificate_nobody_vouches_for_is_shown_no_password(
    world: World, server: RealImap, user: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("SSL_CERT_FILE")
    fetch._system_tls.cache_clear()
    follow(world, server, user)
    assert "SSLCertVerificationError" in world.look()["error"]["message"]
