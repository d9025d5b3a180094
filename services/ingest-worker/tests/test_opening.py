"""The parse stage and passwords: none where none is needed, the newest that was given, and no longer than needed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from folder_stores import FolderStores

from trivium.domain.documents import Document
from trivium.domain.errors import NeverWill
from trivium.domain.ids import document_id
from trivium.domain.parsed import Child, ParsedDocument
from trivium.domain.password import NEEDED, WRONG, Password
from trivium.domain.scope import DEFAULT_TENANT
from trivium.flow import passwords
from trivium.ports.parser import Blob
from trivium_ingest.opening import parse_opened

RIGHT, OTHER = Password("Quillon"), Password("Hollin")
READ = ParsedDocument("application/pdf", ())


class Desk:
    """A document in a store, and a parser that notes what it was given."""

    def __init__(self, folder: Path) -> None:
        self.stores = FolderStores(folder)
        identifier = document_id(DEFAULT_TENANT, "offer.pdf")
        self.document = Document(identifier, DEFAULT_TENANT.name, "offer.pdf", "v")
        self.tried: list[Password | None] = []
        self.answer: Callable[[Password | None], ParsedDocument] = lambda _: READ

    def keep(self, password: Password) -> None:
        objects = self.stores.objects.for_tenant(DEFAULT_TENANT)
        passwords.keep(objects, self.document.id, self.document.version, password)

    @property
    def kept(self) -> Password | None:
        return passwords.find(self.stores, self.document)

    def parse(self, *, with_password: bool = True) -> ParsedDocument:
        def parse(blob: Blob) -> ParsedDocument:
            self.tried.append(blob.password)
            return self.answer(blob.password)

        return parse_opened(parse, Blob("offer.pdf", b""), self.stores, self.document, with_password=with_password)


def locked(password: Password | None) -> ParsedDocument:
    if password != RIGHT:
        raise NeverWill(WRONG if password else NEEDED, "It is locked.")
    return READ


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)


def test_what_is_locked_is_opened_and_its_password_stays(desk: Desk) -> None:
    desk.answer = locked
    desk.keep(RIGHT)
    assert desk.parse() == READ
    assert (desk.tried, desk.kept) == ([None, RIGHT], RIGHT)


def test_a_password_that_nothing_needed_is_forgotten(desk: Desk) -> None:
    desk.keep(RIGHT)
    assert desk.parse() == READ
    assert (desk.tried, desk.kept) == ([None], None)


def test_it_stays_while_files_inside_may_need_it(desk: Desk) -> None:
    desk.keep(RIGHT)
    desk.answer = lambda _: ParsedDocument("message/rfc822", (), children=(Child("offer.pdf", b"%PDF"),))
    desk.parse()
    assert desk.kept == RIGHT


def test_a_wrong_one_is_told_and_forgotten(desk: Desk) -> None:
    desk.answer = locked
    desk.keep(OTHER)
    with pytest.raises(NeverWill) as failure:
        desk.parse()
    assert (failure.value.code, desk.tried, desk.kept) == (WRONG, [None, OTHER], None)


def test_one_that_is_given_while_a_wrong_one_is_tried_is_tried_too(desk: Desk) -> None:
    def corrected_meanwhile(password: Password | None) -> ParsedDocument:
        if password == OTHER:
            desk.keep(RIGHT)
        return locked(password)

    desk.answer = corrected_meanwhile
    desk.keep(OTHER)
    assert desk.parse() == READ
    assert desk.kept == RIGHT


def test_another_failure_asks_for_no_password(desk: Desk) -> None:
    def broken(_: Password | None) -> ParsedDocument:
        raise NeverWill("corrupt_file", "It is broken.")

    desk.answer = broken
    desk.keep(RIGHT)
    with pytest.raises(NeverWill, match="broken"):
        desk.parse()
    assert desk.tried == [None]


def test_an_archive_of_which_a_part_is_locked_is_read_again_with_its_password(desk: Desk) -> None:
    desk.answer = lambda password: ParsedDocument("application/zip", (), locked=password != RIGHT)
    assert desk.parse(with_password=False).locked
    desk.keep(RIGHT)
    assert not desk.parse().locked
    assert desk.kept == RIGHT
