"""Which version a changelog tells something of, and when one came out."""

from __future__ import annotations

import pytest

from trivium.domain.chunks import Chunk, Span
from trivium.domain.retrieval import Hit
from trivium.text.sentences import split_sentences
from trivium_query.answer.direct.doubts import is_doubtful
from trivium_query.answer.direct.releases import released
from trivium_query.answer.evidence import analyse, candidates

CHANGES = """Changelog of Larkspur

4.2.0 (2025-08-19)

- Added: sleep timer that fades out.
- Removed: support for Android 8.
- Fixed: a crash at the start.

v4.1.1, 2 June 2025

Fixed

- Feeds without a title.
- A crash at the start.

larkspur (4.0.0-2) unstable; urgency=low

- The database is SQLite instead of Realm.
- Removed: the sleep timer of old.

1 Licence

- Removed: a clause on video playback."""


def hit(text: str, title: str = "", number: int = 1, source: str = "CHANGES.md") -> Hit:
    spans = tuple(split_sentences(text))
    return Hit(Chunk(f"c{number}", "d", "v", 0, text, Span(0, len(text)), source, spans, title=title), number, 1.0)


def told(question: str, *hits: Hit) -> str:
    found = released(question, candidates(analyse(question, hits), hits, None, {}))
    return found.short if found else ""


@pytest.mark.parametrize(
    ("question", "short"),
    [
        ("Which version removed support for Android 8?", "4.2.0"),
        ("In which version of Larkspur was the support for Android 8 removed?", "4.2.0"),
        ("Which release of Larkspur introduced the sleep timer?", "4.2.0"),
        ("Since what version has there been a sleep timer that fades?", "4.2.0"),
        ("Which version fixed feeds without a title?", "4.1.1"),
        ("Which release replaced Realm by SQLite?", ""),
        ("Which version has SQLite instead of Realm?", "4.0.0-2"),
        ("Which version fixed the crash at the start?", ""),  # two did
        ("Which version removed the sleep timer?", "4.0.0-2"),
        ("Which version added support for Android 8?", ""),
        ("Which version of Tansy removed support for Android 8?", ""),
        ("Which version did not support Android 8?", ""),
        ("Which version supports Android 8?", ""),  # those before the one that removed it
        ("Which version has feeds without a title?", ""),
        ("Which version of Android is removed support for?", ""),  # not of Larkspur
        ("Which version removed video playback?", ""),  # of a chapter
        ("Who removed support for Android 8?", ""),
        ("When did 4.2.0 come out?", "2025-08-19"),
        ("When was Larkspur 4.1.1 released?", "2 June 2025"),
        ("When was version 4.2 released?", ""),
        ("When was Tansy 4.2.0 released?", ""),
        ("When was the crash of 4.2.0 fixed?", ""),
    ],
)
def test_a_change_is_of_the_version_that_it_stands_under(question: str, short: str) -> None:
    assert told(question, hit(CHANGES)) == short


def test_both_the_version_and_what_changed_are_shown() -> None:
    question = "Which version removed support for Android 8?"
    hits = (hit(CHANGES),)
    found = released(question, candidates(analyse(question, hits), hits, None, {}))
    assert found
    sentences = [one.sentence.of(CHANGES) for one in found.values if one.sentence]
    assert sentences == ["4.2.0 (2025-08-19)", "- Removed: support for Android 8."]


def test_two_changelogs_that_disagree_tell_nothing() -> None:
    other = hit("Changelog of Tansy\n\n1.3.0\n\n- Removed: support for Android 8.", number=2)
    assert told("Which version removed support for Android 8?", hit(CHANGES), other) == ""
    assert told("Which version of Tansy removed support for Android 8?", hit(CHANGES), other) == "1.3.0"


@pytest.mark.parametrize(
    "text",
    [
        "Larkspur 4.1.0 is the last that\n\nruns on Android 8; it came out on 2 May 2025.",
        "Some time ago we told that\nlarkspur 4.1.0, of 2 May 2025\n\n- Removed: support for Android 8.",
        "Larkspur 4.1.0 (2 May 2025) is the last that runs on it.\n\n- Removed: support for Android 8.",
    ],
)
def test_prose_about_a_version_is_no_heading(text: str) -> None:
    assert told("Which version removed support for Android 8?", hit(text)) == ""
    assert told("When was Larkspur 4.1.0 released?", hit(text)) == ""


@pytest.mark.parametrize(
    "begins",
    [
        "v4.1.0",
        "Version 4.1.0 (2025-06-02)",
        "4.1.0, 2 June 2025",
        "\nUnreleased\n",
        "\n[Unreleased]\n",
        "\nVersion 5\n",
    ],
)
def test_what_another_version_begins_is_not_of_the_one_above(begins: str) -> None:
    text = f"Larkspur\n\nVersion 4.2.0 (2025-08-19)\n- Added: sleep timer.\n{begins}\n- Removed: support for Android 8."
    assert told("Which version removed support for Android 8?", hit(text)) == ""
    assert told("Which version added the sleep timer?", hit(text)) == "4.2.0"


def test_an_item_with_a_number_begins_no_version() -> None:
    text = "Larkspur\n\n4.2.0\n\n- Python 3\n- SQLite 3.\n- Removed: support for Android 8."
    assert told("Which version removed support for Android 8?", hit(text)) == "4.2.0"


@pytest.mark.parametrize(
    ("head", "day"),
    [
        ("4.2.0 (supported until 2027-04-30)", ""),
        ("4.2.0 - planned for 2027-04-30", ""),
        ("4.2.0\n\n- Support until 2 May 2027", ""),
        ("4.2.0 (Tue, 19 August 2025)", "19 August 2025"),
        ("4.2.0\n\nReleased on 19 August 2025", "19 August 2025"),
    ],
)
def test_a_day_is_that_of_the_release_right_behind_its_version_alone(head: str, day: str) -> None:
    assert told("When was 4.2.0 released?", hit(f"Larkspur\n\n{head}\n\n- Added: sleep timer.")) == day


def test_a_numbered_section_is_no_version() -> None:
    for section in ("2.1 - Player", "Figure 2.1: Player"):
        text = f"Manual\n\n{section}\n\nThe player has the sleep timer."
        assert told("Which version has the sleep timer?", hit(text, source="manual.md")) == ""
    assert (
        told("Which version has the sleep timer?", hit("Changelog\n\n2.1\n\n- The sleep timer.", source="a.md"))
        == "2.1"
    )


@pytest.mark.parametrize(("short", "doubtful"), [("#1140", True), ("4.1.1", False), ("Bookworm", False)])
def test_the_number_of_an_issue_is_no_version(short: str, doubtful: bool) -> None:
    assert is_doubtful("Which version fixed the crash?", short, f"Fixed: the crash ({short}).") is doubtful
