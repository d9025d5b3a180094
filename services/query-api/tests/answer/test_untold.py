"""The thing is there, what is asked of it is not: no amount, no name, not which ones, nobody in the row."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import pytest

from trivium.domain.chunks import Chunk, Span
from trivium.domain.parsed import Position, UnitKind
from trivium.domain.retrieval import Hit
from trivium.ports.inference import Passage, Reading, ReadSpan
from trivium.text.sentences import split_sentences
from trivium_query.answer.answer import answer
from trivium_query.answer.direct import answer_directly as directly
from trivium_query.answer.direct.answer_directly import answer_directly
from trivium_query.answer.direct.confidence import Confidence
from trivium_query.answer.direct.untold import is_under_no_label, is_untold
from trivium_query.answer.extractive import extract
from trivium_query.requests import AskRequest

if TYPE_CHECKING:
    from conftest import Library


@pytest.mark.parametrize(
    ("question", "short", "said", "untold"),
    [
        ("What does the stove cost?", "18 kg", "The hopper holds 18 kg.", True),
        ("How expensive is the stove?", "18 kg", "The hopper holds 18 kg.", True),
        ("What does the stove cost?", "1,400", "The stove costs 1,400.", False),
        ("What does the stove cost?", "EUR 1,400", "The stove: EUR 1,400.", False),
        ("What does the stove cost?", "2.6 million", "It came to 2.6 million.", False),
        ("What is the fee?", "5 %", "It is 5 % of the sum.", False),
        ("What is the price of breakfast?", "8", "Breakfast is from 6 to 8.", True),
        ("How much was the piano worth?", "eleven", "He spent eleven nights in a hotel.", True),
        ("How much did they pay for the glasses?", "96", "288 nurses took part, 96 in each group.", True),
        ("How much did they pay for the glasses?", "20p", "The glasses were 20p.", False),
        ("How much did they pay for the glasses?", "50", "They got them for 50.", False),
        ("How much did they pay for the glasses?", "50", "Boxes for 50 glasses are here.", True),
        ("How much does she earn?", "2,300", "She takes home 2,300 a month.", False),
        ("What does a ticket cost?", "12", "Adults 12, children 6.", True),
        ("What does the hall cost?", "30 an hour", "It is let at 30 an hour.", False),
        ("What does a ticket cost?", "4.50", "Tickets are 4.50 at the door.", False),
        ("What does a ticket cost?", "12.\u2013", "Adults: 12.\u2013", False),
        ("What does a ticket cost?", "120 kr", "Adults: 120 kr", False),
        ("What does a ticket cost?", "Fr. 3", "Adults: Fr. 3", False),
        ("What does a ticket cost?", "$12", "Adults: US$12", False),
        ("What does a ticket cost?", "12 quid", "Adults get in for 12 quid.", False),
        ("How much did the bridge cost?", "12m", "It was built for £12m.", False),
        ("How much did the delay cost?", "three weeks", "The delay cost three weeks.", False),
        ("What is the charge time of the bike?", "4 hours", "It is full after 4 hours.", False),
        ("How much time does it cost?", "nine minutes", "It takes nine minutes more.", False),
        ("How many members pay the full fee?", "312", "312 took the large plan.", False),
        ("When is the fee due?", "3 May", "It falls due on 3 May.", False),
        ("How long is the cord?", "265 watts", "It takes 265 watts.", True),
        ("How long is the cord?", "2 m", "The cord is 2 m, the power 265 watts.", False),
        ("How long is the list?", "41", "41 people are on it.", False),
        ("How long does a filter last?", "500 litres", "A filter is for 500 litres.", False),
        ("How far did the fare fall?", "2 euros", "It fell by 2 euros.", False),
        ("How heavy was the snowfall?", "12 inches", "12 inches fell.", False),
        ("How hot must the oven be?", "gas mark 4", "Bake at gas mark 4.", False),
        ("How high is the excess?", "150 euros", "It is 150 euros.", False),
        ("At what temperature are towels washed?", "2.60 euros", "Washing a piece is 2.60 euros.", True),
        ("At what temperature are towels washed?", "60 °C", "They are washed at 60 °C.", False),
        ("What is the name of the man who bought it?", "vet", "He sold it to a vet from Thorley.", True),
        ("What is the coach firm called?", "car park of the pool", "It leaves from the car park of the pool.", True),
        ("What is the name of the guest?", "Liv", "One guest has an allergy (Liv will send you the name).", True),
        ("What is the name of the ship?", "Aurora", "Ada will give the ship its name Aurora in May.", False),
        ("Who sends the name?", "Liv", "One guest has an allergy (Liv will send you the name).", False),
        ("What is the name of the tool?", "bacula", "We save with bacula every night.", False),
        ("What is a group of lions called?", "pride", "Lions live in a pride of up to 30.", False),
        ("What is the name of the illness the man had?", "the gout", "The man had the gout.", False),
        ("What was the owner's name?", "vet", "He sold it to a vet from Thorley.", True),
        ("What is her surname?", "cook", "She is the cook.", True),
        ("What is the name of the dish?", "fish pie", "Every Friday there is fish pie.", False),
        ("What is the cake called?", "parkin", "The cake is called parkin.", False),
        ("What is the name of the man who bought it?", "Ada Finch", "He sold it to Ada Finch.", False),
        ("Which two stalls owe the rent?", "", "Two stalls are behind with the rent.", True),
        ("Which two stalls owe the rent?", "Lund", "Two stalls owe the rent: Lund and Petri.", False),
        ("Which two stalls owe the rent?", "fish and bread", "The two stalls with fish and bread owe it.", False),
        ("Which two stalls owe the rent?", "", "Both owe it, Lund since May.", False),
        ("Which two stalls owe the rent?", "Lund", "The two who owe it are Lund and Petri.", False),
        ("Which two stalls owe the rent?", "Fish", "Two stalls owe it, fish and bread.", False),
        ("Which two stalls owe the rent?", "", "Stalls 2 and 5 owe it.", False),
        ("Which one of the stalls is green?", "fish", "The green one is the fish stall.", False),
        ("Who found the ring?", "a child", "A child found the ring that somebody had lost.", False),
        ("Who had borrowed the spade?", "", "The spade that somebody borrowed is back.", True),
        ("Who had borrowed the spade?", "Bello", "Bello had borrowed it from somebody.", False),
        ("Who owes the rent?", "", "Two stalls are behind with the rent.", False),
    ],
)
def test_what_was_read_may_not_be_what_is_asked_for(question: str, short: str, said: str, *, untold: bool) -> None:
    assert is_untold(question, short, said) is untold


LOAN = "Title: The Salt Orchard; Kind: novel; Borrower: Edna Wragg; Due: 2024-03-11"


@pytest.mark.parametrize(
    ("question", "row", "untold"),
    [
        ("Who is the author of The Salt Orchard?", LOAN, True),
        ("Who is the borrower of The Salt Orchard?", LOAN, False),
        ("Who took The Salt Orchard?", LOAN, False),
        ("Who sewed the captain's coat?", "Item: Captain's coat; Colour: navy; Rail: E; On loan to: in stock", True),
        ("Who is the owner of the van?", "Van: 3; Owned by: Ada Finch", False),
        ("Who is the author of Tides?", "Title: Tides; Auth.: A. Finch", False),
        ("Who is the treasurer?", "Office: Treasurer; Held by: Ada Finch", False),
        ("Who is the manager in Lund?", "Branch: Lund; Contact: Ada Finch", False),
        ("Who teaches Latin?", "Subject: Latin; Staff: Ms Finch", False),
        ("Who lives in flat 3?", "Flat: 3; Tenant: Ada Finch", False),
        ("Who plays the Queen?", "Role: Queen; Cast: A. Finch", False),
        ("Who plays the Queen?", "Role: Queen; Cast: open", True),
        ("What does E404 stand for?", "Code: E404; Meaning: not found", False),
        ("Which colour is the coat?", "Item: coat; Col.: navy", False),
        ("Which book did Ada Finch take?", "Title: Tides; Borrower: Ada Finch", False),
        ("What is the price of tea?", "Item: Tea; £: 3", False),
        ("What is the price of tea?", "Item: Tea; Cost: 3", False),
        ("What does tea cost?", "Item: Tea; Small: 2.50; Large: 3.50", False),
        ("How much does Ada earn?", "Name: Ada; Salary: 45000", False),
        ("How much did the scaffold cost?", "Area: Roof; Workers: 7; Remark: Scaffold extended", True),
        ("How much did the scaffold cost?", "Item: Scaffold; Price: 40", False),
        ("How much did the scaffold cost?", "Item: Scaffold; Amount (EUR): 40", False),
        ("finishing time of Gareth Pym", "Rider: Gareth Pym; Time: 3:22:31", False),
        ("What is the name of the cook?", "The cook comes from Lyon.", False),  # no row
    ],
)
def test_a_row_has_a_label_for_what_it_tells(question: str, row: str, *, untold: bool) -> None:
    assert is_under_no_label(question, row) is untold


async def test_a_row_without_the_column_that_is_asked_for_is_no_answer(
    library: Library, ask: Callable[..., AskRequest]
) -> None:
    library.add("loans.csv", f"{LOAN}\nTitle: Tides; Kind: novel", kind=UnitKind.TABLE, position=Position(rows=(2, 3)))
    given = await answer(ask("Who is the author of The Salt Orchard?"), library.dependencies())
    assert not given.found
    assert "The Salt Orchard" in given.text  # among the closest passages
    assert (await answer(ask("What kind is The Salt Orchard?"), library.dependencies())).found


async def test_a_row_in_another_language_lacks_no_english_label(
    library: Library, ask: Callable[..., AskRequest]
) -> None:
    row = "Titel: Ebbe und Flut; Verfasst von: Ada Finch; Erschienen: Juni"
    library.add("buecher.csv", row, kind=UnitKind.TABLE, position=Position(rows=(2, 2)))
    assert (await answer(ask("Who is the author of Ebbe und Flut?"), library.dependencies())).found


def test_what_stands_before_may_tell_that_bare_numbers_are_prices() -> None:
    asked = ("What does a ticket cost?", "12", "Adults 12, children 6.")
    assert not is_untold(*asked, "Admission fees")
    assert is_untold(*asked, "Seats")


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("The stove takes 18 kg.", False),
        ("The stove costs 18 euros.", True),
        ("Der Ofen kostet 18 im Handel, und er steht in der Küche.", True),  # no English word tells of money
    ],
)
async def test_another_amount_than_the_one_that_is_asked_for_is_not_found(
    text: str, *, found: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def read(_: str, passages: Sequence[Passage]) -> list[Reading]:
        at = text.index("18")
        return [Reading((ReadSpan(at, at + 2, 9.0, 0.9),), 0.0) for _ in passages]

    monkeypatch.setattr(directly, "confidence", lambda *_: Confidence(0.9, 0.9))
    hit = Hit(Chunk("c", "d", "1", 0, text, Span(0, len(text)), "d", split_sentences(text)), 1, 1.0)
    question = "How much does the stove cost?"
    assert (await answer_directly(question, extract(question, [hit], None, {}), [hit], read)).draft.found is found
