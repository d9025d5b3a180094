"""Mails that lie together, in a mailbox or an archive: of what one quotes, the others are there already."""

from __future__ import annotations

import re
from collections.abc import Sequence
from email.utils import parsedate_to_datetime
from pathlib import PurePath

import msgspec

from trivium.domain.parsed import Child, ParsedDocument
from trivium.domain.quoted_mails import MAIL, keeps
from trivium_ingest.parse.mail.mail import bare_subject
from trivium_ingest.parse.mail.message import content_of, header, headers_of
from trivium_ingest.parse.mail.outlook import MEDIA_TYPE, thread_of

_HEAD_BYTES = 256 * 1024  # headers of more are no mail program's
_TYPES = {".eml": MAIL, ".emlx": MAIL, ".msg": MEDIA_TYPE}
_ID = re.compile(r"<[^<>\s]{1,998}>")


class _Place(msgspec.Struct, frozen=True):
    """Of a mail in its thread: `answers` are the ids of the mails before it, the nearest first, as far as it says."""

    id: str
    answers: tuple[str, ...]
    says_all: bool
    subject: str
    is_answer: bool
    sent: float


def in_threads(document: ParsedDocument) -> ParsedDocument:
    """Each mail among its files is told how many quoted mails to keep: those up to the first that is there as well."""
    types = [_type(child) for child in document.children]
    if sum(map(bool, types)) < 2:
        return document
    places = [_place(child, kind) if kind else None for child, kind in zip(document.children, types, strict=True)]
    levels = _levels([place for place in places if place is not None])
    children = []
    for child, kind, place in zip(document.children, types, places, strict=True):
        kept = levels.pop(0) if place is not None else None
        children.append(child if kept is None else msgspec.structs.replace(child, media_type=keeps(kind, kept)))
    return msgspec.structs.replace(document, children=tuple(children))


def _levels(places: Sequence[_Place]) -> list[int | None]:
    """By the ids that mails give; where one gives none, by its subject and date."""
    ids = {place.id for place in places if place.id}
    first: dict[str, float] = {}
    for place in places:
        first[place.subject] = min(place.sent, first.get(place.subject, place.sent))
    levels: list[int | None] = []
    for place in places:
        follows = bool(place.subject) and place.is_answer and first[place.subject] < place.sent
        there = (number for number, id_ in enumerate(place.answers) if id_ in ids)
        rest = len(place.answers) if follows and not place.says_all else None
        levels.append(next(there, rest))
    return levels


def _type(child: Child) -> str:
    kind = child.media_type.partition(";")[0]
    return kind if kind in _TYPES.values() else _TYPES.get(PurePath(child.name).suffix.lower(), "")


def _place(child: Child, kind: str) -> _Place:
    if kind == MEDIA_TYPE:
        id_, parent, references, subject, sent = thread_of(child.content)
    else:
        headers = headers_of(content_of(child.content[:_HEAD_BYTES]))
        id_, parent, references, subject = (
            header(headers, name) for name in ("Message-ID", "In-Reply-To", "References", "Subject")
        )
        sent = _seconds(header(headers, "Date"))
    said = _ID.findall(references)
    before = dict.fromkeys([*_ID.findall(parent)[:1], *reversed(said)])
    bare = bare_subject(subject)
    own = next(iter(_ID.findall(id_)), "")
    return _Place(own, tuple(before), bool(said), bare.lower(), bool(before) or bare != subject, sent)


def _seconds(date: str) -> float:
    try:
        return parsedate_to_datetime(date).timestamp()
    except (ValueError, TypeError, OverflowError, OSError):
        return 0.0
