"""What holds of a value that was changed, and a list within its sentence."""

from __future__ import annotations

import pytest

from trivium.domain.chunks import Chunk, Span
from trivium.domain.retrieval import Hit
from trivium.text.sentences import split_sentences
from trivium_query.answer.direct.changes import as_it_holds
from trivium_query.answer.direct.focus import focus_of, is_elsewhere
from trivium_query.answer.direct.hops import Found
from trivium_query.answer.direct.labels import labelled_in
from trivium_query.answer.direct.listed import list_around

FEE = "The fee goes up from £48 to £54 a year, the first rise since 2017."
MOVED = "In May we moved from the Railway Arms to the old library in Tanner Street."
POLICY = "Policy no. 20871, valid from 1 May 2025 to 30 April 2026."
SCHOOLS = "We also go to three schools: Elm Road, St Bride's and the Corran Academy."


def hit(text: str, document: str = "d", rank: int = 1) -> Hit:
    sentences = tuple(split_sentences(text))
    name = f"{document}{rank}"
    return Hit(Chunk(name, document, "v", 0, text, Span(0, len(text)), "file.md", sentences=sentences), rank, 1.0)


def found(text: str, span: str) -> Found:
    return Found(hit(text), text.index(span), text.index(span) + len(span), 1.0, "")


@pytest.mark.parametrize(
    ("question", "text", "read", "holds"),
    [
        ("What do members pay after the rise?", FEE, "£48", "£54"),
        ("What is the fee?", FEE, "48", "£54"),
        ("What did members pay before?", FEE, "£54", "£48"),
        ("What is the fee now?", FEE, "£48 to £54", "£54"),
        ("What was the fee before that?", FEE, "£48 to £54", "£48"),
        ("How long before the visit do I pay?", FEE, "£48", "£54"),
        ("What was the fee?", FEE, "£48", "£48"),  # then or now: it does not say
        ("Where do they meet?", MOVED, "Railway Arms", "old library"),
        ("From where did they move?", MOVED, "Railway Arms", "Railway Arms"),
        ("What fuse is in it?", "It had a fuse of 10 A instead of 4 A.", "4 A", "10 A"),
        ("What fuse should it have?", "It had a fuse of 10 A instead of 4 A.", "10", "4 A"),
        ("When is it open?", "It is open from 9 to 17.", "9", "9"),  # nothing changed
        ("When does the policy end?", POLICY, "1 May 2025", "30 April 2026"),
        ("When does the policy end?", POLICY, "1 May 2025 to 30 April 2026", "30 April 2026"),
        ("When does the policy start?", POLICY, "30 April 2026", "1 May 2025"),
        ("Until when is the desk there?", "The desk is there from 8 am to 6 pm.", "8 am", "6 pm"),
    ],
)
def test_of_a_change_the_new_value_holds_unless_the_old_one_is_asked_for(
    question: str, text: str, read: str, holds: str
) -> None:
    assert as_it_holds(question, found(text, read)).text == holds


@pytest.mark.parametrize(
    ("question", "text", "read", "told"),
    [
        ("Which schools do they visit?", SCHOOLS, "Elm Road", "Elm Road, St Bride's and the Corran Academy"),
        ("In which schools do they play?", SCHOOLS, "St Bride's", "Elm Road, St Bride's and the Corran Academy"),
        ("Which parts wear?", "Needles, bulbs and belts.", "Needles", "Needles, bulbs and belts"),
        ("Which school do they visit?", SCHOOLS, "Elm Road", ""),
        ("Which rooms are free?", "The sauna and the boats are free for guests.", "sauna", "sauna and the boats"),
        ("Which rooms are free?", "The sauna and, at times, the boats are.", "sauna", ""),
    ],
)
def test_who_asks_for_several_gets_the_list_of_the_sentence(question: str, text: str, read: str, told: str) -> None:
    listed = list_around(question, found(text, read))
    assert (listed.short if listed else "") == told


def test_a_title_and_a_clause_are_no_labels() -> None:
    text = "Marlow Chess Club: Annual Report\nSo we now have: 84 guests\nSecretary: Ida Holm"

    def labelled(question: str) -> list[str]:
        return [text[one.start : one.end] for one in labelled_in(question, hit(text), ("marlow chess club",))]

    assert labelled("Who is the secretary of Marlow Chess Club?") == ["Ida Holm"]
    assert labelled("How many guests has Marlow Chess Club now?") == []


def test_a_document_without_the_name_is_elsewhere_where_several_passages_of_one_are_there() -> None:
    hits = [hit("Paid leave is 20 days.", "other"), hit("At Quillon it is 27.", "own", 2), hit("Leave", "own", 3)]
    focus = focus_of(hits, ("quillon",))
    assert is_elsewhere(hits[0], focus)
    assert not is_elsewhere(hits[2], focus)
    assert not is_elsewhere(hits[0], focus_of(hits))
    assert not is_elsewhere(hits[0], focus_of(hits[:2], ("quillon",)))  # of one passage each, as in encyclopaedias
