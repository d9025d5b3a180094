"""What lines tell of the code, the setting or the version that they stand under or begin with."""

from __future__ import annotations

import msgspec
import pytest

from trivium.domain.answers import Verdict
from trivium.domain.chunks import Chunk, Span
from trivium.domain.parsed import UnitKind
from trivium.domain.retrieval import Hit
from trivium.text.sentences import split_sentences
from trivium.text.source_code import split_source_code
from trivium_query.answer.answerers.answered import Answered
from trivium_query.answer.answerers.release_notes import answer_by_release
from trivium_query.answer.answerers.row import answer_by_row
from trivium_query.answer.answerers.setting import answer_by_setting
from trivium_query.answer.read_code import as_read

LIFTS = """Hoists of the quarry

lift 1 load 8 t radius 12 m operator Hallgren
lift 2 load 5 t radius 18 m operator Okafor
lift 3 load 3 t radius 25 m operator Hallgren"""
CODES = """Programmes

P5 - 90 minutes, cotton
P6 - 45 minutes, mixed, and 5 minutes of rest

Faults

- E17: Too much water comes in, the valve is open.
- E24: The hose is bent."""
RELAY = """; Relay of the depot
[server]
; Port on which the relay accepts trucks.
; port = 7000
port = 7411
#-------
# Lists
#-------
# How long a truck is kept in the list when it is silent.
# Given in seconds.
#idle = 90

[storage]
max_files = 12
secure = true
"""
CHANGES = """Changelog of Larkspur

4.2.0 (2025-08-19)

Added

- A sleep timer.

Removed

- Support for Android 8.

4.1.1 (2025-06-02)

- Fixed: a crash at the start.
- Added: feeds without a title.

4.1.0 (2025-05-01)

- Changed: the database is SQLite."""


def hit(text: str, kind: UnitKind = UnitKind.TEXT, number: int = 1, source: str = "notes.txt") -> Hit:
    spans = split_source_code(text) if kind is UnitKind.CODE else split_sentences(text)
    document = f"d{number}"
    return Hit(Chunk(f"c{number}", document, "v", 0, text, Span(0, len(text)), source, tuple(spans), kind), number, 1.0)


def told(answered: Answered | None) -> tuple[str, bool]:
    """The short answer, and whether it is sure; of none ("", False)."""
    return (answered.draft.short, answered.verdict is Verdict.SUPPORTED) if answered else ("", False)


@pytest.mark.parametrize(
    ("question", "short", "sure"),
    [
        ("What is the radius of lift 1?", "12 m", True),
        ("Who operates lift 2?", "Okafor", True),
        ("How much load does lift 3 carry?", "3 t", False),
        ("When does lift 2 operate?", "", False),
        ("What is the radius of lift 7?", "", False),
        ("What is the colour of lift 1?", "", False),
        ("How do I operate lift 2?", "", False),
        ("How long does P5 take?", "90 minutes", True),
        ("P5?", "90 minutes", True),
        ("E17", "Too much water comes in", True),
        ("What does E24 mean?", "The hose is bent", True),
        ("What is P9?", "", False),
    ],
)
def test_a_line_tells_of_the_code_that_it_begins_with(question: str, short: str, sure: bool) -> None:
    assert told(answer_by_row(question, [hit(LIFTS), hit(CODES, number=2)])) == (short, sure)


def test_of_several_amounts_or_lines_none_is_the_answer() -> None:
    answered = answer_by_row("How long does P6 take?", [hit(CODES)])
    assert told(answered) == ("", False)
    assert answered is not None
    assert answered.draft.text.startswith("P6 - 45 minutes, mixed, and 5 minutes of rest [Source")
    table = hit("Code: P6; Meaning: one user waits; Response: 4 hours", UnitKind.TABLE, 2)
    assert told(answer_by_row("What is P6?", [table])) == ("", False)  # any of its columns may be meant
    assert told(answer_by_row("What is P6?", [hit("Code: P6; Meaning: one user", UnitKind.TABLE)])) == (
        "one user",
        True,
    )
    assert told(answer_by_row("What is P6?", [hit(CODES), table])) == ("", False)


@pytest.mark.parametrize(
    ("question", "line"),
    [
        ("Where is R102?", "R102 - Oak, 50 seats, first floor"),  # not Oak
        ("What comes after P5?", "P5 - 90 minutes, cotton"),
        ("What do I need for P5?", "P5 - 90 minutes, cotton"),
        ("How long does K2 take?", "K2 - starts 20 minutes after K1"),
        ("Who is the manager of L3?", "Managers and firms\n\nL3 - Otis, Dana Whit\nL4 - Kone, Omar Reyes"),
        ("Who does not operate lift 2?", LIFTS),
        (
            "How much is tour 1 for an adult?",
            "Tour 1 20 euros adult 10 euros child\nTour 2 30 euros adult 15 euros child",
        ),
        ("What is M6?", "M6 x 30, steel, 100 pieces\nM8 x 40, steel, 50 pieces"),
        ("How long does P5 take?", "P5 - 90 minutes, cotton\n\nP5 was shortened to 70 minutes."),
    ],
)
def test_the_first_or_only_cell_of_a_line_is_not_what_else_is_asked(question: str, line: str) -> None:
    assert answer_by_row(question, [hit(line)]) is None


def test_an_amount_of_something_of_it_is_not_the_one_that_is_asked() -> None:
    assert told(answer_by_row("How long is lift 3?", [hit(LIFTS)])) == ("", False)  # its radius is 25 m


def test_a_sentence_that_has_all_that_is_asked_goes_before_a_line() -> None:
    prose = hit("P5 takes all night when it is cold.", number=3)
    assert answer_by_row("How long does P5 take?", [hit(CODES), hit("P5 is loud.", number=2)]) is not None
    assert answer_by_row("Does P5 take long?", [hit(CODES), prose]) is None
    assert answer_by_row("What does P5 take?", [hit(CODES), prose]) is None


@pytest.mark.parametrize(
    "text", ["P6 incidents must be answered soon.", "P6 incidents\n\nAll of them.", "Room 6 is cleaned by Ada.\n"]
)
def test_a_sentence_or_heading_is_no_line_of_a_list(text: str) -> None:
    assert answer_by_row("What is P6?", [hit(text)]) is None
    assert answer_by_row("Who cleans Room 6?", [hit(text)]) is None


@pytest.mark.parametrize(
    ("question", "short", "sure"),
    [
        ("On which port does the relay accept trucks?", "7411", True),  # not the one that is commented out
        ("How long is a silent truck kept in the list?", "90", True),
        ("What is the default of idle?", "90", False),
        ("How many files are allowed in storage?", "12", True),
        ("How many files are kept in the list?", "", False),
        ("What is secure?", "", False),  # no value tells that
        ("What does max_files do?", "", False),
        ("Which setting is the port?", "", False),
        ("Who accepts trucks?", "", False),
    ],
)
def test_a_setting_is_told_by_its_name_or_the_comment_above_it(question: str, short: str, sure: bool) -> None:
    assert told(answer_by_setting(question, as_read([hit(RELAY, UnitKind.CODE, source="relay.ini")]))) == (short, sure)


def test_a_setting_is_shown_with_its_comment_and_not_where_it_may_be_another_thing() -> None:
    relay = as_read([hit(RELAY, UnitKind.CODE)])[0]
    answered = answer_by_setting("How long is a silent truck kept in the list?", [relay])
    assert answered is not None
    assert [citation.quote for citation in answered.draft.citations] == [
        "How long a truck is kept in the list when it is silent.",
        "Given in seconds.",
        "#idle = 90",
    ]
    days = as_read(
        [hit("# Raw values are kept for so many days.\nkeep_raw = 45\n# keep_days = 14\n", UnitKind.CODE, 4)]
    )
    assert told(answer_by_setting("What is keep_days?", days)) == ("14", True)
    other = as_read([hit("port = 9000\n", UnitKind.CODE, 2)])[0]
    assert answer_by_setting("What is the port?", [relay, other]) is None
    assert answer_by_setting("What is the port?", [relay, hit("Calais is the port of the ferry.", number=3)]) is None


@pytest.mark.parametrize(
    ("question", "text", "short"),
    [
        ("How many connections are allowed?", "# Connections\ntimeout = 30\nretries = 3\n", ""),
        ("What is the limit of uploads?", "# Limits of uploads\nmax_size = 10\nmax_files = 5\n", ""),
        ("What is the host and port of the server?", "# Host and port of the server\nhost = a\nport = 1\n", ""),
        ("What was the port before?", "port = 7411\n", ""),
        ("How many files were copied?", "# Files copied so far.\ncount=0\n\tcount=$((count + 1))\n", ""),
        ("How many files were copied?", "# Files copied so far.\ncount = 0\n    count += 1\n", ""),
        ("How many files were copied?", "# Files copied so far.\ncount=40\n", "40"),
        ("What is the server?", "server = big-server-1\n", "big-server-1"),
        ("What is the path?", "path = /usr/bin;/bin\n", "/usr/bin;/bin"),
        ("What is the url?", "url = http://example.org/#top ; the list\n", "http://example.org/#top"),
        ("What is the url?", 'url = "http://example.org/#top" # the list\n', "http://example.org/#top"),
    ],
)
def test_a_title_of_several_settings_describes_none_and_a_value_is_told_whole(
    question: str, text: str, short: str
) -> None:
    assert told(answer_by_setting(question, as_read([hit(text, UnitKind.CODE)])))[0] == short


@pytest.mark.parametrize(
    ("question", "lines", "sure"),
    [
        ("What changed in 4.2.0?", ["Added", "- A sleep timer.", "Removed", "- Support for Android 8."], True),
        ("What was removed in Larkspur 4.2.0?", ["- Support for Android 8."], True),
        ("What was dropped in 4.2.0?", ["- Support for Android 8."], True),
        ("What was added in 4.1.1?", ["- Added: feeds without a title."], True),
        ("What's new in version 4.1.1?", ["- Fixed: a crash at the start.", "- Added: feeds without a title."], True),
        (
            "What is new since 4.1.1?",
            ["4.2.0 (2025-08-19)", "Added", "- A sleep timer.", "Removed", "- Support for Android 8."][1:],
            True,
        ),
        (
            "What was added between 4.1 and 4.2?",
            ["4.2.0 (2025-08-19)", "- A sleep timer.", "4.1.1 (2025-06-02)", "- Added: feeds without a title."],
            True,
        ),
        ("What changed in 4.1.0?", ["- Changed: the database is SQLite."], False),  # more of it may follow
        (
            "What was added in 4.2.0 and 4.1.1?",
            ["4.2.0 (2025-08-19)", "- A sleep timer.", "4.1.1 (2025-06-02)", "- Added: feeds without a title."],
            True,
        ),
        ("What changed in 4.3.0?", [], False),
        ("What was deprecated in 4.2.0?", [], False),
        ("What changed in Tansy 4.2.0?", [], False),
        ("What was new before 4.2.0?", [], False),
        ("What is the new price of 4.20 euros?", [], False),
    ],
)
def test_the_changes_of_a_version_stand_under_it(question: str, lines: list[str], sure: bool) -> None:
    answered = answer_by_release(question, [hit(CHANGES)])
    said = [line.partition(" [Source")[0] for line in answered.draft.text.splitlines()] if answered else []
    assert (said, told(answered)[1]) == (lines, sure)


def test_who_signed_a_version_is_no_change_and_a_heading_may_tell_the_deed() -> None:
    signed = " -- Ida Lund <ida@larkspur.example>  Mon, 12 Jan 2026 09:14:00 +0100"
    log = hit(f"larkspur (4.2.0-1) unstable; urgency=low\n\n* A timer.\n\n{signed}\n", source="changelog.Debian")
    answered = answer_by_release("What is new in larkspur 4.2.0?", [log])
    assert answered is not None
    assert [citation.quote for citation in answered.draft.citations] == ["* A timer."]
    guide = hit("Larkspur\n\nAdded in 1.11\n\nFilters may name owners.\n\nRaised in 2.5\n\nThe IRC channel is loud.")
    answered = answer_by_release("What was added in 1.11?", [guide])
    assert answered is not None
    assert [citation.quote for citation in answered.draft.citations] == ["Filters may name owners."]
    assert answer_by_release("What was removed in 1.11?", [guide]) is None
    assert answer_by_release("What was added in 2.5?", [guide]) is None


def test_what_is_told_from_the_middle_of_a_changelog_is_not_all_of_it() -> None:
    first = hit(CHANGES)
    later = msgspec.structs.replace(first, chunk=msgspec.structs.replace(first.chunk, ordinal=3))
    assert told(answer_by_release("What is new since 4.1.1?", [first]))[1]
    assert not told(answer_by_release("What is new since 4.1.1?", [later]))[1]
    other = hit(CHANGES, number=2)
    assert answer_by_release("What changed in 4.2.0?", [first, other]) is None  # of one thing or the other


@pytest.mark.parametrize(
    ("question", "lines"),
    [
        ("What was added in 1.1.0?", ["- Adding of feeds."]),
        ("What was removed in 1.1.0?", []),
        ("What was added in 1.0.0?", ["- paginate the list", "- switch languages"]),
    ],
)
def test_a_change_is_what_its_first_word_for_one_says_or_a_feature_is_added(question: str, lines: list[str]) -> None:
    fixes = "- Fixed a crash when a new file is added.\n- Adding of feeds.\n- Fixed: it removed files."
    features = "Features\n\n- paginate the list\n- switch languages\n\nBug Fixes\n\n- align it"
    log = hit(f"Changelog\n\n1.1.0 (2025-06-02)\n\n{fixes}\n\n1.0.0 (2025-05-01)\n\n{features}")
    answered = answer_by_release(question, [log])
    assert (
        [line.partition(" [Source")[0] for line in answered.draft.text.splitlines()] == lines if answered else not lines
    )


SPACED = """# Set the number of hives. The first one is hive 0, you can look at
# the file
hives 16

# The default is:
#
# queen-policy nobody

# buzz always
buzz everysec
# buzz no"""


@pytest.mark.parametrize(
    ("question", "short"),
    [
        ("How many hives does the bee have?", "16"),
        ("What is the default queen-policy of the bee?", "nobody"),
        ("What is buzz set to?", "everysec"),
    ],
)
def test_a_setting_may_have_a_blank_for_its_mark(question: str, short: str) -> None:
    answered = answer_by_setting(question, as_read([hit(SPACED, UnitKind.CODE, source="bee.conf")]))
    assert answered is not None
    assert answered.draft.short == short


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("What is the honey of the bee?", "# The queen eats all others that use\n# honey cells\n\nhives 16"),
        ("What is the honey of the bee?", "# honey cells\n# are full of it.\nhives 16"),
        ("How many guards does the bee have?", "# Send the guards away after N seconds\nlifetime 30"),
    ],
)
def test_what_goes_on_in_a_comment_or_counts_other_things_is_no_setting(question: str, text: str) -> None:
    assert answer_by_setting(question, as_read([hit(text, UnitKind.CODE, source="bee.conf")])) is None


def test_two_words_of_a_comment_or_of_a_program_are_no_setting() -> None:
    assert answer_by_setting("What is the file?", as_read([hit(SPACED, UnitKind.CODE, source="bee.conf")])) is None
    assert answer_by_setting("What is buzz set to?", as_read([hit(SPACED, UnitKind.CODE, source="bee.rb")])) is None
