"""What a mail quotes of others: each is a section headed by who wrote it and when, unless it lies elsewhere."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Sequence

import pytest
from growth import LINEAR, growth
from outlook_files import compound_file, outlook_message

from trivium.domain.parsed import ParsedDocument, UnitKind
from trivium.domain.quoted_mails import MAIL, QUOTED, keeps, quoted_levels

from .conftest import Parse, texts

HEADERS = "From: Ada <ada@example.org>\nTo: Bo <bo@example.org>\nDate: Mon, 3 Mar 2025 10:00:00 +0100\n"
TRIP = "Your train:\n\nFrom: Berlin\nTo: Paris\nDate: 3 May\nPrice: 120 euros\n\n--- Hotel ---\nThe Quorn Arms.\n"
PRESS = "On Monday at 10:00 the minister wrote:\n\nWe close the weir.\n\nI do not agree."
BO, CY = "On Mon, 3 Mar 2025, Bo wrote", "On Sun, 2 Mar 2025, Cy wrote"

Words = list[tuple[str, str]]


def answer(text: str, kind: str = "text/plain") -> str:
    return f"{HEADERS}Subject: Re: Weir\nContent-Type: {kind}; charset=utf-8\n\n{text}"


def words(document: ParsedDocument) -> Words:
    """Each text with whose words it is; no headings, and no headers of the mail itself."""
    return [
        (" > ".join(unit.position.section).removeprefix(f"{QUOTED} > "), unit.text)
        for unit in document.units[1:]
        if unit.kind is not UnitKind.HEADING
    ]


@pytest.mark.parametrize(
    ("text", "read"),
    [
        (f"In May.\n\n{BO}:\n> When is it?\n", [("", "In May."), (BO, "When is it?")]),
        (
            f"In May.\n\n{BO}:\n> When is it?\n>\n> {CY}:\n>> It is late.\n",
            [("", "In May."), (BO, "When is it?"), (CY, "It is late.")],
        ),
        (  # Apple Mail
            f"In May.\n\n> {BO}:\n> \n> When is it?\n>\n>> {CY}:\n>> \n>> It is late.\n",
            [("", "In May."), (BO, "When is it?"), (CY, "It is late.")],
        ),
        (  # one below the other
            f"In May.\n\n{BO}:\n> When is it?\n>\n> {CY}:\n>\n> It is late.\n",
            [("", "In May."), (BO, "When is it?"), (CY, "It is late.")],
        ),
        (
            f"See below.\n\n{BO}:\n> When?\n\nIn May.\n\n> Where?\n> {CY}:\n>> Who?\n> I know.\n\nAt the weir.\n\nAda",
            [
                *(("", "See below."), (BO, "When?"), ("", "In May."), (BO, "Where?"), (CY, "Who?"), (BO, "I know.")),
                *(("", "At the weir."), ("", "Ada")),
            ],
        ),
        ("> When?\nIn May.\n> Where?\n", [("quoted", "When?"), ("", "In May."), ("quoted", "Where?")]),
        (f"That is all.\n{BO}:\n> When?\n", [("", "That is all."), (BO, "When?")]),
        ("Yes.\n\nBo wrote:\n> When?\n", [("", "Yes."), ("Bo wrote", "When?")]),
        (
            "Ja.\n\nAm 03.03.2025 um 10:00 schrieb Ada\n<ada@example.org>:\n> Wann?\n",
            [("", "Ja."), ("Am 03.03.2025 um 10:00 schrieb Ada <ada@example.org>", "Wann?")],
        ),
        (
            "Oui.\n\nLe lun. 3 mars 2025 à 10:00, Ada <a@b.fr> a écrit :\n> Quand ?\n",
            [("", "Oui."), ("Le lun. 3 mars 2025 à 10:00, Ada <a@b.fr> a écrit", "Quand ?")],
        ),
        (
            "Sí.\n\nEl lun, 3 mar 2025 a las 10:00, Ada (<a@b.es>) escribió:\n> ¿Cuándo?\n",
            [("", "Sí."), ("El lun, 3 mar 2025 a las 10:00, Ada (<a@b.es>) escribió", "¿Cuándo?")],
        ),
    ],
)
def test_what_an_answer_quotes_stands_under_who_wrote_it_and_when(parse: Parse, text: str, read: Words) -> None:
    assert words(parse(answer(text), "a.eml")) == read


def test_a_quoted_mail_is_headed_once_by_the_line_that_says_whose_it_is(parse: Parse) -> None:
    document = parse(answer(f"{BO}:\n> When?\n\nIn May.\n\n> Where?\n"), "a.eml")
    assert texts(document, UnitKind.HEADING) == [BO]
    assert [unit.position.section for unit in document.units[1:]] == [*[(QUOTED, BO)] * 2, (), (QUOTED, BO)]


def test_what_is_forwarded_is_not_called_quoted(parse: Parse) -> None:
    document = parse(f"{HEADERS}Subject: Fwd: Weir\n\nSee below.\n\n{BLOCK}\n\nWhen?", "a.eml")
    assert {unit.position.section for unit in document.units} == {(), (TITLE,)}


BLOCK = "From: Bo <bo@example.org>\nSent: Monday, 3 March 2025 10:00\nTo: Ada\nSubject: Weir"
TITLE, REST = "From: Bo <bo@example.org>, Sent: Monday, 3 March 2025 10:00", "To: Ada\nSubject: Weir"


@pytest.mark.parametrize("above", ["", "-----Original Message-----\n", "________________________________\n\n"])
def test_a_mail_that_outlook_appends_is_headed_by_its_headers(parse: Parse, above: str) -> None:
    older = BLOCK.replace("Bo <bo@", "Cy <cy@")
    document = parse(answer(f"In May.\n\n{above}{BLOCK}\n\nWhen?\n\nBo\n\n{older}\n\nIt is late.\n"), "a.eml")
    first = [(TITLE, REST), (TITLE, "When?"), (TITLE, "Bo")]
    second = TITLE.replace("Bo <bo@", "Cy <cy@")
    assert words(document) == [("", "In May."), *first, (second, REST), (second, "It is late.")]


def test_the_line_above_the_headers_of_a_quoted_mail_is_kept_and_so_is_a_long_one(parse: Parse) -> None:
    quoted = "\n".join(f"> {line}" for line in BLOCK.split("\n"))
    document = parse(answer(f"In May.\n\n{BO}, of 52 euros:\n\n{quoted}\n>\n> When?"), "a.eml")
    assert words(document) == [("", "In May."), (TITLE, f"{BO}, of 52 euros:\n{REST}"), (TITLE, "When?")]
    long = f"{BO * 20}, of 52 euros"
    page = f"<p>In May.</p><div class='moz-cite-prefix'>{long}:</div>{QUOTE}"
    assert long in texts(parse(answer(page, "text/html"), "a.eml"), UnitKind.TEXT)


FORWARDED = "---------- Forwarded message ---------\nFrom: Bo\nDate: Monday\nSubject: Weir\n\nIn May.\n-- \nBo"
FORWARDED_BY_APPLE = (
    "Begin forwarded message:\n\n> From: Bo\n> Subject: Weir\n> Date: Monday\n>\n> In May.\n> -- \n> Bo"
)


@pytest.mark.parametrize("forwarded", [FORWARDED, FORWARDED_BY_APPLE])
def test_a_forwarded_mail_stands_under_its_headers_with_its_signature_even_in_a_mailbox(
    parse: Parse, forwarded: str
) -> None:
    text = f"{HEADERS}Subject: Fwd: Weir\n\nSee below.\n-- \nAda\n\n{forwarded}"
    title = "From: Bo, Date: Monday"
    for kind in ("", keeps(MAIL, 0)):
        document = parse(text, "a.eml", declared_type=kind)
        assert [said for said in words(document) if said[0]] == [
            (title, "Subject: Weir"),
            (title, "In May.\n--\nBo"),
        ]
        assert "Ada" not in document.text.removeprefix(document.units[0].text)
        assert document.warnings == ()


def test_what_a_mail_quotes_that_is_no_mail_is_kept_as_it_is_written(parse: Parse) -> None:
    text = "The contract says:\n\n> The tenant pays\n> 52 euros.\n\nPlease check.\n-- \nAda"
    document = parse(f"{HEADERS}Subject: Rent\n\n{text}", "a.eml")
    assert words(document) == [
        ("", "The contract says:"),
        ("", "> The tenant pays\n> 52 euros."),
        ("", "Please check."),
    ]


def test_the_signature_of_a_quoted_mail_is_left_out_like_that_of_the_mail(parse: Parse) -> None:
    document = parse(answer(f"In May.\n-- \nAda\n\n{BO}:\n> When?\n> -- \n> Bo\n> Engine Street 1\n"), "a.eml")
    assert words(document) == [("", "In May."), (BO, "When?")]


QUOTE = "<blockquote type='cite'><p>When?</p><p>Where?</p></blockquote>"
OLD = [("quoted", "When?"), ("quoted", "Where?")]
GMAIL = f"<div class='gmail_attr'>{CY}:<br></div><blockquote class='gmail_quote'><p>It is late.</p></blockquote>"


@pytest.mark.parametrize(
    ("page", "read"),
    [
        (f"<p>In May.</p>{QUOTE}", [("", "In May."), ("quoted", "When?"), ("quoted", "Where?")]),
        (
            f"<p>In May.</p><div class='moz-cite-prefix'>Bo, 3/3:<br></div>{QUOTE}",
            [("", "In May."), ("Bo, 3/3", "When?"), ("Bo, 3/3", "Where?")],
        ),
        (
            f"<p>In May.</p><blockquote type='cite'><div>{BO}:</div><br><div>When?</div></blockquote>",
            [("", "In May."), (BO, "When?")],
        ),
        (
            f"<p>In May.</p><div class='gmail_quote'>On Monday <b>Bo</b> wrote:<br><blockquote class='gmail_quote'>"
            f"<p>When?</p><div class='gmail_quote'>{GMAIL}</div></blockquote></div>",
            [("", "In May."), ("On Monday Bo wrote", "When?"), (CY, "It is late.")],
        ),
        (
            f"<p>In May.</p><div class='yahoo_quoted'><div>{BO}:</div><div>When?</div></div>",
            [("", "In May."), (BO, "When?")],
        ),
        (
            "<p>In May.</p><div id='divRplyFwdMsg'><b>差出人:</b> Bo<br><b>送信日時:</b> 3</div><p>When?</p>",
            [("", "In May."), ("差出人: Bo", "送信日時: 3"), ("差出人: Bo", "When?")],
        ),
        (
            f"<p>In May.</p><div><p><b>{BLOCK.replace(chr(10), '<br><b>').replace(':', ':</b>')}</p></div><p>When?</p>",
            [("", "In May."), (TITLE, REST), (TITLE, "When?")],
        ),
        (
            f"<p>In May.</p><div>{BLOCK.replace('<', '&lt;').replace(chr(10), '</div><div>')}</div><p>When?</p>",
            [("", "In May."), (TITLE, REST), (TITLE, "When?")],
        ),
        (f"<p>In May.</p><div>{BO}:<br>&gt; When?</div>", [("", "In May."), (BO, "When?")]),
        (f"<h1>News</h1><div>In May.</div>{QUOTE}<p>Eels.</p>", [("News", "In May."), *OLD, ("News", "Eels.")]),
        ("<h1>News</h1><p>In May.<br>&gt; When?</p>", [("News", "In May."), ("News", "When?")]),
        ("<p>See:</p><pre>SELECT 1;\n-- \n-- Eels\n</pre>", [("", "See:"), ("", "SELECT 1;\n-- \n-- Eels")]),
        (
            f"<h1>News</h1><p>Eels.</p><div>{BO}:</div><blockquote type='cite'><h2>Old</h2><p>Rats.</p></blockquote>",
            [("News", "Eels."), (f"{BO} > Old", "Rats.")],
        ),
    ],
)
def test_quotations_in_html_are_known_by_the_marks_of_mail_programs(parse: Parse, page: str, read: Words) -> None:
    page = page.replace("Bo <bo@example.org>", "Bo &lt;bo@example.org&gt;")
    assert words(parse(answer(page, "text/html"), "a.eml")) == read


@pytest.mark.parametrize(
    "introduction", ["<div class='gmail_attr'>On Monday Ada wrote:</div>", "On Monday <b>Ada</b> wrote:<br>"]
)
def test_answers_between_the_quotations_of_gmail_follow_what_they_answer(parse: Parse, introduction: str) -> None:
    quoted = "<blockquote class='gmail_quote'>What does it cost?</blockquote><div>It costs 52 euros.</div>"
    block = f"{introduction}{quoted}<blockquote>When?</blockquote><div>In May.</div>"
    page = f"<div>See inline.<div class='gmail_quote gmail_quote_container'>{block}</div></div>"
    said = "On Monday Ada wrote"
    assert words(parse(answer(page, "text/html"), "a.eml")) == [
        ("", "See inline."),
        (said, "What does it cost?"),
        ("", "It costs 52 euros."),
        (said, "When?"),
        ("", "In May."),
    ]
    kept = words(parse(answer(page, "text/html"), "a.eml", declared_type=keeps(MAIL, 0)))
    assert [text for _, text in kept] == ["See inline.", "It costs 52 euros.", "In May."]


@pytest.mark.parametrize(
    ("text", "own"),
    [
        ("Yes.\n\nOn Mon, 3 Mar 2025, Ada wrote:\n> When?\n> Ada\n", "Yes."),
        ("Ja.\n\nAm 03.03.2025 um 10:00 schrieb Ada\n<ada@example.org>:\n> Wann?\n", "Ja."),
        ("> When?\nIn May.\n> Where?\nAt the weir.\n", "In May.\n\nAt the weir."),
        ("Yes.\n\n-----Original Message-----\nFrom: Ada\nSent: Monday\nWhen?\n", "Yes."),
        ("Yes.\n-----Original Message-----\nWhen?\n", "Yes."),
        ("Yes.\n\nFrom: Ada\nSent: Monday\nTo: Bo\nSubject: When\n\nWhen?\n", "Yes."),
        ("Yes.\n-- \nAda Lovelace\nEngine Street 1\n", "Yes."),
        ("Prices:\n--\nWeir: 52 euros", "Prices:\n--\nWeir: 52 euros"),
        ("It costs 3 > 2 euros: see 2025-03-03:\nnext line", "It costs 3 > 2 euros: see 2025-03-03:\nnext line"),
        ("> only\n> quoted\n", "only\nquoted"),
        (TRIP, TRIP.strip("\n")),
        (TRIP.replace("3 May", "3 May 2025"), TRIP.replace("3 May", "3 May 2025").strip("\n")),
        (TRIP.replace("3 May", "3 May 10:00"), TRIP.replace("3 May", "3 May 10:00").strip("\n")),
        (PRESS, PRESS),
        ("Yes.\n\nVon: Ada\nGesendet: Montag, 3. März 2025 10:00\nAn: Bo\nCc: Cy\nBetreff: Wehr\n\nWann?\n", "Yes."),
        ("Yes.\n\nFrom: Ada <ada@example.org>\nTo: Bo\nCc: Cy\n\nWhen?\n", "Yes."),
        ("Yes.\n\nDe : Ada\nEnvoyé : lundi 3 mars 10:00\nÀ : Bo\n\nQuand ?\n", "Yes."),
        ("Yes.\n\n-------- Original-Nachricht --------\nWann?\n", "Yes."),
        ("Yes.\n\n-----Message d'origine-----\nQuand ?\n", "Yes."),
        ("Yes.\n\n-----Исходное сообщение-----\nFrom: Ada\n", "Yes."),
        ("Yes.\n\n---------- Doorgestuurd bericht ---------\nWanneer?\n", "Yes."),
        ("Yes.\n\n----- Forwarded by Ada on 3/3/2025 -----\nWhen?\n", "Yes."),
        ("Yes.\n\n--- Original prices ---\n120 euros", "Yes.\n\n--- Original prices ---\n120 euros"),
    ],
)
def test_of_an_answer_whose_thread_lies_beside_it_the_writers_own_words_are_kept(
    parse: Parse, text: str, own: str
) -> None:
    document = parse(answer(text), "a.eml", declared_type=keeps(MAIL, 0))
    assert "\n\n".join(said for _, said in words(document)) == own


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("Yes.\n-- \nAda\n\nOn Mon, 3 Mar 2025, Bo wrote:\n> When?\n>\n> Bo\n", (9, "On Mon, 3 Mar 2025, Bo wrote:")),
        ("Yes.\n\nFrom: Ada\nSent: Monday\nTo: Bo\nSubject: When\n\nWhen?\n", (9, "From: Ada Sent: Monday")),
        ("> When?\nIn May.\n> Where?\nAt the weir.\n", (2, "When?")),
        ("Yes.\n-- \nAda\n", None),
        ("> only\n> quoted\n", None),
    ],
)
def test_what_is_left_out_of_an_answer_is_told(parse: Parse, text: str, told: tuple[int, str] | None) -> None:
    warnings = parse(answer(text), "a.eml", declared_type=keeps(MAIL, 0)).warnings
    assert len(warnings) == (told is not None)
    if told is not None:
        count, beginning = told
        assert f"({count} words, “{beginning}" in warnings[0]
    assert parse(answer(text), "a.eml").warnings == ()
    assert parse(f"{HEADERS}Subject: Weir\n\n{text}", "a.eml", declared_type=keeps(MAIL, 0)).warnings == ()


def test_lines_that_look_like_headers_and_are_none_stay_paragraphs(parse: Parse) -> None:
    document = parse(answer("From: Berlin\n\nTo: Paris\n\nPrice: 52 euros\n\nIn May."), "a.eml")
    assert [text for _, text in words(document)] == ["From: Berlin", "To: Paris", "Price: 52 euros", "In May."]


def test_as_many_quoted_mails_are_kept_as_do_not_lie_beside_it(parse: Parse) -> None:
    text = f"In May.\n\n{BO}:\n> When is it?\n>\n> {CY}:\n>> It is late.\n"
    document = parse(answer(text), "a.eml", declared_type=keeps(MAIL, 1))
    assert words(document) == [("", "In May."), (BO, "When is it?")]
    (told,) = document.warnings
    assert "(10 words, “On Sun, 2 Mar 2025, Cy wrote: It" in told


def test_an_outlook_message_keeps_what_it_quotes(parse: Parse) -> None:
    message = compound_file(outlook_message("Re: Weir", f"In May.\r\n\r\n{BLOCK}\r\n\r\nWhen?"))
    assert words(parse(message, "a.msg")) == [("", "In May."), (TITLE, REST), (TITLE, "When?")]
    alone = parse(message, "a.msg", declared_type=keeps("application/vnd.ms-outlook", 0))
    assert words(alone) == [("", "In May.")]


def _mail(id_: str, references: str = "", subject: str = "Re: Weir", day: int = 3) -> str:
    named = f"Message-ID: <{id_}>\n" if id_ else ""
    before = " ".join(f"<{one}>" for one in references.split())
    answered = f"In-Reply-To: {before.split()[-1]}\nReferences: {before}\n" if before else ""
    return f"From: a@b.test\nDate: {day} Mar 2025 10:00\n{named}{answered}Subject: {subject}\n\nIn May.\n"


@pytest.mark.parametrize(
    ("mails", "levels"),
    [
        ([_mail("1", subject="Weir"), _mail("2", "1"), _mail("3", "1 2")], [None, 0, 0]),
        ([_mail("1", subject="Weir"), _mail("3", "1 2")], [None, 1]),
        ([_mail("3", "1 2"), _mail("9", "8", subject="Re: Eels")], [None, None]),
        ([_mail("", subject="Weir", day=1), _mail("", day=2), _mail("", subject="AW: Re: weir")], [None, 0, 0]),
        ([_mail("", day=2), _mail("", subject="Weir", day=4)], [None, None]),
        ([_mail("", subject="Weir", day=1), _mail("3", "1 2")], [None, None]),
        ([_mail("", subject=""), _mail("", subject="Re:", day=4)], [None, None]),
    ],
)
def test_a_mail_of_a_mailbox_keeps_what_it_quotes_up_to_a_mail_that_is_there(
    parse: Parse, mails: Sequence[str], levels: Sequence[int | None]
) -> None:
    box = "".join(f"From a@b.test Mon Mar  3 10:00:00 2025\n{mail}\n" for mail in mails)
    assert [quoted_levels(child.media_type) for child in parse(box, "a.mbox").children] == levels
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as opened:
        opened.writestr("notes.txt", "Weirs.")
        for number, mail in enumerate(mails):
            opened.writestr(f"{number}.eml", mail)
    notes, *children = parse(archive.getvalue(), "a.zip").children
    assert [quoted_levels(child.media_type) for child in children] == levels
    assert notes.media_type == ""


def test_a_mail_that_names_the_one_it_answers_alone_keeps_that_where_its_thread_is_there(parse: Parse) -> None:
    middle = _mail("3", "2").replace("References: <2>\n", "")
    box = "".join(f"From a@b.test Mon Mar  3 10:00:00 2025\n{mail}\n" for mail in (_mail("1", day=1), middle))
    assert [quoted_levels(child.media_type) for child in parse(box, "a.mbox").children] == [None, 1]


def test_mails_of_apple_mail_in_an_archive_are_a_thread_too(parse: Parse) -> None:
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as opened:
        for number, mail in enumerate((_mail("1"), _mail("2", "1"))):
            opened.writestr(f"{number}.emlx", f"{len(mail)}\n{mail}<plist/>")
    children = parse(archive.getvalue(), "a.zip").children
    assert [quoted_levels(child.media_type) for child in children] == [None, 0]


def test_outlook_messages_of_an_archive_are_told_apart_by_their_ids(parse: Parse) -> None:
    def text(tag: str, value: str) -> dict[str, bytes]:
        return {f"__substg1.0_{tag}001F": value.encode("utf-16-le")}

    first = outlook_message("Weir", "When?", **text("1035", "<1@x>"))
    second = outlook_message("Re: Weir", "In May.", **text("1035", "<2@x>"), **text("1042", "<1@x>"))
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as opened:
        opened.writestr("1.msg", compound_file(first))
        opened.writestr("2.msg", compound_file(second))
        opened.writestr("broken.msg", compound_file(first)[:600])
    children = parse(archive.getvalue(), "a.zip").children
    assert [quoted_levels(child.media_type) for child in children][:2] == [None, 0]


@pytest.mark.parametrize(
    "piece",
    [
        f"{BLOCK}\n",
        f"{BLOCK}\n\nWhen?\n\n",
        f"{BO}:\n> When?\n\nIn May.\n\n",
        "> a\n>> b\n",
        "-----Original Message-----\n",
        "Bo wrote:\n",
        "From: Bo\n\n",
    ],
)
def test_quotations_without_end_are_read_in_linear_time(parse: Parse, piece: str) -> None:
    assert growth(lambda count: parse(answer(piece * count), "a.eml"), 1_000) < LINEAR


def test_pages_of_quotations_without_end_are_read_in_linear_time(parse: Parse) -> None:
    piece = f"<p>In May.</p><div>{BO}:</div>{QUOTE}"
    assert growth(lambda count: parse(answer(piece * count, "text/html"), "a.eml"), 500) < LINEAR
