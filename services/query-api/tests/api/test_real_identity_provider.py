"""Single sign-on with a real identity provider, npm's oidc-provider, whose keys rotate while the doors are open.

`make test-clients` installs it and runs this; the protocol peer of test_single_sign_on.py covers the rest.
"""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import client_environments
import grpc
import httpx2
import msgspec
import pytest
from grpc_doors import over_grpc

from trivium.v1 import access_pb2, access_pb2_grpc, ingest_pb2, ingest_pb2_grpc
from trivium_query.access import single_sign_on
from trivium_query.http.app import create_app
from trivium_query.requests import Services

SCRIPT = Path(__file__).parents[4] / "tests" / "peers" / "oidc_provider.mjs"
INSTALLED = client_environments.node_modules() / "oidc-provider"
AUDIENCE = "https://trivium.example"

pytestmark = pytest.mark.skipif(
    not shutil.which("node") or not INSTALLED.exists(), reason="needs node and oidc-provider: make test-clients"
)


@pytest.fixture
def provider() -> Iterator[subprocess.Popen[str]]:
    command = ["node", str(SCRIPT), str(INSTALLED)]
    pipe, silent = subprocess.PIPE, subprocess.DEVNULL
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=silent, text=True) as running:
        yield running
        assert running.stdin is not None
        running.stdin.close()


@pytest.fixture
def issuer(provider: subprocess.Popen[str]) -> str:
    return line_of(provider)


@pytest.fixture
async def web() -> AsyncIterator[httpx2.AsyncClient]:
    async with httpx2.AsyncClient(trust_env=False) as client:
        yield client


@pytest.fixture
def with_sign_on(services: Services, issuer: str, monkeypatch: pytest.MonkeyPatch) -> Services:
    """Keys that are unknown are asked for at once."""
    monkeypatch.setattr(single_sign_on, "AGAIN_S", 0.0)
    settings = msgspec.structs.replace(services.settings, oidc_issuer=issuer, oidc_audience=AUDIENCE)
    return msgspec.structs.replace(services, settings=settings)


def line_of(provider: subprocess.Popen[str]) -> str:
    """The next line that is the script's own."""
    assert provider.stdout is not None
    return next(line.strip() for line in provider.stdout if "NOTICE" not in line and "WARNING" not in line)


def rotate(provider: subprocess.Popen[str]) -> None:
    """From now on it signs by another key; those before go on being told."""
    assert provider.stdin is not None
    provider.stdin.write("\n")
    provider.stdin.flush()
    assert line_of(provider) == "rotated"


async def token_of(web: httpx2.AsyncClient, issuer: str, audience: str = AUDIENCE) -> str:
    """A writer's of tenant `default`."""
    form = {"client_id": "mira", "client_secret": "secret", "grant_type": "client_credentials", "resource": audience}
    given = await web.post(f"{issuer}/token", data=form)
    return str(given.json()["access_token"])


def kids(tokens: list[str]) -> set[str]:
    return {token.partition(".")[0] for token in tokens}


async def test_its_tokens_open_http_also_after_its_keys_have_rotated(
    with_sign_on: Services, provider: subprocess.Popen[str], issuer: str, web: httpx2.AsyncClient
) -> None:
    used = []
    transport = httpx2.ASGITransport(create_app(with_sign_on))
    async with httpx2.AsyncClient(transport=transport, base_url="http://localhost") as client:
        for _ in range(3):
            used.append(await token_of(web, issuer))
            for token in used:
                told = await client.get("/v1/sources", headers={"authorization": f"Bearer {token}"})
                assert told.status_code == 200, told.text
            refused = await client.get("/v1/keys", headers={"authorization": f"Bearer {used[-1]}"})
            assert refused.status_code == 403
            rotate(provider)
        others = await token_of(web, issuer, "https://other.example")
        assert (await client.get("/v1/sources", headers={"authorization": f"Bearer {others}"})).status_code == 401
    assert len(kids(used)) == 3, "each was signed by a key of its own"


async def test_its_tokens_open_grpc_also_after_its_keys_have_rotated(
    with_sign_on: Services, provider: subprocess.Popen[str], issuer: str, web: httpx2.AsyncClient
) -> None:
    used = []
    async with over_grpc(with_sign_on) as channel:
        sources = ingest_pb2_grpc.IngestServiceStub(channel)
        keys = access_pb2_grpc.AccessServiceStub(channel)
        for _ in range(3):
            used.append(await token_of(web, issuer))
            for token in used:
                listed = await sources.ListSources(ingest_pb2.ListSourcesRequest(), metadata=bearer(token))
                assert [source.name for source in listed.sources] == ["engine.html"]
            with pytest.raises(grpc.aio.AioRpcError) as refused:
                await keys.ListKeys(access_pb2.ListKeysRequest(), metadata=bearer(used[-1]))
            assert refused.value.code() is grpc.StatusCode.PERMISSION_DENIED
            rotate(provider)
        others = await token_of(web, issuer, "https://other.example")
        with pytest.raises(grpc.aio.AioRpcError) as unknown:
            await sources.ListSources(ingest_pb2.ListSourcesRequest(), metadata=bearer(others))
        assert unknown.value.code() is grpc.StatusCode.UNAUTHENTICATED
    assert len(kids(used)) == 3, "each was signed by a key of its own"


def bearer(token: str) -> tuple[tuple[str, str], ...]:
    return (("authorization", f"Bearer {token}"),)
