"""Tokens of an identity provider, which here is one of ours on a real socket that signs, rotates and goes away."""

from __future__ import annotations

import asyncio
import base64
import json
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import grpc
import httpx2
import jwt
import msgspec
import pytest
from behind_tls import behind_tls
from certificates import Authority
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from waiting import wait_until_async

from trivium.config import Settings
from trivium.domain.access import Role
from trivium.domain.errors import Refused, TryLater
from trivium.v1 import ingest_pb2, ingest_pb2_grpc
from trivium_query.access import single_sign_on
from trivium_query.access.single_sign_on import SingleSignOn
from trivium_query.http.app import create_app
from trivium_query.requests import Services
from trivium_query.rpc.server import create_grpc_server


class Provider:
    """Discovery, keys, and tokens for whoever asks."""

    def __init__(self) -> None:
        self.reads = 0
        self.odd: list[Any] = []
        self.algorithm = ""
        self.answers = threading.Event()
        self.answers.set()
        self.keys: dict[str, Any] = {}
        self.rotate("first")
        provider = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                provider.answers.wait(60)
                provider.reads += self.path == "/jwks"
                told = provider.jwks() if self.path == "/jwks" else provider.discovery()
                self.send_response(200)
                self.end_headers()
                self.wfile.write(json.dumps(told).encode())

            def log_message(self, *_: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.issuer = f"http://127.0.0.1:{self._server.server_port}"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def close(self) -> None:
        self.answers.set()
        self._server.shutdown()
        self._server.server_close()

    def rotate(self, kid: str, *, keep: bool = False) -> None:
        self.kid = kid
        self.keys = (self.keys if keep else {}) | {kid: rsa.generate_private_key(public_exponent=65537, key_size=2048)}

    def discovery(self) -> dict[str, str]:
        return {"issuer": self.issuer, "jwks_uri": f"{self.issuer}/jwks"}

    def jwks(self) -> dict[str, Any]:
        more = {"alg": self.algorithm} if self.algorithm else {}
        told = [
            json.loads(jwt.algorithms.RSAAlgorithm.to_jwk(key.public_key())) | {"kid": kid, "use": "sig"} | more
            for kid, key in self.keys.items()
        ]
        return {"keys": [*self.odd, *told, {"kty": "oct", "k": "c2VjcmV0", "kid": "shared"}]}

    def claims(self, **more: Any) -> dict[str, Any]:
        told = {"iss": self.issuer, "aud": "trivium", "sub": "mira", "exp": time.time() + 300, "tenant": "default"}
        return {**told, "roles": ["writer"], **more}

    def token(self, key: Any = None, kid: str = "", algorithm: str = "RS256", **claims: Any) -> str:
        kid = kid or self.kid
        return jwt.encode(self.claims(**claims), key or self.keys[kid], algorithm, headers={"kid": kid})


@pytest.fixture
def provider() -> Iterator[Provider]:
    running = Provider()
    yield running
    running.close()


@pytest.fixture
def settings(provider: Provider) -> Settings:
    return Settings(oidc_issuer=provider.issuer, oidc_audience="trivium", oidc_roles="staff=reader,bosses=admin")


@pytest.fixture
def sso(settings: Settings) -> SingleSignOn:
    return SingleSignOn(settings)


async def test_a_token_opens_its_tenant_in_its_role_over_http_and_grpc(
    provider: Provider, services: Services, client: httpx2.AsyncClient
) -> None:
    bearer = f"Bearer {provider.token()}"
    assert (await client.get("/v1/sources", headers={"authorization": bearer})).status_code == 200
    assert (await client.get("/v1/keys", headers={"authorization": bearer})).status_code == 403
    assert (await client.get("/v1/sources")).status_code == 401
    other = {"authorization": f"Bearer {provider.token(tenant='other', roles='bosses')}"}
    assert (await client.get("/v1/keys", headers=other)).json()["keys"] == []
    server = create_grpc_server(services, "127.0.0.1:0")
    await server.start()
    async with grpc.aio.insecure_channel(f"127.0.0.1:{server.port}") as channel:
        sources = ingest_pb2_grpc.IngestServiceStub(channel)
        await sources.ListSources(ingest_pb2.ListSourcesRequest(), metadata=(("authorization", bearer),))
        with pytest.raises(grpc.aio.AioRpcError) as refused:
            await sources.ListSources(ingest_pb2.ListSourcesRequest(), metadata=(("authorization", bearer + "x"),))
    await server.stop(0)
    assert refused.value.code() is grpc.StatusCode.UNAUTHENTICATED


async def test_roles_and_tenants_come_from_the_claims_that_settings_name(
    provider: Provider, settings: Settings
) -> None:
    named = {"oidc_tenant_claim": "https://acme.example/org", "oidc_role_claim": "realm_access.roles"}
    sso = SingleSignOn(msgspec.structs.replace(settings, **named))
    claims = {
        "https://acme.example/org": ["other"],
        "realm_access": {"roles": ["staff", "writer", "x"]},
        "email": "m@x",
    }
    caller = await sso.caller(provider.token(**claims))
    assert (caller.tenant.name, caller.role, caller.key_id, caller.name) == ("other", Role.WRITER, "sso:mira", "m@x")


def unsigned(provider: Provider) -> str:
    def part(value: dict[str, Any]) -> str:
        return base64.urlsafe_b64encode(json.dumps(value).encode()).decode().rstrip("=")

    return f"{part({'alg': 'none', 'kid': provider.kid})}.{part(provider.claims())}."


@pytest.mark.parametrize(
    ("make", "told"),
    [
        (lambda p: p.token(aud="other"), "another audience"),
        (lambda p: p.token(iss="https://evil.example"), "another issuer"),
        (lambda p: p.token(exp=time.time() - 60), "expired"),
        (lambda p: p.token(nbf=time.time() + 600), "not valid yet"),
        (lambda p: p.token(rsa.generate_private_key(public_exponent=65537, key_size=2048)), "wrong signature"),
        (lambda p: p.token(ec.generate_private_key(ec.SECP256R1()), algorithm="ES256"), "cannot be verified"),
        (lambda p: p.token("secret" * 8, kid="shared", algorithm="HS256"), "not allowed"),
        (unsigned, "not allowed"),
        (lambda p: p.token(kid="nobody", key=p.keys[p.kid]), "does not know"),
        (lambda p: p.token(tenant="../x"), "cannot be one"),
        (lambda p: p.token(tenant=["default", "other"]), "one tenant"),
        (lambda p: p.token(tenant=None), "one tenant"),
        (lambda p: p.token(roles=["root"]), "no role"),
        (lambda p: p.token(roles=5), "no role"),
        (lambda p: p.token(roles=[{"name": "writer"}, None]), "no role"),
        (lambda p: p.token(sub=None), "lacks a claim"),
        (lambda p: p.token()[:-10], "signature"),
        (lambda p: "eyJ.x.y", "cannot be read"),
    ],
)
async def test_a_token_that_proves_nothing_is_refused_and_told_why(
    provider: Provider, sso: SingleSignOn, make: Any, told: str
) -> None:
    with pytest.raises(Refused, match=told) as refused:
        await sso.caller(make(provider))
    assert refused.value.code == "unauthenticated"


@pytest.mark.parametrize("algorithm", ["RS256", "RS384", "RS512", "PS256"])
async def test_a_key_that_names_no_algorithm_serves_each_of_its_family_that_is_allowed(
    provider: Provider, settings: Settings, algorithm: str
) -> None:
    """RFC 7517, section 4.4: `alg` may be absent; where a key has one, it serves no other."""
    settings = msgspec.structs.replace(settings, oidc_algorithms=algorithm)
    token = provider.token(algorithm=algorithm)
    assert (await SingleSignOn(settings).caller(token)).key_id == "sso:mira"
    provider.algorithm = algorithm
    assert (await SingleSignOn(settings).caller(token)).key_id == "sso:mira"
    provider.algorithm = "PS512"
    with pytest.raises(Refused, match="cannot be verified"):
        await SingleSignOn(settings).caller(token)


async def test_keys_rotate_while_it_runs_and_are_read_seldom(
    provider: Provider, sso: SingleSignOn, monkeypatch: pytest.MonkeyPatch
) -> None:
    old = provider.token()
    for _ in range(50):
        await sso.caller(old)
    assert provider.reads == 1
    for number in range(20):
        with pytest.raises(Refused, match="does not know"):
            await sso.caller(provider.token(kid=f"made-up-{number}", key=provider.keys["first"]))
    assert provider.reads == 1, "whoever makes up key ids has nobody asked"
    monkeypatch.setattr(single_sign_on, "AGAIN_S", 0.0)
    provider.rotate("second", keep=True)
    assert (await sso.caller(provider.token())).name == ""
    await sso.caller(old)
    provider.rotate("third")
    await sso.caller(provider.token())
    with pytest.raises(Refused, match="does not know"):
        await sso.caller(old)


async def test_an_issuer_that_is_away_is_a_passing_fault_and_known_keys_go_on(
    provider: Provider, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    known, fresh = SingleSignOn(settings), SingleSignOn(settings)
    token = provider.token()
    await known.caller(token)
    provider.close()
    monkeypatch.setattr(single_sign_on, "KEYS_S", 0.0)
    monkeypatch.setattr(single_sign_on, "AGAIN_S", 0.0)
    await known.caller(token)
    with pytest.raises(TryLater) as away:
        await fresh.caller(token)
    assert away.value.code == "issuer_away"
    monkeypatch.setattr(single_sign_on, "AGAIN_S", 60.0)
    with pytest.raises(TryLater):
        await fresh.caller(token)


async def test_nobody_whose_key_is_known_waits_while_keys_are_read_again(
    provider: Provider, sso: SingleSignOn, monkeypatch: pytest.MonkeyPatch
) -> None:
    token = provider.token()
    await sso.caller(token)
    for name, value in (("KEYS_S", 0.0), ("AGAIN_S", 0.0), ("FETCH_S", 60.0)):
        monkeypatch.setattr(single_sign_on, name, value)
    provider.answers.clear()
    async with asyncio.timeout(20):
        for _ in range(3):
            await asyncio.gather(*(sso.caller(token) for _ in range(20)))
    assert provider.reads == 1
    monkeypatch.setattr(single_sign_on, "KEYS_S", 600.0)
    provider.answers.set()
    await wait_until_async(lambda: provider.reads > 1, "the keys are read again")
    await sso.caller(token)
    assert provider.reads == 2, "once for all who asked meanwhile"


async def test_a_key_that_was_withdrawn_while_nobody_asked_opens_nothing(
    provider: Provider, sso: SingleSignOn, monkeypatch: pytest.MonkeyPatch
) -> None:
    old = provider.token()
    await sso.caller(old)
    provider.rotate("second")
    for name in ("KEYS_S", "AGAIN_S", "UNASKED_S"):
        monkeypatch.setattr(single_sign_on, name, 0.0)
    with pytest.raises(Refused, match="does not know"):
        await sso.caller(old)


ODD_KEYS = (
    5,
    None,
    {"kty": "RSA", "kid": "cut", "n": "x", "e": "AQAB"},
    {"kty": "RSA", "kid": "null", "n": None, "e": "AQAB"},
    {"kty": "RSA", "kid": "empty"},
    {"kty": "EC", "kid": "curve", "crv": "P-1", "x": "AA", "y": "AA"},
    {"kty": "OKP", "kid": "okp", "crv": "Ed25519", "x": "AA"},
    {"kty": ["RSA"]},
)


@pytest.mark.parametrize("odd", ODD_KEYS)
async def test_a_key_that_is_none_leaves_the_others(provider: Provider, sso: SingleSignOn, odd: object) -> None:
    """RFC 7517, section 5."""
    provider.odd = [odd]
    assert (await sso.caller(provider.token())).key_id == "sso:mira"


async def test_an_issuer_that_calls_itself_otherwise_is_not_believed(provider: Provider, settings: Settings) -> None:
    sso = SingleSignOn(msgspec.structs.replace(settings, oidc_issuer=provider.issuer + "/"))
    with pytest.raises(TryLater):
        await sso.caller(provider.token())


def test_settings_that_would_open_too_much_are_refused(services: Services) -> None:
    algorithms = ({"oidc_algorithms": name} for name in ("none", "HS256"))
    clear = ({"oidc_issuer": issuer} for issuer in ("http://x.example", "x.example", "ftp://127.0.0.1", "https://[x"))
    for wrong in ({"oidc_audience": ""}, *algorithms, {"oidc_roles": "x"}, *clear, {"oidc_issuer": ""}):
        with pytest.raises(Refused, match="TRIVIUM_OIDC"):
            Settings(**{"oidc_issuer": "https://x.example", "oidc_audience": "t", **wrong}).check()
    Settings(http_host="0.0.0.0", oidc_issuer="https://x.example", oidc_audience="t").check()
    assert create_app(services)


async def test_a_citations_link_made_with_a_token_opens_for_a_reader_until_tokens_open_nothing_any_more(
    provider: Provider, services: Services
) -> None:
    def served(**more: str) -> httpx2.AsyncClient:
        own = {"link_secret": "0123456789abcdef" * 4, "api_keys": "other:beta", **more}
        settings = msgspec.structs.replace(services.settings, **own)
        transport = httpx2.ASGITransport(create_app(msgspec.structs.replace(services, settings=settings)))
        return httpx2.AsyncClient(transport=transport, base_url="http://localhost:8080")

    bearer = {"authorization": f"Bearer {provider.token(sub='mira & co')}"}
    async with served() as client:
        question = {"query": "Who designed the Analytical Engine?"}
        (citation,) = (await client.post("/v1/queries", json=question, headers=bearer)).json()["citations"]
        assert (await client.get(citation["link"])).status_code == 200
        admin = {"authorization": f"Bearer {provider.token(roles='bosses')}"}
        (opened,) = (await client.get("/v1/trail", headers=admin)).json()["entries"]
        assert (opened["key_id"], opened["action"]) == ("sso:mira & co", "link.open")
    async with served(oidc_issuer="") as without:
        assert (await without.get(citation["link"])).json()["code"] == "link_ended"


async def test_a_provider_with_a_certificate_of_ones_own_authority_is_believed_where_that_is_named(
    provider: Provider, settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("SSL_CERT_FILE", raising=False)
    authority = Authority(tmp_path)
    with behind_tls(authority, provider.issuer) as place:
        provider.issuer = f"https://{place}"
        told = msgspec.structs.replace(settings, oidc_issuer=provider.issuer)
        with pytest.raises(TryLater):
            await SingleSignOn(told).caller(provider.token())
        believing = SingleSignOn(msgspec.structs.replace(told, ca_file=str(authority.file)))
        assert (await believing.caller(provider.token())).key_id == "sso:mira"
