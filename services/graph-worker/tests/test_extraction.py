"""What the rules read in a document, through the one door `extract`."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trivium.domain.chunks import Chunk, Span
from trivium.domain.graph import CO_OCCURS, MIN_RELATION_CONFIDENCE, ChunkGraph, EntityType, Mention, MentionRole
from trivium.text.sentences import split_sentences
from trivium_graph.build import extract, fingerprint

MakeChunk = Callable[..., Chunk]
SURE = 0.5


def named(share: ChunkGraph) -> dict[str, Mention]:
    """The names that the text mentions for sure, by key."""
    return {m.key: m for m in share.mentions if m.role is MentionRole.MENTION and m.confidence >= SURE}


def typed(share: ChunkGraph) -> set[tuple[str, str, str]]:
    return {(r.source_key, r.type, r.target_key) for r in share.relations if r.type != CO_OCCURS}


def topics(share: ChunkGraph, role: MentionRole = MentionRole.TITLE) -> list[str]:
    return [m.key for m in share.mentions if m.role is role]


@pytest.mark.parametrize(
    ("text", "key", "kind"),
    [
        ("The report was read by Dr. Ilse Brandt.", "ilse brandt", EntityType.PERSON),
        ("The letter came from Tomas Oyelaran, a chemist.", "tomas oyelaran", EntityType.PERSON),
        ("A note by J. R. Quenby was found.", "j r quenby", EntityType.PERSON),
        ("He met Queen Mathilde there.", "queen mathilde", EntityType.PERSON),
        ("She bought shares of Halvorsen Industries.", "halvorsen industries", EntityType.ORGANIZATION),
        ("It is kept by the University of Savern.", "university of savern", EntityType.ORGANIZATION),
        ("Boats cross the Elder River at dawn.", "elder river", EntityType.LOCATION),
        ("They were born in Quillby and stayed.", "quillby", EntityType.LOCATION),
        ("It opened in Portugal last year.", "portugal", EntityType.LOCATION),
        ("The Siege of Orvin lasted a year.", "siege of orvin", EntityType.EVENT),
        ("The data lives in PostgreSQL now.", "postgresql", EntityType.TECHNOLOGY),
        ("The model reached an F1 of 0.9.", "f1", EntityType.METRIC),
        ("They speak of the Second Reading often.", "second reading", EntityType.PERSON),
        ("A word about Quietism came late.", "quietism", EntityType.CONCEPT),
        ("They read Norwegian well.", "norwegian", EntityType.CONCEPT),
        ("The Halvor lake is deep.", "halvor", EntityType.LOCATION),
        ("He called the Orvex agency twice.", "orvex", EntityType.ORGANIZATION),
        ("He bought Texas Lanterns.", "texas lanterns", EntityType.ORGANIZATION),
        ("We saw Austin Quenby.", "austin quenby", EntityType.PERSON),
        ("They recall the trial of Quenby.", "quenby", EntityType.PERSON),
        ("Ashen Tide is a 1968 Norwegian film directed by her.", "ashen tide", EntityType.CONCEPT),
        ("Orva Hollin is a town in the hills.", "orva hollin", EntityType.LOCATION),
        ("Orvel (also Orvil) was a rock band from Oslo.", "orvel", EntityType.ORGANIZATION),
        ("They met Duchess Ada of Norway.", "duchess ada of norway", EntityType.PERSON),
        ("SOFIA, May 5 (QTA) -- It rained.", "qta", EntityType.ORGANIZATION),
        ("The Food and Tide Administration was shut.", "food and tide administration", EntityType.ORGANIZATION),
        ("It grew in Columbus, Miss. and after.", "miss", EntityType.LOCATION),
    ],
)
def test_a_name_gets_its_type_from_its_form_and_its_surroundings(
    make_chunk: MakeChunk, text: str, key: str, kind: EntityType
) -> None:
    [share] = extract([make_chunk(text)])
    assert named(share)[key].type is kind


@pytest.mark.parametrize(
    ("text", "relation"),
    [
        ("Ilse Brandt was born in Quillby.", ("ilse brandt", "BORN_IN", "quillby")),
        ("Ilse Brandt (born 3 May 1901 in Lisbon) painted.", ("ilse brandt", "BORN_IN", "lisbon")),
        ("Tomas Oyelaran lives in Lisbon.", ("tomas oyelaran", "LIVES_IN", "lisbon")),
        ("Anna Quenby works for Halvorsen Industries.", ("anna quenby", "WORKS_FOR", "halvorsen industries")),
        ("Halvorsen Industries spokesman Carl Dray left.", ("carl dray", "WORKS_FOR", "halvorsen industries")),
        ("Anna Quenby, chief engineer at Orvin Motors, left.", ("anna quenby", "WORKS_FOR", "orvin motors")),
        ("Anna Quenby founded Orvin Motors.", ("anna quenby", "FOUNDED", "orvin motors")),
        ("Orvin Motors was founded by Anna Quenby.", ("orvin motors", "FOUNDED_BY", "anna quenby")),
        ("Carl Dray is a member of the Savern Society.", ("carl dray", "MEMBER_OF", "savern society")),
        ("Carl Dray was killed by Paul Marsh.", ("paul marsh", "KILLED", "carl dray")),
        ("Paul Marsh shot Carl Dray.", ("paul marsh", "KILLED", "carl dray")),
        ("The murder of Carl Dray by Paul Marsh shook them.", ("paul marsh", "KILLED", "carl dray")),
        ("Anna Quenby married Carl Dray.", ("anna quenby", "SPOUSE_OF", "carl dray")),
        ("Anna Quenby is the daughter of Ruth Quenby.", ("anna quenby", "CHILD_OF", "ruth quenby")),
        ("Ruth Quenby is the mother of Anna Quenby.", ("anna quenby", "CHILD_OF", "ruth quenby")),
        ('"Ashen Tide" is a film directed by Ruth Quenby.', ("ashen tide", "DIRECTED_BY", "ruth quenby")),
        ('Ruth Quenby wrote "Ashen Tide".', ("ruth quenby", "WROTE", "ashen tide")),
        ("Orvin Motors acquired Halvorsen Industries.", ("orvin motors", "ACQUIRED", "halvorsen industries")),
        ("Orvin Motors was acquired by Dray Holdings.", ("dray holdings", "ACQUIRED", "orvin motors")),
        ("Orvin Motors is a subsidiary of Dray Holdings.", ("orvin motors", "PART_OF", "dray holdings")),
        ("Dray Holdings is based in Geneva.", ("dray holdings", "LOCATED_IN", "geneva")),
        ("The mill stands in Quillby, Ohio.", ("quillby", "LOCATED_IN", "ohio")),
        ("Anna Quenby, 8, of Quillby, Ohio, won.", ("anna quenby", "LIVES_IN", "quillby")),
        ("Anna Quenby, 71, born in Lisbon, sang.", ("anna quenby", "BORN_IN", "lisbon")),
        ("Anna Quenby is a native of Lisbon.", ("anna quenby", "LIVES_IN", "lisbon")),
        ("They saw Lisbon pianist Anna Quenby.", ("anna quenby", "LIVES_IN", "lisbon")),
        ("Lisbon, where Anna Quenby was born, is old.", ("anna quenby", "LIVES_IN", "lisbon")),
        ("Sen. Carl Dray, R-Ohio, left.", ("carl dray", "HOLDS_OFFICE_IN", "ohio")),
        ("Ohio Gov. Carl Dray left.", ("carl dray", "HOLDS_OFFICE_IN", "ohio")),
        ("Carl Dray, an Orvin Motors spokesman, left.", ("carl dray", "WORKS_FOR", "orvin motors")),
        ("Carl Dray, Orvin Motors' chairman, left.", ("carl dray", "WORKS_FOR", "orvin motors")),
        ("Carl Dray, 47, of Orvin Motors left.", ("carl dray", "WORKS_FOR", "orvin motors")),
        ("Orvin Inc. in Geneva was sold.", ("orvin inc", "LOCATED_IN", "geneva")),
        ("The Geneva-based Orvin Motors was sold.", ("orvin motors", "LOCATED_IN", "geneva")),
        ("Norway's capital, Oslo, is old.", ("oslo", "LOCATED_IN", "norway")),
        ("OSLO, Norway (AP) -- It rained.", ("ap", "REPORTS_FROM", "norway")),
        ("Carl Dray, convicted of murdering Dr. Paul Marsh, left.", ("carl dray", "KILLED", "paul marsh")),
        ("Paul Marsh was killed on the orders of Carl Dray.", ("carl dray", "KILLED", "paul marsh")),
    ],
)
def test_a_wording_states_a_typed_relation(make_chunk: MakeChunk, text: str, relation: tuple[str, str, str]) -> None:
    [share] = extract([make_chunk(text)])
    assert relation in typed(share)


def test_a_relation_has_its_direction_and_not_the_other(make_chunk: MakeChunk) -> None:
    [share] = extract([make_chunk("Carl Dray was killed by Paul Marsh.")])
    assert typed(share) == {("paul marsh", "KILLED", "carl dray")}


@pytest.mark.parametrize(
    "text",
    [
        "Peter Novak was acquitted of murdering Anna Lund.",
        "Peter Novak denied killing Anna Lund.",
        "Peter Novak tried to kill Anna Lund.",
        "Peter Novak was convicted of the attempted murder of Anna Lund.",
        "Anna Lund was not killed by Peter Novak.",
        "Peter Novak was never a member of the Halvorsen Party.",
        "Peter Novak is no longer president of Halvorsen Industries.",
        "Halvorsen Industries wasn't founded by Peter Novak.",
        "Neither Peter Novak nor Anna Lund is a member of the Halvorsen Party.",
        "If Orvin Motors acquired Halvorsen Industries, it would grow.",
        "If Orvin Motors is based in Oslo, it pays.",
    ],
)
def test_what_is_denied_supposed_or_only_tried_is_not_stated(make_chunk: MakeChunk, text: str) -> None:
    (share,) = extract([make_chunk(text)])
    assert typed(share) == set()


@pytest.mark.parametrize(
    ("text", "stated"),
    [
        (
            "Peter Novak is not only a member of the Halvorsen Party but its voice.",
            ("peter novak", "MEMBER_OF", "halvorsen party"),
        ),
        (
            "Halvorsen House is a not-for-profit organization in Norway.",
            ("halvorsen house", "LOCATED_IN", "norway"),
        ),
        ("Quillby is a village not far from the coast of Norway.", ("quillby", "LOCATED_IN", "norway")),
        ("Quillby is a town on cleared land in Norway.", ("quillby", "LOCATED_IN", "norway")),
        ("Peter Novak, who tried to flee, was shot by Anna Lund.", ("anna lund", "KILLED", "peter novak")),
        ("Peter Novak refused to leave and was killed by Anna Lund.", ("anna lund", "KILLED", "peter novak")),
        ("If the Halvorsen Mill in Oslo closes, many leave.", ("halvorsen mill", "LOCATED_IN", "oslo")),
        (
            "If Halvorsen Industries' chairman Bo Berg resigns, it falls.",
            ("bo berg", "WORKS_FOR", "halvorsen industries"),
        ),
    ],
)
def test_what_stands_beside_a_denial_or_a_supposition_is_stated(
    make_chunk: MakeChunk, text: str, stated: tuple[str, str, str]
) -> None:
    (share,) = extract([make_chunk(text)])
    assert typed(share) == {stated}


def test_places_of_a_list_do_not_lie_in_each_other(make_chunk: MakeChunk) -> None:
    [share] = extract([make_chunk("They played in Norway, Portugal, Lima, Oslo and Cairo.")])
    assert typed(share) == set()


def test_a_people_between_a_work_and_its_maker_is_in_no_relation(make_chunk: MakeChunk) -> None:
    [share] = extract([make_chunk("Ashen Tide is a 1968 Norwegian film directed by Ruth Quenby.")])
    assert typed(share) == {("ashen tide", "DIRECTED_BY", "ruth quenby")}


def test_what_holds_of_a_town_holds_of_the_state_named_after_it(make_chunk: MakeChunk) -> None:
    [share] = extract([make_chunk("Ilse Brandt was born in Quillby, Ohio.")])
    assert ("ilse brandt", "BORN_IN", "ohio") in typed(share)


def test_a_pronoun_stands_for_the_documents_subject(make_chunk: MakeChunk) -> None:
    [share] = extract([make_chunk("She was born in Lisbon.", title="Ilse Brandt")])
    assert typed(share) == {("ilse brandt", "BORN_IN", "lisbon")}


def test_names_without_a_stated_relation_co_occur_and_an_enumeration_is_bounded(make_chunk: MakeChunk) -> None:
    cities = "Lisbon, Geneva, Prague, Warsaw, Vienna, Dublin, Athens, Cairo, Lima, Seoul, Kyoto and Oslo"
    [share] = extract([make_chunk(f"Anna Quenby saw {cities}.")])
    together = [r for r in share.relations if r.type == CO_OCCURS]
    assert 0 < len(together) <= 4
    assert all(r.confidence < MIN_RELATION_CONFIDENCE and r.source_key < r.target_key for r in together)


def test_an_acronym_is_an_alias_of_its_long_form_also_when_that_is_written_small(make_chunk: MakeChunk) -> None:
    first = make_chunk("A tidal gate controller (TGC) moves the doors.")
    second = make_chunk("Both TGCs failed. The TGC restarted.", ordinal=1)
    shares = extract([first, second])
    assert [(a.key, a.canonical_key) for a in shares[0].aliases] == [("tgc", "tidal gate controller")]
    assert named(shares[0])["tidal gate controller"].span.of(first.text) == "tidal gate controller"
    assert set(named(shares[1])) == {"tgc"}


@pytest.mark.parametrize(
    ("text", "alias"),
    [
        ("The TGC (Tidal Gate Controller) moves.", ("tgc", "tidal gate controller")),
        ("Port Ellery, formerly known as Camp Ash, grew.", ("camp ash", "port ellery")),
        ("Ruth Quenby, also known as Lady Marsh, sang.", ("lady marsh", "ruth quenby")),
        ("In Oslo, then called Christiania, it rained.", ("christiania", "oslo")),
        ("Anna Lund, née Berg (1900-1980), sang.", ("berg", "anna lund")),
        ("Port Ellery (formerly known as Camp Ash [1953-1987]) grew.", ("camp ash", "port ellery")),
        ("Port Ellery, formerly known as Camp Ash between 1991 and 2000, grew.", ("camp ash", "port ellery")),
        ("Port Ellery, also called Camp Ash and the Camp, grew.", ("camp ash", "port ellery")),
        ("Ruth Quenby is known as Lady Marsh in Ohio.", ("lady marsh", "ruth quenby")),
        ("The singer Ruth Quenby, named Lady Marsh by her friends, sang.", ("lady marsh", "ruth quenby")),
    ],
)
def test_another_name_is_an_alias(make_chunk: MakeChunk, text: str, alias: tuple[str, str]) -> None:
    [share] = extract([make_chunk(text)])
    assert [(a.key, a.canonical_key) for a in share.aliases] == [alias]


@pytest.mark.parametrize(
    "text",
    [
        "Halvorsen Industries, based in Oslo, named Anna Lund its chief.",
        "The president, Bo Berg, named Anna Lund, a banker, chair of the board.",
        "Bo Berg, called Anna Lund on Monday.",
        "Anna Lund, formerly Halvorsen Industries chief, left.",
        "Anna Lund, formerly Halvorsen Industries' lawyer, left.",
        "Bo Berg is known as Norway's best painter.",
        "Bo Berg was named as Anna Lund's successor.",
        "Anna Lund is known as the Oslo office's founder.",
    ],
)
def test_whom_somebody_names_or_worked_for_is_not_another_name_of_it(make_chunk: MakeChunk, text: str) -> None:
    [share] = extract([make_chunk(text)])
    assert share.aliases == ()


def test_letters_that_do_not_spell_the_words_before_them_are_no_acronym(make_chunk: MakeChunk) -> None:
    [share] = extract([make_chunk("The harbour gates (XQW) were shut.")])
    assert share.aliases == ()


def test_a_surname_means_the_documents_only_bearer_of_it(make_chunk: MakeChunk) -> None:
    shares = extract([make_chunk("Dr Ana Rivera came."), make_chunk("Rivera spoke, and Dr. Rivera left.", ordinal=1)])
    assert set(named(shares[1])) == {"ana rivera"}


def test_a_surname_of_two_people_or_of_a_place_is_left_alone(make_chunk: MakeChunk) -> None:
    shares = extract([make_chunk("Ana Rivera met Paul Rivera."), make_chunk("Later Rivera spoke.", ordinal=1)])
    assert set(named(shares[1])) == {"rivera"}
    shares = extract([make_chunk("George Washington rode."), make_chunk("The road to Washington is long.", ordinal=1)])
    assert set(named(shares[1])) == {"washington"}


def test_what_a_sentence_begins_to_do_with_a_name_does_not_bear_it(make_chunk: MakeChunk) -> None:
    shares = extract([make_chunk("Keeping Calder up to date helps."), make_chunk("We like Calder.", ordinal=1)])
    assert "calder" in named(shares[1])
    shares = extract([make_chunk("Dr Liang Ying came."), make_chunk("Later Ying spoke.", ordinal=1)])
    assert set(named(shares[1])) == {"liang ying"}


def test_two_names_that_were_written_as_one_are_told_apart(make_chunk: MakeChunk) -> None:
    [share] = extract([make_chunk("Then Portugal's Prime Minister Rui Sande and Dray Chairman Ada Lund met.")])
    assert {"portugal", "rui sande", "dray", "ada lund"} <= set(named(share))


def test_a_chunk_is_about_its_title_its_headings_and_the_terms_it_defines(make_chunk: MakeChunk) -> None:
    text = "A lease is a promise with an end.\n**Fence**: a number that only grows.\nThis is a note."
    [share] = extract([make_chunk(text, "Harbour Manual", ("3.2 Claims", "Introduction"))])
    assert sorted(topics(share)) == ["claims", "fence", "harbour manual", "lease"]
    spans = {m.key: m.span for m in share.mentions if m.role is MentionRole.TITLE}
    assert spans["lease"].of(text) == "lease"
    assert spans["harbour manual"] == Span(0, 0)


@pytest.mark.parametrize("mark", ["¶", " ¶", "§"])
def test_a_heading_that_every_document_has_is_no_topic_whatever_mark_follows_it(
    make_chunk: MakeChunk, mark: str
) -> None:
    [share] = extract([make_chunk("Text.", title=f"Contents{mark}", section=(f"Contents{mark}", f"Valve{mark}"))])
    assert topics(share) == ["valve"]


@pytest.mark.parametrize("title", ["E = mc² + p·c", "How the town council of a small place decided" + " again" * 5])
def test_a_title_that_the_gate_calls_a_formula_or_too_long_makes_no_entity_and_is_still_found(
    make_chunk: MakeChunk, title: str
) -> None:
    [share] = extract([make_chunk("It was written in Lisbon.", title=title)])
    [about] = [mention for mention in share.mentions if mention.role is MentionRole.TITLE]
    assert about.confidence < SURE
    assert typed(share) == set()


@pytest.mark.parametrize(
    "text",
    [
        "Large Language Models (LLM) are new. LLM says so, and an answer by LLM is checked.",
        "We use Retrieval-Augmented Generation (RAG). RAG thinks of it, told by RAG itself. RAG said so.",
    ],
)
def test_an_acronym_is_no_person_although_it_says_things(make_chunk: MakeChunk, text: str) -> None:
    [share] = extract([make_chunk(text)])
    assert {mention.type for mention in share.mentions} == {EntityType.TECHNOLOGY}


def test_a_name_inside_a_title_is_a_heading_name(make_chunk: MakeChunk) -> None:
    [share] = extract([make_chunk("Turnout was low.", "2018 Kansas elections")])
    assert topics(share) == ["2018 kansas elections"]
    assert "kansas" in " ".join(topics(share, MentionRole.HEADING))


def test_the_full_name_in_the_first_sentence_is_an_alias_of_the_title(make_chunk: MakeChunk) -> None:
    [share] = extract([make_chunk("Robert James Hale was a painter.", "Bob Hale")])
    assert share.aliases == ()
    [share] = extract([make_chunk("Robert James Hale was a painter.", "Robert Hale")])
    assert [(a.key, a.canonical_key) for a in share.aliases] == [("robert james hale", "robert hale")]


def test_debris_becomes_no_entity(make_chunk: MakeChunk) -> None:
    [share] = extract(
        [make_chunk("The Tblgrwskpf and the Aaaaaaargh stood in Lisbon.", "", ("Introduction", "Table 4"))]
    )
    assert set(named(share)) == {"lisbon"}
    assert topics(share) == []


def test_no_chunks_and_empty_chunks_are_fine(make_chunk: MakeChunk) -> None:
    assert extract([]) == []
    assert extract([make_chunk("")]) == [ChunkGraph("c0")]
    assert fingerprint() == fingerprint()


WORDS = [
    "Ana",
    "Rivera",
    "of",
    "the",
    "River",
    "Inc.",
    "(CNN)",
    "Dr.",
    "in",
    "Lisbon,",
    "Ohio.",
    '"Ash"',
    "'s",
    "é",
    "born",
]


@given(
    st.lists(st.one_of(st.sampled_from(WORDS), st.text(max_size=6)), max_size=40).map(" ".join), st.text(max_size=20)
)
def test_whatever_the_text_every_span_is_exact_and_every_chunk_is_answered_for(text: str, title: str) -> None:
    chunk = Chunk("c", "d", "v", 0, text, Span(0, len(text)), "f", split_sentences(text), title=title)
    [share] = extract([chunk])
    assert share == extract([chunk])[0]
    assert share.chunk_id == "c"
    for mention in share.mentions:
        assert mention.key
        if mention.span != Span(0, 0):
            assert mention.span.of(text) == mention.surface
    for relation in share.relations:
        assert relation.span.of(text) == relation.snippet
        assert relation.source_key != relation.target_key
        assert relation.type == CO_OCCURS or relation.confidence >= MIN_RELATION_CONFIDENCE
