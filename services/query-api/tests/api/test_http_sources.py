"""Sources over HTTP."""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import AsyncIterator

import httpx2
import msgspec
import pytest

from trivium.domain.chunks import Span
from trivium.domain.documents import Document, Failure
from trivium.domain.ids import child_id
from trivium.domain.scope import DEFAULT_TENANT
from trivium_query.requests import Services

ODD_FORM = "multipart/form-data; boundary=b; charset=unicode_escape"
CLOCK = r"\d\d:\d\d:\d\d UTC"


async def test_an_upload_answers_202_with_its_id_and_where_to_follow_it(client: httpx2.AsyncClient) -> None:
    answer = await client.post("/v1/sources", files={"file": ("a.txt", b"hello")}, data={"title": "A", "dataset": "d"})
    assert answer.status_code == 202
    taken = answer.json()
    assert answer.headers["location"] == f"/v1/sources/{taken['id']}"
    shown = (await client.get(answer.headers["location"])).json()
    assert (shown["name"], shown["title"], shown["dataset"], shown["state"]) == ("a.txt", "A", "d", "pending")
    assert shown["progress"] == 0


async def test_what_is_inside_a_source_is_listed_page_by_page(client: httpx2.AsyncClient, services: Services) -> None:
    parent = (await client.post("/v1/sources", files={"file": ("mail.eml", b"mail")})).json()["sources"][0]
    assert (parent["parent"], parent["children"]) == ("", 0)
    registry = services.registry.for_tenant(DEFAULT_TENANT)
    for name in "ab":
        inside = Document(child_id(parent["id"], name), "default", f"mail.eml > {name}.txt", "1", parent=parent["id"])
        registry.accept(inside)
    found, cursor = [], ""
    for _ in range(2):
        page = (await client.get("/v1/sources", params={"parent": parent["id"], "limit": 1, "cursor": cursor})).json()
        found += page["sources"]
        cursor = page["cursor"]
    assert (sorted(source["name"] for source in found), cursor) == (["mail.eml > a.txt", "mail.eml > b.txt"], "")
    assert {source["parent"] for source in found} == {parent["id"]}
    assert (await client.get("/v1/sources", params={"parent": "0" * 32})).status_code == 404
    bad = await client.get("/v1/sources", params={"parent": parent["id"], "cursor": "../x"})
    assert bad.json()["code"] == "bad_cursor"


def long_document(services: Services, engine: str, texts: list[str]) -> None:
    """The engine's document made of these passages, one behind the other."""
    (first, *_) = services.keywords.kept["default"]
    services.keywords.kept["default"] = [
        msgspec.structs.replace(first, id=f"{n}", ordinal=n, text=text, span=Span(n * 1000, n * 1000 + len(text)))
        for n, text in enumerate(texts)
    ]


async def view(client: httpx2.AsyncClient, source: str, **parameters: object) -> str:
    shown = await client.get(f"/v1/sources/{source}/view", params=parameters)
    assert (shown.status_code, shown.headers["content-type"]) == (200, "text/html; charset=utf-8")
    assert "default-src 'none'" in shown.headers["content-security-policy"]
    return shown.text


async def test_a_citation_s_link_shows_the_passage_with_the_quote_marked(client: httpx2.AsyncClient) -> None:
    answer = (await client.post("/v1/queries", json={"question": "Who wrote notes?"})).json()
    (citation, *_) = answer["citations"]
    shown = await client.get(citation["link"])
    assert shown.status_code == 200
    assert f'<mark id="quote">{citation["quote"]}</mark>' in shown.text


async def test_a_quote_is_marked_however_its_white_space_is_written(
    client: httpx2.AsyncClient, services: Services, engine: str
) -> None:
    long_document(services, engine, ["It was\n\nnever finished. So it is."])
    assert '<mark id="quote">never finished.</mark>' in await view(client, engine, unit=1, quote="never   finished.")


@pytest.mark.parametrize(("kind", "drawn"), [("image/png", 1), ("image/heic", 1), ("image/svg+xml", 0)])
async def test_an_image_is_shown_as_it_looks_where_it_can_be_drawn(
    client: httpx2.AsyncClient, services: Services, engine: str, kind: str, drawn: int
) -> None:
    registry = services.registry.for_tenant(DEFAULT_TENANT)
    registry.save(msgspec.structs.replace(registry.get(engine), media_type=kind))
    assert (await view(client, engine)).count("<img ") == drawn


async def test_no_character_of_a_document_is_markup_in_its_view(
    client: httpx2.AsyncClient, services: Services, engine: str
) -> None:
    hostile = "<script>alert(1)</script><img src=x onerror='alert(1)'> & \"quoted\"\x00\u202e"
    long_document(services, engine, [hostile])
    for quote in ("", hostile[:25], "</mark><script>", "nowhere"):
        shown = await view(client, engine, quote=quote)
        assert "<script" not in shown
        assert "<img" not in shown
        assert not {"\x00", "\u202e"} & set(shown)
        assert "&amp;" in shown


async def test_a_view_says_when_the_quote_does_not_stand_in_it(client: httpx2.AsyncClient, engine: str) -> None:
    shown = await view(client, engine, unit=1, quote="of something else")
    assert "<mark" not in shown
    assert "does not stand in this passage" in shown


async def test_a_huge_document_is_shown_in_windows_that_lead_to_each_other_and_miss_nothing(
    client: httpx2.AsyncClient, services: Services, engine: str
) -> None:
    long_document(services, engine, [f"Passage number {n}." for n in range(100)])
    seen: list[str] = []
    where = f"/v1/sources/{engine}/view"
    while where:
        page = (await client.get(where)).text
        found = re.findall(r"Passage number \d+\.", page)
        assert len(found) <= 7
        seen += found
        following = re.search(r'href="(view[^"]*)">next', page)
        where = f"/v1/sources/{engine}/{following[1]}" if following else ""
    assert list(dict.fromkeys(seen)) == [f"Passage number {n}." for n in range(100)]
    assert 'href="view?unit=' in await view(client, engine, unit=50)


async def test_passages_that_repeat_each_other_are_shown_once(
    client: httpx2.AsyncClient, services: Services, engine: str
) -> None:
    (first, *_) = services.keywords.kept["default"]
    text = "One two three four five."
    spans = (Span(0, 13), Span(8, 18), Span(14, 24))
    services.keywords.kept["default"] = [
        msgspec.structs.replace(first, id=f"{n}", ordinal=n, text=span.of(text), span=span)
        for n, span in enumerate(spans)
    ]
    shown = await view(client, engine, unit=2, quote="three four")
    assert "".join(re.findall(r'<p dir="auto">(.*?)</p>', shown)) == text.replace(
        "three four", '<mark id="quote">three four</mark>'
    )


@pytest.mark.parametrize(("unit", "status"), [(4, 404), (2**31 - 9, 404), (0, 422), (2**31, 422)])
async def test_a_view_of_a_passage_that_is_not_there_is_refused(
    client: httpx2.AsyncClient, engine: str, unit: int, status: int
) -> None:
    assert (await client.get(f"/v1/sources/{engine}/view", params={"unit": unit})).status_code == status


async def test_datasets_are_listed_by_name_page_by_page(client: httpx2.AsyncClient, engine: str) -> None:
    for name, dataset in (("a.txt", "reports"), ("b.txt", "reports"), ("c.txt", "Minutes"), ("gone.txt", "gone")):
        files = {"file": (name, name.encode())}
        taken = await client.post("/v1/sources", files=files, data={"dataset": dataset})
        assert taken.status_code == 202
    await client.delete(f"/v1/sources/{taken.json()['id']}")
    first = (await client.get("/v1/datasets", params={"limit": 2})).json()
    assert first["datasets"] == [
        {"name": "Minutes", "documents": 1, "chunks": 0},
        {"name": "default", "documents": 1, "chunks": 3},
    ]
    rest = (await client.get("/v1/datasets", params={"limit": 2, "cursor": first["cursor"]})).json()
    assert rest == {"datasets": [{"name": "reports", "documents": 2, "chunks": 0}], "cursor": ""}
    for cursor in ("../x", "x" * 101):
        refused = await client.get("/v1/datasets", params={"cursor": cursor})
        assert (refused.status_code, refused.json()["code"]) == (400, "bad_cursor")


async def test_the_sources_of_one_dataset_are_listed(client: httpx2.AsyncClient) -> None:
    for number in range(6):
        files, said = {"file": (f"{number}.txt", b"hello")}, {"dataset": "odd" if number % 2 else "even"}
        await client.post("/v1/sources", files=files, data=said)
    names, cursor = [], ""
    while True:
        wanted = {"dataset": "odd", "limit": 2, "cursor": cursor}
        page = (await client.get("/v1/sources", params=wanted)).json()
        names += [source["name"] for source in page["sources"]]
        cursor = page["cursor"]
        if not cursor:
            break
    assert sorted(names) == ["1.txt", "3.txt", "5.txt"]
    assert (await client.get("/v1/sources", params={"dataset": "none"})).json()["sources"] == []
    assert (await client.get("/v1/sources", params={"dataset": "../x"})).status_code == 422


@pytest.mark.parametrize(
    ("silent_s", "told"),
    [
        (15, ""),
        (30, r"a worker: the one that had it \(box-7\) stopped answering after CLOCK; it is taken up from CLOCK on"),
        (90, r"a worker: the one that had it \(box-7\) stopped answering after CLOCK; nobody has taken it up yet: .+"),
    ],
)
async def test_a_source_whose_worker_died_says_since_when_and_what_comes_next(
    client: httpx2.AsyncClient, services: Services, silent_s: float, told: str
) -> None:
    taken = (await client.post("/v1/sources", files={"file": ("a.txt", b"hello")})).json()
    assert taken["sources"][0]["waits_for"] == "its turn"
    mine = services.registry.for_tenant(DEFAULT_TENANT)
    claimed = mine.claim(taken["id"], mine.get(taken["id"]).version, 45, time.time() - silent_s)
    assert re.fullmatch(f"a worker, since {CLOCK}", await waits_for(client, taken["id"]))
    mine.save(msgspec.structs.replace(claimed, holder="box-7"))
    assert re.fullmatch(told.replace("CLOCK", CLOCK), await waits_for(client, taken["id"]))


async def test_a_source_whose_stage_cannot_go_on_says_why(client: httpx2.AsyncClient, services: Services) -> None:
    taken = (await client.post("/v1/sources", files={"file": ("a.txt", b"hello")})).json()
    mine = services.registry.for_tenant(DEFAULT_TENANT)
    claimed = mine.claim(taken["id"], mine.get(taken["id"]).version, 45, time.time())
    away = Failure("milvus_away", "Milvus does not answer.", "Start it.", "index")
    mine.save(msgspec.structs.replace(claimed, stage="index", hindrance=away))
    assert await waits_for(client, taken["id"]) == "index, tried again by itself: Milvus does not answer."


async def waits_for(client: httpx2.AsyncClient, source: str) -> str:
    return str((await client.get(f"/v1/sources/{source}")).json()["waits_for"])


async def test_one_upload_takes_several_files_and_one_bad_file_keeps_none_out(client: httpx2.AsyncClient) -> None:
    files = [("file", ("a.txt", b"a")), ("file", ("b.txt", b"REFUSE")), ("file", ("c.txt", b"c"))]
    taken = (await client.post("/v1/sources", files=files)).json()
    assert [s["name"] for s in taken["sources"]] == ["a.txt", "c.txt"]
    assert [(r["name"], r["code"]) for r in taken["refused"]] == [("b.txt", "forbidden_content")]


async def test_an_address_is_taken_and_a_private_one_refused(client: httpx2.AsyncClient) -> None:
    taken = await client.post("/v1/sources", json={"url": "https://example.org/a.html", "dataset": "web"})
    assert taken.status_code == 202
    assert taken.json()["sources"][0]["dataset"] == "web"
    refused = await client.post("/v1/sources", json={"url": "http://127.0.0.1/"})
    assert (refused.status_code, refused.json()["code"]) == (400, "forbidden_address")
    gone = await client.post("/v1/sources", json={"url": "https://broken.example/"})
    assert (gone.status_code, gone.json()["code"]) == (422, "fetch_failed")
    assert (await client.post("/v1/sources", json={"url": "file:///etc/passwd"})).status_code == 422


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("../../etc/passwd", "etc/passwd"),
        ("/abs/a.txt", "abs/a.txt"),
        ("..\\..\\b.txt", "b.txt"),
        ("docs/./a.txt", "docs/a.txt"),
        ("a/b/../c.txt", "a/c.txt"),
        ("C:\\x.txt", "C:/x.txt"),
        ("D:\\docs\\x.txt", "D:/docs/x.txt"),
        ("\\\\server\\share\\x.txt", "server/share/x.txt"),
        ('the "old" quay.txt', 'the "old" quay.txt'),
        ("100%.txt", "100%.txt"),
        ("=?utf-8?B?w6Q?=.txt", "=?utf-8?B?w6Q?=.txt"),
        ("=?utf-8?B?w?=", "=?utf-8?B?w?="),
        ("a; filename*=utf-8''b.txt", "a; filename*=utf-8''b.txt"),
    ],
)
async def test_a_file_is_called_by_its_path_and_cannot_climb(client: httpx2.AsyncClient, given: str, kept: str) -> None:
    answer = await client.post("/v1/sources", files={"file": (given, b"x")})
    assert answer.json()["sources"][0]["name"] == kept


@pytest.mark.parametrize(
    "header",
    [
        """filename="=?utf-8?B?w6QgYi50eHQ=?="; filename*=utf-8''%C3%A4%20b.txt""",
        """filename*=UTF-8'de'%C3%A4%20b.txt; filename=x.txt""",
        'filename="=?utf-8?B?w6QgYi50eHQ=?="',
    ],
)
async def test_a_name_as_dot_net_writes_it_is_read(client: httpx2.AsyncClient, header: str) -> None:
    form = f'--b\r\nContent-Disposition: form-data; name="file"; {header}\r\n\r\nx\r\n--b--\r\n'
    answer = await client.post(
        "/v1/sources", content=form.encode(), headers={"content-type": "multipart/form-data; boundary=b"}
    )
    assert answer.json()["sources"][0]["name"] == "\u00e4 b.txt"


async def test_a_name_that_forms_may_not_write_is_told(client: httpx2.AsyncClient) -> None:
    form = """--b\r\nContent-Disposition: form-data; name="file"; filename*=utf-8''a.txt\r\n\r\nx\r\n--b--\r\n"""
    answer = await client.post(
        "/v1/sources", content=form.encode(), headers={"content-type": "multipart/form-data; boundary=b"}
    )
    assert (answer.status_code, "filename=" in answer.text) == (422, True)


async def test_a_file_that_is_sent_as_text_is_told_how_to_be_sent(client: httpx2.AsyncClient) -> None:
    answer = await client.post("/v1/sources", files={"file": (None, "a.txt")})
    assert (answer.status_code, "file=@" in answer.text) == (422, True)


async def test_a_windows_path_is_kept_however_its_form_was_written(client: httpx2.AsyncClient) -> None:
    for header in (rb'filename="C:\a\x.txt"', rb'filename="C:\\a\\x.txt"', rb"filename=C:\a\x.txt"):
        form = b'--b\r\nContent-Disposition: form-data; name="file"; ' + header + b"\r\n\r\nx\r\n--b--\r\n"
        answer = await client.post(
            "/v1/sources", content=form, headers={"content-type": "multipart/form-data; boundary=b"}
        )
        assert answer.json()["sources"][0]["name"] == "C:/a/x.txt"


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("..", "name_needed"),
        ("/", "name_needed"),
        (" ", "name_needed"),
        ("a\u0085b.txt", "bad_name"),
        ("x" * 1025, "name_too_long"),
        ("x" * 5000, "name_too_long"),
    ],
)
async def test_a_name_that_is_none_is_refused(client: httpx2.AsyncClient, name: str, code: str) -> None:
    answer = await client.post("/v1/sources", files={"file": (name, b"x")})
    assert (answer.status_code, answer.json()["code"]) == (400, code)


async def test_the_bound_on_names_is_told_in_the_same_words_for_paths_and_addresses(client: httpx2.AsyncClient) -> None:
    told = [
        await client.post("/v1/sources", files={"file": ("x" * 1025, b"x")}),
        await client.post("/v1/sources", files={"file": ("x" * 5000, b"x")}),
        await client.post("/v1/sources", json={"url": "https://a.org/" + "x" * 1024}),
        await client.post("/v1/crawls", json={"url": "https://a.org/" + "x" * 1024}),
    ]
    assert len({answer.json()["detail"] for answer in told}) == 1
    assert "1,024 characters" in told[0].json()["detail"]
    taken = await client.post("/v1/sources", files={"file": ("é" * 1024, b"x")})
    assert taken.status_code == 202


async def test_a_file_over_the_bound_is_told_413_before_it_is_read_whole(client: httpx2.AsyncClient) -> None:
    sent = 0

    async def endless():
        nonlocal sent
        yield b'--b\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\n'
        for _ in range(10_000):
            sent += 64_000
            yield b"x" * 64_000

    headers = {"content-type": "multipart/form-data; boundary=b"}
    answer = await client.post("/v1/sources", content=endless(), headers=headers)
    assert (answer.status_code, answer.json()["code"]) == (413, "too_large")
    assert sent < 10_000_000
    declared = await client.post("/v1/sources", content=b"", headers={**headers, "content-length": "99999999999"})
    assert declared.status_code == 413


@pytest.mark.parametrize("whole", [True, False])
async def test_an_address_has_the_bound_of_json_and_not_that_of_files(client: httpx2.AsyncClient, whole: bool) -> None:
    body = b'{"url": "https://example.org/' + b"x" * 1_100_000 + b'"}'
    headers = {"content-type": "application/json"}
    answer = await client.post("/v1/sources", content=body if whole else pieces(body), headers=headers)
    assert (answer.status_code, answer.json()["code"]) == (413, "too_large")
    assert "1048576 bytes" in answer.json()["detail"]
    assert "multipart/form-data" in answer.json()["action"]
    form = await client.post("/v1/sources", files={"file": ("a.txt", b"x" * 1_100_000)})
    assert "200000 bytes" in form.json()["detail"]


async def pieces(body: bytes) -> AsyncIterator[bytes]:
    """Without a declared length."""
    for start in range(0, len(body), 64_000):
        yield body[start : start + 64_000]


@pytest.mark.parametrize(
    ("headers", "body", "status"),
    [
        ({"content-type": "text/plain"}, b"hello", 415),
        ({}, b"hello", 415),
        ({"content-type": "application/json"}, b"{", 422),
        ({"content-type": "application/json"}, b'{"url": "https://e.org/\\ud800"}', 422),
        ({"content-type": "application/json"}, b"\xff\xfe", 422),
        ({"content-type": "multipart/form-data"}, b"x", 400),
        ({"content-type": "multipart/form-data; boundary=b"}, b"", 422),
        ({"content-type": "multipart/form-data; boundary=b"}, b"--b\r\nnonsense", 422),
        (
            {"content-type": ODD_FORM},
            b'--b\r\ncontent-disposition: form-data; name="title"\r\n\r\n\\ud800\r\n--b--',
            422,
        ),
        ({"content-type": ODD_FORM}, b'--b\r\ncontent-disposition: form-data; name="\\ud800"\r\n\r\nx\r\n--b--', 422),
    ],
)
async def test_a_body_that_is_no_source_is_a_problem(
    client: httpx2.AsyncClient, headers: dict[str, str], body: bytes, status: int
) -> None:
    answer = await client.post("/v1/sources", content=body, headers=headers)
    assert answer.status_code == status
    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.json()["action"]


async def test_listing_pages_through_every_source_once_newest_first(client: httpx2.AsyncClient) -> None:
    for n in range(7):
        await client.post("/v1/sources", files={"file": (f"{n}.txt", b"x")})
    names, cursor = [], ""
    while True:
        page = (await client.get("/v1/sources", params={"limit": 3, "cursor": cursor})).json()
        names += [s["name"] for s in page["sources"]]
        cursor = page["cursor"]
        if not cursor:
            break
    assert names == [*(f"{n}.txt" for n in reversed(range(7))), "engine.html"]
    ready = (await client.get("/v1/sources", params={"state": "ready"})).json()
    assert [s["name"] for s in ready["sources"]] == ["engine.html"]


@pytest.mark.parametrize("path", ["/v1/sources", "/v1/conversations", "/v1/graph/entities"])
async def test_a_cursor_that_is_none_is_a_problem(client: httpx2.AsyncClient, path: str) -> None:
    for cursor in ("nonsense", "%00", "-1", "9" * 900, "é"):
        answer = await client.get(f"{path}?cursor={cursor}")
        assert answer.status_code in (400, 422), (cursor, answer.text)
        assert answer.json()["code"] in ("bad_cursor", "invalid_request")


async def test_chunks_come_in_order_page_by_page(client: httpx2.AsyncClient, engine: str) -> None:
    first = (await client.get(f"/v1/sources/{engine}/chunks", params={"limit": 2})).json()
    rest = (await client.get(f"/v1/sources/{engine}/chunks", params={"limit": 2, "cursor": first["cursor"]})).json()
    assert [c["number"] for c in first["chunks"] + rest["chunks"]] == [1, 2, 3]
    assert rest["cursor"] == ""
    assert first["chunks"][0]["positions"] == [{"page": 1, "box": {"left": 0, "top": 0, "right": 10, "bottom": 10}}]
    assert (await client.get(f"/v1/sources/{engine}/chunks", params={"cursor": "x"})).status_code == 400


async def test_an_original_comes_back_byte_for_byte_and_harmless(client: httpx2.AsyncClient, engine: str) -> None:
    answer = await client.get(f"/v1/sources/{engine}/content")
    assert answer.content == b"<script>alert(1)</script>"
    assert answer.headers["content-type"] == "application/octet-stream"
    assert answer.headers["content-disposition"] == "attachment; filename*=UTF-8''engine.html"
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert "sandbox" in answer.headers["content-security-policy"]


async def test_a_citation_leads_to_its_passage_and_position(client: httpx2.AsyncClient, engine: str) -> None:
    answer = (await client.get(f"/v1/sources/{engine}/content", params={"chunk": 2})).json()
    assert answer["text"] == "Ada Lovelace wrote notes on the Analytical Engine."
    assert answer["positions"][0]["page"] == 2
    missing = await client.get(f"/v1/sources/{engine}/content", params={"chunk": 99})
    assert (missing.status_code, missing.json()["code"]) == (404, "no_such_chunk")


async def test_a_deleted_source_is_gone_and_listed_only_as_deleted(client: httpx2.AsyncClient, engine: str) -> None:
    for n in range(5):
        await client.post("/v1/sources", files={"file": (f"{n}.txt", b"x")})
    answer = await client.delete(f"/v1/sources/{engine}")
    assert (answer.status_code, answer.json()["state"]) == (200, "deleted")
    for path in ("", "/content", "/chunks"):
        assert (await client.get(f"/v1/sources/{engine}{path}")).status_code == 404
    listed = (await client.get("/v1/sources", params={"limit": 6})).json()
    assert len(listed["sources"]) == 5
    deleted = (await client.get("/v1/sources", params={"state": "deleted"})).json()
    assert [s["id"] for s in deleted["sources"]] == [engine]


async def test_a_dataset_is_deleted_in_as_many_calls_as_it_takes(
    client: httpx2.AsyncClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("trivium_query.handlers.deletions.DELETES_S", -1.0)
    for number in range(5):
        files, said = {"file": (f"{number}.txt", b"hello")}, {"dataset": "odd" if number % 2 else "even", "run": "r"}
        await client.post("/v1/sources", files=files, data=said)
    deleted, cursor, done = [], "", False
    while not done:
        wanted = {"dataset": "even", "run": "r", "cursor": cursor}
        told = (await client.delete("/v1/sources", params={k: v for k, v in wanted.items() if v})).json()
        deleted.append(told["deleted"])
        cursor, done = told["cursor"], told["done"]
    assert sum(deleted) == 3
    assert max(deleted) == 1
    left = (await client.get("/v1/sources", params={"run": "r"})).json()["sources"]
    assert sorted(source["name"] for source in left) == ["1.txt", "3.txt"]


async def test_a_page_thinned_out_by_deletions_is_filled_from_the_next(client: httpx2.AsyncClient) -> None:
    for n in range(6):
        taken = (await client.post("/v1/sources", files={"file": (f"{n}.txt", b"x")})).json()
        if n in (3, 4):
            await client.delete(f"/v1/sources/{taken['id']}")
    first = (await client.get("/v1/sources", params={"limit": 3})).json()
    assert [s["name"] for s in first["sources"]] == ["5.txt", "2.txt", "1.txt"]
    rest = (await client.get("/v1/sources", params={"limit": 3, "cursor": first["cursor"]})).json()
    assert [s["name"] for s in rest["sources"]] == ["0.txt", "engine.html"]


@pytest.mark.parametrize(
    "wanted", ["0" * 32, "x", "..", "%2e%2e%2fetc%2fpasswd", "%00", "A" * 32, "0" * 32 + "%0a", "🙂"]
)
async def test_an_unknown_id_is_404_on_every_path(client: httpx2.AsyncClient, wanted: str) -> None:
    for method, path in (
        ("GET", f"/v1/sources/{wanted}"),
        ("DELETE", f"/v1/sources/{wanted}"),
        ("GET", f"/v1/sources/{wanted}/content"),
        ("GET", f"/v1/sources/{wanted}/chunks"),
        ("GET", f"/v1/graph/entities/{wanted}"),
        ("GET", f"/v1/conversations/{wanted}"),
    ):
        answer = await client.request(method, path)
        assert answer.status_code in (404, 405), (method, path)
        assert answer.headers["content-type"] == "application/problem+json"


async def test_sixteen_uploads_at_once_are_all_taken(client: httpx2.AsyncClient, services: Services) -> None:
    answers = await asyncio.gather(*(client.post("/v1/sources", files={"file": (f"{n}.txt", b"x")}) for n in range(16)))
    assert {a.status_code for a in answers} == {202}
    assert (await client.get("/v1/status")).json()["by_state"] == {"pending": 16, "ready": 1}


async def test_a_picture_is_shown_and_nothing_of_it_runs(client: httpx2.AsyncClient, engine: str) -> None:
    answer = await client.get(f"/v1/sources/{engine}/assets/figure.png")
    assert (answer.status_code, answer.content, answer.headers["content-type"]) == (200, b"pixels", "image/png")
    assert "sandbox" in answer.headers["content-security-policy"]
    for name in ("other.png", "..%2Fsecret"):
        assert (await client.get(f"/v1/sources/{engine}/assets/{name}")).status_code == 404
