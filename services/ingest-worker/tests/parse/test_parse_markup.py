"""reStructuredText, Org, AsciiDoc and LaTeX: structure, text without marks, exact places, hostile files."""

from __future__ import annotations

import re

import pytest
from growth import LINEAR, growth

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


def test_directives_of_domains_are_read_with_what_stands_in_them(parse: Parse) -> None:
    source = ".. py:class:: Foo\n\n   A *weir*.\n\n.. c:function:: int fall(void)\n   :noindex:\n\n   Falls.\n\nEnd.\n"
    read = [("text", "Foo"), ("text", "A weir."), ("text", "int fall(void)"), ("text", "Falls."), ("text", "End.")]
    assert _said(parse(source, "x.rst")) == read


SPANS = """+------------+------------+-----------+
| Weir       | Fish       | Seen      |
+============+============+===========+
| Upper      | Eels come every year.  |
+------------+------------+-----------+
| Lower      | Trout and  | - often   |
+------------+ pike live  | - in May  |
| Mill       | here.      | - by day  |
+------------+------------+-----------+
| None of the others was looked at.   |
+------------+------------+-----------+
"""


def test_cells_of_a_grid_are_repeated_where_they_span(parse: Parse) -> None:
    often = "Fish: Trout and pike live here.; Seen: - often - in May - by day"
    (table,) = parse(SPANS, "x.rst").units
    assert table.text.splitlines() == [
        "Weir: Upper; Fish: Eels come every year.; Seen: Eels come every year.",
        f"Weir: Lower; {often}",
        f"Weir: Mill; {often}",
        "Weir: None of the others was looked at.",
    ]


@pytest.mark.parametrize(
    ("body", "read"),
    [
        ("| a | b |\n|   | c |\n+---+---+\n", "a | b c"),
        ("| 堰 | b |\n+---+---+\n", "堰 | b"),  # as wide as it is shown
        ("| 堰| b |\n+---+---+\n", "堰 | b"),
        ("| too wide | b |\n| a | b | c |\n+---+---+\n", "too wide a | b b c"),
        ("| a | b |\n", "a | b"),
        ("| a\n", "a"),
    ],
)
def test_a_grid_that_is_drawn_badly_loses_nothing(parse: Parse, body: str, read: str) -> None:
    assert parse(f"+---+---+\n{body}", "x.rst").text == read


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


def test_when_a_task_of_org_is_due_is_text(parse: Parse) -> None:
    document = parse("* TODO Tax return\n  DEADLINE: <2025-04-01 Tue>\n- forms\n- stamps\n", "a.org")
    assert _said(document) == [
        ("heading", "Tax return"),
        ("text", "DEADLINE: <2025-04-01 Tue>"),
        ("list", "- forms\n- stamps"),
    ]


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


def test_the_style_of_a_cell_stands_behind_a_blank(parse: Parse) -> None:
    source = "|===\n|Name|Age|Data\n|Anna|12|small\na|Bob s|13 2+^.>e|made\n.2+|Cy|14|m\\|s\n|===\n"
    assert parse(f"= Title\n\n{source}", "a.adoc").units[1].text.splitlines() == [
        "Name: Anna; Age: 12; Data: small",
        "Name: Bob; Age: 13; Data: made",
        "Name: Cy; Age: 14; Data: m\\|s",
    ]


def test_cells_of_asciidoc_stand_in_the_columns_that_are_told(parse: Parse) -> None:
    source = """= T

.People
[cols="1,1", options="header"]
|===
|Name
|Role

|Ada
|Engineer
|===

[cols=3*]
|===
|Name 2+|Score
|Ada |1 |2
.2+|Bob |3 |4
|5 |6
3+|Later
|===
"""
    assert [unit.text for unit in parse(source, "a.adoc").units if unit.kind.value == "table"] == [
        "Name: Ada; Role: Engineer",
        "Name: Ada; Score: 1; Score: 2\nName: Bob; Score: 3; Score: 4\nName: Bob; Score: 5; Score: 6\nName: Later",
    ]


@pytest.mark.parametrize(
    ("table", "read"),
    [
        ("|===\n// weirs\n|A |B\n\n|1 |2\n|===", "A: 1; B: 2"),
        ("|===\ninclude::weirs.adoc[]\n|===", ""),
        ("|===\n| +| plus\n| -| minus\n|===", "+: -; plus: minus"),
        ('[opts="header"]\n|===\n|10|20\n|1|2\n|===', "10: 1; 20: 2"),
        ("[%noheader]\n|===\n|10|20\n|1|2\n|===", "10 | 20\n1 | 2"),
        (f"[cols={'9' * 5000}]\n|===\n|10|20\n|1|2\n|===", "10 | 20\n1 | 2"),
    ],
)
def test_odd_tables_of_asciidoc_lose_no_cell(parse: Parse, table: str, read: str) -> None:
    tables = [unit.text for unit in parse(f"= T\n\n{table}\n", "a.adoc").units if unit.kind.value == "table"]
    assert "".join(tables) == read


def test_a_table_of_asciidoc_without_bars_is_text(parse: Parse) -> None:
    assert _said(parse("= T\n\n[format=csv]\n|===\nA,B\n1,2\n|===\n", "a.adoc"))[1:] == [("text", "A,B\n1,2")]


def test_headings_of_asciidoc_may_have_two_lines(parse: Parse) -> None:
    source = (
        "weir(1)\n=======\n\nNAME\n----\nA weir.\n\n[[use]]\nOPTIONS\n-------\nx\n----\ncode\n----\n\nMore\n~~~~\ny\n"
    )
    document = parse(source, "a.adoc")
    assert document.title == "weir(1)"
    assert _said(document) == [
        ("heading", "weir(1)"),
        ("heading", "NAME"),
        ("text", "A weir."),
        ("heading", "OPTIONS"),
        ("text", "x"),
        ("code", "code"),
        ("heading", "More"),
        ("text", "y"),
    ]
    assert document.units[-1].position.section == ("weir(1)", "OPTIONS", "More")


def test_simple_tables_go_on_and_span(parse: Parse) -> None:
    source = """=====  =====  ======
   Inputs     Output
------------  ------
  A      B    A or B
=====  =====  ======
False  False  False,
              as told
True   False  True
=====  =====  ======
"""
    assert parse(source, "a.rst").text == (
        "Inputs A: False; Inputs B: False; Output A or B: False, as told\n"
        "Inputs A: True; Inputs B: False; Output A or B: True"
    )


def test_directives_about_versions_say_what_they_are(parse: Parse) -> None:
    source = ".. versionadded:: 2.0\n\n.. deprecated:: 3.1\n   Use y.\n"
    assert parse(source, "a.rst").text == "New in version 2.0\n\nDeprecated since version 3.1\n\nUse y."


def test_stars_that_mark_nothing_stay(parse: Parse) -> None:
    assert parse("All *.txt and *.csv, 2*3*4, *all of* it.", "a.rst").text == "All *.txt and *.csv, 2*3*4, all of it."


@pytest.mark.parametrize(
    ("source", "read"),
    [
        (
            r"""{lccc} & \multicolumn{2}{p{3cm}|}{2023} & 2024 \\ River & Eel & Trout & Eel \\ \hline
\multirow{2}{*}{Tyne} & 10 & 20 & 30 \\ & 11 & 21 & 31 \\ \multicolumn{4}{c}{Later} \\""",
            "River: Tyne; 2023 Eel: 10; 2023 Trout: 20; 2024 Eel: 30\n"
            "River: Tyne; 2023 Eel: 11; 2023 Trout: 21; 2024 Eel: 31\nRiver: Later",
        ),
        (r"[t]{ll} Name & \makecell{Age \\ now} \\ Ada & 36 \\", "Name: Ada; Age now: 36"),
        (r"{ll}\multirow{3}*{Tyne} & 10 \\ & 11 \\", "Tyne | 10\nTyne | 11"),
        (r"{ll}[1] & 10 \\ [2] & 11 \\", "[1] | 10\n[2] | 11"),
        (r"{ll}A & B \\ \endfirsthead A & B \\ (goes on) \\ \endhead 1 & 2 \\", "A: 1; B: 2"),
    ],
)
def test_cells_of_latex_stand_in_the_columns_and_rows_that_they_span(parse: Parse, source: str, read: str) -> None:
    assert parse(f"\\begin{{tabular}}{source}\n\\end{{tabular}}", "a.tex").text == read


@pytest.mark.parametrize(
    ("line", "read"),
    [
        (r"Use \verb|%d| and \verb+\x{y}+ here. % hidden", r"Use %d and \x{y} here."),
        (
            r"It is \SI{5}{\kilo\meter} or \qty{3}{km}, at \si{\meter\per\second}.",
            "It is 5 kilometer or 3 km, at meter per second.",
        ),
        (r"\SIrange{1}{2}{\kilo\gram}, 20\,\textdegree C", "1 to 2 kilogram, 20 °C"),
        (r"a hy\-phen", "a hyphen"),
        (r"\begin{lemma}[Zorn] A chain. \end{lemma}", "Lemma (Zorn). A chain."),
        (r"\begin{enumerate}[label=(\alph*)] \item a \item b \end{enumerate}", "- a\n- b"),
        ("Old. \\begin{comment}\nhidden\n\\end{comment} New.", "Old.\n\nNew."),
    ],
)
def test_words_of_latex_are_neither_lost_nor_doubled(parse: Parse, line: str, read: str) -> None:
    assert parse(f"\\section{{S}}{line}", "a.tex").text == f"S\n\n{read}"


def test_paragraphs_of_latex_end_at_blank_lines_of_windows(parse: Parse) -> None:
    assert _said(parse("\\section{S}\r\nOne.\r\n\r\nTwo.\r\n", "a.tex"))[1:] == [("text", "One."), ("text", "Two.")]


def test_latex(parse: Parse) -> None:
    document = parse(LATEX, "paper.txt")
    assert (document.media_type, document.title) == ("application/x-tex", "The Tamsin River")
    assert document.metadata["author"] == "R. Vale"
    assert _said(document) == [
        ("heading", "The Tamsin River"),
        ("text", "R. Vale"),
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


@pytest.mark.parametrize(
    ("line", "read"),
    [
        (r"(\url{https://a.example/a%20b}) falls. % hidden", "(https://a.example/a%20b) falls."),
        (r"\href{https://a.example/a%20b}{The map} falls. % hidden", "The map falls."),
        (r"It falls. % see \url{https://a.example/a%20b}", "It falls."),
        (r"It \\ \url{a%b} falls. \\% hidden", "It\na%b falls."),
        (r"It falls 5\%. \url{% hidden", "It falls 5%."),
    ],
)
def test_no_comment_begins_in_an_address(parse: Parse, line: str, read: str) -> None:
    assert parse(rf"\begin{{document}}{line}" + "\n\\end{document}", "a.tex").text == read


_FRONTS = {
    "standard": (
        r"\title{The Tamsin \\ River\thanks{Paid by the Trust.}}\author{Ada Vale\thanks{At sea.} \and Bo Lind}",
        r"\date{May 2024}\maketitle",
    ),
    "authblk": (
        r"\title{The Tamsin River}\author[1]{Ada Vale}\author[2]{Bo Lind}\affil{Weir School}",
        r"\maketitle",
    ),
    "revtex": (
        "",
        r"\title[Tamsin]{The Tamsin River}\author{Ada Vale}\email[Write to: ]{ada@vale.example}"
        "\n"
        r"\affiliation{Weir School}\author{Bo Lind}\begin{abstract}We swim.\end{abstract}\maketitle",
    ),
    "acmart": (
        "",
        r"\title{The Tamsin River}\author{Ada Vale}\orcid{0000}\affiliation{%"
        "\n"
        r"\institution{Weir School}\city{Corrin}}\author{Bo Lind}\begin{abstract}We swim.\end{abstract}\maketitle",
    ),
    "elsarticle": (
        "",
        r"\begin{frontmatter}\title{The Tamsin River}\author[a]{Ada Vale\corref{c}}\address[a]{Weir School}"
        r"\author{Bo Lind}\end{frontmatter}",
    ),
    "llncs": (
        r"\title{The Tamsin River}\author{Ada Vale\inst{1}\and Bo Lind$^2$}\institute{Weir School}",
        r"\maketitle",
    ),
    "IEEEtran": (
        r"\title{The Tamsin River}\author{\IEEEauthorblockN{Ada Vale}\IEEEauthorblockA{Weir School\\Corrin}"
        r"\and\IEEEauthorblockN{Bo Lind}}",
        r"\maketitle",
    ),
}


@pytest.mark.parametrize("kind", _FRONTS)
def test_a_paper_keeps_its_title_and_its_authors(parse: Parse, kind: str) -> None:
    preamble, begin = _FRONTS[kind]
    source = rf"\documentclass{{x}}{preamble}\begin{{document}}{begin}\section{{Weirs}}They fall.\end{{document}}"
    document = parse(source, "paper.tex")
    said = _said(document)
    assert document.title == "The Tamsin River"
    assert said[0] == ("heading", "The Tamsin River")
    names = said[1][1]
    assert "Ada Vale" in names
    assert "Bo Lind" in names
    assert ("Weir School" in names) == (kind != "standard")
    assert document.text.count("Ada Vale") == document.text.count("Tamsin") == 1
    assert document.units[-1].position.section == ("Weirs",)
    words = [text for _, text in said]
    if kind == "standard":
        assert words[2:5] == ["Paid by the Trust.", "At sea.", "May 2024"]
    if kind in ("revtex", "acmart"):
        assert "We swim." in words
        assert "Corrin" in names or kind == "revtex"


@pytest.mark.parametrize(
    "command",
    [
        r"\bibliographystyle{plain}",
        r"\inputencoding{utf8}",
        r"\definecolor{weir}{rgb}{1,0,0}",
        r"\setlength{\parindent}{0pt}",
        r"\newcommand{\river}[1]{Tamsin #1}",
        r"\begingroup",
        r"\endgroup",
        r"\columnbreak",
        r"\pagebreak[3]",
        r"\defaultfont",
        r"\indexspace",
        r"\begin{minipage}[t]{0.4\textwidth}",
    ],
)
def test_settings_leave_no_letters_behind(parse: Parse, command: str) -> None:
    source = rf"\documentclass{{x}}\begin{{document}}It {command} falls.\end{{document}}"
    assert parse(source, "a.tex").text.split() == ["It", "falls."]


def test_commands_that_only_begin_like_settings_keep_their_words(parse: Parse) -> None:
    source = r"\reflectbox{Mirror} \includeonlyone{weir} \captionof{figure}{Gate}"
    assert parse(rf"\begin{{document}}{source}\end{{document}}", "a.tex").text.split() == ["Mirror", "weir", "Gate"]


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
    "unit",
    [
        "plain words",
        "* a",
        "*a ",
        "`a <",
        ":a:\n",
        "= " + " " * 20 + "x",
        "\\[ x\n\n",
        "\\begin{itemize}\\item x\n",
        "\\section{",
        "+---+\n| a\n",
        "#+BEGIN_SRC\nx\n",
        ".. code::\n\n   x\n\n",
    ],
)
def test_hostile_text_is_read_in_linear_time(parse: Parse, name: str, unit: str) -> None:
    assert growth(lambda count: parse(unit * count, name), 400) < LINEAR


@pytest.mark.parametrize("line", ["| a | b |\n+---+ b |\n", "+-+\n| a | b |\n"])
def test_a_grid_is_read_in_linear_time(parse: Parse, line: str) -> None:
    assert growth(lambda count: parse("+---+---+\n" + line * count, "x.rst"), 400) < LINEAR


@pytest.mark.parametrize("name", ["x.rst", "x.org", "x.adoc", "x.tex"])
def test_a_wide_gap_is_read_in_linear_time(parse: Parse, name: str) -> None:
    assert growth(lambda count: parse("= " + " " * count + "x", name), 10_000) < LINEAR
