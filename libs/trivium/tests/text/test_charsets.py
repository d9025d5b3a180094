"""Names of character sets that strangers give."""

from __future__ import annotations

from encodings.aliases import aliases

import pytest

from trivium.text.charsets import charset_of, marked


@pytest.mark.parametrize(
    ("declared", "charset"),
    [
        ("UTF-8", "utf-8"),
        ("latin1", "iso8859-1"),
        ("Shift_JIS", "shift_jis"),
        ("unicode-1-1-utf-7", "utf-7"),
        ("windows-1252", "cp1252"),
    ],
)
def test_a_character_set_has_one_name_whatever_it_is_called(declared: str, charset: str) -> None:
    assert charset_of(declared) == charset


@pytest.mark.parametrize(
    "declared",
    [
        *("", "nonsense", "utf-8\0", "\u00fctf-8", "\udc80", "x" * 100_000),
        *("punycode", "IDNA", "unicode_escape", "Raw Unicode-Escape", "undefined"),
        *("rot13", "hex", "base64", "uu", "quopri", "zip", "bz2"),
    ],
)
def test_what_is_no_character_set_has_none(declared: str) -> None:
    assert charset_of(declared) == ""


def test_every_character_set_decodes() -> None:
    sets = set(filter(None, map(charset_of, aliases.values())))
    assert len(sets) > 80
    assert all(isinstance(b"ab..".decode(each, "replace"), str) for each in sets)


@pytest.mark.parametrize("charset", ["utf-8", "utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be"])
def test_a_byte_order_mark_tells_the_character_set_and_is_no_text(charset: str) -> None:
    assert marked("\ufeffgr\u00fcn".encode(charset)) == (charset, "gr\u00fcn".encode(charset))
    assert marked(b"plain") == ("", b"plain")
