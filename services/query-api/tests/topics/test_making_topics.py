"""What ties names into topics, and that the same graph always gives the same ones."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from trivium.adapters.embedded.graph import SqliteGraphs
from trivium.adapters.embedded.keywords import SqliteKeywords
from trivium.domain.chunks import Chunk, Span
from trivium.domain.graph import ChunkGraph, Mention, MentionRole, Relation
from trivium.domain.scope import Scope, Tenant
from trivium.domain.topics import Topics
from trivium.ports.graph import GraphRow
from trivium.ports.keywords import KeywordRow
from trivium_query.topics.communities import NOWHERE, communities
from trivium_query.topics.make import Sources, make_topics
from trivium_query.topics.terms import best_terms, words_of
from trivium_query.topics.ties import MAX_NAMES, WINDOW, Gathering, Ties, renumbered

ACME = Tenant("acme")
SEA = [f"harbour {n}" for n in range(6)]
HILL = [f"orchard {n}" for n in range(6)]


def share(chunk: str, names: Sequence[str], *relations: tuple[str, str, str, float]) -> ChunkGraph:
    mentions = tuple(
        Mention(name, chunk, 0, Span(at * 20, at * 20 + len(name)), name.title(), confidence=0.9)
        for at, name in enumerate(names)
    )
    stated = tuple(
        Relation(source, target, kind, sure, chunk, Span(0, 1), "x", "test") for source, kind, target, sure in relations
    )
    return ChunkGraph(chunk, mentions, stated)


def tied(shares: Sequence[ChunkGraph]) -> tuple[Ties, list[str]]:
    gathering, numbers = Gathering(), dict[str, int]()
    for one in shares:
        for mention in one.mentions:
            numbers.setdefault(mention.key, len(numbers))
        gathering.add(one, numbers)
    places = gathering.places()
    ties, _, keys = renumbered(gathering.ties(np.bincount(places.name, minlength=len(numbers))), places, list(numbers))
    return ties, keys


def weight_of(shares: Sequence[ChunkGraph], one: str, other: str) -> float:
    ties, keys = tied(shares)
    ends = sorted((keys.index(one), keys.index(other)))
    found = (ties.left == ends[0]) & (ties.right == ends[1])
    return float(ties.weight[found].sum())


def test_a_typed_relation_ties_more_than_a_sentence_and_that_more_than_a_passage() -> None:
    near = weight_of([share("c", ["a", "b"])], "a", "b")
    beside = weight_of([share("c", ["a", "b"], ("a", "CO_OCCURS_WITH", "b", 0.5))], "a", "b")
    related = weight_of([share("c", ["a", "b"], ("a", "LEADS", "b", 0.9))], "a", "b")
    assert 0 < near < beside < related


def test_a_name_that_stands_everywhere_ties_less() -> None:
    crowd = [share(f"c{n}", ["hub", f"spoke {n}"]) for n in range(50)]
    pair = [share("p", ["a", "b"])]
    assert weight_of([*crowd, *pair], "hub", "spoke 1") < 0.2 * weight_of([*crowd, *pair], "a", "b")


def test_a_register_of_names_costs_in_proportion_to_its_length() -> None:
    ties, _ = tied([share("c", [f"n{n}" for n in range(1000)])])
    assert len(ties.left) <= WINDOW * MAX_NAMES


@settings(deadline=None, max_examples=40)
@given(st.lists(st.lists(st.sampled_from(SEA + HILL), min_size=1, max_size=5), max_size=30), st.randoms())
def test_the_order_in_which_passages_come_changes_nothing(passages: list[list[str]], chance: random.Random) -> None:
    shares = [share(f"c{n}", names) for n, names in enumerate(passages)]
    shuffled = list(shares)
    chance.shuffle(shuffled)
    (one, keys), (other, other_keys) = tied(shares), tied(shuffled)
    assert keys == other_keys
    for ours, theirs in ((one.left, other.left), (one.right, other.right), (one.weight, other.weight)):
        assert np.array_equal(ours, theirs)
    for ours, theirs in zip(communities(one, len(keys)), communities(other, len(keys)), strict=True):
        assert np.array_equal(ours, theirs)


def test_names_that_stand_together_are_one_community_and_strangers_are_in_none() -> None:
    shares = [share(f"s{n}", [SEA[n % 6], SEA[(n + 1) % 6], SEA[(n + 2) % 6]]) for n in range(12)]
    shares += [share(f"h{n}", [HILL[n % 6], HILL[(n + 1) % 6], HILL[(n + 2) % 6]]) for n in range(12)]
    ties, keys = tied([*shares, share("x", ["hermit"])])
    [level] = communities(ties, len(keys))
    of = dict(zip(keys, level.tolist(), strict=True))
    assert of["hermit"] == NOWHERE
    assert {of[name] for name in SEA} != {of[name] for name in HILL}
    assert len({of[name] for name in SEA}) == len({of[name] for name in HILL}) == 1


def test_two_names_that_belong_together_are_not_left_alone() -> None:
    ties, keys = tied([share("c", ["a", "b", "c", "d"], ("a", "LEADS", "b", 1.0), ("c", "LEADS", "d", 1.0))])
    assert [level.tolist() for level in communities(ties, len(keys))] == [[0, 0, 0, 0]]


def test_levels_nest() -> None:
    chance = random.Random(3)
    shares = []
    for n in range(900):
        group = n % 30  # thirty groups of five names, in three clusters that share passages
        names = [f"g{group:02}n{chance.randrange(5)}" for _ in range(3)]
        names.append(f"g{(group // 10) * 10 + chance.randrange(10):02}n{chance.randrange(5)}")
        shares.append(share(f"c{n}", list(dict.fromkeys(names))))
    ties, keys = tied(shares)
    levels = communities(ties, len(keys))
    assert len(levels) > 1
    for above, below in pairwise(levels):
        for community in set(below.tolist()) - {NOWHERE}:
            assert len(set(above[below == community].tolist())) == 1


def test_no_names_make_no_communities() -> None:
    ties, keys = tied([])
    assert (communities(ties, len(keys)), keys) == ([], [])


def test_terms_are_words_that_others_seldom_use_and_no_names() -> None:
    texts = ["The herring fleets of Skerry sail at dawn.", "A herring fleet returns to Skerry.", "Herring at dawn."]
    counted = words_of(texts)
    assert counted["fleet"] == 2
    assert "sail" not in counted  # of one text alone
    rarities = {"herring": 3.0, "fleet": 5.0, "dawn": 0.1}
    assert best_terms(counted, rarities, 3, set())[:2] == ("fleet", "herring")
    assert best_terms(counted, rarities, 3, {"fleet"})[:1] == ("herring",)


def test_a_term_of_a_script_without_capitals_is_a_whole_word() -> None:
    texts = ["नदी पर पुराना पुस्तकालय है।", "पुस्तकालय सोमवार को बंद है।", "กาแฟเย็นราคา", "กาแฟเย็นราคา"]
    assert [word for word, n in words_of(texts).items() if n == 2] == ["पुस्तकालय"]


async def made(folder: Path, rows: Sequence[GraphRow], published: Mapping[str, str], dataset: str = "") -> Topics:
    graphs, keywords = SqliteGraphs(folder), SqliteKeywords(folder)
    graphs.writer(ACME).upsert(rows)
    for row in rows:
        text = " and ".join(m.surface for m in row.share.mentions) + " met."
        chunk = Chunk(row.share.chunk_id, row.document_id, row.version, 0, text, Span(0, len(text)), row.document_id)
        keywords.writer(ACME).upsert([KeywordRow(chunk, row.scope)])

    async def active(document_ids: Sequence[str]) -> Mapping[str, str]:
        return {one: published[one] for one in document_ids if one in published}

    try:
        return await make_topics(Sources(graphs.reader(ACME), keywords.reader(ACME), active, "s"), dataset)
    finally:
        graphs.close()
        keywords.close()


def rows_of(document: str, names: Sequence[str], dataset: str = "default", version: str = "v1") -> list[GraphRow]:
    scope = Scope(ACME, dataset)
    return [
        GraphRow(share(f"{document}-{n}", [names[n], names[n + 1], names[n + 2]]), document, version, scope)
        for n in range(len(names) - 2)
    ]


async def test_topics_are_of_published_versions_alone(tmp_path: Path) -> None:
    rows = rows_of("sea", SEA) + rows_of("hill", HILL) + rows_of("late", ["secret a", "secret b", "secret c"])
    topics = await made(tmp_path, rows, {"sea": "v1", "hill": "v1", "late": "v0"})
    assert topics.documents == {"sea": "v1", "hill": "v1"}
    names = {member.name for topic in topics.topics for member in topic.members}
    assert names == {name.title() for name in SEA + HILL}
    assert sum(topic.names for topic in topics.at(0)) == len(SEA + HILL)
    assert sum(topic.passages for topic in topics.at(0)) == 8
    assert all(len(topic.central) == topic.passages for topic in topics.at(0))
    assert topics.left == 0


async def test_topics_of_a_dataset_know_nothing_of_the_others(tmp_path: Path) -> None:
    rows = rows_of("sea", SEA, "coast") + rows_of("hill", HILL, "land")
    topics = await made(tmp_path, rows, {"sea": "v1", "hill": "v1"}, "coast")
    assert topics.documents == {"sea": "v1"}
    assert {member.name for topic in topics.topics for member in topic.members} == {name.title() for name in SEA}


async def test_a_name_that_passages_are_about_comes_before_one_that_they_mention(tmp_path: Path) -> None:
    names = SEA[:3]
    shares = [share("c1", names), share("c2", names)]
    titled = Mention(names[1], "c1", 0, Span(0, 0), names[1].title(), MentionRole.TITLE)
    shares[0] = ChunkGraph("c1", (*shares[0].mentions, titled))
    topics = await made(tmp_path, [GraphRow(one, "sea", "v1", Scope(ACME)) for one in shares], {"sea": "v1"})
    assert topics.topics[0].members[0].name == names[1].title()
