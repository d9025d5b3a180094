"""Mails: what their writers wrote, in every character set; what they carry are children."""

from __future__ import annotations

from base64 import b64encode
from email.message import EmailMessage

import pytest
from growth import LINEAR, growth

from trivium.domain.errors import NeverWill
from trivium.domain.parsed import ParsedDocument, UnitKind
from trivium.ports.parser import Blob
from trivium_ingest.parse.mail import message
from trivium_ingest.parse.mail.body import unwrapped
from trivium_ingest.parse.mail.eml_format import recognise
from trivium_ingest.parse.sample import Sample
from trivium_ingest.parse.text.encoding import decode

from .conftest import InkOcr, Parse, pdf, picture, texts

HEADERS = "From: Ada <ada@example.org>\nTo: Bo <bo@example.org>\nDate: Mon, 3 Mar 2025 10:00:00 +0100\n"


def mail(text: str = "The weir is removed in May.", **headers: str) -> EmailMessage:
    message = EmailMessage()
    for name, value in {"From": "Ada <ada@example.org>", "To": "bo@example.org", **headers}.items():
        message[name.replace("_", "-")] = value
    message.set_content(text)
    return message


def body(document: ParsedDocument) -> list[str]:
    return texts(document, UnitKind.TEXT)[1:]


def test_headers_are_decoded_and_the_subject_is_the_title(parse: Parse) -> None:
    document = parse(mail(Subject="Grüße aus 東京", Cc="Jürgen Müller <j@example.org>").as_bytes(), "a.eml")
    assert document.media_type == "message/rfc822"
    assert document.title == "Grüße aus 東京"
    head = texts(document, UnitKind.TEXT)[0]
    assert "From: Ada <ada@example.org>" in head
    assert "Cc: Jürgen Müller <j@example.org>" in head
    assert body(document) == ["The weir is removed in May."]


@pytest.mark.parametrize(
    ("subject", "read"),
    [
        ("Grüße aus Köln", "Grüße aus Köln"),
        ("日本 =?utf-8?Q?f=C3=BCr?= Köln", "日本 für Köln"),
        ("Angebot\n =?utf-8?Q?f=C3=BCr?=\n Herrn Schmidt", "Angebot für Herrn Schmidt"),
        ("=?utf-8?Q?f=C3=BC?=\n =?utf-8?Q?r_alle?=", "für alle"),
        ("=?utf-8?Q?f=C3?= =?utf-8?Q?=BCr?=", "für"),
        ("=?iso-8859-1?Q?52_=80_1990=962000?=", "52 € 1990\u20132000"),
        ("=?utf-8?B?5qSc?= =?UTF-8?B?57Si?= =?koi8-r?B?xME?=", "検索да"),
        ("=?utf-8?B?w7x?= =?utf-8?Q?_=C3=BC=?=", "ü ü="),
        ("=?utf-8?B?x?= =?utf-8?Q", "=?utf-8?B?x?= =?utf-8?Q"),
    ],
)
def test_a_header_is_read_however_programs_write_it(parse: Parse, subject: str, read: str) -> None:
    assert parse(f"{HEADERS}Subject: {subject}\n\nHello.\n", "a.eml").title == read


def test_headers_of_eight_bits_are_decoded_and_folded_names_keep_their_blank(parse: Parse) -> None:
    head = "From: =?utf-8?Q?J=C3=BCrgen_M=C3=BCller?=\n <j@example.org>\nTo: bo@example.org\nSubject: Grüße\n\nHi.\n"
    document = parse(head.encode("cp1252"), "a.eml")
    assert document.title == "Grüße"
    assert "From: Jürgen Müller <j@example.org>" in texts(document, UnitKind.TEXT)[0]


def test_a_subject_that_is_one_long_word_is_decoded(parse: Parse) -> None:
    subject = " ".join(["Плотину уберут в мае."] * 40)
    word = f"=?UTF-8?B?{b64encode(subject.encode()).decode()}?="
    assert texts(parse(f"{HEADERS}Subject: {word}\n\nHello.\n", "a.eml"), UnitKind.TEXT)[0].endswith(subject)


@pytest.mark.parametrize("end", ["", "?=", "\x0b?="])
def test_words_of_a_header_without_an_end_are_read_in_linear_time(parse: Parse, end: str) -> None:
    def read(count: int) -> ParsedDocument:
        return parse(f"{HEADERS}Subject: {'=?utf-8?Q? ' * count}{end}\n\nHello.\n", "a.eml")

    assert growth(read, 2_000) < LINEAR


@pytest.mark.parametrize("words", ["=?utf-8?Q?ab?= ", "=?utf-8?B?YWI?= ", "=?utf-8?Q?ab?= =?koi8-r?Q?ab?= "])
def test_many_words_of_a_header_are_read_in_linear_time(parse: Parse, words: str) -> None:
    def read(count: int) -> ParsedDocument:
        return parse(f"{HEADERS}Subject: {words * count}\n\nHello.\n", "a.eml")

    assert growth(read, 10_000) < LINEAR


def test_only_headers_that_are_read_are_decoded(parse: Parse, monkeypatch: pytest.MonkeyPatch) -> None:
    decoded: list[bytes] = []

    def counted(content: bytes, declared: str = "") -> tuple[str, str]:
        decoded.append(content)
        return decode(content, declared)

    monkeypatch.setattr(message, "decode", counted)
    unread = b"".join(b"X-Odd: %d \x81\xc1\xc2\n" % number for number in range(100))
    subject = "Grüße vom Wehr".encode("cp1252")
    document = parse(HEADERS.encode() + unread + b"Subject: " + subject + b"\n\nHello.\n", "a.eml")
    assert (document.title, decoded) == ("Grüße vom Wehr", [subject])


def test_a_file_and_a_mail_of_a_mailbox_may_have_names_in_raw_utf_8(parse: Parse) -> None:
    named = 'text/csv; name="Übersicht.csv"\nContent-Disposition: attachment;\n filename="Übersicht.csv"'
    kind, content = _parts("mixed", ("text/plain", "Hi."), (named, "a,b\n1,2"))
    mail_in_utf_8 = f"{HEADERS}Subject: Grüße\nContent-Type: {kind}\n\n{content}"
    assert [child.name for child in parse(mail_in_utf_8, "a.eml").children] == ["Übersicht.csv"]
    box = f"From ada@example.org Mon Mar  3 10:00:00 2025\n{mail_in_utf_8}"
    assert [child.name for child in parse(box, "a.mbox").children] == ["2025-03-03 Grüße.eml"]


@pytest.mark.parametrize(
    ("charset", "encoding", "text"),
    [
        ("iso-2022-jp", "7bit", "日本の堰は撤去されます。"),
        ("koi8-r", "8bit", "Плотину уберут в мае."),
        ("windows-1252", "8bit", "Das Wehr wird im Mai „rückgebaut“."),
        ("iso-8859-1", "8bit", "Es kostet 52 €, 1990\u20132000, „gut“."),
        ("gb2312", "8bit", "朱镕基总理今天到访。"),
        ("us-ascii", "8bit", "Grüße, 堰堤"),
        ("utf-8", "8bit", "堰堤"),
        ("nonsense", "8bit", "堰堤"),
    ],
)
def test_a_body_is_read_in_its_character_set(parse: Parse, charset: str, encoding: str, text: str) -> None:
    written = {"nonsense": "utf-8", "us-ascii": "utf-8", "iso-8859-1": "cp1252", "gb2312": "gbk"}
    raw = text.encode(written.get(charset, charset))
    head = f"{HEADERS}Content-Type: text/plain; charset={charset}\nContent-Transfer-Encoding: {encoding}\n\n"
    assert body(parse(head.encode() + raw)) == [text]


@pytest.mark.parametrize(
    ("codec", "text"),
    [("punycode", "bcher-kva"), ("idna", "xn--bcher-kva"), ("unicode_escape", r"\u0041"), ("utf-8\0", "bcher")],
)
def test_what_is_named_as_a_character_set_and_is_none_decodes_nothing(parse: Parse, codec: str, text: str) -> None:
    for stated in (f'charset="{codec}"', f"charset*={codec}''{codec}"):
        assert body(parse(f"{HEADERS}Content-Type: text/plain; {stated}\n\n{text}\n")) == [text]
    assert parse(f"{HEADERS}Subject: =?{codec}?Q?{text}?=\n\nHello.\n", "a.eml").title == text
    named = f"text/csv\nContent-Disposition: attachment; filename*={codec}''bcher-kva.csv"
    kind, content = _parts(text, ("text/plain", "Hi."), (named, "a,b\n1,2"))
    within = kind.replace("boundary=", f"boundary*={codec}''").replace('"', "")
    document = parse(f"{HEADERS}Content-Type: {within}\n\n{content}", "a.eml")
    assert [child.name for child in document.children] == ["bcher-kva.csv"]


@pytest.mark.parametrize(
    "stated",
    ["charset*=utf-8''utf-8", "charset*0*=utf-8''ut; charset*1=f-8", "charset=idna", "charset=undefined", "charset=\0"],
)
def test_bytes_are_read_whatever_their_character_set_is_called(parse: Parse, stated: str) -> None:
    assert body(parse(f"{HEADERS}Content-Type: text/plain; {stated}\n\nGrüße.\n".encode())) == ["Grüße."]


@pytest.mark.parametrize(
    ("stated", "name"),
    [
        ('filename="a; b.csv"; filename=c.csv', "a; b.csv"),
        (r'FileName = "a \"b\"; c.csv"', 'a "b"; c.csv'),
        ("filename=a b.csv ;size=3", "a b.csv"),
        ('filename="a; b.csv', '"a; b.csv'),
        ("filename*1*=%BCr.csv; filename*0*=utf-8''f%C3", "für.csv"),
        ('filename*0="a;"; filename*1=b.csv', "a;b.csv"),
        ("filename*=utf-8''f%C3%BCr.csv; filename*0=b.csv", "für.csv"),
        (f"filename*{'1' * 5_000}*=b.csv; filename=a.csv", "a.csv"),
    ],
)
def test_a_file_has_the_name_that_its_header_gives_it(parse: Parse, stated: str, name: str) -> None:
    kind, content = _parts("mixed", (f"text/csv\nContent-Disposition: attachment; {stated}", "a,b\n1,2"))
    assert [child.name for child in parse(f"{HEADERS}Content-Type: {kind}\n\n{content}", "a.eml").children] == [name]


@pytest.mark.parametrize(
    "head", ["Content-Type: text/plain", "Content-Disposition: attachment", "Content-Type: multipart/x"]
)
@pytest.mark.parametrize(("begin", "more"), [('; name="', ";"), ("", ";a=b")])
def test_parameters_of_a_header_are_read_in_linear_time(parse: Parse, head: str, begin: str, more: str) -> None:
    def read(count: int) -> ParsedDocument:
        return parse(f"{HEADERS}{head}{begin}{more * count}\n\nHello.\n", "a.eml")

    assert growth(read, 10_000) < LINEAR


def _nested(depth: int) -> str:
    """Parts in parts, each with a text before the next."""
    inside = "".join(
        f"Content-Type: multipart/mixed; boundary=b{level}\n\n--b{level}\n\nLevel {level}.\n--b{level}\n"
        for level in range(depth)
    )
    return f"{HEADERS}{inside}"


def test_parts_that_lie_too_deep_are_a_file_in_one_piece(parse: Parse) -> None:
    document = parse(f"{_nested(2_000)}\nThe deepest.\n", "a.eml")
    assert "Level 0." in body(document)
    assert f"Level {message.MAX_DEPTH}." in body(document)
    (child,) = document.children
    assert f"Level {message.MAX_DEPTH + 1}." in child.content.decode()
    assert "The deepest." in child.content.decode()


def test_lines_of_parts_in_parts_are_read_in_linear_time(parse: Parse) -> None:
    def read(depth: int) -> ParsedDocument:
        lines = "\n" * (1_000 * depth)
        return parse(f"{_nested(depth)}{lines}", "a.eml")

    assert growth(read, 40) < LINEAR


def test_a_mail_of_too_many_parts_is_refused(parse: Parse) -> None:
    kind, content = _parts("mixed", *[("text/plain", "")] * (message.MAX_PARTS + 1))
    with pytest.raises(NeverWill, match="max_members"):
        parse(f"{HEADERS}Content-Type: {kind}\n\n{content}", "a.eml")


def test_plain_text_is_preferred_to_the_same_words_in_html(parse: Parse) -> None:
    message = mail("The plain words.")
    message.add_alternative("<p>The <b>HTML</b> words.</p>", subtype="html")
    assert body(parse(message.as_bytes())) == ["The plain words."]


def test_html_is_read_when_the_plain_text_only_says_that_there_is_some(parse: Parse) -> None:
    message = mail("Your program shows no HTML.")
    rows = "".join(f"<p>Gauge {number} stands at {number} metres above the sea.</p>" for number in range(20))
    message.add_alternative(f"<html><body>{rows}</body></html>", subtype="html")
    assert "Gauge 7 stands at 7 metres above the sea." in parse(message.as_bytes()).text


def test_a_style_sheet_is_not_counted_as_words_of_the_html(parse: Parse) -> None:
    message = mail("Your order costs 52 euros.")
    sheet = ".x {color: red} " * 60
    message.add_alternative(f"<style>{sheet}</style><p>Your order</p><script>{sheet}</script>", subtype="html")
    assert body(parse(message.as_bytes())) == ["Your order costs 52 euros."]


def _parts(kind: str, *parts: tuple[str, str]) -> tuple[str, str]:
    written = "".join(f"--{kind}\nContent-Type: {name}\n\n{content}\n" for name, content in parts)
    return f'multipart/{kind}; boundary="{kind}"', f"{written}--{kind}--\n"


def test_plain_text_and_html_beside_each_other_are_both_read_in_order(parse: Parse) -> None:
    both = _parts("alternative", ("text/plain", "The plain words."), ("text/html", "<p>The HTML words.</p>"))
    parts = [("text/html", "<p>The weir opens.</p>"), ("text/plain", "Weirs mailing list"), both, ("text/html", "End.")]
    kind, content = _parts("mixed", *parts)
    read = ["The weir opens.", "Weirs mailing list", "The plain words.", "End."]
    assert body(parse(f"{HEADERS}Content-Type: {kind}\n\n{content}")) == read


def test_an_alternative_is_one_choice_whatever_its_parts_are_made_of(parse: Parse) -> None:
    pages = _parts("related", ("text/html", "<p>The HTML words.</p>"), ("text/html", "<p>More of them.</p>"))
    kind, content = _parts("alternative", ("text/plain", "The plain words."), pages)
    assert body(parse(f"{HEADERS}Content-Type: {kind}\n\n{content}")) == ["The plain words."]


def test_only_plain_text_is_read_as_text(parse: Parse) -> None:
    forms = [("text/x-amp-html", "<h1>The words.</h1>"), ("text/calendar", "BEGIN:VCALENDAR\nEND:VCALENDAR")]
    kind, content = _parts("alternative", ("text/plain", "The words."), *forms, ("text/html", "<p>The words.</p>"))
    document = parse(f"{HEADERS}Content-Type: {kind}\n\n{content}")
    assert body(document) == ["The words."]
    assert [child.media_type for child in document.children] == ["text/calendar"]


def test_a_delivery_report_is_read_as_text(parse: Parse) -> None:
    status = ("message/delivery-status", "Final-Recipient: rfc822; bo@example.org\nAction: failed")
    kind, content = _parts("report", ("text/plain", "It was not delivered."), status)
    assert "Action: failed" in parse(f"{HEADERS}Content-Type: {kind}\n\n{content}").text


def test_headers_and_attachments_stand_under_no_heading_of_the_page(parse: Parse) -> None:
    mail = EmailMessage()
    mail["From"], mail["Subject"] = "a@b.test", "News"
    mail.set_content("<h1>Eels</h1><p>They are back.</p>", subtype="html")
    mail.add_attachment("x", filename="list.txt")
    document = parse(mail.as_bytes(), "a.eml")
    assert [unit.position.section for unit in document.units] == [(), ("Eels",), ("Eels",), ()]


def test_an_attachment_is_a_child_with_its_name_and_type(parse: Parse) -> None:
    message = mail(Subject="Offer")
    content = pdf(lambda canvas: canvas.drawString(50, 500, "42 euros"))
    message.add_attachment(content, maintype="application", subtype="pdf", filename="Übersicht.pdf")
    document = parse(message.as_bytes())
    (child,) = document.children
    assert (child.name, child.content, child.media_type) == ("Übersicht.pdf", content, "application/pdf")
    assert "Übersicht.pdf" in document.text


def test_an_attached_mail_stays_as_it_is_however_deep_others_lie_in_it(parse: Parse) -> None:
    inner = mail("Deep down.", Subject="0")
    for number in range(1, 60):
        outer = mail(f"Level {number}.", Subject=str(number))
        outer.add_attachment(inner)
        inner = outer
    document = parse(inner.as_bytes())
    (child,) = document.children
    assert child.name == "58.eml"
    assert "Level 58." in parse(child.content, child.name).text
    assert "Level 58." not in document.text


def test_a_picture_in_the_text_is_read_and_one_that_is_attached_is_a_child(parse: Parse, ocr: InkOcr) -> None:
    message = mail()
    message.add_related(picture(), maintype="image", subtype="png", cid="<logo>", disposition="inline")
    message.make_mixed()
    message.add_attachment(picture(), maintype="image", subtype="png", filename="photo.png")
    document = parse(message.as_bytes(), ocr=ocr)
    assert texts(document, UnitKind.IMAGE) == ["ink"]
    assert [child.name for child in document.children] == ["photo.png"]


def test_what_no_parser_reads_is_told(parse: Parse) -> None:
    message = mail()
    message.add_attachment(b"MZ\0\0\1", maintype="application", subtype="octet-stream", filename="run.exe")
    document = parse(message.as_bytes())
    assert document.children == ()
    assert "run.exe was not read" in document.warnings[0]


@pytest.mark.parametrize(
    "kind", ["application/pkcs7-mime; smime-type=enveloped-data", 'multipart/encrypted; boundary="x"']
)
def test_an_encrypted_mail_says_so(parse: Parse, kind: str) -> None:
    with pytest.raises(NeverWill, match="encrypted for its recipients"):
        parse(f"{HEADERS}Content-Type: {kind}\n\nMIIB\n")


def test_a_mail_without_a_body_is_empty_and_its_attachments_are_not(parse: Parse) -> None:
    message = mail("", Subject="Picture")
    message.add_attachment(picture(), maintype="image", subtype="png", filename="a.png")
    document = parse(message.as_bytes())
    assert document.units == ()
    assert document.warnings == ("The mail has no text of its own.",)
    assert [child.name for child in document.children] == ["a.png"]


PLIST = '<?xml version="1.0" encoding="UTF-8"?>\n<plist version="1.0"><dict><key>flags</key></dict></plist>\n'


@pytest.mark.parametrize("name", ["1234.emlx", "1234.partial.emlx", "upload"])
def test_a_mail_of_apple_mail_is_read_without_what_is_noted_of_it(parse: Parse, name: str) -> None:
    written = f"{HEADERS}Message-ID: <1@x>\nSubject: Wehr für alle\n\nThe weir is removed in May.\n".encode()
    document = parse(b"%-10d\n" % len(written) + written + PLIST.encode(), name)
    assert (document.media_type, document.title) == ("message/rfc822", "Wehr für alle")
    assert body(document) == ["The weir is removed in May."]


def test_a_text_that_begins_with_a_number_is_no_mail(parse: Parse) -> None:
    assert parse("1234\nThe weir is removed in May.\n", "notes.txt").media_type == "text/plain"


def test_lines_that_were_wrapped_for_sending_flow_again() -> None:
    flowed = "A long \nsentence.\nAnother.\n> quoted \n> still\n-- \nAda"
    assert unwrapped(flowed, delete_space=False) == "A long sentence.\nAnother.\n> quoted \n> still\n-- \nAda"


def test_lines_that_flow_on_and_on_are_joined_in_linear_time() -> None:
    assert growth(lambda count: unwrapped("a \n" * count, delete_space=False), 200_000) < LINEAR


def test_a_mailbox_gives_its_mails_by_date_and_subject(parse: Parse) -> None:
    one = mail("First.\n\nFrom here on.", Subject="Weir", Date="Mon, 03 Mar 2025 10:00:00 +0000").as_bytes()
    two = mail("Second.", Subject="A/B").as_bytes()
    separator = b"From ada@example.org Mon Mar  3 10:00:00 2025\n"
    box = separator + one.replace(b"\nFrom here", b"\n>From here") + b"\n" + separator + two
    document = parse(box, "archive.mbox")
    assert [child.name for child in document.children] == ["2025-03-03 Weir.eml", "A_B.eml"]
    assert document.text.splitlines() == ["2025-03-03 Weir.eml", "A_B.eml"]
    assert "From here on." in parse(document.children[0].content, "x.eml").text


def test_mails_that_thunderbird_deleted_and_not_yet_removed_are_left_out(parse: Parse) -> None:
    mails = (
        f"From - Mon Mar  3 10:00:00 2025\nX-Mozilla-Status: {status}\nFrom: a@b.test\nSubject: {status}\n\nwords\n\n"
        for status in ("0001", "0009", "1008", "0010", "none")
    )
    document = parse("".join(mails), "Inbox")
    assert [child.name for child in document.children] == ["0001.eml", "0010.eml", "none.eml"]
    assert "0009" not in document.text
    assert document.warnings == (
        "Mails that were deleted, and wait for their folder to be compacted, were left out: 2.",
    )


def test_a_subject_of_a_mailbox_that_looks_like_a_drive_leads_nowhere(parse: Parse) -> None:
    box = "From a@example.org Mon Mar  3 10:00:00 2025\nFrom: a@example.org\nSubject: R: Preventivo\n\nCosta 52 euro.\n"
    document = parse(box, "a.mbox")
    assert [child.name for child in document.children] == ["R_ Preventivo.eml"]
    assert document.warnings == ()


@pytest.mark.parametrize(
    "text",
    [
        "From the start it was clear.\n\nAnd so on.\n",
        "Name: Ada\nDate: Monday\n\nNotes of the meeting.\n",
        "Subject: the weir\n\nAn essay.\n",
        "---\ntitle: x\n---\n",
    ],
)
def test_notes_are_no_mails(text: str) -> None:
    assert recognise(Sample(Blob("notes.txt", text.encode()))) == 0.0
