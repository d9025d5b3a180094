from __future__ import annotations

import io
import json
import re
import sys
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trivium.api import Status
from trivium.cli.progress import PlainLines, passed, progress
from trivium.cli.terminal import clean, one_line, print_json, print_table, where
from trivium.domain.documents import Stage
from trivium.domain.parsed import Position


class Screen(io.StringIO):
    """Standard output, or error, on a terminal."""

    def isatty(self) -> bool:
        return True


def test_on_a_terminal_columns_stand_below_each_other_also_of_wide_and_joined_letters(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    screen = Screen()
    monkeypatch.setattr(sys, "stdout", screen)
    long = "a" * 300
    rows = [("水車小屋", "7", "x"), ("cafe\u0301", "12", "\x1b[31mred"), (long, "3", "")]
    print_table({"name": "left", "n": "right", "note": "left"}, rows)
    lines = [re.sub("\x1b\\[[0-9;]*m", "", line) for line in screen.getvalue().splitlines()]
    assert lines == [
        f"name{' ' * 296}   n  note",
        f"水車小屋{' ' * 292}   7  x",
        f"cafe\u0301{' ' * 296}  12  \u241b[31mred",
        f"{long}   3",
    ]


def test_where_rich_is_not_installed_an_ingest_tells_lines_on_a_terminal_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stderr", Screen())
    monkeypatch.setattr("trivium.cli.progress.find_spec", lambda _: None)
    with progress(1) as told:
        assert isinstance(told, PlainLines)


@given(st.text())
def test_cleaned_text_holds_no_character_that_a_terminal_obeys(text: str) -> None:
    cleaned = clean(text)
    assert all(char in "\n\t" or unicodedata.category(char) != "Cc" for char in cleaned)
    assert not set(cleaned) & set("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u200e\u200f")
    assert clean(cleaned) == cleaned


@given(st.text(alphabet=st.characters(categories=["L", "N", "P", "S", "Zs"])))
def test_ordinary_text_is_left_as_it_is(text: str) -> None:
    assert clean(text) == text


@given(st.text(), st.integers(2, 50))
def test_one_line_is_one_line_and_no_longer_than_asked(text: str, limit: int) -> None:
    line = one_line(text, limit)
    assert len(line) <= limit
    assert len(line.splitlines()) <= 1


@given(st.text(alphabet=st.characters(exclude_categories=["Cs"])))
def test_json_reads_back_as_it_was_and_is_safe_to_print(text: str) -> None:
    printed: list[str] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("trivium.cli.terminal.click.echo", printed.append)
        print_json({"text": text})
    assert json.loads(printed[0]) == {"text": text}
    assert clean(printed[0]) == printed[0]


def test_places_are_said_as_people_say_them() -> None:
    assert where((Position(page=3), Position(page=3), Position(page=4))) == "page 3; page 4"
    assert where((Position(sheet="Costs", rows=(4, 9)),)) == "sheet Costs, rows 4-9"
    assert where((Position(slide=2, section=("Plan", "Risks")),)) == "slide 2, Plan > Risks"
    assert where((Position(offset=(0, 10)),)) == "characters 0-10"
    assert where(()) == ""


def test_a_stretch_of_a_recording_is_one_place() -> None:
    said = [Position(seconds=(start, start + 4.5)) for start in (0.0, 5.0, 9.8, 3600.0)]
    assert where(tuple(said)) == "0:00-0:14; 1:00:00-1:00:04"


def test_a_stage_counts_those_that_have_it_behind_them() -> None:
    done = passed(10, Status({"pending": 2, "running": 4}, {"parse": 1, "embed": 3}, 0))
    assert done[Stage.PARSE] == 7
    assert done[Stage.ENRICH] == 7
    assert done[Stage.EMBED] == 4
    assert done[Stage.PUBLISH] == 4
