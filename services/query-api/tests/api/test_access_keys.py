"""A key that is unknown, malformed, expired, revoked or another tenant's, through the real doors."""

from __future__ import annotations

import asyncio
import time

import grpc
import httpx2
import msgspec
import pytest
from waiting import wait_until_async

from trivium.access.key_text import new_key
from trivium.access.stored_keys import StoredKeys
from trivium.config import Settings
from trivium.domain.access import Caller, Role
from trivium.domain.errors import Refused, TryLater
from trivium.domain.scope import DEFAULT_TENANT, Tenant
from trivium.v1 import ingest_pb2, ingest_pb2_grpc
from trivium_query.access import authenticate, uses
from trivium_query.access.authenticate import Authenticator, Credentials
from trivium_query.access.rules import ROUTES
from trivium_query.requests import Services

OTHER = Tenant("other")


@pytest.fixture
def settings() -> Settings:
    return Settings(api_keys="default:alpha,other:beta")


@pytest.fixture
def keys(services: Services) -> StoredKeys:
    return StoredKeys(services.objects)


async def told(client: httpx2.AsyncClient, key: str) -> tuple[int, str]:
    answer = await client.get("/v1/sources", headers={"authorization": f"Bearer {key}"})
    return answer.status_code, answer.json().get("detail", "")


async def test_a_stored_key_opens_its_own_tenant(client: httpx2.AsyncClient, keys: StoredKeys, engine: str) -> None:
    _, mine = keys.create(DEFAULT_TENANT, "mine", Role.READER)
    _, theirs = keys.create(OTHER, "theirs", Role.ADMIN)
    assert (await client.get(f"/v1/sources/{engine}", headers={"x-api-key": mine})).status_code == 200
    assert (await client.get(f"/v1/sources/{engine}", headers={"x-api-key": theirs})).status_code == 404


async def test_what_is_no_key_is_refused_without_a_look(client: httpx2.AsyncClient, keys: StoredKeys) -> None:
    _, good = keys.create(DEFAULT_TENANT, "one", Role.READER)
    head, _, secret = good.rpartition(".")
    moved = good.replace(".default.", ".other.")
    for bad in (
        head,
        f"{head}.{'0' * 64}",
        f"{good}0",
        good.upper(),
        moved,
        "trv.../../x.y.z",
        new_key(OTHER).text,
        "x" * 9000,
    ):
        assert (await told(client, bad))[0] == 401, bad
    assert (await told(client, secret))[0] == 401


async def test_an_expired_and_a_revoked_key_are_told_as_such(
    client: httpx2.AsyncClient, keys: StoredKeys, monkeypatch: pytest.MonkeyPatch
) -> None:
    short, expiring = keys.create(DEFAULT_TENANT, "short", Role.READER, expires_at=time.time() + 0.2)
    revoked, ended = keys.create(DEFAULT_TENANT, "revoked", Role.READER)
    assert (await told(client, expiring))[0] == (await told(client, ended))[0] == 200
    keys.revoke(DEFAULT_TENANT, revoked.id)
    await asyncio.sleep(0.3)
    assert await told(client, expiring) == (401, f"The API key {short.id} has expired.")
    await asyncio.sleep(authenticate.FRESH_S)
    assert await told(client, ended) == (401, f"The API key {revoked.id} has been revoked.")


async def test_an_expired_and_a_revoked_key_are_refused_over_grpc_too(
    channel: grpc.aio.Channel, keys: StoredKeys
) -> None:
    soon = time.time() + 0.1
    expired, revoked, good = (
        keys.create(DEFAULT_TENANT, name, Role.READER, expires_at=end)
        for name, end in (("expired", soon), ("revoked", None), ("good", None))
    )
    keys.revoke(DEFAULT_TENANT, revoked[0].id)
    await wait_until_async(lambda: time.time() > soon, "the key has expired")
    ingest = ingest_pb2_grpc.IngestServiceStub(channel)
    for (made, text), why in ((expired, "has expired"), (revoked, "has been revoked")):
        with pytest.raises(grpc.aio.AioRpcError) as refused:
            await ingest.ListSources(ingest_pb2.ListSourcesRequest(), metadata=(("x-api-key", text),))
        assert refused.value.code() is grpc.StatusCode.UNAUTHENTICATED
        assert f"The API key {made.id} {why}." in str(refused.value.details())
    await ingest.ListSources(ingest_pb2.ListSourcesRequest(), metadata=(("x-api-key", good[1]),))


async def test_a_key_is_looked_up_once_a_while(
    services: Services, keys: StoredKeys, monkeypatch: pytest.MonkeyPatch
) -> None:
    made, text = keys.create(DEFAULT_TENANT, "one", Role.READER)
    looks = []
    find = StoredKeys.find
    monkeypatch.setattr(StoredKeys, "find", lambda self, text: (looks.append(text.id), find(self, text))[1])
    authenticator = Authenticator(services.settings, keys)
    for _ in range(100):
        assert (await authenticator.authenticate(Credentials(api_key=text))).key_id == made.id
    assert looks == [made.id]


async def test_a_process_notes_what_it_counted_time_and_again(
    keys: StoredKeys, monkeypatch: pytest.MonkeyPatch
) -> None:
    made, _ = keys.create(DEFAULT_TENANT, "one", Role.READER)
    monkeypatch.setattr(uses, "NOTED_S", 0.01)
    counted = uses.Uses()
    loop = asyncio.create_task(uses.noting(counted, keys))
    try:
        for number in (1, 2):
            counted.count(Caller(DEFAULT_TENANT, Role.READER, made.id), ROUTES["POST /v1/search"])
            noted = {"search": number}
            await wait_until_async(lambda noted=noted: keys.listed(DEFAULT_TENANT)[0].uses == noted, "it is noted")
    finally:
        loop.cancel()
        await asyncio.wait({loop})


async def test_while_the_store_is_away_a_key_of_the_environment_opens_and_a_stored_one_waits(
    services: Services, keys: StoredKeys, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, text = keys.create(DEFAULT_TENANT, "one", Role.READER)

    def away(self: StoredKeys, text: object) -> None:
        raise TryLater("objects_down", "The object store does not answer.", "Start it.")

    monkeypatch.setattr(StoredKeys, "find", away)
    authenticator = Authenticator(services.settings, keys)
    assert (await authenticator.authenticate(Credentials(api_key="alpha"))).role is Role.ADMIN
    with pytest.raises(TryLater):
        await authenticator.authenticate(Credentials(api_key=text))


async def test_an_open_server_holds_a_key_to_its_role(services: Services, keys: StoredKeys) -> None:
    made, text = keys.create(OTHER, "one", Role.READER)
    authenticator = Authenticator(Settings(), StoredKeys(services.objects))
    assert (await authenticator.authenticate(Credentials())).role is Role.ADMIN
    caller = await authenticator.authenticate(Credentials("Bearer " + text))
    assert (caller.tenant, caller.role, caller.key_id) == (OTHER, Role.READER, made.id)
    keys.revoke(OTHER, made.id)
    with pytest.raises(Refused, match="revoked"):
        await Authenticator(Settings(), keys).authenticate(Credentials("Bearer " + text))
    assert msgspec.json.encode(caller).find(text.encode()) == -1
