"""A mailbox over `imaplib`: through the egress guard, and with a bound on what the server sends."""

from __future__ import annotations

import base64
import imaplib
import re
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from types import SimpleNamespace
from typing import Any, NamedTuple
from urllib.parse import unquote, urlsplit

from trivium.connections.secrets import Secret
from trivium.domain.errors import NeverWill, Refused, TriviumError, TryLater
from trivium_query.connect.oauth import AccessToken
from trivium_query.connect.place import Place, Way
from trivium_query.connect.web import holds_login, refused_login
from trivium_query.egress.fetch import Fetcher
from trivium_query.egress.timed_socket import RequestTime, timed

MAX_TOLD_BYTES = 8 * 1024 * 1024
"""Of an answer without the message that it may bring."""
ANY = "*"
"""Stands for any folders below (RFC 3501 6.3.8); no folder has it in its name."""
MAX_FOLDERS = 1000
CHANGED = "mailbox_changed"
"""The code of a fault of one folder, which the next look puts right; the others can be read."""
_PORTS = {"imap": 143, "imaps": 993}
_LISTED = re.compile(r'\(([^)]*)\) (?:"(?:\\.|[^"\\])*"|NIL) (.*)', re.DOTALL)
_UID, _SIZE = re.compile(rb"\bUID (\d+)"), re.compile(rb"\bRFC822\.SIZE (\d+)")


class MailLocation(NamedTuple):
    """`imaps://host:port/folder,folder`, folders and patterns as they are written on the wire."""

    host: str
    port: int
    encrypted: bool
    folders: tuple[str, ...]

    @property
    def several(self) -> bool:
        """Whether there may be more than one, whose messages are told apart by their folders."""
        return len(self.folders) > 1 or ANY in self.folders[0]


def mail_location(place: Place) -> MailLocation:
    """A connection's mailbox. Raises `Refused` (`bad_location`, `no_credential`)."""
    location = place.connection.location
    try:
        url = urlsplit(location)
        host, port = url.hostname, url.port
    except ValueError:
        host = None
    if not host or url.scheme not in _PORTS or url.query or url.fragment:
        raise Refused("bad_location", f"{location[:200]!r} is no mailbox.", "Write imaps://host/INBOX.")
    if url.username is not None or url.password is not None:
        raise holds_login()
    folders = [unquote(folder.strip("/")) for folder in url.path.split(",")]
    if not "".join(folders).isprintable():
        raise Refused("bad_location", f"{url.path[:80]!r} is no folder.", "Write imaps://host/INBOX.")
    if place.way.secret is None and place.way.token is None:
        raise Refused("no_credential", "A mailbox wants a login.", "Name a credential: --credential NAME.")
    written = tuple(_quoted(folder or "INBOX") for folder in folders)
    return MailLocation(host, port or _PORTS[url.scheme], url.scheme == "imaps", written)


class _Guarded(imaplib.IMAP4):
    """Connects by the egress guard; what one command brings is bounded, and so is the time that it takes.

    To connect and log in are one command here.
    """

    def __init__(self, way: Way, address: MailLocation) -> None:
        self._way, self._encrypted = way, address.encrypted
        self._may_read = MAX_TOLD_BYTES
        self._time = RequestTime(way.fetcher.limits.timeout_s)
        super().__init__(address.host, address.port)

    def begin(self, more_bytes: int = 0) -> None:
        """Another command, which may bring so much more than what is told of messages."""
        self._may_read = MAX_TOLD_BYTES + more_bytes
        self._time.begin()

    def secure(self) -> None:
        """STARTTLS."""
        context = SimpleNamespace(wrap_socket=self._secured)
        super().starttls(context)

    def _create_socket(self, timeout: float | None) -> socket.socket:
        connection = self._way.fetcher.connect(self.host, self.port, self._time)
        return self._secured(connection, self.host) if self._encrypted else timed(connection, self._time)

    def _secured(self, connection: socket.socket, server_hostname: str) -> socket.socket:
        secured = self._way.fetcher.context().wrap_socket(connection, server_hostname=server_hostname)
        return timed(secured, self._time)

    def read(self, size: int) -> bytes:
        """As imaplib's; raises `NeverWill` (`too_large`) before it reads more than it may."""
        self._count(size)
        return super().read(size)

    def readline(self) -> bytes:
        """The same."""
        line = super().readline()
        self._count(len(line))
        return line

    def _count(self, size: int) -> None:
        self._may_read -= size
        if self._may_read < 0:
            raise NeverWill("too_large", f"{self.host} sends more than was asked for.", "Ask whoever runs that server.")


class Mailbox:
    """One folder after the other, read only. `validity` is the server's word for the numbering of the one it is in."""

    def __init__(self, place: Place, address: MailLocation) -> None:
        self._place, self._address = place, address
        self._folder, self._there, self.validity = "", 0, 0
        self._client = self._opened()
        self._broken = False

    def folders(self, pattern: str) -> list[str]:
        """Those that there are. Raises `Refused` (`too_many_files`)."""
        answer = self._asked(lambda: self._client.list('""', pattern))
        with self._translated():
            found = list(filter(None, map(_listed, answer)))
        if len(found) > MAX_FOLDERS:
            raise Refused("too_many_files", f"There are more than {MAX_FOLDERS:,} folders.", "Connect some of them.")
        return found

    def enter(self, folder: str) -> None:
        """Be in that folder. Raises `NeverWill` (`no_such_folder`)."""
        self._folder = folder
        if self._broken:
            self._client = self._opened()
            self._broken = False
        self._there, self.validity = self._examined()

    def first_after(self, uid: int) -> int:
        """The place, from 1, of the first message whose UID is larger: by bisection. One past the last if none is.

        Nothing is told of a place whose message went since the folder was entered: the next that is told of counts.
        """
        low, high = 1, self._there + 1
        while uid and low < high:
            middle, count = (low + high) // 2, 1
            while not (page := self.page(middle, min(count, high - middle))) and middle + count < high:
                count *= 2
            if page and page[0][0] <= uid:
                low = middle + 1
            else:
                high = middle
        return low

    def page(self, first: int, count: int) -> list[tuple[int, int]]:
        """UID and size in bytes of so many messages from the place `first` on, in order."""
        last = min(first + count - 1, self._there)
        if last < first:
            return []
        answer = self._asked(lambda: self._client.fetch(f"{first}:{last}", "(UID RFC822.SIZE)"))
        return sorted(filter(None, map(_uid_and_size, answer)))

    def size(self, uid: int) -> int | None:
        """Of a message in bytes; None when it is not there."""
        answer = self._asked(lambda: self._client.uid("FETCH", str(uid), "(UID RFC822.SIZE)"))
        return next((size for found, size in filter(None, map(_uid_and_size, answer)) if found == uid), None)

    def message(self, uid: int) -> bytes | None:
        """As it came; None when it is not there. It is not marked as read."""
        ask = lambda: self._client.uid("FETCH", str(uid), "(BODY.PEEK[])")  # noqa: E731
        answer = self._asked(ask, self._place.max_bytes)
        return next((part[1] for part in answer if isinstance(part, tuple)), None)

    def close(self) -> None:
        """Say goodbye."""
        _end(self._client)

    def _opened(self) -> _Guarded:
        """A connection that is logged in. Where an access token is refused, it is with a new one, once."""
        try:
            return self._connected()
        except Refused as error:
            if self._place.way.token is None or error.code != "login_refused":
                raise
        self._place.way.token.forget()
        return self._connected()

    def _connected(self) -> _Guarded:
        with self._translated():
            client = _Guarded(self._place.way, self._address)
        try:
            self._log_in(client)
        except BaseException:
            _end(client)
            raise
        return client

    def _log_in(self, client: _Guarded) -> None:
        way, host = self._place.way, self._address.host
        with self._translated():
            if not self._address.encrypted and "STARTTLS" in client.capabilities:
                client.secure()
            elif not self._address.encrypted:
                way.fetcher.rules.check_in_the_clear(host, "imaps")
            try:
                if way.token is not None:
                    _show_token(client, way.token, way.fetcher)
                elif way.secret is not None:
                    _show_password(client, way.secret)
            except (imaplib.IMAP4.abort, UnicodeError):
                raise
            except imaplib.IMAP4.error as error:
                raise _refused_token(host) if way.token else refused_login(host, with_login=True) from error

    def _examined(self) -> tuple[int, int]:
        """How many messages there are, and their numbering."""
        with self._translated():
            self._place.way.pace()
            self._client.begin()
            status, told = self._client.select(self._folder, readonly=True)
            if status != "OK":
                why = f"The mailbox has no folder {self._folder[:80]}."
                raise NeverWill("no_such_folder", why, "Check the location.")
            _, validity = self._client.response("UIDVALIDITY")
        return _number(told), _number(validity)

    def _asked(self, ask: Callable[[], tuple[str, list[Any]]], more_bytes: int = 0) -> list[Any]:
        """What a request brings, bounded. One that breaks the connection is followed by a new connection."""
        self._place.way.pace()
        if self._broken:
            self._client = self._opened()
            self._there, validity = self._examined()
            if validity != self.validity:
                _end(self._client)
                raise TryLater(CHANGED, "The folder was numbered anew meanwhile.", "Look again.")
        self._broken = True
        self._client.begin(more_bytes)
        try:
            with self._translated():
                status, answer = ask()
        except BaseException:
            _end(self._client)
            raise
        self._broken = False
        if status != "OK":
            raise TryLater("mailbox_failed", f"{self._address.host} refused a request.", "Look again later.")
        return answer

    @contextmanager
    def _translated(self) -> Iterator[None]:
        host = self._address.host
        try:
            yield
        except imaplib.IMAP4.abort as error:
            raise TryLater("fetch_interrupted", f"The connection to {host} broke off.", "Look again later.") from error
        except OSError as error:  # of TLS too, of which a certificate's is a `ValueError` as well
            why = f"The connection to {host} failed ({type(error).__name__})."
            raise TryLater("fetch_interrupted", why, "Look again later.") from error
        except (imaplib.IMAP4.error, ValueError) as error:
            why = f"{host} does not answer as a mail server does."
            raise NeverWill("no_mailbox", why, "Check the location: imaps://host/INBOX.") from error


def _show_password(client: _Guarded, secret: Secret) -> None:
    if "AUTH=PLAIN" in client.capabilities:
        plain = f"\0{secret.user}\0{secret.password}".encode()
        client.authenticate("PLAIN", lambda _: plain)
    else:
        client.login(secret.user, secret.password)


def _show_token(client: _Guarded, token: AccessToken, fetcher: Fetcher) -> None:
    """SASL XOAUTH2, as Google and Microsoft have it: why a token is refused is a challenge, which wants an answer."""
    if "AUTH=XOAUTH2" not in client.capabilities:
        raise Refused(
            "no_oauth", f"{client.host} takes no OAuth 2 login (XOAUTH2).", "Name a credential of user:password."
        )
    answers = iter((f"user={token.user}\1auth=Bearer {token.get(fetcher)}\1\1".encode(), b""))
    client.authenticate("XOAUTH2", lambda _: next(answers, None))


def _refused_token(host: str) -> Refused:
    return Refused(
        "login_refused",
        f"{host} refuses the access token.",
        "Check user in the credential's file, that the token may read mail (its scope), and that IMAP is switched on.",
    )


def _end(client: _Guarded) -> None:
    with suppress(imaplib.IMAP4.error, OSError, TriviumError):
        client.shutdown()


def _uid_and_size(part: Any) -> tuple[int, int] | None:
    line = part[0] if isinstance(part, tuple) else part
    if not isinstance(line, bytes):
        return None
    uid, size = _UID.search(line), _SIZE.search(line)
    return (int(uid[1]), int(size[1])) if uid and size else None


def _number(told: Any) -> int:
    return int(told[0]) if told and told[0] else 0


def _listed(part: Any) -> str | None:
    """A folder of a list, as it is written on the wire; None for what holds no messages. Raises `ValueError`."""
    if not part:  # imaplib's word for none, and for what ends behind a literal
        return None
    line, literal = part if isinstance(part, tuple) else (part, None)
    found = _LISTED.fullmatch(line.decode("ascii"))
    if found is None:
        raise ValueError("no folder")
    if {"\\noselect", "\\nonexistent"} & set(found[1].lower().split()):
        return None
    if literal is None and found[2].startswith('"'):
        return found[2]
    return _escaped(found[2] if literal is None else literal.decode("ascii"))


def folder_name(wire: str) -> str:
    """A folder's name for people, of that on the wire."""
    text = re.sub(r"\\(.)", r"\1", wire[1:-1])
    return re.sub(r"&([A-Za-z0-9+,]*)-", lambda found: _decoded(found[1]) if found[1] else "&", text)


def _decoded(coded: str) -> str:
    try:
        return base64.b64decode(coded.replace(",", "/") + "=" * (-len(coded) % 4)).decode("utf-16-be")
    except ValueError:  # as the server writes it, then
        return f"&{coded}-"


def _quoted(folder: str) -> str:
    r"""A folder's name in modified UTF-7 (RFC 3501 5.1.3), as a quoted string."""
    parts: list[str] = []
    for run in re.findall(r"[\x20-\x7e]+|[^\x20-\x7e]+", folder):
        if run.isascii():
            parts.append(run.replace("&", "&-"))
        else:
            coded = base64.b64encode(run.encode("utf-16-be")).decode().rstrip("=").replace("/", ",")
            parts.append(f"&{coded}-")
    return _escaped("".join(parts))


def _escaped(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
