"""The link of a citation, opened as a browser does, without a key: its passage for a while, and nothing else."""

from __future__ import annotations

import html
import re
import time
from urllib.parse import parse_qsl, urlencode, urlsplit

import grpc
import httpx
import msgspec
import pytest

from trivium.access.stored_keys import StoredKeys
from trivium.config import Settings
from trivium.domain.access import Role
from trivium.domain.errors import Refused
from trivium.domain.scope import DEFAULT_TENANT
from trivium.v1 import query_pb2 as pb
from trivium.v1 import query_pb2_grpc
from trivium_query.http.app import create_app
from trivium_query.requests import Services

ALPHA = {"x-api-key": "alpha"}
ASKED = {"query": "Who designed the Analytical Engine?"}
SECRET = "0123456789abcdef" * 4


@pytest.fixture
def settings() -> Settings:
    return Settings(api_keys="default:alpha,other:beta", link_secret=SECRET)


@pytest.fixture
def keys(services: Services) -> StoredKeys:
    return StoredKeys(services.objects)


@pytest.fixture
async def link(client: httpx.AsyncClient) -> str:
    return await asked(client, "alpha")


async def asked(client: httpx.AsyncClient, key: str) -> str:
    answer = await client.post("/v1/queries", json=ASKED, headers={"x-api-key": key})
    (citation,) = answer.json()["citations"]
    return str(citation["link"])


def changed(link: str, **parameters: str) -> str:
    parts = urlsplit(link)
    return f"{parts.path}?{urlencode(dict(parse_qsl(parts.query)) | parameters)}"


async def refusal(client: httpx.AsyncClient, link: str) -> tuple[int, str, str]:
    answer = await client.get(link)
    told = answer.json()
    return answer.status_code, told["code"], told["action"]


def another(services: Services, **more: object) -> httpx.AsyncClient:
    """A query service beside the first, over the same stores."""
    services = msgspec.structs.replace(services, settings=msgspec.structs.replace(services.settings, **more))
    return httpx.AsyncClient(transport=httpx.ASGITransport(create_app(services)), base_url="http://localhost:8080")


async def trail(client: httpx.AsyncClient) -> list[tuple[str, str, list[str]]]:
    page = (await client.get("/v1/trail", headers=ALPHA)).json()
    return [(one["key_id"], one["action"], one["targets"]) for one in page["entries"]]


async def test_a_link_shows_its_passage_without_a_key_and_the_trail_says_whose_it_is(
    client: httpx.AsyncClient, keys: StoredKeys, engine: str
) -> None:
    made, text = keys.create(DEFAULT_TENANT, "mira", Role.READER)
    link = await asked(client, text)
    assert text.rpartition(".")[2] not in link
    shown = await client.get(link)
    assert shown.status_code == 200
    assert '<mark id="quote">Charles Babbage designed the Analytical Engine.</mark>' in shown.text
    assert (await client.get(link, headers=ALPHA)).status_code == 200, "a key opens it too"
    assert await trail(client) == [(made.id, "link.open", [engine])]
    [key] = (await client.get("/v1/keys", headers=ALPHA)).json()["keys"]
    assert (key["id"], key["uses"]) == (made.id, {"ask": 1, "link.open": 1})


async def test_however_the_address_is_written_it_is_the_same_link(client: httpx.AsyncClient, link: str) -> None:
    parts = urlsplit(link)
    turned = urlencode(list(reversed(parse_qsl(parts.query))))
    assert (await client.get(f"{parts.path}?{turned}")).status_code == 200


async def test_a_changed_link_is_refused_and_says_what_to_do(
    client: httpx.AsyncClient, services: Services, link: str, engine: str
) -> None:
    other = services.keywords.kept["other"][0].document_id
    later = str(int(time.time()) + 999_999)
    tampered = [changed(link, **{name: value}) for name, value in (
        ("unit", "2"),
        ("quote", "The engine was never finished."),
        ("tenant", "other"),
        ("tenant", "../x"),
        ("key", "environment-2"),
        ("passage", "0" * 32),
        ("expires", later),
        ("expires", "never"),
        ("signature", "0" * 64),
        ("signature", "é"),
        ("signature", ""),
        ("more", "1"),
    )]  # fmt: skip
    tampered += [link.replace(engine, other), link.replace("#quote", "&unit=2"), link.replace("/view", "/content")]
    for bad in tampered:
        assert await refusal(client, bad) == (403, "link_changed", "Ask again for a fresh link."), bad


async def test_another_tenants_document_is_not_reached_by_a_link_of_ones_own(
    client: httpx.AsyncClient, services: Services, link: str, engine: str
) -> None:
    theirs = services.keywords.kept["other"][0].document_id
    for bad in (link.replace(engine, theirs), changed(link.replace(engine, theirs), tenant="other")):
        assert (await client.get(bad)).status_code == 403


async def test_an_expired_link_is_refused_and_says_what_to_do(
    client: httpx.AsyncClient, link: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = time.time()
    ends = int(dict(parse_qsl(urlsplit(link).query))["expires"])
    assert ends == pytest.approx(now + 3600, abs=60)
    monkeypatch.setattr(time, "time", lambda: ends - 1)
    assert (await client.get(link)).status_code == 200
    monkeypatch.setattr(time, "time", lambda: ends)
    assert await refusal(client, link) == (403, "link_expired", "Ask again for a fresh link.")


async def test_the_signature_opens_no_other_route_and_without_it_a_key_is_needed(
    client: httpx.AsyncClient, link: str, engine: str
) -> None:
    query = urlsplit(link).query
    others = [f"/v1/sources/{engine}", f"/v1/sources/{engine}/chunks", "/v1/sources", "/v1/graph/entities", "/v1/trail"]
    for path in others:
        assert (await client.get(f"{path}?{query}")).status_code == 401, path
    for method in ("POST", "DELETE", "HEAD", "PUT"):
        assert (await client.request(method, link)).status_code == 401, method
    assert (await client.delete(f"/v1/sources/{engine}?{query}")).status_code == 401
    assert (await client.get(link.partition("&signature=")[0])).status_code == 401
    assert (await client.get(f"/v1/sources/{engine}/view?unit=1")).status_code == 401
    assert (await client.get(link, headers={"x-api-key": "wrong"})).status_code == 401


async def test_a_revoked_keys_links_stop_working(client: httpx.AsyncClient, keys: StoredKeys) -> None:
    made, text = keys.create(DEFAULT_TENANT, "mira", Role.READER)
    link = await asked(client, text)
    assert (await client.get(link)).status_code == 200
    keys.revoke(DEFAULT_TENANT, made.id)
    assert await refusal(client, link) == (403, "link_ended", "Ask again for a fresh link.")
    keys.forget(DEFAULT_TENANT, made.id)
    assert (await client.get(link)).status_code == 403


async def test_a_first_key_that_is_gone_or_another_opens_nothing_any_more(services: Services, link: str) -> None:
    async with another(services, api_keys="default:gamma,other:beta") as after:
        assert (await refusal(after, link))[:2] == (403, "link_changed")


async def test_an_erased_tenants_links_stop_working(
    client: httpx.AsyncClient, services: Services, keys: StoredKeys
) -> None:
    _, text = keys.create(DEFAULT_TENANT, "mira", Role.READER)
    link = await asked(client, text)
    services.objects.drop(DEFAULT_TENANT)
    assert await refusal(client, link) == (403, "link_ended", "Ask again for a fresh link.")


async def test_a_link_is_for_one_version_of_its_document(
    client: httpx.AsyncClient, services: Services, link: str, engine: str
) -> None:
    registry = services.registry.for_tenant(DEFAULT_TENANT)
    registry.save(msgspec.structs.replace(registry.get(engine), active_version="f" * 32))
    status, code, action = await refusal(client, link)
    assert (status, code, action) == (403, "link_ended", "Ask again for a fresh link.")


@pytest.fixture
async def picture(client: httpx.AsyncClient, services: Services, engine: str) -> str:
    """The address of the page's picture in what the link of a PDF shows."""
    registry = services.registry.for_tenant(DEFAULT_TENANT)
    registry.save(msgspec.structs.replace(registry.get(engine), media_type="application/pdf"))
    shown = (await client.get(await asked(client, "alpha"))).text
    (address,) = re.findall(r'src="([^"]*)"', shown)
    return f"/v1/sources/{engine}/{html.unescape(address)}"


async def test_the_page_leads_to_the_picture_of_its_place_and_nowhere_else(
    client: httpx.AsyncClient, picture: str, engine: str
) -> None:
    shown = (await client.get(await asked(client, "alpha"))).text
    assert "<a " not in shown
    assert (await client.get(picture)).json()["code"] == "page_not_drawn", "the bytes of this world's PDF are none"
    for bad in (changed(picture, page="3"), changed(picture, highlight="2"), picture.replace("page=1&", "")):
        assert (await refusal(client, bad))[:2] == (403, "link_changed"), bad
    assert (await client.get(f"/v1/sources/{engine}/content?page=1")).status_code == 401
    with_a_key = (await client.get(f"/v1/sources/{engine}/view?unit=1", headers=ALPHA)).text
    assert '<a href="content">' in with_a_key


async def test_query_services_of_one_secret_accept_each_others_links_and_no_others(
    services: Services, link: str
) -> None:
    async with another(services) as beside, another(services, link_secret=SECRET[::-1]) as foreign:
        assert (await beside.get(link)).status_code == 200
        assert (await refusal(foreign, link))[:2] == (403, "link_changed")


async def test_without_a_secret_and_without_keys_links_are_not_signed(services: Services, link: str) -> None:
    async with another(services, link_secret="") as without:
        plain = await asked(without, "alpha")
        assert "signature" not in plain
        assert (await without.get(plain)).status_code == 401
        assert (await without.get(link)).status_code == 401
        assert (await without.get(plain, headers=ALPHA)).status_code == 200
    async with another(services, api_keys="") as without_keys:
        plain = await asked(without_keys, "")
        assert "signature" not in plain
        assert (await without_keys.get(plain)).status_code == 200
        assert (await without_keys.get(link)).status_code == 200


async def test_every_door_tells_a_link_that_opens(
    client: httpx.AsyncClient, channel: grpc.aio.Channel, engine: str
) -> None:
    chat = {"model": "trivium", "messages": [{"role": "user", "content": ASKED["query"]}]}
    openai = (await client.post("/openai/v1/chat/completions", json=chat, headers=ALPHA)).json()
    links = [note["url_citation"]["url"] for note in openai["choices"][0]["message"]["annotations"]]
    streamed = await client.post("/v1/queries", json=ASKED | {"stream": True}, headers=ALPHA)
    events = [line.removeprefix("data: ") for line in streamed.text.splitlines() if line.startswith("data: ")]
    links += [told["link"] for event in events if "link" in (told := msgspec.json.decode(event))]
    stub = query_pb2_grpc.QueryServiceStub(channel)
    answer = await stub.Ask(pb.AskRequest(question=ASKED["query"]), metadata=(("x-api-key", "alpha"),))
    links += [citation.link for citation in answer.answer.citations]
    assert len(links) >= 3
    for each in links:
        assert (await client.get(each)).status_code == 200, each


def test_a_short_secret_is_refused() -> None:
    with pytest.raises(Refused, match="TRIVIUM_LINK_SECRET"):
        Settings(link_secret="short").check()
