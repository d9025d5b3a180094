"""What a request did, written into its tenant's trail before the answer begins."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from trivium.access.trail import Touches, Trail
from trivium.domain.access import TrailOutcome
from trivium.domain.errors import TriviumError
from trivium_query.access.rules import OPENED, ROUTES
from trivium_query.http.middleware import CALLER, LINK
from trivium_query.http.problems import REQUEST_ID, of_error

_FAILED = 400


class Recorded:
    """An answer that tells of a change is sent once the change stands in the trail.

    One that broke off stands there too with what it touched, whatever its status. Where that cannot be written the
    caller is told so (`TryLater`), although the change was made.
    """

    def __init__(self, app: ASGIApp, trail: Trail) -> None:
        self.app = app
        self.trail = trail

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """See the class."""
        if scope["type"] != "http" or CALLER not in scope:
            await self.app(scope, receive, send)
            return
        answered = refused = False

        async def sending(message: Message) -> None:
            nonlocal answered, refused
            if message["type"] == "http.response.start" and (message["status"] < _FAILED or ids):
                answered = True
                try:
                    await self._record(scope, dict(ids))
                except TriviumError as error:
                    refused = True
                    await of_error(error, scope[REQUEST_ID])(scope, receive, send)
            if not refused:
                await send(message)

        with Touches() as ids:
            try:
                await self.app(scope, receive, sending)
            except Exception:
                if ids and not answered:
                    await self._record(scope, dict(ids))
                raise

    async def _record(self, scope: Scope, ids: Mapping[str, TrailOutcome]) -> None:
        template = getattr(scope.get("route"), "path", "")
        rule = ROUTES.get(f"{scope['method']} {template}")
        action = rule.action if rule is not None else ""
        if LINK in scope:
            action = action or OPENED
        if action:
            named = dict.fromkeys(scope.get("path_params", {}).values(), TrailOutcome.DONE)
            await asyncio.to_thread(self.trail.add_touched, scope[CALLER], action, ids or named)
