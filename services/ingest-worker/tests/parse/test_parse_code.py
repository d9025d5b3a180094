"""Source code by function and class, with exact places; every language's grammar works."""

from __future__ import annotations

import pytest
from growth import LINEAR, growth

from trivium.domain.parsed import ParsedDocument

from .conftest import Parse

LONG = "x" * 1_600
PYTHON = f'''"""About é weirs."""
import os

# Says how high.
@cached
def height(weir):
    def inner():
        return 1
    return inner


class Weir:
    """One weir."""

    WIDTH = 3

    def flow(self):
        return "{LONG}"

    # Opens it.
    def open(self):
        pass


class Small:
    def m(self): ...

if True:
    run()
'''


def _said(document: ParsedDocument, source: str) -> list[tuple[str, ...]]:
    """The sections; and each unit's text is what its offsets name."""
    for unit in document.units:
        assert unit.position.offset is not None
        assert source[slice(*unit.position.offset)] == unit.text
    return [unit.position.section for unit in document.units]


def test_python_is_read_by_function_and_class(parse: Parse) -> None:
    document = parse(PYTHON, "weirs.py")
    assert document.metadata["programming language"] == "Python"
    assert _said(document, PYTHON) == [
        (),
        ("height",),
        ("Weir",),
        ("Weir", "flow"),
        ("Weir", "open"),
        ("Small",),
        (),
    ]
    assert document.units[1].text.startswith("# Says how high.\n@cached\ndef height")
    assert document.units[2].text.endswith("WIDTH = 3")
    assert document.units[4].text.startswith("    # Opens it.\n    def open")


def test_nothing_of_the_code_is_lost(parse: Parse) -> None:
    joined = "".join(unit.text for unit in parse(PYTHON, "x.py").units)
    assert "".join(joined.split()) == "".join(PYTHON.split())


@pytest.mark.parametrize(
    ("name", "source", "sections"),
    [
        ("a.js", "import x\nexport const add = (a) => a\nfunction f() {}\nclass K { m() {} }\n", ["", "add", "f", "K"]),
        (
            "a.ts",
            "export interface Weir { h: number }\ntype T = string\nexport function f(): void {}\n",
            ["Weir", "T", "f"],
        ),
        ("a.tsx", "export default function App() { return <p>hi</p> }\n", ["App"]),
        ("A.java", "package p;\npublic class Weir { int flow() { return 1; } }\n", ["", "Weir"]),
        (
            "a.c",
            "#include <a.h>\nstatic int *flow(int a) { return 0; }\nstruct weir { int h; };\n",
            ["", "flow", "weir"],
        ),
        (
            "a.cpp",
            "namespace river { int flow() { return 1; } }\nint Weir::open() { return 2; }\n",
            ["river", "Weir::open"],
        ),
        ("a.cs", "namespace River { class Weir { int Flow() { return 1; } } }\n", ["River"]),
        (
            "a.go",
            "package p\nfunc Flow() int { return 1 }\nfunc (w *Weir) Open() {}\ntype Weir struct{}\n",
            ["", "Flow", "Open", "Weir"],
        ),
        ("a.rs", "use a;\n#[test]\nfn flow() {}\nimpl Weir { fn open(&self) {} }\n", ["", "flow", "Weir"]),
        ("a.rb", "class Weir\n  def flow; 1; end\nend\ndef open; end\n", ["Weir", "open"]),
        ("a.php", "<?php\nfunction flow() { return 1; }\nclass Weir {}\n", ["", "flow", "Weir"]),
        ("a.sh", "set -e\nflow() { echo 1; }\n", ["", "flow"]),
    ],
)
def test_each_language_names_its_definitions(parse: Parse, name: str, source: str, sections: list[str]) -> None:
    assert [" ".join(path) for path in _said(parse(source, name), source)] == sections


def test_a_line_that_names_the_interpreter_is_enough(parse: Parse) -> None:
    assert parse("#!/usr/bin/env python3\ndef f(): pass\n", "run").metadata["programming language"] == "Python"
    assert parse("<?php echo 1; function f() {}", "x").metadata["programming language"] == "PHP"


def test_content_decides_against_the_name(parse: Parse) -> None:
    assert parse("<!doctype html><html><body><p>Hi</p></body></html>", "x.py").media_type == "text/html"


def test_broken_deep_and_long_code_is_read_all_the_same(parse: Parse) -> None:
    assert "def f(" in parse("def f(:\n  retur ((\nclass", "x.py").text
    assert len(parse("x = " + "(" * 200_000, "x.py").text) > 200_000
    for unit, name in (("(", "x.py"), ("function f(){", "x.js"), ("x = 'é'\n", "x.py")):
        assert growth(lambda count, unit=unit, name=name: parse("x = " + unit * count, name), 2_000) < LINEAR  # type: ignore[misc]
