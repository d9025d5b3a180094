from __future__ import annotations

import pytest
from growth import LINEAR, growth
from hypothesis import given
from hypothesis import strategies as st

from trivium.text.sentences import MAX_SENTENCE_CHARS
from trivium.text.source_code import split_source_code, without_marks


def statements(text: str) -> list[str]:
    return [" ".join(without_marks(span.of(text)).split()) for span in split_source_code(text)]


PIECES = st.sampled_from(
    [
        *list('Aa.!)"\n\v\u2028 \t#;*/-'),
        *[
            "# word ",
            "// The ",
            ". ",
            '"""',
            "'''",
            "\n\n",
            "/* ",
            " */",
            "\n * ",
            "x = 1",
            "\nx = 1\n",
            "\r\n",
            "x" * 400,
        ],
    ]
)


@given(st.lists(PIECES, max_size=60).map("".join))
def test_every_visible_character_lies_in_exactly_one_statement(text: str) -> None:
    covered = [False] * len(text)
    at = 0
    for span in split_source_code(text):
        assert at <= span.start < span.end <= len(text)
        assert span.of(text) == span.of(text).strip()
        at = span.end
        covered[span.start : span.end] = [True] * (span.end - span.start)
    assert all(seen or char.isspace() for seen, char in zip(covered, text, strict=True))
    assert len(without_marks(text)) == len(text)


@pytest.mark.parametrize("mark", ["#", "//", "///", ";", "--"])
def test_a_comment_over_several_lines_is_read_as_a_paragraph(mark: str) -> None:
    lines = [
        "The pump is stopped by hand. It starts again by itself as soon as the",
        "Harbour Office has sent the word, which takes two or",
        "three minutes.",
    ]
    text = "\n".join([*(f"    {mark} {line}" for line in lines), "    stop(pump)"])
    assert statements(text) == [
        "The pump is stopped by hand.",
        "It starts again by itself as soon as the Harbour Office has sent the word, which takes two or three minutes.",
        "stop(pump)",
    ]


@pytest.mark.parametrize(
    "text",
    [
        "/*\n * The pump is stopped by hand, as the valve behind it\n * closes too slowly.\n */\nvoid stop(void);",
        "/* The pump is stopped by hand, as the valve behind it\n   closes too slowly. */\nvoid stop(void);",
        '"""The pump is stopped by hand, as the valve behind it\ncloses too slowly.\n"""\nvoid stop(void);',
        "'''\nThe pump is stopped by hand, as the valve behind it\ncloses too slowly.\n'''\n\nvoid stop(void);",
    ],
)
def test_a_block_comment_and_a_docstring_are_prose(text: str) -> None:
    assert statements(text) == [
        "The pump is stopped by hand, as the valve behind it closes too slowly.",
        "void stop(void);",
    ]


def test_each_line_of_code_is_a_statement_and_so_is_a_setting_that_is_commented_out() -> None:
    text = (
        "; Where the pump listens, and how often it is asked whether\n; it still runs.\n"
        ";port=9001                  ; the port of the pump (default 9001)\n"
        ";interval=30                ; seconds between two questions\n"
        "#keep = 7                   # days (default 7)\n"
        "retries = 3  # of a question that nobody answered\n"
        "stop(\n    pump,\n)\n"
    )
    assert statements(text) == [
        "Where the pump listens, and how often it is asked whether it still runs.",
        "port=9001 ; the port of the pump (default 9001)",
        "interval=30 ; seconds between two questions",
        "#keep = 7 # days (default 7)",
        "retries = 3 # of a question that nobody answered",
        "stop(",
        "pump, )",
    ]


@pytest.mark.parametrize(
    ("text", "read"),
    [
        (
            "[pool]\n# How long an idle connection is kept, wherever it\n# comes from\nidle = 90\nsize = 7\n",
            ["[pool]", "How long an idle connection is kept, wherever it comes from idle = 90", "size = 7"],
        ),
        ("; Where it listens.\r\nport=9001\r\n", ["Where it listens. port=9001"]),
        ("# Seconds.\nIDLE: Final = 90\n", ["Seconds. IDLE: Final = 90"]),
        ("// Seconds.\nexport const IDLE = 90;\n", ["Seconds. export const IDLE = 90;"]),
        ("# Of the pump.\n\nport = 9001\n", ["Of the pump.", "port = 9001"]),
        ("# Of the pump.\n#port = 9001\n", ["Of the pump.", "#port = 9001"]),
        ("# It stands.\n}\nport = 9001\n", ["It stands. }", "port = 9001"]),
        ("# Of the pump.\nport = 9001\n}\n", ["Of the pump. port = 9001 }"]),
        ("# It listens. By TCP.\nport = 9001\n", ["It listens.", "By TCP.", "port = 9001"]),
        ("  # It stands.\n  pump.run = False\n", ["It stands.", "pump.run = False"]),
        ("# Whether it runs.\nif runs == 1:\n", ["Whether it runs.", "if runs == 1:"]),
        ("# Of the pump.\nport = 9001\n# It stands.\n", ["Of the pump. port = 9001", "It stands."]),
    ],
)
def test_a_sentence_right_above_a_setting_or_a_constant_is_one_statement_with_it(text: str, read: list[str]) -> None:
    assert statements(text) == read


def test_a_comment_that_goes_on_behind_code_is_read_with_it() -> None:
    text = "int state;   /* whether the pump runs, or else why the valve\n      behind it is closed */\nint keeper;"
    assert statements(text) == [
        "int state; whether the pump runs, or else why the valve behind it is closed",
        "int keeper;",
    ]


@pytest.mark.parametrize(
    "code",
    ["SELECT REPLACE(keeper, '''', '') FROM gauges;", "x = 'the keeper'''", 'QUOTES = \'"""\'', "MARK = \"'''\""],
)
def test_quotes_within_a_string_begin_no_docstring(code: str) -> None:
    lines = [code, "INSERT INTO gauges SELECT height, keeper FROM old_gauges", "where keeper IS NULL;"]
    assert [span.of("\n".join(lines)) for span in split_source_code("\n".join(lines))] == lines


def test_lines_of_marks_alone_make_no_statement_longer_than_a_sentence_may_be() -> None:
    spans = split_source_code("pumps = [\n" + "{},\n" * 1_000 + "]\n")
    assert 1 < len(spans) < 10
    assert all(span.end - span.start <= MAX_SENTENCE_CHARS for span in spans)


def test_examples_in_a_docstring_stay_lines() -> None:
    text = (
        '"""How the pump is told what it has to do, by whoever is there.\n\n'
        "pump = Pump(valve)            # stands\n"
        "pump.run(seconds=30, wait=True) # runs for half a minute\n"
        'pump.stop()\n"""'
    )
    assert statements(text)[1:] == [
        "pump = Pump(valve) # stands",
        "pump.run(seconds=30, wait=True) # runs for half a minute",
        "pump.stop()",
    ]


def test_paragraphs_and_items_of_a_comment_are_apart() -> None:
    text = "# The pump has two states\n#\n# - it runs, and the valve behind it is open\n#   all day\n# - it stands\n"
    assert statements(text) == [
        "The pump has two states",
        "- it runs, and the valve behind it is open all day",
        "- it stands",
    ]


@pytest.mark.parametrize("piece", ["# a\n", "# a\nx = 1\n", "a ", "#", '"""', "/*", "; x=1\n", " *\n", "x\n"])
def test_any_code_takes_linear_time(piece: str) -> None:
    assert growth(lambda times: split_source_code(piece * times), 5_000) < LINEAR
    assert growth(lambda times: without_marks(piece * times), 5_000) < LINEAR
