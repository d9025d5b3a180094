"""Short answers read off passages, step by step where a question needs steps, through HTTP."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from .conftest import Server

DOCUMENTS = {
    "harbour.md": "# Vessby Harbour\n\nVessby Harbour was designed by Karin Holt. Its outer mole is 640 metres long.",
    "holt.md": "# Karin Holt\n\nKarin Holt (3 March 1881, Lund - 9 May 1952, Visby) was a Swedish engineer."
    " She was married to the painter Nils Falk.",
    "falk.md": "# Nils Falk\n\nNils Falk (12 June 1876, Malmö - 1 August 1940, Paris) was a Swedish painter of coasts.",
    "rask.md": "# Otto Rask\n\nOtto Rask (1 May 1890, Aarhus - 4 July 1961, Odense) was a Danish geologist.",
    "crane.md": "# Grey Crane\n\nThe Grey Crane is not open to visitors. It was built in 1911 and lifts 40 tons.",
    "trip.txt": "Boat trip to Oxley Meadow\nSkipper: Petra Lund\nPrice: 7 euros"
    "\n\nRaffle\nFirst prize: a canoe\nDrawn by Tomas Leeds at 16:30",
    "sorrel.md": "# Why Lake Sorrel turns red\n\nLake Sorrel in the north of Vessland is red each August. The colour"
    " comes from the alga Carmina tetra, which needs warm water.\n\nBoats are welcome on Lake Sorrel, but signs ask for"
    " slow rowing, since splashing scares the herons.",
    "skerry.md": "# Skerry Light\n\nThe last keeper of Skerry Light was Anders Vold, who lived there with his wife Tove"
    " for 22 years. At its closing spoke Marit Lie (mayor) and Jon Berg.",
    "minutes.md": "# Minutes of the rowing club, 12 May 2025\n\nThe balance is 41 euros.\n\nA vote on the boathouse was"
    " postponed to the next meeting on 8 September.",
    "pump.md": "# Pump Velo 3\n\n## Error codes\n\nE2: the filter is blocked.\n\nE7: the motor is too hot.",
    "faq.md": "# Questions about the map room\n\n**How long is a loan?** Four weeks. It can be renewed twice.\n\n"
    "**Who looks after the old maps?** Ines Marlow, on the second floor.\n\n"
    "**How do I renew a loan?** Write to the desk before it ends, or ring.\n\n"
    "**Can I take an atlas home?** No. Atlases are read in the room.",
    "lease.md": "# Lease of 7 Quay Lane\n\nBetween Ferris Holdings (the landlord) and Amara Bello (the tenant).",
    "outage.md": "# Outage of the mail gateway\n\n1,140 users were affected. Mail was down for 3 hours and 9 minutes."
    "\n\nRoot cause: the reminder went to somebody who had left.",
    "tram.txt": "Evening on the new tram\nRESIDENT: Will trees be felled?\nASHDOWN: 38 trees must go, and we plant 120"
    " new ones along the line.",
    "ferries.md": "# Ferries from Oxley\n\nFerries of line 14 are diverted over Mill Lane and leave from pier B2.",
    "crystals.txt": "Growing crystals of blue vitriol\n\nHeat the water. Stir in the vitriol until no more dissolves."
    " Hang a thread into it for ten days.",
    "statutes.txt": "Statutes of the Merrow Canoe Club\nThe annual fee is 240 euros for active members, 90 euros for"
    " juniors and 60 euros for supporting members. It is due by 31 January. Forty members form a quorum.",
    "press.txt": "Service book of the Brack 40 press\n\nIts serial number is 80-11-3347. Bought second-hand.",
    "judgment.txt": "REGIONAL COURT OF ELMSTAD\nJudge: Maren Kolb\n\nThe claimant broke her wrist. She could not work"
    " for seven weeks. The defendant bears four fifths of the costs.",
    "blades.md": "# Quillon recycles blades\n\nDamgaard is chief executive, Yildiz leads technology.",
    "marsh.md": "# The Suldal Marsh\n\nThe marsh is a wetland in the east of the Kalden district. The rarest plant is"
    " the fen orchid, which grows only near the old loading ramp. The reserve is looked after by the Orse Valley"
    " Trust, which employs two rangers, Imke Voss and Daniel Prochnow.",
    "leaflet.txt": "What Norvalin is and what it is used for\nNorvalin contains the active substance pelastine. It is"
    " used to treat hay fever and other allergies.\n\nWhat you need to know before you take Norvalin\nDo not drink"
    " grapefruit juice while you take this medicine. Norvalin is not recommended during pregnancy.\n\nManufactured in"
    " Zlin by Moravachem.",
    "obituary.txt": "Helga Brandvold, maker of lamps, dies at 91\n\nHelga Brandvold, who for four decades repaired the"
    " lamps of Norway's lighthouses, died on Friday. The cause was pneumonia, her nephew said.",
    "lamps.txt": "Does morning light help?\n\nThe lead author is Paivi Raunio; Matti Kerola did the statistics.",
    "newsletter.txt": "Newsletter of Kestrel Court\n\nOur new gardener is Tom Vasquez; he follows Ana Roth. The meeting"
    " decided by 41 votes to 17 to plant a walnut tree.",
    "whales.md": "# Whale Hall\n\nIn 2024 Whale Hall had 38,200 visitors, about 4,000 more than the year before.",
    "seacrest.md": "# Seacrest boat cover\n\nSeacrest is sold by Tellmar Brokers and underwritten by Oslo Mutual. A"
    " month of Seacrest costs 28 pounds.\n\n## What is insured\n\n- theft at sea\n- fire on board\n\n"
    "## What is not insured\n\n- races\n- damage by worms\n- trips beyond 20 miles",
    "puffins.md": "# Puffins of Holm Skerry\n\nFive puffin chicks hatched on Holm Skerry. The warden put rings on four"
    " of the puffin chicks; the smallest was left alone. The pond there is harmless to puffins, but"
    " signs ask people not to wade in it.",
    "accounts.csv": "Date,Category,Description,Income,Expense,Paid by\n2024-01-09,Members,Fees,900,,bank\n"
    "2024-02-11,Grants,Town of Aske,350,,bank\n2024-03-02,Training,Coach Liv Aune,,410,card\n"
    "2024-05-20,Grants,Lottery fund,275,,bank\n2024-06-30,Material,Oars,,130,card\n2024-09-14,Training,Coach Ole Rud,,"
    "390,cheque",
    "ward.txt": "Discharge letter\nPatient: Torvald Halden\n\nThe wrist of Torvald Halden was set under anaesthesia. He"
    " stayed for two nights. No crutch was needed.",
    "readers.md": "# Aske Reading Room\n\nThe reading room is open from Tuesday to Saturday. Garden gnomes are welcome"
    " in the court of the Aske Reading Room.",
    "quay.md": "# Oxley Quay\n\nThe mooring fee of Oxley Quay goes up from 48 to 54 euros a week. A new fender costs"
    " 1,850 euros for the whole quay, or 640 for a repair. The quay has three"
    " cranes: Long Meg, Stout Tom and the Widow. The north gate was closed when the ice broke its hinge.",
    "works.csv": "Date,Area,Workers,Remark\n2025-05-15,Roof,7,Scaffold extended\n"
    "2025-05-16,Cellar,2,Pressure test passed\n2025-05-19,Hall,4,Windows delivered\n",
    "baths.md": "# Swimming at Aske Baths\n\nThe diving course planned for November has been dropped.",
    "berths.csv": "Measure,Inner berth,Outer berth\nDepth in m,3.1,5.2\nPrice in euros,12,9\n",
    "lodge.txt": "House rules of the Blue Lodge\nLate guests call +44 20 7946 0112.\nCheck-in is from 3 pm."
    "\nPets are not allowed, except guide dogs.\nSmoking is forbidden in the whole house."
    "\nCheck-out is until 11 am.\nA deposit is taken for the key and given back at check-out.",
}


@pytest.fixture(scope="module")
def read(server: Server, tmp_path_factory: pytest.TempPathFactory) -> Server:
    folder: Path = tmp_path_factory.mktemp("direct")
    for name, text in DOCUMENTS.items():
        (folder / name).write_text(text)
    server.cli("ingest", str(folder), "--root", str(folder))
    return server


def cited(given: dict[str, Any]) -> set[str]:
    return {citation["source"] for citation in given["citations"]}


@pytest.mark.parametrize(
    ("question", "short", "sources"),
    [
        ("Who designed Vessby Harbour?", "Karin Holt", {"harbour.md"}),
        ("How long is the outer mole of Vessby Harbour?", "640 metres", {"harbour.md"}),
        ("Who was the designer of Vessby Harbour married to?", "Nils Falk", {"harbour.md", "holt.md"}),
        ("Where did the designer of Vessby Harbour die?", "Visby", {"harbour.md", "holt.md"}),
        ("Who was born first, Karin Holt or Nils Falk?", "Nils Falk", {"holt.md", "falk.md"}),
        ("Who died later, Otto Rask or Karin Holt?", "Otto Rask", {"rask.md", "holt.md"}),
        ("Are Karin Holt and Nils Falk of the same nationality?", "yes", {"holt.md", "falk.md"}),
        ("Are Karin Holt and Otto Rask from the same country?", "no", {"holt.md", "rask.md"}),
        ("Is the Grey Crane open to visitors?", "no", {"crane.md"}),
        ("Who is the skipper of the boat trip?", "Petra Lund", {"trip.txt"}),
        ("What is the price of the boat trip?", "7 euros", {"trip.txt"}),
        ("Who was the wife of the last keeper of Skerry Light?", "Tove", {"skerry.md"}),
        ("Which ferry line is diverted?", "14", {"ferries.md"}),
        ("From which pier do the ferries leave?", "pier B2", {"ferries.md"}),
        ("Are pets allowed in the Blue Lodge?", "no", {"lodge.txt"}),
        ("Can I smoke in the Blue Lodge?", "no", {"lodge.txt"}),
        ("May I smoke in the Blue Lodge?", "no", {"lodge.txt"}),
        ("Is smoking forbidden in the Blue Lodge?", "yes", {"lodge.txt"}),
        ("Did the pressure test pass?", "yes", {"works.csv"}),
        ("Will there be a diving course in November?", "no", {"baths.md"}),
        ("Who is the landlord of 7 Quay Lane?", "Ferris Holdings", {"lease.md"}),
        ("Who looks after the old maps?", "Ines Marlow", {"faq.md"}),
        ("How many users were affected by the outage?", "1,140", {"outage.md"}),
        ("How much is the annual fee for juniors?", "90 euros", {"statutes.txt"}),
        ("How many members form a quorum?", "Forty", {"statutes.txt"}),
        ("annual fee juniors canoe club", "90 euros", {"statutes.txt"}),
        ("serial number Brack 40 press", "80-11-3347", {"press.txt"}),
        ("When is the annual fee of the canoe club due?", "31 January", {"statutes.txt"}),
        ("Who is the judge?", "Maren Kolb", {"judgment.txt"}),
        ("How long could the claimant not work?", "seven weeks", {"judgment.txt"}),
        ("Who is the chief executive of Quillon?", "Damgaard", {"blades.md"}),
        ("Who looks after the reserve?", "Orse Valley Trust", {"marsh.md"}),
        ("Where does the fen orchid grow?", "near the old loading ramp", {"marsh.md"}),
        ("Where is Norvalin manufactured?", "Zlin", {"leaflet.txt"}),
        ("Who did the statistics?", "Matti Kerola", {"lamps.txt"}),
        ("Who was the mayor at the closing of Skerry Light?", "Marit Lie", {"skerry.md"}),
        ("Who underwrites Seacrest?", "Oslo Mutual", {"seacrest.md"}),
        ("Did Torvald Halden need a crutch?", "no", {"ward.txt"}),
        ("Are garden gnomes allowed in the court?", "yes", {"readers.md"}),
        ("Is the pond of Holm Skerry dangerous to puffins?", "no", {"puffins.md"}),
        ("Is the reading room open on Mondays?", "no", {"readers.md"}),
        ("Is the reading room open on Thursdays?", "yes", {"readers.md"}),
        ("Who designed Vessby Harbour, and how long is its outer mole?", "Karin Holt; 640 metres", {"harbour.md"}),
        ("How much is the annual fee for juniors and when is it due?", "90 euros; 31 January", {"statutes.txt"}),
        ("How much is the mooring fee of Oxley Quay now?", "54 euros", {"quay.md"}),
        ("How much was the mooring fee of Oxley Quay before?", "48", {"quay.md"}),
        ("How much would a repair of the fender cost?", "640", {"quay.md"}),
        ("Which cranes are at Oxley Quay?", "Long Meg, Stout Tom and the Widow", {"quay.md"}),
        ("Which is deeper, the inner berth or the outer berth?", "outer berth", {"berths.csv"}),
    ],
)
def test_a_few_words_answer_and_every_step_is_cited(read: Server, question: str, short: str, sources: set[str]) -> None:
    given = read.ask(question)
    assert given["short"] == short, given
    assert sources <= cited(given), given
    assert given["found"]
    assert 0.0 <= given["probability"] <= 1.0


@pytest.mark.parametrize(
    ("question", "misleading"),
    [
        ("How many visitors did Whale Hall have in 2023?", "38,200"),
        ("How many of the puffin chicks were not ringed?", "four"),
    ],
)
def test_what_is_told_of_something_else_is_not_sure(read: Server, question: str, misleading: str) -> None:
    given = read.ask(question)
    assert misleading in given["text"]
    assert given["verdict"] == "PARTIALLY_SUPPORTED", given


def test_a_reranker_that_is_not_there_costs_its_order_alone(read: Server) -> None:
    answer = json.loads(read.cli("ask", "--rerank", "llm", "--json", "Who designed Vessby Harbour?").stdout)
    assert answer["short"] == "Karin Holt"
    assert [lost["source"] for lost in answer["degraded"]] == ["rerank"]


@pytest.mark.parametrize("question", ["What is the capital of Peru?", "When did Norwich win the World Cup?"])
def test_what_the_documents_do_not_hold_is_not_found(read: Server, question: str) -> None:
    given = read.ask(question)
    assert (given["found"], given["short"], given["verdict"]) == (False, "", "NOT_SUPPORTED"), given


@pytest.mark.parametrize(
    "question",
    [
        "How many more votes were there for the walnut tree than against it?",
        "How did Ana Roth leave Kestrel Court?",
    ],
)
def test_what_no_sentence_says_in_that_form_is_not_told_in_short_nor_as_sure(read: Server, question: str) -> None:
    answer = read.ask(question)
    assert answer["verdict"] != "SUPPORTED", answer


@pytest.mark.parametrize(
    ("question", "told", "not_told"),
    [
        ("What does E7 mean?", "the motor is too hot", "filter"),
        ("How do I grow crystals of blue vitriol?", "Stir in the vitriol", "none"),
        ("Why is Lake Sorrel red?", "comes from the alga", "herons"),
        ("How long is a loan of the map room?", "Four weeks", "twice"),
        ("May I take an atlas home with me?", "No. ", "yes"),
        ("How can I have a loan renewed?", "Write to the desk before it ends", "none"),
        ("How long was mail down?", "3 hours", "1,140"),
        ("What caused the outage of the mail gateway?", "Root cause", "1,140"),
        ("When is the next meeting of the rowing club?", "8 September", "12 May"),
        ("What is Norvalin used for?", "hay fever", "pelastine"),
        ("Can I take Norvalin during pregnancy?", "not recommended during pregnancy", "grapefruit"),
        ("What did Helga Brandvold die of?", "Brandvold", "lamps"),
        ("When do I have to check out of the Blue Lodge?", "11 am", "7946"),
    ],
)
def test_what_only_looks_like_an_answer_is_not_given(read: Server, question: str, told: str, not_told: str) -> None:
    given = read.ask(question)
    assert told in given["text"], given
    assert not_told not in given["short"], given
    assert not (given["verdict"] == "SUPPORTED" and not_told in given["text"]), given


@pytest.mark.parametrize(
    ("question", "items", "other"),
    [
        ("What is not insured by Seacrest?", ["races", "damage by worms", "trips beyond 20 miles"], "theft"),
        ("What is insured by Seacrest?", ["theft at sea", "fire on board"], "races"),
    ],
)
def test_a_list_under_a_heading_of_the_question_is_told_whole(
    read: Server, question: str, items: list[str], other: str
) -> None:
    given = read.ask(question)
    assert all(item in given["text"] for item in items), given
    assert other not in given["text"], given
    assert given["verdict"] == "SUPPORTED"


@pytest.mark.parametrize(
    ("question", "short"),
    [
        ("How many payments were made by card?", "2"),
        ("What was the income from grants?", "625"),
        ("How much was spent on training in 2024?", "800"),
    ],
)
def test_rows_of_accounts_are_counted_and_added_up(read: Server, question: str, short: str) -> None:
    given = read.ask(question)
    assert (given["short"], given["engine"]) == (short, "tables"), given


def test_two_questions_in_one_are_one_where_the_caller_sets_the_kind(read: Server) -> None:
    question = "Who designed Vessby Harbour, and how long is its outer mole?"
    assert read.ask(question)["short"] == "Karin Holt; 640 metres"
    forced = read.ask(question, kind="reason")
    assert (forced["kind"], ";" in forced["short"]) == ("reason", False)
