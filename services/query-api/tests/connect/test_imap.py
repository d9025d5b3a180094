"""A folder of a mailbox."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from types import SimpleNamespace
from typing import Any

import msgspec
import pytest
from growth import LINEAR, growth
from hypothesis import given
from hypothesis import strategies as st
from imap_peer import ImapPeer, mail

from trivium.connections.stored_connections import StoredConnections
from trivium.domain.errors import TryLater
from trivium.domain.quoted_mails import quoted_levels
from trivium.domain.scope import DEFAULT_TENANT, Tenant
from trivium.flow.artifacts import read_origin
from trivium_query.connect import imap as connector
from trivium_query.connect import means
from trivium_query.connect.look import MAX_SILENCES, look
from trivium_query.connect.mailbox import _listed, _quoted
from trivium_query.connect.place import Stopped
from trivium_query.connect.uids import Uids

from .conftest import World


@pytest.fixture
def peer() -> ImapPeer:
    return ImapPeer([3, 4, 9])


@pytest.fixture
def address(peer: ImapPeer) -> Iterator[str]:
    with peer.serving() as url:
        yield url


def follow(world: World, address: str, **more: Any) -> None:
    world.add("imap", address, credential=world.secret("mail", "mira:hunter2"), max_per_s=1000, **more)


def test_messages_are_followed_by_their_uids(world: World, peer: ImapPeer, address: str) -> None:
    follow(world, address)
    assert world.came_to() == (3, 0, 0)
    assert world.documents() == {f"here://7-{uid}.eml": mail(uid) for uid in (3, 4, 9)}
    peer.asked.clear()
    assert world.came_to() == (0, 0, 0)
    assert not any("BODY" in line for line in peer.asked)

    peer.uids = [3, 9, 12]
    assert world.came_to() == (1, 1, 0)
    assert set(world.documents()) == {"here://7-3.eml", "here://7-9.eml", "here://7-12.eml"}


def test_of_what_a_message_answers_nothing_is_kept_twice(world: World, peer: ImapPeer, address: str) -> None:
    follow(world, address)
    assert world.came_to() == (3, 0, 0)
    objects = world.stores.objects.for_tenant(DEFAULT_TENANT)
    found = world.stores.registry.for_tenant(DEFAULT_TENANT).list(limit=10).documents
    types = {read_origin(objects, one.id, one.version).declared_type for one in found}
    assert [quoted_levels(kind) for kind in types] == [0]


@pytest.mark.parametrize("gone", [{9}, {9, 12}, {3, 4, 9}, {15}])
def test_a_message_that_goes_while_it_is_looked_for_takes_no_other_along(
    world: World, peer: ImapPeer, address: str, gone: set[int]
) -> None:
    peer.uids = [3, 4, 9, 12, 15]
    follow(world, address)
    assert world.came_to() == (5, 0, 0)
    peer.expunged = gone
    assert world.look()["deleted"] in (0, len(gone)), "the last is there as long as its place is counted"
    peer.uids = [uid for uid in peer.uids if uid not in gone]
    world.look()
    assert set(world.documents()) == {f"here://7-{uid}.eml" for uid in peer.uids}


def test_of_a_million_messages_only_new_ones_are_asked_for(world: World, peer: ImapPeer, address: str) -> None:
    peer.uids = range(2, 2_000_002, 2)
    follow(world, address)
    world.stop()
    cursor = msgspec.json.encode({"validity": 7, "stored": [(uid, uid) for uid in range(2, 2004, 2)]}).decode()
    stored = StoredConnections(world.stores.objects)
    state = stored.find(DEFAULT_TENANT, "here").state
    stored.save(DEFAULT_TENANT, "here", state, cursor)
    world.set(limits="tenant.documents=5/d")
    found = world.look()
    assert (found["stored"], found["error"]["code"]) == (5, "too_many")
    assert "here://7-2004.eml" in world.documents()
    assert peer.told() < 2_500, "a page of a thousand, and a bisection"
    world.set(limits="")
    peer.uids = range(2, 2020, 2)
    assert world.came_to() == (3, 0, 0), "and it goes on where it was"


def test_a_mailbox_of_more_messages_than_a_connection_may_have_is_read_up_to_them(
    world: World, peer: ImapPeer, address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connector, "MAX_FILES", 5)
    peer.others = {'"Shelf"': [1]}
    follow(world, f"{address},Shelf")
    assert world.came_to() == (4, 0, 0)
    peer.others = {'"Shelf"': [1, 2, 3, 4]}
    found = world.look()
    assert (found["stored"], found["deleted"], found["error"]["code"]) == (1, 0, "too_many_files")
    found = world.look()
    assert (found["stored"], found["deleted"], found["error"]["code"]) == (0, 0, "too_many_files")
    peer.uids = [9]
    assert world.came_to() == (2, 2, 0), "there is room again"


def test_one_that_fails_is_told_and_tried_again(world: World, peer: ImapPeer, address: str) -> None:
    peer.message = lambda uid: b"x" * 1_000_001 if uid == 4 else mail(uid)
    follow(world, address)
    found = world.look()
    assert (found["stored"], found["failed"], found["error"]["code"]) == (2, 1, "too_large")
    peer.message = mail
    assert world.came_to() == (1, 0, 0)
    assert world.came_to() == (0, 0, 0)


def test_messages_that_fail_for_now_hold_back_no_new_ones_and_no_folder_behind_theirs(
    world: World, peer: ImapPeer, address: str
) -> None:
    first = list(range(1, MAX_SILENCES + 1))
    peer.uids, peer.others, peer.busy = first, {'"Shelf"': [50, 51]}, {*first, 50}
    follow(world, f"{address},Shelf")
    assert world.came_to() == (0, 0, MAX_SILENCES)
    peer.uids = [*first, 9]
    assert world.came_to()[0] == 2, "the new one, and the other folder's"
    peer.busy.discard(50)
    assert world.came_to() == (1, 0, MAX_SILENCES), "the folder whose turn was last is asked last"
    peer.busy.discard(MAX_SILENCES - 2)
    assert world.came_to() == (1, 0, MAX_SILENCES - 1), "and of one folder the message"
    peer.busy.clear()
    peer.uids = [9]
    assert world.came_to() == (0, 1, 0), "what is gone is asked for no more"
    assert world.came_to() == (0, 0, 0)


def test_messages_that_failed_are_tried_again_where_there_are_more_than_a_connection_may_have(
    world: World, peer: ImapPeer, address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connector, "MAX_FILES", 2)
    peer.busy = {3}
    follow(world, address)
    found = world.look()
    assert (found["stored"], found["failed"]) == (1, 1)
    peer.busy.clear()
    found = world.look()
    assert (found["stored"], found["failed"], found["error"]["code"]) == (1, 0, "too_many_files")


def test_a_message_that_failed_is_not_looked_for_in_a_folder_that_is_numbered_anew_meanwhile(
    world: World, peer: ImapPeer, address: str
) -> None:
    peer.others, peer.busy = {'"Shelf"': []}, {4}
    follow(world, f"{address},Shelf")
    assert world.came_to() == (2, 0, 1)

    def shelved(uid: int) -> bytes:
        peer.validity = 8
        return mail(uid)

    peer.others, peer.busy, peer.message = {'"Shelf"': [50]}, set(), shelved
    assert world.came_to() == (1, 0, 0)
    assert "here://INBOX/7-4.eml" not in world.documents()


def number_anew(world: World, peer: ImapPeer, address: str) -> None:
    """A folder that was read, and is numbered anew with two messages."""
    follow(world, address)
    world.look()
    peer.validity, peer.uids = 8, [1, 2]


def test_a_folder_that_is_numbered_anew_is_read_anew(world: World, peer: ImapPeer, address: str) -> None:
    number_anew(world, peer, address)
    assert world.came_to() == (2, 3, 0)
    assert set(world.documents()) == {"here://8-1.eml", "here://8-2.eml"}


def test_a_look_at_a_folder_that_is_numbered_anew_goes_on_where_it_was_cut_off(
    world: World, peer: ImapPeer, address: str
) -> None:
    number_anew(world, peer, address)
    world.stop()

    def pause(_: float) -> None:
        if len(world.documents()) < 3:
            raise Stopped

    with pytest.raises(Stopped):
        look(world.services.connecting.desk, DEFAULT_TENANT, "here", pause)
    assert len(world.documents()) == 2
    broken_off = world.show()["started_at"]
    world.start()  # which goes on with it by itself
    found = world.looked_after(broken_off)
    assert (found["stored"], found["deleted"], found["failed"]) == (2, 2, 0)
    assert set(world.documents()) == {"here://8-1.eml", "here://8-2.eml"}


def test_a_message_of_an_old_numbering_that_cannot_be_deleted_now_is_deleted_later(
    world: World, peer: ImapPeer, address: str
) -> None:
    number_anew(world, peer, address)
    world.stop()
    desk = world.services.connecting.desk
    found = look(msgspec.structs.replace(desk, intake=BusyIntake(desk.intake)), DEFAULT_TENANT, "here", lambda _: None)
    assert found is not None
    assert (found.state.stored, found.state.deleted, found.state.failed) == (0, 2, 1)
    world.start()
    assert world.came_to() == (2, 1, 0)
    assert set(world.documents()) == {"here://8-1.eml", "here://8-2.eml"}


def test_a_folder_that_waits_for_a_deletion_holds_up_no_other(world: World, peer: ImapPeer, address: str) -> None:
    peer.others = {'"Shelf"': [1]}
    follow(world, f"{address},Shelf")
    assert world.came_to() == (4, 0, 0)
    peer.validity, peer.uids, peer.others = 8, [1], {'"Shelf"': [5, 6]}
    world.stop()
    desk = world.services.connecting.desk
    found = look(msgspec.structs.replace(desk, intake=BusyIntake(desk.intake)), DEFAULT_TENANT, "here", lambda _: None)
    assert found is not None
    assert found.state.error is not None
    assert found.state.error.code == "mailbox_changed"
    assert (found.state.stored, found.state.deleted, found.state.failed) == (2, 3, 1)
    world.start()
    assert world.came_to() == (1, 1, 0)
    assert set(world.documents()) == {"here://INBOX/8-1.eml", "here://Shelf/8-5.eml", "here://Shelf/8-6.eml"}


class BusyIntake:
    """An intake whose first deletion has to wait for another time."""

    def __init__(self, intake: Any) -> None:
        self._intake = intake
        self._busy = True

    def for_tenant(self, tenant: Tenant) -> Any:
        of_tenant = self._intake.for_tenant(tenant)
        return SimpleNamespace(accept=of_tenant.accept, delete=partial(self._delete, of_tenant))

    def _delete(self, of_tenant: Any, document_id: str) -> None:
        if self._busy:
            self._busy = False
            raise TryLater("vectors_busy", "The vector store is busy.")
        of_tenant.delete(document_id)


def test_several_folders_are_followed_each_under_its_name(world: World, peer: ImapPeer, address: str) -> None:
    peer.others = {'"Shelf/Entw&APw-rfe"': [1, 2], '"Shelf/\\"B\\""': [5]}
    peer.listed += [b'* LIST () "/" {7}\r\nShelf/C', b'* LIST () "\\\\" Shelf/D']
    peer.others |= {'"Shelf/C"': [8], '"Shelf/D"': []}
    follow(world, f"{address},Shelf/*")
    assert world.came_to() == (7, 0, 0)
    shelf = {"Shelf/Entw\u00fcrfe/7-1.eml", "Shelf/Entw\u00fcrfe/7-2.eml", 'Shelf/"B"/7-5.eml', "Shelf/C/7-8.eml"}
    assert set(world.documents()) == {f"here://{name}" for name in (*shelf, *(f"INBOX/7-{n}.eml" for n in (3, 4, 9)))}
    assert sum(line.startswith("AUTHENTICATE") for line in peer.asked) == 1, "one login is enough"
    assert world.came_to() == (0, 0, 0)

    peer.listed = []
    peer.others = {'"Shelf/C"': [8, 9], '"Shelf/D"': [1]}
    assert world.came_to() == (2, 3, 0), "a folder that is gone takes its messages along"


def test_a_folder_that_is_missing_is_told_and_the_others_are_read(world: World, peer: ImapPeer, address: str) -> None:
    peer.others = {'"A"': [1], '"B,C"': [1]}
    follow(world, f"{address},A,B%2CC")
    assert world.came_to() == (5, 0, 0)
    peer.others = {'"B,C"': [1, 2]}
    found = world.look()
    assert (found["stored"], found["deleted"], found["error"]["code"]) == (1, 0, "no_such_folder")


@pytest.mark.parametrize(
    ("listed", "code"),
    [
        ([], "no_such_folder"),
        ([b"* LIST nonsense"], "no_mailbox"),
        ([b'* LIST () "/" f%d' % n for n in range(1001)], "too_many_files"),
    ],
)
def test_a_list_that_cannot_be_is_told_and_loses_nothing(
    world: World, peer: ImapPeer, address: str, listed: list[bytes], code: str
) -> None:
    peer.others = {'"A"': [1]}
    follow(world, address.replace("INBOX", "*"))
    assert world.came_to() == (1, 0, 0)
    peer.listed, peer.others = listed, {}
    found = world.look()
    assert (found["deleted"], found["error"]["code"]) == (0, code)


@pytest.mark.parametrize(
    ("secret", "folder", "code"),
    [("mira:wrong", "INBOX", "login_refused"), ("mira:hunter2", "Elsewhere", "no_such_folder")],
)
def test_what_is_refused_is_told_without_the_secret(
    world: World, address: str, secret: str, folder: str, code: str
) -> None:
    world.add("imap", address.replace("INBOX", folder), credential=world.secret("mail", secret))
    assert world.look()["error"]["code"] == code
    told = world.call("GET", "/v1/connections").text
    assert secret.partition(":")[2] not in told


def test_a_server_that_sends_without_end_or_lies_of_a_size_is_left(world: World, peer: ImapPeer, address: str) -> None:
    follow(world, address)
    peer.message, peer.size = lambda _: b"x" * 20_000_000, 100
    found = world.look()
    assert (found["stored"], found["error"]["code"]) == (0, "too_large")
    peer.flood = True
    assert world.look()["error"]["code"] == "too_large"


@pytest.mark.parametrize("verb", ["", "CAPABILITY", "FETCH"])
def test_a_server_that_says_a_byte_at_a_time_is_left(
    world: World, peer: ImapPeer, address: str, monkeypatch: pytest.MonkeyPatch, verb: str
) -> None:
    monkeypatch.setattr(means, "FETCH_S", 1.5)
    peer.drips = verb
    follow(world, address)
    found = world.look()
    assert (found["stored"], found["error"]["code"]) == (0, "fetch_timeout")


def test_where_it_may_not_go_nothing_is_asked(world: World, peer: ImapPeer, address: str) -> None:
    world.set(url_allow="")
    follow(world, address)
    assert world.look()["error"]["code"] == "forbidden_address"
    assert not peer.asked


def test_a_password_does_not_go_in_the_clear(world: World, peer: ImapPeer, address: str) -> None:
    world.set(url_allow="127.0.0.0/8", url_deny="192.0.2.1")
    follow(world, address.replace("127.0.0.1", "localhost"))
    assert world.look()["error"]["code"] == "not_encrypted"
    assert not any(line.startswith(("AUTHENTICATE", "LOGIN")) for line in peer.asked)


@pytest.mark.parametrize(
    ("location", "code"),
    [
        ("imaps://mira:hunter2@host.test/INBOX", "bad_location"),
        ("pop3://host.test/INBOX", "bad_location"),
        ("imaps:///INBOX", "bad_location"),
        ("imaps://host.test:99999/INBOX", "bad_location"),
        ("imaps://host.test/a%0d%0ab", "bad_location"),
        ("imaps://host.test/INBOX", "no_credential"),
    ],
)
def test_a_place_that_cannot_be_is_refused(world: World, location: str, code: str) -> None:
    assert world.refused("imap", location) == code


def test_a_folder_is_named_on_the_wire_as_the_standard_has_it() -> None:
    assert _quoted('Entw\u00fcrfe & "more"') == '"Entw&APw-rfe &- \\"more\\""'


def test_a_list_that_opens_a_quotation_and_never_ends_it_costs_no_more_than_its_length() -> None:
    def read(backslashes: int) -> None:
        with pytest.raises(ValueError, match="no folder"):
            _listed(b'() "' + b"\\a" * backslashes + b" x")

    assert growth(read, 6) < LINEAR


@given(st.lists(st.tuples(st.booleans(), st.integers(1, 30))))
def test_ranges_of_uids_are_a_set(changes: list[tuple[bool, int]]) -> None:
    ranges, plain = Uids(), set[int]()
    for adds, uid in changes:
        if adds:
            ranges.add(uid)
            plain.add(uid)
        else:
            ranges.remove(uid)
            plain.discard(uid)
    assert list(ranges) == sorted(plain)
    assert (len(ranges), ranges.last) == (len(plain), max(plain, default=0))
    assert all(uid in ranges for uid in plain)
    assert all(b + 1 < a for (_, b), (a, _) in zip(ranges.ranges(), ranges.ranges()[1:], strict=False))
    assert list(Uids(ranges.ranges())) == sorted(plain)
