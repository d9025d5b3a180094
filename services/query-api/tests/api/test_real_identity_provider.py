"""Single sign-on with a real identity provider, npm's oidc-provider, whose keys rotate while the doors are open."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import httpx
import msgspec
import pytest

from trivium_query.access import single_sign_on
from trivium_query.http.app import create_app
from trivium_query.requests import Services

SCRIPT = Path(__file__).parents[4] / "tests" / "peers" / "oidc_provider.mjs"
FOLDER = os.environ.get("OIDC_PROVIDER_FOLDER", "")
AUDIENCE = "https://trivium.example"

pytestmark = pytest.mark.skipif(
    not shutil.which("node") or not FOLDER,
    reason="needs node and OIDC_PROVIDER_FOLDER, where `npm install oidc-provider` was done; the protocol peer of"
    " test_single_sign_on.py covers the rest",
)


@pytest.fixture
def provider() -> Iterator[subprocess.Popen[str]]:
    command = ["node", str(SCRIPT), FOLDER]
    pipe, silent = subprocess.PIPE, subprocess.DEVNULL
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=silent, text=True) as running:
        yield running
        assert running.stdin is not None
        running.stdin.close()


def line_of(provider: subprocess.Popen[str]) -> str:
    """The next line that is the script's own."""
    assert provider.stdout is not None
    return next(line.strip() for line in provider.stdout if "NOTICE" not in line and "WARNING" not in line)


async def test_its_tokens_open_the_doors_also_after_its_keys_have_rotated(
    services: Services, provider: subprocess.Popen[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(single_sign_on, "AGAIN_S", 0.0)
    issuer = line_of(provider)
    settings = msgspec.structs.replace(services.settings, oidc_issuer=issuer, oidc_audience=AUDIENCE)
    app = create_app(msgspec.structs.replace(services, settings=settings))
    form = {"client_id": "mira", "client_secret": "secret", "grant_type": "client_credentials", "resource": AUDIENCE}
    used = []
    async with (
        httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://localhost") as client,
        httpx.AsyncClient(trust_env=False) as web,
    ):
        for _ in range(3):
            given = (await web.post(f"{issuer}/token", data=form)).json()
            used.append(given["access_token"])
            for token in used:
                told = await client.get("/v1/sources", headers={"authorization": f"Bearer {token}"})
                assert told.status_code == 200, told.text
            refused = await client.get("/v1/keys", headers={"authorization": f"Bearer {used[-1]}"})
            assert refused.status_code == 403
            assert provider.stdin is not None
            provider.stdin.write("\n")
            provider.stdin.flush()
            assert line_of(provider) == "rotated"
    assert len({token.partition(".")[0] for token in used}) == 3, "each was signed by a key of its own"
