"""Jupyter notebooks: every cell with its number, outputs as text, nothing run."""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest
from growth import LINEAR, growth

from trivium.domain.errors import NeverWill
from trivium.domain.parsed import UnitKind

from .conftest import InkOcr, Parse, picture, texts


def _notebook(*cells: dict[str, Any], **more: Any) -> str:
    return json.dumps({"cells": cells, "metadata": {"kernelspec": {"language": "python"}}, "nbformat": 4, **more})


def _code(source: str, *outputs: dict[str, Any]) -> dict[str, Any]:
    return {"cell_type": "code", "execution_count": 7, "source": source.splitlines(True), "outputs": list(outputs)}


def test_cells_keep_their_order_number_and_section(parse: Parse, ocr: InkOcr) -> None:
    table = "<table><tr><th>Weir</th><th>Height</th></tr><tr><td>Upper</td><td>2.4</td></tr></table>"
    image = {"image/png": base64.b64encode(picture()).decode(), "text/plain": "<Figure>"}
    document = parse(
        _notebook(
            {"cell_type": "markdown", "source": ["# Gauges\n", "\n", "Levels in *metres*.\n\n$$Q = vA$$"]},
            _code(
                "for n in range(3):\n    print(n)",
                {"output_type": "stream", "name": "stdout", "text": ["\x1b[31m0\x1b[0m\n", "1\n"]},
                {"output_type": "execute_result", "data": {"text/html": [table], "text/plain": "x"}},
                {"output_type": "display_data", "data": image},
                {"output_type": "error", "ename": "ValueError", "evalue": "dry"},
            ),
        ),
        "gauges.json",
        ocr=ocr,
    )
    assert (document.title, document.metadata) == ("Gauges", {"programming language": "python", "cells": "2"})
    assert [(unit.kind.value, unit.text) for unit in document.units] == [
        ("heading", "Gauges"),
        ("text", "Levels in metres."),
        ("equation", "Q = vA"),
        ("code", "for n in range(3):\n    print(n)"),
        ("text", "0\n1"),
        ("table", "Weir: Upper; Height: 2.4"),
        ("image", "ink"),
        ("text", "ValueError: dry"),
    ]
    assert document.units[1].position.section == ("Gauges", "Cell 1")
    assert {unit.position.section for unit in document.units[3:]} == {("Gauges", "Cell 2")}
    assert all(unit.position.offset is None for unit in document.units)


def test_an_old_notebook_keeps_its_cells_in_worksheets(parse: Parse) -> None:
    cells = [{"cell_type": "heading", "level": 2, "source": "Old"}, {"cell_type": "code", "input": ["x = 1"]}]
    old = {"metadata": {"name": ""}, "nbformat": 3, "worksheets": [{"cells": cells}]}
    document = parse(json.dumps(old), "old.ipynb")
    assert texts(document, UnitKind.CODE) == ["x = 1"]
    assert document.units[1].position.section == ("Old", "Cell 2")


@pytest.mark.parametrize("content", ['{"cells": [{"cell_type": "code", "so', '{"cells": {"cell_type": 3}}'])
def test_a_broken_notebook_is_corrupt(parse: Parse, content: str) -> None:
    with pytest.raises(NeverWill) as failure:
        parse(content, "x.ipynb")
    assert failure.value.code == "corrupt_file"


def test_a_damaged_picture_gives_a_warning_and_cells_are_bounded(parse: Parse) -> None:
    for damaged in ("abc", "é"):
        bad = _notebook(_code("x", {"output_type": "display_data", "data": {"image/png": damaged}}))
        assert any("Cell 1" in warning for warning in parse(bad).warnings)
    with pytest.raises(NeverWill, match="max_cells"):
        parse(_notebook(_code("x"), _code("y")), limits={"max_cells": 1})


def test_a_text_that_is_missing_costs_nothing_else(parse: Parse) -> None:
    document = parse(
        _notebook(_code("x", {"output_type": "execute_result", "text": None, "data": {"text/plain": "1"}}))
    )
    assert [unit.text for unit in document.units] == ["x", "1"]


def test_an_empty_notebook_is_opened_without_text(parse: Parse) -> None:
    document = parse(_notebook(), "x.ipynb")
    assert document.units == ()
    assert document.warnings


def test_what_a_cell_shows_as_markdown_or_as_a_page_is_read(parse: Parse) -> None:
    outputs = [
        {"data": {"text/markdown": "**Eels** 3", "text/plain": "<IPython.core.display.Markdown object>"}},
        {"data": {"text/html": ["<b>Trout</b>", " 4"], "text/plain": ["<IPython.core.display.HTML object>"]}},
        {"data": {"text/html": "<b>Roach</b>", "text/plain": "Roach 5"}},
        {"data": {"text/html": "<script>chart()</script>", "text/plain": "<IPython.core.display.HTML object>"}},
        {"output_type": "stream", "text": "10 %\r50 %\r100 %\nEnd\r\n"},
    ]
    cell = {"cell_type": "code", "source": "show()", "outputs": outputs}
    document = parse(json.dumps({"nbformat": 4, "cells": [cell]}), "a.ipynb")
    assert [unit.text for unit in document.units] == ["show()", "Eels 3", "Trout 4", "Roach 5", "100 %\nEnd"]


def test_a_long_line_that_nothing_overwrites_is_read_in_linear_time(parse: Parse) -> None:
    def read(count: int) -> None:
        parse(_notebook(_code("run()", {"output_type": "stream", "text": "x" * count})), "a.ipynb")

    assert growth(read, 10_000) < LINEAR


def test_a_page_in_an_output_that_is_nested_too_deeply_says_so(parse: Parse) -> None:
    page = {"data": {"text/html": "<div>" * 5_000 + "core"}}
    (warning,) = parse(_notebook(_code("show()", page)), "a.ipynb").warnings
    assert "nested too deeply" in warning
