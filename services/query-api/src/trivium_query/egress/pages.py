"""From an address to what stands there: a page, a file, or the transcript of a video."""

from __future__ import annotations

import re

import msgspec

from trivium.domain.errors import NeverWill
from trivium.ports.web import Page, Validators
from trivium.text.urls import video_of
from trivium_query.egress.fetch import DOWNLOAD_INSTEAD, Fetched, Fetcher

_LOGIN_PATH = re.compile(r"(?i)/(?:log-?in|sign-?in|signon|sso|auth|oauth2?|session/new|account/login)\b")
_PASSWORD_FIELD = re.compile(rb"(?i)<input\b[^>]{0,500}\btype\s*=\s*[\"']?password\b")
_LOOKED_AT_BYTES = 512 * 1024


class WebPages(msgspec.Struct, frozen=True):
    """`trivium.ports.web.Fetch` over the egress fetcher."""

    fetcher: Fetcher

    def __call__(self, url: str, known: Validators | None = None) -> Page | None:
        """The page at `url`. Raises as `Fetcher.get`, and `NeverWill` (`no_transcript`, `login_needed`)."""
        video = video_of(url)
        if video:
            from trivium_query.egress.youtube import transcript  # noqa: PLC0415 - loads requests, a tenth of a second

            return transcript(self.fetcher, video)
        fetched = self.fetcher.get(url, known)
        if fetched is None:
            return None
        if _asks_for_login(url, fetched):
            raise NeverWill(
                "login_needed", f"{url} leads to a login page.", f"Trivium sends no credentials. {DOWNLOAD_INSTEAD}"
            )
        charset = f"; charset={fetched.charset}" if fetched.charset else ""
        declared = f"{fetched.media_type}{charset}" if fetched.media_type else ""
        return Page(fetched.content, declared, validators=fetched.validators)


def _asks_for_login(asked: str, fetched: Fetched) -> bool:
    """Whether a page was asked for and a login form came instead."""
    led_away = bool(_LOGIN_PATH.search(fetched.url)) and not _LOGIN_PATH.search(asked)
    return led_away and bool(_PASSWORD_FIELD.search(fetched.content[:_LOOKED_AT_BYTES]))
