"""reStructuredText, Org, AsciiDoc and LaTeX: structure, text without marks, exact places, hostile files."""

from __future__ import annotations

import re
import time

import pytest

from trivium.domain.parsed import ParsedDocument

from .conftest import Parse

RST = """=====
River
=====

Intro with *em*, ``code`` and `a link <https://a.example/x>`_. See :ref:`the map <map>`.

Weirs
-----

.. note:: Mind the gap.

   It is deep.

.. code-block:: python
   :linenos:

   x = 1
     y = 2

Example::

    raw text

=====  ======
Weir   Height
=====  ======
Upper  2.4
Lower  1.1
=====  ======

+------+-------+
| Fish | Count |
+======+=======+
| Eel  | 3     |
+------+-------+

.. math:: Q = v A

- one
- two

.. a comment
   of two lines

.. [1] The footnote.

End.
"""
ORG = """#+TITLE: River notes
#+AUTHOR: R. Vale
* TODO Weirs :water:
:PROPERTIES:
:ID: 7
:END:
Some *bold* and [[https://a.example/x][a link]].
- one
- two
| Weir | Height |
|------+--------|
| Upper | 2.4 |
#+BEGIN_SRC python
  x = 1
#+END_SRC
** Fish
\\begin{equation}
Q = vA
\\end{equation}
# hidden comment
End.
"""
ASCIIDOC = """= River notes
R. Vale
:toc:

== Weirs
// hidden
Some *bold* and https://a.example/x[a link], see <<map,the map>>.

.Heights
[cols="1,1"]
|===
|Weir |Height

|Upper |2.4
|Lower
|1.1
|===

[source,python]
----
x = 1
----

[stem]
++++
Q = vA
++++

====
* one
* two
====
image::gate.png[A sluice gate]
"""
LATEX = """\\documentclass[a4paper]{article}
\\usepackage{amsmath}
\\title{The \\emph{Tamsin} River}
\\author{R. Vale}
\\begin{document}
\\maketitle
\\section{Weirs}\\label{sec:w}
Caf\\'e, M\\"uller \\& Stra{\\ss}e --- 5\\% of $Q = \\frac{a}{b}$ flow~\\cite{x}. % hidden
See \\href{https://a.example/x}{the map}\\footnote{A note.}.

Second ``para'' with \\{braces\\}.
\\begin{equation}\\label{eq:q}
Q = v \\cdot A
\\end{equation}
\\[ x^2 \\]
\\begin{table}\\caption{Heights}
\\begin{tabular}{l|r}
\\hline Weir & Height \\\\ \\midrule
Upper & 2.4 \\\\
Lower & 1.1 \\\\
\\end{tabular}\\end{table}
\\subsection*{Tasks}
\\begin{itemize}
\\item remove
\\begin{itemize}\\item the weir\\end{itemize}
\\item plant
\\end{itemize}
\\begin{verbatim}
x = 1 % kept
\\end{verbatim}
\\end{document}
"""


def _said(document: ParsedDocument) -> list[tuple[str, str]]:
    return [(unit.kind.value, unit.text) for unit in document.units]


def test_restructured_text(parse: Parse) -> None:
    document = parse(RST, "a.rst")
    assert (document.media_type, document.title) == ("text/x-rst", "River")
    assert _said(document) == [
        ("heading", "River"),
        ("text", "Intro with em, code and a link. See the map."),
        ("heading", "Weirs"),
        ("text", "Mind the gap."),
        ("text", "It is deep."),
        ("code", "x = 1\n  y = 2"),
        ("text", "Example:"),
        ("code", "raw text"),
        ("table", "Weir: Upper; Height: 2.4\nWeir: Lower; Height: 1.1"),
        ("table", "Fish: Eel; Count: 3"),
        ("equation", "Q = v A"),
        ("list", "- one\n- two"),
        ("note", "The footnote."),
        ("text", "End."),
    ]
    assert document.units[-1].position.section == ("River", "Weirs")
    assert document.links == ("https://a.example/x",)


def test_directives_include_and_run_nothing(parse: Parse) -> None:
    source = ".. include:: /etc/passwd\n\n.. raw:: html\n\n   <script>evil()</script>\n\nCalm.\n"
    assert parse(source, "x.rst").text == "Calm."


def test_a_csv_table_and_a_figure(parse: Parse) -> None:
    source = (
        ".. csv-table:: Heights\n   :header: Weir,Height\n\n   Upper,2.4\n\n"
        ".. figure:: a.png\n   :alt: A gate\n\n   The sluice.\n"
    )
    assert _said(parse(source, "x.rst")) == [("table", "Weir: Upper; Height: 2.4"), ("image", "A gate\nThe sluice.")]


def test_org(parse: Parse) -> None:
    document = parse(ORG, "notes")
    assert (document.media_type, document.title) == ("text/x-org", "River notes")
    assert document.metadata["author"] == "R. Vale"
    assert _said(document) == [
        ("heading", "Weirs"),
        ("list", "Some bold and a link.\n- one\n- two"),
        ("table", "Weir: Upper; Height: 2.4"),
        ("code", "x = 1"),
        ("heading", "Fish"),
        ("equation", "\\begin{equation}\nQ = vA\n\\end{equation}"),
        ("text", "End."),
    ]
    assert document.units[-1].position.section == ("Weirs", "Fish")


def test_asciidoc(parse: Parse) -> None:
    document = parse(ASCIIDOC, "notes")
    assert (document.media_type, document.title) == ("text/asciidoc", "River notes")
    assert _said(document) == [
        ("heading", "River notes"),
        ("text", "R. Vale"),
        ("heading", "Weirs"),
        ("text", "Some bold and a link, see the map."),
        ("text", "Heights"),
        ("table", "Weir: Upper; Height: 2.4\nWeir: Lower; Height: 1.1"),
        ("code", "x = 1"),
        ("equation", "Q = vA"),
        ("list", "* one\n* two"),
        ("image", "A sluice gate"),
    ]


def test_latex(parse: Parse) -> None:
    document = parse(LATEX, "paper.txt")
    assert (document.media_type, document.title) == ("application/x-tex", "The Tamsin River")
    assert document.metadata["author"] == "R. Vale"
    assert _said(document) == [
        ("heading", "Weirs"),
        ("text", "Café, Müller & Straße — 5% of $Q = \\frac{a}{b}$ flow .\nSee the map A note.."),
        ("text", "Second “para” with {braces}."),
        ("equation", "Q = v \\cdot A"),
        ("equation", "x^2"),
        ("text", "Heights"),
        ("table", "Weir: Upper; Height: 2.4\nWeir: Lower; Height: 1.1"),
        ("heading", "Tasks"),
        ("list", "- remove\n- the weir\n- plant"),
        ("code", "x = 1 % kept"),
    ]
    assert document.units[-1].position.section == ("Weirs", "Tasks")
    assert document.links == ("https://a.example/x",)


@pytest.mark.parametrize(("source", "name"), [(RST, "a.rst"), (ORG, "a.org"), (ASCIIDOC, "a.adoc"), (LATEX, "a.tex")])
def test_places_name_what_was_read(parse: Parse, source: str, name: str) -> None:
    for unit in parse(source, name).units:
        assert unit.position.offset is not None
        place = source[slice(*unit.position.offset)]
        words = re.findall("[A-Za-z]+", unit.text)
        assert words[0] in place
        assert words[-1] in place


@pytest.mark.parametrize("name", ["x.rst", "x.org", "x.adoc", "x.tex"])
@pytest.mark.parametrize(
    "content",
    [
        "plain words",
        "* a" * 30_000,
        "*a " * 30_000,
        "`a <" * 30_000,
        ":a:\n" * 30_000,
        "= " + " " * 50_000 + "x",
        "\\[ x\n\n" * 20_000,
        "\\begin{itemize}\\item x\n" * 5_000,
        "\\section{" * 5_000,
        "+---+\n| a\n" * 10_000,
        "#+BEGIN_SRC\nx\n" * 10_000,
        ".. code::\n\n   x\n\n" * 5_000,
    ],
)
def test_hostile_text_is_read_in_a_moment(parse: Parse, name: str, content: str) -> None:
    began = time.process_time()
    parse(content, name)
    assert time.process_time() - began < 5
