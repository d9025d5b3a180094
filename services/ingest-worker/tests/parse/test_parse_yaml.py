"""YAML and front matter: values as they are written, exact places, no construction, no bombs."""

from __future__ import annotations

import time

import pytest
from growth import LINEAR, growth

from trivium.domain.errors import NeverWill
from trivium.ports.parser import ParseLimits
from trivium_ingest.parse.data.yaml_records import said_as_yaml

from .conftest import Parse

SOURCE = """# stations
défaut: &base
  unit: m
  since: 2021-05-04
weirs:
  - {name: Upper Wehr, height: 2.4, open: yes}
  - name: Lower
    tags: [dry, old]
copy: *base
"""


def test_entries_are_said_with_their_exact_places(parse: Parse) -> None:
    document = parse(SOURCE, "x.yml")
    assert document.media_type == "application/yaml"
    assert [unit.text for unit in document.units] == [
        "stations",
        "défaut.unit: m\ndéfaut.since: 2021-05-04",
        "weirs.name: Upper Wehr\nweirs.height: 2.4\nweirs.open: yes\nweirs.name: Lower\nweirs.tags: dry, old",
        "copy: (as défaut)",
    ]
    for unit, start in zip(document.units, ("# stations", "défaut:", "weirs:", "copy:"), strict=True):
        assert unit.position.offset is not None
        assert SOURCE[slice(*unit.position.offset)].startswith(start)


COMMENTED = """# What the gauge may be told.
# Read it first.

# The image: a digest wins over
# the tag.
image: {tag: "", digest: ""}  # as `docker pull` has them

keeper:  # without one, work waits
  # How often it looks,
  # in seconds.
  interval: 30  # at least 5
  keys: [a, b]
  note: 'no # comment'  # but this
  text: |
    # no comment either
retention: 7d  # of the log
# Nothing below.
"""


def test_comments_are_read_with_what_they_stand_above_or_behind(parse: Parse) -> None:
    document = parse(COMMENTED, "x.yaml")
    assert [unit.text for unit in document.units] == [
        "What the gauge may be told.\nRead it first.",
        "The image: a digest wins over\nthe tag.",
        "image.tag:\nimage.digest:\nimage: # as `docker pull` has them",
        "keeper: # without one, work waits\n\nHow often it looks,\nin seconds.\n\n"
        "keeper.interval: 30 # at least 5\nkeeper.keys: a, b\nkeeper.note: no # comment # but this\n"
        "keeper.text: # no comment either",
        "retention: 7d # of the log",
        "Nothing below.",
    ]
    begins = ["# What", "# The image", "image:", "keeper:", "retention:", "# Nothing"]
    ends = ["first.", "tag.", "has them", "either", "the log", "below."]
    for unit, begin, end in zip(document.units, begins, ends, strict=True):
        assert unit.position.offset is not None
        said = COMMENTED[slice(*unit.position.offset)]
        assert said.startswith(begin)
        assert said.endswith(end)


LISTED = """ports:
  # of the web
  - 80
  - 443  # with TLS
  # of the mail
  - 25
keeper: Ada
"""


def test_comments_among_the_values_of_a_list_are_of_its_entry(parse: Parse) -> None:
    document = parse(LISTED, "x.yaml")
    assert [unit.text for unit in document.units] == [
        "ports: 80, 443, 25\n\nof the web\nwith TLS\nof the mail",
        "keeper: Ada",
    ]
    assert document.units[0].position.offset == (0, LISTED.index("\nkeeper"))


def test_a_comment_behind_many_entries_costs_no_more_than_their_number() -> None:
    def read(times: int) -> object:
        entries = f"gauge: {'x' * 500}\n" * times
        return list(said_as_yaml(f"{entries}keeper: Ada # last\n", ParseLimits()))

    assert growth(read, 2_000) < LINEAR


def test_a_file_of_comments_alone_is_read(parse: Parse) -> None:
    assert parse("# The weir is closed in May.\n", "x.yaml").text == "The weir is closed in May."


def test_no_document_of_a_file_is_told_as_an_earlier_one(parse: Parse) -> None:
    weirs = [f"kind: Weir\nat:\n  name: weir {n}\n  gauge: {{depth: {n}.5}}" for n in range(200)]
    text = parse("\n---\n".join(weirs), "x.yaml").text
    assert "(as " not in text
    for n in range(200):
        assert f"at.name: weir {n}\nat.gauge.depth: {n}.5" in text


def test_nesting_entries_are_yaml_without_the_name_and_notes_are_not(parse: Parse) -> None:
    assert parse(SOURCE.partition("\n")[2], "stations").media_type == "application/yaml"
    assert parse("To: Ines\nFrom: Tom\n\nThe weir is dry.\n", "note").media_type == "text/plain"
    assert parse("To: Ines\nFrom: Tom\n", "note.yaml").media_type == "application/yaml"


def test_tags_construct_nothing(parse: Parse) -> None:
    document = parse("run: !!python/object/apply:os.system ['touch /tmp/evil']\n", "x.yaml")
    assert document.text == "run: touch /tmp/evil"


def test_a_bomb_of_aliases_stays_as_short_as_its_file(parse: Parse) -> None:
    bomb = "a: &a [lol, lol]\n" + "".join(
        f"{b}: &{b} [{', '.join([f'*{a}'] * 9)}]\n" for a, b in zip("abcdefgh", "bcdefghi", strict=True)
    )
    began = time.process_time()
    assert len(parse(bomb, "x.yaml").text) < 5 * len(bomb)
    assert time.process_time() - began < 1
    assert parse("a: &a [1, *a]\n", "x.yaml").text


def test_deep_nesting_and_broken_yaml_are_read_as_text(parse: Parse) -> None:
    for content in ("[" * 100_000, "a: 1\nb: [1, 2\nc: 'x"):
        document = parse(content, "x.yaml")
        assert document.warnings
    assert "c: 'x" in document.text


def test_values_are_bounded(parse: Parse) -> None:
    with pytest.raises(NeverWill, match="max_cells"):
        parse("a:\n" + "  - x: 1\n" * 50, "x.yaml", limits={"max_cells": 20})


def test_front_matter_is_yaml(parse: Parse) -> None:
    document = parse(
        "---\ntitle: 'Field: guide' # draft\ntags: [otter, trout]\nby:\n  name: R. Vale\n---\n# Otters\n\nThey swim.\n"
    )
    assert document.title == "Field: guide"
    assert (document.metadata["tags"], document.metadata["by.name"]) == ("otter, trout", "R. Vale")
    assert [unit.text for unit in document.units[:2]] == ["tags: otter, trout\nby.name: R. Vale", "Otters"]
    broken = parse("---\ntitle: [x\n---\n# Otters\n")
    assert broken.title == "Otters"


@pytest.mark.parametrize(
    "between", ["The harbour master is Ada Quill.", "- Ada Quill\n- Bo Lind", "title: Ada Quill: a [life", "Ada Quill"]
)
def test_what_is_no_mapping_between_rules_is_text(parse: Parse, between: str) -> None:
    document = parse(f"---\n{between}\n---\n\n# Rest\n", "a.md")
    assert "Ada Quill" in document.text
    assert document.title == "Rest"
