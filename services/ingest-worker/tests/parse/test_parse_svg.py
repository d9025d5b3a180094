"""SVG: the words drawn, without what is hidden, linked or scripted."""

from __future__ import annotations

from .conftest import Parse

DRAWING = """<?xml version="1.0"?><!-- made by hand -->
<svg xmlns="http://www.w3.org/2000/svg"><title>Fish pass</title><desc>Side view of the pass</desc>
<script>evil()</script><style>text { fill: red }</style>
<g><text><tspan>Upper</tspan><tspan>pool</tspan></text></g><text display="none">trap</text>
<g style="display: none"><text>second trap</text></g>
<foreignObject><div xmlns="http://www.w3.org/1999/xhtml">Resting place</div></foreignObject></svg>"""


def test_title_description_and_labels(parse: Parse) -> None:
    document = parse(DRAWING, "drawing")
    assert (document.media_type, document.title) == ("image/svg+xml", "Fish pass")
    assert [unit.text for unit in document.units] == ["Side view of the pass", "Upper pool\nResting place"]


def test_entities_fetch_nothing_and_a_name_for_a_namespace_is_written_out(parse: Parse) -> None:
    entity = '<!DOCTYPE svg [<!ENTITY x SYSTEM "file:///etc/passwd">]><svg><text>&x;</text></svg>'
    assert parse(entity, "x.svg").text == "&x;"
    named = '<!DOCTYPE svg [<!ENTITY ns "http://www.w3.org/2000/svg">]><svg xmlns="&ns;"><text>calm</text></svg>'
    assert parse(named, "x.svg").text == "calm"
    plain = '<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "http://dtd.example/svg.dtd"><svg><text>calm</text></svg>'
    assert parse(plain, "x").text == "calm"


def test_a_cut_drawing_gives_what_stands_before(parse: Parse) -> None:
    assert "Upper pool" in parse(DRAWING[:-40], "x.svg").text
    assert parse('<svg xmlns="http://www.w3.org/2000/svg"/>', "x.svg").warnings
