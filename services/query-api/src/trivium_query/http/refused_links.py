"""What a browser shows where the link of a citation does not open: a short page that says what to do."""

from __future__ import annotations

from http import HTTPStatus

from starlette.types import ASGIApp, Receive, Scope, Send

from trivium.api import Problem
from trivium_query.access.signed_links import is_linked
from trivium_query.http.middleware import header
from trivium_query.http.rewording import Reworded, Rewording
from trivium_query.pages.view import POLICY, render_note

_HTML = "text/html"
_NO_KEY = (
    "This page needs a key, which a browser does not send.",
    "Ask the question again and follow the link in the answer. If that does not open either, whoever runs this server "
    "has not let links be signed.",
)
_FRESH = "Ask the question again, or whoever sent you this link, for a fresh one."


class InPages:
    """Pure ASGI: what citations link to answers a browser in HTML also when it refuses; programs hear problems."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """See the class."""
        asked = scope["type"] == "http" and is_linked(scope["method"], scope["path"])
        shown = asked and _HTML in header(scope, b"accept")
        await self.app(scope, receive, Rewording(send, _page).send if shown else send)


def _page(problem: Problem) -> Reworded:
    why, action = problem.detail, problem.action
    if problem.status == HTTPStatus.UNAUTHORIZED:
        why, action = _NO_KEY
    elif problem.code.startswith("link_"):
        action = _FRESH
    page = render_note("This link does not open", why, action, f"{problem.code}, request {problem.request_id}")
    headers = (("content-security-policy", POLICY), ("vary", "accept"))
    return Reworded(problem.status, f"{_HTML}; charset=utf-8", page.encode(), headers)
