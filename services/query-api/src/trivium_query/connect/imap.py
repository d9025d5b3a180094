"""Folders of an IMAP mailbox (RFC 3501): each message is a document, called by its UID.

The cursor is which UIDs were stored. New ones are found by bisection and asked for a page at a time, so a look at a
mailbox of a million messages costs what is new. Only where there are fewer old ones than were stored are those listed.
Of all its messages a connection has as many as it may have files. What an answer quotes is a message of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial

import msgspec

from trivium.domain.errors import NeverWill, Refused, TriviumError, TryLater
from trivium.domain.quoted_mails import MAIL, keeps
from trivium.domain.source_names import shown_key
from trivium.ports.connector import Change, Changed, Gone, Item
from trivium_query.connect.mailbox import ANY, CHANGED, Mailbox, folder_name, mail_location
from trivium_query.connect.place import Place
from trivium_query.connect.seen import MAX_FILES
from trivium_query.connect.uids import Uids

PAGE = 1000
"""Messages that one request tells the UIDs of."""
MAX_MISSED = 10_000
_TOO_MANY = "too_many_files"


class _Cursor(msgspec.Struct, omit_defaults=True):
    """As it is written: of one folder, whose numbering the server calls `validity`, or of several by their names.

    `missed` are messages that could not be had; of them, as of folders, those asked for longest ago come first.
    """

    validity: int = 0
    stored: list[tuple[int, int]] = []
    missed: list[int] = []
    folders: dict[str, _Cursor] = {}


class ImapConnector:
    """See `trivium.ports.connector.Connector`. The messages of several folders have these before their names."""

    def __init__(self, place: Place, cursor: str) -> None:
        self._address = mail_location(place)
        self._place = place
        try:
            kept = msgspec.json.decode(cursor or "{}", type=_Cursor)
        except msgspec.DecodeError:  # of another version of Trivium
            kept = _Cursor()
        cursors = kept.folders if self._address.several else {"": kept}
        self._folders = {name: _Folder(place, name, each) for name, each in cursors.items()}
        self._fault: TriviumError | None = None

    def changes(self) -> Iterator[Change]:
        """Folder by folder, and then what could not be had before, of the folder first whose turn is longest ago.

        Raises, after the others, for those that cannot be entered, are numbered anew, or have more messages than a
        connection may have.
        """
        with self._opened() as mailbox:
            found = self._found(mailbox)
            held = sum(len(folder) for name, folder in self._folders.items() if name in found)
            for name, wire in found.items():
                held -= len(self._folders.get(name, ()))
                changes = partial(_Folder.changes, mailbox=mailbox, room=MAX_FILES - held)
                yield from self._within(mailbox, name, wire, changes)
                held += len(self._folders.get(name, ()))
            for name in [name for name, folder in self._folders.items() if folder.late]:
                self._folders[name] = self._folders.pop(name)
                yield from self._within(mailbox, name, found[name], partial(_Folder.again, mailbox=mailbox))
            if self._fault is not None:
                raise self._fault
            for name in self._folders.keys() - found.keys():
                yield from self._folders[name].all_gone()

    def _within(
        self, mailbox: Mailbox, name: str, wire: str, ask: Callable[[_Folder], Iterator[Change]]
    ) -> Iterator[Change]:
        """What is asked of one folder; what that folder alone has amiss is for the end of the look."""
        try:
            mailbox.enter(wire)
        except NeverWill as error:
            self._fault = self._fault or error
            return
        folder = self._folders.setdefault(name, _Folder(self._place, name, _Cursor()))
        try:
            yield from ask(folder)
        except (Refused, TryLater) as error:
            if error.code not in (CHANGED, _TOO_MANY):
                raise
            self._fault = self._fault or error

    def stored(self, change: Change) -> None:
        """See the port."""
        self._folders[change.name.rpartition("/")[0]].keep(change)

    def cursor(self) -> str:
        """See the port."""
        cursors = {name: folder.cursor() for name, folder in self._folders.items()}
        return msgspec.json.encode(_Cursor(folders=cursors) if self._address.several else cursors[""]).decode()

    def _found(self, mailbox: Mailbox) -> dict[str, str]:
        """Folders on the wire by their names, "" for the only one. Raises `NeverWill` (`no_such_folder`) for none."""
        if not self._address.several:
            return {"": self._address.folders[0]}
        found: dict[str, str] = {}
        for told in self._address.folders:
            for folder in mailbox.folders(told) if ANY in told else (told,):
                found.setdefault(shown_key(folder_name(folder)), folder)
        if not found:
            raise NeverWill("no_such_folder", "The mailbox has no such folders.", "Check the location.")
        return found

    @contextmanager
    def _opened(self) -> Iterator[Mailbox]:
        mailbox = Mailbox(self._place, self._address)
        try:
            yield mailbox
        finally:
            mailbox.close()


class _Folder:
    """What was stored of one folder, and what a look finds in it."""

    def __init__(self, place: Place, name: str, kept: _Cursor) -> None:
        self._place, self._prefix = place, f"{name}/" if name else ""
        self._validity, self._stored, self._missed = kept.validity, Uids(kept.stored), dict.fromkeys(kept.missed)
        self.late: list[int] = []

    def __len__(self) -> int:
        return len(self._stored) + len(self._missed)

    def changes(self, mailbox: Mailbox, room: int) -> Iterator[Change]:
        """Those that are gone, and new ones, the oldest first, until it has `room` messages.

        `late` are then those that could not be had before. Raises `Refused` (`too_many_files`) where there are more,
        `TryLater` where messages of a former numbering are left, whose numbers the cursor keeps until they are gone.
        """
        if mailbox.validity != self._validity:
            yield from self.all_gone()
            if self._stored:
                raise TryLater(CHANGED, "Messages of a former numbering could not be removed.", "Look again.")
            self._validity, self._missed = mailbox.validity, {}
        yield from self._gone(mailbox)
        self.late = list(self._missed)
        while page := mailbox.page(mailbox.first_after(last := self._last), PAGE):
            fresh = [told for told in page if told[0] > last]
            if not fresh:
                return
            left = max(0, room - len(self))
            for uid, size in fresh[:left]:
                yield from self._told(mailbox, uid, size)
            if left < len(fresh):
                raise Refused(_TOO_MANY, f"There are more than {MAX_FILES:,} messages.", "Connect smaller folders.")

    def again(self, mailbox: Mailbox) -> Iterator[Changed]:
        """Those that are `late`, and there still; none where the folder was numbered anew meanwhile."""
        for uid in self.late if mailbox.validity == self._validity else ():
            size = mailbox.size(uid)
            if size is None:
                del self._missed[uid]
            else:
                yield from self._told(mailbox, uid, size)

    def all_gone(self) -> Iterator[Gone]:
        """Every message that was stored."""
        yield from [Gone(self._name(uid)) for uid in self._stored]

    def keep(self, change: Change) -> None:
        """It is stored, or gone; nothing of another numbering is remembered."""
        validity, _, uid = change.name.removeprefix(self._prefix).removesuffix(".eml").partition("-")
        if int(validity) != self._validity:
            return
        if isinstance(change, Gone):
            self._stored.remove(int(uid))
        else:
            self._stored.add(int(uid))
            self._missed.pop(int(uid), None)

    def cursor(self) -> _Cursor:
        """What is to be written of it."""
        return _Cursor(self._validity, self._stored.ranges(), list(self._missed)[:MAX_MISSED])

    @property
    def _last(self) -> int:
        return max(self._stored.last, max(self._missed, default=0))

    def _name(self, uid: int) -> str:
        return f"{self._prefix}{self._validity}-{uid}.eml"

    def _told(self, mailbox: Mailbox, uid: int, size: int) -> Iterator[Changed]:
        yield Changed(self._name(uid), str(uid), partial(self._fetch, mailbox, uid, size))
        if uid not in self._stored:
            self._missed.pop(uid, None)
            self._missed[uid] = None

    def _gone(self, mailbox: Mailbox) -> Iterator[Gone]:
        """What was stored and is not there any more."""
        old = mailbox.first_after(self._last) - 1
        if old == len(self):
            return
        there = Uids()
        for first in range(1, old + 1, PAGE):
            for uid, _ in mailbox.page(first, min(PAGE, old + 1 - first)):
                there.add(uid)
        self._missed = {uid: None for uid in (*self._missed, *there) if uid in there and uid not in self._stored}
        for uid in list(self._stored):
            if uid not in there:
                yield Gone(self._name(uid))

    def _fetch(self, mailbox: Mailbox, uid: int, size: int) -> Item | None:
        self._place.check_size(size)
        content = mailbox.message(uid)
        return None if content is None else Item(content, keeps(MAIL, 0))
