"""When OLE2 files say that they were made and saved last: FILETIME ([MS-DTYP] 2.3.3), in the summary ([MS-OLEPS])."""

from __future__ import annotations

import contextlib
import io
import struct
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import msgspec
import olefile  # type: ignore[import-untyped]

from trivium.domain.parsed import ParsedDocument

_EPOCH = datetime(1601, 1, 1, tzinfo=UTC)
_SUMMARY = "\x05SummaryInformation"
_NAMES = {0x0C: "created", 0x0D: "modified"}  # GKPIDSI_CREATE_DTM, GKPIDSI_LASTSAVE_DTM
_FILETIME = 0x0040
_FIRST_SECTION = 44  # where the place of the first property set is told
_MAX_PROPERTIES = 1_000  # real summaries have some twenty
_BROKEN = (OSError, ValueError, LookupError, struct.error, TypeError, AttributeError, OverflowError)


def instant(ticks: int) -> datetime | None:
    """Of a FILETIME, tenths of a microsecond since 1601 in UTC. None for no date: unset, a duration, too far."""
    try:
        told = _EPOCH + timedelta(microseconds=ticks // 10)
    except OverflowError:
        return None
    return told if told.year > _EPOCH.year else None


def own_times(content: bytes) -> dict[str, str]:
    """`created` and `modified` in ISO 8601, as far as the summary tells them and can be read."""
    found: dict[str, str] = {}
    with contextlib.suppress(*_BROKEN), olefile.OleFileIO(io.BytesIO(content)) as ole:
        found.update(_times(ole.openstream(_SUMMARY).read()))
    return found


def as_original(converted: ParsedDocument, media_type: str, content: bytes) -> ParsedDocument:
    """A conversion of the file `content`, with the type and the times of that in place of its own."""
    kept = {name: text for name, text in converted.metadata.items() if name not in _NAMES.values()}
    return msgspec.structs.replace(converted, media_type=media_type, metadata=kept | own_times(content))


def _times(summary: bytes) -> Iterator[tuple[str, str]]:
    """Olefile's own reader goes through up to 2**32 values where a summary says so."""
    (section,) = struct.unpack_from("<I", summary, _FIRST_SECTION)
    (count,) = struct.unpack_from("<I", summary, section + 4)
    for number in range(min(count, _MAX_PROPERTIES)):
        identity, place = struct.unpack_from("<II", summary, section + 8 + 8 * number)
        if identity in _NAMES:
            kind, ticks = struct.unpack_from("<IQ", summary, section + place)
            if kind == _FILETIME and (told := instant(ticks)):
                yield _NAMES[identity], told.isoformat()
