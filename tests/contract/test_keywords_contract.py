"""What every keyword store promises; see `trivium.ports.keywords`."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable, Iterator

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from read_back import is_embedded, read_back

from trivium.config import load_settings
from trivium.domain.chunks import Chunk, Span
from trivium.domain.errors import Refused
from trivium.domain.retrieval import RowFilter, Scored
from trivium.domain.scope import Scope, Tenant
from trivium.ports.keywords import Keywords, keyword_rows

EXAMPLES = 15 if load_settings().backend == "distributed" else 50


def chunk(name: str, text: str, document: str = "d", version: str = "v1", ordinal: int = 0, **fields: object) -> Chunk:
    return Chunk(name, document, version, ordinal, text, Span(0, len(text)), f"{document}.txt", **fields)


@pytest.fixture
def keywords(stores, tenants: list[Tenant]) -> Iterator[Keywords]:
    yield read_back(stores.keywords)
    for tenant in tenants:
        stores.keywords.drop(tenant)


def store(keywords: Keywords, tenant: Tenant, *chunks: Chunk) -> None:
    keywords.writer(tenant).upsert(keyword_rows(chunks, Scope(tenant)))


async def hits(keywords: Keywords, tenant: Tenant, text: str, limit: int = 100, documents=None) -> list[Scored]:
    return await keywords.reader(tenant).search(text, limit, RowFilter(documents))


async def found(keywords: Keywords, tenant: Tenant, text: str, limit: int = 100, documents=None) -> list[str]:
    return [hit.chunk_id for hit in await hits(keywords, tenant, text, limit, documents)]


async def test_duplicate_chunk_replaces_the_old_one(keywords: Keywords, tenant: Tenant) -> None:
    store(keywords, tenant, chunk("a", "apple"), chunk("b", "berry"))
    assert await found(keywords, tenant, "apple") == ["a"]
    store(keywords, tenant, chunk("a", "cherry"), chunk("a", "damson"))
    assert await found(keywords, tenant, "apple cherry") == []
    assert await found(keywords, tenant, "damson") == ["a"]
    assert (await keywords.reader(tenant).chunks(["a"]))["a"].text == "damson"
    assert len(await keywords.reader(tenant).document_chunks("d", "v1")) == 2


async def test_empty_query_batch_and_tenant_answer_nothing(keywords: Keywords, tenant: Tenant) -> None:
    store(keywords, tenant)
    assert await found(keywords, tenant, "apple") == []
    assert await keywords.reader(tenant).chunks(["a"]) == {}
    store(keywords, tenant, chunk("a", "apple"), chunk("blank", ""), chunk("signs", "!!! ---"))
    for text in ("", "   ", "?!*", "\0", "absent"):
        assert await found(keywords, tenant, text) == []
    assert await found(keywords, tenant, "apple", limit=0) == []
    assert await keywords.reader(tenant).chunks([]) == {}
    assert set(await keywords.reader(tenant).chunks(["blank", "signs"])) == {"blank", "signs"}


async def test_order_best_first_ties_by_chunk_id_and_document_chunks_by_ordinal(
    keywords: Keywords, tenant: Tenant
) -> None:
    store(
        keywords,
        tenant,
        *(chunk(name, "apple pie") for name in "zma"),
        chunk("b", "apple apple"),
        chunk("x", "pear pie"),
    )
    assert await found(keywords, tenant, "apple") == ["b", "a", "m", "z"]
    for limit in range(1, 4):
        assert await found(keywords, tenant, "apple", limit=limit) == ["b", "a", "m", "z"][:limit]
    scores = [hit.score for hit in await hits(keywords, tenant, "apple pie")]
    assert scores == sorted(scores, reverse=True)
    assert min(scores) > 0
    store(keywords, tenant, *(chunk(f"n{n}", "text", "long", ordinal=n) for n in (3, 1, 4, 0, 2)))
    reader = keywords.reader(tenant)
    assert [c.ordinal for c in await reader.document_chunks("long", "v1")] == [0, 1, 2, 3, 4]
    assert [c.ordinal for c in await reader.document_chunks("long", "v1", start=2, limit=2)] == [2, 3]
    assert await reader.document_chunks("long", "v2") == []


async def test_half_done_a_batch_that_fails_leaves_nothing(keywords: Keywords, tenant: Tenant) -> None:
    store(keywords, tenant, chunk("a", "apple"))
    broken = [chunk("b", "berry"), chunk("c", "cherry", document="half\ud800pair")]
    with pytest.raises(Refused):
        store(keywords, tenant, *broken)
    assert await found(keywords, tenant, "apple berry") == ["a"]
    assert keywords.writer(tenant).ids({"d": "v1"}) == {"d": {"a"}}


async def test_rarities_are_what_a_search_weighs_words_by(keywords: Keywords, tenant: Tenant, other: Tenant) -> None:
    texts = ("apple tree", "apples and pears", "part AB-1234/X of the apple press", "plum")
    store(keywords, tenant, *(chunk(f"c{number}", text) for number, text in enumerate(texts)))
    once, thrice = math.log1p(3.5 / 1.5), math.log1p(1.5 / 3.5)
    words = ["apple", "1234", "absent", "trees", "!!!", "Apple", "ab x"]
    expected = {"apple": thrice, "1234": once, "trees": once, "Apple": thrice, "ab x": 2 * once}
    assert await keywords.reader(tenant).rarities(words) == pytest.approx(expected)
    beyond = ["\U00020bb7" * 6, "1234", "absent"]  # letters that two units of UTF-16 stand for
    assert await keywords.reader(tenant).rarities(beyond) == pytest.approx({"1234": once})
    assert await keywords.reader(tenant).rarities([]) == {}
    assert await keywords.reader(tenant).rarities(["?"]) == {}
    assert await keywords.reader(other).rarities(["apple"]) == {}


async def test_rarer_words_shorter_chunks_and_more_occurrences_score_higher(keywords: Keywords, tenant: Tenant) -> None:
    store(
        keywords,
        tenant,
        chunk("rare", "quince tree"),
        chunk("common", "apple tree"),
        chunk("common2", "apple tree garden"),
        chunk("often", "apple apple apple tree"),
        *(chunk(f"f{n}", "tree garden wall house") for n in range(5)),
    )
    ranked = await found(keywords, tenant, "apple quince")
    assert ranked[0] == "rare"
    assert ranked.index("often") < ranked.index("common") < ranked.index("common2")


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("Running foxes", "run fox"),
        ("the foxes ran; RUNNING", "Runs"),
        ("Café Zürich naïve", "cafe zurich naive"),
        ("cafe", "CAFÉ"),
        ("cafe\u0301", "café"),
        ("state-of-the-art", "state art"),
        ("version 2.15", "2.15"),
        ("東京都の人口", "東京"),
        ("東京都の人口は多い", "人口"),
        ("данные системы", "ДАННЫЕ"),
        ("ร้านกาแฟริมน้ำ", "กาแฟ"),
        ("மீனாட்சி அம்மாள் நிறுவினார்", "மீனாட்சி"),
        ("कमला \u0915\u093cलम", "\u0958लम"),
        ("कमला क\u093cलम", "कलम"),
        ("مُحَمَّدٌ كاتبٌ", "محمد"),
    ],
)
async def test_words_are_folded_and_stemmed(keywords: Keywords, tenant: Tenant, text: str, query: str) -> None:
    store(keywords, tenant, chunk("a", text), chunk("b", "unrelated"))
    assert await found(keywords, tenant, query) == ["a"]


@pytest.mark.parametrize(
    ("text", "other", "query"),
    [("मोदी", "मादा", "मोदी"), ("น้ำ", "นม", "น้ำ"), ("முருகன்", "மரகன", "முருகன்"), ("မြန်မာ", "မနမ", "မြန်မာ")],
)
async def test_words_that_differ_in_their_marks_are_two(
    keywords: Keywords, tenant: Tenant, text: str, other: str, query: str
) -> None:
    store(keywords, tenant, chunk("a", text), chunk("b", other))
    assert await found(keywords, tenant, query) == ["a"]


@pytest.mark.parametrize(
    ("text", "query"),
    [("Etch is v4.0.", "4.0"), ("4.2.1 The tenant pays.", "clause 4.2.1"), ("1,250 eels", "1,250")],
)
async def test_a_number_of_several_parts_is_a_word_beside_its_parts(
    keywords: Keywords, tenant: Tenant, text: str, query: str
) -> None:
    parts = " ".join(query.replace(".", " ").replace(",", " ").split())
    store(keywords, tenant, chunk("a", text), *(chunk(f"b{n}", f"{parts} {parts}") for n in range(3)))
    assert (await found(keywords, tenant, query))[0] == "a"
    assert "a" in await found(keywords, tenant, parts.split()[-1])


async def test_heading_context_and_text_are_all_searched(keywords: Keywords, tenant: Tenant) -> None:
    store(
        keywords,
        tenant,
        chunk("a", "text", title="Orchard", section=("Pruning",), context="winter"),
        chunk("b", "none"),
    )
    for word in ("orchard", "pruning", "winter", "text"):
        assert await found(keywords, tenant, word) == ["a"]


@pytest.mark.parametrize(
    "query",
    [
        'apple "',
        '"apple',
        "apple AND NOT berry",
        "apple NEAR(x y)",
        "text:apple",
        "apple*",
        "^apple",
        "(apple",
        "apple) OR (",
        "-apple +apple",
        "{a b}: apple",
        "'; DROP TABLE chunks; -- apple",
        "apple\0berry\0",
        "apple \ud800",
        "apple/.*/[a TO b]~2^5",
    ],
)
async def test_a_query_is_words_and_never_syntax(keywords: Keywords, tenant: Tenant, query: str) -> None:
    store(keywords, tenant, chunk("a", "one apple"), chunk("p", "applesauce stand"))
    assert "a" in await found(keywords, tenant, query)
    assert "p" not in await found(keywords, tenant, query)


async def test_a_question_of_100000_characters_is_answered(keywords: Keywords, tenant: Tenant) -> None:
    store(keywords, tenant, chunk("a", "apple"), *(chunk(f"w{n}", f"word{n}") for n in range(300)))
    question = " ".join(f"word{n % 300} filler{n}" for n in range(6000)) + " apple"
    assert len(await found(keywords, tenant, "apple " + question[:100_000], limit=1000)) > 200
    assert await found(keywords, tenant, "apple " * 20_000) == ["a"]


async def test_a_chunk_comes_back_as_it_was(keywords: Keywords, tenant: Tenant) -> None:
    whole = chunk(
        "a", "Ünï. Second.", title="T", section=("A", "B"), context="ctx", sentences=(Span(0, 4), Span(5, 12))
    )
    store(keywords, tenant, whole)
    assert await keywords.reader(tenant).chunks(["a"]) == {"a": whole}
    assert await keywords.reader(tenant).document_chunks("d", "v1") == [whole]


async def test_a_tenant_never_sees_anothers_chunks_nor_their_statistics(
    keywords: Keywords, tenant: Tenant, other: Tenant
) -> None:
    store(keywords, other, chunk("own", "apple pie"), chunk("own2", "berry"))
    alone = await hits(keywords, other, "apple canary")
    store(keywords, tenant, *(chunk(f"canary{n}", "canary apple apple") for n in range(20)))
    assert await hits(keywords, other, "apple canary") == alone
    assert await keywords.reader(other).chunks(["canary1"]) == {}
    assert await keywords.reader(other).document_chunks("d", "v1", start=1) == []
    keywords.drop(other)
    assert await found(keywords, other, "apple") == []
    assert len(await found(keywords, tenant, "canary")) == 20


WORDS = st.lists(st.sampled_from(["apple", "apples", "berry", "cherry", "the", "of", "tree"]), max_size=8).map(" ".join)
DOCUMENTS = st.lists(WORDS, min_size=1, max_size=4)


@settings(deadline=None, max_examples=EXAMPLES, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(first=DOCUMENTS, second=DOCUMENTS, look_between=st.booleans())
def test_ingesting_a_and_b_and_deleting_a_equals_ingesting_b_alone(
    keywords: Keywords, new_tenant: Callable[[], Tenant], first: list[str], second: list[str], look_between: bool
) -> None:
    query = "apple berry cherry tree of the"
    both, alone = new_tenant(), new_tenant()
    a = [chunk(f"a{n}", text, "A", ordinal=n) for n, text in enumerate(first)]
    b = [chunk(f"b{n}", text, "B", ordinal=n) for n, text in enumerate(second)]

    async def check() -> None:
        store(keywords, both, *a)
        if look_between:
            await hits(keywords, both, query)
        store(keywords, both, *b)
        if look_between:
            assert len(await hits(keywords, both, query)) == sum(bool(c.text) for c in (*a, *b))
        keywords.writer(both).delete("A")
        store(keywords, alone, *b)
        for text in (query, "apple", "the"):
            left, expected = await hits(keywords, both, text), await hits(keywords, alone, text)
            if is_embedded(keywords):
                assert left == expected
            # Lucene's statistics forget deleted chunks when their segments merge: test_indexes_keywords.py
            assert {hit.chunk_id for hit in left} == {hit.chunk_id for hit in expected}

    asyncio.run(check())
