"""TLS whose files change while both doors are open, and what browsers are told."""

from __future__ import annotations

import asyncio
import os
import signal
from pathlib import Path

import grpc
import httpx2
import msgspec
import pytest
from certificates import trusting, write_certificate
from served_here import ended, served

from trivium.config import Settings
from trivium.domain.errors import Refused
from trivium.v1 import query_pb2, query_pb2_grpc
from trivium_query import tls
from trivium_query.http.app import create_app
from trivium_query.requests import Services
from trivium_query.serve import Listening

ORIGIN = "https://app.example.org"


async def answers(where: Listening, chain: bytes) -> bool:
    """Whether both doors show that certificate, to connections of their own."""
    try:
        async with httpx2.AsyncClient(verify=trusting(chain), trust_env=False) as client:
            told = await client.get(where.http.replace("127.0.0.1", "localhost") + "/healthz")
            assert "max-age" in told.headers["strict-transport-security"]
        credentials = grpc.ssl_channel_credentials(chain)
        options = [("grpc.use_local_subchannel_pool", 1)]
        async with grpc.aio.secure_channel(
            where.grpc.replace("127.0.0.1", "localhost"), credentials, options
        ) as channel:
            await query_pb2_grpc.QueryServiceStub(channel).Search(query_pb2.SearchRequest(query="engine"), timeout=5)
    except (httpx2.ConnectError, grpc.aio.AioRpcError):
        return False
    return True


@pytest.mark.parametrize(("kind", "then"), [("EC", "EC"), ("EC", "RSA"), ("RSA", "EC")])
async def test_both_doors_take_a_renewed_certificate_without_a_restart(
    services: Services, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str, then: str
) -> None:
    monkeypatch.setattr(tls, "LOOK_S", 0.05)
    chain, key = write_certificate(tmp_path, "first", kind=kind)
    first = chain.read_bytes()
    named = {"http_port": 0, "grpc_port": 0, "tls_cert": str(chain), "tls_key": str(key)}
    services = msgspec.structs.replace(services, settings=msgspec.structs.replace(services.settings, **named))
    where, serving = await served(services)
    assert where.http.startswith("https://")
    assert await answers(where, first)
    chain.write_bytes(b"half of a")
    await asyncio.sleep(0.3)
    assert await answers(where, first), "what does not fit together changes nothing"
    write_certificate(tmp_path, "second", kind=then)
    for _ in range(100):
        if await answers(where, chain.read_bytes()):
            break
        await asyncio.sleep(0.1)
    assert await answers(where, chain.read_bytes())
    assert not await answers(where, first)
    os.kill(os.getpid(), signal.SIGTERM)
    await ended(serving)


def test_files_that_cannot_be_used_are_refused_at_the_start(tmp_path: Path) -> None:
    with pytest.raises(Refused, match="one is missing"):
        Settings(tls_cert="x").check()
    with pytest.raises(Refused, match="cannot be used"):
        tls.certificate_of(Settings(tls_cert=str(tmp_path / "no"), tls_key=str(tmp_path / "no")))
    chain, key = write_certificate(tmp_path, "locked", passphrase=b"hush")
    with pytest.raises(Refused, match="has a passphrase"):
        tls.certificate_of(Settings(tls_cert=str(chain), tls_key=str(key)))


async def test_every_answer_tells_browsers_to_be_careful(client: httpx2.AsyncClient, engine: str) -> None:
    for path in ("/healthz", "/v1/sources", "/nowhere", "/docs", f"/v1/sources/{engine}/content"):
        told = (await client.get(path)).headers
        assert told["x-content-type-options"] == "nosniff"
        assert told["x-frame-options"] == "SAMEORIGIN"
        assert told["referrer-policy"] == "no-referrer"
        assert "default-src" in told["content-security-policy"] or "sandbox" in told["content-security-policy"]
        assert len(told.get_list("content-security-policy")) == 1
        assert "access-control-allow-origin" not in told


def browsed(services: Services, **settings: str) -> httpx2.AsyncClient:
    changed = msgspec.structs.replace(services.settings, **settings)
    changed.check()
    app = create_app(msgspec.structs.replace(services, settings=changed))
    return httpx2.AsyncClient(transport=httpx2.ASGITransport(app), base_url="http://localhost")


async def test_what_browsers_are_told_is_a_setting(services: Services, client: httpx2.AsyncClient, engine: str) -> None:
    said = (
        "X-Frame-Options: DENY | Permissions-Policy: camera=(), geolocation=() | referrer-policy:"
        "| Content-Security-Policy: default-src 'none'; report-to csp | Strict-Transport-Security: max-age=60; preload"
    )
    async with browsed(services, http_headers=said) as asked:
        told = (await asked.get("/v1/sources")).headers
        assert (told["x-frame-options"], told["permissions-policy"]) == ("DENY", "camera=(), geolocation=()")
        assert told["content-security-policy"] == "default-src 'none'; report-to csp"
        assert told["strict-transport-security"] == "max-age=60; preload"
        assert "referrer-policy" not in told
        assert told["x-content-type-options"] == "nosniff", "what is not named stays"
        for path in (f"/v1/sources/{engine}/content", f"/v1/sources/{engine}/view?unit=1", "/docs"):
            own = (await client.get(path)).headers.get_list("content-security-policy")
            assert (await asked.get(path)).headers.get_list("content-security-policy") == own, path


@pytest.mark.parametrize(
    ("setting", "value", "says"),
    [
        ("http_headers", "X-Frame-Option: DENY", "Did you mean x-frame-options"),
        ("http_headers", "X-Frame-Options: ALLOW-FROM https://x.example", "TRIVIUM_HTTP_HEADERS says 'ALLOW-FROM"),
        ("http_headers", "X-Frame-Options DENY", "is no header"),
        ("http_headers", "Content-Length: 0", "It may have content-security-policy"),
        ("http_headers", "Set-Cookie: a=b", "cannot have 'Set-Cookie'"),
        ("http_headers", "Access-Control-Allow-Origin: *", "TRIVIUM_CORS_ORIGINS"),
        ("http_headers", "X-Robots-Tag: a\r\nSet-Cookie: b", "printable ASCII"),
        ("http_headers", "Permissions-Policy: é", "printable ASCII"),
        ("http_headers", "Permissions-Policy: " + "x" * 5000, "At most 4096"),
        ("http_headers", "X-Frame-Options: DENY | x-frame-options: SAMEORIGIN", "twice"),
        ("cors_origins", "app.example.org", "is no origin"),
        ("cors_origins", "https://app.example.org/path", "is no origin"),
        ("cors_origins", "*,https://app.example.org", "is no origin"),
        ("cors_origins", "https://*.example.org", "is no origin"),
    ],
)
def test_what_would_tell_browsers_nothing_is_refused_at_the_start(setting: str, value: str, says: str) -> None:
    with pytest.raises(Refused) as refused:
        Settings(**{setting: value}).check()
    assert says in f"{refused.value.message} {refused.value.action}"


async def test_an_origin_is_the_same_however_it_is_written(services: Services) -> None:
    async with browsed(services, api_keys="default:alpha", cors_origins="HTTPS://App.example.org/") as client:
        read = await client.get("/healthz", headers={"origin": ORIGIN})
        assert read.headers["access-control-allow-origin"] == ORIGIN
        assert "cross-origin-resource-policy" not in read.headers


async def test_only_named_origins_may_ask(services: Services) -> None:
    settings = msgspec.structs.replace(services.settings, api_keys="default:alpha", cors_origins=ORIGIN)
    app = create_app(msgspec.structs.replace(services, settings=settings))
    asked = {"access-control-request-method": "POST", "access-control-request-headers": "authorization"}
    async with httpx2.AsyncClient(transport=httpx2.ASGITransport(app), base_url="http://localhost") as client:
        allowed = await client.options("/v1/search", headers={"origin": ORIGIN, **asked})
        assert (allowed.status_code, allowed.headers["access-control-allow-origin"]) == (200, ORIGIN)
        assert "access-control-allow-credentials" not in allowed.headers
        theirs = "authorization,content-type,mcp-protocol-version,x-stainless-lang,x-stainless-retry-count"
        added = asked | {"access-control-request-headers": theirs}
        assert (await client.options("/openai/v1/models", headers={"origin": ORIGIN, **added})).status_code == 200
        read = await client.get("/v1/sources", headers={"origin": ORIGIN, "x-api-key": "alpha"})
        assert (read.status_code, read.headers["access-control-allow-origin"]) == (200, ORIGIN)
        unknown = await client.get("/v1/sources", headers={"origin": ORIGIN})
        assert (unknown.status_code, unknown.headers["access-control-allow-origin"]) == (401, ORIGIN)
        other = await client.options("/v1/search", headers={"origin": "https://evil.example", **asked})
        assert "access-control-allow-origin" not in other.headers


async def test_metrics_health_and_docs_name_no_tenant(services: Services) -> None:
    settings = msgspec.structs.replace(services.settings, api_keys="zephyrine:alpha")
    app = create_app(msgspec.structs.replace(services, settings=settings))
    async with httpx2.AsyncClient(transport=httpx2.ASGITransport(app), base_url="http://localhost") as client:
        await client.post("/v1/keys", json={"name": "Marabou"}, headers={"x-api-key": "alpha"})
        await client.post("/v1/sources", files={"file": ("orchid.txt", b"kvint")}, headers={"x-api-key": "alpha"})
        for path in ("/metrics", "/healthz", "/readyz", "/openapi.json", "/docs"):
            told = (await client.get(path)).text.lower()
            assert not [word for word in ("zephyrine", "marabou", "orchid", "kvint", "environment-1") if word in told]
