from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trivium.domain.errors import Refused
from trivium.domain.source_names import MAX_NAME_CHARS, file_source

PATHS = st.text(st.sampled_from("ab.\\/ C:é"), max_size=12)


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("a/b/../c.txt", "a/c.txt"),
        ("./x.txt", "x.txt"),
        ("a//b/./c.txt", "a/b/c.txt"),
        ("C:\\x.txt", "C:/x.txt"),
        ("D:\\x.txt", "D:/x.txt"),
        ("\\\\server\\share\\x.txt", "server/share/x.txt"),
        ("/etc/passwd", "etc/passwd"),
        ("../../etc/passwd", "etc/passwd"),
        ("a/../../b", "b"),
        ("re\u0301sume\u0301.txt", "r\u00e9sum\u00e9.txt"),
        (" x.txt", " x.txt"),
        ("...", "..."),
        ("Screenshot at 1.23.45\u202fPM.png", "Screenshot at 1.23.45\u202fPM.png"),
        (
            "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645.txt",
            "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645.txt",
        ),
    ],
)
def test_a_path_has_one_spelling(path: str, name: str) -> None:
    assert file_source(path) == name


@pytest.mark.parametrize(
    ("path", "code"),
    [
        ("", "name_needed"),
        (" ", "name_needed"),
        ("../..", "name_needed"),
        ("a/..", "name_needed"),
        ("x" * (MAX_NAME_CHARS + 1), "name_too_long"),
        ("a\nb", "bad_name"),
        ("a\x00b", "bad_name"),
        ("a\x85b", "bad_name"),
        ("txt.\u202eexe", "bad_name"),
        ("a\ud800b", "bad_name"),
    ],
)
def test_what_cannot_name_a_source_is_refused(path: str, code: str) -> None:
    with pytest.raises(Refused) as refusal:
        file_source(path)
    assert refusal.value.code == code


@given(PATHS)
def test_a_name_is_its_own_name_and_cannot_climb(path: str) -> None:
    try:
        name = file_source(path)
    except Refused:
        return
    assert file_source(name) == name
    assert not {"", ".", ".."} & set(name.split("/"))
