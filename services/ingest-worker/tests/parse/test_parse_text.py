"""Plain text, Markdown, CSV, JSON: encodings, structure, and offsets that are exact."""

from __future__ import annotations

import pytest
from growth import LINEAR, growth
from hypothesis import given
from hypothesis import strategies as st

from trivium.domain.parsed import ParsedDocument, UnitKind
from trivium.ports.parser import Blob, ParseLimits, ParserModels
from trivium_ingest.parse.build import parse_blob
from trivium_ingest.parse.text.clean import flowing

from .conftest import Parse, texts, units

SENTENCE = "Die Brücke über die Ærø wurde für 30 € müheloser überquert."


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "cp1252"])
def test_every_encoding_gives_the_same_text(parse: Parse, encoding: str) -> None:
    assert parse(SENTENCE.encode(encoding)).text == SENTENCE


def test_cyrillic_in_an_eight_bit_encoding_is_detected(parse: Parse) -> None:
    text = "Река течёт мимо старой мельницы, и вода в ней холодна даже летом. Рыбаки приходят сюда рано утром. " * 5
    assert parse(text.encode("cp1251")).text == text.strip()


def test_invalid_utf8_is_shown_and_said(parse: Parse) -> None:
    text = "Überschüsse, Größe, Höhe, Länge, Öl, Übung, Äpfel, Maß " * 3
    document = parse(text.encode()[:60] + b"\xff" + text.encode()[60:])
    assert "\ufffd" in document.text
    assert any("not valid utf-8" in warning for warning in document.warnings)


def test_nul_bytes_and_controls_are_removed_quickly(parse: Parse) -> None:
    document = parse(b"\0" * 300_000 + b"the needle\x07 is here" + b"\0" * 300_000)
    assert document.text == "the needle is here"
    assert growth(lambda count: parse(b"\0" * count + b"the needle"), 50_000) < LINEAR


@given(st.lists(st.text(st.characters(codec="utf-8", exclude_categories=["Cs", "Cc"]), max_size=80), max_size=12))
def test_offsets_point_at_the_text_of_each_unit(paragraphs: list[str]) -> None:
    original = "x\n\n" + "\n\n".join(paragraphs)
    document = parse_blob(Blob("a.txt", original.encode()), ParseLimits(), ParserModels())
    if document.media_type != "text/plain":
        return
    for unit in document.units:
        assert unit.position.offset is not None
        start, end = unit.position.offset
        assert unit.text[:20] in flowing(original[start:end])  # a heading's marks are not its text


@given(st.text(st.characters(codec="utf-8", categories=["L", "N", "P", "Zs"]), min_size=1))
def test_no_letter_of_a_plain_text_is_lost(text: str) -> None:
    document = parse_blob(Blob("a.txt", ("x " + text).encode()), ParseLimits(), ParserModels())
    if document.media_type == "text/plain":
        assert [c for c in document.text if c.isalnum()] == [c for c in "x " + text if c.isalnum()]


def test_words_broken_at_the_ends_of_lines_are_whole(parse: Parse) -> None:
    text = (
        "Members are al-\n    ways written in read-\n    only mode, read first.\n\n"
        "As always, ask only for pre-\nand post-war Trans-\nIndus, read-\nable state-of-\nthe-art x.org/my-\npage."
    )
    told = parse(text).text
    assert "are always written in read-only mode" in told
    assert "pre-\nand post-war Trans-\nIndus, read-\nable state-of-\nthe-art x.org/my-\npage" in told


def test_words_that_a_manual_breaks_by_its_own_hyphen_are_whole(parse: Parse) -> None:
    text = "The default is be\u2010\n\t low the (lib\u2010\nrary's) prune-exam\u2010\nple, pre\u2010\nand post-war."
    assert parse(text).text == "The default is below the (library's) prune-example, pre\u2010\nand post-war."


def test_a_text_that_has_this_hyphen_in_its_words_is_left_as_it_is(parse: Parse) -> None:
    text = "The well\u2010\nknown state\u2010of\u2010\nthe\u2010art is read\u2010\nonly."
    assert parse(text).text == text


def test_a_text_that_may_only_break_at_hyphens_is_left_as_it_is(parse: Parse) -> None:
    text = "He is a well-\nknown man, and wrote a decision-\nmaking guide as open-\nsource."
    assert parse(text).text == text


def test_headings_of_a_plain_text_make_sections(parse: Parse) -> None:
    document = parse("ANNUAL REPORT\n\nThe year was dry.\n\n1.2 Fish counts\n\nTrout were rare, and\npike were not.\n")
    assert document.title == "ANNUAL REPORT"
    assert document.units[-1].position.section == ("ANNUAL REPORT", "1.2 Fish counts")


def test_a_list_with_stars_is_no_heading(parse: Parse) -> None:
    document = parse("Bring:\n\n* a tent\n* two ropes\n\nThen we go.\n", "a.txt")
    assert [(unit.kind, unit.text) for unit in document.units] == [
        (UnitKind.TEXT, "Bring:"),
        (UnitKind.LIST, "* a tent\n* two ropes"),
        (UnitKind.TEXT, "Then we go."),
    ]
    assert parse("* Weirs\nThey are old.", "a.txt").units[-1].position.section == ("* Weirs",)


def test_whitespace_only_is_opened_without_text(parse: Parse) -> None:
    document = parse(" \n\t\n")
    assert document.units == ()
    assert document.warnings


def test_markdown_keeps_sections_code_lists_and_tables(parse: Parse) -> None:
    source = (
        "---\ntitle: Field guide\nauthor: R. Vale\n---\n# Otters\n\nThey *swim* [well](https://otter.example/a).\n\n"
        "## Diet\n\n- fish\n  - trout\n- crayfish\n\n```python\nif fish:\n    eat()\n```\n\n"
        "| Prey | Share |\n|---|---|\n| Trout | 60 % |\n\n<script>evil()</script>\n"
    )
    document = parse(source)
    assert document.media_type == "text/markdown"
    assert document.title == "Field guide"
    assert document.metadata["author"] == "R. Vale"
    assert texts(document, UnitKind.LIST) == ["- fish\n  - trout\n- crayfish"]
    assert texts(document, UnitKind.CODE) == ["if fish:\n    eat()"]
    assert texts(document, UnitKind.TABLE) == ["Prey: Trout; Share: 60 %"]
    assert units(document, UnitKind.TABLE)[0].position.section == ("Otters", "Diet")
    assert document.links == ("https://otter.example/a",)
    assert "evil" not in document.text
    paragraph = units(document, UnitKind.TEXT)[0]
    assert paragraph.position.offset is not None
    start, end = paragraph.position.offset
    assert source[start:end] == "They *swim* [well](https://otter.example/a)."


def test_front_matter_that_the_document_does_not_tell_of_itself_is_text(parse: Parse) -> None:
    source = "---\ntitle: T\nDate: 2024\nprice: 52 euros\ntags:\n- fish\n- weir\n---\n# Otters\n\nThey swim.\n"
    document = parse(source, "a.md")
    assert [unit.text for unit in document.units] == ["price: 52 euros\ntags: fish, weir", "Otters", "They swim."]
    assert document.title == "T"
    assert (document.metadata["price"], document.metadata["date"]) == ("52 euros", "2024")
    assert document.units[0].position.offset is not None
    assert "price: 52 euros" in source[slice(*document.units[0].position.offset)]


def test_a_break_in_markdown_parts_words(parse: Parse) -> None:
    source = "# Two<br>lines\n\n| Who | Count |\n|---|---|\n| Anna<br>Bert | 10<br/>20 |\n\nup 5<BR />6 down\n"
    document = parse(source, "a.md")
    assert [unit.text for unit in document.units] == ["Two lines", "Who: Anna Bert; Count: 10 20", "up 5\n6 down"]


def test_tables_in_html_raised_numbers_and_a_list_from_zero_are_read_in_markdown(parse: Parse) -> None:
    table = "<table><tr><th>Who</th><th>Age</th></tr>\n<tr><td>Ada</td><td>36</td></tr></table>"
    source = f"# T\n\n0. Ten\n1. 10<sup>6</sup>, 1<sup>st</sup>\n\n{table}\n\nEnd.\n"
    document = parse(source, "a.md")
    assert [unit.text for unit in document.units] == ["T", "0. Ten\n1. 10^6, 1st", "Who: Ada; Age: 36", "End."]
    (read,) = units(document, UnitKind.TABLE)
    assert read.position.offset is not None
    assert source[slice(*read.position.offset)] == table
    assert read.position.section == ("T",)


def test_csv_rows_are_said_in_words_with_their_numbers(parse: Parse) -> None:
    source = 'Station;River;Depth\nWeir;Alder;2,4\n"Mill; old";Alder;3,1\n'
    document = parse(source.encode("cp1252"), "x.csv")
    (unit,) = document.units
    assert unit.text == "Station: Weir; River: Alder; Depth: 2,4\nStation: Mill; old; River: Alder; Depth: 3,1"
    assert unit.position.rows == (2, 3)
    assert unit.position.offset is not None
    assert source[slice(*unit.position.offset)].startswith("Weir;")


def test_a_csv_of_one_column_is_a_list_of_its_values(parse: Parse) -> None:
    document = parse("Otter\nHeron\nKingfisher\n", "animals.csv")
    assert document.media_type == "text/csv"
    assert document.text == "Otter\nHeron\nKingfisher"


def test_rows_are_read_in_linear_time(parse: Parse) -> None:
    def table(count: int) -> ParsedDocument:
        rows = "\n".join(f"{n},Station {n},{n / 7:.2f},2024-05-{n % 28 + 1:02}" for n in range(count))
        return parse("id,name,depth,date\n" + rows, "x.csv")

    assert growth(table, 250) < LINEAR
    document = table(1000)
    assert "id: 999; name: Station 999; depth: 142.71" in document.text
    assert max(unit.position.rows[1] for unit in document.units if unit.position.rows) == 1001


def test_json_lines_and_broken_json_are_read(parse: Parse) -> None:
    lines = parse('{"name": "Otter", "size": {"cm": 90}}\n{"name": "Heron"}\n')
    assert [unit.text for unit in lines.units] == ["name: Otter; size.cm: 90", "name: Heron"]
    long = parse('[{"name": "Otter", "told": "' + "It swims. " * 40 + '"}]')
    assert [unit.text.partition("\n")[0] for unit in long.units] == ["name: Otter"]
    broken = parse('{"name": "John Doe", "age": 30,')
    assert "John Doe" in broken.text
    assert broken.warnings


@pytest.mark.parametrize(
    ("source", "media_type"),
    [
        ("[-1.5e3, true]", "application/json"),
        ("[[1],\n [2]]", "application/json"),
        ("[]", "application/json"),
        ("[null]\n[false]\n", "application/x-ndjson"),
        ("[2024-01-01 10:00] started\n", "text/plain"),
        ("[network]\nname = x\n", "text/plain"),
        ("[[tool]]\nname = 'x'\n", "text/plain"),
        ("[1] A. Vale, Weirs.\n", "text/plain"),
        ("[ ] to be done\n", "text/plain"),
    ],
)
def test_only_what_begins_as_a_list_of_json_values_does_is_json(parse: Parse, source: str, media_type: str) -> None:
    document = parse(source)
    assert document.media_type == media_type
    assert not any("not complete" in warning for warning in document.warnings)


def test_json_lines_end_at_line_feeds_alone(parse: Parse) -> None:
    source = '{"told": "first\u2028line"}\r\n{"told": "second\u0085line"}\n'
    document = parse(source, "a.jsonl")
    assert (document.media_type, document.warnings) == ("application/x-ndjson", ())
    assert [unit.text for unit in document.units] == ["told: first\nline", "told: second\nline"]
    for unit in document.units:
        assert unit.position.offset is not None
        start, end = unit.position.offset
        assert (source[start], source[end - 1]) == ("{", "}")


SETTINGS = """; Where the pump listens.
; Nobody else may listen there.

[pump]
port=9001          ; of the pump (default 9001)
;interval=30       ; seconds (default 30)

retries = 3

; The log below is kept
; for a week.
[log] ; optional
file=/var/log/pump.log
"""


@pytest.mark.parametrize("name", ["pump.conf", "pump.ini", "pump"])
def test_settings_are_read_by_section_as_they_stand(parse: Parse, name: str) -> None:
    document = parse(SETTINGS, name)
    assert document.media_type == "text/plain"
    assert [(unit.kind, unit.text, unit.position.section) for unit in document.units] == [
        (UnitKind.CODE, "; Where the pump listens.\n; Nobody else may listen there.", ()),
        (UnitKind.HEADING, "[pump]", ("[pump]",)),
        (
            UnitKind.CODE,
            "port=9001          ; of the pump (default 9001)\n;interval=30       ; seconds (default 30)",
            ("[pump]",),
        ),
        (UnitKind.CODE, "retries = 3", ("[pump]",)),
        (UnitKind.CODE, "; The log below is kept\n; for a week.", ("[pump]",)),
        (UnitKind.HEADING, "[log] ; optional", ("[log] ; optional",)),
        (UnitKind.CODE, "file=/var/log/pump.log", ("[log] ; optional",)),
    ]
    for unit in document.units:
        assert unit.position.offset is not None
        assert SETTINGS[slice(*unit.position.offset)] == unit.text


def test_yaml_under_the_name_of_settings_is_yaml(parse: Parse) -> None:
    document = parse("storage:\n  path: /var/lib/weir\nlog:\n  keep: 7\n  level: low\n", "weir.conf")
    assert document.media_type == "application/yaml"
    assert parse("listen on 80\nkeep 7\n", "weir.conf").text == "listen on 80\nkeep 7"


def test_a_list_within_a_list_of_settings_names_no_section(parse: Parse) -> None:
    text = 'pumps = [\n  ["north", 1],\n  ["south", 2]\n]\n[log]\nkeep = 7\n'
    assert [unit.text for unit in units(parse(text, "pump.toml"), UnitKind.HEADING)] == ["[log]"]


def test_a_remark_at_the_top_of_settings_is_no_heading_of_markdown(parse: Parse) -> None:
    document = parse("# The pump of the harbour.\n\n[pump]\nport = 9001 # of the **pump**\n", "pump.toml")
    assert document.media_type == "text/plain"
    assert document.units[-1].text == "port = 9001 # of the **pump**"


@pytest.mark.parametrize(
    "text",
    [
        "The law says that E = mc2.\nIt is old.\nNobody doubts it.",
        "[1] Quill, A.: Harbours.\n[2] Lind, B.: Weirs.\nSee there.",
        "# The pump\n\nIt runs by day.\n\n# The valve\n\nIt is open.",
    ],
)
def test_prose_with_a_formula_a_bracket_or_a_hash_is_no_settings(parse: Parse, text: str) -> None:
    assert not units(parse(text, "notes.txt"), UnitKind.CODE)


def test_numbers_that_are_none_leave_json_what_it_is(parse: Parse) -> None:
    """As Python writes them; within a string they are words."""
    document = parse('[{"depth": NaN, "site": "Infinity"}, {"depth": -Infinity}]', "a.json")
    assert ([unit.text for unit in document.units], document.warnings) == (
        ["depth: nan; site: Infinity", "depth: -inf"],
        (),
    )
    assert parse('{"a": 1}\n{"a": NaN}\n', "a.jsonl").text == "a: 1\n\na: nan"
    assert parse('{"site": "NaN', "a.json").warnings
