"""Who does it without a name, who else does, which of two described things it is, a list under its first line."""

from __future__ import annotations

import pytest

from trivium.domain.answers import Verdict
from trivium.domain.chunks import Chunk, Span
from trivium.domain.retrieval import Hit
from trivium.text.sentences import split_sentences
from trivium_query.answer.answerers.definition import answer_by_definition
from trivium_query.answer.answerers.enumeration import answer_by_items
from trivium_query.answer.answerers.procedure import answer_by_steps
from trivium_query.answer.answerers.reason import answer_by_reason
from trivium_query.answer.direct.agents import acts_on_what_is_asked, agents_in
from trivium_query.answer.direct.alternatives import weigh
from trivium_query.answer.direct.hops import Found
from trivium_query.answer.direct.labels import named_as_in
from trivium_query.answer.direct.short import trimmed, with_partners
from trivium_query.answer.evidence import analyse, candidates
from trivium_query.answer.extractive import extract


def hit(text: str, number: int = 1, title: str = "") -> Hit:
    sentences = tuple(split_sentences(text))
    place = Span(0, len(text))
    chunk = Chunk(f"c{number}", f"d{number}", "v", 0, text, place, "file.md", title=title, sentences=sentences)
    return Hit(chunk, number, 1.0)


@pytest.mark.parametrize(
    ("question", "text", "agent"),
    [
        ("Who mows the lawn?", "The tenant mows the lawn. The owner repairs the fence.", "The tenant"),
        ("Who repairs the fence?", "The lawn is mown by the tenant; the fence is repaired by the owner.", "the owner"),
        ("Who will open the hall?", "The caretaker and Rita Moss will open the hall.", "The caretaker and Rita Moss"),
        ("Who signs with the cashier?", "The chair and the cashier sign with a seal.", "The chair"),
        ("Who takes cats?", "Cats are not kept here; Frau Lindqvist in Mellby takes them.", "Frau Lindqvist"),
        ("Who decides in fog?", "If fog comes, Karin on the bridge decides, nobody else.", "Karin"),
        ("Who wrote the play?", "The play was written by Anna Berg in 1910.", "Anna Berg"),
        ("Who leads the removal?", "The removal is led by the engineer Ilse Brandt.", "Ilse Brandt"),
    ],
)
def test_who_does_it_is_the_verbs_subject_or_stands_behind_by(question: str, text: str, agent: str) -> None:
    assert [text[one.start : one.end] for one in agents_in(question, hit(text))] == [agent]


@pytest.mark.parametrize(
    ("question", "text", "span", "acts"),
    [
        (
            "What is the fish ladder at Corrin?",
            "In 2016 Ilse Brandt built the fish ladder at Corrin.",
            "Ilse Brandt",
            True,
        ),
        ("What is the capital of Peru?", "Lima, the capital of Peru, lies on the coast.", "Lima", False),
        ("What is the capital of Peru?", "Lima is the capital of Peru.", "Lima", False),
        ("What is the fish ladder?", "Fish climb the weir by the fish ladder.", "weir", True),
        ("Who is the mayor?", "Ilse Brandt met the mayor.", "Ilse Brandt", False),
    ],
)
def test_who_acts_on_a_thing_is_not_what_it_is(question: str, text: str, span: str, *, acts: bool) -> None:
    start = text.index(span)
    found = Found(hit(text), start, start + len(span), 1.0, question)
    assert acts_on_what_is_asked(question, found) is acts


def test_of_another_deed_nobody_is_told() -> None:
    text = "The tenant mows the lawn. The fence is old."
    assert not list(agents_in("Who repairs the fence?", hit(text)))
    assert not list(agents_in("Who is the tenant?", hit(text)))
    assert not list(agents_in("Who takes pills?", hit("Stop taking pills before the visit.")))
    assert not list(agents_in("Who cleans the filter?", hit("Never clean the filter with soap.")))


@pytest.mark.parametrize(
    ("question", "text", "read", "told"),
    [
        ("Who are the judges?", "The judges are Ms Ida Holm and Mr Per Lund.", "Ida Holm", "Ida Holm and Mr Per Lund"),
        (
            "Who built it?",
            "It was built by Ida Holm, Per Lund and Eva Moe.",
            "Per Lund",
            "Ida Holm, Per Lund and Eva Moe",
        ),
        ("Who may fire it?", "Only Ida, Per and Eva may.", "Per and Eva", "Ida, Per and Eva"),
        ("Who was the judge?", "The judge Ida Holm and Per Lund spoke.", "Ida Holm", "Ida Holm"),
    ],
)
def test_names_joined_by_and_are_told_together_unless_one_is_asked_for(
    question: str, text: str, read: str, told: str
) -> None:
    found = Found(hit(text), text.index(read), text.index(read) + len(read), 1.0, question)
    start, end = with_partners(question, found)
    assert text[start:end].removeprefix("Ms ") == told


def test_a_party_is_named_before_the_word_that_stands_for_it() -> None:
    text = 'Between Mr Per Lund ("the seller") and Ms Ida Holm ("the buyer").'
    assert [text[one.start : one.end] for one in named_as_in("Who is the buyer?", hit(text))] == ["Ms Ida Holm"]


def test_the_number_of_a_section_is_no_amount() -> None:
    text = "4. Deposit. The deposit is two rents."
    assert trimmed(Found(hit(text), 0, 10, 1.0, "How much is the deposit?"), "number") == (3, 10)


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("Is a rowing boat or a sailing boat cheaper?", "rowing boat"),
        ("Which costs more, a rowing boat or a sailing boat?", "sailing boat"),
        ("Which is heavier, the oak door or the pine door?", "oak door"),
        ("Whose guarantee is longer, Toller's or Highmoor's?", "Highmoor"),  # not by what the offers cost
        ("Which takes longer, the ferry or the bus?", "bus"),  # minutes and hours
        ("Does the Plus or the Team plan allow the bigger attachments?", "Team plan"),  # "plan" stands in the title
        ("In which year were there more accidents, 2022 or 2023?", "2022"),
        ("Which sews faster, the S3 or the S5?", "S5"),
        ("Which is deeper, the inner or the outer berth?", "outer berth"),  # its unit stands in the label
        ("Which kiln is bigger, Bertha or Little Jo?", "Bertha"),
        ("Which is cheaper to fire, Bertha or Little Jo?", "Little Jo"),
        ("Which is stronger, the S3 or the S5?", ""),  # no row tells of that
        ("Is a rowing boat or the oak door cheaper?", ""),  # euros and kilograms
        ("Is the oak door or the pine door cheaper?", ""),  # nobody told what they cost
        ("Is a rowing boat or a canoe cheaper?", ""),  # nothing is told of the canoe
        ("Is a rowing boat or a sailing boat prettier?", ""),
    ],
)
def test_described_things_are_compared_by_amounts_of_one_unit(question: str, said: str) -> None:
    hits = [
        hit("A rowing boat costs 12 euros an hour, a sailing boat 30 euros.", 1),
        hit("- Oak door: 48 kg\n- Pine door: 31 kg", 2),
        hit("- Toller: £900, guarantee of five years\n- Highmoor: £700, guarantee of fifteen years", 3),
        hit("The ferry takes 90 minutes, the bus two hours.", 4),
        hit("Storage; Plus: 900 GB; Team: 20 GB\nLargest attachment; Plus: 100 MB; Team: 250 MB", 5, "Which plan"),
        hit("Accidents; 2022: 14; 2023: 9", 6),
        hit("Longest stitch; S3: 5 mm; S5: 4 mm\nSpeed; S3: 750; S5: 900", 7),
        hit(
            "Kiln: Bertha; Capacity in litres: 250; Price in euros: 34\nKiln: Little Jo; Capacity in litres: 60;"
            " Price in euros: 12",
            9,
        ),
        hit("Depth in m; Inner berth: 3.1; Outer berth: 5.2", 8),
    ]
    weighed = weigh(question, candidates(analyse(question, hits), hits, None, {}))
    assert (weighed.short if weighed else "") == said


def test_a_list_is_told_whole_under_the_line_that_announces_it() -> None:
    text = "The hike is on Friday.\nPlease bring:\n- a whistle\n- a map\n\nTools\n- a saw\n- a rope"
    brought = answer_by_items("What should I bring on the hike?", [hit(text)])
    assert brought is not None
    assert [one.partition(" [")[0] for one in brought.draft.text.splitlines()] == ["- a whistle", "- a map"]
    tools = answer_by_items("Which tools are needed?", [hit(text)])
    assert tools is not None
    assert "rope" in tools.draft.text


def test_a_list_of_something_else_is_not_told_where_a_passage_has_all_that_is_asked() -> None:
    hits = [hit("Please bring:\n- a whistle\n- a map", 1), hit("Bring a coat on the boat trip.", 2)]
    assert answer_by_items("What must I bring on the boat trip?", hits) is None


def test_a_list_of_what_is_new_does_not_tell_of_all_that_is() -> None:
    hits = [hit("New\n- dark mode\n- export of bookings\n\nRemoved\n- the add-in\n- the map")]
    assert answer_by_items("What did the new dental unit cost?", hits) is None
    assert answer_by_items("What is new?", hits) is not None


def test_a_reason_is_not_sure_where_the_question_has_no_more_than_its_subject() -> None:
    question, hits = "Why are there not more buses?", [hit("Buses are therefore sent over Mill Lane.")]
    assert answer_by_reason(question, extract(question, hits, None, {}), hits).verdict is Verdict.PARTIALLY_SUPPORTED


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        ("There was no warm water since Monday.", Verdict.PARTIALLY_SUPPORTED),
        ("There was no warm water since the valve stuck.", Verdict.SUPPORTED),
        ("There was no warm water because the valve stuck.", Verdict.SUPPORTED),
        ("We met in the hall since there was no warm water.", Verdict.PARTIALLY_SUPPORTED),
        ("Warm water was there because the valve opened.", Verdict.PARTIALLY_SUPPORTED),
    ],
)
def test_since_a_day_is_no_reason(text: str, verdict: Verdict) -> None:
    question, hits = "Why was there no warm water?", [hit(text)]
    assert answer_by_reason(question, extract(question, hits, None, {}), hits).verdict is verdict


@pytest.mark.parametrize(
    ("text", "sure"),
    [
        ("So a heap is good for a scheduler (this is what I used for my organ).", False),
        ("A heap is good for a scheduler, as it is quick.", True),
        ("A heap is used to keep a scheduler good.", True),
    ],
)
def test_what_something_is_used_for_does_not_tell_why(text: str, sure: bool) -> None:
    question, hits = "Why is a heap good for a scheduler?", [hit(text)]
    told = answer_by_reason(question, extract(question, hits, None, {}), hits)
    assert (told.verdict is Verdict.SUPPORTED) is sure


@pytest.mark.parametrize(
    ("text", "sure"),
    [
        ("The bridge was closed on Friday, as there was ice on it.", True),
        ("The bridge was closed on Friday, as it had no rails.", True),
        ("The bridge was closed on Friday, as it does not carry lorries.", True),
        ("The bridge was closed on Friday, as it does every spring.", False),
        ("The bridge was closed on Friday, as she had promised.", False),
        ("The bridge was closed on Friday, as you can see on the map.", False),
        ("The bridge was closed on Friday, as we reported in May.", False),
    ],
)
def test_as_tells_a_reason_where_it_does_not_compare(text: str, sure: bool) -> None:
    question, hits = "Why was the bridge closed?", [hit(text)]
    told = answer_by_reason(question, extract(question, hits, None, {}), hits)
    assert (told.verdict is Verdict.SUPPORTED) is sure


def test_what_the_reason_refers_back_to_is_told_before_it() -> None:
    question = "Why was no visitor centre built on the spit?"
    hits = [hit("The sea takes two metres a year. For that reason no visitor centre was built on the spit. It rains.")]
    told = answer_by_reason(question, extract(question, hits, None, {}), hits)
    assert [one.quote for one in told.draft.citations] == [
        "The sea takes two metres a year.",
        "For that reason no visitor centre was built on the spit.",
    ]
    assert told.verdict is Verdict.SUPPORTED


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        ("# Libtasn1\n\nThe main type in it is used to store the definitions.", Verdict.PARTIALLY_SUPPORTED),
        ("# Manual\n\nLibtasn1 is used to read and write DER.", Verdict.SUPPORTED),
    ],
)
def test_what_something_is_used_for_is_told_of_itself(text: str, verdict: Verdict) -> None:
    question, hits = "What is libtasn1 used for?", [hit(text)]
    assert answer_by_reason(question, extract(question, hits, None, {}), hits).verdict is verdict


@pytest.mark.parametrize(
    ("title", "text", "says"),
    [
        ("", "A hive smoker is a tin that makes smoke. It is old.", "a tin that makes smoke"),
        ("The hive", "A smoker is a tin that makes smoke.", "a tin that makes smoke"),
        ("The club", "A smoker is a man with a pipe.", None),
    ],
)
def test_a_term_is_defined_of_what_it_is_in(title: str, text: str, says: str | None) -> None:
    told = answer_by_definition("What is a smoker in a hive?", [hit(text, title=title)])
    assert (told.draft.short if told else None) == says


@pytest.mark.parametrize(
    ("question", "text", "short"),
    [
        ("What does Larch stand for?", "Larch is a language for drawing maps.", None),
        ("What does Larch mean?", "Larch is a language for drawing maps.", "a language for drawing maps"),
        ("What does LDM stand for?", "The Language for Drawing Maps (LDM) is old.", "Language for Drawing Maps"),
        ("What does Larch stand for?", "Larch stands for lasting charts.", "lasting charts"),
        ("What does Larch stand for?", "Larch is an acronym of lasting charts.", "an acronym of lasting charts"),
        ("What does LDM stand for?", "LDM: Language for Drawing Maps", "Language for Drawing Maps"),
        ("What does LDM stand for?", "LDM: a way to draw", None),
        ("What does a red flag stand for?", "A red flag means danger.", "danger"),
    ],
)
def test_what_letters_stand_for_is_told_by_them_alone(question: str, text: str, short: str | None) -> None:
    answered = answer_by_definition(question, [hit(text)])
    assert (answered and answered.draft.short) == short


def test_a_list_is_no_way_to_do_what_is_asked_of_a_name_alone() -> None:
    contents = "Larch Book\n\n1. What is Larch?\n2. Leaders\n3. Releases"
    assert answer_by_steps("How do you say Larch?", [hit(contents)]) is None
    assert answer_by_steps("How do I read the book?", [hit(contents)]) is None


def test_what_the_passage_has_again_as_headings_are_no_steps() -> None:
    contents = "Stopping larch\n\n1. Larch is slow.\n2. Larch stops.\n\n1. Larch is slow.\n\nBuy memory."
    assert answer_by_steps("How do I go on stopping larch?", [hit(contents)]) is None
    two = "To stop larch:\n1. Open it\n2. Stop it\n\nTo start larch:\n1. Open it\n2. Start it\n\nEnd"
    assert answer_by_steps("How do I start larch?", [hit(two)]) is not None


def test_steps_under_another_question_are_no_steps_of_this_one() -> None:
    text = "Larch quits at once. Why?\nIt has no file.\nLarch is black. How do I light it?\n1. Type o\n2. Choose light"
    assert answer_by_steps("How do I quit larch?", [hit(text)]) is None
    assert answer_by_steps("How do I light larch?", [hit(text)]) is not None


def test_steps_lead_to_what_is_asked() -> None:
    assert answer_by_steps("How Do I Install Larch?", [hit("To install Larch:\n1. Load it\n2. Start it")]) is not None
    assert answer_by_steps("How do I install Larch?", [hit("To install Larch:\n1. Load it\n2. Start it")]) is not None
