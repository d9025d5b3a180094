"""What an entry of a list of terms says of the option, user or word that a question names."""

from __future__ import annotations

import pytest

from trivium.domain.answers import Verdict
from trivium.domain.chunks import Chunk, Span
from trivium.domain.parsed import UnitKind
from trivium.domain.retrieval import Hit
from trivium.text.sentences import split_sentences
from trivium_query.answer.answerers.entry import answer_by_described_option, answer_by_entry, entries_in

MANUAL = """OPTIONS

-k, --keep-old
Do not replace files that exist.

This holds for links too.

--jobs=N, -j N
Run N jobs at once. The default is the number of cores.

-r, --repeat
Add hives to the end of the list.

-m, --merge
Add hives to the end of another list.

--shout
Print "Hey! Bees!" at once.

--quiet
Say nothing.

EXIT STATUS

0
All went well."""
USERS = """hive
Owns the records of the bees. Nobody logs in by it.
smoker, smokers
Historically, the hive user was used to smoke files to tape.
tape
This group gives access to the tape drive.
tool: Opens the lid without noise."""


def hit(text: str, source: str, kind: UnitKind = UnitKind.TEXT) -> Hit:
    spans = tuple(split_sentences(text))
    return Hit(Chunk(source, source, "v", 0, text, Span(0, len(text)), source, spans, kind), 1, 1.0)


HITS = (hit(USERS, "users.html"), hit(MANUAL, "man-beekeep.txt"))


@pytest.mark.parametrize(
    ("question", "says"),
    [
        (
            "What does --keep-old do?",
            "-k, --keep-old Do not replace files that exist. [Source: man-beekeep.txt, chunk 1]",
        ),
        ("what is the -k flag of beekeep for", "-k, --keep-old Do not replace files that exist."),
        ("--quiet", "--quiet Say nothing."),
        ("What does --shout do?", '--shout Print "Hey! Bees!" at once. [Source: man-beekeep.txt, chunk 1]'),
        ("What is the group 'tape' for?", "tape This group gives access to the tape drive."),
        (
            "what is the user smokers for?",
            "smoker, smokers Historically, the hive user was used to smoke files to tape.",
        ),
        ("What does the tool do?", "tool: Opens the lid without noise."),
    ],
)
def test_an_entry_tells_what_is_named(question: str, says: str) -> None:
    answered = answer_by_entry(question, HITS)
    assert answered is not None
    assert answered.draft.text.startswith(says)
    assert answered.verdict is Verdict.SUPPORTED


@pytest.mark.parametrize(
    "question",
    [
        "What does --keep do?",  # another option
        "What does --keep-new do?",
        "What does rsync --quiet do?",  # of another program
        "What is the group 'drive' for?",  # only mentioned
        "What is the default of --quiet?",  # not told
        "Who set the option --quiet?",
        "What is bought for the hive?",
    ],
)
def test_what_no_entry_tells_is_left_to_others(question: str) -> None:
    assert answer_by_entry(question, HITS) is None


NOTES = """Anna: I think we should go now.
Ben: Wait.
Tom: The tea is cold.
Tom: The hall is shut.
Butter: 200 g
Key: under the mat
user group - Meets on Mondays

Chair
Broken since May.

Gardener
Waters the roses."""


@pytest.mark.parametrize(
    "question",
    [
        "What does Anna do?",
        "What does Tom do?",
        "What is the butter for?",
        "What is the key for?",
        "What does the user group do?",
        "What is the chair for?",
    ],
)
def test_a_word_of_every_day_is_only_told_by_a_sentence_of_a_list_of_terms(question: str) -> None:
    assert answer_by_entry(question, [hit(NOTES, "notes.txt")]) is None


def test_what_stands_behind_an_empty_line_is_not_of_a_term() -> None:
    answered = answer_by_entry("What is the 'chair' for?", [hit(NOTES, "notes.txt")])
    assert answered is not None
    assert answered.draft.text == "Chair Broken since May. [Source: notes.txt, chunk 1]"


def test_a_row_is_an_entry_where_no_label_says_what_it_is_of() -> None:
    rows = hit(
        "lid | Closes the hive.\nOption: --dry; Meaning: Opens nothing.\nCrop: clover; Area: 4 ha", "t", UnitKind.TABLE
    )
    for question, says in (
        ("What is the lid for?", "lid | Closes the hive."),
        ("What does --dry do?", "Option: --dry; Meaning: Opens nothing."),
    ):
        answered = answer_by_entry(question, [rows])
        assert answered is not None
        assert answered.draft.text.startswith(says)
    assert answer_by_entry("What is the clover for?", [rows]) is None
    assert answer_by_entry("What is the crop for?", [rows]) is None


def test_the_next_chapter_is_not_of_an_option() -> None:
    answered = answer_by_entry("--quiet", HITS)
    assert answered is not None
    assert answered.draft.text == "--quiet Say nothing. [Source: man-beekeep.txt, chunk 1]"
    kept = answer_by_entry("--keep-old", HITS)
    assert kept is not None
    assert "This holds for links too." in kept.draft.text


def test_a_default_stands_in_the_entry() -> None:
    answered = answer_by_entry("What is the default of --jobs?", HITS)
    assert answered is not None
    assert answered.draft.short == "the number of cores"


def test_of_two_manuals_none_is_sure() -> None:
    both = (*HITS, hit("--quiet\nPrint errors alone.", "man-ant.txt"))
    answered = answer_by_entry("What does --quiet do?", both)
    assert answered is not None
    assert answered.verdict is Verdict.PARTIALLY_SUPPORTED
    assert answered.draft.text.count("\n") == 1
    named = answer_by_entry("What does ant --quiet do?", both)
    assert named is not None
    assert named.draft.text.startswith("--quiet Print errors alone.")


@pytest.mark.parametrize(
    ("question", "option", "verdict"),
    [
        ("Which option does not replace files that exist?", "-k, --keep-old", Verdict.SUPPORTED),
        ("how do I add hives to a list with beekeep", "-r, --repeat", Verdict.PARTIALLY_SUPPORTED),  # or --merge
        ("How to run jobs at once?", "--jobs=N, -j N", Verdict.SUPPORTED),
    ],
)
def test_an_option_is_found_by_what_it_does(question: str, option: str, verdict: Verdict) -> None:
    answered = answer_by_described_option(question, HITS)
    assert answered is not None
    assert (answered.draft.short, answered.verdict) == (option, verdict)


@pytest.mark.parametrize(
    "question",
    [
        "How do I add bees to a list?",  # nothing tells of them
        "How do I run jobs at once with rsync?",
        "Which user smokes files?",
        "How do I smoke files to tape?",  # no option
        "How do I replace files that exist?",  # it does not
        "How do I replace beekeep?",  # one word of it is told
    ],
)
def test_what_no_option_does_is_left_to_others(question: str) -> None:
    assert answer_by_described_option(question, HITS) is None


PAGE = """-N
--timestamping
Look at the time of the hive.

-xdev Don't look into hives that stand
on other meadows.

-d A synonym for -deep.

-n, --lines=
Show the newest hives. The default value is 10 if
nothing is given.

makehive threshold limit
Normally the daemon will cause the bees to gradually correct any
drift of the hive.

This directive forces the daemon to move the hive if the drift is
larger than a threshold.

RestartSec=
Configures the time to sleep. Defaults to 100ms.

Example:
hived -N https://example.com"""


@pytest.mark.parametrize(
    ("question", "says"),
    [
        ("What does -N do in hived?", "-N --timestamping Look at the time of the hive. [Source: hived.txt, chunk 1]"),
        ("What does hived --timestamping do?", "-N --timestamping Look at the time of the hive."),
        ("What does -xdev do?", "-xdev Don't look into hives that stand"),
        ("What does hived -d mean?", "-d A synonym for -deep."),
        ("What does hived -n show?", "-n, --lines= Show the newest hives."),
        ("What does the makehive directive do?", "makehive threshold limit Normally the daemon will cause"),
        ("What does RestartSec do?", "RestartSec= Configures the time to sleep."),
    ],
)
def test_a_manual_as_it_is_shown_on_a_screen_is_read(question: str, says: str) -> None:
    answered = answer_by_entry(question, [hit(PAGE, "hived.txt")])
    assert answered is not None
    assert answered.draft.text.startswith(says)
    assert answered.verdict is Verdict.SUPPORTED


def test_all_paragraphs_of_a_directive_are_read() -> None:
    answered = answer_by_entry("What does the makehive directive do?", [hit(PAGE, "hived.txt")])
    assert answered is not None
    assert "forces the daemon to move the hive" in answered.draft.text


def test_a_default_is_asked_for_by_how_many() -> None:
    answered = answer_by_entry("How many hives does hived -n show by default?", [hit(PAGE, "hived.txt")])
    assert answered is not None
    assert answered.draft.short == "10"


@pytest.mark.parametrize(
    "question",
    [
        "What does makehive do to the fence?",
        "What does the limit directive do?",
        "What does -x do in hived?",
        "How many hives does hived -d show by default?",
    ],
)
def test_what_a_manual_on_a_screen_does_not_tell_is_left_to_others(question: str) -> None:
    assert answer_by_entry(question, [hit(PAGE, "hived.txt")]) is None


def test_options_that_are_only_listed_have_no_text() -> None:
    synopsis = hit("hived\n-a|--active y\n--tag Tag\n-A|--auto y\n-H|--hide\n--dry\nhived moves bees.", "hived.txt")
    assert answer_by_entry("What does --tag do?", [synopsis]) is None


@pytest.mark.parametrize("text", ["-Take tram 5 to the lake\n-Bring a towel", "-apples and pears from the garden"])
def test_items_behind_a_dash_are_no_options(text: str) -> None:
    assert not [one for one in entries_in(hit(f"For the trip\n\n{text}", "lake.txt")) if one.is_option]


@pytest.mark.parametrize(
    ("told", "verdict"),
    [
        ("Do not drop maps.", Verdict.SUPPORTED),
        ("Drop the maps that the list does not name.", Verdict.PARTIALLY_SUPPORTED),
    ],
)
def test_what_shall_not_be_done_is_not_sure_by_an_option_that_does_it(told: str, verdict: Verdict) -> None:
    found = answer_by_described_option("How do I not drop maps with atlas?", [hit(f"-d, --drop\n{told}", "atlas.txt")])
    assert found is not None
    assert found.verdict is verdict


def test_an_option_of_no_manual_is_not_sure_where_there_are_others() -> None:
    manuals = [*HITS, hit("-q, --quick\nHurry up.", "man-ferry.txt")]
    verdicts = [answer_by_entry(question, manuals) for question in ("What does -k do?", "What does beekeep -k do?")]
    assert [one and one.verdict for one in verdicts] == [Verdict.PARTIALLY_SUPPORTED, Verdict.SUPPORTED]


def test_an_option_keeps_its_text_behind_a_remark_in_brackets() -> None:
    found = [hit("-size drivesize\n(experts only)\nSets the size.\nIt is in MB.\n\nLOAD\nLOAD file", "mount.txt")]
    answered = answer_by_entry("What does -size do?", found)
    assert answered is not None
    assert "Sets the size." in answered.draft.text
    assert answer_by_entry("What does LOAD do?", found) is None  # nothing is told of it


def test_what_an_option_was_in_a_story_is_no_option_of_a_manual() -> None:
    manual = hit("-c, --choose=council\nLet the council choose the boat.", "ferry.txt")
    assert answer_by_described_option("Which option did the council choose?", [manual]) is None
