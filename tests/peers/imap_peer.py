"""A mail server in small (RFC 3501), as much of it as a reader needs; its messages are made when asked for."""

from __future__ import annotations

import base64
import re
import socketserver
import threading
import time
from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

POLL_S = 0.05
"""How soon it notices that it shall end."""
DRIP_S = 0.1
"""Between two bytes, where it drips."""
Message = Callable[[int], bytes]


def mail(uid: int) -> bytes:
    return f"From: mira@example.org\r\nSubject: Message {uid}\r\n\r\nThe lamp burns, day {uid}.\r\n".encode()


class ImapPeer:
    """`asked` are the commands; `uids` in order; `size` is what it says that a message has."""

    def __init__(self, uids: Sequence[int] = (), login: str = "mira hunter2", message: Message = mail) -> None:
        self.uids: Sequence[int] = uids
        self.login, self.message = login, message
        self.validity = 7
        self.folder = '"INBOX"'
        self.others: dict[str, Sequence[int]] = {}
        """More folders, as they are written on the wire, with their UIDs."""
        self.listed = [b'* LIST (\\Noselect) "/" "Shelf"']
        """What it tells in a list beside those."""
        self.asked: list[str] = []
        self.size: int | None = None
        self.busy: set[int] = set()
        """UIDs of messages that it does not give for now."""
        self.expunged: set[int] = set()
        """UIDs of messages that went: a session still counts them, and is told nothing of them (RFC 3501 7.4.1)."""
        self.flood = False
        self.drips: str | None = None
        """The command that it answers a byte at a time; "" is its greeting."""
        self.token = ""
        """The access token that it takes by XOAUTH2; without one it does not offer that."""

    def told(self) -> int:
        """How many UIDs it has told since the commands were forgotten."""
        total = 0
        for first, last in (found.groups() for line in self.asked if (found := re.search(r"^FETCH (\d+):(\d+)", line))):
            total += int(last) - int(first) + 1
        return total

    @contextmanager
    def serving(self) -> Iterator[str]:
        """Its address."""
        session = type("Session", (_Session,), {"peer": self})
        with _Server(("127.0.0.1", 0), session) as server:
            thread = threading.Thread(target=server.serve_forever, args=(POLL_S,), daemon=True)
            thread.start()
            yield f"imap://127.0.0.1:{server.server_address[1]}/INBOX"
            server.shutdown()
            thread.join()


class _Session(socketserver.StreamRequestHandler):
    """One connection to `peer`."""

    peer: ImapPeer
    folder = ""
    slow = False

    @property
    def uids(self) -> Sequence[int]:
        return self.peer.others.get(self.folder, self.peer.uids)

    def on_list(self, _: str) -> str:
        for line in (*self.peer.listed, *(b'* LIST () "/" ' + name.encode() for name in self.peer.others)):
            self.say(line)
        return "OK"

    def handle(self) -> None:
        self.slow = self.peer.drips == ""
        self.say(b"* OK ready, as soon as it may be")
        while line := self.rfile.readline():
            tag, _, rest = line.decode().strip().partition(" ")
            self.peer.asked.append(rest)
            verb, _, more = rest.partition(" ")
            self.slow = self.peer.drips == verb
            answer = getattr(self, f"on_{verb.lower()}", None)
            told = answer(more) if answer else "BAD unknown"
            self.say(f"{tag} {told} and done".encode())
            if verb == "LOGOUT":
                return

    def say(self, line: bytes) -> None:
        for at in range(len(line) if self.slow else 0):
            self.wfile.write(line[at : at + 1])
            time.sleep(DRIP_S)
        self.wfile.write(b"\r\n" if self.slow else line + b"\r\n")

    def on_capability(self, _: str) -> str:
        self.say(b"* CAPABILITY IMAP4rev1 AUTH=PLAIN" + (b" AUTH=XOAUTH2" if self.peer.token else b""))
        return "OK"

    def on_authenticate(self, mechanism: str) -> str:
        self.say(b"+ ")
        if mechanism == "XOAUTH2":
            return self.by_token(base64.b64decode(self.rfile.readline()).decode())
        _, user, password = base64.b64decode(self.rfile.readline()).decode().split("\0")
        return "OK" if f"{user} {password}" == self.peer.login else f"NO {password} is wrong"

    def by_token(self, told: str) -> str:
        user = self.peer.login.partition(" ")[0]
        if told == f"user={user}\1auth=Bearer {self.peer.token}\1\1":
            return "OK"
        self.say(b"+ " + base64.b64encode(b'{"status":"400","schemes":"bearer"}'))
        assert self.rfile.readline() == b"\r\n", "whoever answers otherwise is cut off"
        return f"NO {told!r} is wrong"

    def on_examine(self, folder: str) -> str:
        if folder not in (self.peer.folder, *self.peer.others):
            return "NO there is none"
        self.folder = folder
        self.say(f"* {len(self.uids)} EXISTS".encode())
        self.say(f"* OK [UIDVALIDITY {self.peer.validity}] numbered".encode())
        return "OK"

    def on_fetch(self, more: str) -> str:
        if self.peer.flood:
            for _ in range(100_000):
                self.say(b"* OK " + b"x" * 1000)
        first, last = map(int, more.partition(" ")[0].split(":"))
        for place in range(first, min(last, len(self.uids)) + 1):
            self.tell(place)
        return "OK"

    def on_uid(self, more: str) -> str:
        _, number, wanted = more.split(" ", 2)
        uid = int(number)
        at = bisect_left(self.uids, uid)
        if at >= len(self.uids) or self.uids[at] != uid:
            return "OK"
        if "BODY" in wanted and uid in self.peer.busy:
            return "NO not now"
        if "BODY" in wanted:
            content = self.peer.message(uid)
            self.wfile.write(f"* {at + 1} FETCH (UID {uid} BODY[] {{{len(content)}}}\r\n".encode() + content)
            self.say(b")")
        else:
            self.tell(at + 1)
        return "OK"

    def tell(self, place: int) -> None:
        uid = self.uids[place - 1]
        if uid in self.peer.expunged:
            return
        size = self.peer.size if self.peer.size is not None else len(self.peer.message(uid))
        self.say(f"* {place} FETCH (UID {uid} RFC822.SIZE {size})".encode())

    def on_logout(self, _: str) -> str:
        return "OK"


class _Server(socketserver.ThreadingTCPServer):
    daemon_threads = True

    def handle_error(self, *_: object) -> None:
        pass  # the client has had enough
