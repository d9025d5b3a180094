"""The HTTP application over real stores in a folder, with connections that are looked at and no ingest behind."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import httpx2
import msgspec
import pytest
from folder_stores import FolderStores
from places_peer import SitePeer
from waiting import wait_until

from trivium.config import Settings
from trivium.connections.rotated_tokens import RotatedTokens
from trivium.domain.connections import Connection
from trivium.domain.documents import DocumentState
from trivium.domain.scope import DEFAULT_TENANT, Tenant
from trivium.ports.objects import Objects
from trivium_query.answering import PassageModels
from trivium_query.assembly import query_services
from trivium_query.connect.driver import driving
from trivium_query.connect.means import Means
from trivium_query.connect.oauth import AccessTokens
from trivium_query.connect.place import Pause
from trivium_query.http.app import create_app


class Clock:
    """Passes as somebody waits by it, and not else."""

    def __init__(self) -> None:
        self.now_s = 1000.0

    def now(self) -> float:
        return self.now_s

    def opened_by(self, settings: Settings, objects: Objects) -> Callable[..., Any]:
        """How a look opens its connector, which then waits by this clock."""
        means = Means(settings, AccessTokens(RotatedTokens(objects)), self.now)

        def opened(tenant: Tenant, connection: Connection, cursor: str, pause: Pause) -> Any:
            def wait(seconds: float) -> None:
                pause(0.0)
                self.now_s += seconds

            return means.open(tenant, connection, cursor, wait)

        return opened


class World:
    """One deployment; each call is an HTTP request."""

    def __init__(self, folder: Path) -> None:
        self.stores = FolderStores(folder / "stores")
        self.settings = Settings(data_dir=folder / "data", url_allow="127.0.0.1", max_upload_bytes=1_000_000)
        self.headers: dict[str, str] = {}
        self.clock: Clock | None = None
        """What looks wait by, in place of the real one."""
        self._process = ExitStack()
        self.start()

    def start(self) -> None:
        """Another process, with the settings as they are now."""
        self.stop()
        questions: Any = None
        self.services = query_services(self.settings, self.stores, questions, PassageModels(), lambda: None)
        self._app = create_app(self.services)
        connecting = msgspec.structs.replace(self.services.connecting, ask_s=0.02)
        if self.clock is not None:
            desk = msgspec.structs.replace(
                connecting.desk, open=self.clock.opened_by(self.settings, self.stores.objects)
            )
            connecting = msgspec.structs.replace(connecting, desk=desk)
        self._process.enter_context(driving(connecting))

    def stop(self) -> None:
        self._process.close()

    def set(self, **settings: Any) -> None:
        self.settings = msgspec.structs.replace(self.settings, **settings)
        self.start()

    def call(self, method: str, path: str, **sent: Any) -> httpx2.Response:
        async def one() -> httpx2.Response:
            transport = httpx2.ASGITransport(self._app)
            async with httpx2.AsyncClient(transport=transport, base_url="http://localhost") as client:
                return await client.request(method, path, headers=self.headers, **sent)

        return asyncio.run(one())

    def add(self, kind: str, location: str, **more: Any) -> dict[str, Any]:
        answer = self.call("POST", "/v1/connections", json={"id": "here", "kind": kind, "location": location, **more})
        assert answer.status_code == 201, answer.text
        added: dict[str, Any] = answer.json()
        return added

    def refused(self, kind: str, location: str, **more: Any) -> str:
        """The code with which a connection is refused."""
        answer = self.call("POST", "/v1/connections", json={"id": "here", "kind": kind, "location": location, **more})
        assert answer.status_code >= 400, answer.text
        return str(answer.json()["code"])

    def show(self, connection: str = "here") -> dict[str, Any]:
        found: dict[str, Any] = self.call("GET", f"/v1/connections/{connection}").json()
        return found

    def look(self, connection: str = "here") -> dict[str, Any]:
        """Have it looked at, and what that came to."""
        before = self.call("POST", f"/v1/connections/{connection}/run")
        assert before.status_code == 202, before.text
        return self.looked_after(before.json().get("started_at"), connection)

    def looked_after(self, started_at: str | None, connection: str = "here") -> dict[str, Any]:
        """What the look came to that began after the one which `started_at` then."""

        def ended() -> dict[str, Any] | None:
            found = self.show(connection)
            new = found.get("started_at") and found.get("started_at") != started_at
            return found if new and found["activity"] != "running" else None

        found = wait_until(ended, f"{connection} was looked at", told=lambda: self.show(connection))
        assert found
        return found

    def came_to(self, connection: str = "here") -> tuple[int, int, int]:
        """Stored, deleted and failed files of a look."""
        found = self.look(connection)
        return found["stored"], found["deleted"], found["failed"]

    def documents(self, tenant: Tenant = DEFAULT_TENANT) -> dict[str, bytes]:
        """Each source with its content."""
        intake = self.services.intake.for_tenant(tenant)
        found = self.stores.registry.for_tenant(tenant).list(limit=1000).documents
        there = [one for one in found if one.state is not DocumentState.DELETED]
        return {one.source: intake.original(one.id).content for one in there}

    def secret(self, name: str, text: str, tenant: str = "default") -> str:
        """Put a credential where connections find it; its name."""
        path = self.settings.data_dir / "secrets" / tenant / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text + "\n")
        return name


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    """One that is served."""
    made = World(tmp_path)
    yield made
    made.stop()
    made.stores.close()


@pytest.fixture
def site() -> SitePeer:
    """A site without pages."""
    return SitePeer()


@pytest.fixture
def address(site: SitePeer) -> Iterator[str]:
    """Where it is served."""
    with site.serving() as url:
        yield url
