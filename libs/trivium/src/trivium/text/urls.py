"""One spelling for each address, so that a page has one name however it was written."""

from __future__ import annotations

import re

import httpx2

from trivium.domain.errors import Refused

MAX_REQUESTED_CHARS = 8192
_TRACKING = frozenset({"fbclid", "gclid", "dclid", "msclkid", "mc_cid", "mc_eid", "igshid", "phpsessid", "jsessionid"})
_VIDEO_HOSTS = re.compile(r"(?:(?:www|m|music)\.)?youtube(?:-nocookie)?\.com")
_VIDEO_PATH = re.compile(r"/(?:shorts|live|embed|v)/([\w-]{11})(?:/.*)?", re.ASCII)
_VIDEO_ID = re.compile(r"[\w-]{11}", re.ASCII)
_SHORT_HOST = "youtu.be"


def checked_url(url: str) -> httpx2.URL:
    """`url` parsed, without its fragment. Raises `Refused` (`bad_url`)."""
    if len(url) > MAX_REQUESTED_CHARS:
        raise Refused("bad_url", f"The URL has {len(url)} characters.", f"Give at most {MAX_REQUESTED_CHARS}.")
    try:
        parsed = httpx2.URL(url.strip())
        host = parsed.host  # of punycode, decoded here
    except (httpx2.InvalidURL, UnicodeError) as error:
        raise Refused("bad_url", f"{url[:200]!r} is not a URL: {error}.", "Give an http or https address.") from error
    if parsed.scheme not in ("http", "https") or not host:
        raise Refused(
            "bad_url", f"{url[:200]!r} is not a web address.", "Give one that begins with http:// or https://."
        )
    if parsed.port is not None and not 0 < parsed.port < 65536:
        raise Refused("bad_url", f"{parsed.port} is not a port.", "Correct the URL.")
    if parsed.userinfo:
        raise Refused(
            "bad_url", "The URL holds a user name or password.", "Leave it out: Trivium sends no credentials."
        )
    return parsed.copy_with(fragment=None)


def canonical_url(url: str) -> str:
    """`url` as a source's name: lower-case host in ASCII, no default port, no dot segments, no fragment, a path.

    A video's is `https://youtu.be/ID`. Raises `Refused` (`bad_url`).
    """
    video = video_of(url)
    if video:
        return f"https://{_SHORT_HOST}/{video}"
    parsed = checked_url(url)
    return str(parsed.copy_with(raw_path=parsed.raw_path))


def same_page(url: str) -> str:
    """The key under which spellings of one page meet: its scheme, tracking parameters and their order set aside."""
    parsed = checked_url(url)
    kept = sorted((name, value) for name, value in parsed.params.multi_items() if not _tracks(name.lower()))
    query = "".join(f"&{name}={value}" for name, value in kept)
    return f"{parsed.netloc.decode('ascii')}{parsed.path}{query}"


def video_of(url: str) -> str:
    """The id of the YouTube video at `url`, "" for every other address. Raises `Refused` (`bad_url`)."""
    parsed = checked_url(url)
    host = parsed.host.rstrip(".")
    if host == _SHORT_HOST:
        found = parsed.path.strip("/")
    elif not _VIDEO_HOSTS.fullmatch(host):
        return ""
    elif parsed.path == "/watch":
        found = parsed.params.get("v", "")
    else:
        match = _VIDEO_PATH.fullmatch(parsed.path)
        found = match.group(1) if match else ""
    return found if _VIDEO_ID.fullmatch(found) else ""


def _tracks(name: str) -> bool:
    return name.startswith("utm_") or name in _TRACKING
