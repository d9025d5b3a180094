"""Which option of a manual is named or meant, where the search did not find its entry."""

from __future__ import annotations

import pytest

from trivium.domain.answers import Verdict
from trivium.domain.chunks import Chunk
from trivium_query.answer.answerers.closest import cited
from trivium_query.answer.answerers.listing import Collection
from trivium_query.answer.answerers.option_meant import (
    answer_by_option_meant,
    lacking,
    options_near,
    with_its_name,
    with_options,
)
from trivium_query.answer.citations import Draft

from .conftest import Library

OPTIONS = (
    "-r, --reverse\nReverse the output so that the newest hives are shown first.",
    "-q, --quiet\nSay nothing of bees.",
    "-k\nLook at kernels alone.",
)
OPTION = "-r, --reverse"
NOT_WAKE = "How do I not wake the bees with skep?"


class Documents:
    """The passages of a library's documents."""

    def __init__(self, library: Library) -> None:
        self.library = library

    async def passages(self, document_id: str, version: str) -> list[Chunk]:
        return [chunk for chunk in self.library.chunks if (chunk.document_id, chunk.version) == (document_id, version)]


def manual(library: Library) -> Library:
    library.add("skep.txt", "skep keeps hives and tells the hours of them.\n\n-h, --help\nPrint this.")
    for number, text in enumerate(OPTIONS, 2):
        library.add("skep.txt", text, number=number)
    library.add("letters.txt", "Anna wrote of hives.")
    return library


async def asked(question: str, library: Library) -> tuple[list[str], str, Verdict | None]:
    """The hits' texts, the option that is said to be meant, and how surely; where one passage was found."""
    hits = library.hits("skep keeps hives hours", 1)
    if manuals := lacking(question, hits):
        documents: Collection = Documents(library)  # type: ignore[assignment]
        hits = await with_options(question, hits, manuals, documents, library.embed)
    answered = answer_by_option_meant(question, await options_near(question, hits, library.embed), hits)
    return [hit.chunk.text for hit in hits], *((answered.draft.short, answered.verdict) if answered else ("", None))


@pytest.fixture
def page(library: Library) -> Library:
    return manual(library)


async def test_the_entry_of_an_option_that_is_named_comes_first(page: Library) -> None:
    texts, _, _ = await asked("What does skep -k do?", page)
    assert texts[0] == OPTIONS[2]
    assert len(texts) == 2


async def test_the_option_that_does_what_is_asked_is_found_in_the_whole_manual(page: Library) -> None:
    _, option, verdict = await asked("Which skep option has the newest hives shown first?", page)
    assert (option, verdict) == ("-r, --reverse", Verdict.SUPPORTED)
    _, option, verdict = await asked("How do I make skep reverse its hives?", page)
    assert (option, verdict) == ("-r, --reverse", Verdict.PARTIALLY_SUPPORTED)


@pytest.mark.parametrize(
    "question",
    [
        "How do I feed the newest hives?",  # of no manual
        "Who shows the newest hives first?",
        "What does skep do?",
        "Which skep option was shown to the newest queen?",
    ],
)
async def test_what_asks_for_no_option_is_left_to_others(page: Library, question: str) -> None:
    texts, option, _ = await asked(question, page)
    assert option == ""
    assert len(texts) == 1


@pytest.mark.parametrize("question", ["How do I uninstall skep?", "How can I use skep so that it makes honey?"])
async def test_what_no_option_has_a_word_of_is_left_to_others(question: str, page: Library) -> None:
    page.add("skep.txt", "-V, --version\nPrint the version that the skep uses.", number=9)
    _, option, _ = await asked(question, page)
    assert option == ""


@pytest.mark.parametrize("question", ["Which option has the newest hives shown first?", "How do I reverse hives?"])
async def test_of_a_manual_that_is_not_named_no_option_is_guessed(page: Library, question: str) -> None:
    hits = page.hits("newest hives reverse", 5)
    assert lacking(question, hits) == ()
    assert answer_by_option_meant(question, await options_near(question, hits, page.embed), hits) is None


@pytest.mark.parametrize(("question", "sure"), [("How do I wake the bees with skep?", False), (NOT_WAKE, True)])
async def test_an_option_that_never_does_it_is_not_sure(question: str, sure: bool, page: Library) -> None:
    page.add("skep.txt", "-n, --no-wake\nDo not wake the bees.", number=9)
    answered = answer_by_option_meant(question, await options_near(question, page.hits(question), page.embed), ())
    assert answered is not None
    assert (answered.draft.short, answered.verdict is Verdict.SUPPORTED) == ("-n, --no-wake", sure)


async def test_few_manuals_are_read(page: Library) -> None:
    for number in range(5):
        page.add(f"skep-{number}.txt", OPTIONS[0])
    assert len(lacking("How do I make skep reverse?", page.hits("newest hives reverse", 9))) == 3


@pytest.mark.parametrize(
    ("question", "sentence", "short"),
    [
        ("How do I see the newest first?", "Reverse the output so that the newest hives are shown first.", OPTION),
        ("Why does it say nothing?", "Say nothing of bees.", ""),  # asks for no option
        ("How do I keep hives?", "skep keeps hives and tells the hours of them.", ""),  # of none
    ],
)
def test_what_an_option_does_is_told_with_its_name(question: str, sentence: str, short: str, page: Library) -> None:
    hits = page.hits("newest hives reverse skep bees", 5)
    (hit,) = (one for one in hits if sentence in one.chunk.text)
    lines, citations = cited([(hit, sentence)], hits)
    draft = with_its_name(question, Draft(lines[0], True, citations), hits)
    assert draft.short == short
    assert draft.text.startswith(short or sentence)
    assert draft.citations[0].quote in hit.chunk.text
