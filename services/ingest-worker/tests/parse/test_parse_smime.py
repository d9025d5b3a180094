"""S/MIME: signed mails and files are read, encrypted ones say what they are and what to do."""

from __future__ import annotations

import datetime
import io
import zipfile
from collections.abc import Callable
from email.message import EmailMessage

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.serialization import Encoding, pkcs7
from hypothesis import given
from hypothesis import strategies as st
from outlook_files import compound_file, outlook_attachment, outlook_message

from trivium.domain.errors import NeverWill
from trivium_ingest.parse.signed.cms import is_encrypted, signed_content

from .conftest import Parse

HEADERS = "From: Ada <ada@example.org>\r\nTo: Bo <bo@example.org>\r\nSubject: Fleet\r\nMIME-Version: 1.0\r\n"
BODY = b"Content-Type: text/plain\r\n\r\nThe herring fleet sails on Monday.\r\n"
Shell = Callable[[bytes], bytes]


@pytest.fixture(scope="module")
def keys() -> tuple[x509.Certificate, rsa.RSAPrivateKey]:
    key = rsa.generate_private_key(65_537, 2_048)
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "Ada")])
    begins = datetime.datetime(2025, 1, 1, tzinfo=datetime.UTC)
    built = x509.CertificateBuilder().subject_name(name).issuer_name(name).public_key(key.public_key())
    dated = built.serial_number(7).not_valid_before(begins).not_valid_after(begins + datetime.timedelta(days=9_000))
    return dated.sign(key, hashes.SHA256()), key


@pytest.fixture
def sealed(keys: tuple[x509.Certificate, rsa.RSAPrivateKey]) -> Shell:
    def seal(content: bytes) -> bytes:
        builder = pkcs7.PKCS7EnvelopeBuilder().set_data(content).add_recipient(keys[0])
        return builder.encrypt(Encoding.DER, [pkcs7.PKCS7Options.Binary])

    return seal


@pytest.fixture
def signed(keys: tuple[x509.Certificate, rsa.RSAPrivateKey]) -> Shell:
    def sign(content: bytes) -> bytes:
        builder = pkcs7.PKCS7SignatureBuilder().set_data(content).add_signer(*keys, hashes.SHA256())
        return builder.sign(Encoding.DER, [pkcs7.PKCS7Options.Binary])

    return sign


def _in_pieces(content: bytes) -> bytes:
    """The shell of signed data as programs write it that do not know its length yet."""
    octets = b"".join(b"\x04" + bytes([len(piece)]) + piece for piece in (content[:20], content[20:]))
    held = b"\x30\x80\x06\x09\x2a\x86\x48\x86\xf7\x0d\x01\x07\x01\xa0\x80\x24\x80" + octets + b"\0\0" * 3
    signed = b"\x30\x80\x02\x01\x01\x31\x00" + held + b"\x31\x00\0\0"
    return b"\x30\x80\x06\x09\x2a\x86\x48\x86\xf7\x0d\x01\x07\x02\xa0\x80" + signed + b"\0\0\0\0"


def _mail(content: bytes, kind: str = "application/pkcs7-mime", name: str = "smime.p7m") -> EmailMessage:
    message = EmailMessage()
    message["From"], message["To"], message["Subject"] = "Ada <ada@example.org>", "bo@example.org", "Fleet"
    maintype, subtype = kind.split("/")
    message.set_content(content, maintype=maintype, subtype=subtype, disposition="attachment", filename=name)
    return message


@pytest.mark.parametrize("kind", ["application/pkcs7-mime", "application/x-pkcs7-mime", "application/octet-stream"])
def test_an_encrypted_mail_says_so_whatever_its_part_is_called(parse: Parse, sealed: Shell, kind: str) -> None:
    with pytest.raises(NeverWill) as failure:
        parse(_mail(sealed(BODY), kind).as_bytes(), "a.eml")
    assert failure.value.code == "encryption_unsupported"
    assert "encrypted for its recipients" in failure.value.message
    assert "mail program" in failure.value.action


def test_an_encrypted_part_of_a_mail_says_so_and_the_rest_is_read(parse: Parse, sealed: Shell) -> None:
    message = EmailMessage()
    message["From"], message["To"], message["Subject"] = "Ada <ada@example.org>", "bo@example.org", "Fleet"
    message.set_content("See the sealed part.")
    message.add_attachment(sealed(BODY), maintype="application", subtype="octet-stream", filename="smime.p7m")
    document = parse(message.as_bytes(), "a.eml")
    assert "See the sealed part." in document.text
    assert "encrypted for its recipients" in document.warnings[0]


def test_an_encrypted_message_of_outlook_says_so(parse: Parse, sealed: Shell) -> None:
    attachment = {"__attach_version1.0_#00000000": outlook_attachment("smime.p7m", sealed(BODY))}
    with pytest.raises(NeverWill, match="encrypted for its recipients"):
        parse(compound_file(outlook_message("Fleet", "", **attachment)), "a.msg")


@pytest.mark.parametrize("kind", ["application/pkcs7-mime", "application/x-pkcs7-mime", "application/octet-stream"])
def test_a_mail_that_is_signed_as_a_whole_is_read(parse: Parse, signed: Shell, kind: str) -> None:
    twice = signed(
        b"Content-Type: application/pkcs7-mime; name=smime.p7m\r\n\r\n".replace(b"\r\n", b"\n") + signed(BODY)
    )
    for content in (signed(BODY), _in_pieces(BODY), twice):
        document = parse(_mail(content, kind).as_bytes(), "a.eml")
        assert "The herring fleet sails on Monday." in document.text
        assert (document.title, document.warnings, document.children) == ("Fleet", (), ())


def test_the_files_in_a_signed_mail_are_its_children(parse: Parse, signed: Shell) -> None:
    inside = EmailMessage()
    inside.set_content("See the table.")
    inside.add_attachment("a,b\n1,2\n", subtype="csv", filename="table.csv")
    document = parse(_mail(signed(inside.as_bytes())).as_bytes(), "a.eml")
    assert "See the table." in document.text
    assert [child.name for child in document.children] == ["table.csv"]


@pytest.mark.parametrize("kind", ["application/pkcs7-signature", "application/octet-stream"])
def test_a_signature_beside_what_it_signs_is_not_worth_a_word(parse: Parse, signed: Shell, kind: str) -> None:
    message = EmailMessage()
    message["From"], message["To"], message["Subject"] = "Ada <ada@example.org>", "bo@example.org", "Fleet"
    message.set_content("The herring fleet sails on Monday.")
    maintype, subtype = kind.split("/")
    message.add_attachment(signed(b""), maintype=maintype, subtype=subtype, filename="smime.p7s")
    raw = message.as_bytes().replace(b"multipart/mixed", b"multipart/signed")
    document = parse(raw, "a.eml")
    assert "The herring fleet sails on Monday." in document.text
    assert document.warnings == ()


def test_a_signed_file_is_read_as_what_it_holds(parse: Parse, signed: Shell, sealed: Shell) -> None:
    assert parse(signed(b"<?xml version='1.0'?><bill><sum>52</sum></bill>"), "bill.xml.p7m").text == "sum: 52"
    assert "The herring fleet" in parse(signed(BODY), "smime.p7m").text
    with pytest.raises(NeverWill, match="encrypted for its recipients"):
        parse(sealed(BODY), "smime.p7m")


@given(st.binary(max_size=200), st.integers(0, 80))
def test_damaged_shells_are_no_shells(junk: bytes, cut: int) -> None:
    shell = _in_pieces(BODY)
    for content in (junk, b"\x30\x80" + junk, shell[:cut] + junk, shell[:cut]):
        assert signed_content(content) is None or content != b""
        assert is_encrypted(content) in (True, False)


@pytest.mark.parametrize(("name", "program"), [("a.pages", "Pages"), ("a.numbers", "Numbers"), ("a.key", "Keynote")])
@pytest.mark.parametrize("locked", [True, False])
def test_a_file_of_iwork_asks_to_be_exported(parse: Parse, name: str, program: str, locked: bool) -> None:
    content = _iwork(locked=locked)
    with pytest.raises(NeverWill) as failure:
        parse(content, name)
    assert failure.value.code == "unsupported_format"
    assert program in failure.value.message
    assert "export it as PDF" in failure.value.action
    with pytest.raises(NeverWill, match="Pages, Numbers or Keynote"):
        parse(content, "download")


def _iwork(*, locked: bool) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        archive.writestr("Index/Document.iwa", b"\0\1\2\3" * 20)
        archive.writestr("preview.jpg", b"\xff\xd8\xff")
        if locked:
            archive.writestr(".iwpv2", b"\2\0\1\0" * 10)
    content = stream.getvalue()
    plain, by_an_unknown_method = b"\x14\x00\x00\x00\x00\x00", b"\x14\x00\x01\x00\x63\x00"
    return content.replace(plain, by_an_unknown_method) if locked else content
