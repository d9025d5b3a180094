"""The link of a citation, opened as a browser does, without a key: its passage for a while, and nothing else."""

from __future__ import annotations

import html
import re
import time
from urllib.parse import parse_qsl, urlencode, urlsplit

import grpc
import httpx2
import msgspec
import pytest

from trivium.access.stored_keys import StoredKeys
from trivium.config import Settings
from trivium.domain.access import Role
from trivium.domain.chunks import Span
from trivium.domain.documents import DocumentState
from trivium.domain.errors import Refused
from trivium.domain.ids import chunk_id
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
async def link(client: httpx2.AsyncClient) -> str:
    return await asked(client, "alpha")


async def asked(client: httpx2.AsyncClient, key: str) -> str:
    answer = await client.post("/v1/queries", json=ASKED, headers={"x-api-key": key})
    (citation,) = answer.json()["citations"]
    return str(citation["link"])


def changed(link: str, **parameters: str) -> str:
    parts = urlsplit(link)
    return f"{parts.path}?{urlencode(dict(parse_qsl(parts.query)) | parameters)}"


async def refusal(client: httpx2.AsyncClient, link: str) -> tuple[int, str, str]:
    answer = await client.get(link)
    told = answer.json()
    return answer.status_code, told["code"], told["action"]


def another(services: Services, **more: object) -> httpx2.AsyncClient:
    """A query service beside the first, over the same stores."""
    services = msgspec.structs.replace(services, settings=msgspec.structs.replace(services.settings, **more))
    return httpx2.AsyncClient(transport=httpx2.ASGITransport(create_app(services)), base_url="http://localhost:8080")


async def trail(client: httpx2.AsyncClient) -> list[tuple[str, str, list[str]]]:
    page = (await client.get("/v1/trail", headers=ALPHA)).json()
    return [(one["key_id"], one["action"], one["targets"]) for one in page["entries"]]


async def test_a_link_shows_its_passage_without_a_key_and_the_trail_says_whose_it_is(
    client: httpx2.AsyncClient, keys: StoredKeys, engine: str
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


async def test_however_the_address_is_written_it_is_the_same_link(client: httpx2.AsyncClient, link: str) -> None:
    parts = urlsplit(link)
    turned = urlencode(list(reversed(parse_qsl(parts.query))))
    assert (await client.get(f"{parts.path}?{turned}")).status_code == 200


async def test_a_changed_link_is_refused_and_says_what_to_do(
    client: httpx2.AsyncClient, services: Services, link: str, engine: str
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
    client: httpx2.AsyncClient, services: Services, link: str, engine: str
) -> None:
    theirs = services.keywords.kept["other"][0].document_id
    for bad in (link.replace(engine, theirs), changed(link.replace(engine, theirs), tenant="other")):
        assert (await client.get(bad)).status_code == 403


async def test_an_expired_link_is_refused_and_says_what_to_do(
    client: httpx2.AsyncClient, link: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = time.time()
    ends = int(dict(parse_qsl(urlsplit(link).query))["expires"])
    assert ends == pytest.approx(now + 3600, abs=60)
    monkeypatch.setattr(time, "time", lambda: ends - 1)
    assert (await client.get(link)).status_code == 200
    monkeypatch.setattr(time, "time", lambda: ends)
    assert await refusal(client, link) == (403, "link_expired", "Ask again for a fresh link.")


async def test_the_signature_opens_no_other_route_and_without_it_a_key_is_needed(
    client: httpx2.AsyncClient, link: str, engine: str
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


async def test_a_revoked_keys_links_stop_working(client: httpx2.AsyncClient, keys: StoredKeys) -> None:
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
    client: httpx2.AsyncClient, services: Services, keys: StoredKeys
) -> None:
    _, text = keys.create(DEFAULT_TENANT, "mira", Role.READER)
    link = await asked(client, text)
    services.objects.drop(DEFAULT_TENANT)
    assert await refusal(client, link) == (403, "link_ended", "Ask again for a fresh link.")


async def test_a_link_is_for_one_version_of_its_document(
    client: httpx2.AsyncClient, services: Services, link: str, engine: str
) -> None:
    registry = services.registry.for_tenant(DEFAULT_TENANT)
    registry.save(msgspec.structs.replace(registry.get(engine), active_version="f" * 32))
    status, code, action = await refusal(client, link)
    assert (status, code, action) == (403, "link_ended", "Ask again for a fresh link.")


@pytest.fixture
async def picture(client: httpx2.AsyncClient, services: Services, engine: str) -> str:
    """The address of the page's picture in what the link of a PDF shows."""
    registry = services.registry.for_tenant(DEFAULT_TENANT)
    registry.save(msgspec.structs.replace(registry.get(engine), media_type="application/pdf"))
    shown = (await client.get(await asked(client, "alpha"))).text
    (address,) = re.findall(r'src="([^"]*)"', shown)
    return f"/v1/sources/{engine}/{html.unescape(address)}"


async def test_the_page_leads_to_the_picture_of_its_place_and_nowhere_else(
    client: httpx2.AsyncClient, picture: str, engine: str
) -> None:
    shown = (await client.get(await asked(client, "alpha"))).text
    assert "<a " not in shown
    assert (await client.get(picture)).json()["code"] == "page_not_drawn", "the bytes of this world's PDF are none"
    for bad in (changed(picture, page="3"), changed(picture, highlight="2"), picture.replace("page=1&", "")):
        assert (await refusal(client, bad))[:2] == (403, "link_changed"), bad
    assert (await client.get(f"/v1/sources/{engine}/content?page=1")).status_code == 401
    with_a_key = (await client.get(f"/v1/sources/{engine}/view?unit=1", headers=ALPHA)).text
    assert '<a href="content">' in with_a_key


def ways(page: str, engine: str) -> dict[str, str]:
    """What the page links to, by the words of each link."""
    found = re.findall(r'<a href="([^"]*)">([^<]*)</a>', page)
    return {name: f"/v1/sources/{engine}/{html.unescape(address)}" for address, name in found}


async def test_where_links_open_documents_the_page_leads_to_the_original_and_all_of_it(
    services: Services, keys: StoredKeys, engine: str
) -> None:
    made, text = keys.create(DEFAULT_TENANT, "mira", Role.READER)
    kept = services.keywords.kept["default"]
    said = [f"Line {number} of a log." for number in range(20)]
    version = kept[0].version
    for number, one in enumerate(said, len(kept)):
        beside = {"text": one, "span": Span(100 * number, 100 * number + len(one)), "positions": ()}
        kept.append(msgspec.structs.replace(kept[0], id=chunk_id(engine, version, number), ordinal=number, **beside))
    async with another(services, link_opens="document") as client:
        link = await asked(client, text)
        page = await client.get(link)
        read, addresses = page.text, [ways(page.text, engine)]
        while "next" in addresses[-1] and len(addresses) < 20:
            page = await client.get(addresses[-1]["next"])
            assert page.status_code == 200
            read += page.text
            addresses.append(ways(page.text, engine))
        assert [one for one in said if one not in read] == []
        assert "previous" in addresses[-1]
        original = await client.get(addresses[0]["the original"])
        assert (original.status_code, original.content) == (200, services.intake.blobs[engine].content)
        assert "sandbox" in original.headers["content-security-policy"]
        ends = {dict(parse_qsl(urlsplit(each).query))["expires"] for way in addresses for each in way.values()}
        assert ends == {dict(parse_qsl(urlsplit(link).query))["expires"]}, "nothing outlives the link that was told"
        assert {(who, what, *ids) for who, what, ids in await trail(client)} == {(made.id, "link.open", engine)}
        other = services.keywords.kept["other"][0].document_id
        address = addresses[0]["the original"]
        for bad in (address.replace(engine, other), changed(address, page="1"), changed(address, chunk="1")):
            assert (await refusal(client, bad))[:2] == (403, "link_changed"), bad
        for path in ("", "/chunks", "/assets/figure.png"):
            assert (await client.get(f"/v1/sources/{engine}{path}?{urlsplit(address).query}")).status_code == 401
        registry = services.registry.for_tenant(DEFAULT_TENANT)
        registry.save(msgspec.structs.replace(registry.get(engine), state=DocumentState.READY))
        newer = msgspec.structs.replace(registry.get(engine), version="e" * 32)
        registry.accept(newer)
        assert (await refusal(client, address))[:2] == (403, "link_ended"), "its original is another one by now"
        assert (await client.get(link)).status_code == 200
        async with another(services) as passages_alone:
            assert (await refusal(passages_alone, address))[:2] == (403, "link_ended")
            assert ways((await passages_alone.get(link)).text, engine) == {}
        keys.revoke(DEFAULT_TENANT, made.id)
        assert {(await client.get(each)).status_code for each in (link, *addresses[0].values())} == {403}


BROWSER = {"accept": "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"}


async def test_a_browser_is_told_in_a_page_what_to_do_where_a_link_does_not_open(
    client: httpx2.AsyncClient, services: Services, link: str, engine: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def shown(address: str, status: int, *words: str) -> None:
        page = await client.get(address, headers=BROWSER)
        assert (page.status_code, page.headers["content-type"]) == (status, "text/html; charset=utf-8")
        assert "default-src 'none'; style-src 'unsafe-inline'" in page.headers["content-security-policy"]
        assert page.headers["cache-control"] == "no-store"
        assert int(page.headers["content-length"]) == len(page.content)
        assert [word for word in ("<h1>This link does not open</h1>", *words) if word not in page.text] == []
        assert page.headers["x-request-id"] in page.text

    fresh = "Ask the question again, or whoever sent you this link, for a fresh one."
    await shown(changed(link, unit="2"), 403, "This link is not as it was made.", fresh)
    await shown(f"/v1/sources/{engine}/view?unit=1", 401, "This page needs a key, which a browser does not send.")
    await shown(f"/v1/sources/{engine}/content", 401, "follow the link in the answer")
    assert (await client.get(changed(link, unit="2"), headers={"accept": "*/*"})).json()["code"] == "link_changed"
    assert (await client.get("/v1/sources", headers=BROWSER)).json()["code"] == "unauthenticated"
    assert "<mark" in (await client.get(link, headers=BROWSER)).text
    registry = services.registry.for_tenant(DEFAULT_TENANT)
    registry.save(msgspec.structs.replace(registry.get(engine), active_version="f" * 32))
    await shown(link, 403, "The document has changed since this link was made.", fresh)
    ends = int(dict(parse_qsl(urlsplit(link).query))["expires"])
    monkeypatch.setattr(time, "time", lambda: ends)
    await shown(link, 403, "This link has expired.", fresh)


async def test_no_character_of_a_refusal_is_markup_in_its_page(client: httpx2.AsyncClient, engine: str) -> None:
    bad = f"/v1/sources/{engine}/view?unit=1&<script>=1"
    page = await client.get(bad, headers=BROWSER | ALPHA)
    assert (page.status_code, "<script>" in page.text) == (422, False)


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
    client: httpx2.AsyncClient, channel: grpc.aio.Channel, engine: str
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
