"""A folder of a WebDAV server (RFC 4918), with all below it; one request a folder."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import unquote

import httpx2

from trivium.domain.errors import NeverWill, Refused, TriviumError, TryLater
from trivium.domain.source_names import shown_key
from trivium.ports.connector import Change, Item
from trivium_query.connect.look import MAX_SILENCES
from trivium_query.connect.place import Place
from trivium_query.connect.seen import MAX_FILES, Seen
from trivium_query.connect.web import Web, has_same_host, web_location

if TYPE_CHECKING:
    from lxml import etree

MAX_DEPTH = 50
MAX_LISTING_BYTES = 32 * 1024 * 1024
_DAV = "{DAV:}"
_ASKED = (
    b'<?xml version="1.0" encoding="utf-8"?><propfind xmlns="DAV:"><prop><resourcetype/><getetag/><getlastmodified/>'
    b"<getcontentlength/></prop></propfind>"
)
_STATUS = re.compile(r"\s*(?:HTTP/\S+\s+)?(\d{3})\b")
_THERE, _NO_SUCH, _GONE = 200, 404, 410
_HEADERS = (("Depth", "1"), ("Content-Type", "application/xml; charset=utf-8"))


class _Listed(NamedTuple):
    """A member of a folder. `failed` is the status with which the server does not tell what it is, 0 where it does."""

    url: httpx2.URL
    is_folder: bool
    token: str
    size_bytes: int
    failed: int


class WebDavConnector:
    """See `trivium.ports.connector.Connector`. A file's token is its etag, else when it was changed, and its size."""

    def __init__(self, place: Place, cursor: str) -> None:
        url = web_location(place.connection.location, place.way)
        self._base = _as_folder(url)
        self._place = place
        self._files = Web(place.way, self._base)
        self._listings = Web(place.way.bounded(MAX_LISTING_BYTES), self._base)
        self._seen = Seen(cursor)
        self.stored, self.cursor = self._seen.stored, self._seen.cursor
        self._fault: TryLater | None = None
        self._silences = 0

    def changes(self) -> Iterator[Change]:
        """Folder by folder, each once however often it is listed. Raises for what is not told, after the others."""
        waiting, visited = [(self._base, 0)], {self._base.path}
        while waiting:
            folder, depth = waiting.pop()
            if depth > MAX_DEPTH or len(visited) > 2 * MAX_FILES:
                raise Refused(
                    "too_many_files",
                    f"There are folders more than {MAX_DEPTH} deep, or more than {MAX_FILES:,} of them and of files.",
                    "Connect one of its folders: the server may list a folder inside itself.",
                )
            for found in self._members(folder):
                if found.url.path in visited:
                    continue
                visited.add(found.url.path)
                if not found.is_folder:
                    name = shown_key(_path_below(self._base, found.url))
                    fetch = partial(self._fetch, found.url, found.size_bytes)
                    yield from self._seen.look(name, found.token, fetch)
                else:
                    waiting.append((found.url, depth + 1))
        if self._fault is not None:
            self._seen.hold("")
        yield from self._seen.rest()
        if self._fault is not None:
            raise self._fault

    def _members(self, folder: httpx2.URL) -> list[_Listed]:
        """What a folder lists; one below the place that cannot be listed is a fault of the look, and has no members.

        Raises for the place itself, and for several in a row that another time may help.
        """
        try:
            members = list(self._listed(folder))
        except TriviumError as error:
            self._silences = self._silences + 1 if isinstance(error, TryLater) else 0
            if folder == self._base or self._silences >= MAX_SILENCES:
                raise
            self._fault = self._fault or _untold(f"{str(folder)[:200]} cannot be listed: {error.message}")
            return []
        self._silences = 0
        return members

    def _listed(self, folder: httpx2.URL) -> Iterator[_Listed]:
        """What is below the place, and not what else the server tells. Raises `NeverWill` (`no_webdav`).

        A folder lists itself (RFC 4918 9.1), so one that is told by another address is not an empty one.
        """
        from lxml import etree  # noqa: PLC0415 - 3 MB, and most connect none

        reply = self._listings.ask("PROPFIND", folder, _HEADERS, _ASKED)
        try:
            parser = etree.XMLParser(resolve_entities=False, no_network=True, huge_tree=False)
            answer = etree.fromstring(reply.content, parser)
        except etree.XMLSyntaxError as error:
            raise _no_webdav(reply.url) from error
        if answer.tag != f"{_DAV}multistatus":
            raise _no_webdav(reply.url)
        told = [_read(httpx2.URL(reply.url), response) for response in answer.iterfind(f"{_DAV}response")]
        listed = [found for found in told if found is not None]
        if not any(_is_within(folder, found.url) for found in listed):
            raise _listed_elsewhere(folder, str(listed[0].url) if listed else "nothing")
        for found in listed:
            if found.failed and _is_within(self._base, found.url):
                why = f"The server answers {found.failed} for {str(found.url)[:200]} in its list."
                self._fault = self._fault or _untold(why)
            elif found.url.path != folder.path and _is_below(self._base, found.url):
                yield found

    def _fetch(self, url: httpx2.URL, size_bytes: int) -> Item:
        self._place.check_size(size_bytes)
        reply = self._files.ask("GET", url)
        return Item(reply.content, reply.header("content-type"))


def _read(asked: httpx2.URL, response: etree._Element) -> _Listed | None:
    """None for what is not there, or has no address."""
    told: dict[str, str] = {}
    is_folder, status = False, _status(response)
    if status in (_NO_SUCH, _GONE):
        return None
    failed = 0 if 200 <= status < 300 else status
    for stat in response.iterfind(f"{_DAV}propstat"):
        status = _status(stat)
        if status != _THERE:
            untold = status != _NO_SUCH and stat.find(f"{_DAV}prop/{_DAV}resourcetype") is not None
            failed = failed or (status if untold else 0)
            continue
        for value in stat.iterfind(f"{_DAV}prop/*"):
            told[str(value.tag)] = (value.text or "").strip()
        is_folder |= stat.find(f"{_DAV}prop/{_DAV}resourcetype/{_DAV}collection") is not None
    try:
        url = asked.join((response.findtext(f"{_DAV}href") or "").strip())
    except (httpx2.InvalidURL, UnicodeError):
        return None
    size = told.get(f"{_DAV}getcontentlength", "")
    when = told.get(f"{_DAV}getetag") or told.get(f"{_DAV}getlastmodified") or ""
    url = _as_folder(url) if is_folder else url.copy_with(fragment=None)
    size_bytes = int(size) if size.isascii() and size.isdigit() else 0
    return _Listed(url, is_folder, f"{when}-{size}", size_bytes, failed)


def _status(element: etree._Element) -> int:
    """Of a member or of some of its properties (RFC 4918 14.28); 200 where none is told, 0 for what is none."""
    found = _STATUS.match(element.findtext(f"{_DAV}status", str(_THERE)))
    return int(found[1]) if found else 0


def _is_within(folder: httpx2.URL, url: httpx2.URL) -> bool:
    """Whether it is the folder itself, or below."""
    itself = has_same_host(folder, url) and _as_folder(url).path == folder.path
    return itself or _is_below(folder, url)


def _is_below(base: httpx2.URL, url: httpx2.URL) -> bool:
    steps = _path_below(base, url).split("/")
    return has_same_host(base, url) and url.path.startswith(base.path) and not {".", "..", ""} & set(steps)


def _path_below(base: httpx2.URL, url: httpx2.URL) -> str:
    path = url.raw_path.decode("ascii").partition("?")[0]
    return unquote(path.rstrip("/"))[len(base.path) :]


def _as_folder(url: httpx2.URL) -> httpx2.URL:
    path = url.raw_path.decode("ascii").partition("?")[0]
    return url.copy_with(raw_path=f"{path.rstrip('/')}/".encode(), fragment=None)


def _listed_elsewhere(folder: httpx2.URL, told: str) -> NeverWill:
    return NeverWill(
        "no_webdav",
        f"Asked for {folder}, the server lists {told[:200]}, and not that folder.",
        "Connect it by the address that the server calls it, or have the server call it by this one.",
    )


def _untold(why: str) -> TryLater:
    return TryLater("fetch_failed", why, "Let the credential's user read it, or try again in a while.")


def _no_webdav(url: str) -> NeverWill:
    return NeverWill("no_webdav", f"{url} does not answer as a WebDAV server does.", "Check the location.")
