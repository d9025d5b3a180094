"""Answers without a language model."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import msgspec
import numpy as np
import pytest

from trivium.domain.answers import Citation, Finished, HitsFound, Judged, TextPiece, Turn, Verdict
from trivium.domain.errors import Refused, TryLater
from trivium.domain.parsed import Position, UnitKind
from trivium.domain.retrieval import Degraded, Rerank, SearchResult
from trivium.ports.inference import Passage, Reading, Vector
from trivium_query.answer.answer import Dependencies, answer, stream
from trivium_query.answer.citations import MARKER, Draft
from trivium_query.answer.extractive import NOT_FOUND, extract
from trivium_query.answer.read_code import as_read, as_written
from trivium_query.requests import AskRequest

if TYPE_CHECKING:
    from conftest import Library

Ask = Callable[..., AskRequest]


def without_markers(text: str) -> str:
    """The text with its citations taken out."""
    return " ".join(MARKER.sub(" ", text).split())


async def test_an_answer_is_made_of_cited_sentences_of_the_sources(library: Library, ask: Ask) -> None:
    given = await answer(ask("Who commanded the Apollo 11 mission?"), library.dependencies())
    assert given.text.startswith("Neil Armstrong commanded the Apollo 11 mission. [Source: apollo.pdf, chunk 2]")
    assert (given.engine, given.found) == ("extractive", True)
    sources = " ".join(chunk.text for chunk in library.chunks)
    for line in given.text.splitlines():
        assert without_markers(line) in sources
    assert given.citations[0] == Citation(
        marker="[Source: apollo.pdf, chunk 2]",
        chunk_id="reports/apollo.pdf#2",
        document_id="reports/apollo.pdf",
        source="reports/apollo.pdf",
        chunk_number=2,
        quote="Neil Armstrong commanded the Apollo 11 mission.",
        positions=(Position(page=3),),
    )
    assert {"retrieve", "extract", "vector"} <= given.timings_ms.keys()


CODE = """def stop(pump):
    # The Corrin pump is stopped by hand, as the valve
    # behind it closes too slowly. It starts again at noon.
    pump.run = False
"""


async def test_a_comment_over_several_lines_of_code_is_read_as_prose_and_cited_as_it_stands(
    library: Library, ask: Ask
) -> None:
    chunk = library.add("pump.py", CODE, kind=UnitKind.CODE)
    given = await answer(ask("How is the Corrin pump stopped?"), library.dependencies())
    said = "The Corrin pump is stopped by hand, as the valve behind it closes too slowly. [Source: pump.py, chunk 1]"
    assert given.text.splitlines()[0] == said
    quote = given.citations[0].quote
    assert quote == "The Corrin pump is stopped by hand, as the valve\n    # behind it closes too slowly."
    assert quote in chunk.text
    assert chunk in [hit.chunk for hit in given.hits]


def test_a_short_answer_over_two_lines_of_a_comment_is_one_line(library: Library) -> None:
    library.add("pump.py", CODE, kind=UnitKind.CODE)
    (found,) = (hit for hit in as_read(library.hits("pump", 9)) if hit.chunk.source == "pump.py")
    assert "#" not in found.chunk.text
    read = Draft("", True, short="the valve\n      behind it")
    assert as_written(read, [found]).short == "the valve behind it"


@pytest.mark.parametrize(
    ("question", "first"),
    [
        ("What is the nickname of Norwich City?", "Fans have long called"),
        ("Which web page has the nickname of Norwich City?", "12. The nickname of Norwich City"),
    ],
)
async def test_a_line_of_a_list_of_references_is_no_answer_unless_an_address_is_asked_for(
    library: Library, ask: Ask, question: str, first: str
) -> None:
    library.add(
        "canaries.pdf",
        "Fans have long called Norwich City by a nickname: the Canaries, after the birds that weavers kept there.\n\n"
        "12. The nickname of Norwich City (https://news.example/nickname).",
    )
    library.add(
        "canaries.pdf",
        "13. What nickname?\nNorwich City explained.\nhttps://a.example/1\nhttps://a.example/2\nhttps://a.example/3",
        number=2,
    )
    given = await answer(ask(question), library.dependencies())
    assert given.text.startswith(first)


async def test_words_of_the_question_in_two_documents_are_no_sure_answer(library: Library, ask: Ask) -> None:
    library.add("log.csv", "The scaffold was extended on Friday.")
    library.add("policy.md", "The annual policy costs £119.")
    given = await answer(ask("How much did the annual scaffold cost?"), library.dependencies())
    assert {one.document_id for one in given.citations} == {"log.csv", "policy.md"}
    assert given.verdict is Verdict.PARTIALLY_SUPPORTED


@pytest.mark.parametrize(
    "question",
    [
        "Who painted the ceiling of the Sistine Chapel?",
        "What is the boiling point of nitrogen?",
        "How many moons does Zorblatt Prime have?",
        "Who commanded the Zorblatt mission?",
    ],
)
async def test_what_the_documents_do_not_hold_is_not_answered(library: Library, ask: Ask, question: str) -> None:
    given = await answer(ask(question), library.dependencies())
    assert given.text == NOT_FOUND
    assert (given.found, given.citations, given.verdict) == (False, (), Verdict.NOT_SUPPORTED)
    assert given.hits


async def test_no_document_at_all_is_not_found(library: Library, ask: Ask) -> None:
    library.chunks.clear()
    given = await answer(ask("Who commanded the Apollo 11 mission?"), library.dependencies())
    assert (given.text, given.hits) == (NOT_FOUND, ())


async def test_a_path_shows_its_bridge_before_its_target(library: Library, ask: Ask) -> None:
    apollo, armstrong, _ = library.chunks
    library.bridge(apollo, "Neil Armstrong commanded the Apollo 11 mission.", "Neil Armstrong", armstrong)
    given = await answer(ask("Where was the commander of the Apollo 11 mission born?"), library.dependencies())
    lines = [without_markers(line) for line in given.text.splitlines()]
    bridge = lines.index("Neil Armstrong commanded the Apollo 11 mission.")
    assert bridge < lines.index("Neil Armstrong was born in Wapakoneta, Ohio.")


async def test_the_row_of_a_table_answers(library: Library, ask: Ask) -> None:
    library.add(
        "sales.xlsx",
        "Region: North; Revenue: 120\nRegion: South; Revenue: 95\nRegion: Atlantis; Revenue: 77",
        kind=UnitKind.TABLE,
        position=Position(sheet="Q1", rows=(2, 4)),
    )
    given = await answer(ask("What is the revenue of region Atlantis?"), library.dependencies())
    assert "Region: Atlantis; Revenue: 77 [Source: sales.xlsx, chunk 1]" in given.text
    assert given.citations[0].positions == (Position(sheet="Q1", rows=(4, 4)),)


async def test_the_same_sentence_in_two_files_is_said_once(library: Library, ask: Ask) -> None:
    library.add("copy/apollo.pdf", library.chunks[0].text, title="Apollo 11")
    given = await answer(ask("Who commanded the Apollo 11 mission?"), library.dependencies())
    assert given.text.count("Neil Armstrong commanded") == 1
    assert "[Source: reports/apollo.pdf, chunk 2]" in given.text or "[Source: copy/apollo.pdf" in given.text


async def test_a_question_of_two_parts_is_answered_from_both(library: Library, ask: Ask) -> None:
    question = "Who commanded the Apollo 11 mission and how often do tomatoes need water in the morning?"
    given = await answer(ask(question), library.dependencies())
    assert "Neil Armstrong commanded" in given.text
    assert "garden.md" in given.text


async def test_what_was_not_found_of_two_questions_is_noted(library: Library, ask: Ask) -> None:
    question = "Who commanded the Apollo 11 mission, and when was the parliament of Zanzibar dissolved?"
    given = await answer(ask(question), library.dependencies())
    assert "Neil Armstrong commanded" in given.text
    assert given.notes == ("Not found: When was the parliament of Zanzibar dissolved?",)


async def test_a_follow_up_carries_the_names_of_its_history(library: Library, ask: Ask) -> None:
    history = (Turn("Who was Neil Armstrong?", "Neil Armstrong was an astronaut."),)
    given = await answer(ask("Where was he born?", history=history), library.dependencies())
    assert "Neil Armstrong" in library.asked[0]
    assert "Wapakoneta" in given.text
    assert given.question == "Where was he born?"


async def test_a_question_has_a_word(library: Library, ask: Ask) -> None:
    with pytest.raises(Refused) as caught:
        await answer(ask(" \u200b\n?! "), library.dependencies())
    assert caught.value.code == "question_empty"
    events = [event async for event in stream(ask(" \u200b\n?! "), library.dependencies())]
    assert [getattr(event, "code", "") for event in events] == ["question_empty"]


async def test_a_stream_ends_with_the_same_answer(library: Library, ask: Ask) -> None:
    events = [event async for event in stream(ask("Who commanded the Apollo 11 mission?"), library.dependencies())]
    assert isinstance(events[0], HitsFound)
    assert any(isinstance(event, Judged) for event in events)
    finished = events[-1]
    assert isinstance(finished, Finished)
    assert "".join(event.text for event in events if isinstance(event, TextPiece)) == finished.answer.text


async def test_without_vectors_words_alone_decide_and_the_answer_says_so(library: Library, ask: Ask) -> None:
    async def down(_: Sequence[str]) -> Vector:
        raise TryLater("embedder_down", "The embedder is down.")

    dependencies = Dependencies(library.retrieve, library.sentence_vectors, down)
    given = await answer(ask("Who commanded the Apollo 11 mission?"), dependencies)
    assert "Neil Armstrong commanded" in given.text
    assert Degraded("sentences", "The embedder is down.") in given.degraded


async def test_vectors_of_another_model_count_as_none(library: Library, ask: Ask) -> None:
    async def longer(texts: Sequence[str]) -> Vector:
        return np.ones((len(texts), 2 * (await library.embed([""])).shape[1]), np.float32)

    question = ask("Who commanded the Apollo 11 mission?")
    given = await answer(question, Dependencies(library.retrieve, library.sentence_vectors, longer))
    assert "Neil Armstrong commanded" in given.text
    hits = library.hits(question.question)
    vectors = await library.sentence_vectors([hit.chunk.id for hit in hits])
    asked = (await longer([question.question]))[0]
    assert extract(question.question, hits, asked, vectors) == extract(question.question, hits, asked, {})


async def test_a_vector_store_that_hangs_leaves_the_reader_its_time(library: Library, ask: Ask) -> None:
    async def hanging(_: Sequence[str]) -> dict[str, Vector]:
        await asyncio.sleep(60)
        raise AssertionError

    async def read(_: str, passages: Sequence[Passage]) -> list[Reading]:
        await asyncio.sleep(0)
        return [Reading((), 1.0) for _ in passages]

    dependencies = msgspec.structs.replace(library.dependencies(), sentence_vectors=hanging, reader=read)
    given = await answer(ask("Who commanded the Apollo 11 mission?", timeout_s=1.0), dependencies)
    assert "Neil Armstrong commanded" in given.text
    assert [lost.source for lost in given.degraded] == ["sentences"]


async def test_what_nobody_read_in_time_is_told_with_a_doubt(library: Library, ask: Ask) -> None:
    async def hanging(_: str, __: Sequence[Passage]) -> list[Reading]:
        await asyncio.sleep(60)
        raise AssertionError

    question = ask("Who commanded the Apollo 11 mission?", timeout_s=1.0)
    verdicts = [(await answer(question, library.dependencies())).verdict]
    given = await answer(question, msgspec.structs.replace(library.dependencies(), reader=hanging))
    assert "Neil Armstrong commanded" in given.text
    assert [*verdicts, given.verdict] == [Verdict.SUPPORTED, Verdict.PARTIALLY_SUPPORTED]
    assert [lost.source for lost in given.degraded] == ["read"]


async def test_lost_sources_are_named_and_a_late_search_is_an_error(library: Library, ask: Ask) -> None:
    async def partial(question: str, top_k: int) -> SearchResult:
        return SearchResult(library.hits(question, top_k), (Degraded("graph", "late"),))

    async def hanging(_: str, __: int) -> SearchResult:
        await asyncio.sleep(60)
        raise AssertionError

    given = await answer(
        ask("Who commanded the Apollo 11 mission?"), Dependencies(partial, library.sentence_vectors, library.embed)
    )
    assert given.degraded == (Degraded("graph", "late"),)
    with pytest.raises(TryLater) as caught:
        await answer(ask("Who?", timeout_s=0.2), Dependencies(hanging, library.sentence_vectors, library.embed))
    assert caught.value.code == "retrieve_late"


async def test_a_reranker_reorders_and_its_failure_keeps_the_order(library: Library, ask: Ask) -> None:
    class Backwards:
        name = "backwards"

        async def score(self, query: str, passages: Sequence[str]) -> list[float]:
            return [float(index) for index in range(len(passages))]

    class Down:
        name = "down"

        async def score(self, query: str, passages: Sequence[str]) -> list[float]:
            raise TryLater("reranker_down", "The reranker is down.")

    question = "Who commanded the Apollo 11 mission?"
    plain = await answer(ask(question), library.dependencies())
    turned = await answer(ask(question), library.dependencies(reranker=Backwards(), rerank=Rerank.CROSS_ENCODER))
    failed = await answer(ask(question), library.dependencies(reranker=Down(), rerank=Rerank.CROSS_ENCODER))
    ids = [hit.chunk.id for hit in plain.hits]
    assert [hit.chunk.id for hit in turned.hits] == ids[::-1]
    assert [hit.rank for hit in turned.hits] == [1, 2, 3]
    assert [hit.chunk.id for hit in failed.hits] == ids
    assert Degraded("rerank", "The reranker is down.") in failed.degraded
